"""Lempel-Ziv complexity: sequences of many lengths and alphabets, and the best cut of a node by it."""

from itertools import cycle

from .bench_sequence_scanner import LIMITS, node
from .common import (
    ENGINES,
    SEQUENCE_KINDS,
    count_instructions,
    has_valgrind,
    kernel_of,
    label_sequences,
    skip_unless,
)


def complexity_node(kind, n, **options):
    """Return a node as `grow_by_gain` takes it, to be cut by complexity."""
    return (*node(kind, n, **options)[:-1], "lz76")


class Complexity:
    params = (ENGINES, SEQUENCE_KINDS, [10**2, 10**3, 10**4, 10**5, 10**6])
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 10**2)
        self.complexity = kernel_of(engine, "lempel_ziv_complexity")
        self.sequences = cycle(label_sequences(kind, n))

    def time_complexity(self, engine, kind, n):
        self.complexity(*next(self.sequences))


class CompiledComplexity:
    params = (["random 2", "random 1000", "Fibonacci", "distinct"], [10**4, 10**6])
    param_names = ("kind", "n")
    timeout = 300

    def setup(self, kind, n):
        self.complexity = kernel_of("compiled", "lempel_ziv_complexity")
        self.sequence = label_sequences(kind, n)[0]

    def peakmem_complexity(self, kind, n):
        self.complexity(*self.sequence)

    def track_components(self, kind, n):
        return self.complexity(*self.sequence)

    track_components.unit = "components"


class BestCut:
    params = (ENGINES, ["all cuts", "64 cuts", "sorted labels"], [2, 9], [50, 190, 1000, 4000])
    param_names = ("engine", "kind", "n_classes", "n")
    timeout = 300

    def setup(self, engine, kind, n_classes, n):
        skip_unless(engine == "compiled" or n <= 50)
        self.grow = kernel_of(engine, "grow_by_gain")
        self.node = complexity_node(kind, n, n_classes=n_classes)

    def time_best_cut(self, engine, kind, n_classes, n):
        self.grow(*self.node, **LIMITS)


class Instructions:
    params = (["random 2", "random 1000", "all cuts", "sorted labels"], [190, 1000])
    param_names = ("kind", "n")
    timeout = 300

    def setup(self, kind, n):
        skip_unless(has_valgrind())

    def track_instructions(self, kind, n):
        if kind in SEQUENCE_KINDS:
            return count_instructions("lempel_ziv_complexity", *label_sequences(kind, n)[0])
        return count_instructions("grow_by_gain", *complexity_node(kind, n), **LIMITS)

    track_instructions.unit = "instructions"
