"""Conversions of trees, each with its way back.

`sklearn_nodes` writes and reads the nodes of scikit-learn's trees, and knows arrays alone, as `from_dict` does:
:class:`pytrees.Tree` stands on both. `sklearn_estimators` converts whole estimators, for :func:`pytrees.to_sklearn` and
:func:`pytrees.from_sklearn`. `to_dict` has :func:`pytrees.export_dict`; `from_dict` reads its dicts.
"""
