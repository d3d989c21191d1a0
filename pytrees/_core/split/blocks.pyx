"""The scan of a node's cuts in a block, several side by side.

It takes Gini impurity, and samples that count once. All cuts are scored in single precision; those that could be the
best are looked at exactly.
"""

from pytrees._core.base.lanes cimport node_weights
from pytrees._core.base.sorting cimport place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.gini cimport AnyGiniScan, BinaryGiniScan, forget_best_gini
from pytrees._core.rows.partition cimport narrow_entries
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split, first_place, threshold_of
from pytrees._core.split.table cimport best_gain, is_perfect, offer


cdef extern from "block_lanes.h":
    void write_factors(int32_t n, int32_t first, int32_t last, float* left_factors, float* right_factors) nogil
    float best_of_two_classes(
        const uint32_t* entries, int32_t n, int32_t first_of_1, node_weights node, const float* factors
    ) nogil
    int32_t cuts_of_two_classes(
        const uint32_t* entries, int32_t n, int32_t first_of_1, node_weights node, const float* factors, float to_reach,
        uint32_t* found
    ) nogil
    float best_of_classes(
        const uint32_t* entries, int32_t n, const uint16_t* labels, const int64_t* totals, int32_t n_classes,
        const float* left_factors, const float* right_factors, uint64_t* steps
    ) nogil
    int32_t cuts_of_classes(
        const uint32_t* entries, int32_t n, const uint16_t* labels, const int64_t* totals, int32_t n_classes,
        const float* left_factors, const float* right_factors, uint64_t* steps, float to_reach, uint32_t* found,
        uint64_t* found_squares
    ) nogil


cdef enum:
    MOST_IN_LANES = (1 << 15) - 9   # samples of a node whose numbers fit the halves of words, and some more
    FEWEST_IN_LANES = 4

# Scores in single precision are wrong by less than a third of this share.
cdef float NEARLY = 1.0 - 2e-6


cdef bint scores_in_lanes(Scanner scanner, const NodeRows* node) noexcept nogil:
    """Whether the node, which is in a block, can be searched here, and cuts are allowed at all."""
    cdef index_t n = node.stop - node.start
    return (
        scanner.scores is not None and FEWEST_IN_LANES <= n <= MOST_IN_LANES
        and 2 * <int64_t> scanner.min_samples_leaf <= n
    )


cdef bint find_block_cut(Scanner scanner, AnyGiniScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started; of equal ones that of the lowest feature,
    then threshold. False: no cut gains anything, so that none has been looked at."""
    cdef index_t k, n = node.stop - node.start
    cdef float score, to_reach = 0.0
    cdef float perfect = NEARLY * <float> _perfect_score(scan)
    cdef float* scores = &scanner.scores.best_of_feature[0]
    if AnyGiniScan is BinaryGiniScan:
        write_factors(n, scanner.min_samples_leaf, n - scanner.min_samples_leaf, &scanner.scores.left_factors[0], NULL)
    else:
        write_factors(
            n, scanner.min_samples_leaf, n - scanner.min_samples_leaf, &scanner.scores.left_factors[0],
            &scanner.scores.right_factors[0],
        )
    for k in range(scanner.n_drawn):
        score = scores[k] = _best_score(scanner, scan, node, k)
        to_reach = max(to_reach, score)
        if score >= perfect and score > 0.0:
            # No cut is better, and those before were worse.
            _offer_cuts(scanner, scan, node, k, perfect, best)
            if is_perfect(scan):
                break
            forget_best_gini(scan)
            best.feature = NONE
    if to_reach <= 0.0:
        return False
    for k in range(scanner.n_drawn if best.feature == NONE else 0):
        if scores[k] >= NEARLY * to_reach:
            _offer_cuts(scanner, scan, node, k, NEARLY * to_reach, best)
    best_gain(scan, &best.gain)
    best.threshold = threshold_of(scanner, node, best)
    return True


cdef inline float64_t _perfect_score(const AnyGiniScan* scan) noexcept nogil:
    """Return the score of a cut that leaves one class in each child."""
    if AnyGiniScan is BinaryGiniScan:
        return -<float64_t> scan.steps[0] * <float64_t> scan.steps[1]
    else:
        return <float64_t> scan.total


cdef inline node_weights _node_weights(const BinaryGiniScan* scan) noexcept nogil:
    cdef node_weights node
    # A sample of class 1 adds the samples of class 0 to the difference, one of class 0 takes those of class 1 away.
    node.of_0, node.of_1 = <int32_t> scan.steps[1], <int32_t> -scan.steps[0]
    return node


cdef inline float _best_score(
    Scanner scanner, const AnyGiniScan* scan, const NodeRows* node, index_t k
) noexcept nogil:
    """Return the greatest score of the cuts of the k-th feature, 0 where none is allowed or gains anything."""
    cdef index_t n = node.stop - node.start
    cdef const uint32_t* entries = narrow_entries(
        scanner.partition, node.block, scanner.drawn[k], node.start, node.stop
    )
    if AnyGiniScan is BinaryGiniScan:
        return best_of_two_classes(entries, n, node.first_of_1, _node_weights(scan), &scanner.scores.left_factors[0])
    else:
        return best_of_classes(
            entries, n, &scanner.narrow_labels[first_place(scanner, node)], scan.total_counts, scan.n_classes,
            &scanner.scores.left_factors[0], &scanner.scores.right_factors[0], &scanner.scores.steps[0],
        )


cdef inline int _offer_cuts(
    Scanner scanner, AnyGiniScan* scan, const NodeRows* node, index_t k, float to_reach, Split* best
) except -1 nogil:
    """Offer the cuts of the k-th feature whose scores reach what is asked, in ascending order."""
    cdef index_t i, n_found, n_left, n = node.stop - node.start
    cdef uint32_t* found = &scanner.scores.found[0]
    cdef uint64_t squares
    cdef const uint32_t* entries = narrow_entries(
        scanner.partition, node.block, scanner.drawn[k], node.start, node.stop
    )
    if AnyGiniScan is BinaryGiniScan:
        n_found = cuts_of_two_classes(
            entries, n, node.first_of_1, _node_weights(scan), &scanner.scores.left_factors[0], to_reach, found
        )
    else:
        n_found = cuts_of_classes(
            entries, n, &scanner.narrow_labels[first_place(scanner, node)], scan.total_counts, scan.n_classes,
            &scanner.scores.left_factors[0], &scanner.scores.right_factors[0], &scanner.scores.steps[0], to_reach,
            found, &scanner.scores.squares_of_found[0],
        )
    for i in range(n_found):
        if AnyGiniScan is BinaryGiniScan:
            n_left = <index_t> (found[i] >> 16)
            scan.left_total = n_left
            scan.difference = (found[i] & 0xFFFF) * scan.total + n_left * scan.steps[0]
        else:
            n_left = <index_t> found[i]
            squares = scanner.scores.squares_of_found[i]
            scan.left_total = n_left
            scan.left_squares = <int64_t> (squares & <uint64_t> 0xFFFFFFFF)
            scan.right_squares = scan.total_squares - <int64_t> (squares >> 32)
        if offer(scan):
            best.feature = scanner.drawn[k]
            best.n_left = n_left
            best.last_left = place_of(entries[n_left - 1])
            best.first_right = place_of(entries[n_left])
    return 0
