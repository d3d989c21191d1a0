"""Tables and a picture of the study of order."""

import numpy as np
from scipy import stats

from pytrees.tour.report import format_table, import_pyplot, write_csv

from .ordinal_statistics import adjust_by_holm
from .report import with_error

TITLES = {
    "etc": "ETC tree",
    "lz76": "LZ76 tree",
    "gini": "Gini tree",
    "entropy": "entropy tree",
    "lagged": "Gini, label before",
    "permuted": "ETC forest, permuted",
    "bootstrap": "ETC forest, bootstrap",
    "moving_block": "ETC forest, moving blocks",
    "stationary": "ETC forest, stationary",
    "random_forest": "random forest",
}

# Models whose scores over all sets are compared, each with its rival.
PAIRS = (
    ("etc", "gini"),
    ("etc", "entropy"),
    ("lz76", "gini"),
    ("lz76", "entropy"),
    ("permuted", "random_forest"),
    ("moving_block", "random_forest"),
    ("moving_block", "permuted"),
    ("stationary", "permuted"),
    ("moving_block", "bootstrap"),
    ("lagged", "gini"),
)

KINDS = {"shuffled": "samples", "blocks": "blocks"}


def report(tables, scores, sensitivity, output):
    """Print the tables, and write them as CSV files; draw a picture if matplotlib is installed.

    Parameters
    ----------
    tables : dict of tuple to studies.order_tables.OrderedTable
        By name and seed.
    scores : dict of tuple to dict
        Results of `studies.order.judge_model`, by name, seed and model.
    sensitivity : dict of tuple to dict
        Results of `studies.order.judge_sensitivity`, by name and seed.
    output : pathlib.Path
        Folder of the files.
    """
    report_sensitivity(tables, sensitivity, output)
    report_scores(tables, scores, output)
    effects = report_effects(tables, scores, output)
    report_pairs(tables, scores, output)
    draw_effects(tables, effects, output / "order.png")


def title_of(tables, key):
    """Return the title of a table, with its seed if there are several."""
    n_seeds = sum(name == key[0] for name, _ in tables)
    return tables[key].title + (f" {key[1] + 1}" if n_seeds > 1 else "")


def permutation_test(true, shuffled):
    """Return the mean effect over the windows, its interval of 95 % and the two-sided p-value.

    Parameters
    ----------
    true : array-like of shape (n_windows,)
        Scores in the true order.
    shuffled : array-like of shape (n_windows, n_orders)
        Scores in shuffled orders.
    """
    score, others = float(np.mean(true)), np.mean(shuffled, axis=0)
    # Means of the same scores may differ by rounding.
    score, others = round(score, 12), np.round(others, 12)
    tails = [(1 + np.count_nonzero(side)) / (1 + len(others)) for side in (others >= score, others <= score)]
    low, high = np.quantile(score - others, [0.025, 0.975])
    return float(np.mean(score - others)), (float(low), float(high)), min(1.0, 2.0 * min(tails))


def report_sensitivity(tables, sensitivity, output):
    """Report whether the order of the tables matters at all."""
    corrected = adjust_by_holm([found["p"] for found in sensitivity.values()])
    printed, written = [], []
    for (key, found), p in zip(sensitivity.items(), corrected, strict=True):
        low, high = found["interval"]
        interval = f"[{low:+.3f}, {high:+.3f}]"
        printed.append((title_of(tables, key), f"{found['score']:.3f}", f"{found['effect']:+.3f}", interval))
        printed[-1] += (f"{found['p']:.3f}", f"{p:.3f}")
        written.append((*key, found["score"], found["effect"], low, high, found["p"], p))
    header = ("all samples shuffled", "score", "effect", "95 %", "p", "p, Holm")
    print(f"\nA Gini tree in the true order, against orders of all samples\n\n{format_table(header, printed)}")
    columns = ("dataset", "seed", "score", "effect", "low", "high", "p", "p_holm")
    write_csv(output / "order_sensitivity.csv", columns, written)


def report_scores(tables, scores, output):
    """Report the scores of all models in the true order."""
    names = dict.fromkeys(name for name, _ in tables)
    printed = [(TITLES[model], *(f"{mean_of_set(scores, name, model):.3f}" for name in names)) for model in TITLES]
    titles = [tables[name, 0].title for name in names]
    print(f"\nRecall, mean over the classes, of later samples\n\n{format_table(('', *titles), printed)}")
    rows = [
        (name, seed, model, window, score)
        for (name, seed, model), result in scores.items()
        for window, score in enumerate(result["true"])
    ]
    write_csv(output / "order_scores.csv", ("dataset", "seed", "model", "window", "recall"), rows)


def mean_of_set(scores, name, model):
    """Return the mean score of a model over the windows and seeds of a set."""
    return float(
        np.mean([np.mean(result["true"]) for (of, _, by), result in scores.items() if (of, by) == (name, model)])
    )


def report_effects(tables, scores, output):
    """Report the gain of the true order of the training samples over shuffled orders; return it by model and kind."""
    effects, written = {}, []
    for model in dict.fromkeys(model for *_, model in scores):
        for kind, what in KINDS.items():
            keys = [key for key in tables if scores[(*key, model)][kind] and scores[(*key, model)][kind][0]]
            if not keys:
                continue
            found = [permutation_test(scores[(*key, model)]["true"], scores[(*key, model)][kind]) for key in keys]
            corrected = adjust_by_holm([p for *_, p in found])
            effects[model, kind] = dict(zip(keys, found, strict=True))
            printed = []
            for key, (effect, (low, high), p), p_holm in zip(keys, found, corrected, strict=True):
                reverse = np.mean(scores[(*key, model)]["true"]) - np.mean(scores[(*key, model)]["reversed"])
                cells = f"{effect:+.3f}", f"[{low:+.3f}, {high:+.3f}]", f"{p:.3f}", f"{p_holm:.3f}", f"{reverse:+.3f}"
                printed.append((title_of(tables, key), *cells))
                written.append((*key, model, kind, effect, low, high, p, p_holm, reverse))
            header = (f"{what} shuffled", "effect", "95 %", "p", "p, Holm", "true - reversed")
            title = f"{TITLES[model]}: the true order of the training samples, against shuffled {what}"
            print(f"\n{title}\n\n{format_table(header, printed)}")
    columns = ("dataset", "seed", "model", "shuffled", "effect", "low", "high", "p", "p_holm", "reversed")
    write_csv(output / "order_effects.csv", columns, written)
    return effects


def report_pairs(tables, scores, output):
    """Compare models over the sets by Wilcoxon's signed ranks, each set being one value."""
    for title, file, names in (
        ("real sets", "order_pairs_real.csv", [name for (name, _), table in tables.items() if table.is_real]),
        ("sets, real and generated", "order_pairs.csv", list(dict.fromkeys(name for name, _ in tables))),
    ):
        if len(names) < 2:
            continue
        leads = [[mean_of_set(scores, name, a) - mean_of_set(scores, name, b) for name in names] for a, b in PAIRS]
        leads = np.round(leads, 12)
        p_values = [stats.wilcoxon(lead).pvalue if np.any(lead) else 1.0 for lead in leads]
        corrected = adjust_by_holm(p_values)
        printed, written = [], []
        for (a, b), lead, p, p_holm in zip(PAIRS, leads, p_values, corrected, strict=True):
            counts = [int(np.count_nonzero(side)) for side in (lead > 0, lead == 0, lead < 0)]
            better = "/".join(map(str, counts))
            printed.append((f"{TITLES[a]} - {TITLES[b]}", with_error(lead), better, f"{p:.3f}", f"{p_holm:.3f}"))
            written.append((a, b, float(np.mean(lead)), *counts, float(p), float(p_holm)))
        header = ("lead", "mean ± standard error", "ahead/tie/behind", "p", "p, Holm")
        print(f"\nOver the {len(names)} {title}, signed ranks\n\n{format_table(header, printed)}")
        write_csv(output / file, ("model", "rival", "lead", "ahead", "tie", "behind", "p", "p_holm"), written)


def draw_effects(tables, effects, path):
    """Draw the effect of the true order of the training samples with its interval, by table and model."""
    plt = import_pyplot()
    if plt is None or not effects:
        return
    keys = list(tables)
    figure, axes = plt.subplots(
        1, 2, figsize=(10, 1.5 + 0.3 * len(keys)), sharey=True, sharex=True, layout="constrained"
    )
    y = np.arange(len(keys))[::-1]
    for ax, (kind, what) in zip(axes, KINDS.items(), strict=True):
        for model, shift, colour in (("etc", 0.12, "C0"), ("lz76", -0.12, "C1")):
            found = effects.get((model, kind), {})
            for key, place in zip(keys, y, strict=True):
                if key not in found:
                    continue
                effect, (low, high), _ = found[key]
                label = TITLES[model] if key == keys[0] else None
                ax.plot([low, high], [place + shift] * 2, color=colour, linewidth=1.2)
                ax.plot(effect, place + shift, "o", color=colour, markersize=4, label=label)
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_yticks(y, [title_of(tables, key) for key in keys])
        ax.set_xlabel("gain in recall")
        ax.set_title(f"against shuffled {what}")
        ax.grid(axis="x", alpha=0.25)
    axes[0].legend(loc="best")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
