"""Conversions of trees to forms of other libraries, and back.

Each module answers one question:

- `sklearn_nodes`: how are the nodes of scikit-learn's trees written and read? It knows arrays alone.
- `sklearn_estimators`: how does a fitted tree or forest become one of scikit-learn, and one of scikit-learn ours?
- `to_dict`, `from_dict`: how does a tree become nested dicts for JSON, and how are these read?
- `library_nodes`: how are the nodes of other libraries' boosted ensembles read?
"""
