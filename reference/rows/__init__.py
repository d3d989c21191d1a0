"""The samples of the nodes: sorted, ranked, or counted in bins."""
