"""The reference engine: pure Python, standard library only, naive, written from the definitions.

One file for one kernel of ``pytrees._core``, with the same function names. It is read to understand the kernels and
run to check them; it is not meant to be fast.
"""
