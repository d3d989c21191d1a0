"""The dashboard: stored results, pages without a network; and the page of the comparison."""

import json
import re
import subprocess
import sys
from importlib import import_module, util

import pytest
from programs import run_python
from sources import ROOT
from support import assert_refuses

BENCH = ROOT / "asv_bench"
RESULTS = BENCH / "results"
STORED = sorted(file for file in (RESULTS / "ci-2-cores").glob("*.json") if file.name != "machine.json")


@pytest.fixture
def publish(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    return import_module("publish")


def results_of(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    return content, {name: result[0] for name, result in content["results"].items()}


def test_the_history_has_enough_commits():
    assert len({results_of(file)[0]["commit_hash"] for file in STORED}) == len(STORED) >= 15


# The least and the greatest value that a line can have.
RANGES = {
    "Calls.track_instructions": (10**4, 10**9),
    "Counted.track_instructions": (10**6, 10**9),
    "Memory.peakmem_forest": (10**7, 10**9),
    "Memory.peakmem_nothing": (10**7, 10**9),
    "Memory.peakmem_tree": (10**7, 10**9),
    "Package.track_compressed_size": (10**6, 10**7),
    "Package.track_import": (10**7, 10**9),
    "Raced.track_share": (1, 100),
}


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.name[:8])
def test_stored_results_are_possible(file):
    content, results = results_of(file)
    assert file.name.startswith(content["commit_hash"][:8])
    for name, values in results.items():
        least, greatest = RANGES[name.removeprefix("bench_counted.")]
        assert all(value is None or least < value < greatest for value in values), name


def test_stored_benchmarks_are_those_of_the_code(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    counted = import_module("benchmarks.bench_counted")
    described = json.loads((RESULTS / "benchmarks.json").read_text(encoding="utf-8"))
    assert described.keys() == {"version", *(f"bench_counted.{name}" for name in RANGES)}
    for name, calls in (("Counted", counted.CALLS), ("Calls", counted.PUBLIC_CALLS)):
        assert described[f"bench_counted.{name}.track_instructions"]["params"] == [[repr(call) for call in calls]]


def test_every_public_call_can_be_made(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    for prepare in import_module("benchmarks.public_calls").CALLS.values():
        call, *arguments = prepare()
        call(*arguments)


@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        ("bench_counted.Counted.track_instructions('tree, gini')", 0.01),
        ("bench_counted.Calls.track_instructions('C4.5')", 0.01),
        ("bench_counted.Package.track_import", 0.01),
        ("bench_counted.Memory.peakmem_tree", 0.05),
        ("bench_counted.Raced.track_share", 0.1),
        ("bench_fit.Fit.time_fit('gini', 1000)", 0.1),
    ],
)
def test_thresholds_of_regressions(name, threshold):
    thresholds = json.loads((BENCH / "asv.conf.json").read_text(encoding="utf-8"))["regressions_thresholds"]
    assert [value for pattern, value in thresholds.items() if re.match(pattern, name)] == [threshold]


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
def test_unknown_libraries_of_asvs_page_are_refused(publish, page, message):
    assert_refuses(SystemExit, message, publish.local_page, page)


def test_a_page_says_what_the_dashboard_needs(publish, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(publish, "missing", lambda: "It needs <this>.")
    monkeypatch.setattr(sys, "argv", ["publish.py", str(tmp_path / "dashboard"), "--if-possible"])
    publish.main()
    assert "It needs &lt;this&gt;." in (tmp_path / "dashboard" / "index.html").read_text(encoding="utf-8")
    assert capsys.readouterr().out == "It needs <this>.\n"
    monkeypatch.setattr(sys, "argv", sys.argv[:2])
    assert_refuses(SystemExit, "It needs", publish.main)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a clone")
@pytest.mark.parametrize(("finds", "message"), [(True, "npm ci"), (False, f"asv, which {sys.executable} does not")])
def test_a_missing_tool_is_named(publish, tmp_path, monkeypatch, finds, message):
    monkeypatch.setattr(publish, "NODE_MODULES", tmp_path / "absent")
    monkeypatch.setattr(publish.importlib.util, "find_spec", lambda name: finds or None)
    assert message in publish.missing()


def has_dashboard():
    """Tell whether asv, its libraries, and the commits of main are here."""
    there = util.find_spec("asv") is not None and (BENCH / "node_modules").is_dir() and (ROOT / ".git").exists()
    command = ["git", "rev-parse", "--verify", "--quiet", "main"]
    return there and subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_dashboard(), reason="needs a clone, asv, and npm ci --prefix asv_bench")
def test_the_dashboard_is_published(publish, tmp_path):
    done = run_python(BENCH / "publish.py", tmp_path / "dashboard")
    assert done.returncode == 0, done.stderr
    index = (tmp_path / "dashboard" / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in index
    assert all((tmp_path / "dashboard" / name).exists() for name in re.findall(r'(?:src|href)="([^":#]+)"', index))
    for name in ("Counted.track_instructions", "Raced.track_share"):
        graph = next((tmp_path / "dashboard" / "graphs").rglob(f"machine-ci-2-cores/**/bench_counted.{name}.json"))
        # Stored commits that main does not have yet are left out.
        assert len(json.loads(graph.read_text(encoding="utf-8"))) >= 15


COMPARISON = """
from parts.comparison import DRAWN, OURS, REFERENCE, ahead, in_words, lead, table
found = {
    "tree": {OURS: [0.5, 1, 2], "scikit-learn": [20, 40, 80], "other": [0.5, 0.5, 1], REFERENCE: [5e3] * 3},
    "forest": {OURS: [2e-4], "scikit-learn": [0.0005]},
}
fronts = {work: {OURS: [1], "scikit-learn": [n + 30.4]} for n, work in enumerate(DRAWN)}
print(*table(found), lead(fronts), sep="\\n")
print(ahead(found), ahead({"tree": {OURS: [1], "other": [1]}}), in_words(0.0123456), sep="\\n")
"""


def test_the_table_of_the_comparison():
    done = run_python("-c", COMPARISON, folder=BENCH)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "| | pytrees | scikit-learn | other | reference engine |",
        "|---|---|---|---|---|",
        "| tree | 1 s | 40 s (40×) | 500 ms (0.50×) | 5000 s (5,000×) |",
        "| forest | 200 µs | 500 µs (2.5×) | – | – |",
        "pytrees grows a tree of 100,000 samples 30 times as fast as scikit-learn, and a forest of 100 trees 31 times.",
        "Others are ahead here: other in “tree” (0.50×).",
        "In this table no other library is ahead.",
        "12.3 ms",
    ]


def test_the_figure_and_the_front_say_what_the_table_says():
    table = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    drawn = (ROOT / "docs" / "images" / "speed.svg").read_text(encoding="utf-8")
    names, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]
    cells = {row[0]: dict(zip(names, row, strict=True)) for row in rows}
    for work in ("tree, 100,000 × 20", "forest of 100, 10,000 × 20"):
        assert all(f"> {cells[work][name]}<" in drawn for name in ("pytrees", "sklearnex", "YDF", "scikit-learn"))
    factor = re.search(r"\((\d+)×\)", cells["tree, 100,000 × 20"]["scikit-learn"])[1]
    for front in ("README.md", "docs/index.md"):
        assert f"{factor} times as fast at 100,000 samples" in (ROOT / front).read_text(encoding="utf-8")
