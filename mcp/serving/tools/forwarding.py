"""A tool of a run, offered to clients: the same work, for a path below a served root (T-12)."""

from __future__ import annotations

import copy
from typing import Any

from ...toolbox.definition import ToolDefinition
from ..backend import Json
from ..jobs import held
from ..progress import apart
from ..tool_definition import ROOT, Answer, Call, Desk, ServedTool


def forwarded(
    definition: ToolDefinition,
    *,
    title: str,
    description: str,
    file: str | None = None,
    files: str | None = None,
    read_only: bool = True,
    open_world: bool = False,
    heavy: bool = False,
) -> ServedTool:
    """The offered form of a built-in tool, with `root` added to its arguments.

    Args:
        description: for the model that chooses, in place of the tool's own.
        file: the argument that names an existing file.
        files: the argument that lists files or folders, which need not exist.
        heavy: whether it runs code: it takes the place of a run, and tells that it is at work.
    """

    async def serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
        given = {name: value for name, value in arguments.items() if name != "root"}
        named = arguments.get("root")
        if file is not None:
            place = await desk.roots.file(given[file], root=named)
            root, given[file] = place.root, place.relative
        elif files is not None and given.get(files):
            places = [desk.roots.place(one, root=named) for one in given[files]]
            root = desk.roots.named(places[0].root.name)
            given[files] = [desk.roots.place(str(one.path), root=root.name).relative for one in places]
        else:
            root = desk.roots.named(named)

        async def work() -> Json:
            return await desk.application.call_tool(root.path, definition.name, given)

        return Answer(await (held(desk, call, root, definition.name, work) if heavy else apart(work())))

    return ServedTool(
        name=definition.name,
        title=title,
        description=description,
        input_schema=_with_root(definition.input_schema, file),
        output_schema=definition.output_schema,
        serve=serve,
        read_only=read_only,
        idempotent=True,
        open_world=open_world,
    )


def _with_root(schema: Json, file: str | None) -> Json:
    copied = copy.deepcopy(schema)
    properties = copied.setdefault("properties", {})
    if file is not None:
        properties[file]["description"] = "Path relative to the root, or an absolute path inside one."
    properties["root"] = ROOT
    return copied
