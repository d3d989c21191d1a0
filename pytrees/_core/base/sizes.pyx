"""The sizes of `sizes.h`, for tests on both sides of each."""


def sizes():
    """Return all sizes by name."""
    return {name: size for name, size in globals().items() if name.isupper()}
