"""Promises of the accelerators: bins of neighbouring values, and bounds of scores inside a bin."""
