"""Plain data passed between the parts of the API engine, and where the operations of an API come from."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .json_values import HEADERS

Json = dict[str, Any]
HandlerLocations = Mapping[tuple[str, str], tuple[str, tuple[int, int]]]
"""(method in capitals, path) → file relative to the project, first and last line."""


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """An OpenAPI document and its origin.

    Attributes:
        document: bundled, OpenAPI 3, with local references.
        documented: whether a person wrote it; False for one built from routes.
        location: file or address it was read from; empty where the application served it.
        form: declared version, `openapi-3.1` or `swagger-2.0`; empty where unknown.
        digest: sha256 of the document in hex; empty where unknown.
        problems: its faults as (location, message): `openapi.yaml, line 12`.
        places: locations of the operations, as far as known.
        routes: (method, path) of everything that the application answers; empty where unknown.
        served_at: the path at which the application served it; empty where it did not.
        base: the path that precedes those of the document, which is in `document` and `places` already.
    """

    document: Json
    documented: bool = True
    location: str = ""
    form: str = ""
    digest: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    places: HandlerLocations = field(default_factory=dict)
    routes: frozenset[tuple[str, str]] = frozenset()
    served_at: str = ""
    base: str = ""


class DocumentReader(Protocol):
    """Reads OpenAPI documents."""

    @property
    def paths(self) -> Sequence[str]:
        """Paths at which frameworks serve their document, the most usual first."""
        ...

    def load(self, endpoint: str) -> Awaitable[ApiDescription]:
        """Load the document of an endpoint: a file of the project or an address.

        Raises:
            ToolFailure: there is none, or it is no OpenAPI document.
        """
        ...

    def read(self, location: str, content: bytes) -> ApiDescription | None:
        """Parse what an application answered; None where it is no OpenAPI document. Blocks."""
        ...


def document_form(version: str) -> str:
    """Return `openapi-3.1` for `3.1.0`, `swagger-2.0` for `2.0`; empty for an unknown version."""
    major = ".".join(version.split(".")[:2])
    if major in ("3.0", "3.1", "3.2"):
        return f"openapi-{major}"
    return "swagger-2.0" if major == "2.0" else ""


ParameterLocation = Literal["path", "query", "header", "cookie"]
Category = Literal[
    "success",
    "validation",
    "authentication",
    "authorization",
    "not_found",
    "state",
    "contract",
    "boundary",
    "resilience",
]
_TO_LOGIN = re.compile(
    r"(?:login|(?<![a-z])log[-_]in|(?<![a-z])sign[-_]?in)(?!(?-i:[a-z])|-depth)[^?]*"
    r"\?(?:.*&)?(?:next|return\w*|redirect\w*|continue)=",
    re.IGNORECASE,
)
"""An address that leads to a login and back: `/login_page?next=/jobs`, not `/blog-in-depth?redirect=1`."""
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
MOVED = (301, 302, 303, 307, 308)
"""Statuses that send who asks on to another address."""


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
    """The request body of an operation.

    Attributes:
        read: what handlers read tells it, and no document promises anything of it.
    """

    media_type: str
    schema: Any
    required: bool
    examples: tuple[Any, ...] = ()
    read: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a document.

    Attributes:
        id: the document's operationId, "" without one.
        name: words for it in snake case, unique in the document.
        responses: documented statuses ("200", "4XX", "default") → schema of the JSON answer, None where there is none.
        media: documented statuses → the media types of the answer, where it has a body.
        security: alternatives, each the schemes needed together; an empty alternative lets everybody in.
        sign_in_optional: its code is asked although nobody has signed in, and may let everybody in or not.
        links: documented links by status: (operationId, parameter → runtime expression).
        source: the file of the handler, or the document; relative to the project.
        lines: first and last line of the handler or of the document's part, in `source`.
        deliberate: statuses from 400 to 499 that the handler's own code answers on purpose.
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
    deliberate: frozenset[int] = frozenset()
    sign_in_optional: bool = False

    @property
    def label(self) -> str:
        """`GET /orders/{number}`."""
        return f"{self.method} {self.path}"

    @property
    def path_parameters(self) -> tuple[ApiParameter, ...]:
        """Its path parameters, in the order of the path."""
        found = [parameter for parameter in self.parameters if parameter.where == "path"]
        return tuple(sorted(found, key=lambda parameter: self.path.find("{" + parameter.name + "}")))

    def documents(self, status: int) -> bool:
        """Whether the document declares a status, by itself, a range or `default`."""
        return bool({str(status), f"{status // 100}XX", "default"} & set(self.responses))

    def schema_of(self, status: int) -> Any:
        """Return the schema of the answer with a status; None where there is none.

        A `default` that is called an error is none of a success.
        """
        key = self._entry(status)
        schema = self.responses[key] if key else None
        reference = str(schema.get("$ref") or "") if isinstance(schema, Mapping) else ""
        return None if key == "default" and status < 400 and "error" in reference.lower() else schema

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
        base: the path that precedes those of the document.
    """

    title: str
    operations: tuple[Operation, ...]
    schemes: Mapping[str, Json]
    components: Mapping[str, Any]
    documented: bool = True
    path: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    others: tuple[Operation, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    base: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Requests that may become a test: `setup` in order, then `request`, whose answer counts.

    Attributes:
        name: what it is about, in snake case, unique among those of its operation.
        wants: what the document promises: `success`, or `refusal` (a status from 400 to 499), or nothing.
        breaks: what the request breaks, in words.
        cause: the constraint that is broken: `null`, `max_length`; empty where it is none of a schema.
        group: proposals of one group differ in values only and make one parametrised test.
        statuses: statuses that are right without being documented.
        found_by: the program that made it; empty for us.
    """

    operation: Operation
    name: str
    title: str
    category: Category
    request: Json
    setup: tuple[Json, ...] = ()
    wants: Literal["success", "refusal", "any"] = "any"
    breaks: str = ""
    cause: str = ""
    group: str = ""
    statuses: tuple[int, ...] = ()
    found_by: str = ""
    priority: Literal["critical", "high", "medium", "low"] = "medium"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP answer; `failure` gives the reason where there was none.

    Attributes:
        crash: where a server error was raised and which exception it was, `src/shop.py:7: KeyError: 'id'`; empty where
            the application printed no traceback with a place in the project.
        broken_link: the reason is no fault of the application: an earlier answer lacks what the request needs, or the
            answer is a stream of events.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    failure: str = ""
    broken_link: bool = False
    crash: str = ""

    @property
    def ok(self) -> bool:
        """Whether the status is below 400 and nobody is sent to log in first."""
        return 200 <= self.status < 400 and not self.keeps_out

    @property
    def keeps_out(self) -> bool:
        """Whether who asks is not let in: 401, 403, or sent to a login that leads back: `/login?next=/orders`."""
        sent_on = self.status in (302, 303, 307) and _TO_LOGIN.search(self.headers.get("location", ""))
        return self.status in (401, 403) or bool(sent_on)

    @property
    def lets_in(self) -> bool:
        """Whether who asks is let in: what breaks where a token is read, a server error, has let nobody in."""
        return 0 < self.status < 500 and not self.keeps_out

    def header(self, name: str) -> str:
        """Return a header by its name in small letters; empty where there is none."""
        return next((text for known, text in self.headers.items() if known.lower() == name), "")


@dataclass(frozen=True, slots=True)
class ObservedProposal:
    """A proposal with its answers: one for each request of the setup, then the one under test.

    Attributes:
        unstable: JSON pointers whose values differ between two observations; "" for the whole answer. Headers have
            `HEADERS` before their names.
        steady: whether both observations have the same status.
        unordered: JSON pointers of lists whose members may stand in any order.
        fresh: the request is refused for its form, and still earlier requests change the answer.
        constants: what `{{NAME}}` stood for in its requests.
    """

    proposal: Proposal
    answers: tuple[HttpAnswer, ...]
    unstable: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    steady: bool = True
    fresh: bool = False
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def answer(self) -> HttpAnswer:
        """The answer under test."""
        return self.answers[-1] if self.answers else HttpAnswer(failure="it was not sent")

    @property
    def unstable_body(self) -> frozenset[str]:
        """What of `unstable` are parts of the body, and no headers."""
        return frozenset(pointer for pointer in self.unstable if not pointer.startswith(HEADERS))

    @property
    def complete(self) -> bool:
        """Whether every request was sent."""
        return len(self.answers) == len(self.proposal.setup) + 1


MALFORMED = "malformed"
"""The group of requests whose body does not parse: what a framework's parser says of it is no test's."""
ACROSS = ("anonymous", "roles", "methods", MALFORMED)
"""Groups whose tables have rows of several operations."""
REFUSALS = ("validation", "authentication", "contract")


def needs_fresh_state(case: Mapping[str, Any]) -> bool:
    """Whether the expectations of a case depend on the server's state.

    A request that fails validation or authentication fails in any state, unless the expected answer contains a number,
    which may be an id, or the case is marked `fresh`. Who asks by a credential, or logs in before, may be gone in some
    states.
    """
    asks = ((case.get("act") or {}).get("request") or {}).get("auth")
    if case.get("fresh") or asks or (case.get("arrange") or {}).get("requests"):
        return True
    if case.get("category") not in REFUSALS:
        return True
    for expectation in case["expect"]:
        if expectation["kind"] == "status":
            if min(expectation["statuses"]) < 400:
                return True
        elif expectation.get("pointer") != "/detail/0/loc" and re.search(
            r"\d|\{\{", json.dumps(expectation.get("value"))
        ):
            return True
    return False
