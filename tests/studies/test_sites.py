"""The study of data in several places: how rows are divided, what is counted, and runs that go on."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.datasets import load_iris
from sklearn.utils import Bunch
from support import assert_refuses

from pytrees.fourier import additive_model, merge
from pytrees.fourier.additive import read_model
from studies import sites
from studies.__main__ import STUDIES, main


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(sites, "N_TREES", 6)
    monkeypatch.setattr(sites, "SITES", (3,))


@pytest.mark.parametrize("division", sites.DIVISIONS)
@pytest.mark.parametrize("n_sites", [1, 3, 7])
def test_every_row_is_at_one_site(division, n_sites):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    X[:, 1] += 5 * y
    places = sites.divide(division, X, y, n_sites, np.random.default_rng(1))
    assert len(places) == n_sites
    assert sorted(np.concatenate(places)) == list(range(300))
    sizes = [len(place) for place in places]
    assert min(sizes) >= 20
    if division in ("even", "ranges"):
        assert max(sizes) - min(sizes) <= 1
    if division == "sizes" and n_sites == 3:
        assert sizes == [157, 88, 55]
    if division == "ranges":
        assert all(X[one, 1].max() <= X[other, 1].min() for one, other in pairwise(places))
    again = sites.divide(division, X, y, n_sites, np.random.default_rng(1))
    assert all(np.array_equal(one, other) for one, other in zip(places, again, strict=True))


def test_an_unknown_division_is_an_error():
    with pytest.raises(ValueError, match="no division 'odd'"):
        sites.divide("odd", np.zeros((2, 1)), np.zeros(2), 1, np.random.default_rng(0))


def test_models_and_bytes_of_a_seed(few):
    X, y = load_iris(return_X_y=True)
    found = sites.judge(X, y, 0)
    assert len(found) == 2 + 4 * len(sites.DIVISIONS)
    rows = {tuple(row[:3]): row[3:] for row in found}
    assert rows["", 0, "all"][2] > X.nbytes * 0.7
    for figures in rows.values():
        assert all(0.0 <= figure <= 1.0 for figure in figures[:2])
    assert rows["even", 3, "sum"][0] > 0.85
    assert rows["even", 3, "sum_few"][2] > 0
    assert rows["even", 3, "alone"][2] == 0


def test_sums_agree_with_merge():
    X, y = load_iris(return_X_y=True)
    parts = [(X[i::2], y[i::2]) for i in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sites, "N_TREES", 4)
        found = {row[0]: row[1:] for row in sites.judge_sites(parts, (X, X, y), 3)}
    forests = [sites.forest(2, 3 + 1000 * i).fit(*part) for i, part in enumerate(parts)]
    assert found["sum"][0] == np.mean(merge(forests, [75, 75]).predict(X) == y)
    assert found["sum"][2] == sum(len(pickle.dumps(read_model(one), protocol=5)) for one in forests)
    alone = [np.mean(additive_model(one).predict(X) == y) for one in forests]
    assert found["alone"][0] == pytest.approx(np.mean(alone))


def test_a_run_writes_its_table_and_goes_on(few, tmp_path, capsys):
    iris = load_iris()
    tables = {"iris": Bunch(data=iris.data, target=iris.target)}
    rows = sites.run_sites(tables, 1, tmp_path, n_jobs=1)
    out = capsys.readouterr().out
    assert "iris: 150 rows, 4 features, 3 classes" in out
    assert "sum of three trees of each site" in out
    written = read_csv(tmp_path / "sites_models.csv")
    assert len(written) == len(rows)
    assert sites.run_sites(tables, 1, tmp_path, n_jobs=1) == rows
    assert "1 of 1 seeds are finished" in capsys.readouterr().err


def test_the_study_is_on_the_list(capsys):
    assert STUDIES["sites"] is sites
    assert_refuses(SystemExit, None, main, ["sites", "--help"])
    assert "kept in sites_tasks.jsonl" in " ".join(capsys.readouterr().out.split())


def test_without_a_folder_the_shipped_tables_are_used(capsys):
    tables = sites.load_tables(Bunch(data_home=None))
    assert set(tables) == {"breast_cancer", "digits"}
    assert "want of their tables (tools/fetch_tables.py): dna, calhousing." in capsys.readouterr().err
