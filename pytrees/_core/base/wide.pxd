"""Whole numbers of 128 bits, of the compiler or of `wide.h`."""

cdef extern from "wide.h":
    # The declared size is only what Cython ranks conversions by; the C compiler knows the true one.
    ctypedef long long int128_t "pytrees_int128"
    ctypedef unsigned long long uint128_t "pytrees_uint128"
    const char* PYTREES_INT128_NAME
