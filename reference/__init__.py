"""The reference engine: pure Python, standard library only, naive, written from the definitions.

It has one file for each kernel of ``pytrees._core``, with the same function names. Read it to understand the kernels,
and run it to check them; it is not meant to be fast.
"""
