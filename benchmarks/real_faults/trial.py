"""One module of a fixed version: its suite, and every listed fault of it that the suite meets in earlier versions."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..generators.commands import PreparationError
from ..generators.environments import Environment, environment
from ..generators.sources import Source, fetched
from ..generators.tools.generated import Terms
from .functions import body_lines, with_bodies_of
from .pairs import Pair
from .proof import outcome, prove
from .suite import Suite, failing_in, make_suite

CAUGHT, MISSED, NO_TEST, NOT_PROVEN, NO_SUITE = "caught", "missed", "no test", "not proven", "no suite"
"""Verdicts: a test of the function fails on the fault; none does; no kept test runs the function; the pair does not
count; testwright kept nothing at all."""


@dataclass(frozen=True)
class Result:
    """What came of one pair.

    Attributes:
        note: why the pair does not count, or what testwright said instead of tests.
        tests: how many kept tests run the function in the fixed version.
        failing: those of them that fail because of the fault.
        others: tests that fail in the version with the fault for another difference, as far as that is known.
        isolated: whether the fault could be put alone into the fixed version, with the functions' earlier text. Then a
            test fails because of it when it fails on that; else, when it runs the function and fails in the version
            with the fault.
        seconds: of making the suite, shared by all pairs of the module.
    """

    pair: Pair
    verdict: str
    note: str = ""
    tests: int = 0
    failing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    isolated: bool = False
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        told = {name: getattr(self, name) for name in ("verdict", "note", "tests", "isolated", "seconds")}
        return {**self.pair.to_dict(), **told, "failing": list(self.failing), "others": list(self.others)}


@dataclass(frozen=True)
class Group:
    """All pairs with the same module in the same fixed version: one suite meets them all."""

    pairs: tuple[Pair, ...]
    later: Source = field(compare=False)
    earlier: dict[str, Source] = field(compare=False)
    home: Environment = field(compare=False)

    @property
    def name(self) -> str:
        """Package, fixed version and module."""
        return f"{self.pairs[0].package}-{self.pairs[0].fixed}-{self.pairs[0].module}"


def prepared(pairs: Sequence[Pair], folder: Path) -> tuple[list[Group], list[Result]]:
    """Fetch the sources and make the environments of all pairs.

    Returns:
        groups of pairs to be tried, and a result for each pair whose sources could not be had.
    """
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.package, pair.fixed, pair.module), []).append(pair)
    found, failed = [], []
    for group in groups.values():
        try:
            later = fetched(group[0].later, folder)
            earlier = {pair.faulty: fetched(pair.earlier, folder) for pair in group}
            home = environment("subjects", folder, group[0].later)
            found.append(Group(tuple(group), later, earlier, home))
        except PreparationError as fault:
            note = str(fault).splitlines()[-1][:200]
            failed += [Result(pair, NOT_PROVEN, note) for pair in group]
    return found, failed


def tried(group: Group, terms: Terms, suites: Path) -> list[Result]:
    """Prove the pairs of a group, make one suite, run it in each version with a fault.

    Args:
        suites: folder that the suite is laid in for people to read.
    """
    terms = replace(terms, work=terms.work / group.name)
    source = (group.later.root / group.later.path).read_text(encoding="utf-8")
    results = [_proven(pair, source, group, terms) for pair in group.pairs]
    counting = [result for result in results if not result.note]
    if counting:
        suite = make_suite(group.later, group.home, terms)
        _lay(suite, suites / group.name)
        failing = {
            version: failing_in(suite, group.earlier[version], group.home, terms)
            for version in sorted({result.pair.faulty for result in counting})
        }
        met = {one.pair: _met(one.pair, suite, failing[one.pair.faulty], group, terms) for one in counting}
        results = [met.get(result.pair, result) for result in results]
    shutil.rmtree(terms.work, ignore_errors=True)
    return results


def proven(group: Group, terms: Terms) -> list[Result]:
    """Only prove the pairs of a group."""
    terms = replace(terms, work=terms.work / group.name)
    source = (group.later.root / group.later.path).read_text(encoding="utf-8")
    return [_proven(pair, source, group, terms) for pair in group.pairs]


def _proven(pair: Pair, source: str, group: Group, terms: Terms) -> Result:
    """A result without a note where the proof holds and the functions are in the module."""
    absent = [name for name, lines in body_lines(source, pair.functions).items() if not lines]
    if absent or not pair.functions:
        return Result(pair, NOT_PROVEN, f"{pair.module} {pair.fixed} has no function {', '.join(absent)}")
    proof = prove(pair, group.earlier[pair.faulty], group.later, group.home, terms.work / "proof")
    return Result(pair, NOT_PROVEN if proof.complaint else NO_TEST, proof.complaint)


def _met(pair: Pair, suite: Suite, failing: frozenset[str], group: Group, terms: Terms) -> Result:
    """What a suite makes of one fault, by the tests that fail in the version that has it."""
    if not suite.passing:
        return Result(pair, NO_SUITE, suite.crash, seconds=suite.seconds)
    source = (group.later.root / group.later.path).read_text(encoding="utf-8")
    own = suite.tests_of(frozenset().union(*body_lines(source, pair.functions).values()))
    alone = _isolated(pair, source, group, terms)
    caught = failing & own
    if alone is not None and caught:
        caught &= failing_in(suite, alone, group.home, terms)
    return Result(
        pair,
        CAUGHT if caught else MISSED if own else NO_TEST,
        tests=len(own),
        failing=tuple(sorted(caught)),
        others=tuple(sorted(failing - caught)),
        isolated=alone is not None,
        seconds=suite.seconds,
    )


def _isolated(pair: Pair, source: str, group: Group, terms: Terms) -> Source | None:
    """The fixed version with the functions' earlier text; None where that is no longer, or not yet, the fault."""
    earlier = group.earlier[pair.faulty]
    text = with_bodies_of(source, (earlier.root / earlier.path).read_text(encoding="utf-8"), pair.functions)
    if text is None:
        return None
    root = group.later.copy(terms.work / "isolated")
    (root / group.later.path).write_text(text, encoding="utf-8")
    alone = replace(group.later, root=root)
    proof = outcome(pair.proof, alone, group.home, terms.work / "proof")
    return alone if proof == outcome(pair.proof, earlier, group.home, terms.work / "proof") else None


def _lay(suite: Suite, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in suite.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
