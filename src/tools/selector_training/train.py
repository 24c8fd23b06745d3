"""Trains the selectors of task graphs from labelled graphs: `charm batch train` runs this program.

    train.py LABELS FOLDER [--only tree,logistic,gcn] [--epochs N] [--seed N]
    train.py --golden FILE

LABELS is a file of `charm batch label`. FOLDER gets tree.json, logistic.json and gcn.json, trained with all graphs, and
folds/FAMILY/ with models of the same kinds that were trained without the graphs of that family, so that each family can
judge models that have never seen it. Every graph counts by what the wrong schedule costs there: a graph that runs equally
fast either way teaches nothing.

The tree and the logistic regression need Python alone. The network needs PyTorch (its cpu version will do).
"""

import argparse
import json
import math
import os
import random
import sys
import time
import warnings

HIDDEN = 16
CLASSES = ("batch", "stream", "both")
NODE_FEATURES = ["log_in", "log_out", "log_types", "log_group", "type", "conditional", "log_depth", "log_cost"]


class Graph:
    """A labelled graph: its family, features, label, and what the wrong schedule costs."""

    def __init__(self, line):
        label = line["label"]
        self.family = line["family"]
        self.features = label["features"]
        self.better = CLASSES.index(label["better"])
        self.nodes = label["nodes"]
        self.after = line["after"]
        stream, batch = label["stream_ns"], label["batch_ns"]
        self.batch_wins = batch < stream
        # Bounded, so that no single graph decides.
        self.cost = min(1.0, max(stream, batch) / min(stream, batch) - 1)


def read_labels(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    if not lines or lines[0].get("charm_task_dag") != "labels":
        sys.exit(f"train: {path} has no labels of `charm batch label`")
    graphs = [Graph(line) for line in lines[1:] if "label" in line]
    if not graphs:
        sys.exit(f"train: {path} has no labelled graphs; run `charm batch label` on the graphs")
    return graphs


# ---- the tree ----


def gini(batch, stream):
    total = batch + stream
    return 0.0 if total <= 0 else 2 * batch * stream / total


def grow(graphs, names, depth, least, nodes):
    """Appends the nodes of a tree; branches lead to later nodes."""
    batch = sum(g.cost for g in graphs if g.batch_wins)
    stream = sum(g.cost for g in graphs if not g.batch_wins)
    here = len(nodes)
    # Towards the stream where little is known: half a graph of average cost.
    doubt = 0.5 * (batch + stream) / max(1, len(graphs))
    nodes.append({"batch": round(batch / (batch + stream + doubt), 6) if batch > 0 else 0.0})
    if depth == 0 or len(graphs) < 2 * least or batch == 0 or stream == 0:
        return here
    best = None
    for name in names:
        ordered = sorted(graphs, key=lambda g: g.features[name])
        left = [0.0, 0.0]
        for i in range(len(ordered) - 1):
            left[0 if ordered[i].batch_wins else 1] += ordered[i].cost
            low, high = ordered[i].features[name], ordered[i + 1].features[name]
            if low == high or i + 1 < least or len(ordered) - i - 1 < least:
                continue
            impurity = gini(*left) + gini(batch - left[0], stream - left[1])
            if best is None or impurity < best[0] - 1e-12:
                best = (impurity, name, (low + high) / 2)
    if best is None or best[0] >= 0.98 * gini(batch, stream):
        return here
    _, name, threshold = best
    below = grow([g for g in graphs if g.features[name] <= threshold], names, depth - 1, least, nodes)
    above = grow([g for g in graphs if g.features[name] > threshold], names, depth - 1, least, nodes)
    nodes[here] = {"feature": name, "threshold": threshold, "below": below, "above": above}
    return here


def train_tree(graphs, _options):
    nodes = []
    least = max(3, len(graphs) // 40)
    grow(graphs, sorted(graphs[0].features), 4, least, nodes)
    return {"model": "tree", "version": 1, "nodes": nodes}


# ---- the logistic regression ----


def solve(matrix, right):
    """Gauss's elimination with pivots; the matrix is symmetric and positive."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    for i in reversed(range(n)):
        rows[i][n] = (rows[i][n] - sum(rows[i][c] * rows[c][n] for c in range(i + 1, n))) / rows[i][i]
    return [row[n] for row in rows]


def mean_and_scale(values):
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return mean, deviation if deviation > 1e-6 else 1.0


def train_logistic(graphs, _options):
    names = sorted(graphs[0].features)
    standard = [mean_and_scale([g.features[name] for g in graphs]) for name in names]
    rows = [[1.0] + [(g.features[n] - m) / s for n, (m, s) in zip(names, standard)] for g in graphs]
    weights = [g.cost for g in graphs]
    total = sum(weights) or 1.0
    weights = [w * len(graphs) / total for w in weights]
    size, ridge = len(names) + 1, 0.01 * len(graphs)
    beta = [0.0] * size
    for _ in range(25):  # Newton's method
        gradient = [-ridge * b for b in beta]
        gradient[0] = 0.0
        hessian = [[0.0] * size for _ in range(size)]
        for i in range(size):
            hessian[i][i] = ridge if i > 0 else 1e-6
        for row, weight, graph in zip(rows, weights, graphs):
            score = sum(b * x for b, x in zip(beta, row))
            p = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
            error = weight * ((1.0 if graph.batch_wins else 0.0) - p)
            curve = weight * max(1e-6, p * (1 - p))
            for i, x in enumerate(row):
                gradient[i] += error * x
                scaled = curve * x
                line = hessian[i]
                for j in range(i, size):
                    line[j] += scaled * row[j]
        for i in range(size):
            for j in range(i):
                hessian[i][j] = hessian[j][i]
        step = solve(hessian, gradient)
        beta = [b + s for b, s in zip(beta, step)]
        if max(abs(s) for s in step) < 1e-6:
            break
    terms = [{"feature": name, "weight": b, "mean": m, "scale": s} for name, b, (m, s) in zip(names, beta[1:], standard)]
    return {"model": "logistic", "version": 1, "intercept": beta[0], "terms": terms}


# ---- the network ----


def load_torch():
    warnings.filterwarnings("ignore", category=UserWarning)  # of operations that old versions call new
    try:
        import torch

        torch.set_num_threads(1)  # the matrices are small, and threads that wait for each other suffer beside other load
        return torch
    except ImportError:
        return None


def make_network(torch):
    class Network(torch.nn.Module):
        """Two convolutions without bias, mean and maximum over the graph with its size, two dense layers."""

        def __init__(self):
            super().__init__()
            self.convolution1 = torch.nn.Linear(len(NODE_FEATURES), HIDDEN, bias=False)
            self.convolution2 = torch.nn.Linear(HIDDEN, HIDDEN, bias=False)
            self.dense1 = torch.nn.Linear(2 * HIDDEN + 1, HIDDEN)
            self.dense2 = torch.nn.Linear(HIDDEN, len(CLASSES))

        def forward(self, batch):
            def spread(rows):
                scaled = rows * batch["scale"]
                return scaled.index_add(0, batch["to"], scaled[batch["from"]]) * batch["scale"]

            hidden = torch.relu(self.convolution1(spread(batch["x"])))
            hidden = torch.relu(self.convolution2(spread(hidden)))
            graphs, owner = batch["graphs"], batch["owner"]
            mean = torch.zeros(graphs, HIDDEN).index_add(0, owner, hidden) / batch["counts"][:, None]
            # After relu nothing is below 0, so zeros do not disturb the maximum.
            most = torch.zeros(graphs, HIDDEN).scatter_reduce(0, owner[:, None].expand(-1, HIDDEN), hidden, "amax")
            pooled = torch.cat([mean, most, torch.log1p(batch["counts"])[:, None]], 1)
            return self.dense2(torch.relu(self.dense1(pooled)))

    return Network()


def tensors(torch, graph):
    """x (n × 8), and the edges in both directions."""
    source = [i for i, after in enumerate(graph.after) for _ in after]
    target = [j for after in graph.after for j in after]
    x = torch.tensor(graph.nodes, dtype=torch.float32)
    one, two = torch.tensor(source, dtype=torch.long), torch.tensor(target, dtype=torch.long)
    return x, torch.cat([one, two]), torch.cat([two, one])


def collate(torch, prepared, mean, scale):
    """Several graphs as one whose parts are not connected."""
    counts = torch.tensor([len(x) for x, _, _ in prepared], dtype=torch.float32)
    starts, total = [], 0
    for x, _, _ in prepared:
        starts.append(total)
        total += len(x)
    source = torch.cat([s + start for (_, s, _), start in zip(prepared, starts)])
    target = torch.cat([t + start for (_, _, t), start in zip(prepared, starts)])
    degree = torch.ones(total).index_add(0, source, torch.ones(len(source)))
    return {
        "x": (torch.cat([x for x, _, _ in prepared]) - mean) / scale,
        "from": source,
        "to": target,
        "scale": degree.rsqrt()[:, None],
        "counts": counts,
        "graphs": len(prepared),
        "owner": torch.repeat_interleave(torch.arange(len(prepared)), counts.long()),
    }


def network_json(model, mean, scale):
    def rows(linear):
        return [[float(v) for v in row] for row in linear.weight.detach().t()]

    def one(vector):
        return [float(v) for v in vector.detach()]

    return {
        "model": "gcn", "version": 1, "features": NODE_FEATURES, "mean": one(mean), "scale": one(scale),
        "convolution1": rows(model.convolution1), "convolution2": rows(model.convolution2),
        "dense1": rows(model.dense1), "bias1": one(model.dense1.bias),
        "dense2": rows(model.dense2), "bias2": one(model.dense2.bias),
    }  # fmt: skip


def train_gcn(graphs, options):
    torch = options.torch
    torch.manual_seed(options.seed)
    order = random.Random(options.seed)
    prepared = [tensors(torch, graph) for graph in graphs]
    every = torch.cat([x for x, _, _ in prepared])
    mean, scale = every.mean(0), every.std(0, unbiased=False)
    scale[scale < 1e-6] = 1.0
    model = make_network(torch)
    # Half of the weight for the classes, half for what the wrong one costs.
    average = max(1e-6, sum(g.cost for g in graphs) / len(graphs))
    weights = torch.tensor([0.5 + 0.5 * g.cost / average for g in graphs])
    labels = torch.tensor([g.better for g in graphs])
    size = 16
    batches = [list(range(i, min(i + size, len(graphs)))) for i in range(0, len(graphs), size)]
    shuffled = list(range(len(graphs)))
    order.shuffle(shuffled)
    batches = [[shuffled[i] for i in batch] for batch in batches]
    collated = [collate(torch, [prepared[i] for i in batch], mean, scale) for batch in batches]
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, options.epochs, 1e-4)
    for _ in range(options.epochs):
        turn = list(range(len(batches)))
        order.shuffle(turn)
        for b in turn:
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(collated[b]), labels[batches[b]], reduction="none")
            (loss * weights[batches[b]]).mean().backward()
            optimiser.step()
        rate.step()
    trained = network_json(model, mean, scale)
    trained["accuracy"] = class_accuracy(torch, model, prepared, labels, mean, scale)
    options.last = (model, mean, scale)
    return trained


def class_accuracy(torch, model, prepared, labels, mean, scale):
    """Share of the graphs whose class of the three is the label: what the paper calls accuracy."""
    if not prepared:
        return None
    with torch.no_grad():
        right = sum(int(model(collate(torch, [one], mean, scale)).argmax()) == int(label)
                    for one, label in zip(prepared, labels))  # fmt: skip
    return right / len(prepared)


TRAINERS = {"tree": train_tree, "logistic": train_logistic, "gcn": train_gcn}


def write_model(path, model):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(model, file)
        file.write("\n")
    os.replace(path + ".part", path)


def train(options):
    graphs = read_labels(options.labels)
    families = sorted({graph.family for graph in graphs})
    if len(families) < 2:
        sys.exit("train: all graphs are of one family, so that none is left to judge the models; generate others, too")
    kinds = [kind for kind in options.only.split(",") if kind]
    for kind in kinds:
        if kind not in TRAINERS:
            sys.exit(f"train: there is no selector '{kind}' to train; there are {', '.join(TRAINERS)}")
    options.torch = load_torch() if "gcn" in kinds else None
    if "gcn" in kinds and options.torch is None:
        print("train: no PyTorch in this Python, so the network is left out; scripts/setup training installs it",
              file=sys.stderr)  # fmt: skip
        kinds.remove("gcn")
    for kind in kinds:
        begin, right, judged = time.time(), 0.0, 0
        for family in families:
            known = [graph for graph in graphs if graph.family != family]
            model = TRAINERS[kind](known, options)
            if kind == "gcn":
                unseen = [graph for graph in graphs if graph.family == family]
                network, mean, scale = options.last
                share = class_accuracy(options.torch, network, [tensors(options.torch, g) for g in unseen],
                                       [g.better for g in unseen], mean, scale)  # fmt: skip
                right += share * len(unseen)
                judged += len(unseen)
            model["without"] = family
            write_model(os.path.join(options.folder, "folds", family, kind + ".json"), model)
        model = TRAINERS[kind](graphs, options)
        if judged:
            model["accuracy_unseen"] = right / judged
        write_model(os.path.join(options.folder, kind + ".json"), model)
        print(f"train: {kind} with {len(graphs)} graphs of {len(families)} families, {time.time() - begin:.1f} s",
              file=sys.stderr)  # fmt: skip


def golden(path):
    """An untrained network, some graphs, and what PyTorch makes of them: for the test of the other implementation."""
    torch = load_torch()
    if torch is None:
        sys.exit("train: --golden needs PyTorch")
    torch.manual_seed(7)
    chance = random.Random(7)
    model = make_network(torch)
    mean, scale = torch.randn(8), 0.5 + torch.rand(8)
    cases = []
    for nodes, edges in ((1, 0), (2, 1), (5, 9), (31, 60), (64, 40)):
        after = [[] for _ in range(nodes)]
        for _ in range(edges):
            a, b = chance.randrange(nodes), chance.randrange(nodes)
            after[a].append(b)  # also twice, and from a node to itself
        graph = Graph({
            "family": "", "after": after,
            "label": {"features": {}, "better": "both", "stream_ns": 1, "batch_ns": 1,
                      "nodes": [[round(chance.gauss(0, 2), 3) for _ in range(8)] for _ in range(nodes)]},
        })  # fmt: skip
        with torch.no_grad():
            logits = model(collate(torch, [tensors(torch, graph)], mean, scale))[0]
        cases.append({"nodes": graph.nodes, "after": after, "logits": [float(v) for v in logits]})
    write_model(os.path.abspath(path), {"torch": torch.__version__, "model": network_json(model, mean, scale), "cases": cases})


def main():
    parser = argparse.ArgumentParser(prog="train.py", description="Trains selectors of task graphs.")
    parser.add_argument("labels", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", default="tree,logistic,gcn")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--golden", metavar="FILE")
    options = parser.parse_args()
    if options.golden:
        golden(options.golden)
    elif options.labels and options.folder:
        train(options)
    else:
        parser.error("LABELS and FOLDER are needed")


main()
