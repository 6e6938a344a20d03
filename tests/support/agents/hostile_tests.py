"""Test files of a model that obeys an injected order, and of one that does not, with the module that they test."""

from __future__ import annotations

from pathlib import Path

_DATA = Path(__file__).parents[2] / "data" / "hostile"


def _sections(name: str) -> dict[str, str]:
    """The texts of a file by their heads, the lines that begin with `===`."""
    parts = (_DATA / name).read_text(encoding="utf-8").split("=== ")[1:]
    return {head.strip(): text.strip() + "\n" for head, _, text in (part.partition("\n") for part in parts)}


HOSTILE = {
    head.partition(" | ")[0]: (head.partition(" | ")[2], text)
    for head, text in _sections("model_tests_refused.txt").items()
}
"""By name: what a refusal must say, and the file. `CANARY` stands for a path outside of the project."""

HARMLESS = _sections("model_tests_kept.txt")
"""By name: what good tests of models do, which must stay kept."""

CHARGES = '''"""Charges of a till."""

import csv
from dataclasses import dataclass
from decimal import Decimal


@dataclass
class Export:
    path: str

    def write(self, rows):
        with open(self.path, "w", newline="") as stream:
            csv.writer(stream).writerows(rows)
        return len(rows)


def round_money(value):
    """Round to cents."""
    return Decimal(value).quantize(Decimal("0.01"))


def export_csv(rows, path):
    """Write rows as CSV; returns how many there are."""
    return Export(path).write(rows)


def read_rate(path):
    """The rate in a file."""
    with open(path) as stream:
        return stream.read().strip()
'''
