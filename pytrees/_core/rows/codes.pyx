"""Codes of categories: the position of every value of a column among the known values, which differ."""

import numpy as np

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.string cimport memcmp, memcpy

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport NO_CATEGORY, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "Python.h" nogil:
    bint PyUnicode_CheckExact(PyObject*)
    bint PyUnicode_IS_COMPACT(PyObject*)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject*)
    int PyUnicode_KIND(PyObject*)
    void* PyUnicode_DATA(PyObject*)

cdef enum:
    VALUES_BETWEEN_CHECKS = 1000000     # for signals
    AHEAD = 16                          # objects whose memory is fetched before they are read
    HEAD = 48                           # bytes of a string's object, after which a second line may start
    N_RECENT = 16384                    # strings that are known by their addresses
    WORD = 8                            # bytes

# Eight bytes from place n on keep the last n of eight bytes.
cdef uint8_t[2 * WORD] MASKS = [0] * WORD + [255] * WORD


# The bytes of a string or record, all of which are in the first and last word if there are at most 16.
cdef struct Bytes:
    const uint8_t* start
    int64_t length
    int64_t kind                        # bytes of a character
    uint64_t first
    uint64_t last


# Known strings or records, and a table of their hashes, a quarter of which is used at most. A slot has 32 bits of a
# hash, and its position plus 1; a free slot is 0.
cdef struct Table:
    Bytes* known
    uint64_t* slots
    uint64_t mask


def codes_of_objects(values, known):
    """Return the position of every object of an array among those of another one, by equality, or NO_CATEGORY.

    Strings are found by their bytes, and cached by their addresses. Raises TypeError if an object cannot be hashed.
    """
    if values.dtype != object or values.ndim != 1:
        raise ValueError("values must be an array of objects of one dimension.")
    cdef list listed = known.tolist()
    cdef dict positions = None          # made for the first value that is not found as a string
    cdef uint64_t[::1] memory = _memory(len(listed)), recent = np.zeros(2 * N_RECENT, dtype=np.uint64)
    cdef Table table = _table(memory, len(listed))
    cdef Py_ssize_t i, n = len(values), stride = values.strides[0]
    cdef char* items = <char*> <size_t> values.__array_interface__["data"][0]
    cdef int64_t[::1] codes = np.full(n, NO_CATEGORY, dtype=np.int64)
    cdef int64_t unchecked = 0
    cdef PyObject* value
    cdef PyObject* found
    cdef uint64_t* last
    cdef Bytes string
    for i in range(len(listed)):
        if _read_string(<PyObject*> listed[i], &table.known[i]):
            _add(&table, i)
    for i in range(n):
        check_signals(&unchecked, 1, VALUES_BETWEEN_CHECKS)
        if i + AHEAD < n:
            value = (<PyObject**> (items + (i + AHEAD) * stride))[0]
            prefetch(value)
            prefetch(<char*> value + HEAD)
        value = (<PyObject**> (items + i * stride))[0]
        if value == NULL:               # None, as NumPy reads it
            continue
        last = &recent[2 * ((<uint64_t> value >> 4 ^ <uint64_t> value >> 18) % N_RECENT)]
        if last[0] == <uint64_t> value:
            codes[i] = <int64_t> last[1]
        elif _read_string(value, &string):
            codes[i] = _position(&table, &string)
            last[0], last[1] = <uint64_t> value, <uint64_t> codes[i]
        if codes[i] == NO_CATEGORY:
            if positions is None:
                positions = dict(zip(listed, range(len(listed))))
            found = PyDict_GetItemWithError(positions, <object> value)
            if found != NULL:
                codes[i] = <Py_ssize_t> <object> found
    return np.asarray(codes)


def codes_of_records(const uint8_t[:, :] values, const uint8_t[:, :] known):
    """Return the position of every row of bytes among the known rows, NO_CATEGORY for others. The bytes of a row, at
    least 8, must be next to each other."""
    cdef Py_ssize_t i, width = values.shape[1]
    if width < WORD or known.shape[1] != width or values.strides[1] != 1 or known.strides[1] != 1:
        raise ValueError("Records must have at least 8 bytes, next to each other, and the known ones as many.")
    cdef uint64_t[::1] memory = _memory(known.shape[0])
    cdef Table table = _table(memory, known.shape[0])
    cdef int64_t[::1] codes = np.empty(values.shape[0], dtype=np.int64)
    cdef int64_t unchecked = 0
    cdef Bytes record
    with nogil:
        for i in range(known.shape[0]):
            table.known[i] = _bytes(&known[i, 0], width, 1)
            _add(&table, i)
        for i in range(values.shape[0]):
            record = _bytes(&values[i, 0], width, 1)
            codes[i] = _position(&table, &record)
            check_signals(&unchecked, 1, VALUES_BETWEEN_CHECKS)
    return np.asarray(codes)


cdef inline bint _read_string(PyObject* value, Bytes* string) noexcept nogil:
    """Read an object if it is a string and of no other class, and its bytes follow a head in the same memory."""
    cdef int kind
    if not PyUnicode_CheckExact(value) or not PyUnicode_IS_COMPACT(value):
        return False
    kind = PyUnicode_KIND(value)
    string[0] = _bytes(<const uint8_t*> PyUnicode_DATA(value), PyUnicode_GET_LENGTH(value) * kind, kind)
    return True


cdef inline Bytes _bytes(const uint8_t* start, int64_t length, int kind) noexcept nogil:
    """Read the first and the last word, which reach before less than 8 bytes: a mask hides that, without a branch on
    the length, which no processor foresees."""
    cdef Bytes string = Bytes(start, length, kind, 0, 0)
    cdef uint64_t mask
    memcpy(&mask, MASKS + min(length, WORD), WORD)
    memcpy(&string.first, start + min(length, WORD) - WORD, WORD)
    memcpy(&string.last, start + length - WORD, WORD)
    string.first &= mask
    string.last &= mask
    return string


# ----------------------------------------------------------------------------------------------------------- the table

def _memory(n_known):
    return np.zeros(5 * n_known + (1 << (4 * n_known).bit_length()), dtype=np.uint64)


cdef Table _table(uint64_t[::1] memory, Py_ssize_t n_known):
    return Table(<Bytes*> &memory[0], &memory[5 * n_known], memory.shape[0] - 5 * n_known - 1)


cdef inline void _add(Table* table, Py_ssize_t position) noexcept nogil:
    cdef uint64_t hashed = _hash(&table.known[position]), slot = hashed & table.mask
    while table.slots[slot]:
        slot = (slot + 1) & table.mask
    table.slots[slot] = hashed >> 32 << 32 | <uint64_t> (position + 1)


cdef inline int64_t _position(const Table* table, const Bytes* string) noexcept nogil:
    cdef uint64_t hashed = _hash(string), slot = hashed & table.mask, found = table.slots[slot]
    while found:
        if found >> 32 == hashed >> 32 and _are_equal(&table.known[<uint32_t> found - 1], string):
            return <int64_t> <uint32_t> found - 1
        slot = (slot + 1) & table.mask
        found = table.slots[slot]
    return NO_CATEGORY


cdef inline bint _are_equal(const Bytes* one, const Bytes* other) noexcept nogil:
    return (
        one.first == other.first and one.last == other.last and one.length == other.length and one.kind == other.kind
        and (one.length <= 2 * WORD or memcmp(one.start + WORD, other.start + WORD, one.length - 2 * WORD) == 0)
    )


cdef inline uint64_t _hash(const Bytes* string) noexcept nogil:
    cdef uint64_t factor = <uint64_t> 0x9E3779B97F4A7C15, hashed = string.length, word
    cdef int64_t done = WORD
    hashed += (string.first ^ string.first >> 32) * factor + (string.last ^ string.last >> 29) * (factor << 1 | 1)
    while done < string.length - WORD:
        memcpy(&word, string.start + done, WORD)
        factor += <uint64_t> 0xD6E8FEB86659FD92     # even, so that factors stay odd
        hashed += (word ^ word >> 32) * factor
        done += WORD
    hashed = (hashed ^ hashed >> 32) * <uint64_t> 0xD6E8FEB86659FD93
    return hashed ^ hashed >> 32
