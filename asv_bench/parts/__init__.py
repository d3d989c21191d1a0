"""The parts of `ratios.py`, and what they measure with."""
