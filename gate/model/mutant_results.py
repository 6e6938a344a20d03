"""Defines the results of mutants: plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...mutation.model import Mutant
from ...utils.canonical import attributes
from .trivial_results import FunctionTrials, UnprovenExpectation

Status = Literal["killed", "timeout", "survived", "uncovered", "equivalent", "untried"]


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What became of a mutant.

    Attributes:
        status: `killed`: a test failed that passes without it. `timeout`: a test did not come to an end, which counts
            as killed. `survived`: the tests that run its line pass. `uncovered`: no test runs its line, which counts
            as survived. `equivalent`: set aside by `rule` before any test ran. `untried`: the time was up, or the
            changed file did not compile.
        killed_by: node ids of the tests that noticed it, in the order of collection.
        rule: the rule that set it aside.
        tests: how many tests were run on it.
    """

    mutant: Mutant
    status: Status
    killed_by: tuple[str, ...] = ()
    rule: str | None = None
    tests: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        mutant = self.mutant
        return {
            **attributes(mutant, "operator", "path", "line", "before", "after"),
            **attributes(self, "status", "killed_by", "rule", "tests"),
        }


@dataclass(frozen=True, slots=True)
class MutationReport:
    """All sampled mutants of a measurement, in the order of the source.

    Attributes:
        found: mutants there are; the sample was drawn from them.
        seed: of the sample.
        seconds, peak_mib: wall time of the measurement, and the most memory one process held.
        functions: what came of trivial implementations of the functions that tests call, in the order of the source.
        unproven: expectations that tests hold without.
        places: how many mutants there are on each line, by file: of those that were found, sampled or not.
    """

    results: tuple[MutantResult, ...] = ()
    found: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    peak_mib: float = 0.0
    functions: tuple[FunctionTrials, ...] = ()
    unproven: tuple[UnprovenExpectation, ...] = ()
    places: Mapping[str, Mapping[int, int]] = field(default_factory=dict, repr=False)
    kills: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        counted = Counter(name for result in self.results for name in result.killed_by)
        object.__setattr__(self, "kills", dict(counted))

    def count(self, *statuses: Status) -> int:
        """How many mutants have one of these statuses."""
        return sum(result.status in statuses for result in self.results)

    @property
    def tried(self) -> int:
        """Mutants that count: those that were not set aside and that there was time for."""
        return self.count("killed", "timeout", "survived", "uncovered")

    @property
    def score(self) -> float | None:
        """Detected mutants in percent of those that were tried; None when none was."""
        tried = self.tried
        return round(100.0 * self.count("killed", "timeout") / tried, 2) if tried else None

    def within(self, lines: Mapping[str, Set[int]]) -> MutationReport:
        """The same, of some lines of some files; other files stay whole.

        Where it is not known on which lines there are mutants, those that were found are the sampled ones.
        """
        if not lines:
            return self
        inside = tuple(
            one for one in self.results if one.mutant.path not in lines or one.mutant.line in lines[one.mutant.path]
        )
        places = {
            path: {line: count for line, count in counts.items() if path not in lines or line in lines[path]}
            for path, counts in self.places.items()
        }
        found = sum(sum(counts.values()) for counts in places.values()) if places else len(inside)
        return replace(self, results=inside, found=found, places=places)

    def own_kills(self) -> dict[str, int]:
        """Mutants that only one test notices, counted by that test."""
        return dict(Counter(result.killed_by[0] for result in self.results if len(result.killed_by) == 1))

    def counts(self) -> dict[str, Any]:
        """The measurement in numbers, the same in every run; equivalents also by rule."""
        rules = Counter(str(result.rule) for result in self.results if result.status == "equivalent")
        return {
            "found": self.found,
            "sampled": len(self.results),
            "seed": self.seed,
            "killed": self.count("killed"),
            "timeout": self.count("timeout"),
            "survived": self.count("survived"),
            "uncovered": self.count("uncovered"),
            "equivalent": self.count("equivalent"),
            "untried": self.count("untried"),
            "score": self.score,
            "equivalent_by_rule": dict(sorted(rules.items())),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON form: counts, survivors and all mutants; `seconds` and `peak_mib` differ from run to run."""
        return {
            **self.counts(),
            **attributes(self, "notes", "seconds", "peak_mib"),
            "mutants": [result.to_dict() for result in self.results],
            "functions": [function.to_dict() for function in self.functions],
        }
