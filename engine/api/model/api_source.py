"""Where the operations of an API were read from: a document, the running application, or its source (T-20)."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]
HandlerLocations = Mapping[tuple[str, str], tuple[str, tuple[int, int]]]
"""(method in capitals, path) → file relative to the project, first and last line."""


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """A document with what is known of it.

    Attributes:
        document: bundled and of version 3; its references are local.
        documented: whether somebody wrote it; False for one that was made from routes.
        location: the file or the address it was read from; empty where the application told it.
        form: `openapi-3.1` or `swagger-2.0`, as the document says it; empty where that is not known.
        digest: sha256 of the document, in hex; empty where that is not known.
        problems: (where, what) is wrong with it: `openapi.yaml, line 12`.
        places: where the operations are written, as far as it is known.
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
        """Where frameworks serve the document of a running application, the most usual first."""
        ...

    def load(self, endpoint: str) -> Awaitable[ApiDescription]:
        """The document that an endpoint (a file of the project or an address) means.

        Raises:
            ToolFailure: there is none, or it is no OpenAPI document.
        """
        ...

    def read(self, location: str, content: bytes) -> ApiDescription | None:
        """The document that an application answered; None where it is none. Blocks."""
        ...


def document_form(version: str) -> str:
    """`openapi-3.1` for `3.1.0`, `swagger-2.0` for `2.0`; empty for what is no known version."""
    major = ".".join(version.split(".")[:2])
    if major in ("3.0", "3.1", "3.2"):
        return f"openapi-{major}"
    return "swagger-2.0" if major == "2.0" else ""
