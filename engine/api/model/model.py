"""Plain data passed between the parts of the API engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
ParameterLocation = Literal["path", "query", "header", "cookie"]
Category = Literal[
    "success", "validation", "authentication", "not_found", "state", "contract", "boundary", "resilience"
]
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A parameter of an operation; `schema` is normalised, its references still local."""

    name: str
    where: ParameterLocation
    required: bool
    schema: Any
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The request body of an operation."""

    media_type: str
    schema: Any
    required: bool
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a document.

    Attributes:
        id: the document's operationId, "" without one.
        name: words for it in snake case, unique in the document.
        responses: documented statuses ("200", "4XX", "default") → schema of the JSON answer, None where there is none.
        media: documented statuses → the media types of the answer, where it has a body.
        security: alternatives, each the schemes needed together; an empty alternative lets everybody in.
        links: documented links by status: (operationId, parameter → runtime expression).
        source: the file of the handler, or the document; relative to the project.
        lines: first and last line of the handler or of the document's part, in `source`.
    """

    id: str
    name: str
    method: str
    path: str
    parameters: tuple[ApiParameter, ...] = ()
    body: RequestBody | None = None
    responses: Mapping[str, Any] = field(default_factory=dict)
    media: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    security: tuple[tuple[str, ...], ...] = ()
    links: tuple[tuple[str, str, Mapping[str, str]], ...] = ()
    summary: str = ""
    source: str = ""
    lines: tuple[int, int] = (1, 1)

    @property
    def label(self) -> str:
        """`GET /orders/{number}`."""
        return f"{self.method} {self.path}"

    @property
    def path_parameters(self) -> tuple[ApiParameter, ...]:
        """Its path parameters, in the order of the path."""
        found = [parameter for parameter in self.parameters if parameter.where == "path"]
        return tuple(sorted(found, key=lambda one: self.path.find("{" + one.name + "}")))

    def documents(self, status: int) -> bool:
        """Whether the document declares a status, by itself, a range or `default`."""
        return bool({str(status), f"{status // 100}XX", "default"} & set(self.responses))

    def schema_of(self, status: int) -> Any:
        """Return the schema of the answer with a status; None where there is none."""
        key = self._entry(status)
        return self.responses[key] if key else None

    def media_of(self, status: int) -> tuple[str, ...]:
        """Return the declared media types of the answer with a status; empty where none are declared."""
        return tuple(self.media.get(self._entry(status), ()))

    def _entry(self, status: int) -> str:
        names = (str(status), f"{status // 100}XX", "default")
        return next((name for name in names if name in self.responses), "")


@dataclass(frozen=True, slots=True)
class Api:
    """The operations and components of a document.

    Attributes:
        schemes: security schemes by name, as in the document.
        components: `components.schemas`, normalised.
        documented: whether a person wrote the document; False for one built from routes.
        left_out: (operation, reason) for operations that are not tested.
        others: the operations that are left out.
        problems: faults of the document as (location, message).
        path: file of the document or of the application, relative to the project.
    """

    title: str
    operations: tuple[Operation, ...]
    schemes: Mapping[str, Json]
    components: Mapping[str, Any]
    base_path: str = ""
    documented: bool = True
    path: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    others: tuple[Operation, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Requests that may become a test: `setup` in order, then `request`, whose answer counts.

    Attributes:
        name: what it is about, in snake case, unique among those of its operation.
        wants: what the document promises: `success`, or `refusal` (a status from 400 to 499), or nothing.
        breaks: what the request breaks, in words.
        group: proposals of one group differ in values only and make one parametrised test.
        statuses: statuses that are right without being documented.
    """

    operation: Operation
    name: str
    title: str
    category: Category
    request: Json
    setup: tuple[Json, ...] = ()
    wants: Literal["success", "refusal", "any"] = "any"
    breaks: str = ""
    group: str = ""
    statuses: tuple[int, ...] = ()
    priority: Literal["critical", "high", "medium", "low"] = "medium"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP answer; `failure` gives the reason where there was none."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    failure: str = ""
    broken_link: bool = False

    @property
    def ok(self) -> bool:
        """Whether the status is below 400."""
        return 200 <= self.status < 400


@dataclass(frozen=True, slots=True)
class ObservedProposal:
    """A proposal with its answers: one for each request of the setup, then the one under test.

    Attributes:
        unstable: JSON pointers whose values differ between two observations; "" for the whole answer.
        steady: whether both observations have the same status.
        fresh: the request is refused for its form, and still earlier requests change the answer.
    """

    proposal: Proposal
    answers: tuple[HttpAnswer, ...]
    unstable: frozenset[str] = frozenset()
    steady: bool = True
    fresh: bool = False

    @property
    def answer(self) -> HttpAnswer:
        """The answer under test."""
        return self.answers[-1] if self.answers else HttpAnswer(failure="it was not sent")

    @property
    def complete(self) -> bool:
        """Whether every request was sent."""
        return len(self.answers) == len(self.proposal.setup) + 1
