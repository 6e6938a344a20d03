"""Checks the folders that settings name: the state folder, and the folder of tests."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import ProjectError, SettingsError
from ..utils.untrusted_folders import first_irregular

STATE_DEPTH = 3
"""How far a state folder inside the project is searched for links: runs, their files, caches."""


def check_state_folder(state: Path) -> None:
    """Raises ProjectError for a state folder that may have come with the project and leads out of it."""
    irregular = first_irregular(state, STATE_DEPTH)
    if irregular is not None:
        raise ProjectError(
            f"{irregular} is a link or no plain file: a state folder in a project must not lead elsewhere.",
            advice=f"Remove it, or all of {state}. To keep runs elsewhere say --state-dir PATH.",
        )


def check_tests_folder(root: Path, tests_dir: str, state: Path) -> None:
    """Raises SettingsError for a folder of tests in an environment or among our runs, whatever these are called."""
    place = root / tests_dir
    for folder in (place, *place.parents):
        if folder == root:
            break
        if folder == state or (folder / "pyvenv.cfg").exists():
            raise SettingsError(
                f"Settings: tests_dir: must not lie in {folder.name}, where no tests of a project are.",
                advice="Name a folder of the project's own with --tests-dir.",
            )
