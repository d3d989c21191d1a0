"""A process that runs cases, so that a crash or a hang ends only it; and what it says of a case.

The process reads cases from its standard input, pickled one after another, and answers each on its standard output
with None or the name of a defect and what there is to tell about it.
"""

import faulthandler
import os
import pickle
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Seconds of computing that no case of so few samples may take, and seconds after which a running process is ended.
SLOW = 20.0
HANGS = 60.0

# Bytes of address space: what asks for more is refused memory instead of taking the machine's.
_MEMORY = 6 * 2**30


class Worker:
    """Runs cases in another process, which is started again where one ends it.

    Parameters
    ----------
    hangs : float, default=60.0
        Seconds after which a case is ended.
    """

    def __init__(self, hangs=HANGS):
        self._hangs = hangs
        self._process = None

    @property
    def pid(self):
        """The number of the process."""
        return self._process.pid

    def _start(self):
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.worker", str(self._hangs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
        )

    def run(self, case):
        """Run a case.

        Parameters
        ----------
        case : dict
            As `recipes.cases` draws it.

        Returns
        -------
        tuple of two str, or None
            The name of a defect and what there is to tell about it; None where there is none.
        """
        if self._process is None:
            self._start()
        try:
            pickle.dump(case, self._process.stdin)
            self._process.stdin.flush()
            return pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            return self._ended()

    def _ended(self):
        code = self._process.wait()
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace")
        self.close()
        lines = [line.strip() for line in told.splitlines()]
        ours = [line for line in lines if line.startswith("File ") and ("pytrees" in line or "reference" in line)]
        what = "hang" if any(line.startswith("Timeout") for line in lines) else f"crash with code {code}"
        return f"{what} at {ours[0] if ours else 'nowhere'}", told[-4000:]

    def close(self):
        """End the process."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.terminate()
            self._process.wait()
            self._errors.close()
            self._process = None


def answer(case):
    """Return the name of a case's defect and what there is to tell, or None."""
    from .judge import Defect, judge  # what it imports takes its time, which a hang must not count

    start = time.process_time()
    try:
        judge(case)
    except Defect as defect:
        return str(defect.args[0]), "".join(traceback.format_exception(defect))[-4000:]
    except Exception as error:
        return f"the harness fails: {type(error).__name__}", traceback.format_exc()[-4000:]
    seconds = time.process_time() - start
    return (f"slow: {case['subject']}", f"{seconds:.0f} s") if seconds > SLOW else None


def main(hangs):
    """Run the cases of the standard input until it ends; a case that takes too many seconds ends the process."""
    limit_memory()
    faulthandler.enable()
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # so that the output of a case is not taken for an answer
    from . import judge  # noqa: F401

    while True:
        try:
            case = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        print(case, file=sys.stderr)
        faulthandler.dump_traceback_later(hangs, exit=True)
        found = answer(case)
        faulthandler.cancel_dump_traceback_later()
        pickle.dump(found, answers)
        answers.flush()


def limit_memory():
    """Refuse more memory than cases need, where the system can. Sanitizers reserve more addresses than that."""
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        return
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main(float(sys.argv[1]))
