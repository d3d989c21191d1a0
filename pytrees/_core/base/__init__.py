"""Types, memory, sorting and exact arithmetic."""
