"""What both graphs stand on: context, faults, bounds, isolation, and nodes other engines can import."""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import json
import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.runtime import Runtime
from langsmith.utils import tracing_is_enabled

from testwright.core import errors
from testwright.core.outcome import StepExit
from testwright.graph.context import RunContext, find_services, isolated, providing, services_of
from testwright.graph.execution_graph import graph as testing_graph
from testwright.graph.execution_graph.graph import should_continue, should_retry_code, should_retry_spec
from testwright.graph.faults import AgentUnreachable, fault_of, is_transient
from testwright.graph.node import all_or_first_error
from testwright.graph.planning_graph import planning_graph
from testwright.graph.planning_graph.planning_graph import more_to_do
from testwright.graph.state_format import within_limit
from testwright.tests.support.runs.graph_runs import RUN_ID, bench
from testwright.utils.canonical import canonical_json


def test_the_context_is_plain_data_that_survives_json() -> None:
    context = RunContext(run_id=RUN_ID, root="/p", jobs=3, wall_seconds=1.5)
    assert RunContext(**json.loads(json.dumps(asdict(context)))) == context


def test_services_are_found_by_the_context_while_they_are_provided(tmp_path: Path) -> None:
    made = bench(tmp_path, {})
    with providing(made.context, made.services):
        assert find_services(made.context) is made.services
        assert services_of(Runtime(context=RunContext(run_id=RUN_ID, root="elsewhere"))) is made.services
    with pytest.raises(errors.TestwrightError, match="no services were announced"):
        find_services(made.context)


def test_services_do_not_outlive_the_run_they_belong_to(tmp_path: Path) -> None:
    made = bench(tmp_path, {})
    announced = providing(made.context, made.services)
    announced.__enter__()
    context = made.context
    del made, announced
    gc.collect()
    with pytest.raises(errors.TestwrightError, match="no services"):
        find_services(context)


def test_one_run_is_worked_on_once_in_a_process(tmp_path: Path) -> None:
    made = bench(tmp_path, {})
    with (
        providing(made.context, made.services),
        pytest.raises(errors.TestwrightError, match="already"),
        providing(made.context, made.services),
    ):
        pass


def test_a_forgotten_context_is_said_plainly() -> None:
    with pytest.raises(errors.TestwrightError, match="without its RunContext"):
        services_of(Runtime(context=None))  # pyrefly: ignore[bad-argument-type]


@pytest.mark.feature("T-15")
@pytest.mark.parametrize(
    ("error", "transient", "exit_reason", "infrastructure", "ends_run"),
    [
        (errors.ToolTimeout("x"), True, StepExit.INFRASTRUCTURE, True, False),
        (ConnectionResetError("x"), True, StepExit.INFRASTRUCTURE, True, False),
        (TimeoutError("x"), True, StepExit.INFRASTRUCTURE, True, False),
        (sqlite3.OperationalError("database is locked"), True, StepExit.INFRASTRUCTURE, True, False),
        (sqlite3.OperationalError("no such table"), False, StepExit.DEFECT, False, False),
        (errors.ToolFailure("x", details={"transient": True}), True, StepExit.INFRASTRUCTURE, True, False),
        (errors.ToolFailure("x"), False, StepExit.TOOL_FAILURE, False, False),
        (errors.ToolInputError("x"), False, StepExit.TOOL_FAILURE, False, False),
        (AgentUnreachable("x"), False, StepExit.INFRASTRUCTURE, True, False),
        (errors.SandboxFailure("x"), False, StepExit.INFRASTRUCTURE, True, False),
        (errors.SandboxUnavailable("x"), False, StepExit.ENVIRONMENT, False, True),
        (errors.InterpreterError("x"), False, StepExit.ENVIRONMENT, False, True),
        (errors.TargetImportError("x"), False, StepExit.ENVIRONMENT, False, False),
        (errors.SchemaValidationError("x"), False, StepExit.HANDOFF_VIOLATION, False, False),
        (errors.AgentFailure("x"), False, StepExit.AGENT_ERROR, False, False),
        (FileNotFoundError("x"), False, StepExit.DEFECT, False, False),
        (ValueError("x"), False, StepExit.DEFECT, False, False),
    ],
)
def test_faults_are_sorted_once(
    error: Exception, transient: bool, exit_reason: StepExit, infrastructure: bool, ends_run: bool
) -> None:
    fault = fault_of(error)
    assert is_transient(error) is transient
    assert (fault.exit_reason, fault.infrastructure, fault.ends_run) == (exit_reason, infrastructure, ends_run)
    assert fault.details["error"] == type(error).__name__


def test_what_is_small_enough_is_not_touched() -> None:
    value = {"a": [1, 2], "b": "text"}
    assert within_limit(value) is value


@pytest.mark.parametrize(
    "value", [{"a": "x" * 5000, "keep": 1}, {"a": list(range(3000)), "keep": 1}, {"a": {str(n): n for n in range(900)}}]
)
def test_what_is_too_large_is_cut_and_says_by_how_much(value: dict[str, Any]) -> None:
    cut = within_limit(value, limit=4096)
    assert len(canonical_json(cut)) <= 4096
    assert cut["truncated"]["a"] == len(value["a"]) - len(cut["a"])
    assert cut.get("keep") == value.get("keep")
    assert within_limit(value, limit=4096) == cut


def test_a_value_of_nothing_but_numbers_keeps_them() -> None:
    value = {f"key_{number}": number for number in range(500)}
    assert {**within_limit(value, limit=100), "truncated": None} == {**value, "truncated": None}


async def test_work_side_by_side_ends_whole_and_raises_the_first_error_in_order() -> None:
    ended: list[str] = []
    gate = asyncio.Event()

    async def late() -> None:
        await gate.wait()
        ended.append("late")
        raise ValueError("first in order")

    async def early() -> None:
        gate.set()
        raise KeyError("first in time")

    with pytest.raises(ValueError, match="first in order"):
        all_or_first_error(await asyncio.gather(late(), early(), return_exceptions=True))
    assert ended == ["late"]


async def test_nothing_is_traced_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "true")

    async def seen() -> Any:
        return tracing_is_enabled()

    assert await isolated(seen()) is False


async def test_checkpoints_read_back_nothing_but_plain_data(checkpointer: AsyncSqliteSaver) -> None:
    kind, data = checkpointer.serde.dumps_typed({"path": Path("/p"), "note": RunContext(RUN_ID, "/p")})
    found = checkpointer.serde.loads_typed((kind, data))
    assert not isinstance(found["note"], RunContext)


@pytest.mark.feature("A-08")
def test_nodes_and_routers_are_async_and_found_by_module_and_name() -> None:
    nodes = [*testing_graph.NODES, *planning_graph.NODES]
    routers = [should_retry_spec, should_retry_code, should_continue, more_to_do]
    for function in (*nodes, *routers):
        assert inspect.iscoroutinefunction(function), function
        module = importlib.import_module(function.__module__)
        assert getattr(module, function.__name__) is function


@pytest.mark.feature("T-05")
def test_the_testing_graph_has_the_seeds_ten_nodes_one_file_each() -> None:
    names = [node.__name__ for node in testing_graph.NODES]
    assert len(names) == 10
    folder = Path(inspect.getfile(testing_graph)).parent / "nodes"
    assert sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__") == sorted(names)
    drawn = testing_graph.build_testing_graph().get_graph()
    assert set(drawn.nodes) == {"__start__", "__end__", *names}
