"""Effort-To-Compress of many slices, by pairs and by longer n-grams, and what is made of it."""

import numpy as np

from pytrees import compression_complexity_causality, sliding_effort_to_compress

from .common import ENGINES, count_instructions, has_valgrind, kernel_of, skip_unless


def slices(n, length):
    """Make labels of four kinds, and slices of them, one after the other."""
    codes = np.random.default_rng(0).integers(0, 4, n).astype(np.int32)
    starts = np.arange(0, n - length + 1, length)
    return codes, 4, starts, starts + length


class Efforts:
    params = (ENGINES, [2, 3, 5])
    param_names = ("engine", "order")

    def setup(self, engine, order):
        self.efforts = kernel_of(engine, "efforts")
        self.slices = slices(600 if engine == "reference" else 60_000, 150)

    def time_efforts(self, engine, order):
        self.efforts(*self.slices, order)


class Series:
    def setup(self):
        self.x, self.y = np.random.default_rng(0).integers(0, 2, (2, 3_000))

    def time_windows(self):
        sliding_effort_to_compress(self.x, 150, 10)

    def time_causality(self):
        compression_complexity_causality(self.x, self.y, past=100, present=15, step=15)


class Instructions:
    timeout = 300

    def setup(self):
        skip_unless(has_valgrind())
        self.slices = slices(60_000, 150)

    def track_instructions(self):
        return count_instructions("efforts", *self.slices, 3)

    track_instructions.unit = "instructions"
