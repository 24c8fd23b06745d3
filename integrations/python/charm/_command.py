"""The command `charm`: becomes the program that the wheel carries."""

import os
import shutil
import sys
from pathlib import Path

_programs = Path(__file__).parent / "_programs"


def program() -> str:
    """The path of the command: that of the wheel, else the one in PATH."""
    own = _programs / "bin" / "charm"
    if own.exists():
        return str(own)
    found = shutil.which("charm")
    if found is None:
        raise FileNotFoundError("there is no command 'charm': install the wheel charm-runtime, or CHARM itself")
    return found


def main() -> None:
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
