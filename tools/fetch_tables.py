"""Fetch the tables that the repository may not hold, and make them what studies and tests expect.

    python tools/fetch_tables.py                 # all of them, into studies/data, where every clone looks for tables
    python tools/fetch_tables.py ERA calhousing  # these alone
    python tools/fetch_tables.py --list          # every table: whether it is here, its licence and its source

The sources are files of public GitHub repositories, each at one commit. A table is written only if its bytes are those
of the checksum in studies/data/MANIFEST.csv. The tables' licences are none or not this repository's: see docs/data.md.
"""

import argparse
import csv
import gzip
import hashlib
import io
import struct
import sys
import urllib.request
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "studies" / "data"
SITE = "https://raw.githubusercontent.com"
ENDINGS = ("", ".gz", ".xz")

# Repositories and the commits that the checksums were computed from.
COMMITS = {
    "renatopp/arff-datasets": "c59f172882592bb58982cc54d2d3c8a2b57e9b73",
    "genyang/datasets": "9cf25ea6e5b376a5a2a98092cb6ab8b03f05adcf",
    "jbrownlee/Datasets": "d20fcb6402ae34e653d4513b00f39257bb37ed7f",
    "ayrna/orca-python": "3617819500bc7aed6b90c3cf87de97e495d226fa",
    "ayrna/orca": "eaa629e687d04d73628782e16e92d330acb43faf",
    "figarofuga/marginaleffect-r": "ffccf4345781d6704f7b0760b10939170c74c322",
    "fonnesbeck/statistical-analysis-python-tutorial": "4a2444f6f677b24e62f4db94d96846d5ca9868e1",
    "GabrielVasconcel/Projeto_AM_Final": "67e23b0ae5890ee57e9f7f02fea9ffcf39c1c718",
    "vincentarelbundock/Rdatasets": "1dcc2bf5f955cc1224a3e1307256e1fe86b68dae",
    "cran/TH.data": "3bf0832f84f436fe4c57f6cc0de08e298c8470b8",
}

HOUSE_16H = "P1 P5p1 P6p2 P11p4 P14p9 P15p1 P15p3 P16p2 P18p2 P27p4 H2p2 H8p2 H10p1 H13p1 H18pA H40p4"
HOUSING = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT"


class Source:
    """The site, or a copy of it, that files are read from; every file is read once."""

    def __init__(self, site):
        self._site = site
        self.read = cache(self._read)

    def _read(self, repository, path):
        address = f"{self._site}/{repository}/{COMMITS[repository]}/{path}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()

    def lines(self, repository, path):
        """Return the lines of a file that are not empty."""
        return [line for line in self.read(repository, path).decode("utf-8").splitlines() if line.strip()]


# ------------------------------------------------------------------------------------ recipes: source -> header, rows


def arff(source, repository, path, *, without=(), short=False):
    """Read a table in Weka's format, whose target is its last attribute; shorten its numbers on demand."""
    names, rows, in_data = [], [], False
    for line in source.lines(repository, path):
        if line.startswith("%"):
            continue
        if in_data:
            values = [value.strip().strip("'") for value in line.strip().rstrip(",").split(",")]
            rows.append(["" if value == "?" else value for value in values])
        elif line.lower().startswith("@attribute"):
            names.append(line.split()[1].strip("'\""))
        in_data = in_data or line.lower().startswith("@data")
    kept = [place for place, name in enumerate(names) if name not in without]
    rows = [[shortened(row[place]) if short else row[place] for place in kept] for row in rows]
    return [*(names[place] for place in kept[:-1]), "target"], rows


def shortened(number):
    """Leave out the zeros that end a decimal number."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def read_csv(source, repository, path):
    """Read a table with a header; missing values become empty."""
    header, *rows = csv.reader(source.lines(repository, path))
    return header, [["" if value == "NA" else value for value in row] for row in rows]


def columns_of(header, rows, names, target):
    """Return the named columns, and the target as the last one."""
    places = [header.index(name) for name in (*names, target)]
    return [*names, "target"], [[row[place] for place in places] for row in rows]


def swd(source):
    """Social workers' decisions: the authors' package counts classes from 0 and has a line of sizes for a header."""
    rows = [line.split(",") for line in source.lines("ayrna/orca-python", "skordinal/datasets/data/swd.csv")[1:]]
    rows = [[*row[:-1], str(int(row[-1]) + 1)] for row in rows]
    return [*(f"In{place}" for place in range(1, 11)), "target"], rows


def toy(source):
    """The train rows of one hold-out, then its test rows."""
    paths = (f"exampledata/30-holdout/toy/matlab/{part}_toy.0" for part in ("train", "test"))
    rows = [line.split() for path in paths for line in source.lines("ayrna/orca", path)]
    return ["x1", "x2", "target"], rows


def support(source):
    """The complete rows of seven columns, and the columns without gaps on them that do not give the target away."""
    header, rows = read_csv(source, "figarofuga/marginaleffect-r", "support.csv")
    wanted = [header.index(name) for name in ("sfdm2", "race", "crea", "avtisst", "wblc", "charges", "totcst")]
    rows = [row for row in rows if all(row[place] for place in wanted)]
    left_out = {"death", "hospdead", "d.time", "sfdm2"}
    whole = [name for place, name in enumerate(header) if all(row[place] for row in rows)]
    return columns_of(header, rows, [name for name in whole if name not in left_out], "sfdm2")


def vlbw(source):
    """The complete rows, without the two of an Apgar score of 0."""
    header, rows = read_csv(source, "fonnesbeck/statistical-analysis-python-tutorial", "data/vlbw.csv")
    score = header.index("apg1")
    rows = [row for row in rows if all(row) and row[score] != "0"]
    return columns_of(header, rows, [name for name in header[1:] if name != "apg1"], "apg1")


def house_16h(source):
    """Features of one file, prices of the other; the rows agree on the columns that both have."""
    _, rows = read_csv(source, "GabrielVasconcel/Projeto_AM_Final", "data/house_16H.csv")
    _, priced = arff(source, "renatopp/arff-datasets", "regression/house8L.arff", short=True)
    return [*HOUSE_16H.split(), "target"], [
        [*map(shortened, row[:16]), price[-1]] for row, price in zip(rows, priced, strict=True)
    ]


def housing(source):
    return [*HOUSING.split(), "target"], [line.split(",") for line in source.lines("jbrownlee/Datasets", "housing.csv")]


def stock_market(source, name):
    """Five returns before the day or week, the volume, and the direction."""
    header, rows = read_csv(source, "vincentarelbundock/Rdatasets", f"csv/ISLR/{name}.csv")
    header, rows = columns_of(header, rows, ["Lag1", "Lag2", "Lag3", "Lag4", "Lag5", "Volume"], "Direction")
    return header, [[*(repr(round(float(value), 9)) for value in row[:-1]), row[-1]] for row in rows]


def electricity(source):
    """Half hours of 2014 from the second day on: is the demand above the mean of the 24 hours before?"""
    _, rows = read_csv(source, "vincentarelbundock/Rdatasets", "csv/fpp2/elecdemand.csv")
    demand = [float(row[1]) for row in rows]
    table = []
    for place in range(48, len(rows)):
        weekday = (date(2014, 1, 1) + timedelta(days=place // 48)).weekday()
        last, day_before = (repr(round(demand[before] * 1e4) / 1e4) for before in (place - 1, place - 48))
        workday, degrees = rows[place][2:]
        temperature = repr(round(float(degrees), 4))
        target = "UP" if demand[place] > sum(demand[place - 48 : place]) / 48 else "DOWN"
        table.append([str(place % 48), str(weekday), workday, temperature, last, day_before, target])
    return ["slot", "weekday", "workday", "temperature", "demand_before", "demand_day_before", "target"], table


def mammoexp(source):
    """Read the first object of an R file: a data frame of factors and integers."""
    frame, attributes = RFile(gzip.decompress(source.read("cran/TH.data", "data/mammoexp.rda"))).first()
    columns = []
    for values, of_column in frame:
        levels = [level for level, _ in of_column["levels"][0]] if "levels" in of_column else None
        columns.append([str(value) if levels is None else levels[value - 1] for value in values])
    header = [name for name, _ in attributes["names"][0]]
    return columns_of(header, list(zip(*columns, strict=True)), header[1:], header[0])


class RFile:
    """Reads what R's `save` writes in its second format, as far as data frames of factors and numbers need it.

    The format: "R Internals", section 1.8, https://cran.r-project.org/doc/manuals/r-release/R-ints.html.
    """

    def __init__(self, content):
        if not content.startswith(b"RDX2\nX\n"):
            raise ValueError("Not a file of R's second format.")
        self._content, self._at, self._symbols = content, 19, []

    def first(self):
        """Return the value and the attributes of the first object."""
        [value, *_] = self._item()[0].values()
        return value

    def _numbers(self, code, count):
        found = struct.unpack_from(f">{count}{code}", self._content, self._at)
        self._at += struct.calcsize(f">{count}{code}")
        return found

    def _item(self):
        """Return a value and a dict of its attributes; a list of pairs is a dict."""
        [flags] = self._numbers("i", 1)
        kind = flags & 255
        if kind == 254:  # the end of a list of pairs
            return {}, {}
        if kind == 255:  # a symbol that was there before
            return self._symbols[(flags >> 8) - 1], {}
        if kind == 1:
            self._symbols.append(self._item()[0])
            return self._symbols[-1], {}
        if kind == 2:
            tag, _ = self._item()
            value = self._item()
            return {tag: value} | self._item()[0], {}
        [length] = self._numbers("i", 1)
        if kind == 9:
            self._at += length
            return self._content[self._at - length : self._at].decode(), {}
        if kind in (16, 19):  # lists of texts, and of anything
            value = [self._item() for _ in range(length)]
        elif kind in (13, 14):
            value = list(self._numbers("id"[kind - 13], length))
        else:
            raise ValueError(f"Objects of R's kind {kind} are not read here.")
        return value, self._item()[0] if flags & 512 else {}


DELVE = partial(arff, repository="renatopp/arff-datasets", short=True)
RECIPES = {
    "ERA": partial(arff, repository="genyang/datasets", path="ERA.arff"),
    "ESL": partial(arff, repository="genyang/datasets", path="ESL.arff"),
    "LEV": partial(arff, repository="genyang/datasets", path="LEV.arff"),
    "SWD": swd,
    "bondrate": partial(
        arff,
        repository="renatopp/arff-datasets",
        path="statlib/nominal/analcatdata_bondrate.arff",
        without=("City",),
    ),
    **{
        name: partial(arff, repository="renatopp/arff-datasets", path=f"agridata/{name.replace('_', '.')}.arff")
        for name in ("eucalyptus", "pasture", "squash_stored", "squash_unstored")
    },
    "mammoexp": mammoexp,
    "support": support,
    "toy": toy,
    "vlbw": vlbw,
    "bank8fm": partial(DELVE, path="regression/bank8FM.arff"),
    "bank32nh": partial(DELVE, path="regression/bank32nh.arff"),
    "calhousing": partial(DELVE, path="regression/cal.housing.arff"),
    "cpu_act": partial(DELVE, path="regression/cpu.act.arff"),
    "cpu_small": partial(DELVE, path="regression/cpu.small.arff"),
    "house_8L": partial(DELVE, path="regression/house8L.arff"),
    "house_16H": house_16h,
    "housing": housing,
    "stock": partial(DELVE, path="regression/stock.arff"),
    "ordered/smarket": partial(stock_market, name="Smarket"),
    "ordered/weekly": partial(stock_market, name="Weekly"),
    "ordered/electricity_victoria": electricity,
}


# ------------------------------------------------------------------------------------------------------------ the tool


def manifest():
    """Return the rows of the manifest by name of table."""
    with open(HOME / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        return {row["file"].rpartition(".")[0]: row for row in csv.DictReader(file)}


def text_of(header, rows):
    """Return a table as the bytes of its file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def is_here(folder, file):
    return any((folder / f"{file}{ending}").is_file() for ending in ENDINGS)


def fetch(name, about, source, folder):
    """Write a table; return what was wrong, or None."""
    try:
        content = text_of(*RECIPES[name](source))
    except (OSError, ValueError, LookupError) as error:
        return f"{name}: {type(error).__name__}: {error}"
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        return f"{name}: the source has changed: its table has another checksum than the manifest."
    path = folder / about["file"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return None


def main(arguments=None):
    """Fetch tables; return 1 if one could not be fetched."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables (default: all that are not here)")
    parser.add_argument("--into", type=Path, default=HOME, metavar="FOLDER", help="default: studies/data")
    parser.add_argument("--site", default=SITE, help="where repositories are read from (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print every table, and fetch none")
    options = parser.parse_args(arguments)
    tables = manifest()
    if options.list:
        for name, about in tables.items():
            here = "here" if is_here(options.into, about["file"]) else "    "
            print(f"{here}  {name:36} {about['licence']:14} {about['source']}")
        return 0
    if unknown := sorted(set(options.names) - set(RECIPES)):
        parser.error(f"There is no recipe for {', '.join(unknown)}; there are recipes for {', '.join(RECIPES)}.")
    wanted = options.names or [name for name in RECIPES if not is_here(options.into, tables[name]["file"])]
    source = Source(options.site)
    failures = [failure for name in wanted if (failure := fetch(name, tables[name], source, options.into))]
    print(f"{len(wanted) - len(failures)} of {len(wanted)} tables are in {options.into}.")
    print(*failures, sep="\n", end="\n" if failures else "", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
