"""The base of all other modules."""
