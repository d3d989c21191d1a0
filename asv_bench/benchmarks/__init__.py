"""Benchmarks, one file for one kernel and one for the estimators."""
