"""The tests that testwright makes of a fixed version, and what each of them runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..generators.environments import Environment
from ..generators.fresh_process import FreshProcess
from ..generators.sources import Source
from ..generators.tools.generated import Terms
from ..generators.tools.testwright import Testwright
from .missing_names import tolerant


@dataclass(frozen=True)
class Suite:
    """Kept tests of one module.

    Attributes:
        files: text by POSIX path relative to the project.
        passing: node ids of those that pass in the version they were made from.
        lines: lines of the module that each of them runs, by node id.
        crash: why there are none; empty where there are some.
        seconds: wall time of making them.
    """

    files: Mapping[str, str]
    passing: frozenset[str]
    lines: Mapping[str, set[int]]
    crash: str
    seconds: float

    def tests_of(self, lines: frozenset[int]) -> frozenset[str]:
        """Those that run one of these lines of the module."""
        return frozenset(test for test in self.passing if not lines.isdisjoint(self.lines.get(test, ())))


def make_suite(source: Source, home: Environment, terms: Terms) -> Suite:
    """Run testwright on a module with its default settings; run what it keeps once more."""
    generated = Testwright(repeated=False).generate(source, terms)
    files = {path: contents.decode("utf-8") for path, contents in generated.files.items()}
    tests = _tests(files)
    process = FreshProcess(source, home, terms.memory_mib)
    root = _laid(source, files, terms.work / "later")
    outcomes = process.outcomes(root, tests) if tests else {}
    passing = frozenset(test for test, outcome in outcomes.items() if outcome == "passed")
    lines = process.lines_by_test(root, tests, outcomes.keys() - passing) if passing else {}
    return Suite(files, passing, lines, generated.crash, generated.wall_seconds)


def failing_in(suite: Suite, source: Source, home: Environment, terms: Terms) -> frozenset[str]:
    """Which tests of a suite fail in another version of the module that they pass in, by node id."""
    files = {path: tolerant(text) if path.endswith(".py") else text for path, text in suite.files.items()}
    tests = _tests(files)
    if not suite.passing:
        return frozenset()
    root = _laid(source, files, terms.work / "earlier")
    outcomes = FreshProcess(source, home, terms.memory_mib).outcomes(root, tests)
    return frozenset(test for test in suite.passing if outcomes.get(test) == "failed")


def _tests(files: Mapping[str, str]) -> Sequence[str]:
    return sorted(path for path in files if Path(path).name.startswith("test_"))


def _laid(source: Source, files: Mapping[str, str], place: Path) -> Path:
    root = source.copy(place)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
