"""The architecture: who may import whom, which files other packages may cimport, and how long anything may be.

Only text is read, so this runs where nothing was built.
"""

import re
import sys
import tomllib
from collections import defaultdict
from itertools import chain

import pytest
from sources import (
    ROOT,
    Function,
    circles,
    defined_types,
    functions,
    import_graph,
    imports,
    module_of,
    source_files,
    string_constants,
)

# The folders of `pytrees/_core`, and of `reference` that mirrors it, each with those that it may import.
KERNEL_FLOORS = {
    "base": set(),  # types, memory, signals, sorting, exact numbers: everything stands on it
    "sequence": {"base"},  # sequences of labels: pair substitution and the best cut of one
    "rows": {"base"},  # a node's samples: sorted or ranked
    "criteria": {"base", "sequence"},  # what a split gains, one file for each criterion, and their table
    "split": {"base", "sequence", "criteria", "rows"},  # the best split of one node
    "fast": {"base", "criteria", "rows", "split"},  # accelerators, which nothing else knows
    "growth": {
        "base",
        "sequence",
        "criteria",
        "rows",
        "split",
    },  # one growing tree, depth-first or best-first
    "id3": {"base", "sequence", "criteria", "rows", "split", "growth"},  # globally evaluated ID3
    "c45": {"base", "criteria", "rows"},  # a search of its own: fractional rows, pruning
    "minimal": {"base", "criteria", "rows"},  # a search of its own: the smallest consistent tree
    "optimal": {"base", "minimal"},  # a search of its own: the cheapest tree within limits
    "fourier": {"base", "criteria", "rows"},  # leaf boxes, spectra, trees from spectra
    "pruning": {"base"},  # which branches of grown trees cost more than they are worth
    "traverse": {"base"},  # from rows to leaves, in trees that have grown
    "forest": {"base", "traverse"},  # the same in all trees of a forest, which are packed
}

# The floors of the Python layer: a module imports from its own floor and from those above it in this list.
PYTHON_FLOORS = [
    {
        "_by_keyword",
        "_deprecated",
        "_docstrings",
        "_engine",
        "_missing",
        "_names",
        "_numbers",
        "_weights",
        "_progress",
        "_same_name",
        "_site",
        "_sklearn",
        "_typing",
        "_version",
        "_versions",
        "_workers",
    },  # the door to the kernels, and to the inside of scikit-learn; types
    {"input"},  # from what a user hands in to arrays
    {
        "_coded_sequences",
        "_given_judges",
        "_judges",
        "sequence",
        "symbols",
        "causality",
        "criteria",
        "distances",
    },  # what a split is judged by
    {"metrics"},  # what a prediction is judged by
    {
        "_binary_form",
        "_given_tree",
        "_tree_arrays",
        "_tree_checks",
        "convert",
        "tree",
    },  # a fitted tree: its arrays, what it says of samples, its names, its conversions
    {
        "export",
        "_axes",
        "_colours",
        "_digits",
        "_tree_layout",
        "graphviz",
        "plotting",
        "programs",
        "pruning",
        "rules",
        "simplify",
    },  # what is made of a tree
    {"datasets"},  # tables to try it on
    {"trees"},  # the estimators
    {"typing"},  # the types of parameters, for users' annotations
    {"order", "_orders"},  # what is asked of an estimator as a whole
    {"testing"},  # what holds trees and criteria against the reference
    {"fourier"},  # the algebra on trees, and its estimators
    {"dask"},  # the algebra on data in many places
    {"tour"},  # what `python -m pytrees` shows
    {"__init__", "__main__"},  # the public names; the program
]

# The Python files that know an engine: the door, and the base classes of a user's own criteria.
# The harness reads at which sizes the search changes its way, and plants a defect in a kernel.
KNOW_THE_ENGINES = {"pytrees/_engine.py", "pytrees/_judges.py", "pytrees/criteria.py"}
KNOW_THE_ENGINES |= {"tools/fuzz/large.py", "tools/fuzz/planted.py"}

# Kernels import these libraries beside themselves.
KERNEL_LIBRARIES = {"cython", "cpython", "libc", "numpy"} | sys.stdlib_module_names

# Other packages may cimport these; the wheel contains no other file of Cython.
PUBLIC_PXD = {"pytrees/criteria.pxd", "pytrees/_core/criteria/user.pxd", "pytrees/_core/base/types.pxd"}

MOST_LINES_OF_A_FILE = 800
MOST_LINES_OF_A_FUNCTION = 60  # without its docstring

CORE = source_files("pytrees/_core")
REFERENCE = source_files("reference")
PYTHON_LAYER = [path for path in source_files("pytrees") if path not in CORE]
MEASURED = source_files("pytrees", "reference", "studies", "tests", "tools")


def folder_of(module, root):
    """Return the folder of a kernel's module, or the module that stands beside the folders; "" is the package."""
    return module.removeprefix(root).lstrip(".").partition(".")[0]


ROOTS = {"_core": CORE, "reference": REFERENCE, "pytrees": PYTHON_LAYER, "studies": source_files("studies")}


def assert_none(violations):
    """Fail with all violations, each in a line."""
    violations = sorted(violations)
    assert not violations, "\n" + "\n".join(violations)


@pytest.mark.parametrize("paths", ROOTS.values(), ids=ROOTS.keys())
def test_no_modules_import_each_other_in_a_circle(paths):
    assert_none(" <-> ".join(circle) for circle in circles(import_graph(paths)))


@pytest.mark.parametrize(("root", "paths"), [("pytrees._core", CORE), ("reference", REFERENCE)])
def test_kernels_import_from_lower_floors(root, paths):
    upward = []
    for module, targets in import_graph(paths).items():
        folder = folder_of(module, root)
        assert folder in {"", *KERNEL_FLOORS}, f"{module} is on no floor"
        allowed = {folder, *KERNEL_FLOORS.get(folder, ())}
        upward += [f"{module} -> {target}" for target in targets if folder_of(target, root) not in allowed]
    assert_none(upward)


def test_the_python_layer_imports_from_lower_floors():
    floors = {name: number for number, names in enumerate(PYTHON_FLOORS) for name in names}
    upward = []
    for module, targets in import_graph(PYTHON_LAYER).items():
        name = folder_of(module, "pytrees") or "__init__"
        assert name in floors, f"{module} is on no floor"
        upward += [
            f"{module} -> {target}"
            for target in targets
            if floors[folder_of(target, "pytrees") or "__init__"] > floors[name]
        ]
    assert_none(upward)


@pytest.mark.parametrize(
    ("paths", "own", "libraries"),
    [(CORE, "pytrees._core.", KERNEL_LIBRARIES), (REFERENCE, "reference.", sys.stdlib_module_names)],
)
def test_engines_know_nothing_of_the_python_layer(paths, own, libraries):
    """The reference imports the standard library alone."""
    found = ((path, name) for path in paths for name in imports(path) if not name.startswith(own))
    assert_none(f"{path}: {name}" for path, name in found if name.split(".")[0] not in libraries)


def test_only_the_door_and_the_criteria_know_the_engines():
    engine = re.compile(r"pytrees\.(_core|reference)(\.\w+)*")
    found = []
    for path in [*PYTHON_LAYER, *source_files("studies", "tools")]:
        if path.suffix == ".py" and path.as_posix() not in KNOW_THE_ENGINES:
            known = filter(engine.fullmatch, chain(imports(path), string_constants(path)))
            found += [f"{path}: {name}" for name in known]
    assert_none(found)


def test_the_public_pxd_files_are_shipped_and_no_others():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert settings["include-package-data"] is False
    shipped = {
        path.relative_to(ROOT).as_posix()
        for package, patterns in settings["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
        if path.suffix in {".pxd", ".pyx", ".pxi", ".c"}
    }
    assert shipped == PUBLIC_PXD


def test_public_pxd_files_need_no_others():
    public = {module_of(path): path for path in source_files("pytrees") if path.as_posix() in PUBLIC_PXD}
    for path in public.values():
        for name in imports(path):
            assert name.split(".")[0] in {"libc", "cython"} or name.rpartition(".")[0] in public, f"{path}: {name}"


def test_no_two_classes_or_structs_of_the_kernels_share_a_name():
    modules = defaultdict(set)
    for path in CORE:
        for name in defined_types(path) - {"Task"}:  # a role that scans.pxi gives to a class of its includer
            modules[name].add(module_of(path))
    assert_none(f"{name}: {', '.join(sorted(found))}" for name, found in modules.items() if len(found) > 1)


TABLE_OF_CRITERIA = (
    "codes.pxd",
    "table.pxd",
    "table.pyx",
    "category_table.pxd",
    "impurity_table.pxd",
    "scans.pxi",
)


def test_nothing_outside_fast_knows_its_accelerators():
    """The plain engine is complete without the folder."""
    for path in CORE:
        if path.parts[2] != "fast":
            text = (ROOT / path).read_text(encoding="utf-8")
            assert not re.search(r"^(from|import|cimport|include) .*\bfast\b", text, re.M), path


def test_only_the_table_and_its_own_file_name_a_criterion():
    folder = ROOT / "pytrees/_core"
    table = (folder / "criteria/codes.pxd").read_text(encoding="utf-8")
    codes = re.findall(
        r"^    ([A-Z][A-Z0-9_]*)$", table[table.index("cdef enum CriterionCode") :].split("\n\n\n")[0], re.M
    )
    assert len(codes) > 12
    criterion = re.compile(
        rf"\b(?:{'|'.join(codes)})\b|\b[A-Z]\w*Scan\b(?<!\bCountScan)(?<!\bWholeScan)(?<!\bBinnedScan)"
    )
    own = {name for path in (folder / "criteria").glob("*.pxd") for name in defined_types(path.relative_to(ROOT))}
    found = []
    for path in sorted(folder.rglob("*.p[xy]*")):
        name = path.relative_to(folder).as_posix()
        if name.removeprefix("criteria/") in TABLE_OF_CRITERIA or path.suffix not in {".pyx", ".pxd", ".pxi"}:
            continue
        if re.fullmatch(r"fast/(bounds\w*|\w*_scores|score_table)\.\w+", name):
            continue
        named = set(criterion.findall(path.read_text(encoding="utf-8")))
        if not name.startswith("criteria/"):
            found += [f"{name}: {one}" for one in named & (own | set(codes)) - {"WeightedScan"}]
        else:
            found += [f"{name}: {one}" for one in named & set(codes)]
    assert_none(found)


def test_tests_read_sizes_from_the_kernels():
    header = (ROOT / "pytrees/_core/base/sizes.h").read_text(encoding="utf-8")
    names = re.findall(r"^#define (\w+) \d+", header, re.M)
    assert len(names) > 20
    copied = re.compile(rf"^(?:{'|'.join(names)})\b[\w, ]*= *[\d(]", re.M)
    assert_none(
        f"{path}: {line}" for path in source_files("tests") for line in copied.findall((ROOT / path).read_text())
    )


# Paths that a build or a command makes, and a program of another project.
NOT_IN_A_CLONE = {".editable", "build/docs", "build/docs/dashboard", "build/mutated", "build/sanitized"}
NOT_IN_A_CLONE |= {"pytrees/reference", "/var/tmp/pytrees-roots", "sp-repo-review"}


def test_contributing_names_what_exists():
    """Every path and identifier in backticks; commands and patterns are left out."""
    prose = re.sub(r"^```.*?^```", "", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.M | re.S)
    named = {name.rstrip("/") for name in re.findall(r"`([^`\n]+)`", prose) if not re.search(r"[ <]|^-|^\.\w+$", name)}
    # Built files, and the files of this folder's fuzz cases, are ignored by git, and named nowhere.
    folders = (".ci", "asv_bench", "docs", "examples", "packaging", "pytrees", "reference", "studies", "tests", "tools")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix != ".so"]
    files += [path for path in ROOT.iterdir() if path.is_file()] + [ROOT / folder for folder in folders]
    paths = {f"/{path.relative_to(ROOT).as_posix()}" for path in files}
    paths |= {re.sub(r"\.\w+$", "", path) for path in paths}
    sources = {".py", ".pyx", ".pxd", ".pxi", ".h", ".toml", ".yml", ".txt", ""}
    texts = (path.read_text(encoding="utf-8") for path in files if path.is_file() and path.suffix in sources)
    words = set(chain.from_iterable(re.findall(r"\w+", text) for text in texts))
    missing = []
    for name in named - NOT_IN_A_CLONE:
        if "/" in name or re.search(r"\.(py|pyx|pxd|pxi|md|toml|json|h)$", name):
            found = any(path.endswith(f"/{name}") for path in paths)
        else:
            found = words.issuperset(re.findall(r"[A-Za-z_]\w*", name))
        missing += [] if found else [name]
    assert len(named) > 200
    assert_none(missing)


def test_setup_names_modules_that_exist():
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    named = set(
        chain.from_iterable(
            re.findall(r'"([\w.]+)",', part) for part in re.findall(r"_MODULES = \((.*?)^\)", text, re.M | re.S)
        )
    )
    named |= set(re.findall(r"pytrees\._core\.([a-z0-9_]+\.\w+)", text))
    modules = {module_of(path).removeprefix("pytrees._core.") for path in CORE if path.suffix == ".pyx"}
    assert len(named) > 40
    assert_none(named - modules - {"_cyutility"})


def test_files_are_not_too_long():
    n_lines = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in MEASURED}
    assert_none(f"{path}: {n} lines" for path, n in n_lines.items() if n > MOST_LINES_OF_A_FILE)


def test_functions_are_not_too_long():
    found = ((path, function) for path in MEASURED for function in functions(path))
    assert_none(f"{path}: {f.name}, {f.n_lines} lines" for path, f in found if f.n_lines > MOST_LINES_OF_A_FUNCTION)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Return a function that writes a file and returns its path, relative to a root of its own."""
    monkeypatch.setattr("sources.ROOT", tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path.relative_to(tmp_path)

    return write


def test_imports_are_read_from_cython(source):
    path = source(
        "a/b/c.pyx",
        "from a.b.d cimport (  # why\n    x,\n    y as z,  # ...\n)\ncimport a.e as e\nfrom .f cimport g\n"
        "def later():\n    from a import h\n    import i, j\n",
    )
    assert imports(path) == {"a.b.d.x", "a.b.d.y", "a.e", "a.b.f.g", "a.h", "i", "j"}


def test_imports_are_read_from_python(source):
    path = source("a/b/c.py", "from ..d import (x, y as z)\nfrom . import e\ndef f():\n    import g.h\n")
    assert imports(path) == {"a.d.x", "a.d.y", "a.b.e", "g.h"}
    assert imports(source("a/b/__init__.py", "from .c import x\n")) == {"a.b.c.x"}


def test_imports_for_type_checkers_are_told_apart(source):
    one = source("a/one.py", "if TYPE_CHECKING:\n    from .two import x\nif OTHER:\n    from .three import y\n")
    two = source("a/two.py", "from .one import z\n")
    assert imports(one) == {"a.two.x", "a.three.y"}
    assert imports(one, for_types=False) == {"a.three.y"}
    assert circles(import_graph([one, two])) == [("a.one", "a.two")]
    assert circles(import_graph([one, two], for_types=False)) == []


def test_circles_are_found_through_other_modules(source):
    paths = [
        source("a/one.pyx", "from a.two cimport x\n"),
        source("a/two.pxd", "cdef struct S:\n    int i\n"),
        source("a/two.pyx", "from a import three\n"),
        source("a/three.py", "from .one import y\n"),
        source("a/four.py", "from . import one\n"),
    ]
    assert circles(import_graph(paths)) == [("a.one", "a.three", "a.two")]


def test_lines_of_cython_functions_are_counted(source):
    path = source(
        "a.pyx",
        'cdef class A:\n    """A."""\n    cdef int declared(self)\n\n'
        "    cdef int f(\n        self, int x,\n    ) except -1:\n"
        '        """Two\n        lines."""\n        cdef int y = g(x)\n\n        return y\n\n\n'
        "def g(x): # why\n    return x\n",
    )
    assert functions(path) == [Function("f", 6), Function("g", 2)]
    assert defined_types(path) == {"A"}
