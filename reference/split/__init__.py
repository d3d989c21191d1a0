"""The best split of one node."""
