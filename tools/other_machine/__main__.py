"""Run the kernels on another kind of processor, emulated by QEMU: golden trees and the kernels' tests.

    python -m tools.other_machine s390x                       # all steps; some hours, most of them for tests
    python -m tools.other_machine arm64 --steps kernels golden
    python -m tools.other_machine s390x --steps tests -- -n 2 tests/growth

Steps: `root` puts a Debian of that processor, with Python, NumPy, SciPy and scikit-learn, into a folder below --roots,
unless that is there already; `kernels` copies this clone there, generates the kernels' C code and cross-compiles it
(under the emulator that would take hours); `golden` compares all golden trees of the compiled engine, and few of each
group with several threads; `tests` runs the kernels' tests with the profile `fast`, or pytest with
the arguments that stand after `--`.

Needs root, on Debian or Ubuntu: `apt-get install debootstrap debian-archive-keyring qemu-user-static binfmt-support
gcc-s390x-linux-gnu` (for arm64: gcc-aarch64-linux-gnu), and setuptools and Cython in the Python that runs this.
"""

import argparse
import os
import runpy
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CLONE = Path(__file__).parents[2]

# Debian's name of a processor: GNU's, and QEMU's.
MACHINES = {
    "arm64": ("aarch64-linux-gnu", "qemu-aarch64"),
    "ppc64el": ("powerpc64le-linux-gnu", "qemu-ppc64le"),
    "riscv64": ("riscv64-linux-gnu", "qemu-riscv64"),
    "s390x": ("s390x-linux-gnu", "qemu-s390x"),
}

# Those that QEMU does not take by itself. Newer ones of arm64 sign pointers, most of an emulator's time.
PROCESSORS = {"arm64": "cortex-a72"}

PACKAGES = (
    "python3,libpython3-dev,python3-numpy,python3-scipy,python3-sklearn,python3-joblib,python3-pandas,"
    "python3-matplotlib,python3-pytest,python3-pytest-xdist,python3-hypothesis"
)

FORMATS = Path("/proc/sys/fs/binfmt_misc")

# In a namespace of its own, so that no mount is left.
INSIDE = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"'

JOBS = os.cpu_count() or 1


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def run_inside(root, *command):
    environment = ["-i", "--chdir=/clone", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"]
    environment += ["PYTHONPATH=/clone", "HYPOTHESIS_PROFILE=fast", "OMP_NUM_THREADS=1", "PYTREES_PATIENCE=20"]
    if root.name in PROCESSORS:
        environment.append(f"QEMU_CPU={PROCESSORS[root.name]}")
    run("unshare", "--mount", "sh", "-ec", INSIDE, root, "env", *environment, *command)


def enable_emulator(name):
    """Let Linux run programs of the other processor by QEMU."""
    if not (FORMATS / "register").exists():
        run("mount", "-t", "binfmt_misc", "binfmt_misc", FORMATS)
    if not (FORMATS / name).exists():
        run("update-binfmts", "--enable", name)


def make_root(machine, triplet, root, suite, mirror):
    """Unpack Debian for the machine into a folder, some minutes.

    Scripts that configure packages would run under the emulator, for long; what is needed of them is done here.
    """
    ready = root / "ready"
    if ready.exists():
        return
    if root.exists():
        sys.exit(f"{root} is half made: an installation was interrupted. Delete the folder, and try again.")
    options = ["--foreign", f"--arch={machine}", "--variant=minbase", f"--include={PACKAGES}"]
    run("debootstrap", *options, suite, root, mirror)
    for package in sorted((root / "var" / "cache" / "apt" / "archives").glob("*.deb")):
        run("dpkg-deb", "--extract", package, root)
        package.unlink()
    for library in ("blas", "lapack"):  # of all that may implement them, the one that was installed
        link = root / "usr" / "lib" / triplet / f"lib{library}.so.3"
        link.symlink_to(f"{library}/lib{library}.so.3")
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "clone").mkdir()
    ready.touch()


def copy_clone(target):
    """Copy what git knows of the clone, and new files."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=CLONE, check=True, capture_output=True, text=True).stdout.split("\0")
    shutil.rmtree(target, ignore_errors=True)
    for name in filter(None, names):
        if (CLONE / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CLONE / name, target / name)
    (target / "pytrees" / "reference").symlink_to("../reference")


def compile_kernels(root, triplet, objects):
    """Cross-compile the kernels with the headers of the root's Python, as its own compiler would: some minutes."""
    [config] = root.glob(f"usr/lib/python3.*/_sysconfigdata__linux_{triplet}.py")
    python = runpy.run_path(str(config))["build_time_vars"]
    os.chdir(CLONE)
    sys.path.insert(0, str(CLONE))
    import setup  # after its folder is on the path

    def compile_kernel(extension):
        place = Path(*extension.name.split("."))
        built = objects / f"{place}{python['EXT_SUFFIX']}"
        sources = [*extension.sources, *extension.depends]
        if not built.exists() or built.stat().st_mtime < max(os.path.getmtime(source) for source in sources):
            built.parent.mkdir(parents=True, exist_ok=True)
            flags = ["-shared", *python["CCSHARED"].split(), *python["BASECFLAGS"].split(), "-DNDEBUG", "-w"]
            flags += [f"-I{folder}" for folder in (*extension.include_dirs, f"{root}{python['INCLUDEPY']}")]
            # The compiler has its own headers of C, which go before those of the root.
            flags += ["-idirafter", root / "usr" / "include", *extension.extra_compile_args]
            unfinished = built.with_suffix(".new")
            run(f"{triplet}-gcc", *flags, *extension.sources, "-o", unfinished, "-lm")
            unfinished.replace(built)
        shutil.copy2(built, root / "clone" / f"{place}{python['EXT_SUFFIX']}")

    with ThreadPoolExecutor(JOBS) as pool:
        print(len(list(pool.map(compile_kernel, setup.generate()))), "kernels compiled")


def compare_golden(root):
    # The reference is plain Python, and would take more than an hour.
    for options in (("--quick", "--threads", "4"), ()):
        run_inside(root, "python3", "tools/golden.py", "--engine", "compiled", *options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = ("root", "kernels", "golden", "tests")
    parser.add_argument("machine", choices=MACHINES, metavar="ARCH", help=", ".join(MACHINES))
    parser.add_argument("--steps", nargs="+", choices=steps, default=steps, metavar="STEP", help=", ".join(steps))
    parser.add_argument("--roots", type=Path, default=Path("/var/tmp/pytrees-roots"), help="a folder for the systems")
    parser.add_argument("--suite", default="sid", help="the Debian to install (sid)")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="where its packages are")
    own, of_pytest = sys.argv[1:], ["-q", "-m", "kernels"]
    if "--" in own:
        own, of_pytest = own[: own.index("--")], own[own.index("--") + 1 :]
    options = parser.parse_args(own)
    triplet, emulator = MACHINES[options.machine]
    root = options.roots.resolve() / options.machine
    enable_emulator(emulator)
    for step in options.steps:
        start = time.monotonic()
        print(f"== {step} of {options.machine}", flush=True)
        if step == "root":
            make_root(options.machine, triplet, root, options.suite, options.mirror)
        elif step == "kernels":
            copy_clone(root / "clone")
            compile_kernels(root, triplet, root / "kernels")
        elif step == "golden":
            compare_golden(root)
        else:
            run_inside(root, "python3", "-m", "pytest", "-p", "no:cacheprovider", *of_pytest)
        print(f"   {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed, with exit code {error.returncode}: {' '.join(error.cmd)}")
