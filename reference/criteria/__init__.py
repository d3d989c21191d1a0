"""What splits gain: one criterion, one file."""
