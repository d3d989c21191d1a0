"""Pair substitution: Effort-To-Compress over lengths, alphabets and hostile inputs."""

from itertools import cycle

from .common import (
    ENGINES,
    SEQUENCE_KINDS,
    count_instructions,
    has_valgrind,
    kernel_of,
    label_sequences,
    skip_unless,
)

LENGTHS = [10**3, 10**4, 10**5, 10**6]


class EffortToCompress:
    params = (ENGINES, SEQUENCE_KINDS, LENGTHS)
    param_names = ("engine", "kind", "n")
    timeout = 300

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        self.effort_to_compress = kernel_of(engine, "effort_to_compress")
        self.sequences = cycle(label_sequences(kind, n))

    def time_effort_to_compress(self, engine, kind, n):
        self.effort_to_compress(*next(self.sequences))


class CompiledEffortToCompress:
    params = (["random 2", "random 1000", "Fibonacci", "distinct"], LENGTHS)
    param_names = ("kind", "n")
    timeout = 300

    def setup(self, kind, n):
        self.effort_to_compress = kernel_of("compiled", "effort_to_compress")
        self.sequence = label_sequences(kind, n)[0]

    def peakmem_effort_to_compress(self, kind, n):
        self.effort_to_compress(*self.sequence)

    def track_steps(self, kind, n):
        return self.effort_to_compress(*self.sequence)

    track_steps.unit = "steps"


class Instructions:
    params = (["random 2", "random 1000", "Fibonacci"], [10**3, 10**5])
    param_names = ("kind", "n")
    timeout = 300

    def setup(self, kind, n):
        skip_unless(has_valgrind())
        self.sequence = label_sequences(kind, n)[0]

    def track_instructions(self, kind, n):
        return count_instructions("effort_to_compress", *self.sequence)

    track_instructions.unit = "instructions"


class Substitutions:
    params = (ENGINES, ["random 2", "random 10", "sorted runs"], [10**3, 10**5])
    param_names = ("engine", "kind", "n")

    def setup(self, engine, kind, n):
        skip_unless(engine == "compiled" or n <= 10**3)
        self.substitutions = kernel_of(engine, "substitutions")
        self.sequences = cycle(label_sequences(kind, n))

    def time_substitutions(self, engine, kind, n):
        self.substitutions(*next(self.sequences))
