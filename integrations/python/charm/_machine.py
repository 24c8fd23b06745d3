"""The machine and the placement of workers on it, as the command `charm` tells them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from charm._command import program


@dataclass(frozen=True)
class Core:
    """A physical core. `cpus` are the system's numbers of its hardware threads."""

    id: int
    cpus: tuple[int, ...]
    chiplet: int
    node: int
    socket: int


@dataclass(frozen=True)
class Chiplet:
    """Cores that share a last-level cache. `cpus` has one hardware thread of each core, `all_cpus` all of them."""

    id: int
    cores: tuple[int, ...]
    cpus: tuple[int, ...]
    all_cpus: tuple[int, ...]
    node: int
    socket: int
    l3_bytes: int


@dataclass(frozen=True)
class Node:
    """A NUMA node. `os_index` is the system's number, `cpus` those of one hardware thread of each of its cores."""

    id: int
    os_index: int
    cpus: tuple[int, ...]
    all_cpus: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Machine:
    """What this process may use of the machine. Ids are positions in these lists."""

    name: str
    chiplets: tuple[Chiplet, ...]
    nodes: tuple[Node, ...]
    cores: tuple[Core, ...]
    doubts: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a worker is: the system's number of its cpu, and the ids of its core, chiplet, node and socket."""

    cpu: int
    core: int
    chiplet: int
    node: int
    socket: int


def _told(*words: str) -> dict:
    done = subprocess.run([program(), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError((done.stderr.strip() or f"charm {words[0]} ended with exit code {done.returncode}").removeprefix("charm: "))
    return json.loads(done.stdout)


def topology(source: str | None = None) -> Machine:
    """The machine that this process runs on, restricted to the cpus that it may use. `source` describes another one: a file
    or an hwloc string, as `charm topo --from` takes it. Raises ValueError for a source that cannot be read."""
    told = _told("topo", "--json", *(["--from", source] if source else []))
    cores = tuple(
        Core(each["id"], tuple(each["siblings"]), each["chiplet"], each["node"], each["socket"]) for each in told["cores"]
    )

    def first_of(ids: list[int]) -> tuple[int, ...]:
        return tuple(cores[core].cpus[0] for core in ids)

    def all_of(ids: list[int]) -> tuple[int, ...]:
        return tuple(sorted(cpu for core in ids for cpu in cores[core].cpus))

    def on_node(node: int) -> list[int]:
        return [core.id for core in cores if core.node == node]

    return Machine(
        told["name"],
        tuple(
            Chiplet(each["id"], tuple(each["cores"]), first_of(each["cores"]), all_of(each["cores"]), each["node"], each["socket"], each["l3_bytes"])
            for each in told["chiplets"]
        ),
        tuple(
            Node(each["id"], each["os_index"], first_of(on_node(each["id"])), all_of(on_node(each["id"])), each["bytes"])
            for each in told["nodes"]
        ),
        cores,
        tuple(told.get("doubts", ())),
    )


def placement(workers: int, policy: str = "local") -> list[Place]:
    """The cores that a policy gives to so many workers: "local" packs them on few chiplets, "distributed" spreads them.
    Raises ValueError for an unknown policy, or more workers than cores."""
    if workers < 1:
        raise ValueError(f"{workers} workers cannot be placed; give 1 or more")
    told = _told("run", "--dry-run", "--json", "--policy", policy, "--workers", str(workers), "--", "true")
    places = [Place(each["cpu"], each["core"], each["chiplet"], each["node"], each["socket"]) for each in told["worker_cores"]]
    if len(places) < workers:
        raise ValueError(f"there are cores for {len(places)} workers, not for {workers}")
    return places


@lru_cache(maxsize=1)
def this_machine() -> Machine:
    """topology(), asked once: for what binds threads, from masks that are smaller afterwards."""
    return topology()
