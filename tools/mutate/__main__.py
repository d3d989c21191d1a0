"""Put one small mistake at a time into a copy of the clone, and see whether the tests of its folder notice.

    python -m tools.mutate                          # all mutations of the lists beside this file, after `make build`
    python -m tools.mutate --jobs 2 min_gain 17     # some, by parts of names and by numbers
    python -m tools.mutate --list

Each mutation has a fresh copy of the built clone, in `build/mutated`, where only the kernels that change are compiled
again. Its tests run until the first failure, at first with few random cases, and with the default number if none
failed. An endless loop and a crash count as noticed. Equivalent mutations, which no test can notice, run only if they
are named, and must survive. The program exits with 1 if a mutation survives that should not.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIES = ROOT / "build" / "mutated"

# Tests that take t seconds on the unchanged code, with few random cases, may take FACTORS t + ALLOWANCE seconds.
FACTORS = {"fast": 4, "default": 16}
ALLOWANCE = 60
# Seconds for a build, and for tests of the unchanged code.
LIMIT = 1800


@dataclass(frozen=True)
class Mutation:
    """A small mistake.

    Parameters
    ----------
    number : int
        Its place in the list, from 1 on.
    name : str
        The mistake in words.
    file : str
        The file, from the root of the clone.
    before, after : str
        The text that is replaced, which occurs once in the file, and its replacement.
    tests : list of str
        The folders or files of the tests that must notice.
    equivalent : str or None
        Why no test can notice, if none can.
    """

    number: int
    name: str
    file: str
    before: str
    after: str
    tests: list[str]
    equivalent: str | None = None

    @property
    def is_compiled(self):
        return self.file.startswith("pytrees/_core/")

    def applied(self, text):
        """Return the text of the file with the mistake; raise ValueError if there is not exactly one place for it."""
        count = text.count(self.before)
        if count != 1 or self.before == self.after:
            raise ValueError(f"Mutation {self.number} ({self.name}): {count} places in {self.file}.")
        return text.replace(self.before, self.after)


def mutations():
    """Return all mutations of the list."""
    listed = [
        given
        for name in ("python_layer.toml", "engines.toml")
        for given in tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["mutation"]
    ]
    return [Mutation(number, **given) for number, given in enumerate(listed, start=1)]


def chosen(listed, words):
    """Return the mutations whose number or part of whose name is given; without words all that are not equivalent."""
    if not words:
        return [one for one in listed if one.equivalent is None]
    return [
        one for one in listed if any(word == str(one.number) if word.isdigit() else word in one.name for word in words)
    ]


# ---------------------------------------------------------------------------------------------------------- one copy


def copy_clone(copy):
    """Copy the files of the clone that git knows or would add, with the kernels and what is needed to build them."""
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = {ROOT / name for name in listed.stdout.split("\0") if name}
    files |= {*(ROOT / "pytrees").rglob("*.so"), *(ROOT / "build" / "release").rglob("*")}
    for file in sorted(files):
        if file.is_file():
            target = copy / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)  # with its time, by which the build tells what has changed
    reference = copy / "pytrees" / "reference"
    if not reference.exists():
        reference.symlink_to(Path("..") / "reference")


def run(command, copy, limit, **environment):
    """Run a command in a copy; return its exit code, None if it takes too long, and what it printed."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTREES_BUILD_JOBS": "1"} | environment
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # so that processes of the tests end with them
    ) as process:
        try:
            printed, _ = process.communicate(timeout=limit)
            return process.returncode, printed
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def build(copy):
    """Compile what has changed; return what the compiler says if it fails."""
    code, printed = run(["setup.py", "-q", "build_ext", "--inplace"], copy, LIMIT)
    return None if code == 0 else printed


def failing_test(copy, tests, profile, limit):
    """Return the first test that fails, or what ends the tests otherwise; None if all pass."""
    command = ["-m", "pytest", "-q", "-x", "-n", "0", "--no-header", "-p", "no:cacheprovider", *tests]
    code, printed = run(command, copy, limit, HYPOTHESIS_PROFILE=profile)
    if code is None:
        return f"no end after {limit:.0f} s"
    if code < 0:
        return f"a crash ({signal.Signals(-code).name})"
    if code > 2:
        raise RuntimeError(f"pytest cannot run {' '.join(tests)}:\n{printed[-2000:]}")
    if code == 0:
        return None
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", printed, re.MULTILINE)
    return found[1] if found else printed[-300:]


# ---------------------------------------------------------------------------------------------------- all mutations


def times_unchanged(wanted, copy, n_jobs):
    """Return the times that tests take on the unchanged code, by folder or file; raise RuntimeError if one fails."""
    copy_clone(copy)
    if said := build(copy):
        raise RuntimeError(f"The clone cannot be built:\n{said[-2000:]}")

    def measure(tests):
        start = time.monotonic()
        failed = failing_test(copy, [tests], "fast", LIMIT)
        if failed is not None:
            raise RuntimeError(f"Without any mutation: {failed}")
        seconds = time.monotonic() - start
        print(f"{seconds:5.0f} s  {tests} pass without mutations", flush=True)
        return tests, seconds

    with ThreadPoolExecutor(n_jobs) as pool:
        return dict(pool.map(measure, sorted({tests for one in wanted for tests in one.tests})))


def notice(mutation, copy, seconds):
    """Put a mutation into a copy of the clone; return the test that notices, or None."""
    copy_clone(copy)
    file = copy / mutation.file
    file.write_text(mutation.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
    if mutation.is_compiled and (said := build(copy)):
        raise RuntimeError(f"Mutation {mutation.number} ({mutation.name}) does not compile:\n{said[-2000:]}")
    for profile, factor in FACTORS.items():
        found = failing_test(copy, mutation.tests, profile, factor * seconds + ALLOWANCE)
        if found is not None:
            return found
    return None


def try_all(wanted, n_jobs):
    """Try mutations; print what notices each of them, and return those that should not have survived or should have."""
    times = times_unchanged(wanted, COPIES / "0", n_jobs)
    free = list(range(n_jobs))

    def attempt(mutation):
        place, start = free.pop(), time.monotonic()
        try:
            found = notice(mutation, COPIES / str(place), sum(map(times.get, mutation.tests)))
        finally:
            free.append(place)
        verdict = "SURVIVED" if found is None else f"killed by {found}"
        verdict += "" if mutation.equivalent is None else f" (equivalent: {mutation.equivalent})"
        print(
            f"{mutation.number:3} {mutation.file}: {mutation.name}: {verdict}, {time.monotonic() - start:.0f} s",
            flush=True,
        )
        return (found is None) == (mutation.equivalent is None)

    with ThreadPoolExecutor(n_jobs) as pool:
        is_wrong = list(pool.map(attempt, wanted))
    return [mutation for mutation, wrong in zip(wanted, is_wrong, strict=True) if wrong]


def main(arguments=None):
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="*", help="numbers, or parts of names, of the mutations to try")
    parser.add_argument("--list", action="store_true", help="list the mutations")
    parser.add_argument("--jobs", type=int, default=1, help="mutations that are tried at once (default: %(default)s)")
    options = parser.parse_args(arguments)
    wanted = chosen(mutations(), options.only)
    if options.list:
        for one in wanted if options.only else mutations():
            equivalent = "" if one.equivalent is None else f" (equivalent: {one.equivalent})"
            print(f"{one.number:3} {one.file}: {one.name}{equivalent} [{' '.join(one.tests)}]")
        return 0
    wrong = try_all(wanted, options.jobs)
    shutil.rmtree(COPIES, ignore_errors=True)
    print(f"\n{len(wanted)} mutations, {len(wrong)} of them not as expected")
    for mutation in wrong:
        print(f"- {mutation.number} {mutation.name} ({mutation.file})")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
