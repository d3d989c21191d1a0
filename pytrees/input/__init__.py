"""Turn the user's input into arrays: validation, categories, scales of classes."""
