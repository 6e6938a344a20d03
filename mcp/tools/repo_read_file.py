"""`repo.read_file`: reads a text file of the repository that is checked out, or of one on GitHub."""

from __future__ import annotations

import asyncio

from ...analysis.repository import Checkout
from ...utils.confined_paths import read_text
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import COUNT, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec

REF = string(
    minLength=1, description="Branch or full commit id that must be checked out; any when left out. On GitHub any ref."
)
BLOB_ID = string(pattern="^[0-9a-f]{40}$")


async def _run(services: ToolServices, /, path: str, ref: str | None = None) -> Json:
    """Reads a UTF-8 text file that repo.tree lists, at most 4 MiB."""
    if services.repository is None:
        return await asyncio.to_thread(_of_checkout, services, path, ref)
    tree, entry, text = await services.repository.read(path, ref)
    return {"path": path, "ref": tree.ref, "sha": entry.sha, "size": entry.size, "contents": text}


def _of_checkout(services: ToolServices, path: str, ref: str | None) -> Json:
    checkout = Checkout(services.root)
    head = checkout.ref(ref)
    text = read_text(checkout.readable(path), path, (services.root,))
    entry = checkout.entry(path)
    return {"path": path, "ref": head.ref, "sha": entry.sha, "size": entry.size, "contents": text}


def _key(services: ToolServices, arguments: Json) -> str | None:
    if services.repository is not None:
        sha = services.repository.blob_of(arguments["path"], arguments.get("ref"))
        return content_key(arguments, sha) if sha is not None else None
    checkout = Checkout(services.root)
    head = checkout.ref(arguments.get("ref"))
    checkout.readable(arguments["path"])
    try:
        return content_key(arguments, head.ref, checkout.entry(arguments["path"]).sha)
    except OSError:
        return None  # the call itself raises it


TOOL = ToolSpec(
    name="repo.read_file",
    input_schema=closed_object(
        ["path"], path=string(minLength=1, description="POSIX path relative to the root."), ref=REF
    ),
    output_schema=closed_object(path=string(), ref=string(), sha=BLOB_ID, size=COUNT, contents=string()),
    run=_run,
    cache_key=_key,
)
