"""Base classes of users' criteria, and the tables of cuts that they judge.

The gains of users' criteria are compared with a tolerance. All engines call them with the same numbers: the compiled
ones with the cuts of many features and nodes at once, the reference with the cuts of one feature.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, fabs, isnan

from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.criteria.gain cimport exceeds_by_tolerance

# Numbers in a call, of both children: these and what a criterion computes of them fit into a core's cache.
COUNTS_IN_TABLE = 32768
FEWEST_CUTS_IN_TABLE = 64

_SEGMENT = np.dtype(
    [(name, np.int32) for name in ("node", "feature", "start", "stop", "starts_feature", "ends_feature")]
)


@cython.auto_pickle(True)
cdef class CutCriterion:
    """Base class of your own criteria that see a table of cuts, with a row for each cut and for either side."""

    per_feature = False

    @property
    def name(self):
        return type(self).__name__

    def specification(self, n_classes, rows=None):
        """Return the criterion as the kernels take it, without targets.

        Parameters
        ----------
        n_classes : int
            Number of classes, or of different targets.
        rows : ndarray of shape (n_samples,), int64, optional
            Not used: what the columns hold does not depend on which samples are counted or added up.

        Returns
        -------
        tuple
            A name that the kernels know, and a dict of parameters.
        """
        return "user_counts" if self.judges == "counts" else "user_sums", {"criterion": self}

    def gains(self, left, right):
        """Compute the gain of every cut; a subclass must define it.

        Parameters
        ----------
        left, right : ndarray of shape (n_cuts, n_columns), float64
            The samples on either side of every cut: their class counts, or sums of sample weights; for numbers, their
            weight, sum of targets and sum of squares about the mean.

        Returns
        -------
        ndarray of shape (n_cuts,)
            The gains.
        """
        raise NotImplementedError(f"{self.name} must define gains(left, right).")

    def gain_of_children(self, children, /):
        """Compute the gain of a split into a child for every category; a subclass must define it for them.

        Parameters
        ----------
        children : ndarray of shape (n_children, n_columns), float64
            The samples of every child, in the columns of `gains`.

        Returns
        -------
        float
            The gain.
        """
        raise NotImplementedError(f"{self.name} must define gain_of_children({_columns_of(self)}).")

    def check_children(self):
        """Raise ValueError unless the criterion can judge a split by category."""
        _check_defined(self, CutCriterion, _columns_of(self))

    def judged_children(self, children):
        """Compute the gain of a split by category and check it; all engines call this method.

        Parameters
        ----------
        children : array-like of shape (n_children, n_columns)
            The children, as the criterion sees them.

        Returns
        -------
        float
            The gain.
        """
        children = _as_table(self, children)
        children.flags.writeable = False
        return _checked_gain(self, f"{len(children)} children", children)

    def judged(self, left, right):
        """Compute the gains of cuts and check them; the reference engine calls this method.

        Parameters
        ----------
        left, right : array-like of shape (n_cuts, n_columns)
            The samples on either side of every cut, as the criterion sees them.

        Returns
        -------
        ndarray of shape (n_cuts,), float64
            The gains.
        """
        left, right = (np.asfortranarray(_as_table(self, side)) for side in (left, right))
        gains = np.empty(len(left))
        _judge_checked(self, left, right, gains)
        if not self.per_feature and len(left) > 1:
            _compare_alone(self, left, right, gains, np.empty(1))
        return gains

    cdef int judge(self, const float64_t[:, :] left, const float64_t[:, :] right, float64_t[:] gains) except -1 nogil:
        with gil:
            _ask_gains(self, np.asarray(left), np.asarray(right), gains)


@cython.auto_pickle(True)
cdef class CountCriterion(CutCriterion):
    """Base class of your own criterion on class counts.

    A subclass defines ``gains(left, right)``. It can then be given as `criterion` to every estimator that takes one:
    any growth, any ensemble, all engines, with sample weights.

    ``left`` and ``right`` are arrays of shape (n_cuts, n_classes), float64: for every cut the class counts, or sums of
    sample weights, of the samples that it sends to either side, with the classes in the order of `classes_`. Neither
    side is without samples. The arrays are read-only, and their memory is used again: copy what you keep of them.

    No number is below 0. Sums of weights that are not whole are rounded: of a class without samples on a side, 1e-16
    may be left in place of 0.

    ``gains`` returns an array of shape (n_cuts,): the gain of every cut, the higher the better; minus infinity forbids
    a cut. Gains are compared with a tolerance of 1e-12 · max(1, abs(best)); of equal ones the lowest feature, then the
    lowest threshold wins. To choose the split of one node, gains may have any unit. Gains of different nodes are
    multiplied by the number of samples of the node when they are compared, under `max_leaf_nodes`, and when they are
    added up, in `feature_importances_`; there gains below zero count as zero. Both assume that a gain is a decrease per
    sample, such as the decrease of an impurity.

    A call holds many cuts, of several features and nodes; a single cut is given twice. The gain of each must follow
    from its own row of the arrays, as it does if every operation is element by element or along ``axis=1``. If it does
    not, as with a share in the feature's sum of gains, set the class attribute ``per_feature = True``. This is checked
    for some cuts of the first call.

    If values of a feature are missing, a cut is given twice: with these on the right, and on the left.

    If features are categorical, a subclass also defines ``gain_of_children(counts)``: the gain of a split into one
    child for every category. ``counts``, read-only and of shape (n_children, n_classes), has the class counts of each
    child. For two children it should return what ``gains`` returns for the same cut.

    The names `name`, `judges`, `specification`, `judge`, `judged`, `judged_children` and `check_children` are taken.

    Attributes
    ----------
    per_feature : bool, default=False
        Whether every call holds all cuts of one feature of one node, and no others. It makes one call for every feature
        and node.

    Raises
    ------
    RuntimeError
        At fitting, if ``gains`` raises an exception, which is then its cause.
    ValueError
        At fitting, if what ``gains`` or ``gain_of_children`` returns has another shape, is not real, is not a number
        or plus infinity, if the gain of a cut depends on the other cuts of the call though `per_feature` is False,
        or if there are categorical features and no ``gain_of_children``.

    See Also
    --------
    SequenceCriterion : For criteria that see the labels in the order of the samples.
    SumCriterion : For trees of numbers.
    pytrees.testing.check_criterion : Checks that a criterion is right.

    Notes
    -----
    A Cython class may derive from ``pytrees._core.criteria.user.CountCriterion`` by cimport and override its C method
    ``judge``, which is called without the interpreter's lock.

    Examples
    --------
    Twoing (Breiman et al., 1984) for any number of classes:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.criteria import CountCriterion
    >>> class Twoing(CountCriterion):
    ...     def gains(self, left, right):
    ...         n_left, n_right = left.sum(axis=1, keepdims=True), right.sum(axis=1, keepdims=True)
    ...         n = n_left + n_right
    ...         difference = np.abs(left / n_left - right / n_right).sum(axis=1, keepdims=True)
    ...         return (n_left * n_right / (4 * n**2) * difference**2)[:, 0]
    >>> X, y = load_iris(return_X_y=True)
    >>> DecisionTreeClassifier(Twoing(), max_depth=3).fit(X, y).get_n_leaves()
    5
    """

    judges = "counts"


@cython.auto_pickle(True)
cdef class SumCriterion(CutCriterion):
    """Base class of your own criterion on targets that are numbers.

    A subclass defines ``gains(left, right)``. It can then be given as `criterion` to ``DecisionTreeRegressor`` and
    ``DecisionForestRegressor``: any growth, all engines, with sample weights. Leaves predict means.

    ``left`` and ``right`` are arrays of shape (n_cuts, 3), float64. For every cut they tell of the samples that it
    sends to either side:

    - column 0: their weight, in the unit of `sample_weight`; without weights, their number;
    - column 1: the weighted sum of their targets, in the unit of the targets;
    - column 2: the weighted sum of the squares of their targets about their mean, in the square of that unit.

    Column 2 is given in place of the raw sum of squares, which is column 2 + column 1**2 / column 0: no digits are lost
    if the targets are far from 0. Each number is the double nearest to the exact sum of the targets as the tree holds
    them, on a grid. So all numbers are the same on all engines, on every machine, for every order of the samples and
    every number of threads. Neither side is without samples. The arrays are read-only, and their memory is used again:
    copy what you keep of them.

    ``gains`` returns an array of shape (n_cuts,): the gain of every cut, the higher the better; minus infinity forbids
    a cut. Gains are compared with a tolerance of 1e-12 · max(1, abs(best)); of equal ones the lowest feature, then the
    lowest threshold wins. To choose the split of one node, gains may have any unit. If the range of the targets is far
    below 1, let gains have another unit than the square of the targets' unit: their differences can be below the
    tolerance. Gains of different nodes are multiplied by the weight of the node when they are compared, under
    `max_leaf_nodes`, and when they are added up, in `feature_importances_`; there gains below zero count as zero. Both
    assume that a gain is a decrease per sample, such as the decrease of an impurity.

    A call holds many cuts, of several features and nodes; a single cut is given twice. The gain of each must follow
    from its own row of the arrays. If it does not, as with a share in the feature's sum of gains, set the class
    attribute ``per_feature = True``. This is checked for some cuts of the first call.

    If values of a feature are missing, a cut is given twice: with these on the right, and on the left.

    If features are categorical, a subclass also defines ``gain_of_children(sums)``: the gain of a split into one child
    for every category. ``sums``, read-only and of shape (n_children, 3), has the three columns of each child. For two
    children it should return what ``gains`` returns for the same cut.

    The names `name`, `judges`, `specification`, `judge`, `judged`, `judged_children` and `check_children` are taken.

    Attributes
    ----------
    per_feature : bool, default=False
        Whether every call holds all cuts of one feature of one node, and no others. It makes one call for every feature
        and node.

    Raises
    ------
    RuntimeError
        At fitting, if ``gains`` raises an exception, which is then its cause.
    ValueError
        At fitting, if what ``gains`` or ``gain_of_children`` returns has another shape, is not real, is not a number
        or plus infinity, if the gain of a cut depends on the other cuts of the call though `per_feature` is False,
        or if there are categorical features and no ``gain_of_children``.

    See Also
    --------
    CountCriterion : For classes.
    pytrees.testing.check_criterion : Checks that a criterion is right.

    Notes
    -----
    Nodes have no impurity, because gains do not tell of which impurity they are decreases. So `min_impurity_decrease`
    and `ccp_alpha` are refused; `min_gain` limits gains as they are. `monotonic_cst` compares means.

    A Cython class may derive from ``pytrees._core.criteria.user.SumCriterion`` by cimport and override its C method
    ``judge``, which is called without the interpreter's lock.

    Examples
    --------
    The decrease of the variance, by which ``criterion="squared_error"`` judges:

    >>> import numpy as np
    >>> from pytrees import DecisionTreeRegressor
    >>> from pytrees.criteria import SumCriterion
    >>> class Variance(SumCriterion):
    ...     def gains(self, left, right):
    ...         node = left[:, 0] + right[:, 0]
    ...         difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
    ...         return left[:, 0] * right[:, 0] / node**2 * difference**2
    >>> X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 1, 0, 2, 3, 1, 7, 8])
    >>> tree = DecisionTreeRegressor(Variance(), max_depth=2).fit(X, y)
    >>> tree.tree_.threshold.tolist(), tree.predict([[1.0], [7.0]]).tolist()
    ([5.5, 2.5, -2.0, -2.0, 6.5, -2.0, -2.0], [0.3333333333333333, 8.0])
    """

    judges = "numbers"


@cython.auto_pickle(True)
cdef class SequenceCriterion:
    """Base class of your own criterion on label sequences.

    A subclass defines ``impurity(labels)``. The gain of a cut is the impurity of the node's label sequence minus the
    impurities of its children's sequences, weighted by their shares of the samples; a subclass may define
    ``gain(labels, goes_left)`` instead. It can then be given as `criterion` to every estimator that takes one: any
    growth, any ensemble, all engines, but without sample weights. A subclass with a ``gain`` of its own also defines
    ``gain_of_children(labels, children)`` if features are categorical: the gain of a split into one child for every
    category.

    ``labels`` is an array of shape (n_samples,), int32: the classes, 0..n_classes-1 in the order of `classes_`, of the
    samples in a node, in the order of the samples; in a bootstrap sample in the order of the draws, with repetitions.
    ``goes_left`` is a bool for each of them, missing values on the right or on the left, ``children`` the number of its
    child, from 0. Gains are real numbers, the
    higher the better; minus infinity forbids a split. They are compared with a tolerance of 1e-12 · max(1, abs(best)).

    Attributes
    ----------
    needs_rows : bool, default=False
        Whether the methods get a further argument ``rows``, an array of shape (n_samples,), int64: the indices of the
        samples in the X that was fitted. By them the criterion can look up what it knows of a sample beside its label.
        In cross-validation that X is a part of the whole one, with indices of its own.

    Raises
    ------
    RuntimeError
        At fitting, if the methods raise an exception, which is then its cause.
    ValueError
        At fitting, if they return anything but one real number, or NaN; or if there are categorical features and a
        ``gain``, but no ``gain_of_children``.

    See Also
    --------
    CountCriterion : For criteria that see class counts.
    SumCriterion : For trees of numbers.

    Notes
    -----
    Every cut costs two calls of ``impurity``, or one of ``gain``; use `max_candidates` to try fewer.

    Examples
    --------
    The number of changes of class from sample to sample:

    >>> import numpy as np
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.criteria import SequenceCriterion
    >>> class Changes(SequenceCriterion):
    ...     def impurity(self, labels):
    ...         return np.count_nonzero(np.diff(labels))
    >>> X, y = [[5, 1], [1, 2], [6, 3], [2, 4]], ["b", "a", "b", "a"]
    >>> tree = DecisionTreeClassifier(Changes()).fit(X, y)
    >>> tree.tree_.feature.tolist(), tree.tree_.gain.tolist()
    ([0, -2, -2], [3.0, 0.0, 0.0])
    """

    judges = "sequence"
    needs_rows = False

    @property
    def name(self):
        return type(self).__name__

    def specification(self, n_classes, rows=None):
        """Return the criterion as the kernels take it.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices, in the X that was fitted, of the samples that the kernels see; by default the same.

        Returns
        -------
        tuple
            A name that the kernels know, and a dict of parameters.
        """
        return "user_sequence", {"criterion": self, "rows": rows}

    def impurity(self, labels, rows=None):
        """Compute the impurity of a label sequence; a subclass must define it, or `gain`.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,), int32
            Codes of the classes, in the order of the samples.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices of the samples; given if `needs_rows`.

        Returns
        -------
        float
            The impurity.
        """
        raise NotImplementedError(f"{self.name} must define impurity(labels) or gain(labels, goes_left).")

    def gain(self, labels, goes_left, rows=None):
        """Compute the gain of a cut: the impurity of the sequence minus the weighted impurities of both parts.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,), int32
            Codes of the classes, in the order of the samples.
        goes_left : ndarray of shape (n_samples,), bool
            Whether a sample goes to the left child.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices of the samples; given if `needs_rows`.

        Returns
        -------
        float
            The gain; parts are weighted by their shares of the samples.
        """
        chosen = np.ones(len(labels), dtype=bool)
        return _thin_gain(self, _impurity(self, labels, rows, chosen), labels, (goes_left, ~goes_left), rows)

    def gain_of_children(self, labels, children, rows=None):
        """Compute the gain of a split by category: the impurity of the sequence minus its parts' impurities, weighted.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,), int32
            Codes of the classes, in the order of the samples.
        children : ndarray of shape (n_samples,), int64
            The number of the child that a sample goes to, from 0.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices of the samples; given if `needs_rows`.

        Returns
        -------
        float
            The gain; parts are weighted by their shares of the samples.
        """
        parts = [children == child for child in range(children.max() + 1)]
        return _thin_gain(self, _impurity(self, labels, rows, children >= 0), labels, parts, rows)

    def check_children(self):
        """Raise ValueError unless the criterion can judge a split by category."""
        if type(self).gain is not SequenceCriterion.gain or type(self).impurity is SequenceCriterion.impurity:
            _check_defined(self, SequenceCriterion, "labels, children")

    def judged_children(self, labels, children, row_ids):
        """Compute the gain of a split by category and check it; all engines call this method.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Codes of the classes, in the order of the samples.
        children : array-like of shape (n_samples,)
            The number of the child that a sample goes to, from 0.
        row_ids : array-like of shape (n_samples,)
            The indices of the samples in the X that was fitted.

        Returns
        -------
        float
            The gain.
        """
        of_rows = (np.array(row_ids, dtype=np.int64),) if self.needs_rows else ()
        labels, children = np.array(labels, dtype=np.int32), np.array(children, dtype=np.int64)
        return _checked_gain(self, f"{children.max() + 1} children", labels, children, *of_rows)

    def judged(self, labels, row_ids, order, n_left):
        """Compute the gains of the cuts of a feature and check them; the reference engine calls this method.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Codes of the classes, in the order of the samples.
        row_ids : array-like of shape (n_samples,)
            The indices of the samples in the X that was fitted.
        order : array-like of shape (n_samples,)
            Positions in `labels`, ascending in the feature.
        n_left : array-like of shape (n_cuts,)
            The number of samples that go left, for every cut, ascending.

        Returns
        -------
        ndarray of shape (n_cuts,), float64
            The gains.
        """
        gains = np.empty(len(n_left))
        judge_sequences(
            self, np.array(labels, dtype=np.int32), np.array(row_ids, dtype=np.int64),
            np.array(order, dtype=np.int32), np.array(n_left, dtype=np.int32), gains,
        )
        return gains

    cdef int judge(
        self, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order, const index_t[:] n_left,
        float64_t[:] gains
    ) except -1 nogil:
        with gil:
            _ask_sequences(
                self, np.array(labels), np.array(row_ids), np.asarray(order), np.asarray(n_left).tolist(), gains
            )


# ------------------------------------------------------------------------------------------ asking the Python methods

def _columns_of(criterion):
    return "counts" if criterion.judges == "counts" else "sums"


def _as_table(criterion, table):
    """Return what a criterion sees as floats; rounding can leave less than nothing of a class, of which one may take
    roots."""
    table = np.array(table, dtype=np.float64)
    return np.maximum(table, 0.0) if criterion.judges == "counts" else table


def _ask_gains(criterion, left, right, float64_t[:] gains):
    cdef Py_ssize_t n_cuts = len(left)
    if n_cuts == 1 and not criterion.per_feature:
        # NumPy sums a single row in another order than the rows of a column-major table: there are always two.
        left, right = (np.asfortranarray(np.repeat(counts, 2, axis=0)) for counts in (left, right))
    for counts in (left, right):
        counts.flags.writeable = False
    given = _returned(criterion, criterion.gains, f"{n_cuts} cuts", left, right)
    if given.shape != (len(left),):
        raise ValueError(
            f"gains of the criterion {criterion.name} must be of shape (n_cuts,) = ({len(left)},), got {given.shape}."
        )
    cdef const float64_t[:] checked = given.astype(np.float64, copy=False)
    gains[:] = checked[:n_cuts]


def _returned(criterion, method, of_what, *arguments):
    """Call a method of the criterion; return an array of real numbers."""
    try:
        returned = method(*arguments)
        given = np.asarray(returned)
    except NotImplementedError:
        raise
    except Exception as error:
        raise RuntimeError(f"The criterion {criterion.name} failed on {of_what}: {error!r}") from error
    if returned is None:
        raise ValueError(f"{method.__name__} of the criterion {criterion.name} returned None: is its return missing?")
    if given.dtype.kind not in "fiub":
        raise ValueError(
            f"{method.__name__} of the criterion {criterion.name} must return real numbers, got dtype {given.dtype}."
        )
    return given


def _real_number(criterion, method, of_what, *arguments):
    given = _returned(criterion, method, of_what, *arguments)
    if given.ndim:
        raise ValueError(
            f"{method.__name__} of the criterion {criterion.name} must return one number, got shape {given.shape}."
        )
    return float(given)


def _ask_sequences(criterion, labels, row_ids, order, n_left, float64_t[:] gains):
    rows = row_ids if criterion.needs_rows else None
    goes_left = np.zeros(len(labels), dtype=bool)
    gain = _gain_method(criterion, labels, rows)
    moved = 0
    for k, n in enumerate(n_left):
        goes_left[order[moved:n]] = True
        moved = n
        gains[k] = gain(goes_left.copy())


def _gain_method(criterion, labels, rows):
    """Return a function from the samples that go left to the gain of a cut; the node's impurity is computed once."""
    if type(criterion).gain is SequenceCriterion.gain:
        node_impurity = _impurity(criterion, labels, rows, np.ones(len(labels), dtype=bool))
        return lambda goes_left: _thin_gain(criterion, node_impurity, labels, (goes_left, ~goes_left), rows)
    of_rows = () if rows is None else (rows,)
    of_what = f"{len(labels)} labels"
    return lambda goes_left: _real_number(criterion, criterion.gain, of_what, labels, goes_left, *of_rows)


def _impurity(criterion, labels, rows, chosen):
    of_rows = () if rows is None else (rows[chosen],)
    chosen_labels = labels[chosen]
    return _real_number(criterion, criterion.impurity, f"{len(chosen_labels)} labels", chosen_labels, *of_rows)


def _thin_gain(criterion, node_impurity, labels, parts, rows):
    """Return the impurity of the sequence minus the children's impurities, weighted by their shares of the samples."""
    gain = node_impurity
    for part in parts:
        gain = gain - np.count_nonzero(part) / len(labels) * _impurity(criterion, labels, rows, part)
    return gain


def _check_defined(criterion, base, arguments):
    if type(criterion).gain_of_children is base.gain_of_children:
        raise ValueError(
            f"The criterion {criterion.name} must define gain_of_children({arguments}) for a child for every category."
        )


def _checked_gain(criterion, of_what, *arguments):
    """Call `gain_of_children`; return the gain."""
    gain = _real_number(criterion, criterion.gain_of_children, of_what, *arguments)
    if not _is_gain(gain):
        raise ValueError(f"The criterion {criterion.name} gives a gain of {gain} to {of_what} of a category each.")
    return gain


cdef inline bint _is_gain(float64_t gain) noexcept nogil:
    return not isnan(gain) and gain < INFINITY


cdef int judge_sequences(
    SequenceCriterion criterion, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order,
    const index_t[:] n_left, float64_t[:] gains
) except -1 nogil:
    """Call `SequenceCriterion.judge` and check the gains."""
    cdef Py_ssize_t i
    criterion.judge(labels, row_ids, order, n_left, gains)
    for i in range(gains.shape[0]):
        if not _is_gain(gains[i]):
            with gil:
                raise ValueError(
                    f"The criterion {criterion.name} gives a gain of {gains[i]} to a cut of {labels.shape[0]} labels "
                    f"of which {n_left[i]} go left."
                )


cdef int _judge_checked(
    CutCriterion criterion, const float64_t[:, :] left, const float64_t[:, :] right, float64_t[:] gains
) except -1 nogil:
    cdef Py_ssize_t i
    criterion.judge(left, right, gains)
    for i in range(gains.shape[0]):
        if not _is_gain(gains[i]):
            with gil:
                seen = "class counts" if criterion.judges == "counts" else "weights, sums and spreads"
                raise ValueError(
                    f"The criterion {criterion.name} gives a gain of {gains[i]} to the cut of {seen} "
                    f"{np.asarray(left[i]).tolist()} and {np.asarray(right[i]).tolist()}."
                )


cdef int _compare_alone(
    CutCriterion criterion, const float64_t[:, :] left, const float64_t[:, :] right, const float64_t[:] gains,
    float64_t[:] alone
) except -1 nogil:
    """Raise ValueError if the first, middle, last or best cut has another gain when it is judged alone."""
    cdef Py_ssize_t k, cut, best = 0, n_cuts = gains.shape[0]
    cdef float64_t tolerance
    for cut in range(n_cuts):
        if gains[cut] > gains[best]:
            best = cut
    for k in range(4):
        cut = best if k == 3 else k * (n_cuts - 1) // 2
        _judge_checked(criterion, left[cut:cut + 1, :], right[cut:cut + 1, :], alone)
        # If a cut is forbidden one way only, the difference is infinite.
        tolerance = 1e-12 * max(1.0, min(fabs(alone[0]), fabs(gains[cut])))
        if alone[0] != gains[cut] and fabs(alone[0] - gains[cut]) > tolerance:
            with gil:
                raise ValueError(
                    f"The criterion {criterion.name} gives a cut a gain of {gains[cut]} among others and of "
                    f"{alone[0]} alone. If it must see all cuts of a feature together, set its class attribute "
                    "per_feature = True."
                )


# ------------------------------------------------------------------------------------------------- tables of cuts

@cython.final
cdef class CutTable:
    def __cinit__(self, CutCriterion criterion, Py_ssize_t n_columns):
        self.criterion = criterion
        self.per_feature = criterion.per_feature
        self.running = np.empty(n_columns, dtype=np.int64)
        self.alone = np.empty(1)
        self._allocate(max(FEWEST_CUTS_IN_TABLE, COUNTS_IN_TABLE // (2 * n_columns)))

    def _allocate(self, Py_ssize_t capacity):
        n_columns = self.running.shape[0]
        self.left = np.empty((capacity, n_columns), order="F")
        self.right = np.empty((capacity, n_columns), order="F")
        self.gains = np.empty(capacity)
        self.n_known_left = np.empty(capacity, dtype=np.int32)
        self.missing_left = np.empty(capacity, dtype=np.uint8)
        self.segments = np.empty(capacity, dtype=_SEGMENT)
        self.capacity = capacity


cdef int reserve_cuts(CutTable table, Py_ssize_t n_cuts) except -1 nogil:
    """Make room for `n_cuts` cuts in an empty table."""
    if n_cuts > table.capacity:
        with gil:
            table._allocate(n_cuts)


cdef int judge_table(CutTable table, UserCut* best_of_node) except -1 nogil:
    """Judge the cuts in the table and empty it: every node keeps its best cut, of equal ones the first."""
    cdef Py_ssize_t n_cuts = table.n_cuts
    cdef index_t i
    if n_cuts == 0:
        return 0
    _judge_checked(table.criterion, table.left[:n_cuts, :], table.right[:n_cuts, :], table.gains[:n_cuts])
    if not table.is_checked and not table.per_feature and n_cuts > 1:
        _compare_alone(
            table.criterion, table.left[:n_cuts, :], table.right[:n_cuts, :], table.gains[:n_cuts], table.alone
        )
        table.is_checked = True
    for i in range(table.n_segments):
        _keep_best(table, &table.segments[i], best_of_node)
    table.n_cuts = table.n_segments = 0


cdef bint takes_lead(float64_t gain, index_t best, float64_t best_gain) noexcept nogil:
    """Whether a cut, which may be forbidden, gains more than the best before it; NONE: there is none before."""
    return gain > -INFINITY and (best == NONE or exceeds_by_tolerance(gain, best_gain))


cdef void _keep_best(CutTable table, const Segment* segment, UserCut* best_of_node) noexcept nogil:
    cdef index_t cut
    cdef UserCut* best = &table.best_of_feature
    cdef UserCut* of_node = &best_of_node[segment.node]
    if segment.starts_feature:
        best.feature = NONE
    # `best` is the best of the feature's cuts before this one.
    for cut in range(segment.start, segment.stop):
        if takes_lead(table.gains[cut], best.feature, best.gain):
            best.feature = segment.feature
            best.n_known_left = table.n_known_left[cut]
            best.missing_left = table.missing_left[cut]
            best.gain = table.gains[cut]
    if segment.ends_feature and best.feature != NONE:
        if of_node.feature == NONE or exceeds_by_tolerance(best.gain, of_node.gain):
            best.weight = of_node.weight
            of_node[0] = best[0]
