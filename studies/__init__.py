"""The papers' tables and figures, recomputed: ``python -m studies STUDY`` from a clone of pytrees."""
