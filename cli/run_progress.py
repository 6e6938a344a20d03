"""What a run is doing, in words, from its events: modules by name, counts, time left. No terminal is touched here."""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..core.events import Event, EventType
from ..core.outcome import NOT_BEGUN, STOPPED
from ..core.time_left import TimeLeft
from ..utils.names.counted import counted
from ..utils.python_source import parse_or_none, source_lines

_NODES = {
    "retrieve_context": "reading",
    "select_schema": "reading",
    "generate_spec": "looking for inputs",
    "refine_spec": "correcting the spec",
    "validate_spec": "checking the spec",
    "generate_code": "writing tests",
    "refine_code": "correcting tests",
    "validate_code": "checking tests",
    "run_tests": "running tests, and on mutants",
    "analyze_results": "judging",
}
_STEPS = {
    "verify_suite": "all tests together",
    "accept_tests": "adding tests to the project",
    "retrieve_context": "context",
    "crawl_repository": "the repository",
    "write_test_cases": "test cases",
    "engineer_tests": "test files",
}
_SHORT = {"unit": ""}
_CODE_LINES = 24


class RunProgress:
    """The state of one run, fed by its events.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._names: dict[str, str] = {}
        self._modules: set[str] = set()
        self._busy: dict[str, str] = {}
        self._reasons: set[str] = set()
        self._kept: dict[str, tuple[int, int]] = {}
        self._time_left = TimeLeft()
        self._is_planned = False
        self._said: set[str] = set()
        self._exploring = ""
        self._waiting: list[Event] = []
        self.total = 0
        self.ended = 0
        self._modules_ended = 0

    def in_reading_order(self, event: Event) -> list[Event]:
        """The events to show now: a preview of tests waits until the request's understanding was shown.

        The engine begins early, so that the first tests may be there before the plan; a resumed run makes no plan.
        """
        self._is_planned |= event.type in (EventType.PLAN_READY, EventType.STEP_STARTED) or "understood" in event.data
        if not self._is_planned and "first_tests" in event.data:
            self._waiting.append(event)
            return []
        if not self._is_planned:
            return [event]
        waiting, self._waiting = self._waiting, []
        return [event, *waiting]

    def note(self, event: Event) -> str:
        """Take an event in; returns a line for people, "" where there is nothing to say."""
        step = event.step_id or ""
        if event.type is EventType.PLAN_READY:
            return self._planned(event)
        if event.type is EventType.STEP_STARTED:
            self._take_up(event)
            self._busy[step] = "starting" if step in self._modules else "running"
            self._time_left.start(step, self._clock())
        elif event.type is EventType.NODE_STARTED and step in self._busy:
            self._busy[step] = _NODES.get(str(event.data.get("node")), self._busy[step])
        elif event.type is EventType.TESTS_RUN:
            self._kept[step] = (_count(event.data.get("kept")), _count(event.data.get("dropped")))
        elif event.type is EventType.STEP_ENDED:
            return self._ended(event)
        elif event.type is EventType.DEFECT_SUSPECTED:
            return f"suspected defect: {event.message}"
        elif "understood" in event.data:
            self._exploring = str(event.data.get("exploring", ""))
            return self._once(event.message)
        elif "interpreter" in event.data:
            return self._once(f"The code runs with {event.data['interpreter']} ({event.data.get('sandbox')}).")
        elif "warning" in event.data or "first_tests" in event.data:
            return event.message
        return ""

    def _once(self, line: str) -> str:
        """The line; "" where it was shown before: the request is understood before the graph makes its plan."""
        is_new = line not in self._said
        self._said.add(line)
        return line if is_new else ""

    def description(self) -> str:
        """What is being done now: modules by name, tests so far, time left."""
        parts = []
        if self._modules and self.total:
            parts.append(f"{self._modules_ended} of {counted(len(self._modules), 'module')}")
        kept = sum(kept for kept, _ in self._kept.values())
        if kept:
            parts.append(counted(kept, "test"))
        left = self.seconds_left()
        if left is not None:
            parts.append(f"about {_duration(left)} left")
        doing = "; ".join(f"{self._name(step)}: {what}" for step, what in self._busy.items() if what)
        early = f"{self._exploring}: looking for inputs" if self._exploring else "preparing"
        return " · ".join([*parts, doing or ("working" if self._names else early)])

    def _planned(self, event: Event) -> str:
        steps = [step for step in event.data.get("steps", ()) if isinstance(step, Mapping)]
        self.total = len(steps)
        for step in steps:
            self._names[str(step.get("id"))] = _label(step)
            if _is_generated(step):
                self._modules.add(str(step.get("id")))
        self._time_left.plan(
            {str(step.get("id")): _score(step) for step in steps if _is_generated(step)}, self._clock()
        )
        understood = event.data.get("understood") or [event.message]
        return self._once(str(understood[0]))

    def _take_up(self, event: Event) -> None:
        """Note a module that no plan of this session names: a resumed run makes none."""
        step, kind = event.step_id or "", str(event.data.get("step_type"))
        if self.total or step in self._names:
            return
        self._names[step] = _label({"id": step.removeprefix(f"{kind.removesuffix('_tests')}_"), "type": kind})
        if kind.startswith("generate_"):
            self._modules.add(step)

    def _ended(self, event: Event) -> str:
        step = event.step_id or ""
        self._busy.pop(step, None)
        self._time_left.end(step, self._clock())
        self.ended += 1
        self._modules_ended += step in self._modules
        # A resumed run makes no new plan.
        place = f"[{self.ended}/{self.total}] " if self.total else f"[{self.ended}] "
        return f"{place}{self._name(step)}: {self._outcome(event)}"

    def _outcome(self, event: Event) -> str:
        step, status = event.step_id or "", str(event.data.get("status"))
        reason = event.message.partition(": ")[2].removeprefix(NOT_BEGUN)
        # What is wrong with the environment may concern all steps: the end of the run gives it, once.
        if event.data.get("exit_reason") in ("environment", "model_quota", "run_ended"):
            reason = str(event.data["exit_reason"]).replace("_", " ")
            return f"{status}: {reason}"
        if status == "completed":
            kept, dropped = self._kept.get(step, (0, 0))
            if step not in self._modules:
                return "done"
            return f"{counted(kept, 'test')} kept" + (f", {dropped} dropped" if dropped else "")
        if not reason:
            return status
        if reason.startswith(STOPPED):
            status, reason = "stopped", reason.removeprefix(STOPPED)
        # What stops all modules is said once.
        if reason in self._reasons:
            return f"{status} for the same reason"
        self._reasons.add(reason)
        return f"{status}: {reason}"

    def seconds_left(self) -> float | None:
        """The estimated seconds until the run's end; None while too little is known."""
        return self._time_left.seconds(self._clock())

    def _name(self, step: str) -> str:
        return self._names.get(step, step)


def first_test(path: Path) -> str:
    """The first test of a file as code, with its decorators; "" where there is none that can be shown."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    tree = parse_or_none(text)
    nodes = ast.walk(tree) if tree is not None else ()
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = [function for function in functions if function.name.startswith("test")]
    if not found:
        return ""
    node = min(found, key=lambda test: test.lineno)
    begin = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = source_lines(text)[begin - 1 : node.end_lineno]
    shown = lines[:_CODE_LINES]
    indent = min((len(line) - len(line.lstrip()) for line in shown if line.strip()), default=0)
    return "\n".join([*(line[indent:] for line in shown), *(["…"] if len(lines) > _CODE_LINES else [])])


def _label(step: Mapping[str, Any]) -> str:
    kind = str(step.get("type"))
    if not kind.startswith("generate_"):
        return _STEPS.get(kind, kind)
    params = step.get("params")
    target = params.get("target") if isinstance(params, Mapping) else None
    named = (target.get("module") or target.get("path")) if isinstance(target, Mapping) else None
    test_type = kind.removeprefix("generate_").removesuffix("_tests")
    about = _SHORT.get(test_type, f" ({test_type.replace('_', ' ')})")
    return f"{named or step.get('id')}{about}"


def _is_generated(step: Mapping[str, Any]) -> bool:
    return str(step.get("type")).startswith("generate_")


def _score(step: Mapping[str, Any]) -> float:
    """The importance of a step's module: its names and branches, which its time grows with; 0 where it has none."""
    params = step.get("params")
    importance = params.get("importance") if isinstance(params, Mapping) else None
    score = importance.get("score") if isinstance(importance, Mapping) else None
    return float(score) if isinstance(score, int | float) else 0.0


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(5, 5 * math.ceil(seconds / 5))} s"
    return f"{math.ceil(seconds / 60)} min"
