"""The samples of the nodes: sorted or ranked."""
