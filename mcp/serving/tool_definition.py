"""What an offered tool is: a name, two schemas, hints for the client, and one function."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .admission import WorkSlots
from .backend import Json, ServedApplication
from .handles import Link
from .progress import BEAT_SECONDS, Tell
from .roots import Roots
from .sessions import Sessions
from .sharing import SharedResults

RUN_ID: Json = {
    "type": "string",
    "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
    "description": "The id of a run, as an earlier answer gave it.",
}
ROOT: Json = {
    "type": "string",
    "minLength": 1,
    "description": "Which served project: its name, or its absolute path. Needed only when several are served.",
}
FRAMEWORK: Json = {"type": "string", "enum": ["pytest", "unittest"], "description": "What the tests are written for."}


@dataclass(frozen=True, slots=True)
class Desk:
    """What all sessions of a server share; `beat_seconds` is the longest a client hears nothing of its run."""

    application: ServedApplication
    roots: Roots
    slots: WorkSlots
    sessions: Sessions = field(default_factory=Sessions)
    shared: SharedResults = field(default_factory=SharedResults)
    beat_seconds: float = BEAT_SECONDS


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls, and how to tell them about progress."""

    session: str | None
    tell: Tell


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its data, links to the details, and whether it was there already."""

    data: Json
    links: tuple[Link, ...] = ()
    cached: bool = False


class Serve(Protocol):
    """Called with the arguments, defaults of the input schema filled in. Raises errors of `errors.py`."""

    def __call__(self, desk: Desk, call: Call, /, **arguments: Any) -> Awaitable[Answer]: ...


@dataclass(frozen=True, slots=True)
class ServedTool:
    """One tool as it is offered.

    Attributes:
        description: written for the model that chooses: what it does, when rather than its neighbours, what comes back,
            what it costs.
        output_schema: JSON Schema of the answer's data.
        destructive: whether what is there may be lost.
        idempotent: whether a second call with the same arguments changes nothing further.
        open_world: whether it reaches beyond the served folders.
        read_only: whether nothing at all is written, not even a run.
    """

    name: str
    title: str
    description: str
    input_schema: Json
    output_schema: Json
    serve: Serve
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
