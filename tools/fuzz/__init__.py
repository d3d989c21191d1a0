"""Cases of hostile input for every public name, drawn at random: `python -m tools.fuzz --help`."""
