"""Whether a number of splits, the budget, is enough for a consistent tree of some samples.

*Decision.* A budget is enough for a set if some cut leaves two sides that need less than the budget together. A set
needs at least as many splits as each of its parts. Among the cuts of a feature, ascending, the need of the left side
therefore only rises, and the need of the right side only falls: one search by halves for each way to divide the budget
takes the place of a look at all cuts.

*Working set.* A tree is looked for that is consistent with the members alone. If no tree within the budget is, no tree
is for all samples. Otherwise a sample that the tree gets wrong becomes a member, until the tree gets no sample wrong.

*Nogoods.* A feature has no cut for a set if, for every way to divide the budget, a part that needs too many splits lies
before a part that does so as well: every cut leaves one of them on one side. The parts that leave no feature a cut make
up a nogood, which needs more splits than the budget. The search drops, one by one, the members that are not needed for
this proof, and learns the rest. A set inherits the nogoods that are part of it, and they limit its cuts.
"""

from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS, NO, STOPPED, YES, check_limits
from pytrees._core.minimal.sets cimport add_bit, contains, drop_bit, holds, unite
from pytrees._core.minimal.working_set cimport (
    WHOLE, FirstSplit, Level, Listed, MemberNode, SomeNogoods, WorkingSet, add_sample, find_clique, inherit,
    inherit_nogoods, keep_clique, learn_nogood, open_level, recall, remember, reserve_limits, unite_clique,
)

cdef enum:
    OF_CLASSES = -1                 # the source of a limit, if it is no nogood, whose number is the source
    OF_CLIQUE = -2
    OF_NOTHING = -3


# ------------------------------------------------------------------------------------------------------ limits of cuts

cdef void _list_cuts(WorkingSet work, Py_ssize_t number, Py_ssize_t feature, const char* is_in_node) noexcept nogil:
    """List the samples of a level in the order of a feature, and its cuts."""
    cdef Level* level = &work.levels[number]
    cdef const index_t* order
    cdef const index_t* ranks
    cdef index_t i, n = 0, cut = 0
    if number == WHOLE:
        order, ranks = &work.orders[feature, 0], &work.ranks[feature, 0]
        for i in range(<index_t> work.n_samples):
            if is_in_node[order[i]]:
                level.order[n] = order[i]
                n += 1
    else:
        order, ranks = &work.member_orders[feature, 0], &work.member_ranks[feature, 0]
        for i in range(work.n_members):
            if holds(level.members, order[i]):
                level.order[n] = order[i]
                n += 1
    level.n_samples = n
    for i in range(1, n):
        if ranks[level.order[i]] != ranks[level.order[i - 1]]:
            level.ends[cut] = i
            level.cut_ranks[cut] = ranks[level.order[i - 1]]
            cut += 1
    level.n_cuts = cut


cdef inline void _lower(index_t* limit, index_t* source, index_t rank, index_t new_source) noexcept nogil:
    if rank < limit[0]:
        limit[0], source[0] = rank, new_source


cdef inline void _raise(index_t* limit, index_t* source, index_t rank, index_t new_source) noexcept nogil:
    if rank > limit[0]:
        limit[0], source[0] = rank, new_source


cdef inline Listed _list_members(
    WorkingSet work, Py_ssize_t feature, const index_t* order, index_t n_members, const uint64_t* filter
) noexcept nogil:
    cdef Listed listed
    listed.order, listed.n_samples, listed.filter = order, n_members, filter
    listed.labels, listed.ranks = &work.member_labels[0], &work.member_ranks[feature, 0]
    return listed


cdef inline index_t _next_class(WorkingSet work, const Listed* listed, bint is_right, index_t* position) noexcept nogil:
    """Return the next sample, from one end on, of a class that is new, and count the class; NONE at the other end."""
    cdef index_t sample, label
    while position[0] < listed.n_samples:
        sample = listed.order[listed.n_samples - 1 - position[0] if is_right else position[0]]
        position[0] += 1
        if listed.filter != NULL and not holds(listed.filter, sample):
            continue
        label = listed.labels[sample]
        if work.class_counts[label] == 0:
            work.class_counts[label] = 1
            return sample
    return NONE


cdef void _limit_by_classes(
    WorkingSet work, const Listed* listed, bint is_right, index_t most, index_t* limits, index_t* sources
) noexcept nogil:
    """Note the ranks at which the samples from one end on reach two classes, three, up to `most`, and the first of
    each class."""
    cdef index_t sample, n_found, position = 0
    cdef index_t* first_members = &work.right_members[0] if is_right else &work.left_members[0]
    memset(&work.class_counts[0], 0, work.n_classes * sizeof(index_t))
    for n_found in range(1, most + 1):
        sample = _next_class(work, listed, is_right, &position)
        if sample == NONE:
            return
        first_members[n_found - 1] = sample
        if n_found >= 2 and is_right:
            _raise(&limits[n_found - 2], &sources[n_found - 2], listed.ranks[sample], OF_CLASSES)
        elif n_found >= 2:
            _lower(&limits[n_found - 2], &sources[n_found - 2], listed.ranks[sample], OF_CLASSES)


cdef void _sort_clique(WorkingSet work, Py_ssize_t feature, index_t* clique, index_t size) noexcept nogil:
    cdef const index_t* ranks = &work.member_ranks[feature, 0]
    cdef index_t i, position, member
    for i in range(1, size):
        member = clique[i]
        position = i
        while position > 0 and ranks[clique[position - 1]] > ranks[member]:
            clique[position] = clique[position - 1]
            position -= 1
        clique[position] = member


cdef void _limit_by_inherited(WorkingSet work, Level* level, index_t budget) noexcept nogil:
    """Write, for all features, the limits that follow from the nogoods that a level has inherited."""
    cdef Py_ssize_t n = work.n_features, feature
    cdef const index_t* ranks
    cdef index_t* high
    cdef index_t* low
    cdef int64_t i
    for i in range(n * budget):
        level.high_by_nogoods[i], level.low_by_nogoods[i] = UNLIMITED, NONE
    level.n_limiting = level.n_inherited
    for i in range(level.n_inherited):
        ranks = work.nogoods.ranks + 2 * n * level.inherited[i]
        high = level.high_by_nogoods + n * (min(work.nogoods.needs[level.inherited[i]], budget) - 1)
        low = level.low_by_nogoods + n * (min(work.nogoods.needs[level.inherited[i]], budget) - 1)
        for feature in range(n):
            low[feature] = max(low[feature], ranks[feature])
        ranks += n
        for feature in range(n):
            high[feature] = min(high[feature], ranks[feature])


cdef void _start_limits(WorkingSet work, Level* level, Py_ssize_t feature, index_t budget) noexcept nogil:
    """Write the limits of a feature that follow from nogoods, including those learned since the search began."""
    cdef Py_ssize_t n = work.n_features
    cdef index_t k
    cdef int64_t i, number
    # Limits stay valid when the table forgets the nogoods that they come from.
    for k in range(budget):
        level.high[k], level.low[k] = level.high_by_nogoods[n * k + feature], level.low_by_nogoods[n * k + feature]
        work.sources[k] = work.sources[budget + k] = OF_NOTHING
    for i in range(level.n_limiting, level.n_inherited):
        number = level.inherited[i]
        k = min(work.nogoods.needs[number], budget) - 1
        level.high[k] = min(level.high[k], work.nogoods.ranks[(2 * number + 1) * n + feature])
        level.low[k] = max(level.low[k], work.nogoods.ranks[2 * number * n + feature])


cdef void _limit_by_candidates(
    WorkingSet work, Level* level, Py_ssize_t feature, SomeNogoods some, index_t budget
) noexcept nogil:
    """Write the limits of a feature that follow from some of the candidates, and their sources."""
    cdef const index_t* lowest = work.candidate_ranks + feature * work.n_candidates
    cdef const index_t* highest = lowest + work.n_features * work.n_candidates
    cdef index_t* high_sources = work.sources
    cdef index_t* low_sources = work.sources + budget
    cdef index_t k, need, position, least, least_source, greatest, greatest_source
    cdef int64_t i = 0
    for k in range(budget):
        level.high[k], level.low[k] = UNLIMITED, NONE
        high_sources[k] = low_sources[k] = OF_NOTHING
    # Candidates of one need stand beside each other.
    while i < some.n_nogoods:
        need = work.candidate_needs[some.positions[i]]
        least, least_source, greatest, greatest_source = UNLIMITED, OF_NOTHING, NONE, OF_NOTHING
        while i < some.n_nogoods and work.candidate_needs[some.positions[i]] == need:
            position = some.positions[i]
            _lower(&least, &least_source, highest[position], position)
            _raise(&greatest, &greatest_source, lowest[position], position)
            i += 1
        k = min(need, budget) - 1
        _lower(&level.high[k], &high_sources[k], least, least_source)
        _raise(&level.low[k], &low_sources[k], greatest, greatest_source)


cdef void _complete_limits(
    WorkingSet work, Level* level, Py_ssize_t feature, const Listed* listed, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Extend the limits of a budget to smaller budgets, and add the limits by classes and by a clique."""
    cdef index_t* high = level.high
    cdef index_t* low = level.low
    cdef index_t* high_sources = work.sources
    cdef index_t* low_sources = work.sources + budget
    cdef index_t k
    for k in range(budget - 2, -1, -1):
        _lower(&high[k], &high_sources[k], high[k + 1], high_sources[k + 1])
        _raise(&low[k], &low_sources[k], low[k + 1], low_sources[k + 1])
    _limit_by_classes(work, listed, False, min(level.n_classes, budget + 1), high, high_sources)
    _limit_by_classes(work, listed, True, min(level.n_classes, budget + 1), low, low_sources)
    _sort_clique(work, feature, clique, clique_size)
    for k in range(min(clique_size - 1, budget)):
        _lower(&high[k], &high_sources[k], work.member_ranks[feature, clique[k + 1]], OF_CLIQUE)
        _raise(&low[k], &low_sources[k], work.member_ranks[feature, clique[clique_size - 2 - k]], OF_CLIQUE)


cdef bint _leave_no_cut(const Level* level, index_t budget) noexcept nogil:
    """Whether the limits refute all cuts of a feature, for every way to divide the budget."""
    cdef index_t k
    for k in range(budget):
        if level.high[k] > level.low[budget - 1 - k]:
            return False
    return True


# ------------------------------------------------------------------------------------------------------ a small nogood

cdef void _unite_source(
    WorkingSet work, bint is_right, index_t k, index_t source, const index_t* clique, index_t clique_size,
    uint64_t* support,
) noexcept nogil:
    """Add the members that a limit of the feature looked at last comes from."""
    cdef index_t i
    if source >= 0:
        unite(support, work.nogoods.sets + work.candidates[source] * work.n_words, work.n_words)
    elif source == OF_CLIQUE:
        unite_clique(work, support, clique + clique_size - k - 2 if is_right else clique, k + 2)
    elif source == OF_CLASSES:
        for i in range(k + 2):
            add_bit(support, work.right_members[i] if is_right else work.left_members[i])


cdef bint _is_refuted(
    WorkingSet work, Level* level, Py_ssize_t feature, SomeNogoods some, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Whether a feature has no cut for the nogood; then write the members that prove it, the feature's support."""
    cdef uint64_t* support = &work.supports[feature, 0]
    cdef const index_t* sources = work.sources
    cdef index_t k
    cdef Listed listed = _list_members(work, feature, &work.kept_orders[feature, 0], level.n_kept, level.nogood)
    _limit_by_candidates(work, level, feature, some, budget)
    _complete_limits(work, level, feature, &listed, clique, clique_size, budget)
    if not _leave_no_cut(level, budget):
        return False
    memset(support, 0, work.n_words * sizeof(uint64_t))
    for k in range(budget):
        if k == 0 or sources[k] < 0 or sources[k] != sources[k - 1]:
            _unite_source(work, False, k, sources[k], clique, clique_size, support)
        if k == 0 or sources[budget + k] < 0 or sources[budget + k] != sources[budget + k - 1]:
            _unite_source(work, True, k, sources[budget + k], clique, clique_size, support)
    return True


cdef void _keep_orders(WorkingSet work, Level* level) noexcept nogil:
    """List the members of a level's nogood in the order of every feature."""
    cdef Py_ssize_t feature
    cdef const index_t* order
    cdef index_t* kept
    cdef index_t i
    for feature in range(work.n_features):
        order, kept = &work.member_orders[feature, 0], &work.kept_orders[feature, 0]
        level.n_kept = 0
        for i in range(work.n_members):
            if holds(level.nogood, order[i]):
                kept[level.n_kept] = order[i]
                level.n_kept += 1


cdef void _support_features(WorkingSet work, Level* level, SomeNogoods some, index_t budget) noexcept nogil:
    """Write the support of every feature of a refuted level, and their union to `nogood`.

    The support is the whole set if the nogoods that the proof rests on have been forgotten.
    """
    cdef Py_ssize_t feature, n_bytes = work.n_words * sizeof(uint64_t)
    memcpy(level.nogood, level.members, n_bytes)
    _keep_orders(work, level)
    for feature in range(work.n_features):
        if not _is_refuted(work, level, feature, some, level.clique, level.clique_size, budget):
            memcpy(&work.supports[feature, 0], level.members, n_bytes)
    memset(level.nogood, 0, n_bytes)
    for feature in range(work.n_features):
        unite(level.nogood, &work.supports[feature, 0], work.n_words)
    _keep_orders(work, level)


cdef bint _is_refuted_without(
    WorkingSet work, Level* level, index_t member, SomeNogoods some, index_t clique_size, index_t budget,
    Py_ssize_t* last_failed
) noexcept nogil:
    """Whether no feature has a cut for the nogood, which has lost a member. The feature that failed last is first."""
    cdef Py_ssize_t turn, feature
    for turn in range(work.n_features):
        feature = (last_failed[0] + turn) % work.n_features
        if holds(&work.supports[feature, 0], member) and not _is_refuted(
            work, level, feature, some, &work.kept_clique[0], clique_size, budget
        ):
            last_failed[0] = feature
            return False
    return True


cdef SomeNogoods _nogoods_within(
    WorkingSet work, SomeNogoods some, const uint64_t* members, index_t* positions
) noexcept nogil:
    """List those candidates that are part of a set."""
    cdef SomeNogoods found
    cdef int64_t i
    found.positions, found.n_nogoods = positions, 0
    for i in range(some.n_nogoods):
        if contains(members, work.nogoods.sets + work.candidates[some.positions[i]] * work.n_words, work.n_words):
            positions[found.n_nogoods] = some.positions[i]
            found.n_nogoods += 1
    return found


cdef int _list_candidates(WorkingSet work, const Level* level, index_t budget, SomeNogoods* some) except -1 nogil:
    """List the nogoods of a level by their need, by counting, and copy their ranks, feature by feature."""
    cdef Py_ssize_t n = work.n_features, feature
    cdef index_t* starts = work.sources
    cdef index_t need, position
    cdef int64_t i, n_nogoods = level.n_inherited
    cdef const index_t* ranks
    reserve(<void**> &work.candidates, &work.candidates_capacity, n_nogoods, sizeof(int64_t), b"nogoods")
    reserve(<void**> &work.candidate_needs, &work.needs_capacity, n_nogoods, sizeof(index_t), b"nogoods")
    reserve(<void**> &work.positions, &work.positions_capacity, 2 * n_nogoods, sizeof(index_t), b"nogoods")
    reserve(
        <void**> &work.candidate_ranks, &work.candidate_ranks_capacity, 2 * n * n_nogoods, sizeof(index_t), b"nogoods"
    )
    memset(starts, 0, budget * sizeof(index_t))
    for i in range(n_nogoods):
        need = min(work.nogoods.needs[level.inherited[i]], budget)
        if need < budget:
            starts[need] += 1
    for need in range(1, budget):
        starts[need] += starts[need - 1]
    work.n_candidates = n_nogoods
    for i in range(n_nogoods):
        need = min(work.nogoods.needs[level.inherited[i]], budget)
        position = starts[need - 1]
        starts[need - 1] += 1
        work.positions[i] = <index_t> i
        work.candidates[position], work.candidate_needs[position] = level.inherited[i], need
        ranks = work.nogoods.ranks + 2 * n * level.inherited[i]
        for feature in range(2 * n):
            work.candidate_ranks[feature * n_nogoods + position] = ranks[feature]
    some.positions, some.n_nogoods = work.positions, n_nogoods
    return 0


cdef int _shrink(WorkingSet work, Level* level, index_t budget) except -1 nogil:
    """Find a small nogood in a refuted level: without any of its members, some feature would have a cut."""
    cdef SomeNogoods some, fewer
    cdef index_t member, clique_size
    cdef index_t* spare
    cdef Py_ssize_t last_failed = 0
    _list_candidates(work, level, budget, &some)
    _support_features(work, level, some, budget)
    some = _nogoods_within(work, some, level.nogood, work.positions)
    spare = work.positions + level.n_inherited
    for member in range(work.n_members):
        if not holds(level.nogood, member):
            continue
        drop_bit(level.nogood, member)
        clique_size = keep_clique(work, level)
        fewer = _nogoods_within(work, some, level.nogood, spare)
        if not _is_refuted_without(work, level, member, fewer, clique_size, budget, &last_failed):
            add_bit(level.nogood, member)
            continue
        memcpy(level.clique, &work.kept_clique[0], clique_size * sizeof(index_t))
        level.clique_size = clique_size
        spare = <index_t*> some.positions
        some = fewer
    return 0


# ----------------------------------------------------------------------------------------------------------- decisions

cdef int _side_is_feasible(
    WorkingSet work, Py_ssize_t number, Py_ssize_t feature, bint is_right, index_t cut, index_t budget
) except -1 nogil:
    """Whether the budget is enough for one side of a cut. If not, the side's nogood limits the cuts."""
    cdef Level* level = &work.levels[number]
    cdef Level* below = &work.levels[number + 1]
    cdef index_t start = level.ends[cut] if is_right else 0, i, k
    cdef index_t stop = level.n_samples if is_right else level.ends[cut]
    cdef index_t rank, limit = UNLIMITED if is_right else NONE
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef int answer
    open_level(work, number + 1)
    if number == WHOLE:
        answer = is_feasible(work, level.order + start, stop - start, budget)
    else:
        memset(below.members, 0, work.n_words * sizeof(uint64_t))
        for i in range(start, stop):
            add_bit(below.members, level.order[i])
        answer = _solve(work, number + 1, budget)
    if answer != NO:
        return answer
    for word in range(work.n_words):
        unseen = below.nogood[word]
        while unseen:
            rank = work.member_ranks[feature, 64 * word + trailing_zeros(unseen)]
            unseen &= unseen - 1
            limit = min(limit, rank) if is_right else max(limit, rank)
    for k in range(budget + 1):
        if is_right:
            level.low[k] = max(level.low[k], limit)
        else:
            level.high[k] = min(level.high[k], limit)
    return NO


cdef int _farthest(
    WorkingSet work, Py_ssize_t number, Py_ssize_t feature, bint is_right, index_t budget, index_t other_budget,
    index_t* low, index_t* high,
) except -1 nogil:
    """Narrow the cuts low..high to the one with the largest left side, or right side, that the budget is enough for;
    then low = high. A side needs at least as much as its parts: if a side is too large, larger ones are too."""
    cdef Level* level = &work.levels[number]
    cdef index_t middle, nearest = NONE     # the feasible cut with the largest side so far
    cdef int answer
    while True:
        while low[0] <= high[0] and level.cut_ranks[low[0]] < level.low[budget if is_right else other_budget]:
            low[0] += 1
        while low[0] <= high[0] and level.cut_ranks[high[0]] >= level.high[other_budget if is_right else budget]:
            high[0] -= 1
        if low[0] > high[0]:
            return NO
        if nearest == (low[0] if is_right else high[0]):
            low[0] = high[0] = nearest
            return YES
        if nearest == NONE and work.is_complete:
            middle = high[0] if is_right else low[0]
        else:
            middle = low[0] + (high[0] - low[0] + (not is_right)) // 2
        answer = _side_is_feasible(work, number, feature, is_right, middle, budget)
        if answer == STOPPED:
            return STOPPED
        if answer == YES:
            nearest = middle
            if is_right:
                high[0] = middle
            else:
                low[0] = middle


cdef int _find_cut(WorkingSet work, Py_ssize_t number, Py_ssize_t feature, index_t k, index_t rest) except -1 nogil:
    """Find a cut of a feature that leaves at most k splits to its left side and the rest to its right side; in level
    WHOLE the lowest. Among the cuts that suit the side with fewer splits, only the farthest can suit the other one."""
    cdef Level* level = &work.levels[number]
    cdef index_t low = 0, high = level.n_cuts - 1, first
    cdef bint right_is_smaller = rest < k
    cdef int answer = _farthest(work, number, feature, right_is_smaller, min(k, rest), max(k, rest), &low, &high)
    if answer == YES:
        answer = _side_is_feasible(work, number, feature, not right_is_smaller, low, max(k, rest))
    if answer == YES and number == WHOLE and not right_is_smaller:
        first = 0
        answer = _farthest(work, number, feature, True, rest, k, &first, &high)
        low = first
    if answer == YES:
        level.split.feature, level.split.rank, level.split.left_budget = <index_t> feature, level.cut_ranks[low], k
    return answer


cdef int _find_split(WorkingSet work, Py_ssize_t number, index_t budget, const char* is_in_node) except -1 nogil:
    """Find the first split of a tree within the budget: the lowest feature has it; in level WHOLE, so does its lowest
    cut."""
    cdef Level* level = &work.levels[number]
    cdef Listed listed
    cdef Py_ssize_t feature
    cdef index_t k
    cdef int answer
    reserve_limits(work, level, budget)
    _limit_by_inherited(work, level, budget)
    for feature in range(work.n_features):
        if number == WHOLE:
            _list_cuts(work, number, feature, is_in_node)
            listed.order, listed.n_samples, listed.filter = level.order, level.n_samples, <const uint64_t*> NULL
            listed.labels, listed.ranks = &work.labels[0], &work.ranks[feature, 0]
        else:
            listed = _list_members(work, feature, &work.member_orders[feature, 0], work.n_members, level.members)
        _start_limits(work, level, feature, budget)
        _complete_limits(work, level, feature, &listed, level.clique, level.clique_size, budget)
        if _leave_no_cut(level, budget):
            continue
        if number != WHOLE:
            _list_cuts(work, number, feature, NULL)
        for k in range(budget):
            answer = _find_cut(work, number, feature, k, budget - 1 - k)
            if answer != NO:
                return answer
    return NO


cdef index_t _count_classes(WorkingSet work, const uint64_t* members, index_t most, uint64_t* found) noexcept nogil:
    """Return the number of classes, up to one more than `most`, and write a member of each."""
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef index_t n_found = 0, member, label
    memset(&work.class_counts[0], 0, work.n_classes * sizeof(index_t))
    memset(found, 0, work.n_words * sizeof(uint64_t))
    for word in range(work.n_words):
        unseen = members[word]
        while unseen and n_found <= most:
            member = <index_t> (64 * word + trailing_zeros(unseen))
            unseen &= unseen - 1
            label = work.member_labels[member]
            if work.class_counts[label] == 0:
                work.class_counts[label] = 1
                n_found += 1
                add_bit(found, member)
    return n_found


cdef int _solve(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
    """Whether the budget is enough for a level's members. If not, `nogood` is a part for which it is not enough; if so,
    and there is more than one class, `split` is the first split."""
    cdef Level* level = &work.levels[number]
    cdef int answer
    level.n_classes = _count_classes(work, level.members, budget + 1, level.nogood)
    if level.n_classes - 1 > budget:
        return NO
    level.n_inherited = 0
    if level.n_classes <= 1:
        return YES
    answer = recall(work, level, budget)
    if answer != STOPPED:
        return answer
    if inherit_nogoods(work, number, budget) == NO:
        return NO
    if number + 1 == MOST_LEVELS:
        work.is_too_deep = True
        return STOPPED
    if work.n_subproblems >= work.most_subproblems:
        return STOPPED
    work.n_subproblems += 1
    find_clique(work, level)
    if level.clique_size - 1 > budget:
        memset(level.nogood, 0, work.n_words * sizeof(uint64_t))
        unite_clique(work, level.nogood, level.clique, budget + 2)
        return _learn(work, number, NO, budget)
    if check_limits(
        &work.n_steps,
        work.n_features * (4 * work.n_members + budget * level.n_inherited) + work.levels[number - 1].n_inherited,
        work.deadline,
    ) == STOPPED:
        return STOPPED
    answer = _find_split(work, number, budget, NULL)
    if answer == NO and work.is_complete:
        memcpy(level.nogood, level.members, work.n_words * sizeof(uint64_t))
    elif answer == NO:
        _shrink(work, level, budget)
    return _learn(work, number, answer, budget)


cdef int _learn(WorkingSet work, Py_ssize_t number, int answer, index_t budget) except -1 nogil:
    """Keep an answer for a level's members, and return it."""
    if answer == NO and not work.is_complete:
        learn_nogood(work, number, budget + 1)
    elif answer != STOPPED:
        remember(work, &work.levels[number], answer, budget)
    return answer


# --------------------------------------------------------------------------------------------------------- all samples

cdef void _divide(
    WorkingSet work, Py_ssize_t number, FirstSplit split, bint is_right, index_t* middle
) noexcept nogil:
    """Write a side of a split to the next level, and the rank in the middle between both sides."""
    cdef const uint64_t* members = work.levels[number].members
    cdef uint64_t* side = work.levels[number + 1].members
    cdef index_t member, rank, next_rank = UNLIMITED
    cdef Py_ssize_t word
    cdef uint64_t unseen
    memset(side, 0, work.n_words * sizeof(uint64_t))
    for word in range(work.n_words):
        unseen = members[word]
        while unseen:
            member = <index_t> (64 * word + trailing_zeros(unseen))
            unseen &= unseen - 1
            rank = work.member_ranks[split.feature, member]
            if rank > split.rank:
                next_rank = min(next_rank, rank)
            if (rank > split.rank) == is_right:
                add_bit(side, member)
    middle[0] = split.rank + (next_rank - 1 - split.rank) // 2


cdef int _write_tree(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
    """Write a tree of a level's members within the budget, if there is one, in preorder."""
    cdef Level* level = &work.levels[number]
    cdef index_t position = work.n_nodes, label
    cdef FirstSplit split
    cdef MemberNode node
    cdef int answer = _solve(work, number, budget)
    if answer != YES:
        return answer
    node.feature = node.rank = node.right = node.label = node.first_wrong = NONE
    node.n_wrong = 0
    reserve(<void**> &work.nodes, &work.nodes_capacity, position + 1, sizeof(MemberNode), b"nodes of a tree")
    work.nodes[position] = node
    work.n_nodes += 1
    if level.n_classes < 2:
        for label in range(<index_t> work.n_classes):
            if work.class_counts[label]:
                work.nodes[position].label = label
        return YES
    split = level.split
    open_level(work, number + 1)
    _divide(work, number, split, False, &node.rank)
    work.nodes[position].feature, work.nodes[position].rank = split.feature, node.rank
    answer = _write_tree(work, number + 1, split.left_budget)
    if answer == YES:
        _divide(work, number, split, True, &node.rank)
        work.nodes[position].right = work.n_nodes
        answer = _write_tree(work, number + 1, budget - 1 - split.left_budget)
    return answer


cdef index_t _most_wrong(WorkingSet work, const index_t* samples, index_t n_samples) noexcept nogil:
    """Return the first wrong sample of the leaf that gets most samples wrong; NONE if no sample is wrong."""
    cdef index_t i, position, most = 0
    cdef MemberNode* node
    for i in range(n_samples):
        position = 0
        while work.nodes[position].feature != NONE:
            node = &work.nodes[position]
            position = position + 1 if work.ranks[node.feature, samples[i]] <= node.rank else node.right
        node = &work.nodes[position]
        if node.label != work.labels[samples[i]]:
            if node.n_wrong == 0:
                node.first_wrong = samples[i]
            node.n_wrong += 1
    for position in range(work.n_nodes):
        if work.nodes[position].n_wrong > work.nodes[most].n_wrong:
            most = position
    return work.nodes[most].first_wrong


cdef int is_feasible(WorkingSet work, const index_t* samples, index_t n_samples, index_t budget) except -1 nogil:
    """Whether the budget is enough for some samples; those that become members for it stay members."""
    cdef index_t i, wrong
    cdef int answer
    while True:
        open_level(work, WHOLE + 1)
        memset(work.levels[WHOLE + 1].members, 0, work.n_words * sizeof(uint64_t))
        for i in range(n_samples):
            if work.member_of[samples[i]] != NONE:
                add_bit(work.levels[WHOLE + 1].members, work.member_of[samples[i]])
        work.n_nodes = 0
        answer = _write_tree(work, WHOLE + 1, budget)
        if answer != YES:
            return answer
        wrong = _most_wrong(work, samples, n_samples)
        if wrong == NONE:
            return YES
        if check_limits(&work.n_steps, n_samples + work.n_features * work.n_members, work.deadline) == STOPPED:
            return STOPPED
        if add_sample(work, wrong) == STOPPED:
            return STOPPED


cdef int choose_split(WorkingSet work, const char* is_in_node, index_t budget, FirstSplit* split) except -1 nogil:
    """Find the lowest feature, and its lowest cut, that leave the samples of a node one split less than the budget."""
    cdef Level* level = &work.levels[WHOLE]
    cdef index_t member
    cdef int64_t number
    cdef int answer
    memset(level.members, 0, work.n_words * sizeof(uint64_t))
    for member in range(work.n_members):
        if is_in_node[work.samples[member]]:
            add_bit(level.members, member)
    level.n_inherited = 0
    for number in range(work.nogoods.n_sets):
        if contains(level.members, work.nogoods.sets + number * work.n_words, work.n_words):
            inherit(level, number)
    level.n_classes = <index_t> work.n_classes
    find_clique(work, level)
    answer = _find_split(work, WHOLE, budget, is_in_node)
    split[0] = level.split
    return answer
