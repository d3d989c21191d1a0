"""The ordinal paper's data sets: cut targets, coded inputs, and the sizes of Table I."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from support import assert_refuses

from pytrees.datasets import equal_frequency_classes, load_ordinal, ordinal_names


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(1, 12))
def test_equal_frequency_classes_follow_the_definition(target, n_classes):
    values = sorted(set(target))
    if len(values) < n_classes:
        with pytest.raises(ValueError, match=f"cannot be cut into {n_classes} classes"):
            equal_frequency_classes(target, n_classes)
        return
    expected, rest, left = {}, sorted(target), n_classes
    while left > 1:
        # an end after every value, as long as the other classes have a value each
        distinct = sorted(set(rest))
        ends = [sum(x <= value for x in rest) for value in distinct[: len(distinct) - left + 1]]
        end = min(ends, key=lambda end: (abs(end * left - len(rest)), end))
        expected |= dict.fromkeys(rest[:end], n_classes - left)
        rest, left = rest[end:], left - 1
    expected |= dict.fromkeys(rest, n_classes - 1)
    codes = equal_frequency_classes(target, n_classes)
    assert codes.dtype == np.int64
    assert codes.tolist() == [expected[x] for x in target]


@pytest.mark.parametrize("n_classes", [1, 2, 5, 10])
@pytest.mark.parametrize("n_samples", [10, 11, 74, 999])
def test_without_ties_classes_are_equally_frequent(n_classes, n_samples):
    target = np.random.default_rng(0).permutation(n_samples)
    codes = equal_frequency_classes(target, n_classes)
    counts = np.bincount(codes)
    assert len(counts) == n_classes
    assert counts.max() - counts.min() <= 1
    assert (np.diff(codes[np.argsort(target)]) >= 0).all()


@pytest.mark.parametrize(
    ("target", "n_classes", "message"),
    [
        ([1.0, np.nan], 2, "target contains NaN"),
        ([1.0, 2.0], 0, "cannot be cut into 0 classes"),
        ([1.0, 1.0], 2, "1 different values cannot be cut into 2 classes"),
        ([], 1, "minimum of 1 is required"),
    ],
)
def test_targets_that_cannot_be_cut_are_refused(target, n_classes, message):
    assert_refuses(ValueError, message, equal_frequency_classes, target, n_classes)


def write(folder, name, text):
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def test_one_column_for_every_value(tmp_path):
    write(tmp_path, "pasture", "fertiliser,slope,target\nLL,1,MED\nHN,2,LO\nLN,3,HI\n")
    pasture = load_ordinal("pasture", data_home=tmp_path)
    assert pasture.feature_names == ["fertiliser=HN", "fertiliser=LL", "fertiliser=LN", "slope"]
    assert pasture.data.tolist() == [[0, 1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]
    assert pasture.target.tolist() == [1, 0, 2]
    assert pasture.target_names.tolist() == ["LO", "MED", "HI"]
    assert not pasture.categorical.any()
    assert (pasture.train_size, pasture.test_size) == (27, 9)
    assert (pasture.paper.n_classes, pasture.paper.n_features) == (3, 25)
    coded = load_ordinal("pasture", data_home=tmp_path, one_hot=False)
    assert coded.data.tolist() == [[1, 1], [0, 2], [2, 3]]
    assert coded.categorical.tolist() == [True, False]
    X, y = load_ordinal("pasture", data_home=tmp_path, return_X_y=True)
    assert np.array_equal(X, pasture.data)
    assert np.array_equal(y, pasture.target)


def test_two_values_are_one_column(tmp_path):
    write(tmp_path, "tae", "native_english_speaker,course,class_size,target\n1,3,19,3\n2,3,20,1\n1,17,5,2\n")
    tae = load_ordinal("tae", data_home=tmp_path)
    assert tae.feature_names == ["native_english_speaker=2", "course=17", "class_size"]
    assert tae.data.tolist() == [[0, 0, 19], [1, 0, 20], [0, 1, 5]]
    assert tae.target.tolist() == [2, 0, 1]


def test_missing_values_are_imputed_or_left(tmp_path):
    write(
        tmp_path,
        "automobile",
        "num-of-doors,body-style,bore,target\nfour,sedan,1,0\n,,2,1\nfour,wagon,,1\ntwo,hatchback,6,-1\n",
    )
    full = load_ordinal("automobile", data_home=tmp_path)
    names = ["num-of-doors=four", "body-style=hatchback", "body-style=sedan", "body-style=wagon", "bore"]
    assert full.feature_names == names
    # the most frequent number of doors, the lowest of the most frequent styles, and the mean
    assert full.data[1].tolist() == [1, 1, 0, 0, 2]
    assert full.data[2].tolist() == [1, 0, 0, 1, 3]
    assert full.target.tolist() == [1, 2, 2, 0]
    left = load_ordinal("automobile", data_home=tmp_path, impute=False)
    assert np.isnan(left.data[1]).tolist() == [True, True, True, True, False]
    assert np.isnan(left.data[2]).tolist() == [False, False, False, False, True]


def test_joined_and_cut_targets(tmp_path):
    rating = "Population,target\n1,(5)_BB\n2,(1)_AAA\n3,(4)_BBB\n4,(3)_A\n5,(2)_AA\n"
    write(tmp_path, "bondrate", rating)
    bonds = load_ordinal("bondrate", data_home=tmp_path)
    assert bonds.target.tolist() == [0, 3, 0, 1, 2]
    assert bonds.target_names.tolist() == ["(5)_BB or (4)_BBB", "(3)_A", "(2)_AA", "(1)_AAA"]
    write(tmp_path, "pyrim", "p1_size,p3_pi_acceptor,target\n" + "".join(f"{i},0,{i / 10}\n" for i in range(10)))
    pyrim = load_ordinal("pyrim", data_home=tmp_path)
    assert pyrim.feature_names == ["p1_size"]
    assert pyrim.target.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert pyrim.target_names[:2].tolist() == ["0 to 0.1", "0.2 to 0.3"]
    assert load_ordinal("pyrim10", data_home=tmp_path).target.tolist() == list(range(10))


def test_names_as_in_table_1(tmp_path):
    assert len(ordinal_names()) == len(set(ordinal_names())) == 44
    write(tmp_path, "abalone", "sex,length,target\n" + "".join(f"M,{i},{i}\n" for i in range(10)))
    for name, n_classes in (("abalone", 5), ("abalone5", 5), ("abalone10", 10)):
        assert load_ordinal(name, data_home=tmp_path).target.max() == n_classes - 1
    write(tmp_path, "balance_scale", "left-weight,target\n1,B\n")
    for name in ("balance-scale", "balance_scale"):
        assert load_ordinal(name, data_home=tmp_path).target.tolist() == [1]
    for name in ("nhanes", "abalone7", "car5", "iris"):
        assert_refuses(ValueError, "ordinal_names", load_ordinal, name, data_home=tmp_path)
    assert_refuses(FileNotFoundError, r"There is no cpu_act\.csv in", load_ordinal, "computer2-5", data_home=tmp_path)


# The numbers of features that differ from Table I, with and without one-hot coding.
OTHER_FEATURES = {"squash-unstored": (50, 23), "support": (33, 19), "vlbw": (28, 25)}


@pytest.mark.parametrize("name", ordinal_names())
def test_sizes_are_those_of_table_1(name):
    try:
        bunch = load_ordinal(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert len(bunch.data) == len(bunch.target) == bunch.train_size + bunch.test_size
    assert np.unique(bunch.target).tolist() == list(range(bunch.paper.n_classes))
    assert bunch.target_names.shape == (bunch.paper.n_classes,)
    assert np.isfinite(bunch.data).all()
    expected, coded = OTHER_FEATURES.get(name, (bunch.paper.n_features, None))
    assert bunch.data.shape[1] == len(bunch.feature_names) == len(set(bunch.feature_names)) == expected
    if coded:
        assert load_ordinal(name, one_hot=False).data.shape[1] == coded
    sizes = {"train_size": bunch.train_size, "test_size": bunch.test_size}
    train, test = train_test_split(bunch.target, **sizes, stratify=bunch.target, random_state=0)
    assert (len(train), len(test)) == (bunch.train_size, bunch.test_size)
    assert np.unique(train).tolist() == list(range(bunch.paper.n_classes))
