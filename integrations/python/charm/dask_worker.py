"""For `dask worker ... --nworkers N --preload charm.dask_worker`: each worker process on a chiplet of its own.

Dask starts its worker processes one by one and knows no number for them; its names end with one ("...-3"), where --name is
given or more than one is started. Without a number the processes take chiplets by their ids."""

from __future__ import annotations

import os
import re

from charm._places import Places, bind


def place_of(name: str, process: int, places: int) -> int:
    """The place of a worker with this name and process id."""
    number = re.search(r"(\d+)$", name)
    return (int(number.group(1)) if number else process) % places


def dask_setup(worker) -> None:
    places = Places("chiplet")
    name = str(worker.name) if getattr(worker, "name", None) is not None else ""
    bind(places[place_of(name, os.getpid(), len(places))])
