"""Growth of a tree."""
