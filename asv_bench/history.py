"""Count the instructions of old commits with today's calls, time one call beside scikit-learn, and store asv's results.

    python asv_bench/history.py COMMIT...
    python asv_bench/history.py --table         # what is stored, as docs/dashboard.md shows it

Every commit that is counted is printed as a row of that table. Results are filed as those of one machine, whichever
counts: instructions do not depend on the machine (but a little on the compiler), and the time is a ratio.

Only the kernels that the calls need are compiled, with the commit's own setup.py, in a folder below `--work`.
Kernels were renamed and moved; their arguments are the same since the first commit. What does not build, and calls that
a commit does not know, are said and left out. It takes valgrind, and the extra `bench`. What is stored is kept and what
is missing added; `--again` counts anew.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.bench_counted import CALLS, counted_call, raced_call
from benchmarks.common import CALL_KERNEL, RACE_KERNEL, callgrind, run_kernel

ROOT = Path(__file__).resolve().parent.parent
MACHINE = "ci-2-cores"
RESULTS = ROOT / "asv_bench" / "results" / MACHINE
COUNTED = "bench_counted.Counted.track_instructions"
RACED = "bench_counted.Raced.track_share"
OLDER_NAMES = {"grow_by_gain": "grow_tree"}

# Runs a commit's setup.py, which compiles only the modules named in WANTED.
BUILD = """
import os, sys
import Cython.Build
cythonize, wanted = Cython.Build.cythonize, os.environ["WANTED"].split(",")
keep = lambda module: module.name in wanted or module.name.endswith("._cyutility")
Cython.Build.cythonize = lambda modules, **options: cythonize(
    [module for module in modules if keep(module)], **options | {"cache": os.environ["CYTHON_CACHE"]}
)
sys.path.insert(0, os.getcwd())
sys.argv = ["setup.py", "build_ext", "--inplace"]
exec(compile(open("setup.py").read(), "setup.py", "exec"), {"__name__": "__main__", "__file__": "setup.py"})
"""


def git(*args):
    return subprocess.run(["git", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def export(commit, folder):
    """Write a commit's files into a folder, once."""
    if not folder.exists():
        folder.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive)


def defining(folder, function):
    """Return (source, name) of the kernel in a commit's files, or None."""
    names = [function] + ([OLDER_NAMES[function]] if function in OLDER_NAMES else [])
    for name in names:
        for source in sorted((folder / "pytrees" / "_core").rglob("*.pyx")):
            is_global = source.stem.startswith("global")
            if not is_global and re.search(rf"^def {name}\(", source.read_text(), re.MULTILINE):
                return source, name
    return None


def needed(folder, source):
    """Return the sources of a kernel and of all kernels whose declarations it reads, found by their file names."""
    sources = {}
    for found in (folder / "pytrees" / "_core").rglob("*.pyx"):
        sources.setdefault(found.stem, []).append(found)
    wanted, waiting = set(), [source]
    while waiting:
        current = waiting.pop()
        if current in wanted:
            continue
        wanted.add(current)
        text = "".join(file.read_text() for file in (current, current.with_suffix(".pxd")) if file.exists())
        for module, names in re.findall(r"^\s*from\s+(\S+)\s+c?import\s+\(?([^)\n]*)", text, re.MULTILINE):
            for stem in {module.rsplit(".", 1)[-1], *re.findall(r"\w+", names)}:
                waiting += sources.get(stem, [])
    return wanted


def build(folder, sources):
    modules = [".".join(source.relative_to(folder).with_suffix("").parts) for source in sources]
    environment = os.environ | {"WANTED": ",".join(modules), "PYTREES_BUILD_JOBS": "1", "CCACHE_BASEDIR": str(folder)}
    environment["CYTHON_CACHE"] = str(folder.parent / "cython")
    command = [sys.executable, "-c", BUILD]
    subprocess.run(command, cwd=folder, check=True, env=environment, capture_output=True, text=True)


def located(folder, function):
    """Return (module, name) of a kernel as a commit has it; None where it has none."""
    if found := defining(folder, function):
        source, name = found
        return ".".join(source.relative_to(folder / "pytrees" / "_core").with_suffix("").parts), name
    return None


def count(folder, call):
    """Count the instructions of one call in a commit's files; None where the commit does not know it."""
    function, args, kwargs = counted_call(call)
    if found := located(folder, function):
        return run_kernel(CALL_KERNEL, folder / "pytrees", *found, args, kwargs, partial(callgrind, found[1]))
    return None


def race(folder):
    """Return the time of one call in a commit's files as a percentage of scikit-learn's; None where it is unknown."""
    function, args, kwargs = raced_call()
    if found := located(folder, function):
        return 100 * float(run_kernel(RACE_KERNEL, folder / "pytrees", *found, args, kwargs))
    return None


def prepare(commit, work):
    """Return the folder of one commit, with the kernels that the calls need compiled."""
    folder = work / commit[:8]
    export(commit, folder)
    sources = set()
    for function in ("grow_by_gain", "effort_to_compress"):
        if found := defining(folder, function):
            sources |= needed(folder, found[0])
    if not (folder / "built").exists():
        build(folder, sources)
        (folder / "built").touch()
    return folder


def measured(title, measure, *args):
    """Return what a measurement returns; None, and its last words, where its process fails."""
    try:
        return measure(*args)
    except subprocess.CalledProcessError as error:
        print(f"{title}: {error.stderr[-300:]}")
        return None


def result_file(commit):
    return RESULTS / f"{commit[:8]}-virtualenv-py3.11.json"


def stored(commit):
    """Return (counts, share) that are stored of one commit, None for each that is not."""
    file = result_file(commit)
    results = json.loads(file.read_text())["results"] if file.exists() else {}
    counts = results[COUNTED][0] if COUNTED in results else [None] * len(CALLS)
    return counts, results[RACED][0][0] if RACED in results else None


def content(commit, milliseconds, counts, share):
    """Return one commit's results in asv's format."""
    results = {COUNTED: [counts, [[repr(call) for call in CALLS]], "1"]}
    if share is not None:
        results[RACED] = [[share], [], "1"]
    return {
        "commit_hash": commit,
        "env_name": "virtualenv-py3.11",
        "date": milliseconds,
        "params": json.loads((RESULTS / "machine.json").read_text()) | {"python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": ["result", "params", "version"],
        "results": results,
        "durations": {},
        "version": 2,
    }


def add(commit, work, counts, share):
    """Measure what is missing of one commit, and store it."""
    folder = prepare(commit, work)
    for i, call in enumerate(CALLS):
        if counts[i] is None:
            counts[i] = measured(f"{commit[:8]}: {call}", count, folder, call)
    if share is None:
        share = measured(f"{commit[:8]}: time", race, folder)
    milliseconds = int(git("show", "-s", "--format=%ct", commit)) * 1000
    if any(counts):
        result_file(commit).write_text(json.dumps(content(commit, milliseconds, counts, share)) + "\n")
    print(row(commit, milliseconds, counts, share), flush=True)


def head():
    """Return the first two lines of the table."""
    return ["| commit | of | " + " | ".join(CALLS) + " | × scikit-learn |", "|---" * (len(CALLS) + 3) + "|"]


def row(commit, milliseconds, counts, share):
    """Return a commit's line of the table: millions of instructions, and how many times as long scikit-learn takes."""
    cells = ["–" if count is None else f"{count / 1e6:.2f}" for count in counts]
    cells += ["–" if share is None else f"{100 / share:.1f}"]
    date = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"| {commit[:7]} | {date:%Y-%m-%d %H:%M} | {' | '.join(cells)} |"


def table():
    """Return the lines of a table of what is stored."""
    found = [json.loads(file.read_text()) for file in RESULTS.glob("*-*.json")]
    dates = sorted((content["date"], content["commit_hash"]) for content in found)
    return head() + [row(commit, date, *stored(commit)) for date, commit in dates]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="*")
    parser.add_argument("--table", action="store_true", help="print what is stored")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "history", help="where commits are built (default: %(default)s)"
    )
    parser.add_argument("--again", action="store_true", help="count also what is stored")
    options = parser.parse_args()
    if options.table:
        print(*table(), sep="\n")
    elif options.commits:
        print(*head(), sep="\n", flush=True)
    for name in options.commits:
        try:
            commit = git("rev-parse", f"{name}^{{commit}}")
        except subprocess.CalledProcessError:
            sys.exit(f"There is no commit {name}.")
        counts, share = ([None] * len(CALLS), None) if options.again else stored(commit)
        if None in counts or share is None:
            try:
                add(commit, options.work.resolve(), counts, share)
            except subprocess.CalledProcessError as error:
                print(f"{commit[:8]}: does not build: {error.stderr[-500:]}")


if __name__ == "__main__":
    main()
