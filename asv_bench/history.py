"""Count the instructions of old commits with today's calls, and store them as asv's results.

    python asv_bench/history.py COMMIT...

Only the kernels that the calls need are compiled, with the commit's own setup.py, in a folder below `--work`.
Kernels were renamed and moved; their arguments are the same since the first commit. What does not build, and calls that
a commit does not know, are said and left out. Results that are there already are kept: `--again` counts anew.
"""

import argparse
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_counted import CALLS, counted_call
from benchmarks.common import _CALL_KERNEL, callgrind

ROOT = Path(__file__).resolve().parent.parent
MACHINE = "ci-2-cores"
RESULTS = ROOT / "asv_bench" / "results" / MACHINE
NAME = "bench_counted.Counted.track_instructions"
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


def count(folder, call):
    """Count the instructions of one call in a commit's files; None where the commit does not know it."""
    function, args, kwargs = counted_call(call)
    found = defining(folder, function)
    if found is None:
        return None
    source, name = found
    module = ".".join(source.relative_to(folder / "pytrees" / "_core").with_suffix("").parts)
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "call.pickle"
        file.write_bytes(pickle.dumps((module, name, args, kwargs)))
        return callgrind(name, ["-c", _CALL_KERNEL, folder / "pytrees", file])


def count_commit(commit, work):
    """Return the counts of all calls in one commit."""
    folder = work / commit[:8]
    export(commit, folder)
    sources = set()
    for function in ("grow_by_gain", "effort_to_compress"):
        if found := defining(folder, function):
            sources |= needed(folder, found[0])
    if not (folder / "built").exists():
        build(folder, sources)
        (folder / "built").touch()
    counts = []
    for call in CALLS:
        try:
            counts.append(count(folder, call))
        except subprocess.CalledProcessError as error:
            print(f"{commit[:8]}: {call}: {error.stderr[-300:]}")
            counts.append(None)
    return counts


def store(commit, counts):
    """Write one commit's counts in asv's format."""
    date = int(git("show", "-s", "--format=%ct", commit)) * 1000
    content = {
        "commit_hash": commit,
        "env_name": "virtualenv-py3.11",
        "date": date,
        "params": json.loads((RESULTS / "machine.json").read_text()) | {"python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": ["result", "params", "version"],
        "results": {NAME: [counts, [[repr(call) for call in CALLS]], "1"]},
        "durations": {},
        "version": 2,
    }
    (RESULTS / f"{commit[:8]}-virtualenv-py3.11.json").write_text(json.dumps(content) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "history", help="where commits are built")
    parser.add_argument("--again", action="store_true", help="count also what is stored")
    options = parser.parse_args()
    for name in options.commits:
        commit = git("rev-parse", f"{name}^{{commit}}")
        if not options.again and list(RESULTS.glob(f"{commit[:8]}-*.json")):
            continue
        try:
            counts = count_commit(commit, options.work.resolve())
        except subprocess.CalledProcessError as error:
            print(f"{commit[:8]}: does not build: {error.stderr[-500:]}")
            continue
        if any(counts):
            store(commit, counts)
        print(commit[:8], *counts, flush=True)


if __name__ == "__main__":
    main()
