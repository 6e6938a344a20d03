"""Reads files of stored runs for tools and resources; every path is confined to the run's folder."""

from __future__ import annotations

from typing import Any

from ...core.errors import ToolInputError
from ...store.files.run_folder import RunFolder
from ...store.files.staging import Staging
from ...utils.confined_paths import inside, read_text
from ...utils.untrusted_files import MAX_RESULT_BYTES, decoded_json
from .backend import Json
from .context import ServerContext
from .roots import Root


def run_folder(server: ServerContext, root: Root, run_id: str) -> RunFolder:
    """Returns a run's folder. Raises RunNotFound, UsageError."""
    return RunFolder(server.backend.state(root.path), run_id).require()


def read_json(folder: RunFolder, path: str) -> Json:
    """Reads a JSON object of a run. Raises ToolFailure without such a file, ToolInputError when it is no object."""
    return parse_object(read_run_text(folder, path), path)


def read_run_text(folder: RunFolder, path: str) -> str:
    """Reads a text of a run, up to 64 MiB. Raises ToolFailure."""
    return read_text(inside(folder.path, path), path, (folder.path,), MAX_RESULT_BYTES)


def parse_object(text: str, path: str) -> Json:
    """Parses a JSON object from a file's text. Raises ToolInputError."""
    try:
        parsed: Any = decoded_json(text)
    except ValueError as error:
        raise ToolInputError(f"{path!r} is not JSON: {error}", advice="mend the file, or name another") from error
    if not isinstance(parsed, dict):
        raise ToolInputError(f"{path!r} holds no JSON object", advice="name a file that holds one")
    return parsed


def staged_texts(folder: RunFolder, root: Root) -> dict[str, str]:
    """The text of every staged file of a run, by its path in the project."""
    staging = Staging(folder, root.path)
    return {path: staging.text(path) for path in staging.paths()}
