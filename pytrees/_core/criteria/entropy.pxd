"""Shannon entropy, and variation of information: how far the clustering by a cut is from the classes. Both in bits.

Entropy is -sum of p_k log2 p_k, from an integer table of n log2 n in multiples of 2**-30 bit; `logarithms` decides
between splits that the table cannot tell apart. The variation is H(T | Y) + H(Y | T), T being the cut and Y the classes
(M. Meila, "Comparing clusterings - an information based distance", Journal of Multivariate Analysis 98, 2007). For the
uncut node it is H(Y), so that the gain is twice the information gain less H(T): below zero if a cut tells less about
the classes than half of its own entropy.
"""

from libc.math cimport log2
from libc.stdint cimport INT64_MIN

from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport NLOGN_FRACTION_BITS, ClassCounts, log_margin, sum_of_n_log2_n
from pytrees._core.criteria.gain cimport Gain, information_gain
from pytrees._core.criteria.logarithms cimport (
    BestCut, add_child_class, add_child_size, doubled, gains_nothing, offer_score, signed_units, signed_units_of_best,
    units_of_best,
)


cdef struct EntropyScan:
    # The score is minus the children's entropies times their samples: sums of n log2 n. For the variation of
    # information, the sums over the classes in the children count twice.
    index_t n_classes
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    BestCut* best
    int64_t floor       # cuts of lower scores are worse than the best one
    int64_t joint_times


cdef inline void start_entropy(EntropyScan* scan, ClassCounts counts) noexcept nogil:
    scan.table = &counts.table[0]
    scan.total_sum = sum_of_n_log2_n(&counts.table[0], &counts.total_counts[0], counts.n_classes)
    scan.best = &counts.best
    scan.joint_times = doubled(counts.form)
    forget_best_entropy(scan)


cdef inline void forget_best_entropy(EntropyScan* scan) noexcept nogil:
    scan.best.is_known = False
    scan.floor = INT64_MIN


cdef inline int offer_entropy(EntropyScan* scan) except -1 nogil:
    cdef int64_t score = (
        scan.joint_times * (scan.left_sum + scan.right_sum)
        - scan.table[scan.left_total] - scan.table[scan.total - scan.left_total]
    )
    if score < scan.floor or not offer_score(scan.best, score, scan.left_counts):
        return False
    scan.floor = score - scan.best.margin
    return True


cdef inline int gain_of_entropy(const EntropyScan* scan, Gain* gain) except -1 nogil:
    cdef int64_t units = scan.table[scan.total] - scan.joint_times * scan.total_sum + scan.best.score
    units = units_of_best(scan.best, units) if scan.joint_times == 1 else signed_units_of_best(scan.best, units)
    gain[0] = information_gain(units, 1 << NLOGN_FRACTION_BITS, 1, scan.total, scan.best.margin)


cdef inline bint is_perfect_entropy(const EntropyScan* scan) noexcept nogil:
    """The score of children of one class each is 0. If the children are the classes, their variation is 0: then the
    rounded numbers cancel too."""
    return scan.best.is_known and scan.best.score == (scan.joint_times - 1) * scan.total_sum


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline void end_information_child(ChildCounts children, int64_t total) noexcept nogil:
    cdef index_t label
    for label in range(children.node.n_classes):
        children.joint_sum += children.node.table[children.counts[label]]
        add_child_class(&children.present.logs, children.counts[label])
    children.size_sum += children.node.table[total]
    add_child_size(&children.present.logs, total)


cdef inline int64_t margin_of_children(ChildCounts children) noexcept nogil:
    """Bound by how much the gain may be wrong, in units of 2**-30 bit."""
    return doubled(children.node.form) * (
        log_margin(children.node.n_classes) + children.present.logs.n_joint + children.present.logs.n_sizes
    )


cdef inline int information_of_children(ChildCounts children, int64_t factor, int64_t* units) except -1 nogil:
    """Write the node's entropy less its children's entropies, times its samples and a factor, in units of 2**-30 bit: 0
    if the split gains nothing, otherwise at least one unit."""
    units[0] = factor * (
        children.node.table[children.total] - children.node_sum + children.joint_sum - children.size_sum
    )
    if units[0] <= margin_of_children(children):
        units[0] = max(units[0], 1)
        if gains_nothing(&children.node.total_counts[0], children.node.n_classes, &children.present.logs):
            units[0] = 0


cdef inline int entropy_gain_of_children(ChildCounts children, Gain* gain) except -1 nogil:
    cdef int64_t units
    information_of_children(children, 1, &units)
    gain[0] = information_gain(units, 1 << NLOGN_FRACTION_BITS, 1, children.total, margin_of_children(children))


cdef inline int64_t minus_variation_of_children(ChildCounts children) noexcept nogil:
    """Return minus the distance of the children to the classes, times the node's samples, in units of 2**-30 bit."""
    return 2 * children.joint_sum - children.size_sum - children.node_sum


cdef inline int variation_gain_of_children(ChildCounts children, Gain* gain) except -1 nogil:
    cdef int64_t margin = margin_of_children(children)
    cdef int64_t units = (
        children.node.table[children.total] - children.node_sum + minus_variation_of_children(children)
    )
    units = signed_units(
        units, margin, children.node.form, &children.node.total_counts[0], children.node.n_classes,
        &children.present.logs,
    )
    gain[0] = information_gain(units, 1 << NLOGN_FRACTION_BITS, 1, children.total, margin)
