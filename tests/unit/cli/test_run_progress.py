"""What a person sees while a run works."""

from __future__ import annotations

import io

import pytest
from rich.progress import Progress, TextColumn

from testwright.cli.console import Console
from testwright.cli.progress import BarProgress, LineProgress, show_phases
from testwright.cli.run_progress import RunProgress, first_test
from testwright.core.events import Event, EventType

pytestmark = pytest.mark.feature("B-13")

STEPS = [
    *(
        {"id": f"g{number}", "type": "generate_unit_tests", "params": {"target": {"module": f"shop.m{number}"}}}
        for number in range(1, 5)
    ),
    {"id": "g5", "type": "generate_api_tests", "params": {"target": {"path": "src/shop/api.py"}}},
    {"id": "v", "type": "verify_suite", "params": {}},
]


def event(kind: EventType, step: str | None = None, message: str = "", **data: object) -> Event:
    return Event(1, kind, 0.0, message, step, data)


def planned() -> Event:
    return event(EventType.PLAN_READY, None, "6 steps", steps=STEPS, understood=["Unit tests for 4 modules."])


def ended(step: str, status: str = "completed", reason: str = "") -> Event:
    return event(EventType.STEP_ENDED, step, f"{step} {status}{': ' if reason else ''}{reason}", status=status)


def test_modules_are_named_with_what_is_done_and_how_far_the_run_is():
    now = [0.0]
    run = RunProgress(lambda: now[0])
    assert run.note(planned()) == "Unit tests for 4 modules."
    for number, step in enumerate(("g1", "g2")):
        run.note(event(EventType.STEP_STARTED, step))
        run.note(event(EventType.TESTS_RUN, step, kept=3, dropped=number))
        now[0] += 10
        line = run.note(ended(step))
        assert line == f"[{number + 1}/6] shop.m{number + 1}: 3 tests kept{', 1 dropped' if number else ''}"
    run.note(event(EventType.STEP_STARTED, "g5"))
    run.note(event(EventType.NODE_STARTED, "g5", node="generate_spec"))
    expected = "2 of 5 modules · 6 tests · about 40 s left · src/shop/api.py (api): looking for inputs"
    assert run.description() == expected
    run.note(event(EventType.STEP_STARTED, "v"))
    assert run.description().endswith("; all tests together: running")
    assert run.note(ended("v")) == "[3/6] all tests together: done"


def test_a_resumed_run_which_makes_no_plan_counts_the_tests_of_its_modules():
    run = RunProgress()
    run.note(event(EventType.STEP_STARTED, "generate_unit_shop_tax", step_type="generate_unit_tests"))
    run.note(event(EventType.TESTS_RUN, "generate_unit_shop_tax", kept=3, dropped=1))
    assert run.note(ended("generate_unit_shop_tax")) == "[1] shop_tax: 3 tests kept, 1 dropped"
    run.note(event(EventType.STEP_STARTED, "verify_suite", step_type="verify_suite"))
    assert run.description() == "3 tests · all tests together: running"
    assert run.note(ended("verify_suite")) == "[2] all tests together: done"


def test_phases_of_work_without_a_plan_are_told_one_a_line_where_there_is_no_terminal(capsys):
    with show_phases(quiet=False) as on_phase:
        on_phase("running 2 test files")
    with show_phases(quiet=True) as on_phase:
        on_phase("nobody reads this")
    assert capsys.readouterr().err.split("s  ", 1)[1] == "running 2 test files\n"


def test_a_reason_that_several_modules_share_is_said_once():
    run = RunProgress()
    run.note(planned())
    lines = [run.note(ended(step, "failed", "no sandbox")) for step in ("g1", "g2", "g3")]
    lines.append(run.note(ended("g4", "skipped", "not begun: no sandbox")))
    assert [line.partition(": ")[2] for line in lines] == [
        "failed: no sandbox",
        *["failed for the same reason"] * 2,
        "skipped for the same reason",
    ]


def test_a_resumed_run_has_no_plan_and_counts_on():
    assert RunProgress().note(ended("g1", "failed", "why")) == "[1] g1: failed: why"


FILE = (
    "import pytest\n\n\nclass TestCart:\n    @pytest.mark.parametrize('a', [1])\n"
    "    def test_add(self, a):\n        assert a\n\n    def test_other(self):\n        assert 2\n"
)


def test_the_first_test_is_shown_as_code_with_its_decorators(tmp_path):
    path = tmp_path / "test_a.py"
    path.write_text(FILE)
    assert first_test(path) == "@pytest.mark.parametrize('a', [1])\ndef test_add(self, a):\n    assert a"
    assert first_test(tmp_path / "none.py") == ""


def test_a_preview_that_is_there_before_the_plan_is_shown_after_the_understanding():
    log = io.StringIO()
    lines = LineProgress(Console(file=log))
    for one in (event(EventType.PROGRESS, None, "The first 2 tests pass", first_tests=2, path="x"), planned()):
        lines(one)
    assert [line.split("s  ")[1] for line in log.getvalue().splitlines()] == [
        "Unit tests for 4 modules.",
        "The first 2 tests pass",
    ]


def test_a_terminal_shows_code_and_names_and_a_log_shows_lines_only(tmp_path):
    path = tmp_path / "test_a.py"
    path.write_text(FILE.replace("assert a", "assert a == '\x1b[31m'"))
    events = [
        planned(),
        event(EventType.STEP_STARTED, "g1"),
        event(EventType.PROGRESS, None, "The first 2 tests pass", first_tests=2, path=str(path)),
        ended("g1"),
    ]
    screen, log = io.StringIO(), io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system=None, width=120)
    with Progress(TextColumn("{task.description}"), console=console) as progress:
        bar = BarProgress(progress)
        for one in events:
            bar(one)
    lines = LineProgress(Console(file=log))
    for one in events:
        lines(one)
    assert "def test_add(self, a):" in screen.getvalue()
    assert "[1/6] shop.m1: 0 tests kept" in screen.getvalue()
    assert "\x1b[31m" not in screen.getvalue()
    assert "def test_add" not in log.getvalue()
    assert [line.split("s  ")[1] for line in log.getvalue().splitlines()] == [
        "Unit tests for 4 modules.",
        "The first 2 tests pass",
        "[1/6] shop.m1: 0 tests kept",
    ]


def test_the_understanding_is_said_as_soon_as_it_is_known_and_once():
    log = io.StringIO()
    lines = LineProgress(Console(file=log))
    for one in (
        event(EventType.PROGRESS, None, "Unit tests for 4 modules.", understood=["Unit tests for 4 modules."]),
        event(EventType.PROGRESS, None, "The first 2 tests pass", first_tests=2, path="x"),
        event(EventType.PROGRESS, None, "facts", sandbox="bubblewrap", interpreter="/usr/bin/python3 3.12.1"),
        planned(),
    ):
        lines(one)
    assert [line.split("s  ")[1] for line in log.getvalue().splitlines()] == [
        "Unit tests for 4 modules.",
        "The first 2 tests pass",
        "The code runs with /usr/bin/python3 3.12.1 (bubblewrap).",
    ]


def test_where_no_line_came_for_ten_seconds_what_is_being_done_is_said():
    now, log = [0.0], io.StringIO()
    lines = LineProgress(Console(file=log), lambda: now[0])
    lines(planned())
    lines(event(EventType.STEP_STARTED, "g2"))
    lines(event(EventType.NODE_STARTED, "g2", node="run_tests"))
    for second in range(1, 25):
        now[0] = float(second)
        lines.tick()
    assert [line.strip() for line in log.getvalue().splitlines()[1:]] == [
        f"{second}.0s  0 of 5 modules · shop.m2: running tests, and on mutants" for second in (10, 20)
    ]


def test_before_the_plan_it_is_said_that_the_run_is_being_prepared():
    run = RunProgress()
    assert run.description() == "preparing"
    run.note(event(EventType.PROGRESS, None, "Unit tests.", understood=["Unit tests."], exploring="src/shop/cart.py"))
    assert run.description() == "src/shop/cart.py: looking for inputs"
