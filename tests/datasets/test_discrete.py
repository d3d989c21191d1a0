"""The data sets of the paper on orthogonal trees: codes, classes and sizes; the synthetic stand-in for stocks."""

import numpy as np
import pytest
from sklearn.utils import check_random_state
from support import assert_refuses

from pytrees.datasets import discrete_names, load, load_discrete, make_stock_moves


def loaded(name):
    try:
        return load_discrete(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))


# Samples of class 0 and 1 in the training part and the rest, if the training part comes first: UCI's description of
# SPECT; Section VII-C of the paper for DNA, whose shares of the test samples it prints the wrong way round.
COUNTS = {"spect": ([40, 40], [15, 172]), "dna": ([1051, 949], [603, 583]), "house_votes_84": ([208, 127], [59, 41])}


@pytest.mark.parametrize("name", discrete_names())
def test_known_tables_have_their_codes_and_sizes(name):
    table = loaded(name)
    assert table.data.shape == (len(table.target), len(table.feature_names))
    assert np.unique(table.target).tolist() == [0, 1]
    assert table.target.dtype == table.cardinalities.dtype == np.int64
    for column, cardinality in zip(table.data.T, table.cardinalities, strict=True):
        assert np.unique(column).tolist() == list(range(cardinality))
    assert set(table.cardinalities.tolist()) == ({4} if name == "nasdaq" else {2})
    assert table.drawn == (name in ("nasdaq", "cmc"))
    if name in COUNTS:
        parts = table.target[: table.n_train], table.target[table.n_train :]
        assert tuple(np.bincount(part).tolist() for part in parts) == COUNTS[name]
    X, y = load_discrete(name, return_X_y=True)
    assert np.array_equal(X, table.data)
    assert np.array_equal(y, table.target)


def test_the_last_samples_of_contraceptive_method_are_of_one_class():
    assert set(loaded("cmc").target[1320:]) == {1}


def test_votes_that_are_neither_count_as_yea():
    table, votes = loaded("house_votes_84"), load("house_votes_84")
    words = np.array(["n", "?", "y"])[votes.data.astype(int)]
    assert np.array_equal(table.data == 0.0, words == "n")


def write_cmc(folder, columns, target):
    names = [f"a{m}" for m in range(columns.shape[1])]
    lines = [",".join([*names, "target"])]
    lines += [
        ",".join([*(f"{value:g}" for value in row), str(label)]) for row, label in zip(columns, target, strict=True)
    ]
    (folder / "cmc.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_cuts_of_attributes_divide_samples_most_evenly(tmp_path):
    random = np.random.RandomState(0)
    columns = random.randint(1, 6, size=(1473, 9)).astype(float)
    columns[:, 1] = columns[:, 1] > 2  # two values stay apart
    columns[:, 2] = np.where(np.arange(1473) < 900, 4.0, columns[:, 2].clip(1, 3))  # most rows have the greatest value
    columns[:4, 3] = 7.0
    target = random.randint(1, 4, size=1473)
    write_cmc(tmp_path, columns, target)
    table = load_discrete("cmc", data_home=tmp_path)
    assert np.array_equal(table.target, target != 1)
    for column, coded in zip(columns.T, table.data.T, strict=True):
        cuts = np.unique(column)[:-1]
        uneven = [abs(int(np.sum(column > cut)) - int(np.sum(column <= cut))) for cut in cuts]
        assert np.array_equal(coded, column > cuts[uneven.index(min(uneven))])
    assert np.array_equal(table.data[:, 1], columns[:, 1])
    assert np.array_equal(table.data[:, 2], columns[:, 2] == 4.0)


def test_other_tables_are_refused(tmp_path, monkeypatch):
    assert_refuses(ValueError, r"no data set 'iris'; it has \['spect'", load_discrete, "iris")
    write_cmc(tmp_path, np.zeros((5, 9)), [1, 2, 3, 1, 2])
    with pytest.raises(ValueError, match=r"Not the known table 'cmc': it has shape \(5, 9\) in place of \(1473, 9\)"):
        load_discrete("cmc", data_home=tmp_path)
    write_cmc(tmp_path, np.zeros((1473, 9)), [1, 2, 3] * 491)
    assert_refuses(ValueError, "or a constant column", load_discrete, "cmc", data_home=tmp_path)
    monkeypatch.setenv("PYTREES_DATA", "")
    assert_refuses(FileNotFoundError, r"'spect.train' is a file", load_discrete, "spect")


def test_moves_are_levels_of_correlated_stocks():
    X, y = make_stock_moves(random_state=0)
    assert X.shape == (1000, 99)
    assert (X.dtype, y.dtype) == (np.float64, np.int64)
    shares = np.bincount(X.astype(int).ravel()) / X.size
    assert shares.size == 4
    assert shares.min() > 0.1
    of_market = np.corrcoef(X.mean(axis=1), y)[0, 1]
    of_sector = np.corrcoef(X[:, 99 % 8 :: 8].mean(axis=1), y)[0, 1]
    assert 0.3 < of_market < of_sector < 0.7
    active = (np.isin(X, (0.0, 3.0))).mean(axis=1)  # volatility wanders: active days follow one another
    assert np.corrcoef(active[:-1], active[1:])[0, 1] > 0.5


def test_moves_are_seeded():
    for seed in (3, np.random.RandomState(3)):
        X, y = make_stock_moves(40, 5, cuts=(-1.0, 1.0), random_state=seed)
        again = make_stock_moves(40, 5, cuts=(-1.0, 1.0), random_state=check_random_state(3))
        assert np.array_equal(X, again[0])
        assert np.array_equal(y, again[1])
        assert set(np.unique(X)) == {0.0, 1.0, 2.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "There must be days and stocks, got n_samples=0"),
        ({"n_stocks": 0}, "and n_stocks=0"),
        ({"cuts": ()}, "cuts must be numbers that ascend"),
        ({"cuts": (1.0, 1.0)}, "cuts must be numbers that ascend"),
        ({"cuts": (np.nan, 1.0)}, "cuts must be numbers that ascend"),
        ({"cuts": (np.nan,)}, "cuts must be numbers that ascend"),
        ({"cuts": ((1.0, 2.0),)}, "cuts must be numbers that ascend"),
        ({"cuts": ((1.0,), (1.0, 2.0))}, "cuts must hold real numbers, in rows of equal length"),
        ({"cuts": ("a", "b")}, "cuts must hold real numbers"),
    ],
)
def test_wrong_parameters_of_moves_are_refused(options, message):
    assert_refuses(ValueError, message, make_stock_moves, **options)
