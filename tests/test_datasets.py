"""Data sets: the toy example, those that scikit-learn ships, and tables in a folder."""

import numpy as np
import pytest

from pytrees.datasets import get_data_home, load_shipped, load_table, load_toy_permutations


@pytest.fixture
def no_home(monkeypatch):
    monkeypatch.delenv("PYTREES_DATA", raising=False)


def write_table(folder, text, name="table"):
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")


# -------------------------------------------------------------------------------------------------------- without files


def test_toy_permutations():
    toy = load_toy_permutations()
    assert toy.data.shape == (14, 2)
    assert toy.data.dtype == np.float64
    assert np.bincount(toy.target).tolist() == [0, 6, 8]
    assert toy.target.dtype == np.int64
    assert toy.feature_names == ["f0", "f1"]
    assert list(toy.permutations) == list("ABCDE")
    for rows in toy.permutations.values():
        assert sorted(rows) == list(range(14))
    assert toy.permutations["A"].tolist() == list(range(14))
    # Table 2: severity 1, 2 and 4 up to test result 2 are class 2, the rest class 1.
    assert toy.target[toy.data[:, 0] < 4].tolist() == [2] * 6
    assert toy.target[toy.data[:, 0] == 5].tolist() == [1] * 4
    assert toy.target[toy.data[:, 0] == 4].tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("iris", (150, 4), [50, 50, 50]),
        ("breast_cancer_wisconsin_diagnostic", (569, 30), [357, 212]),
        ("wine", (178, 13), [59, 71, 48]),
    ],
)
def test_shipped_tables(name, shape, counts):
    bunch = load_shipped(name)
    assert bunch.data.shape == shape
    assert bunch.data.dtype == np.float64
    assert len(bunch.feature_names) == shape[1]
    assert all(type(name) is str for name in bunch.feature_names)
    assert bunch.target.dtype.kind == "U"
    assert sorted(np.unique(bunch.target, return_counts=True)[1]) == sorted(counts)


def test_other_tables_are_not_shipped():
    with pytest.raises(KeyError, match="haberman"):
        load_shipped("haberman")


# ---------------------------------------------------------------------------------------------------- folders and files


def test_folder_is_given_or_named_by_the_environment(no_home, monkeypatch, tmp_path):
    assert get_data_home() is None
    assert get_data_home(tmp_path) == get_data_home(str(tmp_path)) == tmp_path
    monkeypatch.setenv("PYTREES_DATA", str(tmp_path))
    assert get_data_home() == tmp_path
    (tmp_path / "other").mkdir()
    assert get_data_home(tmp_path / "other") == tmp_path / "other"
    monkeypatch.setenv("PYTREES_DATA", "")
    assert get_data_home() is None


def test_home_folder_is_expanded(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "tables").mkdir()
    assert get_data_home("~/tables") == tmp_path / "tables"


def test_absent_folder(monkeypatch, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*absent"):
        get_data_home(tmp_path / "absent")
    monkeypatch.setenv("PYTREES_DATA", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError, match="PYTREES_DATA"):
        get_data_home()
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        get_data_home(tmp_path / "file")


def test_absent_table(no_home, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'seeds' is a file: set PYTREES_DATA or data_home"):
        load_table("seeds")
    with pytest.raises(FileNotFoundError, match=r"There is no seeds\.csv in"):
        load_table("seeds", tmp_path)


def test_table(tmp_path):
    write_table(tmp_path, 'age,"weight, kg",target\n1,2.5,yes\n-3,.5,"no, or not yet"\n1e3,0,7\n')
    bunch = load_table("table", tmp_path)
    assert bunch.data.tolist() == [[1.0, 2.5], [-3.0, 0.5], [1000.0, 0.0]]
    assert bunch.target.tolist() == ["yes", "no, or not yet", "7"]
    assert bunch.feature_names == ["age", "weight, kg"]


@pytest.mark.parametrize("text", ["a,target\nx,1\n", "a,target\n,1\n", "a,b,target\n1,2,0\n1,0\n", ""])
def test_what_is_no_table_of_numbers_is_refused(tmp_path, text):
    write_table(tmp_path, text)
    with pytest.raises(ValueError, match=r"."):
        load_table("table", tmp_path)


# The number of rows and features, and the sizes of the classes, as published.
PUBLISHED = {
    "haberman": ((306, 3), [81, 225]),
    "ionosphere": ((351, 34), [126, 225]),
    "seeds": ((210, 7), [70, 70, 70]),
    "iris": ((150, 4), [50, 50, 50]),
    "wine": ((178, 13), [48, 59, 71]),
    "breast_cancer_wisconsin_diagnostic": ((569, 30), [212, 357]),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_of_the_paper(name):
    try:
        bunch = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    shape, counts = PUBLISHED[name]
    assert bunch.data.shape == shape
    assert len(bunch.feature_names) == shape[1]
    assert sorted(np.unique(bunch.target, return_counts=True)[1].tolist()) == counts
    assert np.isfinite(bunch.data).all()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer_wisconsin_diagnostic"])
def test_shipped_tables_are_those_of_the_folder(name):
    try:
        table = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    shipped = load_shipped(name)
    # A few entries of the two iris tables differ by known typing errors.
    different = np.any(table.data != shipped.data, axis=1) if name != "iris" else np.zeros(150, dtype=bool)
    assert different.sum() == 0
    assert len(set(zip(table.target, shipped.target, strict=True))) == len(set(shipped.target))
