"""Does a change alter any tree, or what it costs? Record before and after, on one machine, and compare.

    python tools/same_trees.py record before.json      # in a checkout without the change, built
    python tools/same_trees.py record after.json       # with it
    python tools/same_trees.py compare before.json after.json

A record holds a digest of everything that is fitted for some 3,800 seeded problems, on both engines, and the
instructions that some kernels take, counted by callgrind where valgrind is installed (`--no-instructions` leaves them
out). It takes a few minutes on two cores. Compare exits with 1 where a digest differs, or where a kernel takes
over one per cent more instructions.
"""

import argparse
import hashlib
import json
import sys
import traceback
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from problems import problems

from pytrees import config_context

TOLERATED = 0.01


def digest(found):
    """Return a digest of nested lists of arrays, numbers and strings: of dtypes, shapes and bytes."""
    content = hashlib.sha256()
    _feed(content, found)
    return content.hexdigest()[:16]


def _feed(content, found):
    if isinstance(found, (list, tuple)):
        content.update(b"[%d" % len(found))
        for part in found:
            _feed(content, part)
        return
    array = np.asarray(found)
    # Integers of every width are the same numbers; the bytes of objects are addresses.
    array = array.astype(np.int64) if array.dtype.kind in "iub" else array
    array = array.astype(str) if array.dtype.kind == "O" else array
    array = array.astype(array.dtype.newbyteorder("<"))  # whichever byte comes first on this machine
    content.update(f"{array.dtype.kind}{array.shape}".encode())
    content.update(array.tobytes())


def digest_of(name, call, engine):
    try:
        with config_context(engine=engine):
            return digest(call())
    except Exception as error:
        if isinstance(error, (TypeError, AttributeError, KeyError, IndexError)):
            traceback.print_exc()
        # A refused problem must go on being refused, in whatever words.
        return f"{type(error).__name__}"


def digests(n_jobs, only=""):
    """Return digests by problem and engine."""
    wanted = [
        (name, call, engine)
        for name, call, on_both in problems()
        if only in name
        for engine in (("compiled", "reference") if on_both else ("compiled",))
    ]
    found = Parallel(n_jobs=n_jobs, batch_size=8)(delayed(digest_of)(*problem) for problem in wanted)
    return {f"{name} [{engine}]": value for (name, _, engine), value in zip(wanted, found, strict=True)}


def instructions():
    """Count instructions of some kernels by name, none where there is no valgrind."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "asv_bench"))
    from benchmarks.common import count_instructions, has_valgrind
    from counted import counted_calls

    if not has_valgrind():
        return {}
    calls = list(counted_calls())
    counts = Parallel(n_jobs=-1, prefer="threads")(
        delayed(count_instructions)(*args, **kwargs) for _, args, kwargs in calls
    )
    return {name: count for (name, _, _), count in zip(calls, counts, strict=True)}


def compare(before, after):
    """Print what differs between two records; return the exit code."""
    both = [name for name in before["digests"] if name in after["digests"]]
    changed = [name for name in both if before["digests"][name] != after["digests"][name]]
    slower = []
    for name, count in before["instructions"].items():
        if name in after["instructions"]:
            ratio = after["instructions"][name] / count
            print(f"{ratio:8.4f}  {count:>14,} -> {after['instructions'][name]:>14,}  {name}")
            slower += [name] if ratio > 1 + TOLERATED else []
    for name in changed:
        print("differs:", name)
    missing = len(before["digests"]) - len(both)
    print(
        f"{len(both)} digests compared, {len(changed)} differ, {missing} missing; "
        f"{len(slower)} kernels take over {TOLERATED:.0%} more instructions."
    )
    return 1 if changed or slower or missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="write a record of this checkout")
    record.add_argument("file", type=Path)
    record.add_argument("--no-instructions", action="store_true", help="count no instructions")
    record.add_argument("--only", default="", help="only problems whose names contain this")
    record.add_argument("--jobs", type=int, default=-1, help="processes; by default all cores")
    comparison = commands.add_parser("compare", help="compare two records")
    comparison.add_argument("before", type=Path)
    comparison.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(*(json.loads(file.read_text()) for file in (options.before, options.after)))
    found = {
        "digests": digests(options.jobs, options.only),
        "instructions": {} if options.no_instructions else instructions(),
    }
    options.file.write_text(json.dumps(found, indent=1))
    print(f"{len(found['digests'])} digests, {len(found['instructions'])} counts of instructions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
