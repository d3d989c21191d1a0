"""Golden trees: does this machine grow the trees that others grew?

    python tools/golden.py                        # every problem on all engines; some four minutes on two cores
    python tools/golden.py --quick --threads 4    # some problems of every group, as tests/golden asks for; seconds
    python tools/golden.py --write                # record anew, after a change that is meant to alter trees

The problems are those of `same_trees.py`. tests/golden/digests.json has two digests of a group of problems: of some of
them, and of all. All engines, one thread and many, and every machine have the same digests. Prints the groups that
differ, and exits with 1 if there are any; `same_trees.py` on both machines then tells the problems.
"""

import argparse
import hashlib
import json
import re
import sys
import zlib
from pathlib import Path

import joblib
import numpy as np
from problems import problems
from same_trees import digest

from pytrees import config_context

RECORD = Path(__file__).parents[1] / "tests" / "golden" / "digests.json"

ENGINES = ("compiled", "plain", "reference")

# No machine is promised the last bits of these: sums in floating point, of BLAS too, and trees that follow from them.
LEFT_OUT = ("spectra", "orthogonal", "aggregated", "reconstructed", "distilled", "numbers, algebra", "numbers, stream")

# Gains of these come from the machine's own logarithms and powers: numbers count to some nine digits.
IN_FLOATING_POINT = ("wig", "c45", "set function")

# One of so many problems is among the few.
SHARE_OF_FEW = 12


def group_of(name):
    """Return the first words of a problem's name: estimator and criterion, mostly."""
    parts = name.split(", ")
    words = ", ".join(parts[: 3 if parts[0] in ("numbers", "gaps") else 2])
    return re.sub(r"( of)? \d+( over \d+)?$", "", words)


def golden_problems():
    """Return (name, function, whether for the reference too) of the problems that every machine solves alike."""
    return [problem for problem in problems() if not problem[0].startswith(LEFT_OUT)]


def few(chosen):
    """Return some problems of every group, and no large ones: for the test."""
    seen, found = set(), []
    for problem in chosen:
        name, _, on_both = problem
        first = group_of(name) not in seen
        seen.add(group_of(name))
        if (on_both or not re.search(r"\d000 samples|^large|^numbers, large", name)) and (
            first or zlib.crc32(name.encode()) % SHARE_OF_FEW == 0
        ):
            found.append(problem)
    return found


def coarse(found):
    """Return what was found in units of 2**-30, counted from a number that nothing comes near."""
    if isinstance(found, (list, tuple)):
        return [coarse(part) for part in found]
    array = np.asarray(found)
    return np.floor(array * 2.0**30 + 0.381966) if array.dtype.kind == "f" else array


def digest_of(name, call, engine, n_threads):
    with config_context(engine=engine), joblib.parallel_config("threading", n_jobs=n_threads):
        found = call()
    return digest(coarse(found) if any(words in name for words in IN_FLOATING_POINT) else found)


def digests(chosen, engine, n_threads=1, n_jobs=1):
    """Return one digest of every group that has a chosen problem for the engine."""
    asked = [(name, call) for name, call, on_both in chosen if on_both or engine != "reference"]
    calls = (joblib.delayed(digest_of)(name, call, engine, n_threads) for name, call in asked)
    contents = {}
    for (name, _), found in zip(asked, joblib.Parallel(n_jobs, batch_size=8)(calls), strict=True):
        contents.setdefault(group_of(name), hashlib.sha256()).update(found.encode())
    return {group: content.hexdigest()[:16] for group, content in contents.items()}


def recorded():
    """Return the recorded digests of groups: of few problems (of most groups), and of all."""
    record = json.loads(RECORD.read_text())
    return {
        "few": {group: values[0] for group, values in record.items()},
        "all": {group: values[1] for group, values in record.items()},
    }


def write(few_values, all_values):
    lines = (f"{json.dumps(group)}: {json.dumps([few_values.get(group), all_values[group]])}" for group in all_values)
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def differing(found, wanted):
    """Return the groups whose digests are not the wanted ones."""
    return [group for group, value in found.items() if wanted.get(group) != value]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only few problems of every group")
    parser.add_argument("--engine", choices=ENGINES, help="only this engine; by default all")
    parser.add_argument("--threads", type=int, default=1, help="threads of every fit (1)")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; by default all cores")
    parser.add_argument("--write", action="store_true", help="write the record anew, if the engines agree")
    options = parser.parse_args()
    if options.write and (options.quick or options.engine):
        parser.error("--write takes all problems, on all engines")
    chosen = golden_problems()
    sizes = {"few": few(chosen)} | ({} if options.quick else {"all": chosen})
    found = {
        (size, engine): digests(some, engine, options.threads, options.jobs)
        for size, some in sizes.items()
        for engine in ([options.engine] if options.engine else ENGINES)
    }
    wanted = {size: found[size, "compiled"] for size in sizes} if options.write else recorded()
    n_differing = 0
    for (size, engine), values in found.items():
        for group in differing(values, wanted[size]):
            print(f"differs: {group} ({size}) [{engine}]")
            n_differing += 1
    if options.write and not n_differing:
        write(wanted["few"], wanted["all"])
    n_problems, n_compared = len(list(sizes.values())[-1]), sum(map(len, found.values()))
    print(f"{n_problems} problems, {n_compared} digests of groups compared, {n_differing} differ.")
    return 1 if n_differing else 0


if __name__ == "__main__":
    sys.exit(main())
