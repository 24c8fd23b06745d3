#!/usr/bin/python3
"""Compares the answers of `charm bench graph` with igraph's, which shares no code with CHARM.

    graphs_against_igraph.py CHARM

Random graphs of several shapes, directed and not, with weights, in several orders, from files of every text format.
Components, distances and triangles have to be igraph's; betweenness and scores of PageRank those that follow from its
distances, neighbours and scores. Exit code 77: there is no igraph here (Debian: python3-igraph).
"""
import random
import subprocess
import sys
import tempfile

try:
    import igraph
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)

DAMPING = 0.85
RANK_TOLERANCE = 1e-4 / (1 - DAMPING)  # a change below 1e-4 leaves at most so much, summed over the vertices


def shapes(draw):
    """(name, vertices, pairs of vertices). No loops; pairs may repeat."""
    yield "random", 200, [(draw.randrange(200), draw.randrange(200)) for _ in range(500)]
    yield "hubs", 150, [(draw.randrange(150), draw.randrange(150) ** 2 // 150) for _ in range(700)]
    yield "path", 120, [(v, v + 1) for v in range(119)]
    side = 12
    across = [(v, v + 1) for v in range(side * side) if v % side < side - 1]
    yield "grid", side * side, across + [(v, v + side) for v in range(side * (side - 1))]
    yield "islands", 90, [(v, v + 1 if v % 9 < 8 else v - 8) for v in range(90)]
    yield "star", 64, [(0, v) for v in range(1, 64)]


def edges_of(pairs, directed, draw):
    """{(u, v): weight}, of each pair once."""
    edges = {}
    for u, v in pairs:
        if u == v or (not directed and (v, u) in edges):
            continue
        edges.setdefault((u, v), draw.randrange(1, 400))
    return edges


def write(path, kind, vertices, edges):
    with open(path, "w", encoding="ascii") as file:
        if kind == "wel":
            file.writelines(f"{u} {v} {w}\n" for (u, v), w in edges.items())
            return
        if kind == "gr":
            file.write(f"c a comment\np sp {vertices} {len(edges)}\n")
            file.writelines(f"a {u + 1} {v + 1} {w}\n" for (u, v), w in edges.items())
            return
        if kind == "mtx":
            file.write(f"%%MatrixMarket matrix coordinate integer general\n{vertices} {vertices} {len(edges)}\n")
            file.writelines(f"{u + 1} {v + 1} {w}\n" for (u, v), w in edges.items())
            return
        lists = [[] for _ in range(vertices)]
        for (u, v), w in edges.items():
            lists[u].append((v + 1, w))
            lists[v].append((u + 1, w))
        file.write(f"{vertices} {len(edges)} 1\n")
        file.writelines(" ".join(f"{v} {w}" for v, w in sorted(each)) + "\n" for each in lists)


def charm(program, folder, path, options, kernel):
    """The kernel's answer: {vertex: number}, or a number."""
    output = f"{folder}/answer"
    command = [program, "bench", "graph", "--file", path, "--kernel", kernel, "--runtime", "charm", "--workers", "2",
               "--trials", "1", "--output", output, "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(output, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return float(lines[0][0]) if kernel == "tc" else {int(line[0]): float(line[1]) for line in lines}


def groups(labels):
    found = {}
    for vertex, label in labels.items():
        found.setdefault(label, set()).add(vertex)
    return sorted(map(sorted, found.values()))


def rank(graph):
    """As the suite defines it: what vertices without out-edges have is given to nobody."""
    n = graph.vcount()
    base = (1 - DAMPING) / n
    into = [graph.neighbors(v, mode="in") for v in range(n)]
    out = graph.degree(mode="out")
    scores = [1 / n] * n
    for _ in range(300):
        gives = [s / d if d else 0 for s, d in zip(scores, out)]
        scores = [base + DAMPING * sum(gives[u] for u in each) for each in into]
    return scores


def dependencies(graph, source, hops):
    """Brandes: for each vertex, over all targets, the share of the shortest paths from the source that pass it."""
    n = graph.vcount()
    reached = sorted((v for v in range(n) if hops[v] < float("inf")), key=lambda v: hops[v])
    before = {v: [u for u in set(graph.neighbors(v, mode="in")) if hops[u] + 1 == hops[v]] for v in reached}
    paths = [0] * n
    paths[source] = 1
    for v in reached[1:]:
        paths[v] = sum(paths[u] for u in before[v])
    passed = [0.0] * n
    for v in reversed(reached):
        for u in before[v]:
            passed[u] += paths[u] / paths[v] * (1 + passed[v])
    return passed  # the source's, too, as the suite has it


def differences(answers, graph, source):
    """What is not as igraph has it."""
    n = graph.vcount()
    hops = graph.distances(source)[0]
    parent = answers["bfs"]
    for v in range(n):
        if (v in parent and parent[v] >= 0) != (hops[v] < float("inf")):
            yield f"bfs: whether {v} can be reached"
        elif v != source and parent.get(v, -1) >= 0 and hops[int(parent[v])] + 1 != hops[v]:
            yield f"bfs: {v}'s parent {parent[v]} is not one step nearer"
    far = graph.distances(source, weights="weight")[0]
    for v in range(n):
        got = answers["sssp"].get(v, -1)
        if (got != far[v]) if far[v] < float("inf") else (got >= 0 and got != float("inf")):
            yield f"sssp: {v} is {got} far, not {far[v]}"
    labels = graph.connected_components(mode="weak").membership
    if groups(answers["cc"]) != groups(dict(enumerate(labels))):
        yield "cc: other components"
    scores = graph.pagerank(damping=DAMPING) if not graph.is_directed() and 0 not in graph.degree() else rank(graph)
    off = sum(abs(score - answers["pr"][v]) for v, score in enumerate(scores))
    if off > RANK_TOLERANCE:
        yield f"pr: {off} off"
    between = dependencies(graph, source, hops)
    most = max(between) or 1  # CHARM's are divided by the largest
    for v in range(n):
        if abs(between[v] / most - answers["bc"][v]) > 1e-3:
            yield f"bc: {v} has {answers['bc'][v]}, not {between[v] / most}"
    expected = len(graph.as_undirected().simplify().cliques(3, 3))
    if answers["tc"] != expected:
        yield f"tc: {answers['tc']} triangles, not {expected}"


def main(program):
    draw = random.Random(7)
    failures = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, vertices, pairs in shapes(draw):
            for directed, kind in ((False, "metis"), (False, "wel"), (True, "gr"), (True, "mtx"), (True, "wel")):
                edges = edges_of(pairs, directed, draw)
                path = f"{folder}/graph.{kind}"
                write(path, kind, vertices, edges)
                # An edge list ends with the largest vertex that it names.
                n = 1 + max(max(edge) for edge in edges) if kind == "wel" else vertices
                graph = igraph.Graph(n, list(edges), directed=directed, edge_attrs={"weight": list(edges.values())})
                source = draw.choice(list(edges))[0]
                options = ["--order", draw.choice(("given", "random", "zigzag", "rcm")), "--source", str(source)]
                if not directed and kind == "wel":
                    options.append("--undirected")
                answers = {kernel: charm(program, folder, path, options, kernel)
                           for kernel in ("bfs", "sssp", "cc", "pr", "bc", "tc")}
                compared += len(answers)
                for what in differences(answers, graph, source):
                    failures += 1
                    print(f"{name}, {'directed' if directed else 'undirected'}, {kind}, {' '.join(options)}: {what}")
    print(f"{compared} answers compared, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
