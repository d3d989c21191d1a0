"""The workflows: what may write runs no code of others, and what is published comes from locked versions."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sources import ROOT

from tools.other_machine.__main__ import MACHINES

yaml = pytest.importorskip("yaml")

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LOCKS = ROOT / ".ci" / "locks"

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="needs a clone")


def jobs_of(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def commands_of(steps):
    return [line.strip() for step in steps for line in step.get("run", "").splitlines()]


# A job that may write nothing else cannot change what others install.
COMMENTS = {"issues", "pull-requests"}


def writing_jobs():
    """Return (jobs of the workflow, the job) for every job that has a token with the right to write."""
    found = []
    for path in WORKFLOWS:
        jobs = jobs_of(path)
        found += [(jobs, job) for job in jobs.values() if "write" in job.get("permissions", {}).values()]
    return found


def publishing_jobs():
    return [(jobs, job) for jobs, job in writing_jobs() if not job["permissions"].keys() <= COMMENTS]


def uploading_steps(job):
    """Return the steps up to the upload of what the job makes."""
    upload = next(i for i, step in enumerate(job["steps"]) if "upload-artifact" in step.get("uses", ""))
    return job["steps"][:upload]


def test_jobs_that_may_write_run_no_code_of_others():
    found = writing_jobs()
    assert len(found) == 3
    for _, job in found:
        assert not [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        for command in commands_of(job["steps"]):
            assert command.startswith(("git ", "touch ", "push ", "gh ")), command
    assert len(publishing_jobs()) == 2
    tokens = [step for _, job in publishing_jobs() for step in job["steps"] if "github.token" in str(step)]
    assert [step["env"] for step in tokens] == [{"TOKEN": "${{ github.token }}"}]


def test_published_files_come_from_locked_versions():
    for jobs, job in publishing_jobs():
        for name in [job["needs"]] if isinstance(job["needs"], str) else job["needs"]:
            for command in commands_of(uploading_steps(jobs[name])):
                is_locked = "--require-hashes" in command or "--no-deps --no-build-isolation" in command
                assert "pip install" not in command or is_locked, command
                assert not command.startswith("npm") or command.startswith("npm ci --ignore-scripts "), command
                assert "-m build" not in command or "--no-isolation" in command, command
    with open(ROOT / "pyproject.toml", "rb") as file:
        wheels = tomllib.load(file)["tool"]["cibuildwheel"]
    assert wheels["build-frontend"]["args"] == ["--no-isolation"]
    assert all("--require-hashes" in wheels[step] for step in ("before-build", "before-test"))
    assert not {"test-requires", "test-extras", "test-groups", "before-all"} & wheels.keys()


def test_other_machines_get_their_compilers():
    matrix = jobs_of(ROOT / ".github" / "workflows" / "weekly.yml")["other-machine"]["strategy"]["matrix"]["include"]
    assert [one["machine"] for one in matrix] == ["arm64", "s390x"]
    assert all(one["compiler"] == f"gcc-{MACHINES[one['machine']][0]}" for one in matrix)


def required(name):
    """Return the requirements that a lock answers."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        card = tomllib.load(file)
    build, runtime = [*card["build-system"]["requires"], "build"], card["project"]["dependencies"]
    extras = card["project"]["optional-dependencies"]
    texts = {
        "build": build,
        "cibuildwheel": ["cibuildwheel"],
        "wheel-tests": [*runtime, *extras["wheel-tests"]],
        "site": [*build, *runtime, *extras["docs"], *extras["bench"]],
    }
    return [Requirement(text) for text in texts[name]]


@pytest.mark.parametrize("name", ["build", "cibuildwheel", "wheel-tests", "site"])
def test_locks_have_all_that_is_required_with_hashes(name):
    text = (LOCKS / f"{name}.txt").read_text(encoding="utf-8")
    locked = re.findall(r"^([\w.-]+)==(\S+)(?: ; [^\\\n]+)? \\\n +--hash=sha256:", text, re.MULTILINE)
    assert len(locked) == len(re.findall(r"^\w", text, re.MULTILINE))
    for requirement in required(name):
        versions = [version for key, version in locked if key == canonicalize_name(requirement.name)]
        assert versions, f"{requirement}: run tools/lock"
        assert all(requirement.specifier.contains(version) for version in versions), f"{requirement}: run tools/lock"
