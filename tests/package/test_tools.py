"""The record of fitted trees tells changes, its problems have different names, and every benchmark runs."""

import importlib
import json
import subprocess
import sys
from itertools import product

import pytest
from sources import ROOT


def run(*arguments, folder=ROOT):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Two records of the same few problems."""
    folder = tmp_path_factory.mktemp("records")
    files = [folder / "before.json", folder / "after.json"]
    for file in files:
        options = ["--no-instructions", "--only", "minimal tree", "--jobs", "1"]
        done = run("tools/same_trees.py", "record", file, *options)
        assert done.returncode == 0, done.stderr
    return files


def test_the_same_trees_have_equal_digests(recorded):
    before, after = (json.loads(file.read_text())["digests"] for file in recorded)
    assert before == after
    assert all(len(digest) == 16 for digest in before.values()), "a problem raised an error"
    assert before["minimal tree, 2 classes [compiled]"] == before["minimal tree, 2 classes [reference]"]
    assert run("tools/same_trees.py", "compare", *recorded).returncode == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record["digests"].update({"minimal tree, 2 classes [compiled]": "another"}), "1 differ"),
        (lambda record: record["digests"].pop("minimal tree, 2 classes [compiled]"), "1 missing"),
        (lambda record: record["instructions"].update(kernel=1011), "1 kernels take over 1%"),
    ],
)
def test_changes_are_reported(recorded, tmp_path, change, message):
    before, after = (json.loads(file.read_text()) for file in recorded)
    before["instructions"] = {"kernel": 1000}
    after["instructions"] = {"kernel": 1005}
    change(after)
    files = [tmp_path / "before.json", tmp_path / "after.json"]
    for file, record in zip(files, (before, after), strict=True):
        file.write_text(json.dumps(record))
    done = run("tools/same_trees.py", "compare", *files)
    assert done.returncode == 1
    assert message in done.stdout


def test_problems_have_names_of_their_own():
    code = (
        "from problems import problems; names = [name for name, *_ in problems()]; print(len(names), len(set(names)))"
    )
    done = run("-c", code, folder=ROOT / "tools")
    n_names, n_different = map(int, done.stdout.split())
    assert n_names == n_different > 500


def test_instructions_of_calls_are_counted():
    code = (
        "import sys; sys.path.insert(0, '../asv_bench')\n"
        "from counted import counted_calls; from benchmarks.common import kernel_of\n"
        "calls = list(counted_calls())\n"
        "print(len(calls), all(kernel_of('compiled', args[0]) for _, args, _ in calls))"
    )
    done = run("-c", code, folder=ROOT / "tools")
    assert done.stdout.split()[1] == "True", done.stderr


BENCHMARKS = sorted(file.stem for file in (ROOT / "asv_bench" / "benchmarks").glob("bench_*.py"))


@pytest.fixture
def benchmark_module(monkeypatch):
    """Return a function that imports a module of benchmarks; valgrind is spared what it would count."""
    monkeypatch.syspath_prepend(ROOT / "asv_bench")
    common = importlib.import_module("benchmarks.common")

    def call(name, *args, **kwargs):
        return common.kernel_of("compiled", name)(*args, **kwargs)

    def module(name):
        found = importlib.import_module(f"benchmarks.{name}")
        if hasattr(found, "count_instructions"):
            monkeypatch.setattr(found, "count_instructions", call)
        return found

    return module


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks_run(name, benchmark_module):
    """Run every benchmark with the first of its parameters that it knows."""
    module = benchmark_module(name)
    for kind in vars(module).values():
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        params = getattr(kind, "params", ())
        if params and not isinstance(params[0], (list, range)):
            params = (params,)
        for combination in product(*params):
            benchmark = kind()
            try:
                getattr(benchmark, "setup", lambda *combination: None)(*combination)
            except NotImplementedError:
                continue
            for method in dir(kind):
                if method.startswith(("time_", "track_", "peakmem_")):
                    getattr(benchmark, method)(*combination)
            break


def test_scikit_learn_is_checked():
    done = run("tools/check_scikit_learn.py", "--cases", 4, "--examples")
    assert done.returncode == 0, done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    assert {len(row) for row in rows} == {7}
    assert [row[-1] for row in rows[1:5]] == ["0 |"] * 4
    assert "values less than 1e-7 apart, not split: node 0" in done.stdout
