"""Codes of categories: the position of every value of a column among the known values, which differ."""

UNKNOWN = -1


def codes_of_objects(values, known):
    """Return the position of every object among the known ones, UNKNOWN for others."""
    positions = {value: position for position, value in enumerate(known)}
    return [positions.get(value, UNKNOWN) for value in values]


def codes_of_records(values, known):
    """Return the position of every row of bytes among the known rows, UNKNOWN for others."""
    return codes_of_objects(map(tuple, values), map(tuple, known))
