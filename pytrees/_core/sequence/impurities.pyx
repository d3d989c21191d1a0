"""The table of criteria on label sequences: the memory that each of them needs."""

cimport cython

from pytrees._core.base.types cimport index_t
from pytrees._core.sequence.history cimport ExhaustiveHistory
from pytrees._core.sequence.substitution cimport PairSubstitution

from pytrees._core.sequence.history import plane_children
from pytrees._core.sequence.levels import level_children


@cython.final
cdef class ImpurityMemory:
    def __cinit__(self, Py_ssize_t n_rows, index_t n_classes, SequenceImpurity impurity):
        self.impurity = impurity
        self.n_classes = n_classes
        if impurity == EFFORT:
            self.substitution = PairSubstitution(n_rows, n_classes)
            self.sequence = self.substitution.sequence
            self.levels = level_children(n_rows, n_classes)
        elif impurity == COMPLEXITY:
            self.history = ExhaustiveHistory(n_rows, n_classes)
            self.sequence = self.history.sequence
            self.planes = plane_children(n_rows, n_classes)
        else:
            raise ValueError(f"No impurity of label sequences has the code {impurity}.")
