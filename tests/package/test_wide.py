"""The portable numbers of 128 bits, in `_core/base/wide.h`, against those of the compiler."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HEADERS = Path(__file__).parents[2] / "pytrees" / "_core" / "base"

# Every operation on numbers of few bits and of many, near powers of two and far from them.
PROGRAM = r"""
#include <stdio.h>
#include "wide.h"

typedef __int128 whole;
typedef unsigned __int128 natural;

static uint64_t state = 88172645463325252u;
static uint64_t draw() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static natural draw_natural() {
    natural drawn = (natural)draw() << 64 | draw();
    natural bits = draw() % 128, power = (natural)1 << bits;
    switch (draw() % 4) {
    case 0: return drawn >> bits;
    case 1: return power - draw() % 3;
    case 2: return power + draw() % 3;
    default: return draw() % 5;
    }
}
static pytrees_uint128 wide(natural x) { return pytrees_uint128((uint64_t)(x >> 64), (uint64_t)x); }
static pytrees_int128 wide_of(whole x) { return pytrees_int128(wide((natural)x)); }
static natural back(pytrees_uint128 x) { return (natural)x.high << 64 | x.low; }
static natural back(pytrees_int128 x) { return back(x.bits); }

#define CHECK(name, is_so) if (!(is_so)) { printf("%s in round %d\n", name, round); return 1; }

int main() {
    for (int round = 0; round < 2000000; round++) {
        natural a = draw_natural(), b = draw_natural(), c = b ? b : 1;
        whole x = (whole)a, y = (whole)b, z = y ? y : 1;
        bool divides = !(z == -1 && x < 0);
        int n = draw() % 128;
        CHECK("sum", back(wide(a) + wide(b)) == a + b && back(wide_of(x) + wide_of(y)) == a + b)
        CHECK("difference", back(wide(a) - wide(b)) == a - b && back(-wide_of(x)) == -a)
        CHECK("product", back(wide(a) * wide(b)) == a * b && back(wide_of(x) * wide_of(y)) == a * b)
        CHECK("quotient", back(wide(a) / wide(c)) == a / c && back(wide(a) % wide(c)) == a % c)
        CHECK("signed quotient", !divides || back(wide_of(x) / wide_of(z)) == (natural)(x / z))
        CHECK("signed remainder", !divides || back(wide_of(x) % wide_of(z)) == (natural)(x % z))
        CHECK("shift", back(wide(a) << n) == a << n && back(wide(a) >> n) == a >> n)
        CHECK("signed shift", back(wide_of(x) >> n) == (natural)(x >> n) && back(wide_of(x) << n) == a << n)
        CHECK("bits", back(wide(a) & wide(b)) == (a & b) && back(wide(a) | wide(b)) == (a | b))
        CHECK("more bits", back(wide(a) ^ wide(b)) == (a ^ b) && back(~wide(a)) == ~a)
        CHECK("order", (wide(a) < wide(b)) == (a < b) && (wide(a) >= wide(b)) == (a >= b))
        CHECK("signed order", (wide_of(x) < wide_of(y)) == (x < y) && (wide_of(x) > wide_of(y)) == (x > y))
        CHECK("equality", (wide(a) == wide(b)) == (a == b) && (wide_of(x) != wide_of(y)) == (x != y))
        CHECK("double", (double)wide(a) == (double)a && (double)wide_of(x) == (double)x)
        CHECK("small", back(wide(a) * (int64_t)-3) == a * (natural)(whole)-3 && (int64_t)wide_of(x) == (int64_t)x)
        CHECK("mixed", back(wide(a) + wide_of(y)) == a + b && (bool)wide(a) == (a != 0))
        CHECK("in place", back(wide(a) += wide(b)) == a + b && back(wide_of(x) -= wide_of(y)) == a - b)
    }
    return 0;
}
"""


@pytest.mark.skipif(not HEADERS.joinpath("wide.h").exists(), reason="the headers are not in a wheel")
def test_portable_numbers_are_those_of_the_compiler(tmp_path):
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip("there is no compiler of C++")
    source, program = tmp_path / "wide.cpp", tmp_path / "wide"
    source.write_text(PROGRAM)
    options = ["-O1", "-DPYTREES_PORTABLE_INT128", f"-I{HEADERS}", str(source), "-o", str(program)]
    built = subprocess.run([*compiler, *options], capture_output=True, text=True, check=False, timeout=120)
    if "__int128" in built.stderr:
        pytest.skip("the compiler has no numbers of 128 bits to compare with")
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, "")
