"""Conversions of trees, each way in a module of its own.

`sklearn_nodes` writes and reads the nodes of scikit-learn's trees, for :func:`pytrees.to_sklearn` and
:func:`pytrees.from_sklearn`; `from_dict` reads what :func:`pytrees.export_dict` writes. Both know arrays alone, so that
:class:`pytrees.Tree` can stand on them.
"""
