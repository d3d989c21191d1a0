"""Which rows does a node have, and in which order are they by each feature?

`RowPartition` holds the rows of one tree, of the table in `features.pxd`. The array `rows` lists the rows, and a node
is a range [start, stop) of this list. A split reorders the range: the rows that go left come first, and both sides keep
their order.

The features of a node are sorted in one of two ways.

- Blocks. Growth opens a block at a node: every feature of the block's rows is sorted once, and splits below the node
  divide the sorted features as they divide the rows. In a block, a row is called by its place: the row's number among
  the block's rows when the block was opened. An entry is one number that packs a place below its value's rank, so that
  sorted entries are in the order of the values. Entries have 32 bits if places and ranks fit 16 bits each (narrow),
  otherwise 64 bits (wide). Block follows block, inside a block feature follows feature, and entry follows entry:

      block 0: feature 0: | node | node | node |  feature 1: | node | node | node |  ...  block 1: ...

  so that a node has the same range [start, stop) in `rows` and in every feature of its block.
- Ranks. If nodes look at few of many features, all values are ranked once for all trees. A node's entries are then
  sorted whenever they are asked for.

Missing values are NaN, and the last in every order.
"""

cimport cython

from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.sizes cimport MOST_IN_FEW
from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport float64_t, index_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from pytrees._core.rows.features cimport ENTRIES_BETWEEN_CHECKS, Features, is_ranked


cdef enum:
    # Entries behind the entries of all blocks, which vectors may read.
    ENTRIES_BEHIND = 8


ctypedef fused Sample:
    index_t         # a row
    uint32_t        # an entry
    uint64_t


# The rows of a subtree at the time its features were sorted: a place is a row's number among them, in their order.
cdef struct Block:
    index_t start, stop


@cython.final
cdef class RowPartition:
    """The rows of all nodes. Outside a block, a node's range of `rows` holds rows. Inside a block, the range holds
    places, and the range of every feature's entries holds the same places in ascending order of the value, equal values
    in the order of `rows`.

    If the features are ranked, there is one block: all rows, each at its own place. The entries of a node are then
    valid until others are made."""

    cdef readonly Py_ssize_t n_rows, n_features
    cdef Features features
    cdef index_t[::1] rows, spare_rows, row_of_place
    cdef index_t[::1] place_of_row          # scratch, if the features are in order; otherwise empty
    cdef uint8_t[::1] goes_left             # by row outside a block, by place inside
    cdef bint keeps_blocks                  # otherwise every block takes the memory of the one before
    cdef bint is_wide                       # entries of 64 bits, otherwise of 32: at most 2**16 places and ranks
    cdef bint is_ranked
    cdef uint32_t[::1] narrow, spare_narrow
    cdef uint64_t[::1] wide, spare_wide
    # Ranks in the block or among all rows, less 2**15, by place and feature, if they are kept: then nodes of at most
    # MOST_IN_FEW samples have no sorted entries until `sort_few` makes them. Places are `rank_stride` apart, or 0.
    cdef int16_t[::1] place_ranks
    cdef Py_ssize_t rank_stride
    cdef uint64_t[::1] keyed, spare_keyed   # scratch: places under keys, as sorts by value leave them
    # Scratch of splits by category, if features have categories: by row or place, like goes_left, the number of the
    # child; the start of each child's rows among its parent's; and the place of the child's next row.
    cdef index_t[::1] child_of, child_starts, child_ends
    cdef int64_t unchecked      # entries since signals were checked


cdef inline int check_entries(RowPartition partition, int64_t n) except -1 nogil:
    """Handle signals now and then; called before work on n entries."""
    check_signals(&partition.unchecked, n, ENTRIES_BETWEEN_CHECKS)


cdef inline bint are_few(RowPartition partition, index_t n) noexcept nogil:
    """Whether a node in a block has so few samples that their ranks stand for sorted entries."""
    return partition.rank_stride > 0 and n <= MOST_IN_FEW


cdef inline const int16_t* ranks_of_place(RowPartition partition, Block block, index_t place) noexcept nogil:
    return &partition.place_ranks[((block.start if partition.keeps_blocks else 0) + place) * partition.rank_stride]


cdef inline bint few_have_values(
    RowPartition partition, Block block, index_t feature, const index_t* places, index_t n
) noexcept nogil:
    cdef index_t i
    for i in range(1, n):
        if ranks_of_place(partition, block, places[i])[feature] != ranks_of_place(partition, block, places[0])[feature]:
            return True
    return False


cdef inline void mark_few(
    RowPartition partition, Block block, index_t feature, index_t last_left, index_t start, index_t stop
) noexcept nogil:
    cdef int32_t last_rank = ranks_of_place(partition, block, last_left)[feature]
    cdef index_t i, place
    for i in range(start, stop):
        place = partition.rows[i]
        partition.goes_left[place] = ranks_of_place(partition, block, place)[feature] <= last_rank


cdef inline Py_ssize_t first_entry(RowPartition partition, Block block, index_t feature, index_t start) noexcept nogil:
    """Return the index of the feature's first entry of the node that begins at `start`: blocks follow each other, and
    in each block its features."""
    cdef Py_ssize_t block_place = block.start if partition.keeps_blocks else 0
    return block_place * partition.n_features + <Py_ssize_t> feature * (block.stop - block.start) + start - block.start


cdef inline index_t place_of_sample(Sample sample) noexcept nogil:
    """Return the place of a row, which is its number, or of an entry."""
    if Sample is index_t:
        return sample
    else:
        return place_of(sample)


cdef int open_block(RowPartition partition, index_t start, index_t stop, Block* block) except -1 nogil
cdef index_t block_row(RowPartition partition, Block block, index_t place) noexcept nogil
cdef Entry* entries_of(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, const Entry* width
) noexcept nogil
cdef index_t count_missing(
    RowPartition partition, Block block, index_t feature, const Entry* entries, index_t n
) noexcept nogil
cdef bint has_cut(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t min_samples_leaf
) noexcept nogil
cdef void mark_first(
    RowPartition partition, Block block, index_t feature, index_t start, index_t stop, index_t n_left,
    index_t last_left, index_t n_missing_left
) noexcept nogil
cdef void sort_few(RowPartition partition, Block block, index_t start, index_t stop) noexcept nogil
cdef void split_rows(RowPartition partition, index_t start, index_t stop) noexcept nogil
cdef int split_entries(
    RowPartition partition, Block block, index_t start, index_t stop, bint keeps_left, bint keeps_right
) except -1 nogil


cdef inline index_t missing_of(
    RowPartition partition, Block block, index_t feature, const Entry* entries, index_t n
) noexcept nogil:
    """Return how many of a node's sorted entries lack the feature's value: they are the last."""
    return count_missing(partition, block, feature, entries, n) if partition.features.has_missing else 0


cdef inline bint missing_has_cut(
    const Entry* entries, index_t n, index_t n_missing, index_t min_samples_leaf
) noexcept nogil:
    """Whether a cut of the sorted entries, of which the last n_missing lack the value, leaves min_samples_leaf of them
    on both sides: with the missing on the right, or on the left of some known values."""
    cdef index_t fewest = max(min_samples_leaf - n_missing, 1), most = n - n_missing - min_samples_leaf
    if n_missing == n:
        return False
    return (
        2 * <int64_t> min_samples_leaf <= n
        and key_of(entries[min_samples_leaf - 1]) != key_of(entries[n - min_samples_leaf])
        or fewest <= most and key_of(entries[fewest - 1]) != key_of(entries[most])
    )
