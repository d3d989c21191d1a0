"""Small mistakes put into the code, one at a time: do the tests notice? `python -m tools.mutate`."""
