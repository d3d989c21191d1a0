"""Benchmarks: `bench_<folder>_<module>.py` for a kernel, and a few files for whole estimators."""
