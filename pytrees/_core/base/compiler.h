/* Extensions of GCC and Clang to the language, and their replacements: vectors of 16 bytes, bits, prefetching,
inlining.

For other compilers, and if PYTREES_PORTABLE is defined, a class of C++ has the same operators as the vectors, lane by
lane, with the same results. */

#ifndef PYTREES_COMPILER_H
#define PYTREES_COMPILER_H

#include <stdint.h>
#include <string.h>

/* Compilers replace the sum by the instruction that counts bits, if they may use it. A builtin would be a call if not. */
static inline int pytrees_popcount(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (int)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Four bytes at any address, the lowest first: one instruction on most machines. */
static inline uint32_t pytrees_word_at(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#if (defined(__GNUC__) || defined(__clang__)) && !defined(PYTREES_PORTABLE)

#define PYTREES_VECTORS_NAME "of the compiler"
#if defined(__SSE2__)
#define PYTREES_SSE2
#include <emmintrin.h>
#endif
#define PYTREES_ALWAYS_INLINE inline __attribute__((always_inline))

typedef uint32_t lanes_u32 __attribute__((vector_size(16)));
typedef int32_t lanes_i32 __attribute__((vector_size(16)));
typedef int64_t lanes_i64 __attribute__((vector_size(16)));
typedef float lanes_f32 __attribute__((vector_size(16)));
typedef uint16_t lanes_u16 __attribute__((vector_size(16)));
typedef int16_t lanes_i16 __attribute__((vector_size(16)));
typedef uint32_t pytrees_lanes __attribute__((vector_size(16), may_alias));

static inline lanes_f32 floats_of(lanes_i32 a) { return __builtin_convertvector(a, lanes_f32); }
static inline void pytrees_prefetch(const void *at) { __builtin_prefetch(at); }
static inline int pytrees_trailing_zeros(uint64_t bits) { return __builtin_ctzll(bits); }
static inline int pytrees_bit_length(uint32_t number) { return number > 0 ? 32 - __builtin_clz(number) : 0; }

#elif !defined(__cplusplus)
#error "This compiler has no vectors: build the kernels as C++, with PYTREES_PORTABLE=1."
#else

#define PYTREES_VECTORS_NAME "portable"
#include <type_traits>
#if defined(_MSC_VER)
#define PYTREES_ALWAYS_INLINE __forceinline
#else
#define PYTREES_ALWAYS_INLINE inline
#endif

/* Whole numbers wrap around. */
template <class T> struct arithmetic_of { typedef uint32_t type; };
template <> struct arithmetic_of<float> { typedef float type; };
template <> struct arithmetic_of<int64_t> { typedef uint64_t type; };

/* The lanes of a comparison: -1 if it holds, else 0. */
template <class T> struct mask_of { typedef typename std::make_signed<T>::type type; };
template <> struct mask_of<float> { typedef int32_t type; };

template <class T, int N> struct vector_of_lanes {
    T lanes[N];

    T &operator[](intptr_t lane) { return lanes[lane]; }
    const T &operator[](intptr_t lane) const { return lanes[lane]; }

    /* The same bytes. */
    template <class U, int M> explicit operator vector_of_lanes<U, M>() const {
        static_assert(sizeof(T) * N == sizeof(U) * M, "vectors have one size");
        vector_of_lanes<U, M> other;
        memcpy(&other, this, sizeof other);
        return other;
    }
};

template <class T, int N> inline vector_of_lanes<T, N> all_lanes(T x) {
    vector_of_lanes<T, N> result;
    for (int lane = 0; lane < N; lane++)
        result.lanes[lane] = x;
    return result;
}

/* An operator on two vectors, or on a vector and a number that stands for all lanes; `expression` is of x and y. */
#define LANE_BY_LANE(op, RESULT, expression) \
    template <class T, int N> \
    inline vector_of_lanes<RESULT, N> operator op(const vector_of_lanes<T, N> &a, const vector_of_lanes<T, N> &b) { \
        vector_of_lanes<RESULT, N> result; \
        for (int lane = 0; lane < N; lane++) { \
            typename arithmetic_of<T>::type x = (typename arithmetic_of<T>::type)a.lanes[lane]; \
            typename arithmetic_of<T>::type y = (typename arithmetic_of<T>::type)b.lanes[lane]; \
            result.lanes[lane] = (RESULT)(expression); \
        } \
        return result; \
    } \
    template <class T, int N, class S, class = typename std::enable_if<std::is_arithmetic<S>::value>::type> \
    inline vector_of_lanes<RESULT, N> operator op(const vector_of_lanes<T, N> &a, S b) { \
        return a op all_lanes<T, N>((T)b); \
    } \
    template <class T, int N, class S, class = typename std::enable_if<std::is_arithmetic<S>::value>::type> \
    inline vector_of_lanes<RESULT, N> operator op(S a, const vector_of_lanes<T, N> &b) { \
        return all_lanes<T, N>((T)a) op b; \
    }

LANE_BY_LANE(+, T, x + y)
LANE_BY_LANE(-, T, x - y)
LANE_BY_LANE(*, T, x * y)
LANE_BY_LANE(/, T, x / y)
LANE_BY_LANE(&, T, x & y)
LANE_BY_LANE(|, T, x | y)
LANE_BY_LANE(^, T, x ^ y)
LANE_BY_LANE(<<, T, x << y)
LANE_BY_LANE(>>, T, x >> y)
LANE_BY_LANE(<, typename mask_of<T>::type, (T)x < (T)y ? -1 : 0)
LANE_BY_LANE(>, typename mask_of<T>::type, (T)x > (T)y ? -1 : 0)
LANE_BY_LANE(>=, typename mask_of<T>::type, (T)x >= (T)y ? -1 : 0)
LANE_BY_LANE(==, typename mask_of<T>::type, x == y ? -1 : 0)
LANE_BY_LANE(!=, typename mask_of<T>::type, x != y ? -1 : 0)
#undef LANE_BY_LANE

template <class T, int N> inline vector_of_lanes<T, N> operator~(const vector_of_lanes<T, N> &a) {
    vector_of_lanes<T, N> result;
    for (int lane = 0; lane < N; lane++)
        result.lanes[lane] = (T)~a.lanes[lane];
    return result;
}
template <class T, int N, class B> inline vector_of_lanes<T, N> &operator+=(vector_of_lanes<T, N> &a, const B &b) {
    return a = a + b;
}
template <class T, int N, class B> inline vector_of_lanes<T, N> &operator-=(vector_of_lanes<T, N> &a, const B &b) {
    return a = a - b;
}

typedef vector_of_lanes<uint32_t, 4> lanes_u32;
typedef vector_of_lanes<int32_t, 4> lanes_i32;
typedef vector_of_lanes<int64_t, 2> lanes_i64;
typedef vector_of_lanes<float, 4> lanes_f32;
typedef vector_of_lanes<uint16_t, 8> lanes_u16;
typedef vector_of_lanes<int16_t, 8> lanes_i16;
typedef lanes_u32 pytrees_lanes;

static inline lanes_f32 floats_of(const lanes_i32 &a) {
    lanes_f32 result;
    for (int lane = 0; lane < 4; lane++)
        result.lanes[lane] = (float)a.lanes[lane];
    return result;
}

static inline void pytrees_prefetch(const void *) {}

static inline int pytrees_trailing_zeros(uint64_t bits) { return pytrees_popcount(~bits & (bits - 1)); }

static inline int pytrees_bit_length(uint32_t number) {
    int length = 0;
    for (; number > 0; number >>= 1)
        length++;
    return length;
}

#endif
#endif
