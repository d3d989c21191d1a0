"""Whether rows can be told apart by so many splits, by way of few of them and of the hard sets that the search learns.

*Called rows.* A tree is looked for that is consistent with the called rows alone, few at first. If there is none of so
many splits, there is none for all rows. If there is one, a row that it gets wrong is called, until it gets none wrong.

*Hard sets.* A set of rows needs more splits than a budget where in every feature, for every way to divide the budget, a
set that needs too many lies before one that does: every cut leaves one of them on one side. The rows of these sets
together need more than the budget, and so does every set that holds them. Of the rows of a node that has been refuted,
those are left out one by one that are not needed for this; what remains is learned. A node inherits the hard sets that
it holds, and cuts that leave one on a side that it is too much for are not looked at.
"""

from libc.string cimport memcpy, memset

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.minimal.called_rows cimport (
    MOST_LEVELS, NO, STOPPED, WHOLE, YES, CalledNode, CalledRows, FirstSplit, Level, Listed, SomeSets,
    call_row, check_limits, contains, drop_bit, find_clique, inherit, inherit_hard, is_easy, keep_clique,
    learn_easy, learn_hard, open_level, rank_of, reserve_limits, trailing_zeros, unite, unite_clique
)
from pytrees._core.minimal.sets cimport add_bit, holds

cdef enum:
    OF_CLASSES = -1                 # what a limit of a cut comes from, beside numbers of hard sets
    OF_CLIQUE = -2
    OF_NOTHING = -3


# --------------------------------------------------------------------------------------- what leaves a feature no cut

cdef void _list_cuts(CalledRows search, Py_ssize_t number, Py_ssize_t feature, const char* is_member) noexcept nogil:
    """List the rows of a level in the order of a feature, and its cuts."""
    cdef Level* level = &search.levels[number]
    cdef const index_t* order = search.called_orders + feature * 64 * search.n_words
    cdef const index_t* ranks = search.called_ranks + feature * 64 * search.n_words
    cdef index_t i, n = 0, cut = 0
    if number == WHOLE:
        order, ranks = &search.orders[feature, 0], &search.ranks[feature, 0]
        for i in range(<index_t> search.n_rows):
            if is_member[order[i]]:
                level.order[n] = order[i]
                n += 1
    else:
        for i in range(search.n_called):
            if holds(level.rows, order[i]):
                level.order[n] = order[i]
                n += 1
    level.n_rows = n
    for i in range(1, n):
        if ranks[level.order[i]] != ranks[level.order[i - 1]]:
            level.ends[cut] = i
            level.cut_ranks[cut] = ranks[level.order[i - 1]]
            cut += 1
    level.n_cuts = cut


cdef inline void _lower(index_t* limit, index_t* source, index_t rank, index_t number) noexcept nogil:
    if rank < limit[0]:
        limit[0], source[0] = rank, number


cdef inline void _raise(index_t* limit, index_t* source, index_t rank, index_t number) noexcept nogil:
    if rank > limit[0]:
        limit[0], source[0] = rank, number


cdef inline Listed _list_called(CalledRows search, Py_ssize_t feature, const index_t* order) noexcept nogil:
    cdef Listed listed
    listed.order, listed.n_rows, listed.rows = order, search.n_called, <const uint64_t*> NULL
    listed.labels = search.called_labels
    listed.ranks = search.called_ranks + feature * 64 * search.n_words
    return listed


cdef inline index_t _next_class(CalledRows search, const Listed* listed, bint is_right, index_t* place) noexcept nogil:
    """Return the next row, from one end on, of a class not met before, and count the class; NONE at the other end."""
    cdef index_t row, label
    while place[0] < listed.n_rows:
        row = listed.order[listed.n_rows - 1 - place[0] if is_right else place[0]]
        place[0] += 1
        if listed.rows != NULL and not holds(listed.rows, row):
            continue
        label = listed.labels[row]
        if search.class_counts[label] == 0:
            search.class_counts[label] = 1
            return row
    return NONE


cdef void _limit_by_classes(
    CalledRows search, const Listed* listed, bint is_right, index_t most, index_t* limits, index_t* sources
) noexcept nogil:
    """Note where the rows from one end on have two classes, three, and so on up to `most`; and the first of each."""
    cdef index_t row, n_found, place = 0
    cdef index_t* first_rows = search.right_rows if is_right else search.left_rows
    memset(search.class_counts, 0, search.n_classes * sizeof(index_t))
    for n_found in range(1, most + 1):
        row = _next_class(search, listed, is_right, &place)
        if row == NONE:
            return
        first_rows[n_found - 1] = row
        if n_found >= 2 and is_right:
            _raise(&limits[n_found - 2], &sources[n_found - 2], listed.ranks[row], OF_CLASSES)
        elif n_found >= 2:
            _lower(&limits[n_found - 2], &sources[n_found - 2], listed.ranks[row], OF_CLASSES)


cdef void _sort_clique(CalledRows search, Py_ssize_t feature, index_t* clique, index_t size) noexcept nogil:
    cdef index_t i, place, bit
    for i in range(1, size):
        bit = clique[i]
        place = i
        while place > 0 and rank_of(search, feature, clique[place - 1]) > rank_of(search, feature, bit):
            clique[place] = clique[place - 1]
            place -= 1
        clique[place] = bit


cdef void _limit_by_inherited(CalledRows search, Level* level, index_t budget) noexcept nogil:
    """Write, for all features, what follows from the hard sets that a level has inherited."""
    cdef Py_ssize_t n = search.n_features, feature
    cdef const index_t* ranks
    cdef index_t* high
    cdef index_t* low
    cdef int64_t i
    for i in range(n * budget):
        level.high_by_sets[i], level.low_by_sets[i] = UNLIMITED, NONE
    level.n_limiting = level.n_inherited
    for i in range(level.n_inherited):
        ranks = search.hard.ranks + 2 * n * level.inherited[i]
        high = level.high_by_sets + n * (min(search.hard.needs[level.inherited[i]], budget) - 1)
        low = level.low_by_sets + n * (min(search.hard.needs[level.inherited[i]], budget) - 1)
        for feature in range(n):
            low[feature] = max(low[feature], ranks[feature])
        ranks += n
        for feature in range(n):
            high[feature] = min(high[feature], ranks[feature])


cdef void _start_limits(CalledRows search, Level* level, Py_ssize_t feature, index_t budget) noexcept nogil:
    """Write what follows for a feature from hard sets, those included that have been learned since the search began."""
    cdef Py_ssize_t n = search.n_features
    cdef index_t k
    cdef int64_t i, number
    for k in range(budget):
        level.high[k], level.low[k] = level.high_by_sets[n * k + feature], level.low_by_sets[n * k + feature]
        search.sources[k] = search.sources[budget + k] = OF_NOTHING
    # Where everything has been forgotten in the meantime, what follows from it holds nevertheless.
    for i in range(level.n_limiting, level.n_inherited):
        number = level.inherited[i]
        k = min(search.hard.needs[number], budget) - 1
        level.high[k] = min(level.high[k], search.hard.ranks[(2 * number + 1) * n + feature])
        level.low[k] = max(level.low[k], search.hard.ranks[2 * number * n + feature])


cdef void _limit_by_candidates(
    CalledRows search, Level* level, Py_ssize_t feature, const SomeSets* sets, index_t budget
) noexcept nogil:
    """Write what follows for a feature from some of the candidates, and from which."""
    cdef const index_t* lowest = search.candidate_ranks + feature * search.n_candidates
    cdef const index_t* highest = lowest + search.n_features * search.n_candidates
    cdef index_t* high_sources = search.sources
    cdef index_t* low_sources = search.sources + budget
    cdef index_t k, need, place, least, least_place, greatest, greatest_place
    cdef int64_t i = 0
    for k in range(budget):
        level.high[k], level.low[k] = UNLIMITED, NONE
        high_sources[k] = low_sources[k] = OF_NOTHING
    # Candidates of one need stand beside each other.
    while i < sets.n_sets:
        need = search.candidate_needs[sets.places[i]]
        least, least_place, greatest, greatest_place = UNLIMITED, OF_NOTHING, NONE, OF_NOTHING
        while i < sets.n_sets and search.candidate_needs[sets.places[i]] == need:
            place = sets.places[i]
            _lower(&least, &least_place, highest[place], place)
            _raise(&greatest, &greatest_place, lowest[place], place)
            i += 1
        k = min(need, budget) - 1
        _lower(&level.high[k], &high_sources[k], least, least_place)
        _raise(&level.low[k], &low_sources[k], greatest, greatest_place)


cdef void _complete_limits(
    CalledRows search, Level* level, Py_ssize_t feature, const Listed* listed, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Let limits of a budget hold for smaller ones, and add those that follow from classes and from a clique."""
    cdef index_t* high = level.high
    cdef index_t* low = level.low
    cdef index_t* high_sources = search.sources
    cdef index_t* low_sources = search.sources + budget
    cdef index_t k
    for k in range(budget - 2, -1, -1):
        _lower(&high[k], &high_sources[k], high[k + 1], high_sources[k + 1])
        _raise(&low[k], &low_sources[k], low[k + 1], low_sources[k + 1])
    _limit_by_classes(search, listed, False, min(level.n_classes, budget + 1), high, high_sources)
    _limit_by_classes(search, listed, True, min(level.n_classes, budget + 1), low, low_sources)
    _sort_clique(search, feature, clique, clique_size)
    for k in range(min(clique_size - 1, budget)):
        _lower(&high[k], &high_sources[k], rank_of(search, feature, clique[k + 1]), OF_CLIQUE)
        _raise(&low[k], &low_sources[k], rank_of(search, feature, clique[clique_size - 2 - k]), OF_CLIQUE)


cdef bint _leave_no_cut(const Level* level, index_t budget) noexcept nogil:
    """Whether the limits of a feature's cuts refute it, however the budget is divided."""
    cdef index_t k
    for k in range(budget):
        if level.high[k] > level.low[budget - 1 - k]:
            return False
    return True


cdef void _unite_source(
    CalledRows search, bint is_right, index_t k, index_t source, const index_t* clique, index_t clique_size,
    uint64_t* support,
) noexcept nogil:
    """Add the rows that a limit comes from, the last that has been asked for."""
    cdef index_t i
    if source >= 0:
        unite(support, search.hard.rows + search.candidates[source] * search.n_words, search.n_words)
    elif source == OF_CLIQUE:
        unite_clique(search, support, clique + clique_size - k - 2 if is_right else clique, k + 2)
    elif source == OF_CLASSES:
        for i in range(k + 2):
            add_bit(support, search.right_rows[i] if is_right else search.left_rows[i])


cdef bint _is_refuted(
    CalledRows search, Level* level, Py_ssize_t feature, SomeSets sets, index_t* clique, index_t clique_size,
    index_t budget,
) noexcept nogil:
    """Whether what is known leaves no cut of a feature; then write the rows that this rests on, its support."""
    cdef uint64_t* support = search.supports + feature * search.n_words
    cdef const index_t* sources = search.sources
    cdef index_t k
    cdef Listed listed = _list_called(search, feature, search.kept_orders + feature * 64 * search.n_words)
    listed.rows, listed.n_rows = level.hard, level.n_kept
    _limit_by_candidates(search, level, feature, &sets, budget)
    _complete_limits(search, level, feature, &listed, clique, clique_size, budget)
    if not _leave_no_cut(level, budget):
        return False
    memset(support, 0, search.n_words * sizeof(uint64_t))
    for k in range(budget):
        if k == 0 or sources[k] < 0 or sources[k] != sources[k - 1]:
            _unite_source(search, False, k, sources[k], clique, clique_size, support)
        if k == 0 or sources[budget + k] < 0 or sources[budget + k] != sources[budget + k - 1]:
            _unite_source(search, True, k, sources[budget + k], clique, clique_size, support)
    return True


cdef void _keep_orders(CalledRows search, Level* level) noexcept nogil:
    """List the hard rows of a level in the order of every feature."""
    cdef Py_ssize_t feature
    cdef const index_t* order
    cdef index_t* kept
    cdef index_t i
    for feature in range(search.n_features):
        order = search.called_orders + feature * 64 * search.n_words
        kept = search.kept_orders + feature * 64 * search.n_words
        level.n_kept = 0
        for i in range(search.n_called):
            if holds(level.hard, order[i]):
                kept[level.n_kept] = order[i]
                level.n_kept += 1


cdef void _support_features(CalledRows search, Level* level, SomeSets sets, index_t budget) noexcept nogil:
    """Write the support of every feature of a level that has been refuted, and their union to `hard`. Where what it
    rests on has been forgotten, that is all rows."""
    cdef Py_ssize_t feature, n_bytes = search.n_words * sizeof(uint64_t)
    memcpy(level.hard, level.rows, n_bytes)
    _keep_orders(search, level)
    for feature in range(search.n_features):
        if not _is_refuted(search, level, feature, sets, level.clique, level.clique_size, budget):
            memcpy(search.supports + feature * search.n_words, level.rows, n_bytes)
    memset(level.hard, 0, n_bytes)
    for feature in range(search.n_features):
        unite(level.hard, search.supports + feature * search.n_words, search.n_words)
    _keep_orders(search, level)


cdef bint _is_refuted_without(
    CalledRows search, Level* level, index_t bit, SomeSets sets, index_t clique_size, index_t budget,
    Py_ssize_t* last_failed
) noexcept nogil:
    """Whether every feature is refuted without a row, which `hard` has lost. The feature that failed last is tried
    first."""
    cdef Py_ssize_t turn, feature
    for turn in range(search.n_features):
        feature = (last_failed[0] + turn) % search.n_features
        if holds(search.supports + feature * search.n_words, bit) and not _is_refuted(
            search, level, feature, sets, level.kept_clique, clique_size, budget
        ):
            last_failed[0] = feature
            return False
    return True


cdef SomeSets _sets_within(CalledRows search, SomeSets sets, const uint64_t* rows, index_t* places) noexcept nogil:
    """List those candidates that some rows hold."""
    cdef SomeSets found
    cdef int64_t i
    found.places, found.n_sets = places, 0
    for i in range(sets.n_sets):
        if contains(rows, search.hard.rows + search.candidates[sets.places[i]] * search.n_words, search.n_words):
            places[found.n_sets] = sets.places[i]
            found.n_sets += 1
    return found


cdef int _reserve_candidates(CalledRows search, int64_t n_sets) except -1 nogil:
    cdef Py_ssize_t capacity = search.candidates_capacity
    reserve(<void**> &search.candidates, &capacity, n_sets, sizeof(int64_t), b"hard sets of a level")
    search.candidates_capacity, capacity = capacity, search.needs_capacity
    reserve(<void**> &search.candidate_needs, &capacity, n_sets, sizeof(index_t), b"hard sets of a level")
    search.needs_capacity, capacity = capacity, search.places_capacity
    reserve(<void**> &search.places, &capacity, 2 * n_sets, sizeof(index_t), b"hard sets of a level")
    search.places_capacity, capacity = capacity, search.candidate_ranks_capacity
    reserve(
        <void**> &search.candidate_ranks, &capacity, 2 * search.n_features * n_sets, sizeof(index_t),
        b"hard sets of a level",
    )
    search.candidate_ranks_capacity = capacity
    return 0


cdef SomeSets _list_candidates(CalledRows search, const Level* level, index_t budget) noexcept nogil:
    """List the hard sets of a level by what they need, by counting, and copy their ranks, feature by feature."""
    cdef Py_ssize_t n = search.n_features, feature
    cdef index_t* starts = search.sources
    cdef index_t need, place
    cdef int64_t i
    cdef const index_t* ranks
    cdef SomeSets sets
    memset(starts, 0, budget * sizeof(index_t))
    for i in range(level.n_inherited):
        need = min(search.hard.needs[level.inherited[i]], budget)
        if need < budget:
            starts[need] += 1
    for need in range(1, budget):
        starts[need] += starts[need - 1]
    search.n_candidates = level.n_inherited
    for i in range(level.n_inherited):
        need = min(search.hard.needs[level.inherited[i]], budget)
        place = starts[need - 1]
        starts[need - 1] += 1
        search.places[i] = <index_t> i
        search.candidates[place], search.candidate_needs[place] = level.inherited[i], need
        ranks = search.hard.ranks + 2 * n * level.inherited[i]
        for feature in range(2 * n):
            search.candidate_ranks[feature * search.n_candidates + place] = ranks[feature]
    sets.places, sets.n_sets = search.places, level.n_inherited
    return sets


cdef int _shrink(CalledRows search, Py_ssize_t number, index_t budget) except -1 nogil:
    """Find a small hard set among the rows of a level that has been refuted: without any one of its rows, what is known
    would leave a cut."""
    cdef Level* level = &search.levels[number]
    cdef SomeSets sets, fewer
    cdef index_t bit, clique_size
    cdef index_t* spare
    cdef Py_ssize_t last_failed = 0
    _reserve_candidates(search, level.n_inherited)
    sets = _list_candidates(search, level, budget)
    _support_features(search, level, sets, budget)
    sets = _sets_within(search, sets, level.hard, search.places)
    spare = search.places + level.n_inherited
    for bit in range(search.n_called):
        if not holds(level.hard, bit):
            continue
        drop_bit(level.hard, bit)
        clique_size = keep_clique(search, level)
        fewer = _sets_within(search, sets, level.hard, spare)
        if not _is_refuted_without(search, level, bit, fewer, clique_size, budget, &last_failed):
            add_bit(level.hard, bit)
            continue
        memcpy(level.clique, level.kept_clique, clique_size * sizeof(index_t))
        level.clique_size = clique_size
        spare = <index_t*> sets.places
        sets = fewer
    return 0


# ----------------------------------------------------------------------------------------------------------- decisions

cdef int _side_allows(
    CalledRows search, Py_ssize_t number, Py_ssize_t feature, bint is_right, index_t cut, index_t budget
) except -1 nogil:
    """Whether one side of a cut needs no more splits than the budget. If it does, that limits the cuts."""
    cdef Level* level = &search.levels[number]
    cdef Level* below = &search.levels[number + 1]
    cdef index_t start = level.ends[cut] if is_right else 0, stop = level.n_rows if is_right else level.ends[cut], i, k
    cdef index_t rank, limit = UNLIMITED if is_right else NONE
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef int answer
    open_level(search, number + 1)
    if number == WHOLE:
        answer = decide_rows(search, level.order + start, stop - start, budget)
    else:
        memset(below.rows, 0, search.n_words * sizeof(uint64_t))
        for i in range(start, stop):
            add_bit(below.rows, level.order[i])
        answer = _decide(search, number + 1, budget)
    if answer != NO:
        return answer
    for word in range(search.n_words):
        unseen = below.hard[word]
        while unseen:
            rank = rank_of(search, feature, <index_t> (64 * word + trailing_zeros(unseen)))
            unseen &= unseen - 1
            limit = min(limit, rank) if is_right else max(limit, rank)
    for k in range(budget + 1):
        if is_right:
            level.low[k] = max(level.low[k], limit)
        else:
            level.high[k] = min(level.high[k], limit)
    return NO


cdef int _farthest(
    CalledRows search, Py_ssize_t number, Py_ssize_t feature, bint is_right, index_t budget, index_t other_budget,
    index_t* low, index_t* high,
) except -1 nogil:
    """Narrow cuts low..high to the one with the largest left side, or right side, that the budget allows, which is then
    low = high. A side needs no less than a part of it does: where one is too large, larger ones are too."""
    cdef Level* level = &search.levels[number]
    cdef index_t middle, nearest = NONE     # of the cuts that the budget is known to allow, that of the largest side
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
        middle = low[0] + (high[0] - low[0] + (not is_right)) // 2
        answer = _side_allows(search, number, feature, is_right, middle, budget)
        if answer == STOPPED:
            return STOPPED
        if answer == YES:
            nearest = middle
            if is_right:
                high[0] = middle
            else:
                low[0] = middle


cdef int _find_cut(
    CalledRows search, Py_ssize_t number, Py_ssize_t feature, index_t k, index_t rest
) except -1 nogil:
    """Find a cut of a feature whose left side needs no more than k splits, and its right side no more than the rest;
    in level WHOLE the lowest. Of the cuts that leave the side with fewer splits enough, only the farthest can do."""
    cdef Level* level = &search.levels[number]
    cdef index_t low = 0, high = level.n_cuts - 1, first
    cdef bint right_is_smaller = rest < k
    cdef int answer = _farthest(search, number, feature, right_is_smaller, min(k, rest), max(k, rest), &low, &high)
    if answer == YES:
        answer = _side_allows(search, number, feature, not right_is_smaller, low, max(k, rest))
    if answer == YES and number == WHOLE and not right_is_smaller:
        first = 0
        answer = _farthest(search, number, feature, True, rest, k, &first, &high)
        low = first
    if answer == YES:
        level.split.feature, level.split.rank, level.split.left_budget = <index_t> feature, level.cut_ranks[low], k
    return answer


cdef int _find_split(
    CalledRows search, Py_ssize_t number, index_t budget, const char* is_member
) except -1 nogil:
    """Find the first split of a tree of so many: of the lowest feature and, in level WHOLE, at its lowest cut."""
    cdef Level* level = &search.levels[number]
    cdef Listed listed
    cdef Py_ssize_t feature
    cdef index_t k
    cdef int answer
    _limit_by_inherited(search, level, budget)
    for feature in range(search.n_features):
        if number == WHOLE:
            _list_cuts(search, number, feature, is_member)
            listed.order, listed.n_rows, listed.rows = level.order, level.n_rows, <const uint64_t*> NULL
            listed.labels, listed.ranks = &search.labels[0], &search.ranks[feature, 0]
        else:
            listed = _list_called(search, feature, search.called_orders + feature * 64 * search.n_words)
            listed.rows = level.rows
        _start_limits(search, level, feature, budget)
        _complete_limits(search, level, feature, &listed, level.clique, level.clique_size, budget)
        if _leave_no_cut(level, budget):
            continue
        if number != WHOLE:
            _list_cuts(search, number, feature, NULL)
        for k in range(budget):
            answer = _find_cut(search, number, feature, k, budget - 1 - k)
            if answer != NO:
                return answer
    return NO


cdef index_t _count_classes(CalledRows search, const uint64_t* rows, index_t most, uint64_t* found) noexcept nogil:
    """Return the number of classes, up to one more than `most`, and write a row of each."""
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef index_t n_found = 0, bit, label
    memset(search.class_counts, 0, search.n_classes * sizeof(index_t))
    memset(found, 0, search.n_words * sizeof(uint64_t))
    for word in range(search.n_words):
        unseen = rows[word]
        while unseen and n_found <= most:
            bit = <index_t> (64 * word + trailing_zeros(unseen))
            unseen &= unseen - 1
            label = search.called_labels[bit]
            if search.class_counts[label] == 0:
                search.class_counts[label] = 1
                n_found += 1
                add_bit(found, bit)
    return n_found


cdef int _decide(CalledRows search, Py_ssize_t number, index_t budget) except -1 nogil:
    """Whether so many splits are enough for the called rows of a level. If not, `hard` is a part for which they are
    not; if so, and there is more than one class, `split` is the first split."""
    cdef Level* level = &search.levels[number]
    cdef index_t n_found = _count_classes(search, level.rows, budget + 1, level.hard)
    cdef int answer
    level.n_classes = n_found
    if n_found - 1 > budget:
        return NO
    level.n_inherited = 0
    if n_found <= 1 or is_easy(search, level, budget):
        return YES
    if inherit_hard(search, number, budget) == NO:
        return NO
    if number + 1 == MOST_LEVELS or search.n_subproblems >= search.most_subproblems:
        return STOPPED
    search.n_subproblems += 1
    find_clique(search, level)
    if level.clique_size - 1 > budget:
        memset(level.hard, 0, search.n_words * sizeof(uint64_t))
        unite_clique(search, level.hard, level.clique, budget + 2)
        learn_hard(search, number, budget + 1)
        return NO
    if check_limits(
        search, search.n_features * (4 * search.n_called + budget * level.n_inherited)
        + search.levels[number - 1].n_inherited
    ) == STOPPED:
        return STOPPED
    reserve_limits(search, level, budget)
    answer = _find_split(search, number, budget, NULL)
    if answer == YES:
        learn_easy(search, level.rows, budget, level.split)
    elif answer == NO:
        _shrink(search, number, budget)
        learn_hard(search, number, budget + 1)
    return answer


# ------------------------------------------------------------------------------------------------------------ all rows

cdef void _divide(
    CalledRows search, Py_ssize_t number, FirstSplit split, bint is_right, index_t* middle
) noexcept nogil:
    """Write a side of a split to the next level, and the rank in the middle between both sides."""
    cdef const uint64_t* rows = search.levels[number].rows
    cdef uint64_t* side = search.levels[number + 1].rows
    cdef index_t bit, rank, next_rank = UNLIMITED
    cdef Py_ssize_t word
    cdef uint64_t unseen
    memset(side, 0, search.n_words * sizeof(uint64_t))
    for word in range(search.n_words):
        unseen = rows[word]
        while unseen:
            bit = <index_t> (64 * word + trailing_zeros(unseen))
            unseen &= unseen - 1
            rank = rank_of(search, split.feature, bit)
            if rank > split.rank:
                next_rank = min(next_rank, rank)
            if (rank > split.rank) == is_right:
                add_bit(side, bit)
    middle[0] = split.rank + (next_rank - 1 - split.rank) // 2


cdef int _write_tree(CalledRows search, Py_ssize_t number, index_t budget) except -1 nogil:
    """Write a tree of the called rows of a level, for which so many splits are enough, in preorder."""
    cdef Level* level = &search.levels[number]
    cdef index_t place = search.n_nodes, label
    cdef Py_ssize_t capacity = search.nodes_capacity
    cdef FirstSplit split
    cdef CalledNode node
    cdef int answer = _decide(search, number, budget)
    if answer != YES:
        return answer
    node.feature = node.rank = node.right = node.label = node.first_wrong = NONE
    node.n_wrong = 0
    reserve(<void**> &search.nodes, &capacity, place + 1, sizeof(CalledNode), b"nodes of a tree")
    search.nodes_capacity = <index_t> capacity
    search.nodes[place] = node
    search.n_nodes += 1
    if _count_classes(search, level.rows, 1, level.hard) < 2:
        for label in range(<index_t> search.n_classes):
            if search.class_counts[label]:
                search.nodes[place].label = label
        return YES
    split = level.split
    open_level(search, number + 1)
    _divide(search, number, split, False, &node.rank)
    search.nodes[place].feature, search.nodes[place].rank = split.feature, node.rank
    answer = _write_tree(search, number + 1, split.left_budget)
    if answer == YES:
        _divide(search, number, split, True, &node.rank)
        search.nodes[place].right = search.n_nodes
        answer = _write_tree(search, number + 1, budget - 1 - split.left_budget)
    return answer


cdef index_t _most_wrong(CalledRows search, const index_t* rows, index_t n_rows) noexcept nogil:
    """Return the first row of the leaf that gets most rows wrong; NONE where none are wrong."""
    cdef index_t i, place, most = 0
    cdef CalledNode* node
    for i in range(n_rows):
        place = 0
        while search.nodes[place].feature != NONE:
            node = &search.nodes[place]
            place = place + 1 if search.ranks[node.feature, rows[i]] <= node.rank else node.right
        node = &search.nodes[place]
        if node.label != search.labels[rows[i]]:
            if node.n_wrong == 0:
                node.first_wrong = rows[i]
            node.n_wrong += 1
    for place in range(search.n_nodes):
        if search.nodes[place].n_wrong > search.nodes[most].n_wrong:
            most = place
    return search.nodes[most].first_wrong


cdef int decide_rows(CalledRows search, const index_t* rows, index_t n_rows, index_t budget) except -1 nogil:
    """Whether so many splits are enough for some of all rows; those that are called stay so."""
    cdef index_t i, wrong
    cdef int answer
    while True:
        open_level(search, WHOLE + 1)
        memset(search.levels[WHOLE + 1].rows, 0, search.n_words * sizeof(uint64_t))
        for i in range(n_rows):
            if search.bit_of[rows[i]] != NONE:
                add_bit(search.levels[WHOLE + 1].rows, search.bit_of[rows[i]])
        search.n_nodes = 0
        answer = _write_tree(search, WHOLE + 1, budget)
        if answer != YES:
            return answer
        wrong = _most_wrong(search, rows, n_rows)
        if wrong == NONE:
            return YES
        if check_limits(search, n_rows + search.n_features * search.n_called) == STOPPED:
            return STOPPED
        call_row(search, wrong)


cdef int choose_split(CalledRows search, const char* is_member, index_t budget, FirstSplit* split) except -1 nogil:
    """Find the lowest feature, and its lowest cut, that leave some of all rows one split less than the budget."""
    cdef Level* level = &search.levels[WHOLE]
    cdef index_t bit
    cdef int64_t number
    cdef int answer
    memset(level.rows, 0, search.n_words * sizeof(uint64_t))
    for bit in range(search.n_called):
        if is_member[search.called[bit]]:
            add_bit(level.rows, bit)
    level.n_inherited = 0
    for number in range(search.hard.n_sets):
        if contains(level.rows, search.hard.rows + number * search.n_words, search.n_words):
            inherit(level, number)
    level.n_classes = <index_t> search.n_classes
    reserve_limits(search, level, budget)
    answer = _find_split(search, WHOLE, budget, is_member)
    split[0] = level.split
    return answer
