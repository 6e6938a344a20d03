"""Programs are run for real, in the sandbox, whatever they do; only what deserves it becomes a test."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from testwright.engine.integration.model.programs import DEFAULT_CONDITIONS, ProgramRun, ProjectProgram, RunConditions
from testwright.engine.integration.model.wide_arcs import WideArcs
from testwright.engine.integration.modules.targets import integration_target
from testwright.engine.integration.programs.arguments import InputFormats
from testwright.engine.integration.programs.proposals import ProgramFacts
from testwright.engine.integration.programs.runs import KeptRun, ProgramRunner, explore_program, rejection_reason
from testwright.engine.integration.write.program_cases import expectations, program_cases
from testwright.engine.python.model.spec_case import SpecEvidence
from testwright.engine.python.project.layout import ModulePlace, find_layout
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.depot import DEPOT

BAD = {
    "src/depot/dies.py": "import os, signal\n\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "src/depot/raises.py": "raise RuntimeError('no')\n",
    "src/depot/leaves.py": (
        "import subprocess, sys\n\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\n"
    ),
    "src/depot/outside.py": "import pathlib\n\n(pathlib.Path.home() / 'litter.txt').write_text('x')\nprint('ok')\n",
    "src/depot/secret.py": "print('api_key: sk-proj-abcdefghijklmnopqrstuvwxyz012345')\n",
    "src/depot/moves.py": "import time\n\nprint(int(time.time()))\nopen('kept.txt', 'w').write('same')\n",
    "src/depot/hangs.py": "import time\n\nprint('begun', flush=True)\ntime.sleep(600)\n",
    "src/depot/talks.py": "print('x' * 100_000)\n",
    "src/depot/waits.py": "print(repr(input()))\n",
}
EVIDENCE = SpecEvidence("src/depot/cli.py", (1, 9))


@pytest.fixture(scope="module")
def depot(tmp_path_factory):
    """The depot and some bad programs, made ready to run, with a loop of its own. Read only."""
    folder = tmp_path_factory.mktemp("depot")
    loop = asyncio.new_event_loop()
    opening = prepared(folder, {**DEPOT, **BAD})
    target = loop.run_until_complete(opening.__aenter__())
    try:
        yield SimpleNamespace(target=target, run=loop.run_until_complete)
    finally:
        loop.run_until_complete(opening.__aexit__(None, None, None))
        loop.close()


def runner_of(depot, module):
    place = ModulePlace(f"src/depot/{module}.py", f"depot.{module}", "src")
    return ProgramRunner(depot.target, ProjectProgram(module, place, ("-m", f"depot.{module}")), [place])


def seen_of(depot, module, *arguments, manner=DEFAULT_CONDITIONS):
    run = ProgramRun((), (tuple(arguments),))
    return depot.run(runner_of(depot, module).observe([run], manner))[0]


@pytest.fixture(scope="module")
def explored(depot):
    """What exploring the depot's own program gave."""
    root = depot.target.root
    target = integration_target(root, find_layout(root), "src/depot/cli.py")
    assert target is not None
    sources = [(root / component.place.path).read_text() for component in target.components]
    arcs = WideArcs([component.place.module for component in target.components], sources)
    runner = ProgramRunner(depot.target, target.programs[0], [component.place for component in target.components])
    commands = depot.run(runner.commands())
    known = ProgramFacts(
        commands, (("put", "tea"), ("ship", "tea", "2")), InputFormats(), (), DEPOT["src/depot/cli.py"]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("testwright.engine.integration.programs.proposals.MOST_SINGLE", 5)
        patch.setattr("testwright.engine.integration.programs.proposals.MOST_FOLLOWING", 4)
        flows = depot.run(explore_program(runner, target.programs[0], known, arcs, target))
    return SimpleNamespace(flows=flows, arcs=arcs, target=target, commands=commands)


@pytest.mark.feature("T-20")
def test_the_parser_itself_tells_what_a_program_takes(explored):
    assert [command.words for command in explored.commands] == [("put",), ("ship",)]
    assert [(argument.name, argument.kind) for argument in explored.commands[1].arguments] == [
        ("name", "text"),
        ("number", "whole"),
    ]


@pytest.mark.feature("T-20")
def test_commands_after_one_another_become_flows_that_cross(explored):
    cases = program_cases(explored.flows, explored.arcs, explored.target, (1, 9), set())
    shipped = next(case for case in cases if case.id.startswith("tc_depot_ship_after_put"))
    assert ("cli", "shipping") in shipped.crosses
    assert shipped.services[0] == "run_depot"
    assert len(shipped.steps) == 2
    demanded = {one.actual: one.value for one in shipped.expect}
    assert demanded["result.returncode"] == "0"
    assert demanded["result.stdout"] == r"'shipped 2 tea\n'"


@pytest.mark.feature("B-02")
def test_a_default_that_is_not_the_one_in_the_help_text_is_a_suspected_defect_and_never_pinned(explored):
    (defect,) = explored.flows.defects
    assert defect["subject"] == "depot put"
    assert "default: 3" in defect["documented"]
    assert "help=" in DEPOT["src/depot/cli.py"].splitlines()[defect["evidence"]["lines"][0] - 1]
    last = [one.run.commands[-1] for one in explored.flows.kept]
    assert all("--pieces" in words for words in last if words[0] == "put")


@pytest.mark.feature("B-02")
def test_the_lines_that_reproduce_a_defect_do(explored, depot):
    (defect,) = explored.flows.defects
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", defect["reproduce"]],
        cwd=depot.target.root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    without, documented = done.stdout.splitlines()[-2:]
    assert without != documented


@pytest.mark.feature("T-20", "B-07")
@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("dies", "killed by signal 9"),
        ("raises", "unhandled RuntimeError"),
        ("leaves", "left a process running"),
        ("outside", "writes outside of its folder"),
        ("waits", "unhandled EOFError"),
    ],
)
def test_a_program_that_misbehaves_is_named_for_it_and_becomes_no_test(depot, module, said):
    assert said in rejection_reason(seen_of(depot, module))


def test_a_program_that_hangs_is_ended_and_named_for_it(depot, monkeypatch):
    monkeypatch.setattr("testwright.engine.integration.programs.runs.COMMAND_SECONDS", 1.0)
    assert rejection_reason(seen_of(depot, "hangs")) == "it did not end within 1 s"


def test_more_output_than_a_test_could_show_is_not_kept(depot):
    told = seen_of(depot, "talks")
    assert rejection_reason(told) == ""
    assert told.last is not None
    assert told.last.out is None


@pytest.mark.feature("B-07")
def test_what_looks_like_a_secret_is_never_written_down(depot):
    told = seen_of(depot, "secret")
    assert told.last is not None
    assert "sk-proj" in (told.last.out or "")
    demanded = expectations(KeptRun(ProgramRun((), ((),)), told, told, frozenset()), EVIDENCE)
    assert [one.actual for one in demanded] == ["result.returncode"]


def test_what_moves_with_the_clock_is_not_demanded_but_what_stays_is(depot):
    plain, elsewhere = seen_of(depot, "moves"), seen_of(depot, "moves", manner=RunConditions(shift=86_400))
    demanded = expectations(KeptRun(ProgramRun((), ((),)), plain, elsewhere, frozenset()), EVIDENCE)
    assert [one.actual for one in demanded] == [
        "result.returncode",
        "(tmp_path / 'kept.txt').read_text(encoding='utf-8')",
    ]


def test_a_program_that_asks_no_parser_has_no_commands(depot):
    assert depot.run(runner_of(depot, "secret").commands()) == ()


def test_answers_of_the_worker_are_json_lines_with_arcs_of_watched_files(depot):
    told = seen_of(depot, "secret", manner=RunConditions(traced=True))
    assert told.last is not None
    assert told.last.code == 0
    assert json.dumps(sorted(told.last.arcs)) == "[]"  # module level alone is no call
