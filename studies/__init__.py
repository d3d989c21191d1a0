"""The papers' tables and figures, recomputed."""
