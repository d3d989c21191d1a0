"""Trees as programs: functions in Python and C, and an expression in SQL, which decide as the tree does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword
from math import isfinite
from typing import Any
from unicodedata import normalize

import numpy as np

from ._docstrings import described_like
from ._given_tree import (
    NAMING_CONSTRAINTS,
    CategoryNames,
    NumberedNames,
    TreeEstimator,
    predicted_labels,
    steps_through,
    tree_and_names,
)
from ._missing import is_missing
from ._names import check_different, one_line, plain_text, plain_value
from ._sklearn import validate_params
from ._tree_checks import LEAF, MULTIWAY
from ._typing import LabelsLike
from .export import export_text
from .tree import Tree

__all__ = ["export_c", "export_python", "export_sql"]

# Python nests 100 blocks at most, and C's standard promises 127.
_MOST_LEVELS = 90

# Keywords from C99 to C23 and of C++, macros and functions of C99's headers (without wide characters), and `main`.
# Names with an underscore at the start, or two in a row, are reserved too.
_C_RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue contract_assert decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using virtual
    void volatile wchar_t while xor xor_eq
    assert complex errno imaginary linux main offsetof stderr stdin stdout unix
    fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal isunordered
    signbit isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
    toupper feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv fesetexceptflag
    fesetround fetestexcept feupdateenv imaxabs imaxdiv strtoimax strtoumax localeconv setlocale longjmp setjmp raise
    signal clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek
    fsetpos ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf
    snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf abort abs
    atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc
    qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system wcstombs wctomb memchr memcmp
    memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk
    strrchr strspn strstr strtok strxfrm asctime clock ctime difftime gmtime localtime mktime strftime time
"""
# These functions have a twin for float, with an f at the end, and one for long double, with an l.
_C_MATH = """
    acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil cexp
    cimag clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh erf erfc exp exp2 expm1 fabs fdim
    floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf
    nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma
    trunc
"""

# Databases do not agree about a backslash in text, which MySQL, MariaDB, BigQuery, Snowflake and Spark read as the
# start of an escape, so that it could end the text and make code of the rest. They have no character of code 0 and no
# halves of characters, and changes of the direction of writing would show another expression than the one that runs.
_NOT_IN_SQL = re.compile(r"[\0\\\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@described_like(export_text)
@validate_params({**NAMING_CONSTRAINTS, "name": [str]}, prefer_skip_nested_validation=True)
def export_python(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    name: str = "predict",
) -> str:
    """Export a tree as a function in Python, which needs no library.

    Thresholds and numbers are written with all digits of the doubles that they are.

    Parameters
    ----------
    class_names : sequence of length n_classes, optional
        Strings, numbers or truth values, all different; by default the estimator's classes, or 0, 1, ...
    name : str, default="predict"
        The name of the function, which the language does not reserve.

    Returns
    -------
    str
        The source of a function of one sample: a sequence of its values in the order of the features, categories as
        they are (of a Tree, their codes). It returns the class, or the number, that the tree predicts. Missing values
        are NaN, or None among categories. If the tree takes none, the function raises a ValueError where a value is
        missing that some node tests. A category that a node has no child for gets the most frequent class of that node,
        or its number; an ordered category that training has not seen goes right.

    Raises
    ------
    TypeError
        If `tree` is neither a Tree nor an estimator with one.
    ValueError
        If the language has no such name, or reserves it; if a class or category is no word, number or truth value; if
        too many blocks would be nested; if a threshold is infinite that no training makes; or a parameter is not as
        above.

    See Also
    --------
    export_c, export_sql : The same in other languages.
    leaf_rules : A table of the leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, export_python
    >>> iris = load_iris(as_frame=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(iris.data, iris.target_names[iris.target])
    >>> source = export_python(tree)
    >>> print(source)
    def predict(x):
        if x[2] <= 2.45:  # petal length (cm)
            return 'setosa'
        if not x[3] > 1.75:  # petal width (cm)
            return 'versicolor'
        return 'virginica'
    >>> program = {}
    >>> exec(source, program)
    >>> program["predict"]([5.9, 3.0, 5.1, 1.8])
    'virginica'
    """
    name = plain_text(name)
    # The program calls ValueError. Python keeps names such as __debug__ for itself, and reads all in their NFKC form.
    is_taken = iskeyword(name) or name == "ValueError" or (name.startswith("__") and name.endswith("__"))
    if not name.isidentifier() or is_taken or normalize("NFKC", name) != name:
        raise ValueError(
            "name must be a name in Python that is neither a keyword nor reserved, and that NFKC does not "
            f"change, got {name!r:.50}."
        )
    program = _Python(tree, feature_names, class_names)
    return "\n".join([f"def {name}(x):", *program.refusal(), *program.body()])


@described_like(export_python)
@validate_params({**NAMING_CONSTRAINTS, "name": [str]}, prefer_skip_nested_validation=True)
def export_c(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    name: str = "predict",
) -> str:
    """Export a tree as a function in C (C99).

    Thresholds and numbers are written with 17 digits, which are read back as the same doubles.

    Parameters
    ----------
    class_names : sequence of length n_classes, optional
        By default the estimator's classes, or 0, 1, ... A comment tells which code stands for which class.

    Returns
    -------
    str
        The source of a function of one sample: an array of doubles in the order of the features, with codes for
        categories, which comments list. It returns the code of the class, or the number, that the tree predicts.
        Missing values are NaN. If the tree takes none, the function returns -1, or NaN in place of a number, where a
        value is missing that some node tests. A category that a node has no child for gets the most frequent class of
        that node, or its number.

    See Also
    --------
    export_python, export_sql : The same in other languages.
    leaf_rules : A table of the leaves.

    Examples
    --------
    >>> from pytrees import DecisionTreeRegressor, export_c
    >>> print(export_c(DecisionTreeRegressor().fit([[1.0], [3.0]], [0.1, 0.7]), feature_names=["age"]))
    double predict(const double *x)
    {
        if (x[0] <= 2.0) {  // "age"
            return 0.10000000000000001;
        }
        return 0.69999999999999996;
    }
    """
    name = plain_text(name)
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or "__" in name or _is_reserved_in_c(name):
        raise ValueError(
            "name must be a name in C that neither C nor C++ reserves for its keywords and libraries, got "
            f"{name!r:.50}."
        )
    program = _C(tree, feature_names, class_names)
    returned = "double" if program.tree.is_regressor else "int"
    head = [*program.comments(), f"{returned} {name}(const double *x)", "{"]
    return "\n".join([*head, *program.refusal(), *program.body(), "}"])


@described_like(export_python)
@validate_params(NAMING_CONSTRAINTS, prefer_skip_nested_validation=True)
def export_sql(
    tree: Tree | TreeEstimator, *, feature_names: LabelsLike | None = None, class_names: LabelsLike | None = None
) -> str:
    """Export a tree as an expression in SQL.

    Thresholds and numbers are written with all digits of the doubles that they are; the database decides whether it
    keeps them all. Column names are in double quotes, as in standard SQL: MySQL and MariaDB read them as strings, and
    give wrong answers, unless ``sql_mode`` contains ``ANSI_QUOTES``.

    Parameters
    ----------
    feature_names : sequence of str of length n_features, optional
        The names of the columns, which differ by more than case. By default the names that the estimator was fitted
        with, or ``feature_0``, ``feature_1``, ...

        Names, and categories, must not contain backslashes, which end strings in some databases, nor characters that
        databases do not store or that change the direction of writing.
    class_names : sequence of length n_classes, optional
        Strings, numbers or truth values, like `feature_names`. By default the estimator's classes, or 0, 1, ...

    Returns
    -------
    str
        A ``CASE`` expression whose value is the class, or the number, that the tree predicts. Columns hold categories
        as they are (of a Tree, their codes), and NULL where a value is missing. If the tree takes no missing values,
        the expression is NULL where a value is missing that some node tests. A category that a node has no child for
        gets the most frequent class of that node, or its number; an ordered category that training has not seen goes
        right.

    See Also
    --------
    export_python, export_c : The same in other languages.
    leaf_rules : A table of the leaves.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, export_sql
    >>> print(export_sql(DecisionTreeClassifier().fit([[1.0], [3.0]], ["no", "yes"]), feature_names=["age"]))
    CASE
      WHEN "age" <= 2.0 THEN 'no'
      ELSE 'yes'
    END
    """
    program = _SQL(tree, feature_names, class_names)
    return "\n".join(program.body())


def _is_reserved_in_c(name: str) -> bool:
    """Whether C or C++ has a keyword, a macro or a function of this name."""
    of_math = _C_MATH.split()
    return name in [*_C_RESERVED.split(), *of_math] or (name[-1] in "fl" and name[:-1] in of_math)


class _Program:
    """The statements of a tree, in the order of its nodes.

    A language writes tests, and what begins and ends a block. A block ends with a prediction, so that the right side of
    a threshold needs no block of its own.
    """

    language: str
    unit: str
    tree: Tree

    def __init__(self, given: Any, feature_names: Any, class_names: Any) -> None:
        self.tree, self.feature_names, self.class_names = tree_and_names(given, feature_names, class_names)
        self.labels = None if self.tree.is_regressor else predicted_labels(given, self.tree)
        self.name_of = CategoryNames(given)

    def body(self) -> list[str]:
        """Return the lines of all nodes."""
        tree, lines = self.tree, []
        level = np.ones(tree.node_count, dtype=np.int64)
        for node, _, branch in steps_through(tree):
            children = tree.children_of(node)
            n_blocks = children.size if tree.children_left[node] == MULTIWAY else min(1, children.size)
            if branch < children.size:
                level[children[branch]] = level[node] + (branch < n_blocks)
            if level[node] > _MOST_LEVELS:
                raise ValueError(
                    f"The tree needs more than {_MOST_LEVELS} blocks inside each other, which {self.language} need not "
                    "allow: limit its depth, for example by max_depth or ccp_alpha, or use export_dict."
                )
            lines += [f"{self.unit * level[node]}{line}" for line in self.step(node, branch, n_blocks)]
        return lines

    def step(self, node: int, branch: int, n_blocks: int) -> Iterator[str]:
        """Yield the lines at one step of the walk: at a node, or between its children."""
        if 0 < branch <= n_blocks:
            yield from self.ends_block()
        if branch < n_blocks:
            yield from self.begins_block(node, branch)
        # Samples that no block takes end here, but at a threshold the right child takes them.
        elif branch == n_blocks and self.tree.children_left[node] in (LEAF, MULTIWAY):
            yield from self.predicts(node)

    def test(self, node: int, branch: int) -> str:
        """Return the test of the samples that go into a block."""
        tree, feature = self.tree, int(self.tree.feature[node])
        if tree.children_left[node] == MULTIWAY:
            return self.is_among(feature, *self.categories_of(feature, int(tree.children_of(node)[branch])))
        threshold, missing_left = float(tree.threshold[node]), bool(tree.missing_go_to_left[node])
        if not isfinite(threshold):
            if threshold < 0.0 or missing_left or not tree.takes_missing:
                raise ValueError(f"The threshold of node {node} is {threshold}, which no training makes.")
            return self.is_known(feature)
        return self.at_most(feature, threshold, missing_left and tree.takes_missing)

    def categories_of(self, feature: int, child: int) -> tuple[list[Any], bool]:
        """Return the categories that lead to a child of a multiway node, and whether missing values do."""
        codes = self.tree.categories_of(child)
        names = [self.name_of.value(feature, code) for code in codes]
        return [name for name in names if name is not None], None in names

    def refused(self) -> list[int]:
        """Return the features whose values must not be missing."""
        tree = self.tree
        tested = np.unique(tree.feature[tree.children_left != LEAF]).tolist()
        if tree.takes_missing:
            return []
        has_missing = {
            feature
            for feature in tested
            for node in np.flatnonzero((tree.feature == feature) & (tree.children_left == MULTIWAY))
            if any(self.categories_of(feature, int(child))[1] for child in tree.children_of(int(node)))
        }
        return [feature for feature in tested if feature not in has_missing]

    def predicted(self, node: int) -> str:
        """Return the prediction of a node."""
        if self.labels is None:
            return self.number(float(self.tree.value[node, 0]))
        return self.literal(self.class_names[self.labels[node]], "class")

    def literal(self, value: Any, what: str) -> str:
        """Return a class or category as the language writes it."""
        value = plain_value(value)
        if isinstance(value, bool):
            return self.truth(value)
        if isinstance(value, str):
            return self.text(value, what)
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        hint = ": pass class_names" if what == "class" else ""
        raise ValueError(
            f"The {what} {value!r} is no word, number or truth value, which {self.language} can hold{hint}."
        )

    def number(self, number: float) -> str:
        """Return a double with all its digits."""
        if not isfinite(number):
            raise ValueError(f"{number} cannot be written in {self.language}.")
        return repr(number)

    def truth(self, value: bool) -> str:
        return repr(value)

    def text(self, value: str, what: str) -> str:
        return repr(value)

    def predicts(self, node: int) -> Sequence[str]:
        """Return the lines of a node's prediction."""
        return (f"return {self.predicted(node)}",)

    def begins_block(self, node: int, branch: int) -> Sequence[str]:
        raise NotImplementedError

    def ends_block(self) -> Sequence[str]:
        return ()

    def at_most(self, feature: int, threshold: float, or_missing: bool) -> str:
        raise NotImplementedError

    def is_known(self, feature: int) -> str:
        raise NotImplementedError

    def is_among(self, feature: int, values: list[Any], or_missing: bool) -> str:
        raise NotImplementedError


class _Python(_Program):
    language, unit = "Python", "    "

    def refusal(self) -> list[str]:
        refused = self.refused()
        return [
            f"    for i in {tuple(refused)}:",
            "        if x[i] is None or x[i] != x[i]:",
            '            raise ValueError(f"x[{i}] is missing.")',
        ] * bool(refused)

    def begins_block(self, node: int, branch: int) -> Sequence[str]:
        return (f"if {self.test(node, branch)}:  # {one_line(self.feature_names[self.tree.feature[node]])}",)

    def at_most(self, feature: int, threshold: float, or_missing: bool) -> str:
        levels = self.name_of.levels_up_to(feature, threshold)
        if levels is not None:
            return self.is_among(feature, levels, or_missing)
        number = self.number(threshold)
        return f"not x[{feature}] > {number}" if or_missing else f"x[{feature}] <= {number}"

    def is_known(self, feature: int) -> str:
        if self.name_of.levels_up_to(feature, 0.0) is not None:
            return f"x[{feature}] is not None and x[{feature}] == x[{feature}]"
        return f"x[{feature}] == x[{feature}]"

    def is_among(self, feature: int, values: list[Any], or_missing: bool) -> str:
        listed = ", ".join(self.literal(value, "category") for value in values)
        tests = [f"x[{feature}] == {listed}" if len(values) == 1 else f"x[{feature}] in ({listed})"] * bool(values)
        tests += [f"x[{feature}] is None or x[{feature}] != x[{feature}]"] * or_missing
        return " or ".join(tests)


class _C(_Program):
    language, unit = "C", "    "

    def comments(self) -> list[str]:
        """Return what the codes of classes and categories stand for."""
        lines = []
        if self.labels is not None:
            lines += [f"// Returns {self.listed(self.class_names)}."]
        for feature, names in self.name_of.listed().items():
            lines.append(f"// x[{feature}] is {self.listed(names)}.")
        return lines

    def listed(self, names: Sequence[Any]) -> str:
        told = ("missing" if is_missing(name) else f'"{one_line(name)}"' for name in names)
        return ", ".join(f"{code} for {name}" for code, name in enumerate(told))

    def refusal(self) -> list[str]:
        lacks = " || ".join(f"x[{feature}] != x[{feature}]" for feature in self.refused())
        # A sum with NaN is NaN.
        none = f"x[{'] + x['.join(map(str, self.refused()))}]" if self.tree.is_regressor else "-1"
        return [f"    if ({lacks}) {{", f"        return {none};", "    }"] * bool(lacks)

    def categories_of(self, feature: int, child: int) -> tuple[list[Any], bool]:
        codes = self.tree.categories_of(child).tolist()
        return codes, any(self.name_of(feature, code) is None for code in codes)

    def predicted(self, node: int) -> str:
        return super().predicted(node) if self.labels is None else str(int(self.labels[node]))

    def number(self, number: float) -> str:
        written = f"{number:.17g}" if isfinite(number) else super().number(number)
        return written if re.search(r"[.e]", written) else f"{written}.0"

    def predicts(self, node: int) -> Sequence[str]:
        return (f"return {self.predicted(node)};",)

    def begins_block(self, node: int, branch: int) -> Sequence[str]:
        # The quotes keep a backslash from the end of the line, where it would continue the comment.
        return (f'if ({self.test(node, branch)}) {{  // "{one_line(self.feature_names[self.tree.feature[node]])}"',)

    def ends_block(self) -> Sequence[str]:
        return ("}",)

    def at_most(self, feature: int, threshold: float, or_missing: bool) -> str:
        number = self.number(threshold)
        return f"!(x[{feature}] > {number})" if or_missing else f"x[{feature}] <= {number}"

    def is_known(self, feature: int) -> str:
        return f"x[{feature}] == x[{feature}]"

    def is_among(self, feature: int, values: list[Any], or_missing: bool) -> str:
        tests = [f"x[{feature}] == {code}" for code in values]
        return " || ".join(tests + [f"x[{feature}] != x[{feature}]"] * or_missing)


class _SQL(_Program):
    """One line for every prediction, with the tests of the blocks around it: databases nest few expressions."""

    language, unit = "SQL", ""

    def __init__(self, given: Any, feature_names: Any, class_names: Any) -> None:
        super().__init__(given, feature_names, class_names)
        self.around: list[str] = []
        given_names: dict[str, Any] = {} if class_names is None else {"class_names": self.class_names}
        if not isinstance(self.feature_names, NumberedNames):
            given_names["feature_names"] = self.feature_names
        for what, names in given_names.items():
            check_different(what, names, lambda name: str(name).casefold(), " by more than case in SQL")

    def body(self) -> list[str]:
        if self.tree.node_count == 1:
            return [self.predicted(0)]
        lacks = " OR ".join(f"{self.column(feature)} IS NULL" for feature in self.refused())
        lines = [f"WHEN {lacks} THEN NULL"] * bool(lacks) + super().body()
        return ["CASE", *(f"  {line}" for line in lines), "END"]

    def predicts(self, node: int) -> Sequence[str]:
        start = f"WHEN {' AND '.join(self.around)} THEN" if self.around else "ELSE"
        return (f"{start} {self.predicted(node)}",)

    def begins_block(self, node: int, branch: int) -> Sequence[str]:
        test = self.test(node, branch)
        self.around.append(f"({test})" if " OR " in test else test)
        return ()

    def ends_block(self) -> Sequence[str]:
        self.around.pop()
        return ()

    def truth(self, value: bool) -> str:
        return repr(value).upper()

    def text(self, value: str, what: str) -> str:
        return self.quoted(value, "'", what)

    def quoted(self, text: str, quote: str, what: str) -> str:
        refused = _NOT_IN_SQL.search(text)
        if refused:
            remedy = "rename it before the fit" if what == "category" else f"pass {what}_names"
            raise ValueError(
                f"The {what} {text!r:.50} contains {refused[0]!r}, which databases do not agree about: {remedy}."
            )
        return f"{quote}{text.replace(quote, 2 * quote)}{quote}"

    def column(self, feature: int) -> str:
        return self.quoted(self.feature_names[feature], '"', "feature")

    def at_most(self, feature: int, threshold: float, or_missing: bool) -> str:
        levels = self.name_of.levels_up_to(feature, threshold)
        if levels is not None:
            return self.is_among(feature, levels, or_missing)
        test = f"{self.column(feature)} <= {self.number(threshold)}"
        return f"{test} OR {self.column(feature)} IS NULL" if or_missing else test

    def is_known(self, feature: int) -> str:
        return f"{self.column(feature)} IS NOT NULL"

    def is_among(self, feature: int, values: list[Any], or_missing: bool) -> str:
        column, listed = self.column(feature), ", ".join(self.literal(value, "category") for value in values)
        tests = [f"{column} = {listed}" if len(values) == 1 else f"{column} IN ({listed})"] * bool(values)
        return " OR ".join(tests + [f"{column} IS NULL"] * or_missing)
