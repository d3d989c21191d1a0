"""Bins of neighbouring values, as accelerators make them."""
