"""What a tree becomes elsewhere, and is made of: scikit-learn's trees, and dicts that were JSON."""

import numpy as np


class Exchanged:
    """The methods of a Tree that make something of another library of it, or a tree of that."""

    __slots__ = ()

    def to_sklearn(self, classes=None):
        """Convert the tree to a fitted scikit-learn ``DecisionTreeClassifier`` with the same nodes.

        A tree knows the codes of its classes alone: the estimator's own ``to_sklearn()`` keeps their labels and the
        names of the features. See :func:`pytrees.to_sklearn`.

        Parameters
        ----------
        classes : array-like of shape (n_classes,), optional
            The class labels; 0..n_classes-1 by default.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier
            It decides as the tree does on data that is exact in float32.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn keeps its nodes in another way than 1.9 does.
        ValueError
            If there is not one label for every class.
        """
        from ._sklearn_tree import sklearn_tree  # imports scikit-learn's trees, which only these methods need

        classes = np.arange(self.n_classes) if classes is None else np.asarray(classes)
        if len(classes) != self.n_classes:
            raise ValueError(f"classes has {len(classes)} labels; the tree has {self.n_classes} classes.")
        return sklearn_tree(self, classes)

    @classmethod
    def from_sklearn(cls, estimator):
        """Make the tree of a fitted scikit-learn ``DecisionTreeClassifier``, with its thresholds to the last bit.

        The class counts are the products of its nodes' shares and weights, rounded to the whole numbers that they are;
        the gains are those of its criterion. The tree compares float64, where scikit-learn rounds samples to float32
        before it compares them: on data that is exact in float32, both decide alike. Labels and names stay behind;
        :func:`pytrees.from_sklearn` takes them over, and forests.

        Parameters
        ----------
        estimator : sklearn.tree.DecisionTreeClassifier
            A fitted tree, or one of a forest's `estimators_`; an ``ExtraTreeClassifier`` is one too.

        Returns
        -------
        Tree
            Its nodes in preorder, which is their order but in best-first trees.

        Raises
        ------
        TypeError
            If it is anything else, such as a regressor.
        ValueError
            If it has several outputs, has learned from missing values, or has nodes without training samples, as trees
            with a child for every category get them by ``to_sklearn``.
        """
        from ._sklearn_tree import arrays_of_sklearn

        return cls(**arrays_of_sklearn(estimator))
