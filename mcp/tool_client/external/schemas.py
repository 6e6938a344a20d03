"""Checks values by schemas of external servers, within bounds: a small schema may ask for work without end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from ....utils.error_formatter import join_issues, schema_issues
from ...sdk import Tool

_MAX_ISSUES = 5
_SECONDS = 2.0
"""Of processor time of the thread that checks: others may keep the machine busy."""
_MAX_DEPTH = 120
"""Rules inside each other; the interpreter's own limit is too late for the libraries below, which abort there."""

_DEADLINE: ContextVar[float] = ContextVar("deadline")
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)
_NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
_VALUES = frozenset({"const", "default", "enum", "examples"})
_UNBOUNDED = ("pattern", "patternProperties", "uniqueItems")
"""Keywords of which one alone may take for ever; whether a value keeps to them is left to the server."""

Rule = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


class SchemaTooCostly(Exception):
    """Checking a value by a schema takes too long."""


def schema_error(tool: Tool) -> str:
    """Why the schemas of a tool cannot be used; empty where they can."""
    for schema in (tool.input_schema, tool.output_schema):
        if schema is not None:
            try:
                Draft202012Validator.check_schema(schema)
            except SchemaError:
                return "a schema it declares is no JSON Schema"
            except RecursionError:
                return "a schema it declares is nested too deeply"
    return ""


def misfits(schema: Mapping[str, Any], value: Any) -> str:
    """Describes how a value violates a schema; references to other documents are never fetched. Blocks, for seconds."""
    _DEADLINE.set(time.thread_time() + _SECONDS)
    _DEPTH.set(0)
    try:
        issues = schema_issues(_TimedValidator(schema, registry=Registry()).iter_errors(value))
    except Unresolvable as error:
        return f"the schema refers to what is not in it ({error.ref})"
    except RecursionError:
        return "the schema is nested too deeply"
    except SchemaTooCostly:
        return f"checking it by the schema takes more than {_SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 - a schema that is none raises whatever the rule that met it raises
        return f"the schema cannot be used ({type(error).__name__})"
    return join_issues(issues, _MAX_ISSUES)


def drop_unbounded(schema: Any) -> None:
    """Takes regular expressions and their like out of a schema, in place: one may keep us busy for ever."""
    pending = [(schema, False)]
    while pending:
        part, is_map = pending.pop()
        if isinstance(part, list):
            pending += [(item, False) for item in part]
        elif isinstance(part, dict):
            # Below `properties` and the like, keys are names and not keywords.
            if not is_map:
                for keyword in _UNBOUNDED:
                    part.pop(keyword, None)
            pending += [
                (item, not is_map and key in _NAMED) for key, item in part.items() if is_map or key not in _VALUES
            ]


def _timed(rule: Rule) -> Rule:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        depth = _DEPTH.get()
        if depth >= _MAX_DEPTH:
            raise RecursionError
        if time.thread_time() > _DEADLINE.get():
            raise SchemaTooCostly
        _DEPTH.set(depth + 1)
        try:
            yield from rule(validator, value, instance, schema) or ()
        finally:  # also where the first error is enough
            _DEPTH.set(depth)

    return check


_TimedValidator: Any = extend(
    Draft202012Validator, {name: _timed(rule) for name, rule in Draft202012Validator.VALIDATORS.items()}
)
