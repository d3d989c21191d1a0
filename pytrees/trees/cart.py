"""Decision trees that grow from the root, as in CART, by any criterion."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch

from .._by_keyword import by_keyword
from .._docstrings import described_like
from .._given_judges import CriterionLike
from .._sklearn import StrOptions
from .._typing import (
    CategoricalFeatures,
    CategoricalSplit,
    ClassWeight,
    HandleUnknown,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    RandomState,
)
from ..pruning import pruning_path
from .base import GROWTH_CONSTRAINTS, WEIGHT_CONSTRAINTS, BaseTreeClassifier, check_has_impurity
from .weighing import weighs_if_it_can

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(BaseTreeClassifier):
    """A decision tree, grown from the root by any criterion.

    A numeric feature splits a node in two by a threshold. A categorical feature splits it in two by two sets of
    categories, or into a child for every category. The tree is exact: every cut between two neighbouring values of
    every feature is judged. Ties go to the lowest feature, then to the lowest threshold, on every machine and both
    engines.

    Parameters
    ----------
    criterion : str or criterion object, default="gini"
        The measure of a split's gain: ``"gini"`` impurity or Shannon ``"entropy"`` (bits), which is also called
        ``"log_loss"``; a distance between the clustering of the node's samples by the cut and their classes,
        ``"gain_ratio"``, ``"nvi"``, ``"nvi_sum"``, ``"nvi_max"``, ``"vi"`` (bits), ``"jaccard"`` or ``"accuracy"``; for
        ordered classes ``"ogini"`` (ordinal Gini), ``"wig"`` (weighted information gain, bits), ``"ranking"`` impurity
        (pairs of samples) or ``"mae"`` (absolute error, in classes); or Effort-To-Compress ``"etc"`` (steps) or
        Lempel-Ziv complexity ``"lz76"`` (components), which judge the sequence of the labels, so that the order of the
        samples matters. See the Notes for the distances. Objects of :mod:`pytrees.criteria` have parameters, or are
        your own: see :class:`pytrees.criteria.CountCriterion`.
    max_depth : int or None, default=None
        Greatest depth of a tree, in edges. None: no limit.
    min_samples_split : int or float, default=2
        Fewest samples that a node must have to be split; a float is a fraction of all samples, rounded up.
    min_samples_leaf : int or float, default=1
        Fewest samples in every child of a split; a float is a fraction of all samples, rounded up.
    min_weight_fraction_leaf : float, default=0.0
        Least weight of the samples in every child of a split, as a fraction of the weight of all samples, at most 0.5;
        without weights a fraction of their number.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves. With this limit a tree grows best-first: it always splits the leaf whose split gains
        most, times its samples, unless that split has more children than are left. None: depth-first, no limit.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features, drawn at random for every node, among which its split is searched; a float is a fraction of
        all. Further features are drawn until one has a cut that `min_samples_leaf` allows. None: all.
    min_gain : float or None, default=None
        Least gain of a split, in the units of the criterion. None grows until the leaves are pure, as the papers do,
        also through splits that gain nothing at first.
    min_impurity_decrease : float, default=0.0
        Least decrease of the tree's impurity by a split: its gain times the node's share of all samples, by weight.
        0.0 is no limit. `min_gain` asks for the same gain in every node, large or small, and of every criterion; this
        parameter is for criteria whose gain is a decrease of impurity: ``"gini"``, ``"entropy"``, ``"ogini"``,
        ``"wig"`` and ``"ranking"``, unless that is unweighted.
    ccp_alpha : float, default=0.0
        Cost of a leaf in minimal cost-complexity pruning, in the units of the impurity. A branch of the grown tree
        becomes a leaf if it decreases the tree's impurity by at most ccp_alpha · (its number of leaves - 1). 0.0: no
        branch is pruned. For criteria with an impurity of class counts: ``"gini"``, ``"entropy"``, ``"ogini"``,
        ``"wig"`` and ``"ranking"``. See :meth:`DecisionTreeClassifier.cost_complexity_pruning_path`.
    max_candidates : int or None, default=None
        Greatest number of thresholds of a feature that are tried at a node, evenly spaced among all. None: all. If the
        node lacks values, each is tried with the missing values on either side, and infinity counts as the last.
    monotonic_cst : array-like of int of shape (n_features,), dict of str to int, or None, default=None
        Monotonic constraints: along a feature of 1 the probability of the second class must not fall, along a feature
        of -1 not rise, and along a feature of 0 it may do anything; a dict has constraints by the names of features. A
        cut that breaks a constraint is not taken, and leaves predict shares of the classes within bounds that follow
        from the splits above them. For two classes, numeric features, and criteria on class counts. See the Notes.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        The features whose values are categories: a mask of shape (n_features,), indices, or names of a data frame's
        columns; ``"from_dtype"`` takes the columns of pandas' dtype category, and splits ordered ones by thresholds on
        their order. None: all features are numbers.
    handle_unknown : {"error", "majority"}, default="error"
        The response to a category that `fit` has not seen, in a sample to predict: raise an error; or leave the sample
        at the first node that splits by the feature, which predicts as a leaf does, and take an unseen category of a
        feature of ordered categories for missing. Samples of a category that `fit` has seen, but not among the samples
        of the node, always stay there. Fitting does not depend on this parameter: ``set_params`` can change it
        afterwards.
    categorical_split : {"multiway", "subset"}, default="subset"
        The children of a split by a categorical feature: two, for the two best sets of categories (``"subset"``); or
        one for every category among the node's samples. With two classes, and ``"gini"``, ``"entropy"``,
        ``"gain_ratio"``, ``"nvi"``, ``"nvi_sum"`` or ``"ogini"``, the best set is a prefix of the categories sorted by
        their share of the second class (Breiman et al., "Classification and Regression Trees", 1984, Theorem 4.5).
        Otherwise, or if `min_samples_leaf` or `min_weight_fraction_leaf` forbids the best prefix, all 2**(k - 1) - 1
        divisions of a node's k categories are evaluated, up to 12 of them. A node of more categories takes the best
        allowed prefix of an order, a heuristic: by the share of the second class or, with more classes, by the first
        principal direction of the class shares (Coppersmith, Hong and Hosking, "Partitioning nominal attributes in
        decision trees", 1999). ``tree_.splits_by_heuristic`` names these nodes. Your own criterion is asked by its
        ``gains`` or ``gain``.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; not with ``"etc"`` and ``"lz76"``.
    n_jobs : int or None, default=None
        Threads that grow the tree if it is large enough to profit: with criteria on class counts they share out its
        subtrees, with ``"etc"`` and ``"lz76"`` the features of a node. None is one thread, -1 as many as there are
        cores. Best-first growth (`max_leaf_nodes`) and your own criterion use one thread. The tree is the same for
        every number.
    random_state : int, RandomState instance or None, default=None
        Draws the features if `max_features` is given; nothing else is random. An int is the seed of the draws itself:
        a clone of a forest's tree, which has its seed, grows that tree again from the samples that were drawn for it.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_ : int
        Number of classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Only if X had column names.
    is_categorical_ : ndarray of shape (n_features,), bool, or None
        Whether a feature is categorical; None if none is.
    categories_ : list of ndarray
        The categories of every categorical feature, sorted: all that samples of weight above 0 have. Trees hold
        categories as indices into these arrays; :meth:`encode` encodes samples in this way.
    ordered_categories_ : dict of int to ndarray
        The categories of every feature that ``"from_dtype"`` found to have ordered ones, in their order; thresholds
        compare indices in it.
    max_features_ : int
        The number of features that `max_features` stands for.
    feature_importances_ : ndarray of shape (n_features,)
        Share of every feature in the total gain.

    See Also
    --------
    DecisionForestClassifier : Many such trees, on bootstrap samples.
    PermutationDecisionTreeClassifier : The same with ``criterion="etc"`` by default.
    OrdinalDecisionTreeClassifier : The same for ordered classes.

    Notes
    -----
    With criteria on class counts, growth costs O(n_features · n_samples) for every level of the tree, after one sort of
    every feature; with ``"etc"`` and ``"lz76"`` it costs that for every cut.

    Samples that lack the value of a number are tried on the right of every threshold, then on the left, and last alone
    on the right of all known values, with a threshold of infinity. Ties go to the lowest threshold, then to missing
    values on the right. If a node saw none in training, samples that lack the value go to the child of more weight,
    right of two equal ones. Among categories a missing value is one of them.

    `monotonic_cst` has scikit-learn's meaning. A cut by a constrained feature is allowed if the shares of the second
    class on both sides are in order, and within the bounds of the node. The mean of both shares then bounds all nodes
    on either side, and leaves outside of their bounds predict the nearest bound. Shares and bounds are compared as
    fractions, unless weights are not whole numbers, and the predicted probabilities keep the constraint to the last
    bit. `max_candidates` are chosen among the allowed cuts. ``tree_.value`` has the class counts of the training
    samples, and ``tree_.shares`` what the nodes predict; impurities, importances and `ccp_alpha` are about the counts.
    Pruning keeps all constraints, for a node that becomes a leaf has bounds too. Missing values count on the side to
    which they go. A threshold of infinity, between all known values and the missing ones, keeps the constraint too: the
    missing values are its upper side.

    The distances of Section 1.1 of [1]_ compare the two sides L and R of a cut T to the classes Y of the node's n
    samples. The gain is the distance of the uncut node minus the distance of the cut:

    - ``"gain_ratio"``: Gain(Y, T) / H(T), a similarity, which is 0 for the uncut node; ``"nvi"``, the normalised
      variation of information: 1 - Gain(Y, T) / H(T, Y), which is 1 for it. Gain is the gain of entropy.
    - ``"nvi_sum"`` and ``"nvi_max"`` divide by other entropies, as :func:`pytrees.distances.clustering_distance` does:
      the gains are 2 Gain(Y, T) / (H(T) + H(Y)) and Gain(Y, T) / max(H(T), H(Y)). In every node nvi_sum takes the same
      cut as nvi.
    - ``"vi"``, the variation of information in bits, is H(Y) for the uncut node; its gain 2 Gain(Y, T) - H(T) is
      negative if the cut's own entropy is more than twice the information about the classes.
    - ``"jaccard"``, the extended Jaccard distance; ``"accuracy"``, the share of samples that are not of their side's
      class; and ``"mae"``, the mean absolute error with the classes as 0, 1, 2, ... (not in [1]_): each side
      stands for a class, and the two sides for different classes, so that the distance is least. The uncut node stands
      for one class. These gains are negative if two different classes are worse than one: ``min_gain=0.0`` leaves such
      nodes uncut. If there are more than two children, several may stand for the same class, but not all: for
      ``"accuracy"`` and ``"mae"`` so that the distance is least; for ``"jaccard"``, which would have to try every
      labelling, each for its most frequent class, and children of one class are one cluster.

    Gain ratio favours cuts that send few samples aside, and the last three judge each side by one class: on noisy data
    their trees grow deep, and slowly, if nothing limits them.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(criterion="entropy", max_depth=2).fit(X, y)
    >>> tree.get_n_leaves()
    3
    >>> tree.score(X, y)
    0.96
    """

    max_features_: int

    _reads_any_layout = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GROWTH_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        criterion: CriterionLike = "gini",
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_candidates: int | None = None,
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "subset",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.max_candidates = max_candidates
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.categorical_split = categorical_split
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @weighs_if_it_can
    @by_keyword()
    def fit(
        self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None, *, order: LabelsLike | None = None
    ) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, taken as float64; in categorical features, values of any type that can be sorted. NaN, and
            None among categories, is a missing value.
        y : array-like of shape (n_samples,)
            Class labels of any type that can be sorted, from a sequence, or NumPy, pandas, polars or Arrow. Integers
            are exact if int64 or uint64 contains all of them; missing labels are refused.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A whole number acts exactly as that
            many repetitions of the sample, except in limits on numbers of samples. Other weights lie on a grid of whole
            numbers: multiples of one number, as decimals are, count exactly, and other weights to 2**-48 of their sum.
            Not with ``"etc"`` and ``"lz76"``.
        order : array-like of shape (n_samples,), optional
            Sortable keys, such as time stamps, that give the order of the samples for ``"etc"`` and ``"lz76"``; samples
            of equal keys stay in their own order, which is the order without keys. Key i belongs to sample i. Other
            criteria only check the keys, with a warning.

        Returns
        -------
        Self
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named), y is continuous, lengths differ, keys or weights are
            missing, weights are negative or all zero, or weights are given with ``"etc"`` or ``"lz76"``; if
            `monotonic_cst` does not fit the features, constrains a categorical one, y has more than two classes, or the
            criterion judges sequences.
        """
        return self._fit(X, y, sample_weight=sample_weight, class_weight=self.class_weight, order=order)

    @described_like(fit)
    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Compute the path of minimal cost-complexity pruning of the tree that `fit` would grow without `ccp_alpha`.

        If each leaf costs alpha, the cheapest tree has leaves in place of some branches. As alpha grows, more branches
        become leaves, one after another, until the root is a leaf.

        Returns
        -------
        sklearn.utils.Bunch
            ``ccp_alphas``, ndarray of shape (n_steps + 1,), ascending from 0: with each as `ccp_alpha`, `fit` grows the
            tree of that step, or of the last step if several are equal. If several are 0, `fit` grows the tree of the
            first step: a `ccp_alpha` of 0 prunes no branch. ``impurities``, ndarray of the same shape: the impurities
            of the tree's leaves, added by their shares of the weight of all samples.

        Raises
        ------
        ValueError
            As in `fit`; also if the criterion has no impurity of class counts.

        Notes
        -----
        Section 3.3 of Breiman et al., "Classification and Regression Trees", 1984. Takes O(n log n) for a tree of n
        nodes. Alphas are compared exactly, as fractions if impurities are fractions, and returned as the nearest
        doubles; ties go to the branch of the lower node. Alphas that are negative, as gains of ``"wig"`` can be, are
        returned as 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from pytrees import DecisionTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> path = DecisionTreeClassifier(max_depth=2).cost_complexity_pruning_path(X, y)
        >>> path.ccp_alphas.round(3), path.impurities.round(3)
        (array([0.   , 0.26 , 0.333]), array([0.074, 0.333, 0.667]))
        >>> DecisionTreeClassifier(max_depth=2, ccp_alpha=path.ccp_alphas[1]).fit(X, y).get_n_leaves()
        2
        """
        check_has_impurity(self, "cost_complexity_pruning_path")
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        tree = whole.tree_
        path = pruning_path(tree, whole._specification(tree.value[0].sum(), tree.n_classes))
        return Bunch(ccp_alphas=path.ccp_alphas, impurities=path.impurities)
