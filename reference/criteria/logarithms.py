"""Sums of n log2 n and their quotients, compared as real numbers.

By the prime factors of n, log2 n is a sum of logarithms of primes. Logarithms of primes are linearly independent over
the rational numbers, because a product of powers of primes is 1 only if all exponents are 0. A sum is therefore zero
only if the exponents of all primes are zero. The sign of any other sum follows from enough digits. Products of two sums
are compared likewise, as polynomials in the logarithms. It is not proven that a polynomial is zero only if all
coefficients are zero (it follows from Schanuel's conjecture), so the number of digits is limited.

Great numbers are not divided into primes. If they are to be compared as real numbers, whole numbers without common
divisors take the place of primes: their logarithms are linearly independent, too.
"""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property

from .counts import MAX_TOTAL_COUNT, n_log2_n_of

UNITS_PER_BIT = 2**30
# Products that agree in this many digits count as equal.
MOST_DIGITS = 5120


@cache
def prime_exponents(n):
    """Return the primes that divide n, with how often they do."""
    exponents, divisor = {}, 2
    while n > 1:
        while n % divisor == 0:
            exponents[divisor] = exponents.get(divisor, 0) + 1
            n //= divisor
        divisor = divisor + 1 if divisor * divisor <= n else n
    return exponents


def factors_of(n):
    """Return the prime factors of n, with how often they divide it; of a great number only itself."""
    return prime_exponents(n) if n < MAX_TOTAL_COUNT else {n: 1}


def coprime_base(numbers):
    """Return whole numbers without common divisors whose products all these numbers are."""
    base, rest = [], list(numbers)
    while rest:
        number = rest.pop()
        if number == 1:
            continue
        shared = next((other for other in base if math.gcd(number, other) > 1), None)
        if shared is None:
            base.append(number)
        else:
            divisor = math.gcd(number, shared)
            base.remove(shared)
            rest += [number // divisor, divisor, shared // divisor]
    return base


def refined(*sums):
    """Return sums over common factors without common divisors: primes, unless there are great numbers."""
    numbers = {number for each in sums for number in each.exponents}
    if all(number < MAX_TOTAL_COUNT for number in numbers):
        return sums
    base = coprime_base(sorted(numbers))
    return [over_base(each, base) for each in sums]


def over_base(bits, base):
    exponents = Counter()
    for number, exponent in bits.exponents.items():
        for factor in base:
            while number % factor == 0:
                number //= factor
                exponents[factor] += exponent
    return Bits(exponents, bits.units)


def either(units, other, combine):
    """Combine units of two sums; None, beyond the table, remains None."""
    return None if units is None or other is None else combine(units, other)


class Bits:
    """A sum of whole multiples of n log2 n. `exponents` hold the factor of log2 p for every prime p, or other factor;
    `units` are the sum in the table of n log2 n, in units of 2**-30 bit, or None beyond the table."""

    def __init__(self, exponents, units):
        self.exponents = {prime: exponent for prime, exponent in exponents.items() if exponent}
        self.units = units

    def __add__(self, other):
        exponents = dict(self.exponents)
        for prime, exponent in other.exponents.items():
            exponents[prime] = exponents.get(prime, 0) + exponent
        return Bits(exponents, either(self.units, other.units, int.__add__))

    def __sub__(self, other):
        return self + -1 * other

    def __rmul__(self, factor):
        units = None if self.units is None else factor * self.units
        return Bits({prime: factor * exponent for prime, exponent in self.exponents.items()}, units)

    def is_zero(self):
        if not self.exponents or not self.bounds[0] <= 0 <= self.bounds[1]:
            return not self.exponents
        return not refined(self)[0].exponents

    @cached_property
    def bounds(self):
        """Two floating-point numbers that the sum lies between."""
        terms = [exponent * math.log2(prime) for prime, exponent in self.exponents.items()]
        total, error = math.fsum(terms), 1e-14 * math.fsum(map(abs, terms))
        return total - error, total + error

    def within(self, digits):
        """Return two fractions that the sum lies between; the sum has natural logarithms instead of log2."""
        with localcontext() as context:
            context.prec = digits
            terms = [exponent * Fraction(Decimal(prime).ln()) for prime, exponent in self.exponents.items()]
        # Only the logarithms are rounded, with a relative error below 10**(1 - digits).
        error = sum(map(abs, terms)) / 10 ** (digits - 1)
        return sum(terms) - error, sum(terms) + error


def bits(n):
    """Return the number n, in bits: n log2 2."""
    return Bits({2: n}, n * UNITS_PER_BIT)


def entropy_bits(counts):
    """Return the entropy of class counts, times their sum: n log2 n less the sum of n_k log2 n_k."""
    exponents, n = Counter(), sum(counts)
    units = n_log2_n_of(n)
    for prime, exponent in factors_of(n).items():
        exponents[prime] += n * exponent
    for count, times in Counter(counts).items():
        units = None if units is None else units - times * n_log2_n_of(count)
        for prime, exponent in factors_of(count).items():
            exponents[prime] -= times * count * exponent
    return Bits(exponents, units)


def sum_of_products(products):
    """Add products of two sums, each with a factor: a polynomial, {(prime, prime): coefficient}."""
    polynomial = {}
    for factor, x, y in products:
        for p, a in x.exponents.items():
            for q, b in y.exponents.items():
                polynomial[min(p, q), max(p, q)] = polynomial.get((min(p, q), max(p, q)), 0) + factor * a * b
    return {primes: coefficient for primes, coefficient in polynomial.items() if coefficient}


def sign_of_polynomial(polynomial):
    """Return the sign of the sum of coefficients times ln p ln q."""
    if not polynomial:
        return 0
    digits = 40
    while digits <= MOST_DIGITS:
        with localcontext() as context:
            context.prec = digits
            logs = {prime: Decimal(prime).ln() for primes in polynomial for prime in primes}
            terms = [coefficient * logs[p] * logs[q] for (p, q), coefficient in polynomial.items()]
            total, magnitude = sum(terms), sum(map(abs, terms))
            # Every term has three roundings, and the sum one for each term; each is a relative error of 10**-digits.
            if abs(total) > magnitude * (len(terms) + 4) * Decimal(10) ** (1 - digits):
                return 1 if total > 0 else -1
        digits *= 2
    return 0


def greater_of(x, y):
    """Return the greater of two sums. Its units are the greater of both units."""
    greater = x if BitRatio(x, bits(1)) > BitRatio(y, bits(1)) else y
    return Bits(greater.exponents, either(x.units, y.units, max))


class BitRatio:
    """A quotient of two sums of n log2 n with a positive denominator; it compares as a real number.

    A tree reports the quotient as a float from the table. The float is exactly 0 if the quotient is zero, and otherwise
    has the right sign and at least one unit. Beyond the table it is the nearest double; `nearest_double` never uses the
    table.
    """

    def __init__(self, numerator, denominator):
        self.numerator, self.denominator = numerator, denominator

    def __rmul__(self, factor):
        return BitRatio(factor * self.numerator, self.denominator)

    def __neg__(self):
        return -1 * self

    def __float__(self):
        if self.numerator.is_zero():
            return 0.0
        units = self.numerator.units
        if units is None or self.denominator.units is None:
            return self.nearest_double()
        if units <= 0 and self > ZERO:
            units = 1
        if units >= 0 and self < ZERO:
            units = -1
        return float(Fraction(units, self.denominator.units))

    def nearest_double(self):
        """Return the double nearest to the real number.

        The real number is a fraction if the exponents of all primes have one quotient. Otherwise it is transcendental
        (Gelfond-Schneider), and never halfway between two doubles: enough digits tell which double is nearer.
        """
        numerator, denominator = refined(self.numerator, self.denominator)
        prime, exponent = next(iter(denominator.exponents.items()))
        fraction = Fraction(numerator.exponents.get(prime, 0), exponent)
        scaled = {of: fraction * exponent for of, exponent in denominator.exponents.items()}
        if scaled == numerator.exponents or (fraction == 0 and not numerator.exponents):
            return float(fraction)
        digits = 40
        while True:
            (low, high), (divisor_low, divisor_high) = self.numerator.within(digits), self.denominator.within(digits)
            quotients = [a / b for a in (low, high) for b in (divisor_low, divisor_high)]
            if divisor_low > 0 and float(min(quotients)) == float(max(quotients)):
                return float(min(quotients))
            digits *= 2

    def __gt__(self, other):
        """Compare exactly with a quotient or with 0; floating point decides if both are not nearly equal."""
        other = ZERO if other == 0 else other
        if self.exponents() == other.exponents():
            return False
        (low, high), (other_low, other_high) = self.bounds, other.bounds
        if low > other_high or high < other_low:
            return low > other_high
        numerator, denominator, of_other, divisor = refined(
            self.numerator, self.denominator, other.numerator, other.denominator
        )
        difference = [(1, numerator, divisor), (-1, of_other, denominator)]
        return sign_of_polynomial(sum_of_products(difference)) > 0

    def __lt__(self, other):
        return (ZERO if other == 0 else other) > self

    def exponents(self):
        return self.numerator.exponents, self.denominator.exponents

    @cached_property
    def bounds(self):
        """Two floating-point numbers that the quotient lies between."""
        quotients = [a / b for a in self.numerator.bounds for b in self.denominator.bounds]
        return min(quotients) - 1e-14 * abs(min(quotients)), max(quotients) + 1e-14 * abs(max(quotients))


ZERO = BitRatio(Bits({}, 0), bits(1))
