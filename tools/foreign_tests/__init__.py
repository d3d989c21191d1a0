"""scikit-learn's own tests of trees, forests and ensembles, with our estimators in the place of its own."""
