"""Pairs of versions: one with a fault, one in which its makers had mended it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..generators.corpus import Subject

LIST = Path(__file__).with_name("pairs.toml")


@dataclass(frozen=True)
class Pair:
    """One fault and its repair.

    Attributes:
        faulty: version of the package that has the fault.
        fixed: version that has it no more; near to the other, so that little else differs.
        module: dotted name of the module that the functions are defined in.
        functions: names of the functions concerned as they stand in the fixed version, `Class.method` for methods.
        fault: what was wrong, in one line.
        proof: Python whose last line is an expression; its outcome differs between the versions.
        right: the outcome in the fixed version, as `repr` writes it, or `raises ErrorName`.
        requires: what the listed packages import, besides what is in `benchmarks/peers/subjects.txt`; one environment
            serves them all.
    """

    package: str
    faulty: str
    fixed: str
    module: str
    functions: tuple[str, ...]
    fault: str
    proof: str
    right: str
    requires: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Package, versions and functions, as the report shows them."""
        return f"{self.package} {self.faulty} → {self.fixed} {', '.join(self.functions)}"

    @property
    def earlier(self) -> Subject:
        """The module in the version with the fault."""
        return Subject(self.package, self.faulty, self.module, further=True, requires=self.requires)

    @property
    def later(self) -> Subject:
        """The module in the version without it."""
        return Subject(self.package, self.fixed, self.module, further=True, requires=self.requires)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return asdict(self)


def read_pairs(path: Path = LIST) -> list[Pair]:
    """The pairs of a list, in its order.

    Raises:
        ValueError: an entry lacks a field, or has one that is not known.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = tuple(table.get("requires", ()))
    return [_pair(entry, shared) for entry in table["pair"]]


def chosen(pairs: Sequence[Pair], packages: Sequence[str], *, quick: bool = False) -> list[Pair]:
    """The pairs of some packages; of all where none is named.

    Args:
        quick: only those of the first module of each package, in the version of its first pair.

    Raises:
        ValueError: a package has no pair.
    """
    unknown = sorted(set(packages) - {pair.package for pair in pairs})
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: no pair of this package is listed")
    found = [pair for pair in pairs if not packages or pair.package in packages]
    first: dict[str, Pair] = {}
    for pair in found:
        first.setdefault(pair.package, pair)
    if not quick:
        return found
    return [pair for pair in found if pair.later == first[pair.package].later]


def _pair(entry: dict[str, Any], shared: tuple[str, ...]) -> Pair:
    fields: dict[str, Any] = {**entry, "functions": tuple(entry.get("functions", ()))}
    fields["proof"] = str(fields.get("proof", "")).strip()
    try:
        return Pair(**fields, requires=shared)
    except TypeError as fault:
        raise ValueError(f"pairs.toml, {entry.get('package')} {entry.get('fixed')}: {fault}") from fault
