"""Python in a process of its own."""

import os
import subprocess
import sys

from sources import ROOT


def run_python(*arguments, folder=ROOT, **environment):
    """Run Python in a folder, with some variables beside those of this process; return the finished process."""
    command, variables = [sys.executable, *map(str, arguments)], os.environ | environment
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300)
