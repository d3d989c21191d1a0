"""Gains of entropies as the real numbers that they are.

By the prime factors of n, n log2 n is a sum of logarithms of primes, which are linearly independent over the rational
numbers: a sum of these terms is zero only if the exponents of all primes are zero, and otherwise enough digits tell its
sign. Quotients of two sums are compared by products, as polynomials in the logarithms of primes. By Schanuel's
conjecture these are zero only if all coefficients are zero, so that the digits have an end.

These functions are rarely called: the table of n log2 n in multiples of 2**-30 bit tells most splits apart, and most of
the others have the same counts in another order.
"""

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import count as count_from
from math import gcd
from threading import Lock

from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy

from pytrees._core.base.fractions cimport multiply_wide
from pytrees._core.base.types cimport uint64_t
from pytrees._core.base.wide cimport int128_t, uint128_t

# Products that agree in this many digits count as equal.
MOST_DIGITS = 5120

MOST_IN_WORD = 2**64 - 1

# A form compares a quotient of sums of n log2 n: over the node (its samples), its classes, the classes in the children,
# and the children. By form: how often each sum counts, in the numerator and in the denominators, of which the greatest
# is taken; without any, the denominator is one bit a sample.
OF_SPLIT, OF_CLASSES = (1, 0, 0, -1), (1, -1, 0, 0)
SUMS_OF_FORM = {
    PLAIN: ((1, -1, 1, -1),),
    BY_SPLIT: ((1, -1, 1, -1), OF_SPLIT),
    BY_JOINT: ((1, -1, 1, -1), (1, 0, -1, 0)),
    BY_MEAN: ((2, -2, 2, -2), (2, -1, 0, -1)),
    BY_GREATER: ((1, -1, 1, -1), OF_SPLIT, OF_CLASSES),
    LESS_SPLIT: ((1, -2, 2, -1),),
    LESS_BOTH: ((0, -1, 2, -1),),
}

cdef enum:
    INSERTION_LENGTH = 24
    MOST_TRIED_DIVISOR = 4096


# ------------------------------------------------------------------------------------------------- counts of a split

cdef void count_cut(
    SplitLogs* logs, const int64_t* node_counts, const int64_t* left_counts, index_t n_classes
) noexcept nogil:
    """List the counts of a cut whose left child has these class counts."""
    cdef index_t label
    cdef int64_t left = 0, right = 0
    forget_counts(logs)
    for label in range(n_classes):
        left += left_counts[label]
        right += node_counts[label] - left_counts[label]
        add_child_class(logs, left_counts[label])
        add_child_class(logs, node_counts[label] - left_counts[label])
    add_child_size(logs, left)
    add_child_size(logs, right)


cdef int offer_score(BestCut* best, int64_t score, const int64_t* left_counts) except -1 nogil:
    """Keep the cut if it gains more than the best; its score is at most the margin below the best score."""
    if best.is_known and score <= best.score + best.margin and not gains_more(best, left_counts):
        return False
    best.score = score
    _keep(best, left_counts)
    return True


cdef int offer_information_ratio(
    BestCut* best, int64_t numerator, int64_t denominator, const int64_t* left_counts
) except -1 nogil:
    """Keep the cut if its ratio is greater than the best."""
    cdef int128_t excess, error
    if best.is_known:
        excess = <int128_t> numerator * best.denominator - <int128_t> best.numerator * denominator
        # All four parts may be wrong by the margin, and no ratio exceeds 1.
        error = 2 * <int128_t> best.margin * (<int128_t> denominator + best.denominator + 2 * best.margin)
        if excess < -error or excess <= error and not gains_more(best, left_counts):
            return False
    best.numerator = numerator
    best.denominator = denominator
    _keep(best, left_counts)
    return True


cdef void _keep(BestCut* best, const int64_t* left_counts) noexcept nogil:
    best.is_known = True
    memcpy(best.left_counts, left_counts, best.n_classes * sizeof(int64_t))


cdef int gains_more(BestCut* best, const int64_t* left_counts) except -1 nogil:
    """Whether a cut gains more than the best, which the table cannot tell."""
    cdef index_t label = 0
    while label < best.n_classes and left_counts[label] == best.left_counts[label]:
        label += 1
    if label == best.n_classes:
        return False
    label = 0
    while label < best.n_classes and left_counts[label] + best.left_counts[label] == best.node_counts[label]:
        label += 1
    if label == best.n_classes:
        return False
    count_cut(&best.scratch[0], best.node_counts, left_counts, best.n_classes)
    count_cut(&best.scratch[1], best.node_counts, best.left_counts, best.n_classes)
    return compare_information(best.form, best.node_counts, best.n_classes, &best.scratch[0], &best.scratch[1]) > 0


cdef int64_t units_of_best(const BestCut* best, int64_t units) noexcept nogil:
    """Return the gain of the best cut, `units` of 2**-30 bit by the table: 0 if its children have the class shares of
    the node, otherwise at least one unit."""
    cdef index_t label
    cdef int64_t left = 0, total = 0
    if units > best.margin:
        return units
    for label in range(best.n_classes):
        left += best.left_counts[label]
        total += best.node_counts[label]
    label = 0
    while label < best.n_classes and best.left_counts[label] * total == best.node_counts[label] * left:
        label += 1
    return 0 if label == best.n_classes else max(units, 1)


cdef int64_t signed_units_of_best(BestCut* best, int64_t units) except? -1 nogil:
    """Return the gain of the best cut, `units` of 2**-30 bit by the table, with the sign of the real number, which can
    be negative."""
    if -best.margin <= units <= best.margin:
        count_cut(&best.scratch[0], best.node_counts, best.left_counts, best.n_classes)
    return signed_units(units, best.margin, best.form, best.node_counts, best.n_classes, &best.scratch[0])


cdef int64_t signed_units(
    int64_t units, int64_t margin, InformationForm form, const int64_t* node_counts, index_t n_classes,
    const SplitLogs* split
) except? -1 nogil:
    """Return units, which may be wrong by the margin, with the sign of the split's gain: 0 or at least one unit."""
    cdef int sign
    if units < -margin or units > margin:
        return units
    with gil:
        sign = _sign_of_sum(exact_ratio(
            form, _listed(node_counts, n_classes), _listed(split.joint, split.n_joint),
            _listed(split.sizes, split.n_sizes),
        )[0])
    return max(units, 1) if sign > 0 else min(units, -1) if sign < 0 else 0


cdef int compare_information(
    InformationForm form, const int64_t* node_counts, index_t n_classes, SplitLogs* split, SplitLogs* other
) except -2 nogil:
    """Return 1 if the split of a node gains more than the other one, 0 if both gain the same, else -1."""
    if (
        _have_same_counts(split.joint, split.n_joint, other.joint, other.n_joint)
        and _have_same_counts(split.sizes, split.n_sizes, other.sizes, other.n_sizes)
    ):
        return 0
    with gil:
        return _compare_lists(
            form, _listed(node_counts, n_classes), _listed(split.joint, split.n_joint),
            _listed(split.sizes, split.n_sizes), _listed(other.joint, other.n_joint),
            _listed(other.sizes, other.n_sizes),
        )


cdef int compare_splits(InformationForm form, list node, list children, list others) except -2:
    """The same for the class counts of the children of two splits."""
    joint, other_joint = _present(children), _present(others)
    sizes, other_sizes = [sum(child) for child in children], [sum(child) for child in others]
    if sorted(joint) == sorted(other_joint) and sorted(sizes) == sorted(other_sizes):
        return 0
    return _compare_lists(form, node, joint, sizes, other_joint, other_sizes)


cdef list _present(list children):
    return [count for child in children for count in child if count > 0]


cdef int _compare_lists(
    InformationForm form, list node, list joint, list sizes, list other_joint, list other_sizes
) except -2:
    if sum(node) >= MAX_TOTAL_COUNT:
        # Great numbers are hard to divide into primes.
        sign = _compare_digits(_digits(form, node, joint, sizes), _digits(form, node, other_joint, other_sizes))
        if sign != 0:
            return sign
    return compare_exact_ratios(
        exact_ratio(form, node, joint, sizes), exact_ratio(form, node, other_joint, other_sizes)
    )


cdef list _listed(const int64_t* counts, Py_ssize_t n):
    cdef Py_ssize_t i
    return [counts[i] for i in range(n)]


cdef bint _have_same_counts(int64_t* counts, Py_ssize_t n, int64_t* other, Py_ssize_t n_other) noexcept nogil:
    if n != n_other:
        return False
    _sort(counts, n)
    _sort(other, n)
    return memcmp(counts, other, n * sizeof(int64_t)) == 0


cdef void _sort(int64_t* counts, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, hole
    cdef int64_t count
    if n > INSERTION_LENGTH:
        qsort(counts, n, sizeof(int64_t), _order)
        return
    # counts[:i] are sorted.
    for i in range(1, n):
        count = counts[i]
        hole = i
        while hole > 0 and counts[hole - 1] > count:
            counts[hole] = counts[hole - 1]
            hole -= 1
        counts[hole] = count


cdef int _order(const void* a, const void* b) noexcept nogil:
    cdef int64_t x = (<const int64_t*> a)[0], y = (<const int64_t*> b)[0]
    return (x > y) - (x < y)


# ------------------------------------------------------------------------------------------------ exponents of primes

@lru_cache(maxsize=65536)
def _prime_exponents(int64_t n):
    """Return the prime factors of n, each with how often it divides n."""
    cdef int64_t divisor = 2, exponent
    factors = []
    while divisor * divisor <= n and divisor < MOST_TRIED_DIVISOR:
        exponent = 0
        while n % divisor == 0:
            n //= divisor
            exponent += 1
        if exponent > 0:
            factors.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    if n > 1 and divisor * divisor > n:
        factors.append((n, 1))
    elif n > 1:
        factors += sorted(Counter(_great_primes(int(n))).items())
    return tuple(factors)


def _great_primes(n):
    """Return the prime factors of a number without small ones, with repetitions."""
    if _is_prime(n):
        return [n]
    divisor = _divisor_of(n)
    return _great_primes(divisor) + _great_primes(n // divisor)


def _is_prime(n):
    """Whether an odd number below 3e18 is prime (Miller and Rabin, with the bases that suffice)."""
    odd, n_twos = n - 1, 0
    while odd % 2 == 0:
        odd, n_twos = odd // 2, n_twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23):
        power = pow(base, odd, n)
        if power not in (1, n - 1) and all((power := power * power % n) != n - 1 for _ in range(n_twos - 1)):
            return False
    return True


def _divisor_of(n):
    """Return a divisor, neither 1 nor n, of a number that is not prime (Pollard's rho)."""
    for offset in count_from(1):
        slow = fast = 2
        divisor = 1
        while divisor == 1:
            slow = (slow * slow + offset) % n
            fast = (fast * fast + offset) % n
            fast = (fast * fast + offset) % n
            divisor = gcd(abs(slow - fast), n)
        if divisor != n:
            return divisor


def _exponents(terms):
    """Return by prime the exponent of a sum of n log2 n, from pairs of lists of n and signs."""
    exponents = {}
    for counts, sign in terms:
        for count in counts:
            for prime, exponent in _prime_exponents(count) if count > 1 else ():
                exponents[prime] = exponents.get(prime, 0) + sign * count * exponent
    return {prime: exponent for prime, exponent in exponents.items() if exponent}


cdef bint gains_nothing(const int64_t* node_counts, index_t n_classes, const SplitLogs* split) except -1 nogil:
    with gil:
        return not _compared(
            PLAIN, _listed(node_counts, n_classes), _listed(split.joint, split.n_joint),
            _listed(split.sizes, split.n_sizes),
        )[0]


cdef tuple _compared(InformationForm form, list node, list joint, list sizes):
    """Return by prime the exponents of what a form compares: of its numerator, and of its denominator."""
    numerator, *divisors = [_exponents(zip(((sum(node),), node, joint, sizes), times)) for times in SUMS_OF_FORM[form]]
    if numerator and len(divisors) > 1 and _sign_of_sum(_exponents(((node, 1), (sizes, -1))).items()) <= 0:
        divisors.reverse()  # H(T) is not above H(Y): the sum over the children is not less than that over the classes
    return numerator, divisors[0] if divisors and numerator else {2: sum(node)}


def exact_ratio(InformationForm form, node, joint, sizes, times_samples=False):
    """Return what a form compares of a split, times the samples of the node if asked for, as a quotient of two sums of
    logarithms of primes in lowest terms, in which equal ones are equal: two tuples of (prime, exponent), empty for 0.

    `node` are the class counts of the node, `joint` the class counts of its children, one after the other, and `sizes`
    how many samples each child has.
    """
    numerator, denominator = _compared(form, node, joint, sizes)
    if not numerator:
        return (), ()
    if times_samples:
        numerator = {prime: exponent * sum(node) for prime, exponent in numerator.items()}
    return _in_lowest_terms(numerator, denominator)


def _in_lowest_terms(numerator, denominator):
    """Return a quotient that is rational as a fraction of multiples of log2 2, any other without common factors."""
    first, scale = next(iter(denominator.items()))
    if numerator.keys() == denominator.keys() and all(
        exponent * scale == numerator[first] * denominator[prime] for prime, exponent in numerator.items()
    ):
        value = Fraction(numerator[first], scale)
        return ((2, value.numerator),), ((2, value.denominator),)
    factor = gcd(*numerator.values(), *denominator.values())
    return (
        tuple(sorted((prime, exponent // factor) for prime, exponent in numerator.items())),
        tuple(sorted((prime, exponent // factor) for prime, exponent in denominator.items())),
    )


# ---------------------------------------------------------------------------------------------------------- digits

cdef tuple _quotient_of(InformationForm form, list sums, one_bit):
    """Return the numerator and the denominator of what a form compares, from sums of n log2 n and the node's samples
    times one bit."""
    numerator, *divisors = [sum([k * part for k, part in zip(times, sums) if k]) for times in SUMS_OF_FORM[form]]
    return numerator, max(divisors) if divisors else one_bit


def _digits(InformationForm form, node, joint, sizes, n_digits=50):
    """Return the numerator and the denominator of what a form compares, in nats, and the error of either."""
    with localcontext(prec=n_digits):
        sums = [
            sum(count * _ln(count, n_digits) for count in counts if count > 1)
            for counts in ((sum(node),), node, joint, sizes)
        ]
        # The logarithm, product and sum of every term are rounded by half a unit of the last digit.
        error = Decimal(sum(sums)).scaleb(1 - n_digits) * (len(joint) + len(sizes) + len(node) + 8)
        return *_quotient_of(form, sums, sum(node) * _ln(2, n_digits)), 4 * error


cdef int _compare_digits(tuple ratio, tuple other) except -2:
    """Return the sign of the difference of two quotients, or 0 if digits do not tell it."""
    (a, b, error), (c, d, other_error) = ratio, other
    with localcontext(prec=60):
        difference = a * d - c * b
        margin = (error + other_error) * (abs(a) + b + abs(c) + d + error + other_error)
        return 0 if abs(difference) <= margin else 1 if difference > 0 else -1


cdef float64_t nearest_information(InformationForm form, list node, list children) except? -1.0:
    """Return the gain of a split into children of these class counts: from numbers of n log2 n in units of 2**-30 bit
    if there are few samples, as trees of whole weights report it; otherwise the nearest double."""
    joint, sizes = _present(children), [sum(child) for child in children]
    if sum(node) < MAX_TOTAL_COUNT:
        return _information_by_units(form, node, joint, sizes)
    value = _information_by_words(form, node, joint, sizes)
    if value is not None:
        return value
    n_digits, are_sure = 40, False
    while True:
        a, b, error = _digits(form, node, joint, sizes, n_digits)
        if abs(a) <= error and not are_sure:
            if not exact_ratio(form, node, joint, sizes)[0]:
                return 0.0
            are_sure = True
        with localcontext(prec=n_digits):
            if b > error:
                bounds = [float(x / y) for x in (a - error, a + error) for y in (b - error, b + error)]
                if min(bounds) == max(bounds):
                    return bounds[0]
        if n_digits == 80:
            # A fraction can lie halfway between two doubles.
            ratio = exact_ratio(form, node, joint, sizes)
            if all(len(part) == 1 and part[0][0] == 2 for part in ratio):
                return ratio[0][0][1] / ratio[1][0][1]
        n_digits *= 2


def _information_by_units(InformationForm form, node, joint, sizes):
    sums = [sum(map(_units_of, counts)) for counts in ((sum(node),), node, joint, sizes)]
    gained, divisor = _quotient_of(form, sums, sum(node) << 30)
    margin = doubled(form) * (2 * len(node) + 2 + len(joint) + len(sizes))
    if -margin <= gained <= margin:
        sign = _sign_of_sum(exact_ratio(form, node, joint, sizes)[0])
        gained = max(gained, 1) if sign > 0 else min(gained, -1) if sign < 0 else 0
    return gained / divisor if gained != 0 else 0.0


# ------------------------------------------------------------------------------- logarithms in words of 128 bits

# n log2 n in units of 2**-64, wrong by less than 4 units: n is below 2**53, and log2 n is right to 2**-115.

cdef uint128_t[256] _log2_of_centre    # log2 of the middles of 256 parts of [1, 2), in units of 2**-118
cdef uint128_t[1] _two_over_ln2        # in units of 2**-124

# A variable of Python, not of C: a thread that finds it set finds the numbers above written, too.
_has_words = False
_writes_words = Lock()


cdef int _prepare_words() except -1:
    if not _has_words:
        with _writes_words:
            _write_words()


def _write_words():
    """Write the tables, unless another thread has. Call with the lock held."""
    global _has_words
    if _has_words:
        return
    with localcontext(prec=60):
        ln2 = Decimal(2).ln()
        for i in range(256):
            _log2_of_centre[i] = _word_of(int((Decimal(2 * i + 513) / 512).ln() / ln2 * 2**118))
        _two_over_ln2[0] = _word_of(int(2 / ln2 * 2**124))
    _has_words = True


cdef uint128_t _word_of(number) except? 0:
    return (<uint128_t> <uint64_t> (number >> 64) << 64) | <uint64_t> (number & MOST_IN_WORD)


cdef inline uint128_t _high_part(uint128_t x, uint128_t y) noexcept nogil:
    cdef uint128_t high, low
    multiply_wide(x, y, &high, &low)
    return high


cdef uint128_t _log2_in_words(uint64_t n) noexcept nogil:
    """Return log2 n in units of 2**-118; n is positive. With x = n / 2**e in [1, 2) and the middle c of the part of x,
    log2 x = log2 c + 2 / ln 2 atanh((x - c) / (x + c))."""
    cdef int exponent = 0
    cdef uint64_t scaled = n, centre
    cdef uint128_t divisor, quotient, rest, square, power, total
    cdef bint is_below
    while scaled < <uint64_t> 1 << 63:
        scaled <<= 1
        exponent += 1
    exponent = 63 - exponent
    centre = ((scaled >> 55) << 55) | (<uint64_t> 1 << 54)
    is_below = scaled < centre
    divisor = <uint128_t> scaled + centre
    # The quotient z, below 2**-9, in units of 2**-126.
    rest = <uint128_t> (centre - scaled if is_below else scaled - centre) << 66
    quotient = (rest // divisor) << 60
    quotient |= ((rest % divisor) << 60) // divisor
    square = _high_part(quotient, quotient)             # in units of 2**-124
    total = quotient >> 4                               # the sum, and powers of z, in units of 2**-122
    power = _high_part(quotient, square)
    total += power // 3
    power = _high_part(power << 4, square)
    total += power // 5
    power = _high_part(power << 4, square)
    total += power // 7
    power = _high_part(power << 4, square)
    total += power // 9
    power = _high_part(power << 4, square)
    total += power // 11
    total = _high_part(total, _two_over_ln2[0])         # in units of 2**-118
    quotient = (<uint128_t> exponent << 118) + _log2_of_centre[(scaled >> 55) & 255]
    return quotient - total if is_below else quotient + total


cdef _sum_in_words(list counts):
    """Return the sum of n log2 n over counts, in units of 2**-64."""
    cdef uint128_t high, low, total = 0
    cdef uint64_t n
    for n in counts:
        if n > 1:
            multiply_wide(_log2_in_words(n), n, &high, &low)
            total += (high << 74) | (low >> 54)
    return int(<uint64_t> (total >> 64)) << 64 | <uint64_t> total


def _information_by_words(InformationForm form, node, joint, sizes):
    """Return the double nearest to what a form compares; None if 128 bits do not tell it."""
    _prepare_words()
    sums = [_sum_in_words(counts) for counts in ([sum(node)], node, joint, sizes)]
    gained, divisor = _quotient_of(form, sums, sum(node) << 64)
    error = 16 * (len(node) + len(joint) + len(sizes) + 1)
    if gained <= error or divisor <= error:
        return None
    value = (gained - error) / (divisor + error)    # quotients of whole numbers are rounded once
    return value if value == (gained + error) / (divisor - error) else None


@lru_cache(maxsize=65536)
def _units_of(n):
    """Return n log2 n in units of 2**-30 bit, to the nearest whole number; n is below 2**24."""
    if n < 2:
        return 0
    _prepare_words()
    number = _sum_in_words([n])
    rest = (number & 2**34 - 1) - 2**33
    if -64 < rest < 64:
        with localcontext(prec=60):
            return int((n * _ln(n, 60) / _ln(2, 60) * 2**30).to_integral_value())
    return (number >> 34) + (rest > 0)


cdef int compare_exact_ratios(tuple ratio, tuple other) except -2:
    """Return 1 if a quotient in lowest terms is greater than the other, 0 if both are equal, else -1."""
    if ratio == other:
        return 0
    if not ratio[0] or not other[0]:
        return _sign_of_sum(ratio[0]) - _sign_of_sum(other[0])
    difference = {}
    for sign, a, b in ((1, ratio[0], other[1]), (-1, other[0], ratio[1])):
        for p, exponent in a:
            for q, other_exponent in b:
                primes = (p, q) if p < q else (q, p)
                difference[primes] = difference.get(primes, 0) + sign * exponent * other_exponent
    return _sign({primes: coefficient for primes, coefficient in difference.items() if coefficient})


cdef int _sign_of_sum(terms) except -2:
    """Return the sign of a sum of logarithms of primes, given as pairs of a prime and its exponent."""
    return _sign({(2, prime): exponent for prime, exponent in terms})


def _sign(polynomial):
    """Return the sign of the sum of coefficient * ln p * ln q over the primes p and q of a dict."""
    if not polynomial:
        return 0
    primes = {prime for pair in polynomial for prime in pair}
    n_digits = 50
    while n_digits <= MOST_DIGITS:
        with localcontext(prec=n_digits):
            logs = {prime: Decimal(prime).ln() for prime in primes}
            terms = [Decimal(coefficient) * logs[p] * logs[q] for (p, q), coefficient in polynomial.items()]
            # Logarithms and products are rounded by half a unit of the last digit, and so are sums.
            error = sum(abs(term) for term in terms).scaleb(1 - n_digits) * (len(terms) + 4)
            total = sum(terms)
        if abs(total) > error:
            return 1 if total > 0 else -1
        n_digits *= 2
    return 0


cdef float64_t nearest_entropy(const int64_t* counts, index_t n_classes) except -1.0:
    """Return the double nearest to the entropy, in bits, of class counts that are not all 0.

    It is a fraction if no prime but 2 is left in the sum of n log2 n. Otherwise it is irrational, hence never halfway
    between two doubles, so that enough digits tell which double is nearer.
    """
    present = [count for count in _listed(counts, n_classes) if count > 0]
    if len(present) == 1:
        return 0.0
    total, n_digits = sum(present), 40
    while True:
        low, high = _entropy_within(total, present, n_digits)
        if low == high:
            return low
        if n_digits == 40:
            exponents = _exponents((((total,), 1), (present, -1)))
            if exponents.keys() == {2}:
                return exponents[2] / total
        n_digits *= 2


def _entropy_within(total, counts, n_digits):
    """Return two doubles that the entropy of counts with this sum lies between once it is rounded to a double."""
    with localcontext(prec=n_digits):
        terms = [total * _ln(total, n_digits), *[-count * _ln(count, n_digits) for count in counts]]
        # The logarithm, product and sum of every term are rounded by half a unit of the last digit; so is the quotient.
        error = sum(abs(term) for term in terms).scaleb(1 - n_digits) * (len(terms) + 4)
        divisor, gained = total * _ln(2, n_digits), sum(terms)
        return float((gained - error) / divisor), float((gained + error) / divisor)


@lru_cache(maxsize=65536)
def _ln(n, n_digits):
    """Return the natural logarithm of a whole number, rounded to `n_digits` digits."""
    with localcontext(prec=n_digits):
        return Decimal(n).ln()
