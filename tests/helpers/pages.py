"""Pages of the documentation as programs: their blocks of code, run one after the other."""

import ast
import contextlib
import io
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def blocks(text):
    """Return the blocks of code of a text, each with the output that follows it, or None."""
    found = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```\n)?", text, re.DOTALL)
    return [(code, output or None) for code, output in found]


def run(code, output, names):
    """Run a block; want what the comments behind expressions say that they are, and the output."""
    lines, printed = code.splitlines(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        for statement in ast.parse(code).body:
            source = ast.unparse(statement)
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            value = eval(source, names)
            _, _, said = lines[statement.end_lineno - 1].partition("  # ")
            assert said == "" or repr(value) == said.strip(), source
    if output is not None:
        assert printed.getvalue() == output
