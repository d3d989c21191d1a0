"""Numbers with a special meaning, defined once."""

LEAF = -1  # children of a leaf
MULTIWAY = -2  # left and right child of a node with a child for every category
UNDEFINED = -2  # feature and threshold of a leaf
NO_CATEGORY = -1  # of a root, and of the children of a threshold
UNLIMITED = 2**31 - 1  # a limit that does not apply

# The side of a node's samples whose value is missing.
NONE_MISSING = -1  # there are none
MISSING_RIGHT = 0
MISSING_LEFT = 1
