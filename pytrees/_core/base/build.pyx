"""How the kernels were compiled: compiler, vectors, 128-bit integers, bounds checks, accelerators."""

from pytrees._core.base.compiler cimport PYTREES_VECTORS_NAME
from pytrees._core.base.wide cimport PYTREES_INT128_NAME

cdef extern from *:
    """
    #if defined(__clang__)
    #define PYTREES_COMPILER __VERSION__
    #elif defined(__GNUC__)
    #define PYTREES_COMPILER "GCC " __VERSION__
    #elif defined(_MSC_VER)
    #define PYTREES_STRING_OF(x) #x
    #define PYTREES_STRING(x) PYTREES_STRING_OF(x)
    #define PYTREES_COMPILER "MSVC " PYTREES_STRING(_MSC_VER)
    #else
    #define PYTREES_COMPILER "unknown"
    #endif
    #ifndef PYTREES_DEBUG
    #define PYTREES_DEBUG 0
    #endif
    #ifndef PYTREES_PLAIN
    #define PYTREES_PLAIN 0
    #endif
    """
    const char* PYTREES_COMPILER
    int PYTREES_DEBUG, PYTREES_PLAIN


def build():
    """Return the compiler, its numbers of 128 bits and vectors or the portable ones, whether bounds are checked, and
    whether there are accelerators."""
    return {
        "compiler": PYTREES_COMPILER.decode(),
        "numbers of 128 bits": PYTREES_INT128_NAME.decode(),
        "vectors": PYTREES_VECTORS_NAME.decode(),
        "checks bounds": bool(PYTREES_DEBUG),
        "accelerators": not PYTREES_PLAIN,
    }
