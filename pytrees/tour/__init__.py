"""The tour, ``python -m pytrees``: the permutation paper's toy example, and its protocol on data of scikit-learn.

`toy` has the example, `permutation` the protocol, `report` tables and pictures, `program` the command line. The studies
in the repository, which recompute the tables of all papers, use these modules too.
"""
