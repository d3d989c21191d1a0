"""The dashboard: stored results, counts of old commits, pages without a network, and the page of the comparison."""

import json
import re
import subprocess
import sys
from importlib import import_module, util

import pytest
from sources import ROOT

BENCH = ROOT / "asv_bench"
RESULTS = BENCH / "results"
STORED = sorted(file for file in (RESULTS / "ci-2-cores").glob("*.json") if file.name != "machine.json")


@pytest.fixture
def history(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    return import_module("history")


@pytest.fixture
def publish(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    return import_module("publish")


def results_of(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    return content, {name: result[0] for name, result in content["results"].items()}


def test_the_history_has_enough_commits():
    assert len({results_of(file)[0]["commit_hash"] for file in STORED}) == len(STORED) >= 15


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.name[:8])
def test_stored_results_are_what_history_writes(file, history):
    content, results = results_of(file)
    counts, share = results[history.COUNTED], results.get(history.RACED, [None])[0]
    assert content == history.content(content["commit_hash"], content["date"], counts, share)
    assert file.name.startswith(content["commit_hash"][:8])
    assert all(count is None or 10**6 < count < 10**9 for count in counts)
    assert share is None or 1 < share < 100


def test_stored_benchmarks_are_those_of_the_code(history):
    described = json.loads((RESULTS / "benchmarks.json").read_text(encoding="utf-8"))
    assert described.keys() == {"version", history.COUNTED, history.RACED}
    assert described[history.COUNTED]["params"] == [[repr(call) for call in history.CALLS]]
    assert described[history.RACED]["params"] == []


@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        ("bench_counted.Counted.track_instructions('tree, gini')", 0.01),
        ("bench_counted.Raced.track_share", 0.1),
        ("bench_fit.Fit.time_fit('gini', 1000)", 0.1),
    ],
)
def test_thresholds_of_regressions(name, threshold):
    thresholds = json.loads((BENCH / "asv.conf.json").read_text(encoding="utf-8"))["regressions_thresholds"]
    assert [value for pattern, value in thresholds.items() if re.match(pattern, name)] == [threshold]


@pytest.fixture
def old_commit(tmp_path):
    """Files of a commit whose kernel had another name and place."""
    core = tmp_path / "pytrees" / "_core"
    (core / "base").mkdir(parents=True)
    (core / "base" / "sorting.pyx").write_text("from .types cimport Count\n")
    (core / "base" / "types.pyx").write_text("")
    (core / "unused.pyx").write_text("")
    (core / "global_growth.pyx").write_text("def grow_tree(X):\n    pass\n")
    (core / "growth.pyx").write_text("def grow_tree(X):\n    pass\n")
    (core / "growth.pxd").write_text("from pytrees._core.base cimport sorting\n")
    return tmp_path


def test_kernels_of_old_commits_are_found(history, old_commit):
    assert history.located(old_commit, "grow_by_gain") == ("growth", "grow_tree")
    assert history.located(old_commit, "effort_to_compress") is None
    assert history.count(old_commit, "effort to compress") is None


def test_kernels_that_another_reads_are_compiled_with_it(history, old_commit):
    source, _ = history.defining(old_commit, "grow_by_gain")
    assert {path.stem for path in history.needed(old_commit, source)} == {"growth", "sorting", "types"}


def test_what_is_stored_is_read_back(history, tmp_path, monkeypatch):
    (tmp_path / "machine.json").write_text("{}")
    monkeypatch.setattr(history, "RESULTS", tmp_path)
    n_calls = len(history.CALLS)
    assert history.stored("0" * 40) == ([None] * n_calls, None)
    for counts, share in (([1, None, 3, 4], None), ([1, 2, 3, 4], 5.5)):
        content = history.content("0" * 40, 0, counts, share)
        history.result_file("0" * 40).write_text(json.dumps(content))
        assert history.stored("0" * 40) == (counts, share)


def test_the_page_shows_what_is_stored(history):
    assert "\n".join(history.table()) in (ROOT / "docs" / "dashboard.md").read_text(encoding="utf-8")


def test_a_measurement_that_fails_is_said(history, capsys):
    def fail():
        raise subprocess.CalledProcessError(1, "valgrind", stderr="crashed")

    assert history.measured("abc: tree", fail) is None
    assert capsys.readouterr().out == "abc: tree: crashed\n"


def test_asvs_page_loads_nothing_from_other_sites(publish):
    page = '<head><script src="https://a.example/md5.min.js" integrity="x" crossorigin="anonymous"></script></head>'
    page = f'<html>{page}<body><div id="graph-display"></div></body></html>'
    local = publish.local_page(page)
    assert '<script src="libraries/md5.min.js"></script>' in local
    assert all(part in local for part in ('<html lang="en">', "viewport", '<div id="graph-display" role="main">'))


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ('<script src="https://a.example/new.js" integrity="x"></script>', "new.js, which is not in"),
        ('<script src="https://a.example/new.js"></script>', "in a way that this script does not know"),
    ],
)
def test_what_asv_newly_loads_is_refused(publish, page, message):
    with pytest.raises(SystemExit, match=message):
        publish.local_page(page)


def test_a_page_says_what_the_dashboard_needs(publish, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(publish, "missing", lambda: "It needs <this>.")
    monkeypatch.setattr(sys, "argv", ["publish.py", str(tmp_path / "dashboard"), "--if-possible"])
    publish.main()
    assert "It needs &lt;this&gt;." in (tmp_path / "dashboard" / "index.html").read_text(encoding="utf-8")
    assert capsys.readouterr().out == "It needs <this>.\n"
    monkeypatch.setattr(sys, "argv", sys.argv[:2])
    with pytest.raises(SystemExit, match="It needs"):
        publish.main()


def test_libraries_that_are_not_there_are_named(publish, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "NODE_MODULES", tmp_path / "absent")
    monkeypatch.setattr(publish.importlib.util, "find_spec", lambda name: name)
    if (ROOT / ".git").exists():
        assert "npm ci" in publish.missing()
    else:
        assert "clone" in publish.missing()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a clone")
def test_the_python_without_asv_is_named(publish, monkeypatch):
    monkeypatch.setattr(publish.importlib.util, "find_spec", lambda name: None)
    assert f"asv, which {sys.executable} does not have: activate" in publish.missing()


def has_dashboard():
    """Tell whether asv, its libraries, and the commits of main are here."""
    there = util.find_spec("asv") is not None and (BENCH / "node_modules").is_dir() and (ROOT / ".git").exists()
    command = ["git", "rev-parse", "--verify", "--quiet", "main"]
    return there and subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_dashboard(), reason="needs a clone, asv, and npm ci --prefix asv_bench")
def test_the_dashboard_is_published(publish, tmp_path):
    command = [sys.executable, BENCH / "publish.py", tmp_path / "dashboard"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    index = (tmp_path / "dashboard" / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in index
    assert all((tmp_path / "dashboard" / name).exists() for name in re.findall(r'(?:src|href)="([^":#]+)"', index))
    for name in ("Counted.track_instructions", "Raced.track_share"):
        graph = next((tmp_path / "dashboard" / "graphs").rglob(f"machine-ci-2-cores/**/bench_counted.{name}.json"))
        # Stored commits that main does not have yet are left out.
        assert len(json.loads(graph.read_text(encoding="utf-8"))) >= 15


COMPARISON = """
from parts.comparison import OURS, REFERENCE, ahead, in_words, table
found = {
    "tree": {OURS: [0.5, 1, 2], "scikit-learn": [20, 40, 80], "other": [0.5, 0.5, 1], REFERENCE: [5e3] * 3},
    "forest": {OURS: [2e-4], "scikit-learn": [0.0005]},
}
print(*table(found), ahead(found), ahead({"tree": {OURS: [1], "other": [1]}}), in_words(0.0123456), sep="\\n")
"""


def test_the_table_of_the_comparison():
    command = [sys.executable, "-c", COMPARISON]
    done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "| | pytrees | scikit-learn | other | reference engine |",
        "|---|---|---|---|---|",
        "| tree | 1 s | 40 s (40×) | 500 ms (0.50×) | 5000 s (5,000×) |",
        "| forest | 200 µs | 500 µs (2.5×) | – | – |",
        "Others are ahead here: other in “tree” (0.50×).",
        "In this table no other library is ahead.",
        "12.3 ms",
    ]
