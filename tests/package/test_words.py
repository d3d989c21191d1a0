"""Sentences open with their subject: none opens with "of", "such", "what", "so many" or "so few"."""

import os
import re

from sources import ROOT

SUFFIXES = {".py", ".pyx", ".pxd", ".pyi", ".h", ".inc", ".md", ".toml", ".yml", ".cff"}
SCRIPTS = {".ci/run", "Makefile", "tools/docs", "tools/lock", "tools/memcheck", "tools/sanitize", "tools/wheels"}
NOT_OURS = {"CODE_OF_CONDUCT.md", "LICENSE"}
BUILT = {"api/generated", "auto_examples", "build", "dist", "env", "html", "node_modules", "results"}

# Within a sentence these words have no capital, so a wrapped line that begins with one of them is no opening.
OPENING = re.compile(r"(?<![\w`])(?:Of|Such|What|So (?:many|few))\b(?!`)|def test_(?:of|such|what|so_many|so_few)_")


def texts():
    """Yield the files that people read and write, as paths relative to the project's root."""
    for folder, below, files in os.walk(ROOT):
        here = os.path.relpath(folder, ROOT)
        hidden = {name for name in below if name.startswith(".") and name not in {".ci", ".github"}}
        built = {name for name in below if name in BUILT or f"{os.path.basename(folder)}/{name}" in BUILT}
        below[:] = set(below) - hidden - built
        for path in (os.path.normpath(os.path.join(here, name)).replace(os.sep, "/") for name in files):
            if (os.path.splitext(path)[1] in SUFFIXES or path in SCRIPTS) and path not in NOT_OURS:
                yield path


def openings(text):
    """Return (line number, line) of every sentence that opens with one of the words."""
    return [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1) if OPENING.search(line)]


def test_openings_are_found():
    text = (
        "# Of a node.\nIt ends. Such a tree\nall\nof it; `Of`, so many, ProofOf, So far\ndef test_what_it_is_like():\n"
    )
    assert [n for n, _ in openings(text)] == [1, 2, 5]


def test_no_sentence_opens_with_a_fronted_complement():
    """Name every file and line, so that the message is the list of work to do."""
    found = [
        f"{path}:{n}: {line}"
        for path in sorted(texts())
        for n, line in openings((ROOT / path).read_text(encoding="utf-8"))
        if path != "tests/package/test_words.py"
    ]
    assert not found, f"{len(found)} sentences:\n" + "\n".join(found)
