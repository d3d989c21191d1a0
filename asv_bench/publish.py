"""Write the dashboard of the stored results into a folder; needs no network, neither here nor in the browser.

    python asv_bench/publish.py build/docs/dashboard

With `--if-possible`, where something is missing, a page says what to do instead.

asv's page loads jQuery, Flot and Bootstrap from other sites. `npm ci --prefix asv_bench` brings them once, as
package.json says; the page is made to load copies of them beside it.
"""

import argparse
import html
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINK = re.compile(r'(src|href)="https://[^"]*/([^"/]+)" integrity="[^"]*"[^>]*?(?= onerror|>)')
# Runs asv with all commits of a branch. By itself it leaves out what came into the branch by a merge, as most here did.
ASV = """
from subprocess import check_output
from asv.main import main
from asv.plugins.git import Git
def all_commits(repository, branch):
    return check_output(["git", "rev-list", branch], cwd=repository._path, text=True).split()
Git.get_branch_commits = all_commits
main()
"""
NODE_MODULES = HERE / "node_modules"
# The files that asv's page loads, and where npm has them, some in newer versions.
STORED = {
    "jquery-3.3.1.min.js": "jquery/dist/jquery.min.js",
    "jquery.flot.min.js": "flot/jquery.flot.js",
    "jquery.flot.time.min.js": "flot/jquery.flot.time.js",
    "jquery.flot.selection.min.js": "flot/jquery.flot.selection.js",
    "jquery.flot.categories.min.js": "flot/jquery.flot.categories.js",
    "jquery.flot.orderBars.js": "flot-orderbars/js/jquery.flot.orderBars.js",
    "stupidtable.min.js": "stupid-table-plugin/stupidtable.min.js",
    "md5.min.js": "blueimp-md5/js/md5.min.js",
    "bootstrap.min.js": "bootstrap/dist/js/bootstrap.min.js",
    "bootstrap.min.css": "bootstrap/dist/css/bootstrap.min.css",
}
# The head of asv's page lacks words that are dark enough, and room on a phone, where its bar covers the page.
HEAD = """<head>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>
      #nav :is(.navbar-text, .navbar-nav > li > a, .navbar-brand) { color: #595959 !important; }
      @media (max-width: 991px) {
        #nav { position: static; margin-bottom: 0; padding-left: 15px; }
        #nav .navbar-nav { float: none; margin: 0; }
        #nav li { float: none; }
        #nav .navbar-brand { height: auto; overflow-wrap: anywhere; }
        #summarygrid-display, #regressions-display, #summarylist-navigation, #summarylist-body,
        #graphdisplay-navigation { position: static !important; width: auto !important; }
        #regressions-body, #summarylist-body { margin: 1em; overflow-x: auto; }
        #graphdisplay-navigation { max-height: 14em; }
        #graph-display > div:last-child { position: relative !important; left: 0 !important; right: 0 !important;
          top: 0 !important; height: 34em; margin: 0 15px; }
      }
    </style>"""


def local_page(page):
    """Return asv's page with its files from other sites replaced by local copies; an unknown file is an error."""

    def local(match):
        if match[2] not in STORED:
            raise SystemExit(f"asv loads {match[2]}, which is not in asv_bench/package.json: add it.")
        return f'{match[1]}="libraries/{Path(STORED[match[2]]).name}"'

    page = LINK.sub(local, page)
    if left := re.findall(r'<(?:script|link)[^>]*"https?://[^"]*"', page):
        raise SystemExit(f"asv's page loads {left[0]} in a way that this script does not know.")
    page = re.sub(r'<div id="\w+-display"', r'\g<0> role="main"', page)  # one of them is shown at a time
    return page.replace("<html>", '<html lang="en">', 1).replace("<head>", HEAD, 1)


def missing():
    """Return a sentence that says what is missing and how to get it; empty if nothing is missing."""
    if not (HERE.parent / ".git").exists():
        return "The dashboard needs a clone: a source distribution has no commits."
    if importlib.util.find_spec("asv") is None:
        return (
            f"The dashboard needs asv, which {sys.executable} does not have: activate the virtual environment that has "
            'it, or pip install -e ".[docs,bench]" in an activated one; then make dashboard.'
        )
    if not NODE_MODULES.is_dir():
        return "The libraries that asv's pages load are not here: npm ci --prefix asv_bench, then make dashboard."
    return ""


def say(folder, sentence):
    """Write a page of one sentence in place of the dashboard."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    head = '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Dashboard</title></head>\n'
    body = f'<body><p>{html.escape(sentence)}</p><p><a href="../dashboard.html">Back</a></p></body>\n</html>\n'
    (folder / "index.html").write_text(head + body)


def publish(folder):
    """Let asv write its pages into a folder, and make them independent of other sites."""
    settings = json.loads((HERE / "asv.conf.json").read_text())
    settings["html_dir"] = str(folder)
    for name in ("repo", "benchmark_dir", "env_dir", "results_dir"):
        settings[name] = str((HERE / settings[name]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        # asv clones the repository beside its settings.
        file = Path(temporary) / "asv.conf.json"
        file.write_text(json.dumps(settings))
        command = [sys.executable, "-c", ASV, "publish", "--config", file, "--no-pull"]
        subprocess.run(command, cwd=temporary, check=True)
    (folder / "libraries").mkdir(exist_ok=True)
    for stored in STORED.values():
        shutil.copy(NODE_MODULES / stored, folder / "libraries")
    index = folder / "index.html"
    index.write_text(local_page(index.read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--if-possible", action="store_true", help="write a page that says what is missing")
    options = parser.parse_args()
    folder, sentence = options.folder.resolve(), missing()
    if not sentence:
        publish(folder)
    elif options.if_possible:
        say(folder, sentence)
        print(sentence)
    else:
        raise SystemExit(sentence)


if __name__ == "__main__":
    main()
