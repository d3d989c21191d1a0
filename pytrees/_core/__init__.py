"""Compiled kernels: they know NumPy's memory, and nothing of scikit-learn or of the Python layer."""
