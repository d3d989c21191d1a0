"""Scanner: the best split of one node, as a tree of depth 1; the sort of the features is part of it."""

from .common import ENGINES, NO_LIMITS, classification_data, count_instructions, grow, has_valgrind, skip_unless


class RootSplitByCounts:
    params = (ENGINES, ["gini", "entropy"], [2, 10], [200, 10**4, 10**5])
    param_names = ("engine", "criterion", "n_classes", "n")

    def setup(self, engine, criterion, n_classes, n):
        skip_unless(engine == "compiled" or n <= 200)
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_root_split(self, engine, criterion, n_classes, n):
        grow(engine, self.X, self.y, criterion, max_depth=1)


class RootSplitAroundTheSwitchToBins:
    """Up to 16,384 rows all features are sorted, above it they are cut into bins."""

    params = (["gini", "entropy"], [2, 10], [16384, 16385])
    param_names = ("criterion", "n_classes", "n")

    def setup(self, criterion, n_classes, n):
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_root_split(self, criterion, n_classes, n):
        grow("compiled", self.X, self.y, criterion, max_depth=1)


class RootSplitByOrdinalCounts:
    params = (["gini", "ogini", "ranking", "wig"], [10**4])
    param_names = ("criterion", "n")

    def setup(self, criterion, n):
        self.X, self.y = classification_data(n, n_classes=10)

    def time_root_split(self, criterion, n):
        grow("compiled", self.X, self.y, criterion, max_depth=1)


class RootSplitByClusterings:
    """Cost of cuts compared with Gini: the sort is the same. In small nodes fewer cuts are skipped."""

    params = (["gini", "gain_ratio", "nvi", "jaccard", "accuracy", "mae"], [3, 10], [200, 10**4])
    param_names = ("criterion", "n_classes", "n")

    def setup(self, criterion, n_classes, n):
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_root_split(self, criterion, n_classes, n):
        grow("compiled", self.X, self.y, criterion, max_depth=1)


class InstructionsByClusterings:
    params = (["gain_ratio", "nvi", "jaccard", "accuracy", "mae"], [3, 10])
    param_names = ("criterion", "n_classes")
    timeout = 300

    def setup(self, criterion, n_classes):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(10**4, n_classes=n_classes)

    def track_instructions(self, criterion, n_classes):
        limits = NO_LIMITS | {"max_depth": 1}
        return count_instructions("grow_by_gain", self.X, self.y, None, n_classes, criterion, **limits)

    track_instructions.unit = "instructions"


class RootSplitBySequence:
    params = (ENGINES, [2, 10], [100, 500, 1000])
    param_names = ("engine", "n_classes", "n")
    timeout = 300

    def setup(self, engine, n_classes, n):
        skip_unless(engine == "compiled" or n <= 100)
        self.X, self.y = classification_data(n, n_classes=n_classes)

    def time_root_split(self, engine, n_classes, n):
        grow(engine, self.X, self.y, "etc", max_depth=1)


class Instructions:
    params = (["gini", "entropy", "etc"],)
    param_names = ("criterion",)
    timeout = 300

    def setup(self, criterion):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(100 if criterion == "etc" else 10**4)

    def track_instructions(self, criterion):
        limits = NO_LIMITS | {"max_depth": 1}
        return count_instructions("grow_by_gain", self.X, self.y, None, 2, criterion, **limits)

    track_instructions.unit = "instructions"


class InstructionsAroundTheSwitchToBins:
    params = (["gini", "entropy"], [16384, 16385])
    param_names = ("criterion", "n")
    timeout = 300

    def setup(self, criterion, n):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(n)

    def track_instructions(self, criterion, n):
        limits = NO_LIMITS | {"max_depth": 1}
        return count_instructions("grow_by_gain", self.X, self.y, None, 2, criterion, **limits)

    track_instructions.unit = "instructions"


class InstructionsByOrdinalCounts:
    params = (["gini", "ogini", "ranking", "wig"],)
    param_names = ("criterion",)
    timeout = 300

    def setup(self, criterion):
        skip_unless(has_valgrind())
        self.X, self.y = classification_data(10**4, n_classes=10)

    def track_instructions(self, criterion):
        limits = NO_LIMITS | {"max_depth": 1}
        return count_instructions("grow_by_gain", self.X, self.y, None, 10, criterion, **limits)

    track_instructions.unit = "instructions"
