"""The sizes of nodes at which the search takes another algorithm; `sizes.h` says what each of them means."""

cdef extern from "sizes.h":
    cpdef enum:
        MOST_IN_NARROW
        MOST_IN_WORDS
        FEWEST_FOR_LONG_DIGITS
        MAX_BINS
        MOST_ROWS_WITHOUT_BINS
        BLOCK_ROWS
        BLOCK_ROWS_PER_CLASS
        FEW_VALUES
        BLOCK_ROWS_OF_FEW_VALUES
        MOST_NUMBERS_WITHOUT_BINS
        BLOCK_ROWS_OF_NUMBERS
        BLOCK_ROWS_PER_LEAF
        BLOCK_ROWS_OF_FEW_VALUES_AND_NUMBERS
        FEWEST_FEATURES_PER_OTHER
        MOST_CLASSES_IN_BINS
        MOST_ROWS_IN_BINS
        MOST_WEIGHT_IN_BIN_WORDS
        SAMPLE_ROWS
        ROWS_OF_A_THREAD
        FEATURES_PER_RANKED
        MOST_NODE_BINS
        SAMPLES_PER_NODE_BIN
        MOST_WEIGHT_IN_NODE_BINS
        MOST_WEIGHT_IN_HALVES
        MOST_IN_PAIRS
        MOST_OF_CLASSES_IN_PAIRS
        MOST_WEIGHT_IN_PAIRS
        MOST_OF_PAIRED_FORM
        MOST_PAIRED
        FEWEST_IN_BINS
        MOST_OF_FEW
        FEWEST_SCORED
        MOST_SCORED
        MOST_IN_FEW
        MOST_WEIGHT_OF_FEW
        MOST_SORTED_IN_FEW
        MOST_WEIGHT_OF_NUMBERS
        MOST_OF_FORM
        LANES_OF_ORDER
        ENTRIES_AT_ONCE
        BOX_ROWS
        MIN_LANES
        PART_ROWS
        PARTS_PER_THREAD
