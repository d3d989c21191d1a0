"""Write the dashboard of the stored results into a folder; needs no network, neither here nor in the browser.

    python asv_bench/publish.py build/docs/dashboard

asv's page loads jQuery, Flot and Bootstrap from other sites. `vendor/` holds them, and the page is made to load those.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINK = re.compile(r'(src|href)="https://[^"]*/([^"/]+)" integrity="[^"]*"[^>]*?(?= onerror|>)')
# Flot is stored as its authors wrote it, not shortened.
STORED_NAMES = {
    f"jquery.flot{part}.min.js": f"jquery.flot{part}.js" for part in ("", ".time", ".selection", ".categories")
}


def local_page(page):
    """Return asv's page with what it loads from other sites loaded from vendor/; fail where something is not there."""

    def local(match):
        name = STORED_NAMES.get(match[2], match[2])
        if not (HERE / "vendor" / name).exists():
            raise SystemExit(f"asv loads {match[2]}, which is not in asv_bench/vendor: add it.")
        return f'{match[1]}="vendor/{name}"'

    page = LINK.sub(local, page)
    if left := re.findall(r'<(?:script|link)[^>]*"https?://[^"]*"', page):
        raise SystemExit(f"asv's page loads {left[0]} in a way that this script does not know.")
    return page.replace("<head>", '<head>\n    <meta name="viewport" content="width=device-width, initial-scale=1">', 1)


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
        command = [sys.executable, "-m", "asv", "publish", "--config", file, "--no-pull"]
        subprocess.run(command, cwd=temporary, check=True)
    shutil.copytree(HERE / "vendor", folder / "vendor", dirs_exist_ok=True)
    index = folder / "index.html"
    index.write_text(local_page(index.read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    publish(parser.parse_args().folder.resolve())


if __name__ == "__main__":
    main()
