"""Class counts, and the integer table of n log2 n that makes entropies exact."""

from fractions import Fraction

import numpy as np

cimport cython

from pytrees._core.base.sizes cimport MIN_LANES
from pytrees._core.base.types cimport index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport uint128_t
from pytrees._core.criteria.logarithms cimport NO_INFORMATION, InformationForm, doubled

cdef enum:
    LOG_FRACTION_BITS = 90  # log2 n < 29 and n < 2**29: n log2 n fits 128 bits


# Sums of targets fit 64 bits if the greatest target times the weight of all samples is at most this number. If it is
# more, targets and weights have limits of their own, so that sums of targets times weights fit 128 bits.
MOST_TARGET_SUM = 2**60
MOST_TARGET = 2**35
MOST_WEIGHT_OF_TARGETS = 2**45


@cython.final
cdef class ClassCounts:
    def __cinit__(
        self, Py_ssize_t n_classes, int code, Py_ssize_t n_rows, InformationForm form, table, kernel, kernel_total,
    ):
        """Make room for the counts of `n_classes` classes, among `n_rows` samples.

        `form` says which entropies the criterion compares, if any. `table` holds n log2 n up to the greatest count,
        `kernel` the quadratic form of an ordinal criterion and `kernel_total` the weight of all samples; both are empty
        if the criterion does not use them.
        """
        cdef int i
        self.n_classes = <index_t> n_classes
        self.code = code
        self.n_rows = n_rows
        self.total_counts = np.zeros(n_classes, dtype=np.int64)
        self.left_counts = np.zeros(n_classes, dtype=np.int64)
        self.best_left_counts = np.zeros(n_classes, dtype=np.int64)
        self.log2_table = _LOG2_TABLE
        self.form = form
        self.log_counts = np.zeros((4, 2 * n_classes + 2 if form != NO_INFORMATION else 0), dtype=np.int64)
        for i in range(2 if form != NO_INFORMATION else 0):
            self.logs[i].joint = &self.log_counts[2 * i, 0]
            self.logs[i].sizes = &self.log_counts[2 * i + 1, 0]
        self.best.form = form
        self.best.n_classes = <index_t> n_classes
        self.best.node_counts = &self.total_counts[0]
        self.best.left_counts = &self.best_left_counts[0]
        self.best.scratch = self.logs
        self.best.margin = doubled(form) * log_margin(<index_t> n_classes)
        self.table = table
        self.shares_of_costs = np.empty((0, 0))
        self.scale = self.divisor = 1.0
        self.targets = np.empty(0, dtype=np.int64)
        self.mode_weights = np.zeros((1, 1))
        self.mode_distances = np.empty((0, 0))
        self.node_rows = np.zeros(n_classes, dtype=np.int64)
        self.left_rows = np.zeros(n_classes, dtype=np.int64)
        self.kernel = kernel
        # A left row is a sum of kernel rows over the left child's samples, plus half of the kernel's diagonal.
        is_narrow = kernel.max() * (kernel_total + 1) < 2**32
        self.narrow_kernel = _in_lanes(kernel if is_narrow else kernel[:0])
        self.narrow_left_rows = _in_lanes(np.zeros((1, len(kernel))))


def make_room_for_missing(ClassCounts counts):
    """Make room for the classes of samples that lack a value."""
    counts.missing_classes = np.zeros(counts.n_classes, dtype=np.int32)
    counts.missing_counts = np.zeros(counts.n_classes, dtype=np.int64)


def _in_lanes(matrix):
    """Return the matrix in 32 bits, its rows padded with zeros so that they begin at multiples of 16 bytes."""
    n_rows, n_columns = matrix.shape
    n_lanes = max(MIN_LANES, -(-n_columns // 4) * 4)
    memory = np.zeros(n_rows * n_lanes + 3, dtype=np.uint32)
    cdef uint32_t[::1] view = memory
    first = -<Py_ssize_t> &view[0] // 4 % 4
    lanes = memory[first:first + n_rows * n_lanes].reshape(n_rows, n_lanes)
    lanes[:, :n_columns] = matrix
    return lanes


def parameters_of(criterion, n_classes):
    """(name, alpha, class scores as an array, whether children count by their share) of a criterion."""
    name, given = name_and_given(criterion)
    scores = given.get("class_scores")
    scores = np.arange(n_classes, dtype=np.float64) if scores is None else np.array(scores, dtype=np.float64)
    if scores.shape != (n_classes,):
        raise ValueError(f"class_scores must be {n_classes} numbers, got the shape {scores.shape}.")
    return name, given.get("alpha", 1.0), scores, given.get("weighted", True)


def name_and_given(criterion):
    """Return the name of a criterion, and the parameters that are given by name; a criterion is a name, or a name and a
    dict of parameters."""
    if isinstance(criterion, str):
        return criterion, {}
    # Indices of tuples are not checked here.
    if not isinstance(criterion, (list, tuple)) or len(criterion) != 2 or not isinstance(criterion[1], dict):
        raise ValueError(f"A criterion is a name, or a name and a dict of parameters, got {criterion!r}.")
    return criterion[0], criterion[1]


def given_of(criterion):
    """Return the parameters that are given, by name."""
    return name_and_given(criterion)[1]


def costs_of(criterion, n_classes):
    """Return the costs of pairs of classes, (n_classes, n_classes), symmetric; of shape (0, 0) if there are none."""
    costs = given_of(criterion).get("cost_matrix")
    costs = np.empty((0, 0)) if costs is None else np.array(costs, dtype=np.float64)
    if costs.shape not in ((0, 0), (n_classes, n_classes)):
        raise ValueError(f"cost_matrix must have the costs of {n_classes} classes, got the shape {costs.shape}.")
    return costs


def exact_number(number):
    """Return a number of the user as a fraction: a floating-point number as the decimal number that it is written
    as."""
    return int(number) if number == int(number) else Fraction(repr(float(number)))


def targets_of(criterion, n_classes, total):
    """Return the targets by class, for criteria whose classes are numbers; otherwise none.

    With the weight `total` of all samples, sums of the targets and of products with the weight have to fit their types.
    """
    targets = given_of(criterion).get("targets")
    if targets is None:
        return np.empty(0, dtype=np.int64)
    targets = np.array(targets, dtype=np.int64)
    if targets.shape != (n_classes,) or (targets[1:] <= targets[:n_classes - 1]).any():
        raise ValueError(f"targets must be {n_classes} ascending whole numbers, one for each class.")
    if sums_are_wide(criterion, total) and (_greatest_of(targets) > MOST_TARGET or total > MOST_WEIGHT_OF_TARGETS):
        raise ValueError(
            f"The greatest target times the weight of all samples must be at most {MOST_TARGET_SUM}, or the targets at "
            f"most {MOST_TARGET} and the weight of all samples at most {MOST_WEIGHT_OF_TARGETS}."
        )
    return targets


def sums_are_wide(criterion, total):
    """Whether classes are targets whose sums, with the weight `total` of all samples, do not fit 64 bits."""
    targets = given_of(criterion).get("targets")
    return targets is not None and _greatest_of(targets) * int(total) > MOST_TARGET_SUM


def _greatest_of(targets):
    numbers = np.asarray(targets)
    return max(-int(numbers.min()), int(numbers.max()), 1)


def user_criterion_of(criterion):
    """Return a user's criterion as an object, and the row numbers of the samples if they are not 0, 1, 2, ...; (None,
    None) for the engine's own."""
    name, given = name_and_given(criterion)
    if name in ("user_counts", "user_sequence", "user_sums") and given.get("criterion") is None:
        raise ValueError(f"{name!r} needs the user's criterion.")
    return given.get("criterion"), given.get("rows")


_LOG2_TABLE = np.log2(np.linspace(1.0, 2.0, LOG2_TABLE_SIZE + 1))

# Grown on demand and replaced whole, never written to once it is here: threads may read an older one meanwhile.
_n_log2_n = np.zeros(1, dtype=np.int64)


def n_log2_n(Py_ssize_t largest):
    """n log2 n for n = 0..largest (0 for n = 0), each rounded to the nearest multiple of 2**-30; as integers."""
    global _n_log2_n
    table = _n_log2_n
    if table.shape[0] <= largest:
        # At least doubling keeps the cost of many calls with growing arguments linear.
        table = _tabulate_n_log2_n(max(largest, 2 * table.shape[0], 1024))
        table.flags.writeable = False
        _n_log2_n = table
    return table[:largest + 1]


def _tabulate_n_log2_n(Py_ssize_t largest):
    """Integer arithmetic only, so the table is the same on every machine.

    log2 2m = 1 + log2 m, and for odd n, because n**2 = (n - 1)(n + 1) n**2 / (n**2 - 1),
    log2 n = (log2 (n - 1) + log2 (n + 1)) / 2 + atanh(1 / (2 n**2 - 1)) / ln 2.
    """
    cdef uint64_t[:, ::1] logs = np.zeros((largest // 2 + 2, 2), dtype=np.uint64)
    cdef int64_t[::1] table = np.zeros(largest + 1, dtype=np.int64)
    cdef uint128_t one = <uint128_t> 1 << LOG_FRACTION_BITS, log
    cdef Py_ssize_t n, half = largest // 2 + 1
    with nogil:
        for n in range(2, largest + 1):
            if n % 2 == 0:
                log = one + _fixed(logs, n // 2)
            else:
                log = (one + _fixed(logs, n - 1) + _fixed(logs, (n + 1) // 2)) // 2 + _log_correction(n)
            table[n] = <int64_t> ((log * <uint128_t> n + (one >> 31)) >> (LOG_FRACTION_BITS - NLOGN_FRACTION_BITS))
            if n <= half:
                logs[n, 0] = <uint64_t> (log >> 64)
                logs[n, 1] = <uint64_t> log
    return np.asarray(table)


cdef inline uint128_t _fixed(uint64_t[:, ::1] logs, Py_ssize_t n) noexcept nogil:
    """log2 n in units of 2**-LOG_FRACTION_BITS: from the table up to its half; beyond the half n is even."""
    if n < logs.shape[0]:
        return (<uint128_t> logs[n, 0] << 64) | logs[n, 1]
    return (<uint128_t> 1 << LOG_FRACTION_BITS) + _fixed(logs, n // 2)


cdef inline uint128_t _log_correction(Py_ssize_t n) noexcept nogil:
    """atanh(x) / ln 2 with x = 1 / (2 n**2 - 1), as x + x**3 / 3 + x**5 / 5 + ..."""
    # 1 / ln 2 in units of 2**-LOG_FRACTION_BITS: the digits of 1.4426950408889634073599246810018921374266.
    cdef uint128_t power = (<uint128_t> 0x5C551D9 << 64) | <uint128_t> 0x4AE0BF85DDF43FF7
    cdef uint128_t x_inverse = 2 * <uint128_t> n * <uint128_t> n - 1, total = 0, divisor = 1
    power //= x_inverse
    while power > 0:
        total += power // divisor
        power = power // x_inverse // x_inverse
        divisor += 2
    return total
