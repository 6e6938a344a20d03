"""Requests and responses: what is valid, and that they cross a process boundary unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.contract.protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    RequestMetadata,
    ResponseStatus,
    error_response,
    partial_response,
    success_response,
    validate_request,
    validate_response,
)


def _request(**changes: Any) -> AgentRequest:
    given: dict[str, Any] = {"goal": "cover the cart", "task": "write a spec", "metadata": RequestMetadata("t-1")}
    return AgentRequest(**{**given, **changes})


@pytest.mark.feature("C-01")
def test_a_request_with_goal_task_and_trace_id_is_valid() -> None:
    assert validate_request(_request()) == []


@pytest.mark.feature("C-01")
@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"goal": "  "}, "goal"),
        ({"task": ""}, "task"),
        ({"metadata": RequestMetadata("")}, "metadata.trace_id"),
        ({"metadata": RequestMetadata("t", priority=11)}, "metadata.priority"),
        ({"metadata": RequestMetadata("t", timeout=0)}, "metadata.timeout"),
        ({"metadata": RequestMetadata("t", profile="")}, "metadata.profile"),
        ({"metadata": {"trace_id": "t"}}, "metadata"),
        ({"inputs": ["a list"]}, "inputs"),
        ({"context": "text"}, "context"),
        ({"constraints": 3}, "constraints"),
        ({"expected_output": 3}, "expected_output"),
    ],
)
def test_a_request_says_which_field_is_wrong(changes: dict[str, Any], named: str) -> None:
    problems = _request(**changes).validate()
    assert [problem.partition(":")[0] for problem in problems] == [named]


@pytest.mark.feature("C-01")
def test_a_request_about_a_path_that_is_not_unicode_is_valid() -> None:
    request = _request(goal="cover src/\udcff.py", inputs={"\udcff": "\udcff"})
    assert validate_request(request) == []
    assert AgentRequest.from_dict(request.to_dict()) == request


@pytest.mark.feature("C-01")
def test_all_problems_of_a_request_are_told_at_once() -> None:
    assert len(_request(goal="", task="", metadata=RequestMetadata("", timeout=-1)).validate()) == 4


@pytest.mark.feature("C-01")
def test_a_request_survives_json() -> None:
    original = _request(
        metadata=RequestMetadata("t-1", profile="ci", priority=9, timeout=2.5),
        inputs={"spec": {"cases": [1, 2]}},
        context={"before": None},
        constraints={"max": 3},
        expected_output="one spec",
    )
    assert AgentRequest.from_dict(json.loads(json.dumps(original.to_dict()))) == original


@pytest.mark.feature("C-01")
@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"goal": "g", "task": "t"}, "metadata"),
        ({"goal": "g", "task": "t", "metadata": {}}, "metadata.trace_id"),
        ({"goal": "g", "task": "t", "metadata": {"trace_id": "t"}, "more": 1}, "more"),
    ],
)
def test_a_request_with_missing_or_unknown_keys_is_refused(data: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=f"\n{named}\n"):
        AgentRequest.from_dict(data)


@pytest.mark.feature("C-02")
def test_the_statuses_and_error_types_are_those_of_the_contract() -> None:
    assert [status.name for status in ResponseStatus] == ["SUCCESS", "ERROR", "PARTIAL", "PENDING", "CANCELLED"]
    assert [kind.name for kind in ErrorType] == [
        "VALIDATION",
        "EXECUTION",
        "TIMEOUT",
        "RESOURCE",
        "PERMISSION",
        "NETWORK",
        "UNKNOWN",
    ]


@pytest.mark.feature("C-02")
def test_constructors_make_valid_responses() -> None:
    error = AgentError(ErrorType.NETWORK, "gone", recoverable=True, retry_after=2.0)
    made = [
        success_response({"a": 1}, trace=[{"event": "x"}], metadata={"tokens": 3}),
        error_response(ErrorType.TIMEOUT, "too late", recoverable=True, retry_after=0.5, details={"after": 3}),
        partial_response({"a": 1}, error),
        AgentResponse(ResponseStatus.PENDING),
        AgentResponse(ResponseStatus.CANCELLED),
    ]
    assert [validate_response(response) for response in made] == [[], [], [], [], []]
    assert [(one.is_success(), one.is_error(), one.is_partial()) for one in made[:3]] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


@pytest.mark.feature("C-02")
@pytest.mark.parametrize(
    ("response", "named"),
    [
        (AgentResponse(ResponseStatus.SUCCESS), "result"),
        (AgentResponse(ResponseStatus.ERROR), "error"),
        (AgentResponse(ResponseStatus.PARTIAL), "result"),
        (AgentResponse(ResponseStatus.SUCCESS, result=1, error=AgentError(ErrorType.UNKNOWN, "x")), "error"),
        (AgentResponse("fine", result=1), "status"),  # pyrefly: ignore[bad-argument-type]
        (AgentResponse(ResponseStatus.ERROR, error=AgentError(ErrorType.UNKNOWN, "")), "error.message"),
        (
            AgentResponse(ResponseStatus.ERROR, error=AgentError(ErrorType.UNKNOWN, "x", retry_after=-1)),
            "error.retry_after",
        ),
        (AgentResponse(ResponseStatus.SUCCESS, result=1, trace=["x"]), "trace.0"),  # pyrefly: ignore[bad-argument-type]
        ({"status": "success"}, "response"),
    ],
)
def test_a_response_says_which_field_is_wrong(response: Any, named: str) -> None:
    assert [problem.partition(":")[0] for problem in validate_response(response)] == [named]


@pytest.mark.feature("C-02")
def test_a_success_without_a_result_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="result"):
        success_response(None)
    with pytest.raises(ValueError, match="result"):
        partial_response(None)


@pytest.mark.feature("C-02", "C-03")
def test_a_response_survives_json_with_its_error() -> None:
    error = AgentError(ErrorType.RESOURCE, "full", {"disk": "/"}, True, 3.0, {"trace_id": "t"})
    original = AgentResponse(
        ResponseStatus.PARTIAL, {"a": [1]}, error, [{"event": "x", "trace_id": "t"}], {"tokens": 1}
    )
    carried = AgentResponse.from_dict(json.loads(json.dumps(original.to_dict())))
    assert carried == original
    assert carried.error == error
