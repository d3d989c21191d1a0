"""Compile the kernels; everything declarative is in pyproject.toml.

Environment variables: ``PYTREES_DEBUG=1`` checks bounds, negative indices too, and initialisation.
``PYTREES_PORTABLE=1`` does without what GCC and Clang have beyond the language, numbers of 128 bits and vectors; on
Windows, where Microsoft's compiler has neither, that is always so. ``PYTREES_PLAIN=1`` leaves the accelerators out.
``PYTREES_BUILD_JOBS=1`` compiles one kernel at a time; by default as many as there are cores. ``CFLAGS`` come last, so
that they win: ``CFLAGS="-O1 -fsanitize=undefined"``.
"""

import os
import shlex
import sys
from pathlib import Path

import Cython
from Cython.Build import cythonize
from Cython.Build.Dependencies import DependencyTree
from setuptools import Extension, find_packages, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel

DEBUG = os.environ.get("PYTREES_DEBUG", "0") not in ("", "0")
CFLAGS = shlex.split(os.environ.get("CFLAGS", ""))
BUILD_JOBS = int(os.environ.get("PYTREES_BUILD_JOBS", "0")) or os.cpu_count() or 1

IS_WINDOWS = sys.platform == "win32"

# C++ classes replace 128-bit integers and vectors, in base/wide.h and base/compiler.h.
PORTABLE = IS_WINDOWS or os.environ.get("PYTREES_PORTABLE", "0") not in ("", "0")
PLAIN = os.environ.get("PYTREES_PLAIN", "0") not in ("", "0")
KINDS = {"PYTREES_DEBUG": DEBUG, "PYTREES_PORTABLE": PORTABLE, "PYTREES_PLAIN": PLAIN}
MACROS = [(name, "1") for name, is_set in KINDS.items() if is_set]

# Generated C files and objects have a folder for each kind of build, so that builds never mix.
BUILD_BASE = "build/debug" if DEBUG else "build/cflags" if CFLAGS else "build/portable" if PORTABLE else "build/release"
if PLAIN:
    BUILD_BASE += "-plain"

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "wraparound": False,  # so that the bounds check catches negative indices too
    "overflowcheck": False,  # entropy sums wrap on purpose, modulo 2**64
    "cdivision": True,
    "auto_pickle": False,  # kernels' objects hold pointers
    "binding": True,
    "freethreading_compatible": True,
}

# No fast-math and no contraction to fused multiply-add: sums must have the same bits on every machine.
# Python asks for debugging symbols, which cost 40 % of the time to compile. C does not need tables to unwind the stack,
# which are 4 % of a wheel.
COMPILE_ARGS = ["-O2", "-ffp-contract=off", "-g0", "-fno-asynchronous-unwind-tables"]
if IS_WINDOWS:
    COMPILE_ARGS = ["/O2", "/fp:precise"]

# The scan loops are written once and take a criterion's functions inline: GCC stops at its limits of growth otherwise.
# Loops over the classes are short, so that vector instructions cost more than they save. Functions of `scan` that are
# called once and not marked `inline` stay separate, so that the loops of one criterion do not take registers from
# another's.
INLINING_ARGS = [
    "--param=inline-unit-growth=300",
    "--param=large-function-growth=400",
    "--param=large-function-insns=20000",
    "--param=max-inline-insns-single=400",
    "-fno-tree-vectorize",
]
if IS_WINDOWS:
    INLINING_ARGS = []
# Modules whose loops take over one per cent fewer instructions by -O3, which makes a module up to a third larger.
FAST_MODULES = (
    "c45.rows",
    "criteria.absolute_error",
    "fast.few_cuts",
    "fast.scored_cuts",
    "forest",
    "fourier.functions",
    "fourier.rebuild",
    "growth.tree",
    "minimal.nogoods",
    "optimal.cost_search",
    "optimal.cut_lists",
    "rows.features",
    "rows.partition",
    "sequence.levels",
    "sequence.substitution",
    "split.limits",
    "split.node_search",
    "split.sorted_cuts",
    "traverse",
)
# Modules without hot loops are compiled for size: half as large, for small wheels.
SMALL_MODULES = (
    "_cyutility",
    "base.build",
    "base.signals",
    "base.sizes",
    "base.threads",
    "c45.tree",
    "criteria.categories",
    "criteria.children",
    "criteria.counts",
    "criteria.logarithms",
    "criteria.table",
    "criteria.target_units",
    "criteria.targets",
    "criteria.user",
    "criteria.wide",
    "fast.bounds",
    "fast.engine",
    "fast.state",
    "growth.bounds",
    "growth.by_gain",
    "id3.by_distance",
    "minimal.problem",
    "minimal.search",
    "optimal.best_tree",
    "optimal.first_tree",
    "pruning",
    "sequence.groups",
    "sequence.impurities",
    "split.cut_search",
    "split.gains",
    "split.node_split",
    "split.plan",
)

FAST, SMALL = ("/O2", "/O1") if IS_WINDOWS else ("-O3", "-Os")
MODULE_ARGS = {f"pytrees._core.{name}": [FAST] for name in FAST_MODULES}
MODULE_ARGS |= {f"pytrees._core.{name}": [SMALL] for name in SMALL_MODULES}
MODULE_ARGS["pytrees._core.fast.bin_cuts"] = INLINING_ARGS
MODULE_ARGS["pytrees._core.fast.scored_cuts"] += INLINING_ARGS
MODULE_ARGS["pytrees._core.split.sorted_cuts"] += INLINING_ARGS
if not IS_WINDOWS:
    MODULE_ARGS["pytrees._core.split.sorted_cuts"].append("-fno-inline-functions-called-once")

HEADER_FOLDERS = ("base", "fast")

# Cython's code for memoryviews, compiled once for all kernels.
SHARED = "pytrees._core._cyutility"


def extensions():
    """Return one extension for every kernel, and the extension that they share."""
    sources = {
        ".".join(path.with_suffix("").parts): path.as_posix()
        for path in sorted(Path("pytrees/_core").rglob("*.pyx"))
        if not PLAIN or path.parent.name != "fast"
    }
    sources[SHARED] = f"{SHARED.replace('.', '/')}.c"
    headers = sorted(path.as_posix() for folder in HEADER_FOLDERS for path in Path("pytrees/_core", folder).glob("*.h"))
    return [
        Extension(
            name,
            [source],
            define_macros=MACROS,
            include_dirs=[f"pytrees/_core/{folder}" for folder in HEADER_FOLDERS],
            depends=["setup.py", *headers],
            **({"language": "c++"} if PORTABLE and name != SHARED else {}),
            extra_compile_args=COMPILE_ARGS + MODULE_ARGS.get(name, []) + CFLAGS,
        )
        for name, source in sources.items()
    ]


# A folder on Python's path after `pip install -e .`. It holds the package alone, by a link: the clone's root would make
# `tests` and `tools` importable too.
PATH_FOLDER = ".editable"


def link(path, target):
    """Let `path` lead to the folder `target`, relative to it; return whether it does: not every system has links."""
    path = Path(path)
    if not path.exists():
        try:
            path.unlink(missing_ok=True)  # a link to a folder that is not there
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(target, target_is_directory=True)
        except OSError:
            return False
    return path.is_dir()


def link_reference():
    """Let the reference, which is at the top level, be inside the package too, as in a wheel."""
    return link("pytrees/reference", "../reference")


class BuildKernels(build_ext):
    """Compile what changed, also for an editable installation, and put all kernels in place."""

    def run(self):
        if self.inplace:
            link_reference()
        given = self.build_lib, self.build_temp
        if self.editable_mode:
            # The folders given are empty, and deleted afterwards: take those of every other build.
            usual = build(self.distribution)
            usual.build_base = BUILD_BASE
            usual.ensure_finalized()
            self.build_lib, self.build_temp = usual.build_lib, usual.build_temp
        super().run()
        self.build_lib, self.build_temp = given

    def copy_extensions_to_source(self):
        # A kernel that another kind of build left in place may be newer.
        compiles_all, self.force = self.force, True
        super().copy_extensions_to_source()
        self.force = compiles_all


class EditableWheel(editable_wheel):
    """Put a folder that holds the whole package on Python's path, if the system has links.

    Type checkers read the path, and a package on it goes before a folder of the same name without `__init__.py`, as the
    clone is for its neighbours. Otherwise a hook of the import finds the package, of which neither is true.
    """

    def finalize_options(self):
        if link_reference() and link(f"{PATH_FOLDER}/pytrees", "../pytrees"):
            self.distribution.package_dir = {"": PATH_FOLDER}
        super().finalize_options()


def judge_times():
    """Let cythonize take what is older than this file as changed, and no file of Cython's own.

    pip installs Cython anew for every build. cythonize replaces in any case whatever another version of Cython wrote.
    """
    cython = os.path.dirname(os.path.abspath(Cython.__file__)) + os.sep
    changed = os.path.getmtime(__file__)
    timestamp = DependencyTree.timestamp

    def judged(tree, file):
        return 0.0 if file.startswith(cython) else max(timestamp(tree, file), changed)

    DependencyTree.timestamp = judged


def generate():
    """Write the C code of all kernels, where it changed, and return extensions of it."""
    judge_times()
    return cythonize(
        extensions(),
        compiler_directives=DIRECTIVES,
        build_dir=f"{BUILD_BASE}/cython",
        nthreads=BUILD_JOBS,
        shared_utility_qualified_name=SHARED,
    )


# If processes are spawned, the processes of cythonize import this file, as does tools/other_machine.
if __name__ == "__main__":
    # The reference is at the top level, and is installed as pytrees.reference.
    reference = [f"pytrees.{name}" for name in find_packages(include=["reference", "reference.*"])]
    linked = ["pytrees.reference", "pytrees.reference.*"]
    # These kinds of build can share a folder: with other CFLAGS, or with both variables.
    force = DEBUG or bool(CFLAGS) or PORTABLE
    setup(
        packages=find_packages(include=["pytrees", "pytrees.*"], exclude=linked) + reference,
        cmdclass={"build_ext": BuildKernels, "editable_wheel": EditableWheel},
        ext_modules=generate(),
        options={
            "build": {"build_base": BUILD_BASE},
            "build_ext": {"parallel": BUILD_JOBS, "force": force},
            "egg_info": {"egg_base": "."},
        },
    )
