"""Effort-To-Compress of label sequences."""
