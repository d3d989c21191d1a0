"""Accelerators: they find the same cuts as the plain engine, which does without this folder."""
