"""What accelerators promise: bins of neighbouring values, and bounds of scores inside a bin."""
