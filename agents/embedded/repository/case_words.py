"""Parses the controlled sentences of test cases into steps and expectations.

Cases are handed from agent to agent as sentences. The embedded engineer can turn these sentences into code; a case in
other words needs a model or a person, and is reported as such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

_SEND = re.compile(
    rf"^Send (?P<method>{'|'.join(METHODS)}) (?P<path>/\S*)"
    r"(?: with the JSON body (?P<body>\{.*\}|\[.*\]|\$[A-Z][A-Z0-9_]*))?(?P<anonymous> without authorization)?\.?$"
)
_OPEN = re.compile(r"^Open (?P<path>/\S*?)\.?$")
_FILL = re.compile(r'^Fill "(?P<field>[^"]+)" with "(?P<value>[^"]*)"\.?$')
_CLICK = re.compile(r'^Click "(?P<name>[^"]+)"\.?$')
_STATUS = re.compile(r"^The answer has status (?P<codes>\d{3}(?:(?:, | or )\d{3})*)\.?$")
_BELOW = re.compile(r"^The answer has a status below (?P<limit>\d{3})\.?$")
_HEADING = re.compile(r'^The page shows the heading "(?P<text>[^"]+)"\.?$')
_FIELD = re.compile(r'^The page shows the field "(?P<text>[^"]+)"\.?$')
_BUTTON = re.compile(r'^The page shows the button "(?P<text>[^"]+)"\.?$')
_TEXT = re.compile(r'^The page shows the text "(?P<text>[^"]+)"\.?$')
_TITLE = re.compile(r'^The page title is "(?P<text>[^"]+)"\.?$')
_PLACEHOLDER = re.compile(r"{(\w+)}")
_GENERAL = frozenset("id pk uuid key name slug code number".split())


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request. `body` is JSON source, or `$NAME` for an environment variable that holds it."""

    method: str
    path: str
    body: str | None = None
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """Open a page."""

    path: str


@dataclass(frozen=True, slots=True)
class Fill:
    """Type into the field with a label."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Click:
    """Click the button or link with a name."""

    name: str


@dataclass(frozen=True, slots=True)
class StatusIs:
    """The last answer has one of these statuses."""

    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StatusBelow:
    """The last answer has a status below a limit."""

    limit: int


@dataclass(frozen=True, slots=True)
class Shows:
    """The page shows an element; `what` is heading, field, button, text or title."""

    what: str
    text: str


Step = Send | Open | Fill | Click
Expectation = StatusIs | StatusBelow | Shows


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed case that can be executed.

    Attributes:
        id, title, priority: of the case.
        preconditions: as written.
        steps, expected: its parsed sentences.
    """

    id: str
    title: str
    priority: str
    preconditions: tuple[str, ...]
    steps: tuple[Step, ...]
    expected: tuple[Expectation, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Required environment variables, in order of first use."""
        found: list[str] = []
        for step in self.steps:
            if isinstance(step, Send | Open):
                found += [variable_of(name, step.path) for name in _PLACEHOLDER.findall(step.path)]
            if isinstance(step, Send) and step.body is not None and step.body.startswith("$"):
                found.append(step.body[1:])
        return tuple(dict.fromkeys(found))

    @property
    def first_path(self) -> str:
        """The path of the first step that has one."""
        return next(step.path for step in self.steps if isinstance(step, Send | Open))


def read_case(case: Mapping[str, Any]) -> Script | str:
    """Parse a case. Returns a script, or why its sentences cannot be turned into code."""
    steps: list[Step] = []
    for text in case["steps"]:
        step = _step(str(text))
        if step is None:
            return f"the step {text!r} is in words that only a person or a model can turn into code"
        steps.append(step)
    expected: list[Expectation] = []
    for text in sentences(str(case["expected"])):
        expectation = _expectation(text)
        if expectation is None:
            return f"the expectation {text!r} is in words that only a person or a model can turn into code"
        expected.append(expectation)
    sends = any(isinstance(step, Send) for step in steps)
    opens = any(isinstance(step, Open) for step in steps)
    if any(isinstance(expectation, Shows) for expectation in expected) and not opens:
        return "it expects something of a page, and opens none"
    if any(isinstance(expectation, StatusIs | StatusBelow) for expectation in expected) and not sends:
        return "it expects something of an answer, and sends no request"
    if not (sends or opens):
        return "it neither opens a page nor sends a request"
    return Script(
        str(case["id"]),
        str(case["title"]),
        str(case["priority"]),
        tuple(str(precondition) for precondition in case["preconditions"]),
        tuple(steps),
        tuple(expected),
    )


def sentences(text: str) -> list[str]:
    """Split an expectation into sentences; a full stop inside quotes does not end one."""
    return [match.strip() for match in re.findall(r'(?:"[^"]*"|[^".]|\.(?!\s|$))+\.?', text) if match.strip()]


def variable_of(name: str, path: str) -> str:
    """Name the variable for a path's parameter: `orderId` → `ORDER_ID`, `id` of `/users/{id}` → `USERS_ID`."""
    words = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).upper()
    if name.lower() not in _GENERAL:
        return words
    before = [part for part in path.partition(f"{{{name}}}")[0].split("/") if part and not part.startswith("{")]
    owner = re.sub(r"\W+", "_", before[-1]).strip("_").upper() if before else ""
    return f"{owner}_{words}" if owner[:1].isalpha() else f"THE_{words}"


def parts_of(path: str) -> list[tuple[str, bool]]:
    """Split a path into (text, False) and, for its parameters, (environment variable, True)."""
    pieces = _PLACEHOLDER.split(path)
    return [
        (variable_of(piece, path) if index % 2 else piece, bool(index % 2))
        for index, piece in enumerate(pieces)
        if piece or index % 2
    ]


def _step(text: str) -> Step | None:
    text = text.strip()
    if found := _SEND.match(text):
        body = found["body"]
        if body is not None and not body.startswith("$") and not _is_json(body):
            return None
        return Send(found["method"], found["path"].removesuffix("."), body, found["anonymous"] is not None)
    if found := _OPEN.match(text):
        return Open(found["path"])
    if found := _FILL.match(text):
        return Fill(found["field"], found["value"])
    found = _CLICK.match(text)
    return Click(found["name"]) if found else None


def _expectation(text: str) -> Expectation | None:
    if found := _STATUS.match(text):
        return StatusIs(tuple(int(match) for match in re.findall(r"\d{3}", found["codes"])))
    if found := _BELOW.match(text):
        return StatusBelow(int(found["limit"]))
    kinds = {"heading": _HEADING, "field": _FIELD, "button": _BUTTON, "text": _TEXT, "title": _TITLE}
    for what, pattern in kinds.items():
        if found := pattern.match(text):
            return Shows(what, found["text"])
    return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
