"""Records of fitted trees tell changes, mutations have their places, and every benchmark runs."""

import importlib
import json
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from programs import run_python
from sources import ROOT

import tools.mutate.__main__ as mutate
import tools.other_machine.__main__ as other_machine


@pytest.fixture
def tool(monkeypatch):
    """Return a function that imports a module of tools/."""
    monkeypatch.syspath_prepend(ROOT / "asv_bench")
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module


def test_equal_records_have_equal_digests(tool, tmp_path, monkeypatch):
    file = tmp_path / "record.json"
    options = ["--no-instructions", "--only", "minimal tree", "--jobs", "1"]
    assert run_python("tools/same_trees.py", "record", file, *options).returncode == 0
    recorded = json.loads(file.read_text())
    assert recorded == {"digests": tool("same_trees").digests(1, "minimal tree"), "instructions": {}}
    assert all(len(digest) == 16 for digest in recorded["digests"].values()), "a problem raised an error"
    names = [f"minimal tree, 2 classes [{engine}]" for engine in ("compiled", "reference")]
    assert len({recorded["digests"][name] for name in names}) == 1
    monkeypatch.setattr(sys, "argv", ["same_trees.py", "compare", str(file), str(file)])
    assert tool("same_trees").main() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"digests": {"tree": "another", "forest": "b"}}, "1 differ"),
        ({"digests": {"tree": "a"}}, "1 missing"),
        ({"instructions": {"kernel": 1011}}, "1 kernels take over 1%"),
    ],
)
def test_changes_are_reported(tool, change, message, capsys):
    before = {"digests": {"tree": "a", "forest": "b"}, "instructions": {"kernel": 1000}}
    assert tool("same_trees").compare(before, before | {"instructions": {"kernel": 1005}}) == 0
    assert tool("same_trees").compare(before, before | change) == 1
    assert message in capsys.readouterr().out


def test_problems_and_counted_calls_have_names_of_their_own(tool):
    names = [name for name, *_ in tool("problems").problems()]
    assert len(names) == len(set(names)) > 500
    assert tool("problems").estimators_without_problem() == []
    kernel_of = tool("benchmarks.common").kernel_of
    calls = list(tool("counted").counted_calls())
    assert len({name for name, _, _ in calls}) == len(calls) > 10
    assert all(kernel_of("compiled", args[0]) for _, args, _ in calls)


def test_clones_for_other_machines_have_the_reference_and_new_files(tmp_path):
    other_machine.copy_clone(tmp_path / "clone")
    assert (tmp_path / "clone" / "pytrees" / "reference" / "traverse.py").exists()
    assert (tmp_path / "clone" / "tests" / "golden" / "digests.json").exists()
    assert not list((tmp_path / "clone").rglob("*.so"))


def test_an_unfinished_system_is_not_taken(tmp_path):
    with pytest.raises(SystemExit, match="half made"):
        other_machine.make_root("s390x", "s390x-linux-gnu", tmp_path, "sid", "http://mirror.invalid")
    (tmp_path / "ready").touch()
    other_machine.make_root("s390x", "s390x-linux-gnu", tmp_path, "sid", "http://mirror.invalid")


MUTATIONS = mutate.mutations()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mutation_has_one_place_and_tests_that_exist(mutation):
    text = (ROOT / mutation.file).read_text(encoding="utf-8")
    assert mutation.applied(text) != text
    assert mutation.tests
    assert all((ROOT / tests).exists() for tests in mutation.tests)
    assert mutation.equivalent is None or mutation.equivalent.endswith(".")


def test_mutations_are_named_and_reach_every_folder():
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) > 60
    folders = {str(Path(mutation.file).parent) for mutation in MUTATIONS}
    for package in ("pytrees/_core", "pytrees", "reference"):
        assert package in folders
    kernels = {path.parent for path in (ROOT / "pytrees" / "_core").rglob("*.pyx")}
    assert {str(folder.relative_to(ROOT)) for folder in kernels} <= folders


def test_mutations_are_chosen_by_number_and_name():
    equivalent = [mutation for mutation in MUTATIONS if mutation.equivalent is not None]
    assert mutate.chosen(MUTATIONS, []) == [one for one in MUTATIONS if one not in equivalent]
    assert mutate.chosen(MUTATIONS, ["2", MUTATIONS[4].name]) == [MUTATIONS[1], MUTATIONS[4]]
    assert mutate.chosen(MUTATIONS, [equivalent[0].name]) == equivalent[:1]


def mutation_of(tmp_path, after):
    """Return a mutation of a clone of one module and one test."""
    (tmp_path / "double.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "test_double.py").write_text(
        "from double import double\n\n\ndef test_double():\n    assert double(3) == 6\n"
    )
    (tmp_path / "pytrees").mkdir()
    (tmp_path / "pytrees" / "__init__.py").touch()
    for command in (["git", "init", "-q"], ["git", "add", "."]):
        subprocess.run(command, cwd=tmp_path, check=True)
    return mutate.Mutation(1, "another double", "double.py", "2 * x", after, ["test_double.py"])


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("x + x", None),
        ("3 * x", "test_double.py::test_double"),
        ("__import__('os').abort()", "a crash (SIGABRT)"),
        ("__import__('time').sleep(60)", "no end after 1 s"),
    ],
)
def test_a_mutation_survives_or_is_noticed(after, found, tmp_path, monkeypatch):
    mutation = mutation_of(tmp_path, after)
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    monkeypatch.setattr(mutate, "ALLOWANCE", 1 if "sleep" in after else 60)
    assert mutate.notice(mutation, tmp_path / "build" / "mutated", 0.0) == found
    assert "2 * x" in (tmp_path / "double.py").read_text()


BENCHMARKS = sorted(file.stem for file in (ROOT / "asv_bench" / "benchmarks").glob("bench_*.py"))


def count_lines(printed):
    """Return a count for every line, which a program prints for a call; a program of one call may print nothing."""
    return [1] * max(1, len(printed.splitlines()))


@pytest.fixture
def benchmark_module(monkeypatch):
    """Return a function that imports a module of benchmarks; calls that valgrind would count are only made."""
    monkeypatch.syspath_prepend(ROOT / "asv_bench")
    common = importlib.import_module("benchmarks.common")

    def call(name, *args, **kwargs):
        return common.kernel_of("compiled", name)(*args, **kwargs)

    def module(name):
        found = importlib.import_module(f"benchmarks.{name}")
        if hasattr(found, "count_instructions"):
            monkeypatch.setattr(found, "count_instructions", call)
        if hasattr(found, "callgrind"):
            printed = cache(lambda *command: program(list(command)))  # each program runs once, counted or not
            program = found.run_python
            monkeypatch.setattr(found, "run_python", lambda command: printed(*command))
            monkeypatch.setattr(found, "callgrind", lambda command, **_: count_lines(printed(*command)))
        if hasattr(found, "minimal_tree"):  # it needs no proof
            search = found.minimal_tree
            soon = {"time_limit": 0.3}
            monkeypatch.setattr(found, "minimal_tree", lambda *args, **limits: search(*args, **(limits | soon)))
        return found

    return module


def different_methods(kind):
    """Return the names of a class's benchmarks, one name for each code: time and memory of one call share theirs."""
    methods = {}
    for name in dir(kind):
        if name.startswith(("time_", "track_", "peakmem_")):
            code = getattr(kind, name).__code__
            methods[code.co_code, code.co_consts, code.co_names] = name
    return methods.values()


@pytest.mark.filterwarnings("ignore:time_limit")
@pytest.mark.parametrize("name", BENCHMARKS)
def test_all_benchmarks_run(name, benchmark_module, tmp_path, monkeypatch):
    """Run every benchmark with the first of its parameters that it knows."""
    module = benchmark_module(name)
    monkeypatch.chdir(tmp_path)
    for kind in list(vars(module).values()):  # a warning adds an attribute
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        params = getattr(kind, "params", ())
        if params and not isinstance(params[0], (list, range)):
            params = (params,)
        cached = [made for made in [getattr(kind(), "setup_cache", lambda: None)()] if made is not None]
        for combination in product(*params):
            combination = (*cached, *combination)
            benchmark = kind()
            try:
                getattr(benchmark, "setup", lambda *combination: None)(*combination)
            except NotImplementedError:
                continue
            for method in different_methods(kind):
                getattr(benchmark, method)(*combination)
            break


def test_scikit_learn_is_checked():
    done = run_python("tools/check_scikit_learn.py", "--cases", 4, "--examples")
    assert done.returncode == 0, done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    assert {len(row) for row in rows} == {7}
    assert [row[-1] for row in rows[1:5]] == ["0 |"] * 4
    assert "values less than 1e-7 apart, not split: node 0" in done.stdout
