"""Options of a program that show nothing by themselves, or that may not go together, are tried beside others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from testwright.engine.integration.model.programs import CommandResult, ProgramRun, ProjectProgram, RunObservation
from testwright.engine.integration.programs.arguments import Command, ProgramArgument
from testwright.engine.integration.programs.pairs import MOST_PAIRS, paired_runs
from testwright.engine.integration.programs.runs import KeptRun, ProgramFlows, _chosen
from testwright.engine.integration.write.run_names import run_names
from testwright.engine.python.project.layout import ModulePlace

pytestmark = pytest.mark.feature("T-20")
FILES = (("one.csv", "a"), ("two.csv", "b"))


def _ran(*options: str, out: str = "plain", code: int = 0) -> tuple[ProgramRun, RunObservation]:
    run = ProgramRun(FILES, (("one.csv", "two.csv", *options),))
    return run, RunObservation((CommandResult(code, out, "", "exited"),), {}, {})


def _lines(*seen: tuple[ProgramRun, RunObservation]) -> list[tuple[str, ...]]:
    return [run.commands[0][2:] for run in paired_runs(seen)]


def test_an_option_that_shows_nothing_is_tried_beside_each_that_does() -> None:
    seen = (_ran(), _ran("--all"), _ran("--key", "id", out="by key"), _ran("--json", out="{}"))
    assert _lines(*seen)[:2] == [("--key", "id", "--all"), ("--json", "--all")]


def test_the_plain_run_is_the_one_that_others_extend_and_not_a_documented_line_with_options() -> None:
    documented = _ran("--key=id", "--json", out="documented")
    seen = (documented, _ran(), _ran("--all"), _ran("--json", out="{}"))
    assert ("--json", "--all") in _lines(*seen)


def test_two_options_that_show_something_are_tried_together() -> None:
    assert _lines(_ran(), _ran("--extra", "a", out="extra"), _ran("--json", out="{}")) == [("--json", "--extra", "a")]


def test_an_option_that_is_refused_and_another_file_are_no_partners() -> None:
    other = ProgramRun((("three.csv", "c"),), (("three.csv", "two.csv"),))
    refused = _ran("--bad", out="", code=2)
    assert _lines(_ran(), refused, (other, _ran(out="other")[1]), _ran("--json", out="{}")) == []


def test_of_very_many_options_some_pairs_are_tried() -> None:
    seen = [_ran(), *(_ran(f"--option-{number}", out=str(number)) for number in range(20))]
    assert len(paired_runs(seen)) == MOST_PAIRS


def test_a_test_of_two_options_is_named_by_both() -> None:
    program = ProjectProgram("differ", ModulePlace("differ/cli.py", "differ.cli", "."), ("-m", "differ.cli"))
    options = tuple(ProgramArgument(name, "text", (f"--{name}",)) for name in ("key", "json", "word"))
    flows = ProgramFlows(program, (Command((), options),))
    seen = (
        _ran(),
        _ran("--key", "id", out="by key"),
        _ran("--json", out="{}"),
        _ran("--word", "a", out="a"),
        _ran("--word", "a", "--key", "id", out="a by key"),
    )
    kept = [KeptRun(run, result, result, frozenset()) for run, result in seen]
    names = run_names(flows, kept, set())
    assert names[-1] == "tc_differ_with_word_and_key"
    assert len(set(names)) == len(names)


def test_a_program_of_one_module_is_tested_by_what_it_does_with_files() -> None:
    run = ProgramRun(FILES, (("one.csv",),))
    arc = ("differ/cli.py", 1, 2)
    ending = CommandResult(0, "same", "", "exited", frozenset({cast(Any, arc)}))
    program = ProjectProgram("differ", ModulePlace("differ/cli.py", "differ.cli", "."), ("-m", "differ.cli"))
    flows = ProgramFlows(program, (Command((), ()),), seen=[(run, RunObservation((ending,), {}, {}))])
    crossing = SimpleNamespace(source="differ.cli", target="differ.rows")

    def arcs(*edges: Any) -> Any:
        return SimpleNamespace(real=frozenset, edges=lambda _: edges)

    for edges in ((), (crossing,)):
        assert [chosen for chosen, _ in _chosen(flows, arcs(*edges), {"differ.cli", "differ.rows"})] == [run]
    flows.seen = [(run, RunObservation((CommandResult(0, "same", "", "exited"),), {}, {}))]
    assert _chosen(flows, arcs(), {"differ.cli"}) == []
