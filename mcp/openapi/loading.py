"""A whole OpenAPI document for those that work with it: bundled, of version 3, as plain data (T-12, T-20)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ...errors import ToolFailure
from .documents import gather
from .finding import find
from .reading import read
from .web import Web

_SECONDS = 60.0
Loader = Callable[[str], Awaitable[dict[str, Any]]]


def document_loader(root: Path) -> Loader:
    """What reads documents for a project: endpoint → document. Broken references in it stay as they are.

    Args:
        root: the project; an endpoint that is no address is a file in it, or "." for its own document.
    """

    async def load(endpoint: str) -> dict[str, Any]:
        """The document. Raises ToolFailure: there is none, or it is no OpenAPI document."""
        try:
            async with asyncio.timeout(_SECONDS):
                found = await find(root, endpoint, Web())
                library = await gather(found.document, found.source) if found.document else None
        except TimeoutError as error:
            raise ToolFailure(
                f"the document {endpoint} was not complete within {_SECONDS:g} s", advice="give a copy of it as a file"
            ) from error
        if library is None:
            why = found.problem.message if found.problem else "it does not parse"
            line = f" (line {found.problem.line})" if found.problem and found.problem.line else ""
            raise ToolFailure(f"{endpoint} cannot be read{line}: {why}", advice="repair the document and try again")
        reading = await asyncio.to_thread(read, library)
        if reading.value is None:
            told = "; ".join(one.message for one in reading.problems[:3])
            raise ToolFailure(
                f"{endpoint} is no OpenAPI document: {told}", advice="give an OpenAPI 3 or Swagger 2.0 document"
            )
        return reading.value

    return load
