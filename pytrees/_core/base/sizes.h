/* The sizes of nodes at which the search takes another algorithm. Cython reads them in sizes.pxd, tests by `sizes()`.

A limit named MOST_ is inclusive; FEWEST_ is the least value for which a way is taken. */

#ifndef PYTREES_SIZES_H
#define PYTREES_SIZES_H

/* ------------------------------------------------------------------------------------------ widths of entries */

/* Entries of 32 bits hold a rank and a place of 16 bits each. */
#define MOST_IN_NARROW 65536
/* Ranks of so many rows are kept in three bytes, of more in four. */
#define MOST_IN_THREE_BYTES 16777216

/* Sorts of values as words of 32 bits: a place of 14 bits under the upper bits of a key. */
#define MOST_IN_WORDS 16384
#define FEWEST_FOR_LONG_DIGITS 512          /* longer digits tell more values apart, and have more counts */

/* ---------------------------------------------------------------------------------------- bins of the whole table */

#define MAX_BINS 256                        /* a bin's number has 8 bits */
#define MOST_ROWS_WITHOUT_BINS 16384        /* tables of more samples are cut into bins */
/* Subtrees of at most BLOCK_ROWS samples, or of BLOCK_ROWS_PER_CLASS for every class if that is more, are sorted: every
bin counts every class. */
#define BLOCK_ROWS 2048
#define BLOCK_ROWS_PER_CLASS 400
/* A column of integers with a range below FEW_VALUES is binned by counting, without a sort. Its bins are few, so they
serve smaller nodes; one feature in FEWEST_FEATURES_PER_OTHER may have other values. */
#define FEW_VALUES 64
#define BLOCK_ROWS_OF_FEW_VALUES 100
/* The same if classes are numbers, whose bins do not grow with the number of classes. */
#define MOST_NUMBERS_WITHOUT_BINS 32768
#define BLOCK_ROWS_OF_NUMBERS 8192
/* If the limit on depth leaves subtrees of few leaves, subtrees of so many samples a leaf or fewer are sorted. */
#define BLOCK_ROWS_PER_LEAF 128
#define BLOCK_ROWS_OF_FEW_VALUES_AND_NUMBERS 500
#define FEWEST_FEATURES_PER_OTHER 8
#define MOST_CLASSES_IN_BINS 128            /* arrays on the stack have this length */
/* Bounds of entropies are sums of some n log2 n in units of 2**-30 bit, which stay below 2**63. */
#define MOST_ROWS_IN_BINS 67108864
/* The weights of two classes and the number of samples of a bin share a word of 64 bits, 21 each. */
#define MOST_WEIGHT_IN_BIN_WORDS 2097151
/* The quantiles of a sample say well enough where to cut: bins of equal frequency are a heuristic. */
#define SAMPLE_ROWS 8192
#define ROWS_OF_A_THREAD 32768              /* that one thread codes */

/* --------------------------------------------------------------------------------------------- ranks of the table */

/* If nodes look at one of FEATURES_PER_RANKED features or fewer, all features are ranked once for the tree. Sorting the
ranks of the drawn features, or cutting them into bins, then costs less than keeping every feature sorted. */
#define FEATURES_PER_RANKED 4

/* --------------------------------------------------------------------------------------------- bins of one node */

#define MOST_NODE_BINS 256
#define SAMPLES_PER_NODE_BIN 3
#define MOST_WEIGHT_IN_NODE_BINS 2147483647 /* bins of a node count in 32 bits */
#define MOST_WEIGHT_IN_HALVES 32767         /* two class weights share a word of 32 bits, with a sign each */

/* ------------------------------------------------------------------------------------------ all pairs of samples */

/* Comparing every sample with all others takes no longer than a sort at these sizes, and has no branches. */
#define MOST_IN_PAIRS 64                    /* samples of two classes */
#define MOST_OF_CLASSES_IN_PAIRS 96         /* samples of more classes */
#define MOST_WEIGHT_IN_PAIRS 255
#define MOST_OF_PAIRED_FORM 65535           /* the sums of squares of ordinal criteria */
#define MOST_PAIRED 128                     /* room: both of the above, up to a multiple of a vector */
#define FEWEST_IN_BINS 20                   /* samples; if all features have few values, bins are faster than pairs */
#define MOST_OF_FEW 16                      /* samples; one loop for all of them in place of one a class */

/* ------------------------------------------------------------------------------------------------ sorted entries */

/* Scores of sorted cuts, four at a time: the numbers fit the halves of words, with room for the entries behind them. If
samples of two classes have weights, MOST_SCORED is the most that a node weighs. */
#define FEWEST_SCORED 4
#define MOST_SCORED 32759
#define MOST_IN_FEW 8                       /* classes that are numbers: samples that are compared with each other */
#define MOST_WEIGHT_OF_FEW 255              /* of these samples together */
#define MOST_SORTED_IN_FEW 6                /* of these samples: the order of the targets tells the best cut of all */
#define MOST_WEIGHT_OF_NUMBERS 2147483647   /* classes that are numbers: their weights are summed in 32 bits */
#define MOST_OF_FORM 2147483647             /* what the forms of ordinal criteria stay below */
#define LANES_OF_ORDER 16                   /* samples of the classes above each, but for the highest, are counted in lanes */
#define ENTRIES_AT_ONCE 64                  /* sums are written, and read when they have left the queue of writes */
/* With two classes and real weights, runs of BOX_ROWS samples are skipped if no cut in them can win. */
#define BOX_ROWS 16

/* -------------------------------------------------------------------------------------------- quadratic forms */

#define MIN_LANES 16                        /* rows of the kernel of this length are held in registers */

/* ------------------------------------------------------------------------------------------------------- threads */

#define PART_ROWS 4096                      /* samples of the part of a tree that one thread grows */
#define PARTS_PER_THREAD 16

#endif
