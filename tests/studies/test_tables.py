"""The tables of a clone: their checksums, sources and licences, what loaders make of them, and the program that fetches
the others."""

import csv
import gzip
import hashlib
import io
import lzma
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from support import assert_refuses

from pytrees.datasets import get_data_home, load, load_table, names
from pytrees.datasets._catalog import CATALOG
from studies import choose_tables
from studies.tables import load_present

ROOT = Path(__file__).parents[2]
DATA = ROOT / "studies" / "data"
if not DATA.is_dir():
    pytest.skip("the tables are in a clone alone", allow_module_level=True)

sys.path.insert(0, str(ROOT / "tools"))
import fetch_tables  # noqa: E402

sys.path.pop(0)
MANIFEST = fetch_tables.manifest()
PACKED = [name for name, about in MANIFEST.items() if about["packed"] == "yes"]


def text_of(name):
    return lzma.decompress((DATA / f"{MANIFEST[name]['file']}.xz").read_bytes())


@pytest.mark.parametrize("name", PACKED)
def test_packed_tables_have_their_checksum_and_their_size(name):
    text, about = text_of(name), MANIFEST[name]
    assert hashlib.sha256(text).hexdigest() == about["sha256"]
    delimiter = "," if about["file"].endswith(".csv") else " "
    rows = list(csv.reader(io.StringIO(text.decode()), delimiter=delimiter))
    rows = rows[1:] if delimiter == "," else rows
    assert (len(rows), {len(row) - 1 for row in rows}) == (int(about["samples"]), {int(about["features"])})


def test_the_folder_holds_what_the_manifest_says_and_is_small():
    packed = sorted(path.relative_to(DATA).as_posix() for path in DATA.rglob("*.xz"))
    assert packed == sorted(f"{MANIFEST[name]['file']}.xz" for name in PACKED)
    assert sum(path.stat().st_size for path in DATA.rglob("*.xz")) < 6e6
    assert sorted(fetch_tables.RECIPES) == sorted(set(MANIFEST) - set(PACKED))


def test_only_tables_whose_licence_allows_it_are_packed():
    assert {MANIFEST[name]["licence"] for name in PACKED} == {"CC BY 4.0", "CC0", "public domain"}
    for about in MANIFEST.values():
        assert about["creators"]
        assert re.fullmatch(
            r"https://(archive\.ics\.uci\.edu/dataset/\d+|github\.com/[\w.-]+/[\w.-]+)", about["source"]
        )
        assert (about["licence"] == "CC BY 4.0") == ("uci.edu" in about["source"])


def test_the_page_names_every_table_with_licence_and_source():
    lines = (ROOT / "docs" / "data.md").read_text(encoding="utf-8").splitlines()
    for name, about in MANIFEST.items():
        stem = re.sub(r"\.(train|test)$", "", name)
        [line] = [line for line in lines if line.startswith("|") and f"`{stem}`" in line]
        assert f"({about['source']})" in line
        assert f"| {about['licence']} |" in line
        assert about["creators"].partition("; training part")[0] in line


def test_every_table_of_the_catalog_is_in_the_manifest():
    known = {re.sub(r"\.(train|test)$", "", name) for name in MANIFEST if "/" not in name}
    assert known == set(CATALOG)


def test_the_clone_is_found_without_a_name(clone_tables, monkeypatch, tmp_path):
    assert get_data_home() == DATA
    assert set(names()) >= {"iris", "wine", "spect", "dna", "monks1"}
    monkeypatch.setenv("PYTREES_DATA", str(tmp_path))
    assert get_data_home() == tmp_path
    assert get_data_home(DATA) == DATA


def test_an_absent_table_of_the_clone_tells_who_fetches_it(clone_tables):
    assert_refuses(FileNotFoundError, r"There is no absent\.csv in .*tools/fetch_tables\.py fetches it", load, "absent")


@pytest.mark.parametrize("name", [name for name in PACKED if "/" not in name])
def test_loaders_give_what_is_packed(clone_tables, name):
    header, *rows = csv.reader(io.StringIO(text_of(name).decode()))
    bunch = load(name)
    assert bunch.feature_names == header[:-1]
    for column, values, texts in zip(header, bunch.data.T.tolist(), zip(*rows, strict=True), strict=False):
        if column in bunch.categories and isinstance(bunch.categories[column][0], str):
            words = bunch.categories[column]
            values = ["" if np.isnan(value) else words[int(value)] for value in values]
            empty = CATALOG[re.sub(r"[.](train|test)$", "", name)].empty
            assert [text or empty for text in texts] == values
        else:
            np.testing.assert_array_equal(values, [float(text or "nan") for text in texts])
    targets = [row[-1] for row in rows]
    if bunch.target_names is None:
        assert bunch.target.tolist() == [float(target) for target in targets]
    else:
        assert bunch.target_names[bunch.target].tolist() == targets


def test_tables_of_numbers_are_read_as_they_stand(clone_tables):
    header, *rows = csv.reader(io.StringIO(text_of("wine").decode()))
    wine = load_table("wine")
    assert (wine.feature_names, wine.target.tolist()) == (header[:-1], [row[-1] for row in rows])
    assert wine.data.tolist() == [[float(value) for value in row[:-1]] for row in rows]


def test_half_a_packed_table_is_refused(tmp_path):
    (tmp_path / "wine.csv.xz").write_bytes((DATA / "wine.csv.xz").read_bytes()[:-200])
    assert_refuses(ValueError, r"wine\.csv\.xz is not a table", load, "wine", data_home=tmp_path)
    (tmp_path / "wine.csv.xz").write_bytes(b"not packed")
    assert_refuses(ValueError, r"wine\.csv\.xz is not a table", load, "wine", data_home=tmp_path)


def test_absent_tables_are_named(capsys):
    def get(name):
        if name == "absent":
            raise FileNotFoundError(name)
        return name.upper()

    assert load_present(get, ["one", "absent", "two"]) == {"one": "ONE", "two": "TWO"}
    assert capsys.readouterr().err == "Left out, for want of their tables (tools/fetch_tables.py): absent.\n"


def test_the_study_of_choices_takes_the_tables_of_a_clone(clone_tables, capsys):
    found = choose_tables.load_problems(DATA)
    assert set(found["accuracy"]) >= set(choose_tables.NUMBERS) - {"toy"}
    assert set(found["missing"]) >= {"automobile", *choose_tables.AT_RANDOM, *choose_tables.HIGH_VALUES}
    assert all(found.values())


@pytest.fixture
def site(tmp_path):
    """A copy of the site with one repository, as an address, and its folder of one commit."""
    folder = tmp_path / "site" / "genyang/datasets" / fetch_tables.COMMITS["genyang/datasets"]
    folder.mkdir(parents=True)
    return (tmp_path / "site").as_uri(), folder


ARFF = """% a comment
@relation made
@attribute 'in 1' numeric
@attribute in2 {a,'b'}
@attribute class {1,2}

@data
1.50, 'b', 2
?, a, 1,
"""


def test_a_table_is_written_if_its_checksum_is_right(site, tmp_path, monkeypatch, capsys):
    address, folder = site
    (folder / "ERA.arff").write_text(ARFF.replace("'in 1'", "in1"))
    text = b"in1,in2,target\n1.50,b,2\n,a,1\n"
    into = tmp_path / "into"
    assert fetch_tables.main(["ERA", "--site", address, "--into", str(into)]) == 1
    assert "ERA: the source has changed" in capsys.readouterr().err
    assert not into.exists()
    about = {"ERA": {**MANIFEST["ERA"], "sha256": hashlib.sha256(text).hexdigest()}}
    monkeypatch.setattr(fetch_tables, "manifest", lambda: about)
    assert fetch_tables.main(["ERA", "--site", address, "--into", str(into)]) == 0
    assert (into / "ERA.csv").read_bytes() == text
    assert capsys.readouterr().out == f"1 of 1 tables are in {into}.\n"


def test_an_absent_source_is_named(site, tmp_path, capsys):
    assert fetch_tables.main(["ESL", "LEV", "--site", site[0], "--into", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"0 of 2 tables are in {tmp_path}.\n"
    assert len(re.findall(r"^(ESL|LEV): URLError", printed.err, re.MULTILINE)) == 2


def test_unknown_names_are_refused_and_tables_are_listed(tmp_path, capsys):
    assert_refuses(SystemExit, None, fetch_tables.main, ["iris"])
    assert "There is no recipe for iris; there are recipes for ERA" in capsys.readouterr().err
    assert fetch_tables.main(["--list", "--into", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(MANIFEST)


def test_recipes_of_tables_made_by_hand(tmp_path):
    files = {
        ("fonnesbeck/statistical-analysis-python-tutorial", "data/vlbw.csv"): (
            '"","birth","apg1","sex"\n"1",81.5,8,"male"\n"2",81.6,0,"male"\n"3",NA,5,"male"\n'
        ),
        ("ayrna/orca-python", "skordinal/datasets/data/swd.csv"): "2,10,1,2\n1,2,3,4,1,2,3,4,1,2,0\n",
        ("vincentarelbundock/Rdatasets", "csv/fpp2/elecdemand.csv"): "rownames,Demand,WorkDay,Temperature\n"
        + "".join(f"{i},{i}.00004,1,16\n" for i in range(1, 50)),
    }
    source = fetch_tables.Source("")
    source.read = lambda repository, path: files[repository, path].encode()
    assert fetch_tables.vlbw(source) == (["birth", "sex", "target"], [["81.5", "male", "8"]])
    assert fetch_tables.swd(source)[1] == [[*"1234123412", "1"]]
    header, [row] = fetch_tables.electricity(source)
    assert header[-1] == "target"
    assert row == ["0", "3", "1", "16.0", "48.0", "1.0", "UP"]


def test_data_frames_of_r_are_read():
    def numbers(*values):
        return struct.pack(f">{len(values)}i", *values)

    def text(word):
        return numbers(9, len(word)) + word.encode()

    def texts(*words):
        return numbers(16, len(words)) + b"".join(map(text, words))

    def pair(tag, value):
        return numbers(2 | 1024, 1) + text(tag) + value

    end = numbers(254)
    factor = numbers(13 | 256 | 512, 3, 2, 1, 2) + pair("levels", texts("never", "always")) + end
    frame = numbers(19 | 256 | 512, 2) + factor + numbers(13, 3, 7, 8, 9) + pair("names", texts("ME", "PB")) + end
    content = b"RDX2\nX\n" + numbers(2, 0x20402, 0x20300) + pair("mammoexp", frame) + end
    source = fetch_tables.Source("")
    source.read = lambda repository, path: gzip.compress(content)
    expected = ["PB", "target"], [["7", "always"], ["8", "never"], ["9", "always"]]
    assert fetch_tables.mammoexp(source) == expected
    assert_refuses(ValueError, "Not a file of R's second format", fetch_tables.RFile, b"RDX3\nX\n")
    with pytest.raises(ValueError, match="Objects of R's kind 25 are not read here"):
        fetch_tables.RFile(b"RDX2\nX\n" + numbers(2, 0, 0, 25, 0)).first()
