"""The best split of one node: the best cut of a numeric feature, or the best split by a categorical one."""

import numpy as np

from pytrees._core.base.types cimport NONE, index_t, uint64_t
from pytrees._core.criteria.user cimport UserCut
from pytrees._core.rows.histogram cimport Histograms
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.categories cimport find_category_split
from pytrees._core.split.scan cimport find_cut
from pytrees._core.split.scanner cimport (
    OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES, NodeRows, Scanner, Split, count_node, draw_features,
)
from pytrees._core.split.sequences cimport find_cut_by_sequences, find_cut_by_user_sequences
from pytrees._core.split.user_cuts cimport add_cuts, find_user_cut, write_user_cut

from pytrees._core.criteria.counts import user_criterion_of
from pytrees._core.split.categories import child_counts
from pytrees._core.split.scan import class_counts, judging_of


def make_scanner(
    RowPartition partition, Histograms histograms, labels, weights, n_classes, criterion, index_t min_samples_leaf,
    index_t max_candidates, index_t max_features, index_t n_threads,
):
    """Return the state of the search by a criterion, which is a name, or a name and parameters, as a Scanner."""
    user_criterion, row_ids = user_criterion_of(criterion)
    cdef Scanner scanner = Scanner(
        partition, histograms, labels, weights, class_counts(criterion, n_classes, weights, partition.n_rows),
        judging_of(criterion), user_criterion, row_ids, min_samples_leaf, max_candidates, max_features, n_threads,
    )
    if scanner.n_drawn_categories > 0:
        has_float_weights = weights is not None and weights.dtype == np.float64
        scanner.children = child_counts(
            scanner.counts, has_float_weights, partition.child_ends.shape[0], user_criterion
        )
    return scanner


cdef int find_split(Scanner scanner, const NodeRows* node, uint64_t random_state, Split* best) except -1 nogil:
    """Write the best split of the node's samples; of equal ones that of the lowest feature, then threshold."""
    _forget_split(best)
    draw_features(scanner, node, random_state)
    if scanner.judging == SEQUENCES:
        find_cut_by_sequences(scanner, node, best)
    elif scanner.judging == OWN_SEQUENCES:
        find_cut_by_user_sequences(scanner, node, best)
    elif scanner.judging == OWN_CLASS_COUNTS:
        find_user_cut(scanner, node, best)
    else:
        find_cut(scanner, node, best)
    if scanner.n_drawn_categories > 0:
        find_category_split(scanner, node, best)
    return 0


cdef inline void _forget_split(Split* best) noexcept nogil:
    best.feature = NONE
    best.n_left = 0
    best.n_children = 2
    best.is_large = False


cdef int offer_to_user(
    Scanner scanner, const NodeRows* node, uint64_t random_state, index_t number, UserCut* best_of_node
) except -1 nogil:
    """Put the node's cuts into the user's table under this number; where it is full they are judged at once."""
    draw_features(scanner, node, random_state)
    return add_cuts(scanner, node, number, best_of_node)


cdef int take_user_cut(
    Scanner scanner, const NodeRows* node, uint64_t random_state, const UserCut* cut, Split* best
) except -1 nogil:
    """Write the best split of the node whose best cut has been judged."""
    _forget_split(best)
    write_user_cut(scanner, node, cut, best)
    if scanner.children is not None:
        # Other nodes have been looked at since its cuts were offered.
        draw_features(scanner, node, random_state)
        count_node(scanner, node)
        find_category_split(scanner, node, best)
    return 0
