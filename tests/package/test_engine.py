"""The choice of the engine: by name, nested, undone, and kept to its own thread and task."""

import asyncio
import pickle
import threading

import joblib
import pytest
from support import assert_refuses

from pytrees import config_context, effort_to_compress
from pytrees._engine import current_engine, kernel


def test_compiled_engine_is_the_default():
    assert current_engine() == "compiled"


def test_choice_holds_inside_the_block(engine):
    assert current_engine() == engine
    module = "pytrees.reference" if engine == "reference" else "pytrees._core"
    function = kernel("effort_to_compress")
    assert getattr(function, "args", (function,))[0].__module__ == f"{module}.sequence.substitution"


def test_the_plain_engine_grows_without_accelerators():
    for name in ("grow_by_gain", "grow_by_distance", "share_features"):
        assert kernel(name).keywords["accelerator"].__module__ == "pytrees._core.fast.engine"
        with config_context(engine="plain"):
            assert not hasattr(kernel(name), "keywords")


@pytest.mark.parametrize("name", ["cython", "Compiled", "", None, 3, [], {}])
def test_unknown_engine_is_refused_and_the_known_are_listed(name):
    with pytest.raises(ValueError, match=r"\['compiled', 'plain', 'reference'\]"), config_context(engine=name):
        pass
    assert current_engine() == "compiled"


def test_the_engine_is_given_by_keyword():
    assert_refuses(TypeError, None, config_context, "reference")


def test_blocks_nest():
    with config_context(engine="reference"):
        with config_context(engine="compiled"):
            assert current_engine() == "compiled"
        assert current_engine() == "reference"
        with config_context():
            assert current_engine() == "compiled"
        assert current_engine() == "reference"
    assert current_engine() == "compiled"


def test_an_exception_ends_the_choice():
    with pytest.raises(ZeroDivisionError), config_context(engine="reference"), config_context(engine="compiled"):
        raise ZeroDivisionError
    assert current_engine() == "compiled"


def test_decorator_chooses_for_every_call():
    chosen = config_context(engine="reference")(current_engine)
    assert [chosen(), chosen()] == ["reference", "reference"]
    assert current_engine() == "compiled"


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_decorated_functions_take_the_choice_to_workers(backend):
    chosen = config_context(engine="reference")(current_engine)
    with joblib.parallel_config(backend):
        assert joblib.Parallel(n_jobs=2)(joblib.delayed(chosen)() for _ in range(4)) == ["reference"] * 4
        assert joblib.Parallel(n_jobs=2)(joblib.delayed(current_engine)() for _ in range(4)) == ["compiled"] * 4


def test_one_choice_can_be_entered_again_and_pickled():
    choice = config_context(engine="reference")
    for _ in range(2):
        with choice:
            assert current_engine() == "reference"
        assert current_engine() == "compiled"
    with choice, config_context(engine="compiled"), choice:
        assert current_engine() == "reference"
    assert current_engine() == "compiled"
    with pickle.loads(pickle.dumps(choice)):
        assert current_engine() == "reference"


def test_threads_keep_their_own_choice():
    seen = {}
    both_inside = threading.Barrier(2, timeout=30)

    def choose(engine):
        with config_context(engine=engine):
            both_inside.wait()
            seen[engine] = current_engine(), effort_to_compress("00011")
            both_inside.wait()

    threads = [threading.Thread(target=choose, args=(engine,)) for engine in ("compiled", "reference")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"compiled": ("compiled", 4), "reference": ("reference", 4)}
    assert current_engine() == "compiled"


def test_tasks_keep_their_own_choice():
    async def choose(engine):
        with config_context(engine=engine):
            await asyncio.sleep(0)
            return current_engine()

    async def choose_both():
        return await asyncio.gather(choose("reference"), choose("compiled"))

    assert asyncio.run(choose_both()) == ["reference", "compiled"]


def test_an_import_that_fails_for_another_reason_keeps_its_error(monkeypatch):
    def fail(name):
        raise ModuleNotFoundError("No module named 'elsewhere'", name="elsewhere")

    monkeypatch.setattr("pytrees._engine.import_module", fail)
    assert_refuses(ModuleNotFoundError, "elsewhere", effort_to_compress, "00011")
