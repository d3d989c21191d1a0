"""Facts about the tables that their files do not contain: origin, order of the classes, nominal columns."""

from dataclasses import dataclass, field
from typing import Any

# Every column is nominal.
ALL = "all"


@dataclass(frozen=True)
class Entry:
    """The facts about one data set.

    `order` has the classes from the lowest to the highest; by default classes are in sorted order. `levels` gives the
    words of columns an order; a column with levels that is not nominal is ordered. `empty` is the word that an empty
    field stands for; by default an empty field is a missing value. `split` marks sets whose files are ``NAME.train``
    and ``NAME.test``.
    """

    task: str
    origin: str
    order: tuple[str, ...] = ()
    nominal: tuple[str, ...] | str = ()
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    empty: str = ""
    split: bool = False
    note: str = ""


_LOW_TO_HIGH = ("low", "med", "high")
_CERTAINTY = ("absent", "possible", "definite")
_MONKS: dict[str, Any] = {"nominal": ALL, "split": True, "note": "The test part holds all 432 possible samples."}
_SQUASH: dict[str, Any] = {"nominal": ("site", "daf", "fruit")}
_CTG = "UCI (Cardiotocography)"
_DELVE = "DELVE"
_VOTES = ("n", "?", "y")

_NOMINAL = {
    "iris": Entry("nominal", "UCI", note="Rows 35 and 38 differ from Fisher's paper and from scikit-learn's copy."),
    "breast_cancer_wisconsin_diagnostic": Entry("nominal", "UCI (WDBC)"),
    "haberman": Entry("nominal", "UCI"),
    "ionosphere": Entry("nominal", "UCI", note="Column a02 is constant."),
    "seeds": Entry("nominal", "UCI"),
    "wine": Entry("nominal", "UCI"),
    "spect": Entry("nominal", "UCI (SPECT heart)", nominal=ALL, split=True),
    "house_votes_84": Entry(
        "nominal",
        "UCI",
        nominal=ALL,
        # `tidy` looks levels up by column; "" stands for all 16 columns.
        levels={"": _VOTES},
        empty="?",
        note="An empty field means neither yea nor nay, not an unknown value: it is the value '?'.",
    ),
    "dna": Entry(
        "nominal",
        "StatLog, from the UCI splice-junction data",
        nominal=ALL,
        split=True,
        note="Three columns a nucleotide: A=100, C=010, G=001, T=000; class 1 is EI, 2 is IE, 3 is neither.",
    ),
    "splice": Entry(
        "nominal",
        "UCI (splice-junction gene sequences)",
        nominal=ALL,
        note="The raw form of dna; 15 samples have the ambiguity codes D, N, R or S.",
    ),
    "cmc": Entry(
        "nominal",
        "UCI (contraceptive method choice)",
        nominal=("wife_religion", "wife_working", "husband_occupation", "media_exposure"),
    ),
    "monks1": Entry("nominal", "UCI", **_MONKS),
    "monks2": Entry("nominal", "UCI", **_MONKS),
    "monks3": Entry("nominal", "UCI", **{**_MONKS, "note": _MONKS["note"] + " 6 samples of the train part are noise."}),
    "ctg_nsp": Entry("nominal", _CTG),
    "ctg_class": Entry("nominal", _CTG),
}

_ORDINAL = {
    "ERA": Entry("ordinal", "Ben-David (Weka, OpenML)"),
    "ESL": Entry("ordinal", "Ben-David (Weka, OpenML)"),
    "LEV": Entry("ordinal", "Ben-David (Weka, OpenML)"),
    "SWD": Entry("ordinal", "Ben-David", note="The order of the samples may differ from the original."),
    "automobile": Entry(
        "ordinal",
        "UCI",
        nominal=(
            "make",
            "fuel-type",
            "aspiration",
            "num-of-doors",
            "body-style",
            "drive-wheels",
            "engine-location",
            "engine-type",
            "num-of-cylinders",
            "fuel-system",
        ),
        levels={
            "num-of-doors": ("two", "four"),
            "num-of-cylinders": ("two", "three", "four", "five", "six", "eight", "twelve"),
        },
        note="The target is 'symboling'.",
    ),
    "balance_scale": Entry("ordinal", "UCI", order=("L", "B", "R")),
    "bondrate": Entry(
        "ordinal",
        "StatLib (analcatdata)",
        order=("(5)_BB", "(4)_BBB", "(3)_A", "(2)_AA", "(1)_AAA"),
        nominal=(
            "Publics_in_top_10",
            "Nonprofits_in_top_10",
            "For_profits_in_top_10",
            "Utilities_in_top_10",
            "Region",
            "State_capital",
        ),
    ),
    "car": Entry(
        "ordinal",
        "UCI",
        order=("unacc", "acc", "good", "vgood"),
        nominal=ALL,
        levels={
            "buying": (*_LOW_TO_HIGH, "vhigh"),
            "maint": (*_LOW_TO_HIGH, "vhigh"),
            "doors": ("2", "3", "4", "5more"),
            "persons": ("2", "4", "more"),
            "lug_boot": ("small", "med", "big"),
            "safety": _LOW_TO_HIGH,
        },
    ),
    "contact_lenses": Entry(
        "ordinal",
        "UCI, Weka",
        order=("none", "soft", "hard"),
        nominal=ALL,
        levels={"age": ("young", "pre-presbyopic", "presbyopic"), "tear-prod-rate": ("reduced", "normal")},
    ),
    "eucalyptus": Entry(
        "ordinal",
        "Weka agricultural data",
        order=("none", "low", "average", "good", "best"),
        nominal=("Abbrev", "Locality", "Map_Ref", "Latitude", "Sp"),
    ),
    "mammoexp": Entry(
        "ordinal",
        "Hosmer and Lemeshow, R package TH.data",
        order=("Never", "Within a Year", "Over a Year"),
        nominal=("HIST", "BSE"),
        levels={
            "SYMPT": ("Strongly Agree", "Agree", "Disagree", "Strongly Disagree"),
            "DECT": ("Not likely", "Somewhat likely", "Very likely"),
        },
    ),
    "newthyroid": Entry("ordinal", "UCI", order=("3", "1", "2"), note="3 is hypo-, 1 normal, 2 hyperfunction."),
    "pasture": Entry(
        "ordinal",
        "Weka agricultural data",
        order=("LO", "MED", "HI"),
        nominal=("fertiliser",),
        note="Column Air-Perm is constant.",
    ),
    "squash_stored": Entry("ordinal", "Weka agricultural data", order=("not_acceptable", "ok", "excellent"), **_SQUASH),
    "squash_unstored": Entry("ordinal", "Weka agricultural data", order=("not_suitable", "ok", "excellent"), **_SQUASH),
    "support": Entry(
        "ordinal",
        "SUPPORT study, Vanderbilt biostatistics data (sample of 1000 patients)",
        order=("no(M2 and SIP pres)", "adl>=4 (>=5 if sur)", "SIP>=30", "Coma or Intub", "<2 mo. follow-up"),
        nominal=("sex", "dzgroup", "dzclass", "race"),
        note="Only rows that are complete in the kept columns; columns that give the target away are not kept.",
    ),
    "tae": Entry(
        "ordinal", "UCI", nominal=("native_english_speaker", "course_instructor", "course", "summer_or_regular")
    ),
    "toy": Entry("ordinal", "synthetic, from the examples of ORCA"),
    "vlbw": Entry(
        "ordinal",
        "Very low birth weight infants, Vanderbilt biostatistics data",
        nominal=(
            "race",
            "inout",
            "twn",
            "magsulf",
            "meth",
            "toc",
            "delivery",
            "vent",
            "pneumo",
            "pda",
            "cld",
            "sex",
            "dead",
        ),
        levels={"pvh": _CERTAINTY, "ivh": _CERTAINTY, "ipe": _CERTAINTY},
        note="The target is the one-minute Apgar score; complete rows only, without the two of score 0.",
    ),
    "winequality_red": Entry("ordinal", "UCI"),
}

_REGRESSION = {
    "abalone": Entry("regression", "UCI", nominal=("sex",)),
    "bank8fm": Entry("regression", _DELVE),
    "bank32nh": Entry("regression", _DELVE),
    "calhousing": Entry("regression", "StatLib (Pace and Barry), 1990 US census"),
    "house_8L": Entry("regression", f"{_DELVE}, 1990 US census"),
    "house_16H": Entry("regression", f"{_DELVE}, 1990 US census"),
    "cpu_small": Entry("regression", _DELVE),
    "cpu_act": Entry("regression", _DELVE),
    "housing": Entry("regression", "UCI (Boston housing)", nominal=("CHAS",)),
    "machine_cpu": Entry("regression", "UCI", note="The target is the published relative performance."),
    "pyrim": Entry("regression", "UCI (QSAR pyrimidines)", note="Column p3_pi_acceptor is constant."),
    "stock": Entry("regression", "StatLib"),
}

CATALOG = {**_NOMINAL, **_ORDINAL, **_REGRESSION}
