"""Files of a stored run as the tools and resources read them; each confined to the run's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ....core.errors import ToolInputError
from ....store.files.run_folder import RunFolder
from ....store.files.staging import Staging
from ....utils.confined_paths import inside, read_text
from ..backend import Json
from ..roots import Root


def folder_of(state: Path, run_id: str) -> RunFolder:
    """A run's folder. Raises RunNotFound, UsageError."""
    return RunFolder(state, run_id).require()


def json_file(folder: RunFolder, path: str) -> Json:
    """A JSON object of a run. Raises ToolFailure when it is not there, ToolInputError when it is none."""
    return parsed_object(read_text(inside(folder.path, path), path), path)


def parsed_object(text: str, given: str) -> Json:
    """A JSON object from a file's text. Raises ToolInputError."""
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise ToolInputError(f"{given!r} is not JSON: {error}", advice="mend the file, or name another") from error
    if not isinstance(found, dict):
        raise ToolInputError(f"{given!r} holds no JSON object", advice="name a file that holds one")
    return found


def staged_texts(folder: RunFolder, root: Root) -> dict[str, str]:
    """Every staged file of a run, by its path in the project."""
    staging = Staging(folder, root.path)
    return {path: staging.text(path) for path in staging.paths()}


def specs_by_test(run: Json) -> dict[str, str]:
    """Where the spec of each test file of a finished run is, relative to its folder."""
    targets = (run["report"] or {}).get("targets") or ()
    return {one["test_path"]: one["spec_path"] for one in targets if one["test_path"] and one["spec_path"]}
