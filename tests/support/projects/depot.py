"""A small project of several modules with a command line, for integration tests to meet."""

from __future__ import annotations

ERRORS = '''"""What can go wrong."""


class Missing(Exception):
    """Too few pieces."""
'''
SHELF = '''"""Pieces by name."""

from .errors import Missing


class Shelf:
    """What lies there."""

    def __init__(self) -> None:
        self._pieces = {}

    def put(self, name: str, pieces: int = 1) -> int:
        """Put pieces there and return how many there are."""
        self._pieces[name] = self.pieces(name) + pieces
        return self._pieces[name]

    def pieces(self, name: str) -> int:
        """How many there are."""
        return self._pieces.get(name, 0)

    def take(self, name: str, pieces: int) -> int:
        """Take pieces away.

        Raises:
            Missing: there are too few.
        """
        if pieces > self.pieces(name):
            raise Missing(f"{name}: {pieces - self.pieces(name)} missing")
        self._pieces[name] -= pieces
        return self._pieces[name]
'''
SHIPPING = '''"""What leaves the depot."""

from dataclasses import dataclass

from .shelf import Shelf


@dataclass
class Parcel:
    """Pieces on their way."""

    name: str
    pieces: int


def ship(name: str, pieces: int, shelf: Shelf) -> Parcel:
    """Take pieces from a shelf and pack them.

    Raises:
        Missing: there are too few.
    """
    shelf.take(name, pieces)
    return Parcel(name, pieces)
'''
CLI = '''"""The depot's command line."""

import argparse
import json
import sys
from pathlib import Path

from .errors import Missing
from .shelf import Shelf
from .shipping import ship


def main() -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="depot")
    parser.add_argument("--state", type=Path, default=Path("depot.json"))
    commands = parser.add_subparsers(dest="command", required=True)
    put = commands.add_parser("put", help="put pieces on the shelf")
    put.add_argument("name")
    put.add_argument("--pieces", type=int, default=4, help="how many (default: 3)")
    take = commands.add_parser("ship", help="ship pieces")
    take.add_argument("name")
    take.add_argument("number", type=int)
    options = parser.parse_args()
    shelf = Shelf()
    kept = json.loads(options.state.read_text()) if options.state.exists() else {}
    for name, pieces in kept.items():
        shelf.put(name, pieces)
    try:
        if options.command == "put":
            print(f"{options.name}: {shelf.put(options.name, options.pieces)}")
        else:
            parcel = ship(options.name, options.number, shelf)
            print(f"shipped {parcel.pieces} {parcel.name}")
    except Missing as error:
        print(f"depot: {error}", file=sys.stderr)
        return 1
    names = {*kept, options.name}
    options.state.write_text(json.dumps({name: shelf.pieces(name) for name in sorted(names)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
PROJECT = """[project]
name = "depot"
version = "1.0"

[project.scripts]
depot = "depot.cli:main"
"""
DEPOT = {
    "pyproject.toml": PROJECT,
    "src/depot/__init__.py": "",
    "src/depot/errors.py": ERRORS,
    "src/depot/shelf.py": SHELF,
    "src/depot/shipping.py": SHIPPING,
    "src/depot/cli.py": CLI,
}
