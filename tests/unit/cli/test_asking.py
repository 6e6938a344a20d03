"""A question about what was not understood: asked between two attempts, and no frame of the way to the first trial."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from testwright.app import runs
from testwright.cli import asking
from testwright.core.errors import RequestError, UsageError
from testwright.core.events import Event
from testwright.tests.support.projects.files import ROOT
from testwright.tests.support.runs.command_line import invoke_command

UNCLEAR: dict[str, object] = {
    "can_go_on": True,
    "not_understood": [{"text": "the checkout", "reason": "no such module", "suggestions": []}],
}


class Attempts:
    """Takes the place of a run: notes each attempt's strictness and our own frames on the way to it."""

    def __init__(self) -> None:
        self.strict: list[bool | None] = []
        self.way: list[str] = []

    async def __call__(self, request: str, settings, **_: object):
        self.strict.append(settings.strict)
        frame, self.way = sys._getframe(1), []
        while frame := frame.f_back:
            if Path(frame.f_code.co_filename).resolve().is_relative_to(ROOT / "cli"):
                self.way.append(frame.f_code.co_qualname)
        if settings.strict:
            raise RequestError("Not understood: the checkout.", details=UNCLEAR)
        raise UsageError("it ends here")


@pytest.fixture
def attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Attempts:
    seen = Attempts()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(runs, "run", seen)
    monkeypatch.setattr(asking, "is_terminal", lambda: True)
    return seen


@pytest.mark.feature("T-02")
@pytest.mark.parametrize(("answer", "strict"), [("y\n", [True, False]), ("n\n", [True])])
def test_a_run_goes_on_without_what_was_not_understood_once_the_person_says_so(
    attempts: Attempts, tmp_path: Path, answer: str, strict: list[bool]
) -> None:
    shown = invoke_command("run", "unit tests for the checkout", cwd=tmp_path, keys=answer)
    assert (shown.code, attempts.strict) == (2, strict)
    assert shown.err.count("Go on without it?") == 1
    assert ("it ends here" in shown.err) is (answer == "y\n")


def test_nobody_is_asked_while_the_output_is_for_a_machine(attempts: Attempts, tmp_path: Path) -> None:
    shown = invoke_command("run", "unit tests for the checkout", "--json", cwd=tmp_path)
    assert attempts.strict == [None]
    assert "Go on" not in shown.err


def test_the_command_itself_starts_the_work(attempts: Attempts, tmp_path: Path) -> None:
    """Each function between them is one more to read in a traceback."""
    invoke_command("run", "unit tests", cwd=tmp_path, keys="y\n")
    assert attempts.way == ["run"]


class Shown:
    """A progress that pauses."""

    def __init__(self) -> None:
        self.pauses = 0

    def __call__(self, event: Event) -> None:
        raise AssertionError("nothing is shown")

    def paused(self) -> AbstractContextManager[None]:
        self.pauses += 1
        return nullcontext()


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(("typed", "approved"), [("y", True), ("n", False), ("", False)])
def test_a_person_at_a_terminal_is_asked_about_a_risky_step_and_only_yes_approves(
    typed: str, approved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "is_terminal", lambda: True)
    shown = Shown()
    ask = asking.approver(shown, quiet=False, environment={})
    assert ask is not None
    with CliRunner().isolation(input=f"{typed}\n") as streams:
        assert asyncio.run(ask("b sends requests to shop.example. Execute it?")) is approved  # pyrefly: ignore[bad-argument-type]
        said = streams[1].getvalue().decode()
    assert said.startswith("b sends requests to shop.example. Execute it? [y/N]"), "it is on stderr"
    assert shown.pauses == 1


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(
    ("quiet", "environment", "terminal"),
    [(True, {}, True), (False, {"CI": "true"}, True), (False, {"CI": "1"}, True), (False, {}, False)],
    ids=["for a machine", "CI", "CI by number", "no terminal"],
)
def test_nobody_is_asked_where_nobody_can_answer(
    quiet: bool, environment: dict[str, str], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "is_terminal", lambda: terminal)
    assert asking.approver(Shown(), quiet=quiet, environment=environment) is None
