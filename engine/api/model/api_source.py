"""Describes where the operations of an API come from: a document, the running application, or its source."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

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
    """

    document: Json
    documented: bool = True
    location: str = ""
    form: str = ""
    digest: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    places: HandlerLocations = field(default_factory=dict)


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
