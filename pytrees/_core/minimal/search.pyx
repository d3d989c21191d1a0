"""The smallest tree that is consistent with the labels: the least number of splits that is enough for all samples.

`nogoods` tells whether a number of splits is enough. The search asks with a rising number; the first yes is the least
number. Two working sets take turns; a turn is a number of sets to look at. The complete working set holds all samples
and keeps bounds of the sets that it meets. The growing one starts empty and learns nogoods, which are about few
samples. Both keep what they know between turns and after a limit of time, so that the search can go on later.

With a time limit, rollouts make a small tree in between, in case the search does not end in time.
"""

import time

import numpy as np

cimport cython
from libc.math cimport INFINITY

from pytrees._core.base.types cimport UNLIMITED, float64_t, index_t, int64_t
from pytrees._core.minimal.nogoods cimport NodeSplit, choose_split, is_feasible, raise_to_clique
from pytrees._core.minimal.problem cimport NO, STOPPED, YES
from pytrees._core.minimal.problem import check_codes, distinct_samples, orders_of, preorder_arrays, ranks_of
from pytrees._core.minimal.rollouts import small_tree
from pytrees._core.minimal.working_set cimport WorkingSet
from pytrees._core.rows.features cimport threshold_between

# Samples among which the complete working set looks for conflicts.
BOUND_ROWS = 1024

# A turn is a number of sets that a working set may look at, and grows from turn to turn. The complete working set may
# look at more sets if few samples and features make them cheap. With few features it has the first turn, in which it
# solves many problems. With more features the growing one begins, and the complete one is only for problems that
# nogoods do not help with, such as classes drawn at random.
FEW_FEATURES = 8
FIRST_TURN = 3000
ENTRIES_OF_FIRST_TURN = 3000        # samples times features: with half as many, the first turn has four times the sets
FIRST_TURN_OF_MANY = 20000          # with more features: this turn is not taken, but the next turns grow from it
GROWTH_OF_TURNS = 3
ENTRIES_OF_EQUAL_WORK = 20000       # samples times features with which a set takes as long in both working sets


class Stopped(Exception):
    """A limit is reached."""


@cython.final
cdef class Search:
    """The search for the smallest tree of some samples, and how far it has come."""

    cdef readonly index_t n_splits          # are needed at least
    cdef WorkingSet complete, growing       # the growing one is None before its first turn
    cdef WorkingSet turn_of                 # the working set whose turn it is
    cdef int64_t turn                       # sets
    cdef float64_t deadline
    cdef bint is_prepared                   # `n_splits` are what a clique of the bound rows needs, or more
    cdef bint is_solved                     # `n_splits` are enough
    cdef object X, y, sample_of, first      # all samples, the distinct one of each, and the first of each distinct one
    cdef object n_classes, memory_limit

    def __init__(self, X, y, n_classes, memory_limit, bound_rows, first_turn):
        ranks = ranks_of(X)
        first, group = distinct_samples(ranks, y)
        n_samples = len(first)
        # Bound rows, evenly spaced, come first: a working set looks for conflicts among its first members.
        n_bound_rows = min(n_samples, bound_rows)
        is_bound_row = np.zeros(n_samples, dtype=bool)
        is_bound_row[np.arange(n_bound_rows) * n_samples // n_bound_rows] = True
        order = np.argsort(~is_bound_row, kind="stable")
        self.X, self.y, self.n_classes = X, y, n_classes
        self.sample_of, self.first = np.argsort(order)[group].astype(np.int32), first[order]
        ranks, labels = np.ascontiguousarray(ranks[:, self.first]), y[self.first]
        self.memory_limit = memory_limit
        self.complete = WorkingSet(labels, ranks, orders_of(ranks), n_classes, memory_limit, n_bound_rows)
        if first_turn is None:
            first_turn = FIRST_TURN * max(1, ENTRIES_OF_FIRST_TURN // ranks.size) ** 2
            first_turn = first_turn if len(ranks) <= FEW_FEATURES else 0
        self.turn = min(first_turn, FIRST_TURN) if first_turn > 0 else FIRST_TURN_OF_MANY
        self.turn_of, self.complete.most_subproblems = self.complete, first_turn
        self.n_splits = <index_t> np.count_nonzero(np.bincount(labels)) - 1

    def solve(self, float64_t deadline):
        """Go on until the deadline; return the arrays of the smallest tree, or None if there was not time enough."""
        self.deadline = self.turn_of.deadline = deadline
        if not self.is_solved and not _find_size(self):
            return None
        self.turn_of.most_subproblems = UNLIMITED
        try:
            return preorder_arrays(self.X, self.y, self.n_classes, self.n_splits, self.first_split)
        except Stopped:
            return None

    def first_split(self, n_splits, rows):
        """Return the feature and threshold of the first split of a node's tree, and the splits of both sides."""
        cdef NodeSplit split
        cdef index_t budget = n_splits
        cdef int answer
        if budget == 0:
            return None
        cdef const index_t[::1] samples = self.sample_of[rows]
        with nogil:
            answer = choose_split(self.turn_of, &samples[0], <index_t> samples.shape[0], budget, &split)
        if answer != YES:
            raise Stopped
        below, above = self.X[self.first[[split.below, split.above]], split.feature]
        threshold = threshold_between(below, above)
        return split.feature, threshold, split.left_budget, budget - 1 - split.left_budget

    @property
    def n_subproblems(self):
        """The number of sets that have been looked at."""
        return self.complete.n_subproblems + (0 if self.growing is None else self.growing.n_subproblems)


cdef bint _find_size(Search search) except -1:
    """Find the least number of splits, by both working sets in turns. Return whether it has been found."""
    cdef int answer
    while True:
        answer = _raise_size(search)
        if answer == YES:
            search.is_solved = True
            return True
        if search.complete.is_too_deep or time.monotonic() >= search.deadline:
            return False
        _change_turns(search)


cdef _change_turns(Search search):
    cdef WorkingSet complete = search.complete
    if search.turn_of is complete:
        if search.growing is None:
            search.growing = WorkingSet(
                complete.labels, complete.ranks, complete.orders, search.n_classes, search.memory_limit
            )
        search.turn_of = search.growing
        search.turn *= GROWTH_OF_TURNS
        search.turn_of.most_subproblems = search.turn_of.n_subproblems + search.turn
    else:
        search.turn_of = complete
        n_sets = search.turn * max(1, ENTRIES_OF_EQUAL_WORK // complete.ranks.size)
        complete.most_subproblems = complete.n_subproblems + n_sets
    search.turn_of.deadline = search.deadline


cdef int _raise_size(Search search) except -1:
    """Raise the number of splits until it is enough: smaller numbers have then been refuted."""
    cdef WorkingSet work = search.turn_of
    cdef int answer = NO
    if not search.is_prepared:
        with nogil:
            answer = raise_to_clique(search.complete, &search.n_splits)
        search.is_prepared = answer != STOPPED
    while answer == NO:
        with nogil:
            answer = is_feasible(work, &work.orders[0, 0], <index_t> work.n_samples, search.n_splits)
        search.n_splits += answer == NO
    return answer


def minimal_tree(
    const float64_t[:, ::1] X, const index_t[::1] y, Py_ssize_t n_classes, *, time_limit=None, rollout_times=None,
    memory_limit=2**30, bound_rows=BOUND_ROWS, first_turn=None,
):
    """Find the smallest consistent tree, or a small one.

    If several trees are smallest, the lowest features win, from the root on, then the lowest thresholds.

    Parameters
    ----------
    time_limit : float or None
        Seconds.
    rollout_times : tuple of two floats or None
        The seconds at which rollouts begin and end, if the smallest tree is not found before; the search goes on after
        them. None: there are no rollouts.
    memory_limit : int
        Bytes of each table of sets of samples.
    bound_rows, first_turn : int
        How many samples serve for bounds, and how many sets of all samples are looked at before nogoods are learned.
        They change only the way to the tree.

    Returns
    -------
    arrays : dict or None
        The smallest tree's arrays; if a limit stopped the search, those of the small tree, if there is one.
    lower_bound : int
        Splits that are needed at least.
    n_subproblems : int
        Sets of samples that had to be looked at.
    ended_by : str
        "Ctrl-C" if that ended the search; otherwise empty.
    """
    start = time.monotonic()
    check_codes(X, y, n_classes)
    values, codes = np.asarray(X) + 0.0, np.asarray(y)
    search = Search(values, codes, n_classes, memory_limit, bound_rows, first_turn)
    deadline = INFINITY if time_limit is None else start + time_limit
    found = small = None
    ended_by = ""
    try:
        found = search.solve(deadline if rollout_times is None else min(deadline, start + rollout_times[0]))
        if found is None and rollout_times is not None:
            left = max(0.0, start + rollout_times[1] - time.monotonic())
            small = small_tree(X, y, n_classes, time_limit=left, memory_limit=memory_limit)
            found = search.solve(deadline)
    except KeyboardInterrupt:
        ended_by = "Ctrl-C"
    return small if found is None else found, search.n_splits, search.n_subproblems, ended_by
