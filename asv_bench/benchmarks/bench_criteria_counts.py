"""Criteria: the integer table of n log2 n."""

from importlib import import_module

from .common import ENGINES, count_instructions, has_valgrind, kernel_of, skip_unless


class NLog2N:
    params = (ENGINES, [10**3, 10**4, 10**6])
    param_names = ("engine", "largest")
    number = 1  # a second call would find the table made

    def setup(self, engine, largest):
        skip_unless(engine == "compiled" or largest <= 10**4)
        self.n_log2_n = kernel_of(engine, "n_log2_n")
        if engine == "compiled":
            compiled = import_module("pytrees._core.criteria.counts")
            compiled._n_log2_n = compiled._n_log2_n[:1]
        else:
            import_module("pytrees.reference.criteria.impurities").n_log2_n_of.cache_clear()

    def time_n_log2_n(self, engine, largest):
        self.n_log2_n(largest)


class Instructions:
    params = ([10**3, 10**5],)
    param_names = ("largest",)

    def setup(self, largest):
        skip_unless(has_valgrind())

    def track_instructions(self, largest):
        return count_instructions("n_log2_n", largest)

    track_instructions.unit = "instructions"
