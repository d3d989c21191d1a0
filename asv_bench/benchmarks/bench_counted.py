"""The lines of the dashboard: instructions of whole calls, memory, sizes, and one time.

The arguments of a call are the same since the first commit that can make it.
"""

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

import pytrees

from .common import (
    COUNT_CALLS,
    NO_LIMITS,
    STEADY,
    callgrind,
    classification_data,
    count_instructions,
    has_valgrind,
    label_sequence,
    share_of_sklearn,
    skip_unless,
)
from .public_calls import CALLS as PUBLIC_CALLS

FOLDER = Path(__file__).parents[1]


def run_python(arguments):
    """Return what Python prints if it is run with these arguments."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=FOLDER,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | STEADY,
    ).stdout


# Calls of kernels, since the first commit.
CALLS = ["tree, gini", "tree, entropy", "tree, etc", "effort to compress"]


def counted_call(name):
    """Return (kernel, arguments, keyword arguments) of one of CALLS."""
    if name == "effort to compress":
        return "effort_to_compress", label_sequence("random 10", 20_000, np.random.default_rng(0)), {}
    criterion = name.removeprefix("tree, ")
    X, y = classification_data(150 if criterion == "etc" else 4_000)
    return "grow_by_gain", (X, y, None, 2, criterion), NO_LIMITS


class Counted:
    params = (CALLS,)
    param_names = ("call",)
    timeout = 300

    def setup(self, call):
        skip_unless(has_valgrind())
        self.kernel, self.args, self.kwargs = counted_call(call)

    def track_instructions(self, call):
        return count_instructions(self.kernel, *self.args, **self.kwargs)

    track_instructions.unit = "instructions"
    track_instructions.version = "1"


def raced_call():
    """Return (kernel, arguments, keyword arguments) of the call that is timed beside scikit-learn's tree."""
    X, y = classification_data(2_000)
    return "grow_by_gain", (X, y, None, 2, "gini"), NO_LIMITS


class Raced:
    timeout = 300

    def setup(self):
        self.kernel, self.args, self.kwargs = raced_call()

    def track_share(self):
        # asv takes a rise for a regression: therefore not scikit-learn's time divided by the kernel's.
        return 100 * share_of_sklearn(self.kernel, *self.args, **self.kwargs)

    track_share.unit = "% of scikit-learn's time"
    track_share.version = "1"


class Calls:
    """The public interface; one process makes all calls."""

    params = (list(PUBLIC_CALLS),)
    param_names = ("call",)
    timeout = 900

    def setup_cache(self):
        if not has_valgrind():
            return {}
        program = ["-m", f"{__package__}.public_calls"]
        names = run_python(program).splitlines()
        return dict(zip(names, callgrind(program, cwd=FOLDER), strict=True))

    setup_cache.timeout = 1800

    def setup(self, counts, call):
        skip_unless(call in counts)

    def track_instructions(self, counts, call):
        return counts[call]

    track_instructions.unit = "instructions"
    track_instructions.version = "1"


class Package:
    """The package alone: its import and its size."""

    timeout = 300

    def track_import(self):
        skip_unless(has_valgrind())
        program = (
            "import numpy, sklearn.base\n"
            + COUNT_CALLS
            + "counted = Counted()\ncounted @= lambda: __import__('pytrees')"
        )
        run_python(["-c", program])  # leaves the compiled files of Python
        [counted] = callgrind(["-c", program])
        return counted

    track_import.unit = "instructions"
    track_import.version = "1"

    def track_compressed_size(self):
        memory = io.BytesIO()
        folder = Path(pytrees.__file__).parent
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file.suffix != ".pyc":
                    archive.write(file, file.relative_to(folder))
        return len(memory.getvalue())

    track_compressed_size.unit = "bytes"
    track_compressed_size.version = "1"


class Memory:
    """The peak of a process that fits 100,000 × 20: Python, the libraries and X included."""

    timeout = 300

    def setup_cache(self):
        # To make the data takes more memory than the fit, so another process does.
        np.savez("data.npz", *classification_data(100_000))

    def setup(self):
        data = np.load("data.npz")
        self.X, self.y = data["arr_0"], data["arr_1"]

    def peakmem_nothing(self):
        pass

    def peakmem_tree(self):
        pytrees.DecisionTreeClassifier().fit(self.X, self.y)

    def peakmem_forest(self):
        pytrees.DecisionForestClassifier(n_estimators=10, random_state=0).fit(self.X, self.y)

    peakmem_nothing.version = peakmem_tree.version = peakmem_forest.version = "1"
