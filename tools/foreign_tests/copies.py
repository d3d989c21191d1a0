"""Changed copies of scikit-learn's test files: our estimators by its names, without what no parameter of ours offers.

A copy is made of the installed package each time that the tests run, in a folder outside of the repository.
"""

import ast
from pathlib import Path

import sklearn

FILES = {
    path.rpartition("/")[2]: Path(sklearn.__file__).parent / path
    for path in (
        "tree/tests/test_split.py",
        "tree/tests/test_tree.py",
        "tree/tests/test_monotonic_tree.py",
        "ensemble/tests/test_forest.py",
        "ensemble/tests/test_bagging.py",
        "ensemble/tests/test_weight_boosting.py",
        "ensemble/tests/test_voting.py",
        "ensemble/tests/test_stacking.py",
        "ensemble/tests/test_common.py",
    )
}

STAND_INS = ("DecisionTreeClassifier", "DecisionTreeRegressor", "RandomForestClassifier", "RandomForestRegressor")

# Files whose tests read `tree_.value` in scikit-learn's shape: their trees come from these names of `stand_ins`.
WITH_SHARES = ("test_split.py", "test_monotonic_tree.py")

# Words in lists of cases: random trees and forests, which split at random, and criteria that we do not have.
LEFT_OUT = ("friedman_mse", "poisson")

# Texts of the copies that are replaced, each with its reason. A text must be there.
TEXTS = {
    "test_forest.py": [
        ("dtype == np.int32", "dtype == np.int64", "estimators_samples_ are int64 here"),
        (
            "Out of bag estimation only available if bootstrap=True",
            "oob_score needs bootstrap=True",
            "our words for the same error",
        ),
        (
            "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
            "`max_sample=None`.",
            "max_samples needs bootstrap=True",
            "our words for the same error",
        ),
    ],
}


class Changes(ast.NodeTransformer):
    """Leave cases out of lists, tuples and dicts, and name our trees in place of attributes of the module `tree`."""

    def _without_cases(self, node):
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            node.elts = [element for element in node.elts if not is_left_out(element)]
        return self.generic_visit(node)

    visit_List = visit_Tuple = visit_Set = _without_cases

    def visit_Dict(self, node):
        kept = [
            (key, value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is None or not is_left_out(key)
        ]
        node.keys, node.values = [key for key, _ in kept], [value for _, value in kept]
        return self.generic_visit(node)

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == "tree" and node.attr in STAND_INS:
            return ast.Name(node.attr, ast.Load())
        return self.generic_visit(node)


def is_left_out(node):
    """Whether a case names a random tree or forest, or a criterion that we do not have."""
    for part in ast.walk(node):
        word = part.id if isinstance(part, ast.Name) else getattr(part, "value", None)
        if isinstance(word, str) and (word.startswith("Extra") or word in LEFT_OUT):
            return True
    return False


def changed(name, source):
    """Return the text of the changed copy of a file.

    Raises
    ------
    ValueError
        If a text that is replaced is not there.
    """
    module = ast.parse(source)
    last_import = max(place for place, node in enumerate(module.body) if isinstance(node, ast.Import | ast.ImportFrom))
    Changes().visit(module)
    ours = "stand_ins_with_shares" if name in WITH_SHARES else "stand_ins"
    added = ast.parse(
        f"from tools.foreign_tests.{ours} import {', '.join(STAND_INS)}\n"
        "COO_CONTAINERS = CSC_CONTAINERS = CSR_CONTAINERS = []  # sparse matrices are refused\n"
    )
    module.body[last_import + 1 : last_import + 1] = added.body
    text = ast.unparse(ast.fix_missing_locations(module))
    for before, after, _ in TEXTS.get(name, ()):
        if before not in text:
            raise ValueError(f"{name} of scikit-learn {sklearn.__version__} has no text {before!r} to be replaced.")
        text = text.replace(before, after)
    return text


def write_copies(names, folder):
    """Write changed copies into a folder; return the names of files that this version of scikit-learn has not."""
    absent = []
    for name in names:
        if FILES[name].is_file():
            (folder / name).write_text(changed(name, FILES[name].read_text(encoding="utf-8")), encoding="utf-8")
        else:
            absent.append(name)
    return absent
