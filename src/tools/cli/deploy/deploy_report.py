"""What `charm deploy bench` says of its runs: wrong answers, and tables of speed-ups by policy."""

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
