"""From what a user hands in to arrays: validation, categories, scales of classes."""
