"""Threads and processes on the cores of a chiplet or node."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import weakref
from typing import Iterable, Iterator

from charm._machine import this_machine


def bind(cpus: Iterable[int]) -> set[int]:
    """Binds the calling thread to these cpus. Threads and processes that it starts later inherit that; those that run
    already do not. Returns the cpus that it could use before. Raises ValueError if it may use none of them."""
    before = os.sched_getaffinity(0)
    wanted = set(cpus)
    try:
        os.sched_setaffinity(0, wanted)
    except OSError as error:
        raise ValueError(f"the cpus {sorted(wanted)} cannot be used: {error.strerror}; this process may use {sorted(before)}") from error
    return before


@contextlib.contextmanager
def _limited(threads: int) -> Iterator[None]:
    """BLAS and OpenMP with so many threads, where threadpoolctl is installed."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(limits=threads):
        yield


@contextlib.contextmanager
def on(*, chiplet: int | None = None, node: int | None = None) -> Iterator[tuple[int, ...]]:
    """While the block runs: the calling thread, and threads that it starts, on the cores of a chiplet or node, and BLAS and
    OpenMP with a thread for each of them (with threadpoolctl). Yields the cpus. Raises ValueError if there is no such."""
    if (chiplet is None) == (node is None):
        raise ValueError("give a chiplet or a node")
    machine = this_machine()
    kind, number, all_of = ("chiplet", chiplet, machine.chiplets) if node is None else ("node", node, machine.nodes)
    if not 0 <= number < len(all_of):
        raise ValueError(f"there is no {kind} {number}; the machine has {len(all_of)}, from 0")
    cpus = all_of[number].cpus
    before = bind(all_of[number].all_cpus)
    try:
        with _limited(len(cpus)):
            yield cpus
    finally:
        os.sched_setaffinity(0, before)


class Places:
    """One place for each chiplet ("chiplet"), node ("node") or core ("core"), which the processes of a pool take in turns:
    `ProcessPoolExecutor(len(places), initializer=places.take)`. More processes than places share them. It may be pickled, so
    that any kind of pool can have it; keep it in the process that has made it as long as the pool makes processes."""

    def __init__(self, kind: str = "chiplet"):
        machine = this_machine()
        kinds = {
            "chiplet": [chiplet.all_cpus for chiplet in machine.chiplets],
            "node": [node.all_cpus for node in machine.nodes if node.all_cpus],
            "core": [core.cpus for core in machine.cores],
        }
        if kind not in kinds:
            raise ValueError(f"'{kind}' is no kind of place; give one of {', '.join(kinds)}")
        self.kind = kind
        self._cpus = kinds[kind]
        # A file, since pools that are not multiprocessing's own (loky, Dask) cannot pass on its locks.
        handle, self._counter = tempfile.mkstemp(prefix="charm-places-")
        os.close(handle)
        weakref.finalize(self, self._remove, self._counter, os.getpid())

    @staticmethod
    def _remove(counter: str, maker: int) -> None:
        if os.getpid() == maker:
            with contextlib.suppress(OSError):
                os.unlink(counter)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)  # the maker's file stays the maker's

    def __len__(self) -> int:
        return len(self._cpus)

    def __getitem__(self, index: int) -> tuple[int, ...]:
        """The cpus of a place."""
        return self._cpus[index]

    @property
    def threads(self) -> int:
        """Cores of the smallest place: threads that a process there can use."""
        if self.kind == "core":
            return 1
        machine = this_machine()
        cores = machine.chiplets if self.kind == "chiplet" else [node for node in machine.nodes if node.all_cpus]
        return min(len(place.cpus) for place in cores)

    def take(self) -> int:
        """For the beginning of a process: binds it to the next place, and tells pools that are made later how many threads
        to have. Returns the place's number."""
        try:
            with open(self._counter, "r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                taken = int(file.read() or 0)
                file.seek(0)
                file.write(str(taken + 1))
        except FileNotFoundError as error:
            raise ValueError("the process that has made these places has given them up; keep the object while the pool lives") from error
        place = taken % len(self)
        bind(self._cpus[place])
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
            os.environ.setdefault(variable, str(self.threads))
        with contextlib.suppress(ImportError):
            from threadpoolctl import threadpool_limits

            threadpool_limits(limits=self.threads)
        return place
