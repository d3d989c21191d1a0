"""Impurities and gains: one criterion, one file."""
