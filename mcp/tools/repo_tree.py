"""`repo.tree`: lists the files of the repository that is checked out, or of one on GitHub."""

from __future__ import annotations

import asyncio
import platform
from contextlib import suppress
from itertools import islice

from ...analysis.repository import MAX_FILES, Checkout
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import COUNT, array, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec
from .repo_read_file import BLOB_ID, REF


async def _run(services: ToolServices, /, path: str, ref: str | None = None) -> Json:
    """Lists the repository's files with size and git blob id. What git ignores, caches, environments, links and files
    that hold secrets by custom are left out.
    """
    if services.repository is None:
        return await asyncio.to_thread(_of_checkout, services, path, ref)
    tree = await services.repository.tree(ref)
    return {
        "repo_full_name": tree.full_name,
        "ref": tree.ref,
        "commit": tree.commit,
        "files": [dict(entry.to_dict()) for entry in tree.below(path)],
        "truncated": tree.truncated,
    }


def _of_checkout(services: ToolServices, path: str, ref: str | None) -> Json:
    checkout = Checkout(services.root)
    head = checkout.ref(ref)
    files: list[Json] = []
    found = list(islice(checkout.stamps(path), MAX_FILES + 1))
    for file, _ in found[:MAX_FILES]:
        with suppress(OSError):  # deleted meanwhile, or not readable
            files.append(dict(checkout.entry(file).to_dict()))
    return {
        "repo_full_name": checkout.full_name(),
        "ref": head.ref,
        "commit": head.commit,
        "files": files,
        "truncated": len(found) > MAX_FILES,
    }


def _key(services: ToolServices, arguments: Json) -> str | None:
    if services.repository is not None:
        return None  # GitHub says whether its own answer still holds
    checkout = Checkout(services.root)
    head = checkout.ref(arguments.get("ref"))
    states = [
        (path, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino, state.st_dev)
        for path, state in checkout.stamps(arguments["path"])
    ]
    # Reading every file would be the work itself: the files' states stand for their content, on this machine only.
    location = (platform.node(), str(services.root.resolve()))
    return content_key(arguments, head.ref, head.commit, checkout.full_name(), states, location)


TOOL = ToolSpec(
    name="repo.tree",
    input_schema=closed_object(
        [], path=string(default=".", description="Folder to list, POSIX, relative to the root."), ref=REF
    ),
    output_schema=closed_object(
        repo_full_name=string(pattern="^[^/]+/[^/]+$"),
        ref=string(minLength=1),
        commit=string(description="Full commit id; empty where there is none."),
        files=array(closed_object(path=string(), size=COUNT, sha=BLOB_ID)),
        truncated={"type": "boolean"},
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=300.0,
)
