"""Two options that have nothing to do with each other are no test together."""

from __future__ import annotations

import pytest

from testwright.engine.integration.model.programs import CommandResult, ProgramRun, RunObservation
from testwright.engine.integration.programs.plainer import merged_runs

pytestmark = pytest.mark.feature("T-20")


def printed(*lines: str, code: int = 0) -> RunObservation:
    return RunObservation((CommandResult(code, "".join(f"{line}\n" for line in lines), "", "exited"),), {}, {})


def run(*options: str) -> ProgramRun:
    return ProgramRun((), (("list", *options),))


def test_an_output_that_only_joins_those_of_two_options_shows_nothing_new() -> None:
    seen = {run(): printed("a"), run("--old"): printed("a", "old"), run("--new"): printed("a", "new")}
    both = run("--old", "--new")
    assert merged_runs({**seen, both: printed("a", "old", "new")}) == {both}
    assert merged_runs({**seen, both: printed("a", "old", "new", "two more")}) == frozenset()


def test_lines_in_another_order_are_something_new() -> None:
    seen = {
        run(): printed("1", "2", "3"),
        run("--reverse"): printed("3", "2", "1"),
        run("--limit", "2"): printed("1", "2"),
    }
    assert merged_runs({**seen, run("--reverse", "--limit", "2"): printed("3", "2")}) == frozenset()
