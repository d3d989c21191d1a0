/* Whole numbers of 128 bits.

GCC and Clang have them for 64-bit machines. For other compilers, and if PYTREES_PORTABLE is defined, two classes of C++
replace them, with the same results to the last bit: signed numbers are in two's complement, quotients are rounded
towards zero, and doubles are the nearest ones, the even one of two. */

#ifndef PYTREES_WIDE_H
#define PYTREES_WIDE_H

#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(PYTREES_PORTABLE)

#define PYTREES_INT128_NAME "of the compiler"
typedef __int128 pytrees_int128;
typedef unsigned __int128 pytrees_uint128;

#elif !defined(__cplusplus)
#error "This compiler has no whole numbers of 128 bits: build the kernels as C++, with PYTREES_PORTABLE=1."
#else

#define PYTREES_INT128_NAME "portable"
#include <math.h>
#include <type_traits>
#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

struct pytrees_int128;

struct pytrees_uint128 {
    uint64_t low, high;

    pytrees_uint128() = default;
    constexpr pytrees_uint128(uint64_t high, uint64_t low) : low(low), high(high) {}
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    constexpr pytrees_uint128(T value) : low((uint64_t)value), high(value < T(0) ? ~(uint64_t)0 : 0) {}
    inline pytrees_uint128(const pytrees_int128 &value);    /* implicit, as in C */

    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    explicit constexpr operator T() const { return (T)low; }
    explicit constexpr operator bool() const { return (low | high) != 0; }

    explicit operator double() const {
        if (high == 0)
            return (double)low;
        /* Keep the highest 64 bits; the last of them is set if any lower bit is. */
        int shift = 64;
        uint64_t first = high, rest = low;
        while (!(first >> 63)) {
            first = first << 1 | rest >> 63;
            rest <<= 1;
            shift--;
        }
        return ldexp((double)(first | (rest != 0)), shift);
    }

    friend constexpr pytrees_uint128 operator+(pytrees_uint128 a, pytrees_uint128 b) {
        return pytrees_uint128(a.high + b.high + (a.low + b.low < a.low), a.low + b.low);
    }
    friend constexpr pytrees_uint128 operator-(pytrees_uint128 a, pytrees_uint128 b) {
        return pytrees_uint128(a.high - b.high - (a.low < b.low), a.low - b.low);
    }
    friend constexpr pytrees_uint128 operator-(pytrees_uint128 a) { return pytrees_uint128(0, 0) - a; }
    friend constexpr pytrees_uint128 operator~(pytrees_uint128 a) { return pytrees_uint128(~a.high, ~a.low); }
    friend constexpr pytrees_uint128 operator&(pytrees_uint128 a, pytrees_uint128 b) {
        return pytrees_uint128(a.high & b.high, a.low & b.low);
    }
    friend constexpr pytrees_uint128 operator|(pytrees_uint128 a, pytrees_uint128 b) {
        return pytrees_uint128(a.high | b.high, a.low | b.low);
    }
    friend constexpr pytrees_uint128 operator^(pytrees_uint128 a, pytrees_uint128 b) {
        return pytrees_uint128(a.high ^ b.high, a.low ^ b.low);
    }
    friend constexpr pytrees_uint128 operator<<(pytrees_uint128 a, int n) {
        return n == 0 ? a : n >= 64 ? pytrees_uint128(a.low << (n - 64), 0)
            : pytrees_uint128(a.high << n | a.low >> (64 - n), a.low << n);
    }
    friend constexpr pytrees_uint128 operator>>(pytrees_uint128 a, int n) {
        return n == 0 ? a : n >= 64 ? pytrees_uint128(0, a.high >> (n - 64))
            : pytrees_uint128(a.high >> n, a.low >> n | a.high << (64 - n));
    }
    friend constexpr bool operator==(pytrees_uint128 a, pytrees_uint128 b) { return a.high == b.high && a.low == b.low; }
    friend constexpr bool operator!=(pytrees_uint128 a, pytrees_uint128 b) { return !(a == b); }
    friend constexpr bool operator<(pytrees_uint128 a, pytrees_uint128 b) {
        return a.high < b.high || (a.high == b.high && a.low < b.low);
    }
    friend constexpr bool operator>(pytrees_uint128 a, pytrees_uint128 b) { return b < a; }
    friend constexpr bool operator<=(pytrees_uint128 a, pytrees_uint128 b) { return !(b < a); }
    friend constexpr bool operator>=(pytrees_uint128 a, pytrees_uint128 b) { return !(a < b); }

    friend pytrees_uint128 operator*(pytrees_uint128 a, pytrees_uint128 b) {
        pytrees_uint128 product = multiply(a.low, b.low);
        product.high += a.low * b.high + a.high * b.low;
        return product;
    }
    friend pytrees_uint128 operator/(pytrees_uint128 a, pytrees_uint128 b) { return divide(a, b, NULL); }
    friend pytrees_uint128 operator%(pytrees_uint128 a, pytrees_uint128 b) {
        pytrees_uint128 remainder;
        divide(a, b, &remainder);
        return remainder;
    }

    template <class T> pytrees_uint128 &operator+=(const T &b) { return *this = *this + pytrees_uint128(b); }
    template <class T> pytrees_uint128 &operator-=(const T &b) { return *this = *this - pytrees_uint128(b); }
    template <class T> pytrees_uint128 &operator*=(const T &b) { return *this = *this * pytrees_uint128(b); }
    template <class T> pytrees_uint128 &operator/=(const T &b) { return *this = *this / pytrees_uint128(b); }
    pytrees_uint128 &operator<<=(int n) { return *this = *this << n; }
    pytrees_uint128 &operator>>=(int n) { return *this = *this >> n; }

    static pytrees_uint128 multiply(uint64_t a, uint64_t b) {
#if defined(_MSC_VER) && defined(_M_X64)
        pytrees_uint128 product;
        product.low = _umul128(a, b, &product.high);
        return product;
#else
        const uint64_t half = 0xFFFFFFFFu;
        uint64_t low = (a & half) * (b & half), one = (a & half) * (b >> 32), other = (a >> 32) * (b & half);
        uint64_t middle = (low >> 32) + (one & half) + (other & half);
        return pytrees_uint128((a >> 32) * (b >> 32) + (one >> 32) + (other >> 32) + (middle >> 32), a * b);
#endif
    }

    /* Divide bit by bit if the numbers do not fit 64 bits, which is rare. */
    static pytrees_uint128 divide(pytrees_uint128 a, pytrees_uint128 b, pytrees_uint128 *remainder) {
        pytrees_uint128 quotient(0, 0), rest(0, 0);
        if (a.high == 0 && b.high == 0) {
            if (remainder != NULL)
                *remainder = pytrees_uint128(0, a.low % b.low);
            return pytrees_uint128(0, a.low / b.low);
        }
        for (int bit = 127; bit >= 0; bit--) {
            /* A bit that the shift drops makes the rest greater than any divisor. */
            bool overflows = rest.high >> 63;
            rest = rest << 1 | ((a >> bit) & 1);
            quotient = quotient << 1;
            if (overflows || rest >= b) {
                rest = rest - b;
                quotient.low |= 1;
            }
        }
        if (remainder != NULL)
            *remainder = rest;
        return quotient;
    }
};

struct pytrees_int128 {
    pytrees_uint128 bits;

    pytrees_int128() = default;
    explicit constexpr pytrees_int128(pytrees_uint128 bits) : bits(bits) {}
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    constexpr pytrees_int128(T value) : bits(value) {}

    /* Truncates, as in C; both differences are exact. */
    explicit pytrees_int128(double value) {
        double magnitude = fabs(value);
        uint64_t high = (uint64_t)ldexp(magnitude, -64);
        *this = of(value < 0, pytrees_uint128(high, (uint64_t)(magnitude - ldexp((double)high, 64))));
    }

    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    explicit constexpr operator T() const { return (T)bits.low; }
    explicit constexpr operator bool() const { return (bool)bits; }
    explicit operator double() const { return is_negative() ? -(double)-bits : (double)bits; }

    constexpr bool is_negative() const { return bits.high >> 63; }
    constexpr pytrees_uint128 magnitude() const { return is_negative() ? -bits : bits; }
    static constexpr pytrees_int128 of(bool is_negative, pytrees_uint128 magnitude) {
        return pytrees_int128(is_negative ? -magnitude : magnitude);
    }

    friend constexpr pytrees_int128 operator+(pytrees_int128 a, pytrees_int128 b) { return pytrees_int128(a.bits + b.bits); }
    friend constexpr pytrees_int128 operator-(pytrees_int128 a, pytrees_int128 b) { return pytrees_int128(a.bits - b.bits); }
    friend constexpr pytrees_int128 operator-(pytrees_int128 a) { return pytrees_int128(-a.bits); }
    friend pytrees_int128 operator*(pytrees_int128 a, pytrees_int128 b) { return pytrees_int128(a.bits * b.bits); }
    friend pytrees_int128 operator/(pytrees_int128 a, pytrees_int128 b) {
        return of(a.is_negative() != b.is_negative(), a.magnitude() / b.magnitude());
    }
    friend pytrees_int128 operator%(pytrees_int128 a, pytrees_int128 b) {
        return of(a.is_negative(), a.magnitude() % b.magnitude());
    }
    friend constexpr pytrees_int128 operator&(pytrees_int128 a, pytrees_int128 b) { return pytrees_int128(a.bits & b.bits); }
    friend constexpr pytrees_int128 operator<<(pytrees_int128 a, int n) { return pytrees_int128(a.bits << n); }
    friend constexpr pytrees_int128 operator>>(pytrees_int128 a, int n) {
        return a.is_negative() ? pytrees_int128(~(~a.bits >> n)) : pytrees_int128(a.bits >> n);
    }
    friend constexpr bool operator==(pytrees_int128 a, pytrees_int128 b) { return a.bits == b.bits; }
    friend constexpr bool operator!=(pytrees_int128 a, pytrees_int128 b) { return !(a == b); }
    friend constexpr bool operator<(pytrees_int128 a, pytrees_int128 b) {
        return a.is_negative() != b.is_negative() ? a.is_negative() : a.bits < b.bits;
    }
    friend constexpr bool operator>(pytrees_int128 a, pytrees_int128 b) { return b < a; }
    friend constexpr bool operator<=(pytrees_int128 a, pytrees_int128 b) { return !(b < a); }
    friend constexpr bool operator>=(pytrees_int128 a, pytrees_int128 b) { return !(a < b); }

    template <class T> pytrees_int128 &operator+=(const T &b) { return *this = *this + pytrees_int128(b); }
    template <class T> pytrees_int128 &operator-=(const T &b) { return *this = *this - pytrees_int128(b); }
    template <class T> pytrees_int128 &operator*=(const T &b) { return *this = *this * pytrees_int128(b); }
};

inline pytrees_uint128::pytrees_uint128(const pytrees_int128 &value) : low(value.bits.low), high(value.bits.high) {}

#endif
#endif
