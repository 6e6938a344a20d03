"""Defines how strictly test files are verified: plain data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from .conditions import conditions_of, under
from .options import LOAD_SECONDS, RunOrder, SuiteOptions


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How strictly files are verified.

    Attributes:
        repeats: runs after the first, shuffled, the last one backwards; what else they vary stands in `conditions.py`.
        seeds: seeds of the shuffled orders, used in turn.
        measure: files whose branch coverage the first run measures.
        test_seconds, wall_seconds: limits for one test and one run.
        project_plugins: load the pytest plugins of the target's environment, which its own tests need.
        mutants: size of the sample of mutants that the kept tests are measured by; 0 for none.
        mutant_seconds: for how long mutants are tried; those left then are `untried`.
        beside: run tests that use what other processes could use, too, beside themselves.
        confined: refuse tests that change files outside their temporary folder.
        acting: ids of the cases whose tests may do nothing themselves but call the target, because a model wrote them;
            None for all tests.
        load_seconds: what each profile of a load test is pressed into.
        quick_passwords: see `SuiteOptions`.
    """

    repeats: int = 3
    seeds: tuple[int, ...] = (1, 2, 3)
    measure: tuple[str, ...] = ()
    test_seconds: float = 10.0
    wall_seconds: float = 120.0
    mutants: int = 0
    mutant_seconds: float = 900.0
    project_plugins: bool = False
    beside: bool = True
    confined: bool = True
    acting: frozenset[str] | None = frozenset()
    load_seconds: float = LOAD_SECONDS
    quick_passwords: bool = False

    def base(self) -> SuiteOptions:
        """How every run of the file starts out."""
        return SuiteOptions(
            test_seconds=self.test_seconds,
            wall_seconds=self.wall_seconds,
            project_plugins=self.project_plugins,
            load_seconds=self.load_seconds,
            quick_passwords=self.quick_passwords,
            acts=self.acting is None or bool(self.acting),
        )

    def variation(self, number: int, without: Collection[str] = ()) -> SuiteOptions:
        """The surroundings of one repeat, counted from 1; `without` names conditions to leave out."""
        base = self.base()
        return under(replace(base, ci=base.acts), conditions_of(number, self.repeats, without))

    def same_start(self) -> list[SuiteOptions]:
        """Repeats that may share the start of the runner with the first run; they run whatever is collected."""
        if self.repeats < 1 or self.variation(1).start != self.base().start:
            return []
        return [self.order(1).asked(self.variation(1))]

    def order(self, number: int) -> RunOrder:
        """The order of one repeat, counted from 1."""
        if number == self.repeats:
            return RunOrder(0, "reversed")
        return RunOrder(self.seeds[(number - 1) % len(self.seeds)] if self.seeds else number)
