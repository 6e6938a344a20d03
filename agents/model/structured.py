"""Requests JSON from a model and validates its answer: by schema, by JSON mode, or by instructions in words.

Endpoints support different modes, and some answer 500 to an unknown one. The mode that works is detected from the
answers and cached (`abilities.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from ...core.errors import (
    AgentFailure,
    MalformedLlmOutput,
    ModelAnswerBroken,
    ModelAnswerCut,
    ModelAnswerEmpty,
    ModelAnswerRefused,
    ModelAnswerTooLarge,
    ModelToolUnknown,
    SchemaValidationError,
)
from ...utils.canonical import canonical_json
from ...utils.error_formatter import MAX_ISSUES, SpecIssue, excerpt_of, schema_issues
from ..contract.sanitizer import parse_llm_output
from .chat import ModelCall
from .received import LONGEST_ANSWER, ReceivedAnswer
from .salvage import UNREADABLE, embedded_values, without_broken

_EXCERPT = 2_000
_CASES = "cases"
_NESTED = ("properties", "$defs", "definitions")


class Mode(StrEnum):
    """How JSON is requested, the best mode first."""

    SCHEMA = "json_schema"
    JSON = "json_mode"
    TEXT = "text"

    @property
    def next(self) -> Mode | None:
        """The mode to try when an endpoint does not support this one; None after the last."""
        order = list(Mode)
        place = order.index(self) + 1
        return order[place] if place < len(order) else None


def response_format(call: ModelCall, mode: Mode) -> dict[str, Any] | None:
    """Build the request's `response_format`; None for plain text."""
    if call.schema is None or mode is Mode.TEXT:
        return None
    if mode is Mode.JSON:
        return {"type": "json_object"}
    described = {"name": call.schema_name, "schema": call.schema, "strict": is_strict(call.schema)}
    return {"type": "json_schema", "json_schema": described}


def system_text(call: ModelCall, mode: Mode) -> str:
    """Build the system message; it contains the schema where the endpoint takes none."""
    if call.schema is None or mode is Mode.SCHEMA:
        return call.system
    return (
        f"{call.system}\n\nAnswer with one JSON value and nothing else: no explanation, no code fence. It must "
        f"fit this JSON Schema:\n{canonical_json(call.schema)}"
    )


def is_strict(schema: Any) -> bool:
    """Whether OpenAI can enforce a schema strictly: every object closed, every property required."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    children = [child for key in _NESTED for child in schema.get(key, {}).values()]
    children += [schema[key] for key in ("items", "anyOf") if key in schema]
    return "oneOf" not in schema and "allOf" not in schema and all(is_strict(child) for child in children)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer's JSON value; None without a schema.

    Attributes:
        left_out: violations for which elements of the value were left out.
    """

    value: Any | None
    left_out: tuple[dict[str, Any], ...] = ()


def parse_answer(received: ReceivedAnswer, call: ModelCall, model: str) -> ParsedAnswer:
    """Parse and validate the answer's JSON value.

    Raises:
        ModelFailure, MalformedLlmOutput, SchemaValidationError: it cannot be used; see `ModelChat.complete`.
    """
    found = _salvaged(received, call)
    if found is not None:
        return found
    _refuse_unusable(received, call, model)
    if call.schema is None:
        return ParsedAnswer(None)
    try:
        parsed = parse_llm_output(received.text)
    except MalformedLlmOutput as error:
        error.details.update(_about(received, call))
        raise
    parsed = _with_empty_lists(parsed, call)
    read = _read(parsed, call)
    if read is not None:
        return read
    issues = schema_issues(_violations(parsed, call))
    first = issues[0]
    more = f" and {len(issues) - 1} more" if len(issues) > 1 else ""
    raise SchemaValidationError(
        f"{model}'s answer breaks {call.schema_name} at {first.path}: {first.message}{more}",
        details={"errors": [issue.to_dict() for issue in issues], **_about(received, call)},
    )


def _salvaged(received: ReceivedAnswer, call: ModelCall) -> ParsedAnswer | None:
    """The value of an answer that holds it among other text, or that was cut off behind whole cases; None for others.

    Only what fits the schema counts, of several values the longest with anything in it: others are drafts. A planner's
    answer is read strictly.
    """
    if call.schema is None or call.role == "planner" or received.refusal or received.tool_calls or not received.whole:
        return None
    try:
        parse_llm_output(received.text)
        return None
    except MalformedLlmOutput:
        pass
    is_cut = received.finish == "length"
    first: ParsedAnswer | None = None
    for found in embedded_values(received.text, _CASES if is_cut or _CASES in call.each_alone else None):
        read = _read(_with_empty_lists(found.value, call), call) if not (is_cut and found.whole) else None
        if read is None:
            continue
        value: Any = read.value
        if not found.whole and not is_cut:
            path = f"$.{_CASES}[{len(found.value[_CASES])}]"
            rest = {"path": path, "message": "is no JSON, nor what stands behind it", "severity": "error"}
            read = ParsedAnswer(value, (*read.left_out, rest))
        if not call.each_alone or any(value.get(key) for key in call.each_alone):
            return read
        first = first or read
    return first


def _read(parsed: Any, call: ModelCall) -> ParsedAnswer | None:
    """A value, without the elements that break the schema where they stand alone; None where it breaks it otherwise."""
    errors = _violations(parsed, call)
    if not errors:
        return ParsedAnswer(parsed)
    rest = without_broken(parsed, errors, call.each_alone) if len(errors) <= MAX_ISSUES else None
    if rest is None or _violations(rest, call):
        return None
    return ParsedAnswer(rest, tuple(_told(issue).to_dict() for issue in schema_issues(errors)))


def _told(issue: SpecIssue) -> SpecIssue:
    """An issue; where the element in question could not be read, that."""
    if issue.excerpt != excerpt_of(UNREADABLE):
        return issue
    return SpecIssue(issue.path, f"holds {UNREADABLE}, which no file can hold")


def _violations(parsed: Any, call: ModelCall) -> list[ValidationError]:
    """The first violations of a call's schema; more than are reported are too many to mend."""
    return list(islice(Draft202012Validator(call.schema or {}).iter_errors(parsed), MAX_ISSUES + 1))


def _with_empty_lists(parsed: Any, call: ModelCall) -> Any:
    """The value with the lists that it may lack; one that has none of them is another answer."""
    if not isinstance(parsed, dict) or not set(call.may_lack) & set(parsed):
        return parsed
    return {**{name: [] for name in call.may_lack}, **parsed}


def _refuse_unusable(received: ReceivedAnswer, call: ModelCall, model: str) -> None:
    about = _about(received, call)
    if received.too_long:
        raise ModelAnswerTooLarge(
            f"{model}'s answer has {received.length} characters, more than {LONGEST_ANSWER}", details=about
        )
    if not received.whole:
        raise ModelAnswerBroken(f"{model}'s answer was torn off after {received.length} characters", details=about)
    if received.refusal or received.finish == "content_filter":
        why = received.refusal or "its provider's filter stopped the answer"
        raise ModelAnswerRefused(f"{model} refuses: {why}", details=about)
    if received.tool_calls:
        raise ModelToolUnknown(
            f"{model} called {', '.join(received.tool_calls)}: no tool was offered, none was executed", details=about
        )
    if received.finish == "length":
        raise ModelAnswerCut(
            f"{model}'s answer reached its limit after {received.tokens_out} tokens",
            advice="Raise answer_tokens, or ask for fewer things at once.",
            details=about,
        )
    if not received.text.strip():
        raise ModelAnswerEmpty(f"{model} answered nothing", details=about)


def disproves(mode: Mode, error: AgentFailure, call: ModelCall) -> bool:
    """Whether an unusable answer shows that the endpoint does not support the mode."""
    if call.schema is None:
        return False
    if mode is Mode.SCHEMA:
        return isinstance(error, MalformedLlmOutput) or (
            isinstance(error, SchemaValidationError) and is_strict(call.schema)
        )
    return mode is Mode.JSON and isinstance(error, MalformedLlmOutput)


def _about(received: ReceivedAnswer, call: ModelCall) -> dict[str, object]:
    return {"role": call.role, "attempt": call.attempt, "excerpt": received.text[:_EXCERPT]}
