"""The only way to the kernels of all engines; :func:`config_context` chooses the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from contextvars import ContextVar
from functools import cache, partial
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from mmap import mmap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ._typing import Engine

_PACKAGES = {"compiled": "pytrees._core", "plain": "pytrees._core", "reference": "pytrees.reference"}

# Kernels that accept an accelerator; the plain engine passes None.
_ACCELERATED = {"grow_by_distance", "grow_by_gain", "share_features"}

# The module of every kernel, in both packages.
KERNELS = {
    name: module
    for module, names in {
        "base.signals": ("stoppable", "watched"),
        "sequence.substitution": ("effort_to_compress", "substitutions"),
        "sequence.history": ("lempel_ziv_complexity",),
        "sequence.ngrams": ("efforts",),
        "criteria.counts": ("n_log2_n",),
        "criteria.targets": ("means_of_targets",),
        "split.gains": ("gains_of_cuts", "impurities", "weighted_fractions"),
        "rows.codes": ("codes_of_objects", "codes_of_records"),
        "rows.draws": ("count_draws",),
        "fast.histogram": ("bin_features",),
        "growth.by_gain": ("grow_by_gain", "share_features"),
        "id3.by_distance": ("grow_by_distance",),
        "growth.bounds": ("node_bounds",),
        "id3.distances": ("set_distance", "table_distance"),
        "c45.tree": ("grow_c45", "pessimistic_errors"),
        "c45.rows": ("class_shares",),
        "minimal.rollouts": ("small_tree",),
        "minimal.search": ("minimal_tree",),
        "optimal.best_tree": ("cheapest_tree",),
        "fourier.boxes": ("box_averages", "gram", "leaf_boxes"),
        "fourier.effects": ("box_effects", "box_profiles", "sample_effects", "sample_profiles"),
        "fourier.samples": ("gram_of_samples",),
        "fourier.spectrum": (
            "count_orders",
            "evaluate_spectrum",
            "expand_spectrum",
            "find_partitions",
            "merge_partitions",
            "order_starts",
        ),
        "fourier.rebuild": ("tree_from_boxes", "tree_from_samples", "tree_from_spectrum"),
        "pruning": ("prune_path",),
        "forest": ("find_leaves", "pack_forest", "sum_leaves"),
        "traverse": ("apply", "decision_path", "feature_usage"),
    }.items()
    for name in names
}

_INSTALL_AGAIN = "Install pytrees again with this Python, in a clone by 'pip install -e .'."

# The engines chosen by the blocks around, the innermost last. Every thread and task has its own.
_chosen: ContextVar[tuple[Engine, ...]] = ContextVar("pytrees_engines", default=("compiled",))


class _Choice(ContextDecorator):
    """The choice of an engine, for ``with`` blocks or for the calls of a function, on any number of threads at once; it
    can be pickled for workers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        _chosen.set((*_chosen.get(), self._engine))

    def __exit__(self, *exception: object) -> None:
        _chosen.set(_chosen.get()[:-1] or ("compiled",))


def config_context(*, engine: Engine = "compiled") -> _Choice:
    """Choose the engine that grows and walks trees inside a ``with`` block.

    All engines give identical results. The plain engine is compiled, too, but has no bins, scores in vector
    instructions, or bounds: the criterion itself compares every cut. Fits take up to three times as long, and a tree
    that differs shows a defect of these accelerators. The reference is slow, and meant for reading and checking.

    The choice holds for the current thread or task; ensembles hand it on to their workers. Other workers, as in a
    search with `n_jobs`, start with the compiled engine, except threads of a free-threaded Python that start inside the
    block. A function that you give to joblib yourself takes the choice along, to threads and processes, if the choice
    decorates it.

    Parameters
    ----------
    engine : {"compiled", "plain", "reference"}, default="compiled"
        ``"compiled"`` is the Cython engine, ``"plain"`` the same without its accelerators, ``"reference"`` the
        pure-Python one, ``pytrees.reference``.

    Returns
    -------
    context manager
        The choice holds inside its block. It also decorates functions, for all of their calls.

    Raises
    ------
    ValueError
        If there is no such engine.

    See Also
    --------
    sklearn.config_context : The same for scikit-learn's own settings, such as metadata routing.
    effort_to_compress : A function whose kernel the context chooses.
    DecisionTreeClassifier : An estimator whose kernels the context chooses.

    Examples
    --------
    >>> from pytrees import config_context, effort_to_compress
    >>> with config_context(engine="reference"):
    ...     effort_to_compress("00011")
    4

    In workers of your own:

    >>> from joblib import Parallel, delayed
    >>> by_reference = config_context(engine="reference")(effort_to_compress)
    >>> Parallel(n_jobs=2, prefer="threads")(delayed(by_reference)(labels) for labels in ("00011", "0101"))
    [4, 1]
    """
    if not isinstance(engine, str) or engine not in _PACKAGES:
        raise ValueError(f"engine must be one of {sorted(_PACKAGES)}, got {engine!r}.")
    return _Choice(engine)


def current_engine() -> Engine:
    """Return the name of the engine in force."""
    return _chosen.get()[-1]


def kernel(name: str) -> Callable[..., Any]:
    """Return a kernel of the engine in force. It takes arrays; a kernel of the reference may return lists."""
    engine = current_engine()
    found = getattr(load(f"{_PACKAGES[engine]}.{KERNELS[name]}"), name)
    if engine == "reference":
        return partial(_call_with_lists, found)
    return partial(found, accelerator=_accelerator()) if engine == "compiled" and name in _ACCELERATED else found


@cache
def _accelerator() -> type | None:
    """Return the class of the accelerators, None if the kernels were built without them."""
    if not how_compiled()["accelerators"]:
        return None
    found: type = load(f"{_PACKAGES['compiled']}.fast.engine").FastEngine
    return found


def how_compiled() -> dict[str, str | bool]:
    """Return how the kernels were compiled."""
    found: dict[str, str | bool] = load(f"{_PACKAGES['compiled']}.base.build").build()
    return found


def reference(name: str) -> ModuleType:
    """Import a module of the reference; the engine in force does not matter."""
    return load(f"{_PACKAGES['reference']}.{name}")


def load(name: str) -> ModuleType:
    """Import a module of an engine.

    Raises
    ------
    ImportError
        If the kernels were not built, or for another Python or machine, or do not fit together.
    MemoryError
        If memory is limited, and too little is left for the kernels.
    """
    if name.startswith(_PACKAGES["reference"]):
        _find_reference()
    try:
        return import_module(name)
    except (
        ImportError,
        TypeError,
        ValueError,
    ) as error:  # all three from kernels that do not fit together
        if _lacks_memory(error):
            raise MemoryError(f"There is too little memory left to load {name}.") from error
        reason = _why_not_loaded(name, error)
        if reason is None:
            raise
        raise ImportError(reason) from error


def _lacks_memory(error: Exception) -> bool:
    """Whether a kernel was not loaded because its file does not fit into memory, which no loader reports as such."""
    file = getattr(error, "path", None)
    if file is None or not Path(file).is_file():
        return False
    try:
        # Loaders align the parts of a file, and add some room that the file does not contain.
        mmap(-1, 2 * Path(file).stat().st_size + 2**20).close()
    except (OSError, MemoryError):
        return True
    return False


def _why_not_loaded(name: str, error: Exception) -> str | None:
    """Return what is wrong with the kernels, and what to do; None if a module of others is missing."""
    missing = error.name or name if isinstance(error, ModuleNotFoundError) else None
    if missing is None:
        return (
            f"{name} cannot be loaded: {error}. A kernel is for another machine, or the kernels are of different "
            f"versions of pytrees. {_INSTALL_AGAIN}"
        )
    if not f"{name}.".startswith(f"{missing}.") and not missing.startswith(tuple(_PACKAGES.values())):
        return None
    place = Path(__file__).parents[1].joinpath(*missing.split("."))
    if missing.startswith(f"{_PACKAGES['compiled']}.fast") and not how_compiled()["accelerators"]:
        return f"{missing} is not there: these kernels were built without accelerators, by PYTREES_PLAIN=1."
    others = sorted(file.name for suffix in ("so", "pyd") for file in place.parent.glob(f"{place.name}.*.{suffix}"))
    if others:
        return (
            f"{missing} was built for another Python or machine: {others[0]}. This Python takes "
            f"{place.name}{EXTENSION_SUFFIXES[0]}. {_INSTALL_AGAIN}"
        )
    return (
        f"{missing} is missing: this is a source folder of pytrees that has not been built. Build it in place with "
        "'pip install -e .', or run Python from another folder to use an installed pytrees."
    )


def _find_reference() -> None:
    """Import the reference from the folder next to the package, where it is in a clone that was not installed."""
    name = _PACKAGES["reference"]
    if name in sys.modules or find_spec(name) is not None:
        return
    file = Path(__file__).parents[1] / "reference" / "__init__.py"
    if file.exists():
        spec = spec_from_file_location(name, file)
        if spec is not None and spec.loader is not None:
            sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])


def _call_with_lists(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*map(_as_list, args), **{name: _as_list(value) for name, value in kwargs.items()})


def _as_list(value: Any) -> Any:
    if isinstance(value, (list, tuple, Iterator)):
        return [_as_list(part) for part in value]
    if isinstance(value, dict):
        return {name: _as_list(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
