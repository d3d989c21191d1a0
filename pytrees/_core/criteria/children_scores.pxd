"""What a split by category gains where its children are labelled with classes, inlined where it is cimported."""

from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.clusterings cimport Score, forget_scores, take_score
from pytrees._core.base.types cimport NONE, index_t


cdef inline index_t two_best(const Score* counts, index_t n_classes, bint counts_errors, Score* scores) noexcept nogil:
    """The class, the lowest of several, as which the rows score best, that score and the second-best: the rows of the
    class, or minus the sum of the absolute errors."""
    cdef index_t label, best = 0
    cdef Score error = 0, below = 0, total = 0
    forget_scores(scores)
    if counts_errors:
        for label in range(n_classes):
            total += counts[label]
            error += label * counts[label]
    for label in range(n_classes):
        take_score(label, -error if counts_errors else counts[label], &best, scores)
        if counts_errors:
            below += counts[label]
            error += below - (total - below)
    return best


cdef inline void add_score(
    ChildCounts children, index_t label, const Score* scores, Score* total, Score* least_loss
) noexcept nogil:
    """Add what the child scores as its best class; keep what another class would cost of all that are best as one."""
    cdef Score loss = scores[0] - scores[1]
    total[0] += scores[0]
    if children.n_ended == 0:
        children.label_of_all = label
        least_loss[0] = loss
    elif label != children.label_of_all:
        children.label_of_all = NONE
    elif loss < least_loss[0]:
        least_loss[0] = loss
