"""Data sets: those that scikit-learn ships, and tables in a folder."""

import gzip
import os
import sys
import tracemalloc

import numpy as np
import pytest
from support import assert_refuses

from pytrees.datasets import get_data_home, load, load_discrete, load_ordinal, load_shipped, load_table, names
from pytrees.datasets._catalog import CATALOG


@pytest.fixture
def no_home(monkeypatch):
    monkeypatch.setenv("PYTREES_DATA", "")


def write_table(folder, text, name="table"):
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")


# -------------------------------------------------------------------------------------------------------- without files


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("iris", (150, 4), [50, 50, 50]),
        ("breast_cancer_wisconsin_diagnostic", (569, 30), [357, 212]),
        ("wine", (178, 13), [59, 71, 48]),
    ],
)
def test_shipped_tables_have_their_sizes(name, shape, counts):
    bunch = load_shipped(name)
    assert bunch.data.shape == shape
    assert bunch.data.dtype == np.float64
    assert len(bunch.feature_names) == shape[1]
    assert all(type(name) is str for name in bunch.feature_names)
    assert bunch.target.dtype.kind == "U"
    assert sorted(np.unique(bunch.target, return_counts=True)[1]) == sorted(counts)


def test_other_tables_are_not_shipped():
    assert_refuses(KeyError, "scikit-learn ships no 'haberman', but iris, breast_cancer", load_shipped, "haberman")


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


def test_an_absent_folder_is_named(monkeypatch, tmp_path):
    assert_refuses(FileNotFoundError, r"There is no folder .*absent", get_data_home, tmp_path / "absent")
    monkeypatch.setenv("PYTREES_DATA", str(tmp_path / "absent"))
    assert_refuses(FileNotFoundError, "PYTREES_DATA", get_data_home)
    (tmp_path / "file").touch()
    assert_refuses(FileNotFoundError, "There is no folder", get_data_home, tmp_path / "file")


def test_an_absent_table_is_named(no_home, tmp_path):
    assert_refuses(FileNotFoundError, r"'seeds' is a file: set PYTREES_DATA or data_home", load_table, "seeds")
    assert_refuses(FileNotFoundError, r"There is no seeds\.csv in", load_table, "seeds", tmp_path)


@pytest.mark.parametrize("load", [load, load_table])
@pytest.mark.parametrize("name", ["../table", "/table", "folder/table", "..\\table", "table\0", "", ".", "./table"])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path, load, name):
    home = tmp_path / "home"
    (home / "folder").mkdir(parents=True)
    for folder in (tmp_path, home, home / "folder"):
        write_table(folder, "a,target\n1,0\n2,1\n")
    with pytest.raises(ValueError, match="must be the name of a file, not a path, got "):
        load(str(tmp_path / "table") if name == "/table" else name, data_home=home)


def test_links_in_the_folder_and_unusual_names_are_read(tmp_path):
    (tmp_path / "home").mkdir()
    write_table(tmp_path, "a,target\n1,0\n2,1\n")
    for name in ("link", "größe.von allem", ".."):
        (tmp_path / "home" / f"{name}.csv").symlink_to(tmp_path / "table.csv")
        assert load_table(name, tmp_path / "home").data.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("given", [5, None, b"table", ["table"], {}])
def test_a_name_that_is_no_string_is_refused(tmp_path, given):
    for read in (load, load_table, load_discrete, load_ordinal, load_shipped):
        assert_refuses(TypeError, "The name of a data set must be a string, got", read, given)
    if given is not None:
        assert_refuses(TypeError, "data_home must be the path of a folder, got", load, "table", data_home=given)


def test_paths_that_the_system_refuses_are_absent(no_home, tmp_path):
    for name in (300 * "x", "\ud800"):
        assert_refuses(FileNotFoundError, "There is no", load_table, name, tmp_path)
    for home in ("~nobody-of-this-name/x", 300 * "x", "\0"):
        assert_refuses(FileNotFoundError, "There is no folder", load, "table", data_home=home)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.csv", b"a,target\n" + 200_000 * b"1" + b",2\n"),
        ("table.csv", b"\n\n"),
        ("table.csv", b"a,a,target\n1,2,3\n"),
        ("table.csv", b"target,a,target\n1,2,3\n"),
        ("table.csv", b"target,a,label\n1,2,3\n"),
        ("table.csv", b"1,2,3\n4,5,6\n"),
        ("table.csv", b"a;target\n1;2\n"),
        ("table.csv", b"a,target\n"),
        ("table.csv", b"a,target\n1,2\n\n"),
        ("table.csv", b"a,target\n1\0,2\n"),
        ("table.csv", b'a,target\n1,"2\n3,4\n'),
        ("table.csv", b'a,target\n"1"2,3\n'),
        ("table.csv", "a,target\n1,2\n".encode("utf-16")),
        ("table.csv", b"\xe9,target\n1,2\n"),
        ("table.csv.gz", b"no gzip"),
        ("table.csv.gz", gzip.compress(b"a,target\n1,2\n", mtime=0)[:-9]),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    for read in (load, load_table):
        assert_refuses(ValueError, "is not a table: ", read, "table", data_home=tmp_path)


@pytest.mark.parametrize("number", ["inf", "-Infinity", "1e400", "1_000", "nan", "\u0661", "1\u00a0"])
def test_numbers_are_finite_decimals(tmp_path, number):
    for text in (f"a,target\n{number},1\n2,0\n", f"a,target\n1,{number}\n2,0\n"):
        write_table(tmp_path, text)
        with pytest.raises(ValueError, match="Expected finite numbers in the range of float64, written as decimals"):
            load("table", data_home=tmp_path)
    write_table(tmp_path, f"a,target\n{number},1\nred,0\n")
    assert load("table", data_home=tmp_path).categories == {"a": sorted([number, "red"])}


def test_the_forms_that_a_file_may_have(tmp_path):
    (tmp_path / "table.csv").write_bytes(b'\xef\xbb\xbfa,"b,\n",target\r\n +1.e0\t,"x\ny",True\r\n.5,,False')
    table = load("table", data_home=tmp_path)
    assert table.feature_names == ["a", "b,\n"]
    assert np.array_equal(table.data, [[1.0, 0.0], [0.5, np.nan]], equal_nan=True)
    assert (table.categories, table.target.tolist()) == ({"b,\n": ["x\ny"]}, [1, 0])


@pytest.mark.parametrize("forms", [("1", "01"), ("1.0", "1"), ("1e0", "1"), ("1", "1 ")])
def test_classes_that_are_numbers_have_one_form(tmp_path, forms):
    write_table(tmp_path, "a,target\n1,{}\n2,{}\n".format(*forms))
    assert_refuses(ValueError, r"has one number in two forms, '0?1", load, "table", data_home=tmp_path)
    great = ["9007199254740992", "9007199254740993"]  # which are one double
    write_table(tmp_path, "a,target\n1,{}\n2,{}\n".format(*great[::-1]))
    assert load("table", data_home=tmp_path).target_names.tolist() == great


def test_a_long_field_takes_its_own_memory_alone(tmp_path):
    long, rows = 120_000 * "x", "y,1\n" * 2000
    for text in (f"a,target\n{long},0\n{rows}", f"a,target\n1,{long}\n{rows}"):
        write_table(tmp_path, text)
        tracemalloc.start()
        assert len(load("table", data_home=tmp_path).data) == 2001
        assert tracemalloc.get_traced_memory()[1] < 20 * len(text)
        tracemalloc.stop()
    write_table(tmp_path, f"a,target\n1,{long}\n" + "2,z\n" * 2000)
    with pytest.raises(ValueError, match="has a class of 120000 characters: give it a shorter name"):
        load_table("table", tmp_path)


def test_a_table_is_read_with_its_names(tmp_path):
    write_table(tmp_path, 'age,"weight, kg",target\n1,2.5,yes\n-3,.5,"no, or not yet"\n1e3,0,7\n')
    bunch = load_table("table", tmp_path)
    assert bunch.data.tolist() == [[1.0, 2.5], [-3.0, 0.5], [1000.0, 0.0]]
    assert bunch.target.tolist() == ["yes", "no, or not yet", "7"]
    assert bunch.feature_names == ["age", "weight, kg"]


@pytest.mark.parametrize("text", ["a,target\nx,1\n", "a,target\n,1\n", "a,b,target\n1,2,0\n1,0\n", ""])
def test_tables_that_are_not_numeric_are_refused(tmp_path, text):
    write_table(tmp_path, text)
    assert_refuses(ValueError, r".", load_table, "table", tmp_path)


# ---------------------------------------------------------------------------------------- tables with all they can have


def test_names_of_a_folder_by_task(no_home, tmp_path):
    for name in ["wine", "car", "spect.train", "spect.test", "monks1.train", "mine", "housing", "MANIFEST"]:
        write_table(tmp_path, "", name)
    (tmp_path / "house_8L.csv.gz").touch()
    (tmp_path / "README.md").touch()
    for name in (".csv", ".train.csv"):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nothing")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
    assert names(tmp_path) == ["car", "house_8L", "housing", "mine", "monks1", "spect", "wine"]
    assert names(tmp_path, task="nominal") == ["monks1", "spect", "wine"]
    assert names(tmp_path, task="regression") == ["house_8L", "housing"]
    assert_refuses(ValueError, "task must be one of", names, tmp_path, task="cardinal")
    assert_refuses(FileNotFoundError, "Data sets are files: set PYTREES_DATA or data_home", names)


def test_absent_data_set(no_home, tmp_path):
    assert_refuses(FileNotFoundError, r"'car' is a file: set PYTREES_DATA or data_home", load, "car")
    with pytest.raises(FileNotFoundError, match=r"There is no car\.csv in .*PYTREES_DATA or data_home"):
        load("car", data_home=tmp_path)
    assert_refuses(FileNotFoundError, r"There is no spect\.train\.csv in", load, "spect", data_home=tmp_path)


def test_an_unknown_table_has_a_nominal_task(tmp_path):
    write_table(tmp_path, "size,colour,target\n1,red,10\n,blue,9\n2,,10\n")
    table = load("table", data_home=tmp_path)
    assert np.array_equal(table.data, [[1, 1], [np.nan, 0], [2, np.nan]], equal_nan=True)
    assert table.target.tolist() == [1, 0, 1]
    assert table.target.dtype == np.int64
    assert table.target_names.tolist() == ["9", "10"]  # sorted as numbers
    assert table.feature_names == ["size", "colour"]
    assert table.categorical.tolist() == [False, True]
    assert table.categories == {"colour": ["blue", "red"]}
    assert (table.task, table.origin, table.n_train, table.frame) == ("nominal", "unknown", None, None)
    assert "Classes: 9, 10" in table.DESCR
    X, y = load("table", data_home=tmp_path, return_X_y=True)
    assert np.array_equal(X, table.data, equal_nan=True)
    assert np.array_equal(y, table.target)


def test_an_unknown_table_of_numbers_is_a_regression(tmp_path):
    write_table(tmp_path, "a,target\n1,0.5\n2,-1e3\n")
    table = load("table", data_home=tmp_path)
    assert (table.task, table.target_names) == ("regression", None)
    assert table.target.tolist() == [0.5, -1000.0]


def test_parts_are_joined_or_read_alone(tmp_path):
    write_table(tmp_path, "a,target\n1,x\n2,y\n", "mine.train")
    (tmp_path / "mine.test.csv.gz").write_bytes(gzip.compress(b"a,target\n3,x\n"))
    both = load("mine", data_home=tmp_path)
    assert both.data[:, 0].tolist() == [1, 2, 3]
    assert both.n_train == 2
    assert load("mine", data_home=tmp_path, subset="train").data[:, 0].tolist() == [1, 2]
    for test in (load("mine", data_home=tmp_path, subset="test"), load("mine.test", data_home=tmp_path)):
        assert (test.data[:, 0].tolist(), test.n_train) == ([3], 0)
    assert_refuses(ValueError, "subset must be", load, "mine", data_home=tmp_path, subset="trial")
    write_table(tmp_path, "a,target\n1,x\n")
    assert_refuses(ValueError, "has no fixed split", load, "table", data_home=tmp_path, subset="train")
    write_table(tmp_path, "b,target\n3,x\n", "mine.test")
    assert_refuses(ValueError, "different columns", load, "mine", data_home=tmp_path)


def test_files_that_differ_from_the_known_table_are_refused(tmp_path):
    for name, text, message in [
        ("wine", "alcohol,target\nmuch,1\n", "column 'alcohol' holds words"),
        ("car", "safety,target\nnone,acc\n", "column 'safety' holds 'none'"),
        ("car", "safety,target\nlow,fair\n", "column 'target' holds 'fair'"),
        ("stock", "a,target\n1,high\n", "its target holds words"),
        ("wine", "a,target\n1,\n", "has missing values"),
        ("wine", "a,target\n", "is not a table"),
    ]:
        write_table(tmp_path, text, name)
        assert_refuses(ValueError, message, load, name, data_home=tmp_path)


def test_order_of_words_and_classes(tmp_path):
    write_table(tmp_path, "SYMPT,HIST,target\nDisagree,Yes,Over a Year\nStrongly Agree,No,Never\n", "mammoexp")
    table = load("mammoexp", data_home=tmp_path)
    assert table.data.tolist() == [[2, 1], [0, 0]]
    assert table.target.tolist() == [2, 0]
    assert table.target_names.tolist() == ["Never", "Within a Year", "Over a Year"]
    assert table.categorical.tolist() == [False, True]
    assert table.categories["SYMPT"] == ["Strongly Agree", "Agree", "Disagree", "Strongly Disagree"]
    assert "Never < Within a Year < Over a Year" in table.DESCR


def test_empty_votes_are_a_value(tmp_path):
    write_table(tmp_path, "crime,target\ny,republican\n,democrat\nn,democrat\n", "house_votes_84")
    votes = load("house_votes_84", data_home=tmp_path)
    assert votes.data[:, 0].tolist() == [2, 1, 0]
    assert votes.categories == {"crime": ["n", "?", "y"]}


def test_frames_keep_categories_and_gaps(tmp_path):
    pd = pytest.importorskip("pandas")
    write_table(tmp_path, "SYMPT,HIST,PB,target\nAgree,,7,Never\nDisagree,No,8,Never\nAgree,Yes,,Never\n", "mammoexp")
    table = load("mammoexp", data_home=tmp_path, as_frame=True)
    assert list(table.frame) == ["SYMPT", "HIST", "PB", "target"]
    assert table.data["SYMPT"].tolist() == ["Agree", "Disagree", "Agree"]
    assert table.data["SYMPT"].cat.ordered
    assert not table.data["HIST"].cat.ordered
    assert table.data["HIST"].isna().tolist() == [True, False, False]
    assert table.data["PB"].isna().tolist() == [False, False, True]
    X, y = load("mammoexp", data_home=tmp_path, as_frame=True, return_X_y=True)
    pd.testing.assert_frame_equal(X, table.data)
    pd.testing.assert_series_equal(y, table.target)
    write_table(tmp_path, "a1,a2,target\n3,1,0\n1,1,1\n", "monks1.train")
    monks = load("monks1.train", data_home=tmp_path, as_frame=True)
    assert monks.data["a1"].tolist() == [3, 1]
    assert monks.data["a1"].cat.categories.tolist() == [1, 3]


def test_frames_need_pandas(tmp_path, monkeypatch):
    write_table(tmp_path, "a,target\n1,0\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert_refuses(ImportError, "as_frame=True needs pandas", load, "table", data_home=tmp_path, as_frame=True)


# --------------------------------------------------------------------------------------------------- the papers' tables


def load_or_skip(name, **options):
    try:
        return load(name, **options)
    except FileNotFoundError as error:
        pytest.skip(str(error))


# Rows, features, of which nominal, missing values, classes or 0, rows of the train part.
KNOWN = {
    "iris": (150, 4, 0, 0, 3, None),
    "breast_cancer_wisconsin_diagnostic": (569, 30, 0, 0, 2, None),
    "haberman": (306, 3, 0, 0, 2, None),
    "ionosphere": (351, 34, 0, 0, 2, None),
    "seeds": (210, 7, 0, 0, 3, None),
    "wine": (178, 13, 0, 0, 3, None),
    "spect": (267, 22, 22, 0, 2, 80),
    "house_votes_84": (435, 16, 16, 0, 2, None),
    "dna": (3186, 180, 180, 0, 3, 2000),
    "splice": (3190, 60, 60, 0, 3, None),
    "cmc": (1473, 9, 4, 0, 3, None),
    "monks1": (556, 6, 6, 0, 2, 124),
    "monks2": (601, 6, 6, 0, 2, 169),
    "monks3": (554, 6, 6, 0, 2, 122),
    "ctg_nsp": (2126, 21, 0, 0, 3, None),
    "ctg_class": (2126, 21, 0, 0, 10, None),
    "ERA": (1000, 4, 0, 0, 9, None),
    "ESL": (488, 4, 0, 0, 9, None),
    "LEV": (1000, 4, 0, 0, 5, None),
    "SWD": (1000, 10, 0, 0, 4, None),
    "automobile": (205, 25, 10, 59, 6, None),
    "balance_scale": (625, 4, 0, 0, 3, None),
    "bondrate": (57, 10, 6, 1, 5, None),
    "car": (1728, 6, 6, 0, 4, None),
    "contact_lenses": (24, 4, 4, 0, 3, None),
    "eucalyptus": (736, 19, 5, 448, 5, None),
    "mammoexp": (412, 5, 2, 0, 3, None),
    "newthyroid": (215, 5, 0, 0, 3, None),
    "pasture": (36, 22, 1, 0, 3, None),
    "squash_stored": (52, 24, 3, 7, 3, None),
    "squash_unstored": (52, 23, 3, 39, 3, None),
    "support": (730, 19, 4, 0, 5, None),
    "tae": (151, 5, 4, 0, 3, None),
    "toy": (300, 2, 0, 0, 5, None),
    "vlbw": (172, 25, 13, 0, 9, None),
    "winequality_red": (1599, 11, 0, 0, 6, None),
    "abalone": (4177, 8, 1, 0, 0, None),
    "bank8fm": (8192, 8, 0, 0, 0, None),
    "bank32nh": (8192, 32, 0, 0, 0, None),
    "calhousing": (20640, 8, 0, 0, 0, None),
    "house_8L": (22784, 8, 0, 0, 0, None),
    "house_16H": (22784, 16, 0, 0, 0, None),
    "cpu_small": (8192, 12, 0, 0, 0, None),
    "cpu_act": (8192, 21, 0, 0, 0, None),
    "housing": (506, 13, 1, 0, 0, None),
    "machine_cpu": (209, 6, 0, 0, 0, None),
    "pyrim": (74, 27, 0, 0, 0, None),
    "stock": (950, 9, 0, 0, 0, None),
}


def test_every_known_set_is_tested():
    assert set(KNOWN) == set(CATALOG)


@pytest.mark.parametrize("name", KNOWN)
def test_known_sets_have_their_sizes(name):
    bunch = load_or_skip(name)
    n_rows, n_features, n_nominal, n_missing, n_classes, n_train = KNOWN[name]
    assert bunch.data.shape == (n_rows, n_features)
    assert bunch.data.dtype == np.float64
    assert len(bunch.feature_names) == n_features
    assert bunch.categorical.sum() == n_nominal
    assert np.isnan(bunch.data).sum() == n_missing
    assert bunch.n_train == n_train
    assert bunch.origin in bunch.DESCR
    nominal = {name for name, is_nominal in zip(bunch.feature_names, bunch.categorical, strict=True) if is_nominal}
    assert nominal <= set(bunch.categories)
    if n_classes:
        assert np.unique(bunch.target).tolist() == list(range(n_classes))
        assert bunch.target_names.shape == (n_classes,)
        assert "nominal" in bunch.task or "ordinal" in bunch.task
    else:
        assert (bunch.task, bunch.target_names, bunch.target.dtype) == ("regression", None, np.float64)


def test_folder_holds_the_known_sets():
    try:
        held = names()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    for task in ("nominal", "ordinal", "regression"):
        assert set(names(task=task)) == {name for name in held if name in CATALOG and CATALOG[name].task == task}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("newthyroid", {"3": 30, "1": 150, "2": 35}),
        ("bondrate", {"(5)_BB": 1, "(4)_BBB": 5, "(3)_A": 12, "(2)_AA": 33, "(1)_AAA": 6}),
        ("automobile", {"-2": 3, "-1": 22, "0": 67, "1": 54, "2": 32, "3": 27}),
        ("car", {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}),
    ],
)
def test_order_of_known_classes(name, counts):
    bunch = load_or_skip(name)
    assert dict(zip(bunch.target_names.tolist(), np.bincount(bunch.target).tolist(), strict=True)) == counts
    assert list(counts) == bunch.target_names.tolist()


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
def test_shipped_tables_equal_the_tables_of_the_folder(name):
    try:
        table = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    shipped = load_shipped(name)
    # A few entries of the two iris tables differ by known typing errors.
    different = np.any(table.data != shipped.data, axis=1) if name != "iris" else np.zeros(150, dtype=bool)
    assert different.sum() == 0
    assert len(set(zip(table.target, shipped.target, strict=True))) == len(set(shipped.target))
