"""Trees and forests of Dask arrays and frames: every partition fits a model in its place, and the models are merged.

Needs Dask (``pip install "decision-pytrees[dask]"``), which this module imports when it is used. Dask schedules and
moves the work, and repeats it if a worker is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ._engine import config_context, current_engine
from ._typing import AnyArray, Engine
from .fourier.additive import read_model
from .fourier.merged import MergedModel, merge
from .fourier.readers import Sum
from .tree import Tree

__all__ = ["evaluate", "fit", "predict"]

# This many partial sums are added up in one step.
_ADDENDS = 8

# A partial sum over some partitions, in order: for each its number of samples and its model.
_Partial = list[tuple[int, Sum]]


def fit(estimator: Any, X: Any, y: Any) -> MergedModel:
    """Fit an estimator to every partition in its place, and merge the models: only trees are moved, no samples.

    The result is the mean of the partitions' models, weighted by their numbers of samples. It is equal, to the last
    bit, to :func:`pytrees.fourier.merge` of models fitted in a loop on one machine, for any number of workers, even if
    some are lost on the way.

    Parameters
    ----------
    estimator : estimator
        Not fitted; any that :func:`pytrees.fourier.additive_model` takes, such as a tree or forest of pytrees. Every
        partition fits a clone. A `random_state` that is no integer is drawn once: repeated work gives the same model.
    X : dask.array.Array of shape (n_samples, n_features), or dask.dataframe.DataFrame
        The samples. Arrays have one block of columns.
    y : dask.array.Array of shape (n_samples,), or dask.dataframe.Series
        Their classes or values, in the same number of partitions of the same lengths. Rows belong together by position,
        not by the index of frames.

    Returns
    -------
    MergedModel
        The mean of the models of all partitions that have samples. Its `weights` are their shares of the samples.

    Raises
    ------
    ImportError
        If Dask is not installed.
    TypeError
        If X or y is no collection of Dask.
    ValueError
        If X and y are not in the same partitions; if there are no samples; if a partition cannot be learned from (the
        error has its number); if models cannot be merged, as if they have other columns or other categorical features.

    See Also
    --------
    predict : Predicts samples in partitions.
    pytrees.fourier.merge : The same for models that were fitted already.
    pytrees.fourier.distil : Makes a few trees of the model.

    Notes
    -----
    A sum of trees is a list of trees. Partial sums are lists in the order of the partitions. Eight of them become one
    list in a step, so that nothing depends on which worker was first. If X and y come from one source, persist them
    (``X.persist()``), so that it is not read twice.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_breast_cancer
    >>> import pytrees.dask
    >>> from pytrees import DecisionForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    >>> pytrees.dask.fit(DecisionForestClassifier(10, random_state=0), X, y)
    <MergedModel of 6 models, 60 trees, output='probability'>
    """
    delayed = _dask("delayed").delayed
    partitions = zip(_partitions("X", X), _partitions("y", y, like=X), strict=True)
    estimator = _with_one_seed(estimator)
    learn, add = delayed(_learned, pure=False), delayed(_sum, pure=False)
    partial = [learn(estimator, *parts, number, current_engine()) for number, parts in enumerate(partitions)]
    while len(partial) > 1:
        partial = [add(partial[i : i + _ADDENDS]) for i in range(0, len(partial), _ADDENDS)]
    found: _Partial = partial[0].compute()
    if not found:
        raise ValueError("X has no samples in any partition.")
    return merge([model for _, model in found], weights=[n_samples for n_samples, _ in found])


def _with_one_seed(estimator: Any) -> Any:
    """Return a clone that gives the same model whenever it is fitted to the same samples."""
    estimator = clone(estimator)
    given = estimator.get_params()
    drawn = {
        name: int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        for name, seed in sorted(given.items())
        if name.rpartition("__")[2] == "random_state" and not isinstance(seed, Integral)
    }
    return estimator.set_params(**drawn)


def _learned(estimator: Any, X: Any, y: Any, number: int, engine: Engine) -> _Partial:
    """Fit a clone to a partition; return its number of samples and the model, or nothing if there are no samples."""
    if len(X) != len(y):
        raise ValueError(f"Partition {number}: X has {len(X)} samples, y {len(y)}.")
    if not len(X):
        return []
    try:
        with config_context(engine=engine):
            return [(len(X), read_model(clone(estimator).fit(X, y)))]
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {number}: {error}") from error


def _sum(partial: Sequence[_Partial]) -> _Partial:
    """Return the sum of partial sums: their trees, in order."""
    return [model for part in partial for model in part]


def predict(model: Any, X: Any) -> Any:
    """Predict the classes or values of samples, every partition in its place.

    Parameters
    ----------
    model : AdditiveModel or fitted estimator
        Any model with `predict`: a result of :func:`fit`, a distilled model, or any estimator.
    X : dask.array.Array of shape (n_samples, n_features), or dask.dataframe.DataFrame
        Samples as the model takes them, in any partitions; arrays have one block of columns.

    Returns
    -------
    dask.array.Array of shape (n_samples,), or dask.dataframe.Series
        In the partitions of X, and with its index; computed when Dask is asked for it. If there are several values for
        each sample, it has shape (n_samples, n_outputs), or is a frame.

    Raises
    ------
    ImportError
        If Dask is not installed.
    TypeError
        If X is no collection of Dask, or the model does not predict.
    ValueError
        If an array has several blocks of columns; as in the model's own `predict`, when it is computed.

    See Also
    --------
    evaluate : Gives the function itself, such as the probabilities of classes.

    Examples
    --------
    >>> import dask.array as da
    >>> import pytrees.dask
    >>> from pytrees import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [2.0]], ["a", "b"])
    >>> pytrees.dask.predict(tree, da.from_array([[0.5], [1.5]], chunks=1)).compute()
    array(['a', 'b'], dtype='<U1')
    """
    _check_has(model, "predict")
    classes = getattr(model, "classes", None)
    classes = getattr(model, "classes_", None) if classes is None else classes
    if isinstance(model, Tree) and not model.is_regressor:
        classes = np.arange(model.n_classes)
    if classes is not None:
        return _of_collection(model, "predict", X, np.asarray(classes)[:0])
    n_outputs = getattr(model, "n_outputs", getattr(model, "n_outputs_", 1))
    return _of_collection(model, "predict", X, np.zeros((0, n_outputs) if n_outputs > 1 else 0))


def evaluate(model: Any, X: Any) -> Any:
    """Evaluate the function of a model at samples, every partition in its place.

    Parameters
    ----------
    model : AdditiveModel
        A result of :func:`fit`, or of the functions of :mod:`pytrees.fourier`.
    X : dask.array.Array of shape (n_samples, n_features), or dask.dataframe.DataFrame
        As in :func:`predict`.

    Returns
    -------
    dask.array.Array of shape (n_samples, n_outputs), or dask.dataframe.DataFrame
        The values of ``model.evaluate``, such as the probability of the last of two classes. Frames have a numbered
        column for every output, and the index of X.

    Raises
    ------
    ImportError, TypeError, ValueError
        As in :func:`predict`.

    See Also
    --------
    predict : Gives classes.

    Examples
    --------
    >>> import dask.array as da
    >>> import pytrees.dask
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import additive_model
    >>> model = additive_model(DecisionTreeClassifier().fit([[0.0], [2.0]], ["a", "b"]))
    >>> pytrees.dask.evaluate(model, da.from_array([[0.5], [1.5]], chunks=1)).compute()
    array([[0.],
           [1.]])
    """
    _check_has(model, "evaluate")
    return _of_collection(model, "evaluate", X, np.zeros((0, model.n_outputs)))


def _check_has(model: Any, method: str) -> None:
    if not hasattr(model, method):
        raise TypeError(f"model must have {method!r}, got {type(model).__name__}.")


def _of_collection(model: Any, method: str, X: Any, like: AnyArray) -> Any:
    """Call a method of a model, which is sent once, on every partition; `like` is its result for no samples."""
    _partitions("X", X)
    if not _is_array(X):
        return _of_frames(model, method, X, like)
    shape: dict[str, Any] = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], (like.shape[1],))}
    model = _dask("delayed").delayed(model)
    return X.map_blocks(_in_arrays, model=model, method=method, like=like, dtype=like.dtype, meta=like, **shape)


def _in_arrays(block: AnyArray, model: Any, method: str, like: AnyArray) -> Any:
    return getattr(model, method)(block) if len(block) else like


def _of_frames(model: Any, method: str, X: Any, like: AnyArray) -> Any:
    """Call a method of a model, which is sent once, on every partition of a frame."""
    model, meta = _dask("delayed").delayed(model), _as_frame(like, None)
    return X.map_partitions(_in_frames, model, method, like, meta=meta)


def _in_frames(frame: Any, model: Any, method: str, like: AnyArray) -> Any:
    return _as_frame(_in_arrays(frame, model, method, like), frame.index)


def _as_frame(found: AnyArray, index: Any) -> Any:
    """Return a series, or a frame if `found` has two dimensions."""
    pandas = import_module("pandas")
    return (pandas.DataFrame if found.ndim == 2 else pandas.Series)(found, index=index, dtype=found.dtype)


def _dask(part: str) -> Any:
    """Import a part of Dask."""
    try:
        return import_module(f"dask.{part}")
    except ImportError as error:
        raise ImportError('pytrees.dask needs Dask: pip install "decision-pytrees[dask]".') from error


def _is_array(collection: Any) -> bool:
    return isinstance(collection, _dask("array").Array)


def _partitions(name: str, collection: Any, like: Any = None) -> list[Any]:
    """Return the partitions of a collection; raise ValueError if `like` is given and has other partitions."""
    is_array = _is_array(collection)
    if not is_array and not (hasattr(collection, "to_delayed") and hasattr(collection, "map_partitions")):
        raise TypeError(f"{name} must be an array or a frame of Dask, got {type(collection).__name__}.")
    if is_array and collection.ndim > 1 and collection.numblocks[1] > 1:
        raise ValueError(
            f"{name} has {collection.numblocks[1]} blocks of columns, but a block must hold all columns: "
            f"{name}.rechunk({{1: -1}})."
        )
    n_dimensions = (2,) if name == "X" else (1, 2)
    if collection.ndim not in n_dimensions:
        raise ValueError(f"{name} has {collection.ndim} dimensions, and must have {n_dimensions[0]}.")
    if like is not None:
        lengths, others = (_lengths(one) for one in (collection, like))
        known = not np.isnan([*lengths, *others]).any()
        if len(lengths) != len(others) or (known and lengths != others):
            raise ValueError(
                f"X and {name} must have the same partitions, got lengths {others} and {lengths} (NaN: not known yet). "
                "Rechunk or repartition one of them."
            )
    return list(np.ravel(collection.to_delayed()))


def _lengths(collection: Any) -> tuple[float, ...]:
    """Return the numbers of samples in the partitions of a collection, NaN if they are not known."""
    if _is_array(collection):
        return tuple(map(float, collection.chunks[0]))
    return (np.nan,) * int(collection.npartitions)
