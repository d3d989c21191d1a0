"""Cases of hostile input for every estimator, drawn at random: `python -m tools.fuzz --help`."""
