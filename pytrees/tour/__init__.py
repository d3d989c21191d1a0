"""The tour, ``python -m pytrees``: what the library does, and the permutation paper on data of scikit-learn.

`overview` shows the library in a minute, `toy` has the paper's example, `permutation` its protocol. `report` makes
tables and pictures, and `program` the command line. The studies in the repository, which recompute the tables of all
papers, use these modules too.
"""
