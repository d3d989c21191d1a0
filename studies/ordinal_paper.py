"""The printed figures of the ordinal paper.

R. Ayllón-Gavilán, F. J. Martínez-Estudillo, D. Guijo-Rubio, C. Hervás-Martínez and P. A. Gutiérrez, "Splitting criteria
for ordinal decision trees: an experimental study", 2024.
"""

# The splitting criteria, under the names that the paper has for them.
CRITERIA = {"gini": "Gini", "entropy": "IG", "ogini": "OGini", "wig": "WIG", "ranking": "RI"}

# The measures, and whether more is better.
METRICS = {"mae": False, "qwk": True, "rps": False}

# Section IV: the depths that are tried, and the parts of cross-validation.
DEPTHS = (3, 5, 8, 16)
N_FOLDS = 5

# Section V: data sets of at least this many classes are one group, data sets of fewer the other.
MANY_CLASSES = 6
ALL, MANY, FEW = "all data sets", "Q >= 6", "Q < 6"

# Table II: mean and standard deviation over all data sets and splits.
TABLE_2 = {
    "gini": {"mae": (0.875, 0.098), "qwk": (0.642, 0.071), "rps": (0.745, 0.125)},
    "entropy": {"mae": (0.880, 0.103), "qwk": (0.641, 0.073), "rps": (0.749, 0.139)},
    "ogini": {"mae": (0.849, 0.094), "qwk": (0.658, 0.068), "rps": (0.718, 0.129)},
    "wig": {"mae": (0.869, 0.092), "qwk": (0.650, 0.067), "rps": (0.770, 0.123)},
    "ranking": {"mae": (0.869, 0.096), "qwk": (0.646, 0.068), "rps": (0.719, 0.146)},
}

# Tables III to V: means over the data sets of 6 and more classes, and of fewer.
MEANS_MANY = {
    "mae": {"gini": 1.454, "entropy": 1.464, "ogini": 1.393, "wig": 1.429, "ranking": 1.426},
    "qwk": {"gini": 0.641, "entropy": 0.639, "ogini": 0.665, "wig": 0.653, "ranking": 0.656},
    "rps": {"gini": 1.229, "entropy": 1.236, "ogini": 1.190, "wig": 1.284, "ranking": 1.189},
}
MEANS_FEW = {
    "mae": {"gini": 0.526, "entropy": 0.529, "ogini": 0.519, "wig": 0.534, "ranking": 0.531},
    "qwk": {"gini": 0.642, "entropy": 0.643, "ogini": 0.654, "wig": 0.646, "ranking": 0.643},
    "rps": {"gini": 0.440, "entropy": 0.446, "ogini": 0.437, "wig": 0.463, "ranking": 0.442},
}

# Table VI: test samples of census2-5 by their class and the predicted one, of one seed, and the measures of both trees.
CONFUSED = "census2-5"
TABLE_6 = {
    "gini": (
        (2197, 1289, 438, 342, 251),
        (1025, 1440, 859, 678, 515),
        (475, 1035, 1115, 1233, 659),
        (239, 504, 872, 1922, 980),
        (193, 331, 360, 1827, 1805),
    ),
    "ogini": (
        (2115, 1475, 842, 77, 8),
        (932, 1209, 1895, 414, 67),
        (364, 833, 1905, 1217, 198),
        (151, 407, 1099, 2292, 568),
        (79, 236, 529, 2440, 1232),
    ),
}
TABLE_6_MEASURES = {
    "gini": {"mae": 0.948, "qwk": 0.534, "rps": 0.948},
    "ogini": {"mae": 0.793, "qwk": 0.648, "rps": 0.571},
}
