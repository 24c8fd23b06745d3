"""Chiplet-aware placement for Python: which cores share a cache, and threads and processes on them."""

from charm._machine import Chiplet, Core, Machine, Node, Place, placement, topology
from charm._places import Places, bind, on
from charm._threads import map  # noqa: A004 (as concurrent.futures has it)
from charm._version import version as __version__

__all__ = ["Chiplet", "Core", "Machine", "Node", "Place", "Places", "__version__", "bind", "map", "on", "placement", "topology"]
