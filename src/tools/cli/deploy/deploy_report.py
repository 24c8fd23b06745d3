"""What `charm deploy bench` says of its runs: wrong answers, and tables and charts of speed-ups by policy."""

import html
import json
import math


def rows_of(answer):
    """A published answer: a line of names, and lines of fields. An empty line is a row with NULL alone."""
    return [line.split("|") for line in answer.removesuffix("\n").split("\n")[1:]]


def same_field(found, right):
    """A published answer has an empty field for NULL."""
    if found == right or (found == "NULL" and right == ""):
        return True
    try:
        return math.isclose(float(found), float(right), rel_tol=1e-6)
    except ValueError:
        return False


def difference(found, right):
    """What differs in one sentence; nothing where the rows are the same, in any order of those that tie."""
    if len(found) != len(right):
        return f"{len(found)} rows where {len(right)} are right"
    for rows in [(found, right), (sorted(found), sorted(right))]:
        wrong = [(a, b) for a, b in zip(*rows) if len(a) != len(b) or not all(map(same_field, a, b))]
        if not wrong:
            return ""
    return f"a row is {'|'.join(wrong[0][0])} and should be {'|'.join(wrong[0][1])}"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def modelled_runs(text):
    """The runs of `charm deploy bench --machine` by title, their queries, and their means by number of processes."""
    by_title, by_count, queries = {}, {}, []
    for each in json.loads(text):
        title = f"{each['machine']}, modelled at scale factor {each['scale']:g}"
        by_count[title] = each["by_count"]
        by_title[title] = [{"engine": title, "policy": run["policy"], "workers": run["workers"],
                            "seconds": {int(number): value for number, value in run["seconds"].items()}}
                           for run in each["runs"]]
        queries = list(by_title[title][0]["seconds"])
    return by_title, by_count, queries


def table(runs, queries, by_count=()):
    base = runs[0]
    lines = [f"{base['engine']}: times as fast as {base['policy']}, whose seconds are in the second column", ""]
    lines.append("query   seconds" + "".join(f"{run['policy']:>12}" for run in runs))
    for number in queries:
        ratios = [base["seconds"][number] / run["seconds"][number] for run in runs]
        lines.append(f"q{number:<6}{base['seconds'][number]:>8.2f}" + "".join(f"{ratio:>12.2f}" for ratio in ratios))
    means = [mean([base["seconds"][n] / run["seconds"][n] for n in queries]) for run in runs]
    lines.append("geometric mean " + "".join(f"{ratio:>12.2f}" for ratio in means))
    lines.append("workers        " + "".join(f"{run['workers']:>12}" for run in runs))
    if "right" in base:
        lines.append("right answers  " + "".join(f"{run['right']:>12}" for run in runs))
    if by_count:
        lines += ["", "geometric mean over one process, by number of processes of equal size",
                  "processes " + "".join(f"{count:>7}" for count, _ in by_count),
                  "speed-up  " + "".join(f"{ratio:>7.2f}" for _, ratio in by_count)]
    return "\n".join(lines) + "\n"


COLOURS = ["#888", "#3b6fb6", "#c8553d", "#3f8f5b", "#8a5fb0"]


def bars(groups, colour, titles):
    """A picture of bars in groups by name, with a line at 1. `titles` are of the bars of a group."""
    most = max(max(each) for each in groups.values())
    width, step = 8, 8 * len(titles) + 10
    step = max(step, 26)
    parts = []
    for place, (name, values) in enumerate(groups.items()):
        for i, value in enumerate(values):
            height = 160 * value / most
            parts.append(f'<rect x="{40 + place * step + i * width}" y="{180 - height:.1f}" width="{width}" '
                         f'height="{height:.1f}" fill="{colour(i)}"><title>{name}{titles[i]}: '
                         f'{value:.2f}</title></rect>')
        parts.append(f'<text x="{40 + place * step}" y="194" font-size="9">{name}</text>')
    one = 180 - 160 / most
    parts.append(f'<line x1="36" x2="{40 + len(groups) * step}" y1="{one:.1f}" y2="{one:.1f}" stroke="#000"/>'
                 f'<text x="18" y="{one + 3:.1f}" font-size="9">1.0</text>')
    return f'<svg width="{60 + len(groups) * step}" height="200">{"".join(parts)}</svg>'


def report(runs_by_engine, queries, scale, counts_by_engine=None):
    """A page with a chart for each engine: bars of the queries by policy, and of their geometric mean (OLAP on
    chiplets, Fig. 7 and 8); for a modelled machine also of the means by number of processes (Fig. 12)."""
    parts = []
    for engine, runs in runs_by_engine.items():
        by_count = (counts_by_engine or {}).get(engine, [])
        numbers = [n for n in queries if n in runs[0]["seconds"]]
        ratios = {f"q{n}": [runs[0]["seconds"][n] / run["seconds"][n] for run in runs] for n in numbers}
        ratios["mean"] = [mean([each[i] for each in ratios.values()]) for i in range(len(runs))]
        legend = ", ".join(f'<span style="color:{COLOURS[i % 5]}">{run["policy"]} ({run["workers"]} workers)</span>'
                           for i, run in enumerate(runs))
        parts.append(f"<h2>{html.escape(engine)}</h2><p>{legend}</p>")
        if by_count:
            parts.append("<p>Modelled, not measured: the recorded queries in CHARM's simulator.</p>")
        parts.append(bars(ratios, lambda i: COLOURS[i % 5], [f", {run['policy']}" for run in runs]))
        if by_count:
            parts.append("<p>Geometric mean over one process, by number of processes of equal size</p>")
            parts.append(bars({str(count): [ratio] for count, ratio in by_count}, lambda _: COLOURS[1], [" processes"]))
        parts.append(f"<pre>{html.escape(table(runs, numbers, by_count))}</pre>")
    measured = f"scale factor {scale}" if scale else "modelled"
    return ("<!DOCTYPE html><meta charset='utf-8'><title>charm deploy bench</title>"
            f"<h1>TPC-H, {measured}: speed-up over the first policy</h1>" + "".join(parts))
