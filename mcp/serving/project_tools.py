"""Offers tools for graphs to clients: the same work, for a path below a served root."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ...core.errors import ToolInputError
from ..toolbox.content_cache import content_key
from ..toolbox.tool_spec import ClientForm, Json, ToolAnswer, ToolSpec
from .context import ROOT, ClientCall, ServerContext
from .handles import RUNS, parse_run_uri
from .jobs import find_run, run_exclusive
from .progress import run_to_end
from .roots import Root, RootPath


def for_clients(spec: ToolSpec) -> ToolSpec:
    """A tool as clients are offered it; one that is only for them is returned as it is."""
    form = spec.client_form
    if form is None:
        return spec

    async def run(call: ClientCall, /, **arguments: Any) -> ToolAnswer:
        if not form.needs_project:
            return await _shared_answer(call.server, spec, arguments)
        run_id: str | None = None
        sent = arguments.get(form.file_argument or "")
        if isinstance(sent, str) and sent.startswith(RUNS):
            root, run_id, mapped = await _resolve_staged(call.server, form, arguments, sent)
        else:
            root, mapped = await _resolve(call.server, form, arguments)

        async def work() -> Json:
            return await call.server.backend.call_tool(root.path, spec.name, mapped, run_id)

        return ToolAnswer(await (run_exclusive(call, root, spec.name, work) if form.runs_code else run_to_end(work())))

    return replace(
        spec,
        title=form.title,
        description=form.description,
        input_schema=_client_schema(spec.input_schema, form),
        run=run,
        open_world=form.open_world,
        is_long=form.runs_code,
    )


async def _shared_answer(server: ServerContext, spec: ToolSpec, arguments: Json) -> ToolAnswer:
    """Answers from the arguments alone, once for all sessions that send the same."""
    key = content_key(spec.name, arguments)
    result, source = await server.results.get_or_compute(key, lambda: spec.call(None, arguments))
    return ToolAnswer(result, source="memory" if source else "")


async def _resolve_staged(server: ServerContext, form: ClientForm, arguments: Json, uri: str) -> tuple[Root, str, Json]:
    """The project and the run of a file that is named by its URI, and the arguments with its path in the run."""
    run_id, part = parse_run_uri(uri)
    root, _ = await find_run(server, run_id)
    mapped = {name: value for name, value in arguments.items() if not (form.has_root and name == "root")}
    # A staged file goes by its path in the project.
    return root, run_id, {**mapped, str(form.file_argument): part.removeprefix("tests/")}


async def _resolve(server: ServerContext, form: ClientForm, arguments: Json) -> tuple[Root, Json]:
    """The project a call is about, and the tool's arguments with paths relative to it."""
    # `root` is ours: the tool itself does not know it.
    mapped = {name: value for name, value in arguments.items() if not (form.has_root and name == "root")}
    name = arguments.get("root") if form.has_root else None
    if form.file_argument is not None:
        path = mapped[form.file_argument]
        found = await (server.roots.file(path, root=name) if form.has_root else _absolute_file(server, path))
        return found.root, {**mapped, form.file_argument: found.relative}
    if form.paths_argument is not None and mapped.get(form.paths_argument):
        paths = [server.roots.resolve(path, root=name) for path in mapped[form.paths_argument]]
        root = paths[0].root
        # Resolved again in the first path's root: all of them have to lie in one project.
        relative = [server.roots.resolve(str(path.path), root=root.name).relative for path in paths]
        return root, {**mapped, form.paths_argument: relative}
    return server.roots.named(name), mapped


async def _absolute_file(server: ServerContext, path: str) -> RootPath:
    """Finds the test file of a tool without a `root` argument: with several roots, its path must be absolute."""
    roots = list(server.roots)
    if len(roots) == 1 or PurePosixPath(path).is_absolute():
        return await server.roots.file(path, what="test file")
    candidates: list[RootPath] = []
    for at, root in enumerate(roots, start=1):
        try:
            candidates.append(server.roots.resolve(path, root=root.name))
        except ToolInputError:  # a link of one project leads out of it: the others are asked all the same
            if at == len(roots) and not candidates:
                raise
    near = [str(path.path) for path in candidates if await asyncio.to_thread(path.path.is_file)]
    raise ToolInputError(
        f"several roots are served ({', '.join(root.name for root in roots)}), and {path!r} names none",
        advice="call again with the absolute path" + (f": {', '.join(near)}" if near else ""),
    )


def _client_schema(schema: Json, form: ClientForm) -> Json:
    if not form.has_root:
        return schema
    extended = copy.deepcopy(schema)
    properties = extended.setdefault("properties", {})
    if form.file_argument is not None:
        properties[form.file_argument]["description"] = "Path relative to the root, or an absolute path inside one."
    properties["root"] = ROOT
    return extended
