"""Pages of the documentation as programs: their blocks of code, run one after the other."""

import ast
import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(text):
    """Return the blocks of code of a text, each with the output that follows it, or None."""
    found = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```\n)?", text, re.DOTALL)
    return [(code, output or None) for code, output in found]


def comments_below(lines, statement):
    """Return the text of the lines of comment that follow a statement, as one line."""
    text = []
    for line in lines[statement.end_lineno :]:
        if not line.startswith("# "):
            break
        text.append(line.removeprefix("# "))
    return " ".join(text)


def run(code, output, names):
    """Run a block; want what the comments behind or below expressions say that they are, and the output.

    An error is wanted where the comment below the expression gives it.
    """
    lines, printed = code.splitlines(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        for statement in ast.parse(code).body:
            source = ast.unparse(statement)
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            below = comments_below(lines, statement)
            if re.match(r"\w+Error: ", below):
                with pytest.raises(Exception) as raised:  # noqa: PT011
                    eval(source, names)
                assert f"{raised.typename}: {raised.value}" == below
                continue
            value = eval(source, names)
            _, _, said = lines[statement.end_lineno - 1].partition("  # ")
            if value is not None:
                said = said or below
            assert said == "" or repr(value) == said.strip(), source
    if output is not None:
        assert printed.getvalue() == output
