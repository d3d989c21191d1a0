"""Portable numbers of 128 bits and vectors, in `_core/base`, against the compiler's own."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HEADERS = Path(__file__).parents[2] / "pytrees" / "_core" / "base"

# Every operation on numbers of few bits and of many, near powers of two and far from them.
NUMBERS = r"""
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
        CHECK("signed bits", back(wide_of(x) & wide_of(y)) == (natural)(x & y))
        CHECK("more bits", back(wide(a) ^ wide(b)) == (a ^ b) && back(~wide(a)) == ~a)
        CHECK("order", (wide(a) < wide(b)) == (a < b) && (wide(a) >= wide(b)) == (a >= b))
        CHECK("signed order", (wide_of(x) < wide_of(y)) == (x < y) && (wide_of(x) > wide_of(y)) == (x > y))
        CHECK("equality", (wide(a) == wide(b)) == (a == b) && (wide_of(x) != wide_of(y)) == (x != y))
        CHECK("double", (double)wide(a) == (double)a && (double)wide_of(x) == (double)x)
        whole exact = (whole)(double)(x / 4);
        CHECK("from double", back(pytrees_int128((double)(x / 4))) == (natural)exact)
        CHECK("small", back(wide(a) * (int64_t)-3) == a * (natural)(whole)-3 && (int64_t)wide_of(x) == (int64_t)x)
        CHECK("mixed", back(wide(a) + wide_of(y)) == a + b && (bool)wide(a) == (a != 0))
        CHECK("in place", back(wide(a) += wide(b)) == a + b && back(wide_of(x) -= wide_of(y)) == a - b)
    }
    return 0;
}
"""


# Sums of what the loops over vectors write, in whole numbers, and bits.
VECTORS = r"""
#include <stdio.h>
#include "simd_multiclass.h"
#include "simd_entropy.h"
#include "simd_ordinal.h"

static uint64_t state = 88172645463325252u, sum = 0;
static uint64_t draw() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static void add(const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        sum = sum * 1099511628211u + ((const uint8_t *)bytes)[i];
}

int main() {
    for (int round = 0; round < 3000; round++) {
        uint32_t keys[132], bins[133] = {0}, smallest;
        uint16_t narrow[136], words[132], sums[136], squares[3][136], rows[137 * 8] = {0}, node[8] = {0};
        uint16_t by_class[3 * 136];
        uint64_t found[132];
        uint8_t marks[132] = {0}, is_marked[256];
        float scores[137] = {0}, weights[137] = {0}, of_left[137] = {0}, of_right[137] = {0}, best;
        edges_of_rows edges = {scores + 1, weights + 1, of_left + 1, of_right + 1};
        int32_t n = 5 + draw() % (round % 2 ? 124 : 12), left, right, ends[4];
        paired_classes classes = {3, {n / 3, n / 2, n}, {0, 0, 0}, 0};
        int shift = draw() % 3;
        for (int i = 0; i < n; i++) {
            keys[i] = 1000 + draw() % 200;
            narrow[i] = (uint16_t)draw();
            words[i] = draw() % 2 ? 1 : 256;
            bins[i + 1] = (uint32_t)(draw() % 4) << 16 | (draw() % 4);
        }
        keys[0] = 1000;
        keys[1] = 1199;
        uint32_t span = span_of_keys(keys, n, &smallest);
        add(&span, 4);
        for (int i = 0; i < 256; i++)
            is_marked[i] = i % 3 == 0;
        int32_t n_found = find_marked(keys, n, 1030, 1150, smallest, shift, is_marked, found);
        add(&n_found, 4);
        add(found, 8 * n_found);
        ends[0] = find_neighbours(keys, n, 1100, &left, &right);
        add(ends, 4); add(&left, 4); add(&right, 4);

        sum_up(bins + 1, n);
        node_weights all = {(int32_t)(bins[n] & 0xFFFF), (int32_t)(bins[n] >> 16), BY_GINI};
        for (all.judge = BY_GINI; all.judge <= BY_WEIGHED_RANKING; all.judge++) {
            best = score_edges(bins + 1, n, 1, n - 1, all, scores);
            add(scores, 4 * n);
            ends[0] = mark_edges(bins + 1, n, all, best, marks);
            add(ends, 4); add(marks, n);
        }

        uint32_t wide[136] = {0}, numbers[136];
        for (int i = 0; i < n; i++)
            wide[i] = 70000 + narrow[i];
        span_of_keys(wide, n, &smallest);
        narrow_keys(wide, n, smallest, narrow);
        add(narrow, 2 * n);
        sum_pairs(narrow, words, &n, 1, n, sums);
        add(sums, 2 * n);
        for (all.judge = BY_GINI; all.judge <= BY_WEIGHED_RANKING; all.judge++) {
            score_sums(sums, n, all, scores);
            add(scores, 4 * n);
        }
        number_keys(wide, n, numbers);
        add(numbers, 4 * n);

        for (int k = 0, i = 0; k < 3; k++)
            for (; i < classes.ends[k]; i++)
                classes.totals[k] += words[i] = 1 + draw() % (n <= MOST_OF_FEW ? 15 : 2);
        for (int k = 0; k < 3; k++)
            classes.squares += classes.totals[k] * classes.totals[k];
        sum_squares_of_pairs(narrow, words, &classes, 0, n, squares[0], squares[1], squares[2]);
        for (int k = 0; k < 3; k++)
            add(squares[k], 2 * n);
        if (n <= MOST_OF_FEW) {
            sample_of_few few[MOST_OF_FEW];
            uint16_t same[3][16];
            spread_few(words, &classes, 0, n, few);
            sum_squares_of_few(narrow, few, &classes, 0, n, same[0], same[1], same[2]);
            for (int k = 0; k < 3; k++)
                if (memcmp(same[k], squares[k], 2 * n) != 0)
                    return 1;
        }
        float weight = (float)(classes.totals[0] + classes.totals[1] + classes.totals[2]);
        best = score_squares(squares[0], squares[1], squares[2], n, weight, scores);
        add(scores, 4 * n);
        sum_pairs(narrow, words, classes.ends, 3, n, by_class);
        add(by_class, 2 * 3 * ((n + 7) / 8 * 8));

        uint32_t total = 0;
        memset(node, 0, sizeof node);
        for (int i = 8; i < 8 * (n + 1); i++) {
            rows[i] = draw() % 3 == 0 ? draw() % 4 : 0;
            node[i % 8] += rows[i];
            total += rows[i];
        }
        uint16_t in_order[8 * 136];
        memcpy(in_order, rows, sizeof rows);
        best = sum_up_rows(rows + 8, n, 8, node, (float)total, 0, n - 1, -1, &edges);
        add(scores + 1, 4 * n); add(weights + 1, 4 * n); add(of_left + 1, 4 * n); add(of_right + 1, 4 * n);
        for (int i = 0; i < 8; i++)
            of_right[0] += (float)(node[i] * node[i]);
        scores[0] = of_right[0] / (float)total;
        ends[0] = mark_rows(rows + 8, n, 8, 8, 0, node, (float)total, 0.99f * best, 0, &edges, marks);
        add(ends, 4); add(marks, n);
        of_right[0] = 0.0f;
        cumulate_rows(in_order + 8, n, 8, 8);
        for (int k = 1; k < 8; k++)
            node[k] += node[k - 1];
        best = sum_up_rows(in_order + 8, n, 8, node, (float)total, 0, n - 1, 7, &edges);
        add(in_order, 2 * 8 * (n + 1)); add(scores + 1, 4 * n); add(weights + 1, 4 * n);
        scores[0] = 0.0f;
        for (int k = 0; k < 8; k++)
            scores[0] += (float)(node[k] * node[k]) / (float)total;
        ends[0] = mark_rows(in_order + 8, n, 8, 8, 1, node, (float)total, 0.99f * best, 0, &edges, marks);
        add(ends, 4); add(marks, n);

        uint32_t entries[136] = {0}, cuts[132];
        uint16_t labels[132];
        uint64_t steps[2 * 3];
        int64_t totals[3] = {0, 0, 0};
        float factors[2][140];
        int32_t first_of_1 = n / 3;
        node_weights both = {first_of_1, n - first_of_1, BY_GINI};
        for (int i = 0; i < n; i++) {
            entries[i] = (uint32_t)(i / 2) << 16 | (uint32_t)((i * 7) % n);
            labels[i] = draw() % 3;
        }
        for (int i = 0; i < n; i++)
            totals[labels[entries[i] & 0xFFFF]]++;
        write_factors(n, 1 + draw() % 3, n - 1 - draw() % 3, factors[0], NULL);
        int32_t behind = draw() % (n / 2), ahead = n - behind;
        uint32_t first = (uint32_t)behind << 16 | draw() % (behind + 1);
        best = score_two_classes(
            entries, ahead, first_of_1, 0, NULL, first, both, factors[0] + behind, 0.0f, NULL, NULL, NULL
        );
        ends[0] = 0;
        score_two_classes(
            entries, ahead, first_of_1, 0, NULL, first, both, factors[0] + behind, 0.9f * best + 1e-9f, cuts, NULL, ends
        );
        add(&best, 4); add(ends, 4); add(cuts, 4 * ends[0]);
        int32_t of_places[132];
        uint32_t all_words = 0, cut_words[132];
        for (int i = 0; i < n; i++) {
            uint32_t weight = 1 + draw() % 200;
            all_words += of_places[i] = weight << 16 | (draw() % 2 ? weight : 0);
        }
        node_weights weighed = {(int32_t)((all_words >> 16) - (all_words & 0xFFFF)), (int32_t)(all_words & 0xFFFF)};
        uint32_t behind_words = 0;
        for (int i = 0; i < behind; i++)
            behind_words += of_places[entries[ahead + i] & 0xFFFF];
        write_permissions(n, 1 + draw() % 3, n - 1 - draw() % 3, factors[0]);
        best = score_two_classes(
            entries, ahead, 0, 1, of_places, behind_words, weighed, factors[0] + behind, 0.0f, NULL, NULL, NULL
        );
        ends[0] = 0;
        score_two_classes(
            entries, ahead, 0, 1, of_places, behind_words, weighed, factors[0] + behind, 0.9f * best + 1e-9f, cuts,
            cut_words, ends
        );
        add(&best, 4); add(ends, 4); add(cuts, 4 * ends[0]); add(cut_words, 4 * ends[0]);
        write_factors(n, 1 + draw() % 3, n - 1 - draw() % 3, factors[0], factors[1]);
        const uint32_t *walked[2] = {entries, entries + 1};
        score_by_squares(
            walked, 1, ahead, behind, labels, totals, 3, factors[0] + behind, factors[1] + behind, steps, 0.0f, NULL,
            NULL, NULL, &best
        );
        ends[0] = 0;
        score_by_squares(
            walked, 1, ahead, behind, labels, totals, 3, factors[0] + behind, factors[1] + behind, steps, 0.9f * best,
            cuts, found, ends, scores
        );
        add(&best, 4); add(ends, 4); add(cuts, 4 * ends[0]); add(found, 8 * ends[0]);
        score_by_squares(
            walked, 2, n - 1, 0, labels, totals, 3, factors[0], factors[1], steps, 0.0f, NULL, NULL, NULL, scores
        );
        add(scores, 8);

        int32_t logs[140], log_steps[136], size_terms[140], whole[2];
        uint32_t starts[3], next[2 * 3];
        for (int i = 0; i < 140; i++)
            logs[i] = i * i;
        for (int n_classes = 2; n_classes <= 3; n_classes++) {
            totals[0] = totals[1] = totals[2] = 0;
            for (int i = 0; i < n; i++)
                totals[labels[i] %= n_classes]++;
            write_entropy_steps(logs, totals, n_classes, log_steps, starts);
            write_size_terms(logs, n, 1 + draw() % 3, n - 1 - draw() % 3, size_terms);
            entropy_terms terms = {log_steps, starts, labels, size_terms, n_classes};
            score_by_steps(walked, 1, ahead, behind, &terms, next, 0, NULL, NULL, whole);
            ends[0] = 0;
            score_by_steps(walked, 1, ahead, behind, &terms, next, whole[0] * 9 / 10 + 1, cuts, ends, whole + 1);
            add(whole, 4); add(ends, 4); add(cuts, 4 * ends[0]);
            score_by_steps(walked, 2, n - 1, 0, &terms, next, 0, NULL, NULL, whole);
            add(whole, 8);
        }

        uint32_t form_steps[NO_CLASS + 1];
        for (int32_t n_classes = 3; n_classes <= 12; n_classes += 9)
            for (int way = 0; way < 3; way++) {     /* ordinal Gini, and ranking impurity without and with weights */
                int64_t counts[12] = {0};
                for (int i = 0; i < n; i++)
                    counts[labels[i] = draw() % n_classes]++;
                uint32_t form = write_form_steps(counts, n_classes, n, way > 0, form_steps);
                if (way > 0)
                    write_costs(n, 1, n - 1, way == 2, factors[0], factors[1]);
                else
                    write_factors(n, 1, n - 1, factors[0], factors[1]);
                float base = way == 0 ? 0.0f : (float)form * (way == 2 ? n : 1);
                ordinal_forms forms = {
                    form_steps, labels, form, base, factors[0], factors[1], n_classes, way > 0
                };
                best = score_in_order(entries, ahead, behind, &forms, 0.0f, NULL, NULL);
                ends[0] = 0;
                score_in_order(entries, ahead, behind, &forms, 0.9f * best + 1e-9f, cuts, ends);
                add(&form, 4); add(&best, 4); add(ends, 4); add(cuts, 4 * ends[0]);
            }

        int32_t residuals[2 * 136] = {0};
        for (int i = 0; i < 2 * n; i++)
            residuals[i] = i % 2 == 0 ? (int32_t)(draw() % 2001) - 1000 : 1 + (int32_t)(draw() % 3);
        for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
            best = score_numbers(
                entries, ahead, residuals, is_weighted, 3 * n, 17, 2, factors[0] + behind, 0.0f, NULL, NULL
            );
            ends[0] = 0;
            score_numbers(
                entries, ahead, residuals, is_weighted, 3 * n, 17, 2, factors[0] + behind, 0.9f * best + 1e-9f, cuts,
                ends
            );
            add(&best, 4); add(ends, 4); add(cuts, 4 * ends[0]);
        }

        uint64_t bits = draw() >> (draw() % 64) | 1u << 31;
        ends[0] = pytrees_popcount(bits);
        ends[1] = pytrees_trailing_zeros(bits);
        ends[2] = pytrees_bit_length((uint32_t)bits);
        add(ends, 12);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
"""

pytestmark = pytest.mark.skipif(not HEADERS.joinpath("wide.h").exists(), reason="the headers are not in a wheel")


def run(program, folder, *options):
    """Compile and run a program in C++; return what it prints."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip("there is no compiler of C++")
    source, built = folder / "program.cpp", folder / "program"
    source.write_text(program)
    command = [
        *compiler,
        "-O1",
        "-ffp-contract=off",
        *options,
        f"-I{HEADERS}",
        f"-I{HEADERS.parent / 'fast'}",
        str(source),
        "-o",
        str(built),
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "__int128" in made.stderr:
        pytest.skip("the compiler has no numbers of 128 bits to compare with")
    assert made.returncode == 0, made.stderr
    ran = subprocess.run([str(built)], capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_portable_numbers_are_those_of_the_compiler(tmp_path):
    assert run(NUMBERS, tmp_path, "-DPYTREES_PORTABLE") == ""


def test_portable_vectors_are_those_of_the_compiler(tmp_path):
    portable = run(VECTORS, tmp_path, "-DPYTREES_PORTABLE", "-std=c++17", "-pedantic-errors")
    assert portable == run(VECTORS, tmp_path)
