"""Threads on cores of their own."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterable, TypeVar

from charm._machine import placement, this_machine
from charm._places import bind

T = TypeVar("T")
R = TypeVar("R")


def map(function: Callable[[T], R], items: Iterable[T], *, workers: int | None = None, policy: str = "local") -> list[R]:  # noqa: A001
    """`[function(item) for item in items]` by threads that are bound to cores: as many as there are cores, or `workers`, where
    the policy places them. It is faster only where `function` releases the GIL. The first exception is raised when the
    calls that run have ended."""
    count = workers if workers is not None else len(this_machine().cores)
    cpus: queue.SimpleQueue[int] = queue.SimpleQueue()
    for place in placement(count, policy):
        cpus.put(place.cpu)
    with ThreadPoolExecutor(count, thread_name_prefix="charm", initializer=lambda: bind([cpus.get()])) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
