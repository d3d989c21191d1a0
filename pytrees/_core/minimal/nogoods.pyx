"""Whether a number of splits, the budget, is enough for a consistent tree of some samples.

*Decision.* A budget is enough for a set if some cut of a feature leaves two sides that need less than the budget
together. A set needs at least as many splits as each of its parts. Among the cuts of a feature, ascending, the need of
the left side therefore only rises, and the need of the right side only falls: one search by halves for each way to
divide the budget takes the place of a look at all cuts.

*Working set.* The search looks for a tree that is consistent with the members of a working set alone. If no tree within
the budget is, no tree is for all samples. Otherwise a sample that the tree gets wrong becomes a member, until the tree
gets no sample wrong. The recursion has a level for each split on the way down. Level WHOLE holds all samples of a node,
members or not; the sets of deeper levels have members alone.

*Limits.* A limit says how far a side with k splits may reach: with the samples of the limit's rank it needs more than k
splits. Limits come from nogoods, which are sets that are known to need many splits; from the classes that the side has
met; and from cliques, which are members that need a leaf each. Both sides are treated alike, because the right side
counts ranks downwards.

*Nogoods.* A feature has no cut for a set if, for every way to divide the budget, the limits of both sides leave none.
The parts that these limits come from, for all features, make up a nogood, which needs more splits than the budget. The
search drops, one by one, the members that are not needed for this proof, and learns the rest. A set inherits the
nogoods that are part of it.
"""

from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport MOST_LEVELS, NO, STOPPED, YES, check_limits, list_ends
from pytrees._core.minimal.sets cimport add_bit, contains, drop_bit, find_item, holds, take_bit, take_item, unite
from pytrees._core.minimal.working_set cimport (
    WHOLE, FirstSplit, Level, MemberNode, SplitBounds, WorkingSet, add_sample, compare_members, insert_by_rank,
    last_ranks_of, open_level, reserve_limits, reserve_nogood, set_of, witness_of,
)

cdef enum:
    LEFT = 0
    RIGHT = 1
    OF_CLASSES = -1                 # sources of limits; if the source is a nogood, its number stands in their place
    OF_CLIQUE = -2
    OF_NOTHING = -3

# Samples in the order of a feature, as members or as numbers of samples. The filter, a set, leaves some out.
cdef struct Listed:
    const index_t* order
    const index_t* labels
    const index_t* ranks
    const uint64_t* filter
    index_t n_samples

# The numbers of some nogoods.
cdef struct SomeNogoods:
    const index_t* numbers
    index_t n_nogoods


# -------------------------------------------------------------------------------------------------- sets in one feature

cdef inline index_t _seen_from(index_t side, index_t rank) noexcept nogil:
    """Return a rank as a side counts it: the left side upwards, the right side downwards."""
    return ~rank if side == RIGHT else rank


cdef inline Listed _list_members(WorkingSet work, Py_ssize_t feature, const uint64_t* members) noexcept nogil:
    cdef Listed listed
    listed.order, listed.n_samples, listed.filter = &work.member_orders[feature, 0], work.n_members, members
    listed.labels, listed.ranks = &work.member_labels[0], &work.member_ranks[feature, 0]
    return listed


cdef inline Listed _list_level(WorkingSet work, Py_ssize_t number, Py_ssize_t feature) noexcept nogil:
    cdef Listed listed
    if number != WHOLE:
        return _list_members(work, feature, work.levels[number].members)
    listed.order, listed.n_samples, listed.filter = &work.orders[feature, 0], <index_t> work.n_samples, &work.in_node[0]
    listed.labels, listed.ranks = &work.labels[0], &work.ranks[feature, 0]
    return listed


cdef void _list_cuts(Level* level, const Listed* listed) noexcept nogil:
    """List the samples of a level in the order of a feature, and its cuts."""
    cdef index_t i
    level.n_samples = 0
    for i in range(listed.n_samples):
        if holds(listed.filter, listed.order[i]):
            level.order[level.n_samples] = listed.order[i]
            level.n_samples += 1
    level.n_cuts = list_ends(level.order, listed.ranks, level.n_samples, level.ends, level.cut_ranks)


cdef index_t _end_of(const Level* level) noexcept nogil:
    """Return how many samples of a level go left at its split, whose feature is the one listed last."""
    cdef index_t cut = 0
    while level.cut_ranks[cut] != level.split.rank:
        cut += 1
    return level.ends[cut]


cdef index_t _last_rank(WorkingSet work, Py_ssize_t feature, index_t side, const uint64_t* members) noexcept nogil:
    """Return the rank, as a side counts ranks, with which the side has all of some members."""
    cdef const index_t* ranks = &work.member_ranks[feature, 0]
    cdef index_t rank = ~UNLIMITED
    cdef Py_ssize_t word
    cdef uint64_t unseen
    for word in range(work.n_words):
        unseen = members[word]
        while unseen:
            rank = max(rank, _seen_from(side, ranks[64 * word + take_bit(&unseen)]))
    return rank


# ------------------------------------------------------------------------------------------------------------- cliques

cdef void _find_clique(WorkingSet work, Level* level, index_t most) noexcept nogil:
    """Find a clique of up to `most` members of a level: take, again and again, the member that conflicts with most of
    the rest."""
    cdef Py_ssize_t word, other, n_words = work.n_conflict_words
    cdef uint64_t* candidates = level.nogood
    cdef const uint64_t* conflicts
    cdef uint64_t unseen
    cdef index_t member, best, degree, best_degree
    level.clique_size = 0
    memcpy(candidates, level.members, n_words * sizeof(uint64_t))
    while level.clique_size < most:
        best = best_degree = NONE
        for word in range(n_words):
            unseen = candidates[word]
            while unseen:
                member = <index_t> (64 * word + take_bit(&unseen))
                conflicts = &work.conflicts[member, 0]
                degree = 0
                for other in range(n_words):
                    degree += popcount(candidates[other] & conflicts[other])
                if degree > best_degree:
                    best, best_degree = member, degree
        if best == NONE:
            return
        level.clique[level.clique_size] = best
        level.clique_size += 1
        for word in range(n_words):
            candidates[word] &= work.conflicts[best, word]


cdef void _unite_clique(WorkingSet work, uint64_t* members, const index_t* clique, index_t size) noexcept nogil:
    """Add a clique and its witnesses to a set."""
    cdef index_t i, j, witness
    for i in range(size):
        add_bit(members, clique[i])
        for j in range(i):
            witness = witness_of(work, clique[i], clique[j])
            if witness != NONE:
                add_bit(members, witness)


cdef index_t _keep_clique(WorkingSet work, Level* level) noexcept nogil:
    """Copy the part of a level's clique that, with its witnesses, is in the nogood, and return the size of the part."""
    cdef index_t i, j, witness, n_kept = 0
    for i in range(level.clique_size):
        if not holds(level.nogood, level.clique[i]):
            continue
        for j in range(n_kept):
            witness = witness_of(work, level.clique[i], work.kept_clique[j])
            if witness != NONE and not holds(level.nogood, witness):
                break
        else:
            work.kept_clique[n_kept] = level.clique[i]
            n_kept += 1
    return n_kept


# ------------------------------------------------------------------------------------------------------- what is known

cdef int _recall(WorkingSet work, Level* level, index_t budget) noexcept nogil:
    """Return the answer for a level's members, with `split` or `nogood`; STOPPED if it is not known."""
    cdef const SplitBounds* known = <const SplitBounds*> find_item(&work.bounds, level.members)
    if known == NULL or known.least <= budget < known.enough:
        return STOPPED
    if known.enough <= budget:
        level.split = known.split
        return YES
    memcpy(level.nogood, level.members, work.n_words * sizeof(uint64_t))
    return NO


cdef inline int _inherit(Level* level, index_t number) except -1 nogil:
    """Add a nogood to the list of a level."""
    cdef Py_ssize_t wanted = level.n_inherited + 1
    if wanted > level.inherited_capacity:
        reserve(<void**> &level.inherited, &level.inherited_capacity, wanted, sizeof(index_t), b"nogoods of a level")
    level.inherited[level.n_inherited] = number
    level.n_inherited += 1


cdef int _learn_nogood(WorkingSet work, Py_ssize_t number, index_t need) except -1 nogil:
    """Keep the nogood of a level; all levels above it inherit it, as their sets are larger."""
    cdef const uint64_t* members = work.levels[number].nogood
    cdef Py_ssize_t feature, above, n = work.n_features
    cdef index_t* ranks
    if not reserve_nogood(work):
        return 0
    memcpy(set_of(work, work.nogoods.n_sets), members, work.n_words * sizeof(uint64_t))
    ranks = last_ranks_of(work, work.nogoods.n_sets)
    for feature in range(n):
        ranks[2 * feature + LEFT] = _last_rank(work, feature, LEFT, members)
        ranks[2 * feature + RIGHT] = _last_rank(work, feature, RIGHT, members)
    work.nogoods.needs[work.nogoods.n_sets] = need
    for above in range(number):
        _inherit(&work.levels[above], work.nogoods.n_sets)
    work.nogoods.n_sets += 1


cdef int _inherit_nogoods(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
    """List the nogoods that are part of a level's set. Return NO if one of them, now `nogood`, exceeds the budget."""
    cdef Level* level = &work.levels[number]
    cdef const Level* above = &work.levels[number - 1]
    cdef const uint64_t* members
    cdef index_t i
    level.n_inherited = 0
    for i in range(above.n_inherited):
        members = set_of(work, above.inherited[i])
        if contains(level.members, members, work.n_words):
            if work.nogoods.needs[above.inherited[i]] > budget:
                memcpy(level.nogood, members, work.n_words * sizeof(uint64_t))
                return NO
            _inherit(level, above.inherited[i])
    return YES


# ------------------------------------------------------------------------------------------------------ limits of cuts

cdef inline void _lower(index_t* limits, index_t* sources, index_t i, index_t rank, index_t source) noexcept nogil:
    """Lower limit i to a rank, if the rank is lower, and note where the limit comes from."""
    if rank < limits[i]:
        limits[i], sources[i] = rank, source


cdef void _limit_by_inherited(WorkingSet work, Level* level, index_t budget) noexcept nogil:
    """Write, for all features at once, the limits that follow from the nogoods that a level has inherited so far."""
    cdef Py_ssize_t n = 2 * work.n_features, i
    cdef const index_t* ranks
    cdef index_t* limits
    cdef index_t inherited
    for i in range(n * budget):
        level.limits_by_nogoods[i] = UNLIMITED
    level.n_limiting = level.n_inherited
    for inherited in range(level.n_inherited):
        ranks = last_ranks_of(work, level.inherited[inherited])
        limits = level.limits_by_nogoods + n * (min(work.nogoods.needs[level.inherited[inherited]], budget) - 1)
        for i in range(n):
            limits[i] = min(limits[i], ranks[i])


cdef void _limit_by_nogoods(
    WorkingSet work, Level* level, Py_ssize_t feature, SomeNogoods some, index_t budget
) noexcept nogil:
    cdef index_t* limits = level.limits
    cdef index_t* sources = work.sources
    cdef const index_t* ranks
    cdef index_t i, k
    for i in range(some.n_nogoods):
        ranks = last_ranks_of(work, some.numbers[i]) + 2 * feature
        k = min(work.nogoods.needs[some.numbers[i]], budget) - 1
        _lower(limits, sources, 2 * k + LEFT, ranks[LEFT], some.numbers[i])
        _lower(limits, sources, 2 * k + RIGHT, ranks[RIGHT], some.numbers[i])


cdef void _start_limits(WorkingSet work, Level* level, Py_ssize_t feature, index_t budget) noexcept nogil:
    """Write the limits of a feature that follow from nogoods: from those that were known when the features began, and
    from those learned since."""
    cdef SomeNogoods learned
    cdef const index_t* known = level.limits_by_nogoods + 2 * feature
    cdef index_t k, side
    # These limits hold even if the table has forgotten the nogoods that they come from.
    for k in range(budget):
        for side in range(2):
            level.limits[2 * k + side] = known[2 * work.n_features * k + side]
            work.sources[2 * k + side] = OF_NOTHING
    learned.numbers, learned.n_nogoods = level.inherited + level.n_limiting, level.n_inherited - level.n_limiting
    _limit_by_nogoods(work, level, feature, learned, budget)


cdef void _limit_by_classes(
    WorkingSet work, Level* level, const Listed* listed, index_t side, index_t budget
) noexcept nogil:
    """Lower the limits of a side to the ranks at which its samples reach two classes, three, and so on, and note the
    first sample of each class."""
    cdef const index_t* order = listed.order
    cdef const uint64_t* filter = listed.filter
    cdef index_t* counts = &work.class_counts[0]
    cdef index_t i, sample, label, rank, n_found = 0, last = listed.n_samples - 1
    cdef index_t most = min(level.n_classes, budget + 1)
    memset(counts, 0, work.n_classes * sizeof(index_t))
    for i in range(last + 1):
        sample = order[last - i if side == RIGHT else i]
        if not holds(filter, sample):
            continue
        label = listed.labels[sample]
        if counts[label] > 0:
            continue
        counts[label] = 1
        work.first_members[side, n_found] = sample
        rank = _seen_from(side, listed.ranks[sample])
        if n_found > 0:
            _lower(level.limits, work.sources, 2 * (n_found - 1) + side, rank, OF_CLASSES)
        n_found += 1
        if n_found == most:
            return


cdef void _complete_limits(
    WorkingSet work, Level* level, Py_ssize_t feature, const Listed* listed, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Extend the limits of a budget to smaller budgets, and add the limits by classes and by a clique."""
    cdef index_t* limits = level.limits
    cdef index_t* sources = work.sources
    cdef const index_t* ranks = &work.member_ranks[feature, 0]
    cdef index_t i, k
    for i in range(2 * budget - 3, -1, -1):
        _lower(limits, sources, i, limits[i + 2], sources[i + 2])
    _limit_by_classes(work, level, listed, LEFT, budget)
    _limit_by_classes(work, level, listed, RIGHT, budget)
    for i in range(1, clique_size):
        insert_by_rank(ranks, clique, i, clique[i])
    for k in range(min(clique_size - 1, budget)):
        _lower(limits, sources, 2 * k + LEFT, ranks[clique[k + 1]], OF_CLIQUE)
        _lower(limits, sources, 2 * k + RIGHT, _seen_from(RIGHT, ranks[clique[clique_size - 2 - k]]), OF_CLIQUE)


cdef inline bint _may_reach(const Level* level, index_t cut_rank, index_t side, index_t budget) noexcept nogil:
    """Whether its limit lets a side with this budget reach to a cut, which comes after the samples of its rank."""
    if side == LEFT:
        return cut_rank < level.limits[2 * budget + LEFT]
    return cut_rank >= _seen_from(RIGHT, level.limits[2 * budget + RIGHT])


cdef bint _leave_no_cut(const Level* level, index_t budget) noexcept nogil:
    """Whether the limits refute all cuts of a feature, for every way to divide the budget."""
    cdef index_t k
    for k in range(budget):
        if level.limits[2 * k + LEFT] > _seen_from(RIGHT, level.limits[2 * (budget - 1 - k) + RIGHT]):
            return False
    return True


# ------------------------------------------------------------------------------------------------------ a small nogood

cdef void _unite_source(
    WorkingSet work, index_t side, index_t k, index_t source, const index_t* clique, index_t clique_size,
    uint64_t* support,
) noexcept nogil:
    """Add the members that a limit of the feature looked at last comes from."""
    cdef index_t i
    if source >= 0:
        unite(support, set_of(work, source), work.n_words)
    elif source == OF_CLIQUE:
        _unite_clique(work, support, clique + clique_size - k - 2 if side == RIGHT else clique, k + 2)
    elif source == OF_CLASSES:
        for i in range(k + 2):
            add_bit(support, work.first_members[side, i])


cdef bint _is_refuted(
    WorkingSet work, Level* level, Py_ssize_t feature, SomeNogoods some, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Whether a feature has no cut for the nogood; then write the members that prove it, the feature's support."""
    cdef uint64_t* support = &work.supports[feature, 0]
    cdef const index_t* sources = work.sources
    cdef index_t i
    cdef Listed listed = _list_members(work, feature, level.nogood)
    for i in range(2 * budget):
        level.limits[i], work.sources[i] = UNLIMITED, OF_NOTHING
    _limit_by_nogoods(work, level, feature, some, budget)
    _complete_limits(work, level, feature, &listed, clique, clique_size, budget)
    if not _leave_no_cut(level, budget):
        return False
    memset(support, 0, work.n_words * sizeof(uint64_t))
    for i in range(2 * budget):
        # A nogood limits several budgets alike.
        if i < 2 or sources[i] < 0 or sources[i] != sources[i - 2]:
            _unite_source(work, i % 2, i // 2, sources[i], clique, clique_size, support)
    return True


cdef void _support_features(WorkingSet work, Level* level, SomeNogoods some, index_t budget) noexcept nogil:
    """Write the support of every feature of a refuted level, and their union to `nogood`.

    The support is the whole set if the nogoods that the proof rests on have been forgotten.
    """
    cdef Py_ssize_t feature, n_bytes = work.n_words * sizeof(uint64_t)
    memcpy(level.nogood, level.members, n_bytes)
    for feature in range(work.n_features):
        if not _is_refuted(work, level, feature, some, level.clique, level.clique_size, budget):
            memcpy(&work.supports[feature, 0], level.members, n_bytes)
    memset(level.nogood, 0, n_bytes)
    for feature in range(work.n_features):
        unite(level.nogood, &work.supports[feature, 0], work.n_words)


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
    WorkingSet work, SomeNogoods some, const uint64_t* members, index_t* numbers
) noexcept nogil:
    """Write the numbers of those nogoods that are part of a set."""
    cdef SomeNogoods found
    cdef index_t i
    found.numbers, found.n_nogoods = numbers, 0
    for i in range(some.n_nogoods):
        if contains(members, set_of(work, some.numbers[i]), work.n_words):
            numbers[found.n_nogoods] = some.numbers[i]
            found.n_nogoods += 1
    return found


cdef int _shrink(WorkingSet work, Level* level, index_t budget) except -1 nogil:
    """Find a small nogood in a refuted level: without any of its members, some feature would have a cut."""
    cdef SomeNogoods some, fewer
    cdef index_t member, clique_size
    cdef index_t* spare
    cdef Py_ssize_t last_failed = 0
    reserve(<void**> &work.numbers, &work.numbers_capacity, 2 * level.n_inherited, sizeof(index_t), b"nogoods")
    some.numbers, some.n_nogoods = level.inherited, level.n_inherited
    _support_features(work, level, some, budget)
    some = _nogoods_within(work, some, level.nogood, work.numbers)
    spare = work.numbers + level.n_inherited
    for member in range(work.n_members):
        if not holds(level.nogood, member):
            continue
        drop_bit(level.nogood, member)
        clique_size = _keep_clique(work, level)
        fewer = _nogoods_within(work, some, level.nogood, spare)
        if not _is_refuted_without(work, level, member, fewer, clique_size, budget, &last_failed):
            add_bit(level.nogood, member)
            continue
        memcpy(level.clique, &work.kept_clique[0], clique_size * sizeof(index_t))
        level.clique_size = clique_size
        spare = <index_t*> some.numbers
        some = fewer


# ----------------------------------------------------------------------------------------------------------- decisions

cdef int _clear_level(WorkingSet work, Py_ssize_t number) except -1 nogil:
    """Make a level hold the empty set."""
    if work.levels[number].members == NULL:
        open_level(work, number)
    memset(work.levels[number].members, 0, work.n_words * sizeof(uint64_t))


cdef int _take_side(WorkingSet work, Py_ssize_t number, index_t start, index_t stop) except -1 nogil:
    """Make the next level hold the members at start:stop of a level's order."""
    cdef index_t i
    _clear_level(work, number + 1)
    for i in range(start, stop):
        add_bit(work.levels[number + 1].members, work.levels[number].order[i])


cdef int _take_members(WorkingSet work, Py_ssize_t number, const index_t* samples, index_t n_samples) except -1 nogil:
    """Make a level hold those of some samples that are members."""
    cdef index_t i, member
    _clear_level(work, number)
    for i in range(n_samples):
        member = work.member_of[samples[i]]
        if member != NONE:
            add_bit(work.levels[number].members, member)


cdef int _side_is_feasible(
    WorkingSet work, Py_ssize_t number, Py_ssize_t feature, index_t side, index_t cut, index_t budget
) except -1 nogil:
    """Whether the budget is enough for one side of a cut. If not, the side's nogood limits the cuts."""
    cdef Level* level = &work.levels[number]
    cdef index_t start = level.ends[cut] if side == RIGHT else 0, k, rank
    cdef index_t stop = level.n_samples if side == RIGHT else level.ends[cut]
    cdef int answer
    if number == WHOLE:
        answer = is_feasible(work, level.order + start, stop - start, budget)
    else:
        _take_side(work, number, start, stop)
        answer = _solve(work, number + 1, budget)
    if answer == NO:
        rank = _last_rank(work, feature, side, work.levels[number + 1].nogood)
        for k in range(budget + 1):
            level.limits[2 * k + side] = min(level.limits[2 * k + side], rank)
    return answer


cdef int _farthest(
    WorkingSet work, Py_ssize_t number, Py_ssize_t feature, index_t side, index_t budget, index_t other_budget,
    index_t* low, index_t* high,
) except -1 nogil:
    """Narrow the cuts low..high to the cut with the largest side, left or right, that the budget is enough for; then
    low = high. A side needs at least as much as its parts: if the budget is too small for a side, it is too small for
    larger sides."""
    cdef Level* level = &work.levels[number]
    cdef index_t left_budget = budget if side == LEFT else other_budget
    cdef index_t right_budget = budget if side == RIGHT else other_budget
    cdef index_t middle, nearest = NONE     # the feasible cut with the largest side so far
    cdef int answer
    while True:
        while low[0] <= high[0] and not _may_reach(level, level.cut_ranks[low[0]], RIGHT, right_budget):
            low[0] += 1
        while low[0] <= high[0] and not _may_reach(level, level.cut_ranks[high[0]], LEFT, left_budget):
            high[0] -= 1
        if low[0] > high[0]:
            return NO
        if nearest == (low[0] if side == RIGHT else high[0]):
            low[0] = high[0] = nearest
            return YES
        if nearest == NONE and work.is_complete:
            middle = high[0] if side == RIGHT else low[0]
        else:
            middle = low[0] + (high[0] - low[0] + (side == LEFT)) // 2
        answer = _side_is_feasible(work, number, feature, side, middle, budget)
        if answer == STOPPED:
            return STOPPED
        if answer == YES:
            nearest = middle
            if side == RIGHT:
                high[0] = middle
            else:
                low[0] = middle


cdef int _find_cut(WorkingSet work, Py_ssize_t number, Py_ssize_t feature, index_t k, index_t rest) except -1 nogil:
    """Find a cut of a feature whose left side needs at most k splits, and whose right side at most the rest; in level
    WHOLE the lowest of these cuts. Among the cuts that suit the side with fewer splits, only the farthest can suit the
    other side."""
    cdef Level* level = &work.levels[number]
    cdef index_t low = 0, high = level.n_cuts - 1, first = 0, smaller = RIGHT if rest < k else LEFT
    cdef int answer = _farthest(work, number, feature, smaller, min(k, rest), max(k, rest), &low, &high)
    if answer == YES:
        answer = _side_is_feasible(work, number, feature, LEFT + RIGHT - smaller, low, max(k, rest))
    if answer == YES and number == WHOLE and smaller == LEFT:
        answer = _farthest(work, number, feature, RIGHT, rest, k, &first, &high)
        low = first
    if answer == YES:
        level.split.feature, level.split.rank, level.split.left_budget = <index_t> feature, level.cut_ranks[low], k
    return answer


cdef int _find_split(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
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
        listed = _list_level(work, number, feature)
        _start_limits(work, level, feature, budget)
        _complete_limits(work, level, feature, &listed, level.clique, level.clique_size, budget)
        if _leave_no_cut(level, budget):
            continue
        _list_cuts(level, &listed)
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
            member = <index_t> (64 * word + take_bit(&unseen))
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
    answer = _recall(work, level, budget)
    if answer != STOPPED:
        return answer
    if _inherit_nogoods(work, number, budget) == NO:
        return NO
    if number + 1 == MOST_LEVELS:
        work.is_too_deep = True
        return STOPPED
    if work.n_subproblems >= work.most_subproblems:
        return STOPPED
    work.n_subproblems += 1
    _find_clique(work, level, budget + 2)
    if level.clique_size == budget + 2:
        memset(level.nogood, 0, work.n_words * sizeof(uint64_t))
        _unite_clique(work, level.nogood, level.clique, level.clique_size)
        return _learn(work, number, NO, budget)
    if check_limits(
        &work.n_steps,
        work.n_features * (4 * work.n_members + <int64_t> budget * level.n_inherited)
        + work.levels[number - 1].n_inherited,
        work.deadline,
    ) == STOPPED:
        return STOPPED
    answer = _find_split(work, number, budget)
    if answer == NO and work.is_complete:
        memcpy(level.nogood, level.members, work.n_words * sizeof(uint64_t))
    elif answer == NO:
        _shrink(work, level, budget)
    return _learn(work, number, answer, budget)


cdef int _learn(WorkingSet work, Py_ssize_t number, int answer, index_t budget) except -1 nogil:
    """Keep an answer for a level's members, and return it."""
    cdef SplitBounds unknown
    cdef SplitBounds* known
    if answer == STOPPED:
        return STOPPED
    if answer == NO and not work.is_complete:
        _learn_nogood(work, number, budget + 1)
        return NO
    unknown.least, unknown.enough = 0, UNLIMITED
    known = <SplitBounds*> take_item(&work.bounds, work.levels[number].members, &unknown)
    if known != NULL and answer == NO:
        known.least = max(known.least, budget + 1)
    elif known != NULL and budget < known.enough:
        known.enough, known.split = budget, work.levels[number].split
    return answer


# --------------------------------------------------------------------------------------------------------- all samples

cdef int _write_tree(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
    """Write a tree of a level's members within the budget, if there is one, in preorder."""
    cdef Level* level = &work.levels[number]
    cdef index_t position = work.n_nodes, label, end
    cdef FirstSplit split
    cdef Listed listed
    cdef int answer = _solve(work, number, budget)
    if answer != YES:
        return answer
    reserve(<void**> &work.nodes, &work.nodes_capacity, position + 1, sizeof(MemberNode), b"nodes of a tree")
    work.nodes[position] = MemberNode(NONE, NONE, NONE, NONE, 0, NONE)
    work.n_nodes += 1
    if level.n_classes < 2:
        for label in range(<index_t> work.n_classes):
            if work.class_counts[label]:
                work.nodes[position].label = label
        return YES
    split = level.split
    listed = _list_level(work, number, split.feature)
    _list_cuts(level, &listed)
    end = _end_of(level)
    # Ranks between both sides go left up to the middle.
    work.nodes[position].feature = split.feature
    work.nodes[position].rank = split.rank + (listed.ranks[level.order[end]] - 1 - split.rank) // 2
    _take_side(work, number, 0, end)
    answer = _write_tree(work, number + 1, split.left_budget)
    if answer == YES:
        _take_side(work, number, end, level.n_samples)
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
    cdef index_t wrong
    cdef int answer
    while True:
        _take_members(work, WHOLE + 1, samples, n_samples)
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


cdef int choose_split(
    WorkingSet work, const index_t* samples, index_t n_samples, index_t budget, NodeSplit* split
) except -1 nogil:
    """Find the lowest feature, and its lowest cut, that leave the samples of a node one split less than the budget."""
    cdef Level* level = &work.levels[WHOLE]
    cdef index_t i, number, end
    cdef int answer
    memset(&work.in_node[0], 0, work.in_node.shape[0] * sizeof(uint64_t))
    for i in range(n_samples):
        add_bit(&work.in_node[0], samples[i])
    _take_members(work, WHOLE, samples, n_samples)
    level.n_inherited = 0
    for number in range(work.nogoods.n_sets):
        if contains(level.members, set_of(work, number), work.n_words):
            _inherit(level, number)
    level.n_classes = <index_t> work.n_classes
    _find_clique(work, level, UNLIMITED)
    answer = _find_split(work, WHOLE, budget)
    if answer == YES:
        end = _end_of(level)
        split.feature, split.left_budget = level.split.feature, level.split.left_budget
        split.below, split.above = level.order[end - 1], level.order[end]
    return answer


cdef int raise_to_clique(WorkingSet work, index_t* n_splits) except -1 nogil:
    """Raise a number of splits to what a clique among all members needs. Return STOPPED if the time is over."""
    cdef Level* level = &work.levels[WHOLE + 1]
    if compare_members(work) == STOPPED:
        return STOPPED
    _take_members(work, WHOLE + 1, &work.orders[0, 0], <index_t> work.n_samples)
    _find_clique(work, level, UNLIMITED)
    n_splits[0] = max(n_splits[0], level.clique_size - 1)
    return NO
