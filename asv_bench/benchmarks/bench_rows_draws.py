"""Draws: the samples of a bootstrap, and how often each was drawn."""

from .common import ENGINES, count_instructions, has_valgrind, kernel_of, skip_unless


class CountDraws:
    params = (ENGINES, [10**2, 10**4, 10**6])
    param_names = ("engine", "n")

    def setup(self, engine, n):
        skip_unless(engine == "compiled" or n <= 10**4)
        self.count_draws = kernel_of(engine, "count_draws")

    def time_count_draws(self, engine, n):
        self.count_draws(0, n, n)


class Instructions:
    def setup(self):
        skip_unless(has_valgrind())

    def track_instructions(self):
        return count_instructions("count_draws", 0, 10**4, 10**4)

    track_instructions.unit = "instructions"
