"""One fit in a process of its own: seconds, and how far memory rises above that of the data.

Run as `python -m parts.peak folder module class parameters`: the folder has X.npy and y.npy, parameters are JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from time import perf_counter

import numpy as np

try:
    import resource
except ImportError:
    resource = None

STATUS = Path("/proc/self/status")


def fit_alone(estimator_class, X, y, **parameters):
    """Return (seconds, bytes): of a fit in a fresh process; the peak of its resident memory beyond what it had before,
    with the libraries imported and X and y made."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), X)
        np.save(Path(folder, "y.npy"), y)
        module, name = estimator_class.__module__, estimator_class.__name__
        command = [sys.executable, "-m", "parts.peak", folder, module, name, json.dumps(parameters)]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return tuple(json.loads(run.stdout))


def _status(field):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def peak():
    if STATUS.exists():
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def forget_peak():
    """Return bytes from which the peak now rises: the present ones on Linux, elsewhere the greatest so far."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak()
    return _status("VmRSS")


def main(folder, module, name, parameters):
    estimator_class, parameters = getattr(import_module(module), name), json.loads(parameters)
    X, y = np.load(Path(folder, "X.npy")), np.load(Path(folder, "y.npy"))
    # What is imported only when it is needed is not memory of this fit.
    few = np.concatenate([np.flatnonzero(y == label)[:5] for label in np.unique(y)])
    estimator_class(**parameters).fit(X[few], y[few])
    before = forget_peak()
    start = perf_counter()
    fitted = estimator_class(**parameters).fit(X, y)
    taken = perf_counter() - start
    print(json.dumps([taken, peak() - before]))
    return fitted


if __name__ == "__main__":
    if resource is None and os.name == "nt":
        sys.exit("peak memory is not measured on Windows")
    main(*sys.argv[1:])
