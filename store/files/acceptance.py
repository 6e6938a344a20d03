"""Adds files to a project so that a failure or a crash leaves it unchanged.

Before the project is touched, `accepting.json` in the run's folder says what will be done, and `replaced/` holds what
will be overwritten. When all is done the note goes away. A failure undoes it at once, a crash at the next resume.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...core.errors import StorageError, StoreCorrupt, UsageError
from ...utils.canonical import pretty_json
from ...utils.generated_header import generated_from
from ...utils.untrusted_files import read_bytes, read_source
from .base_names import BaseNames
from .files import make_folder, storage_error, typed_errors, write_beside, write_file
from .project_files import ProjectFile, digest_of_file, project_path
from .run_folder import RunFolder
from .superseded import superseded_files
from .tested_names import lost_names

Outcome = Literal["added", "updated", "unchanged", "removed", "edited", "conflict"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The outcome for one file.

    Attributes:
        outcome: `edited` is a generated file that a person has changed, and `conflict` one that is no generated file:
            both are left alone. `removed` is a generated file of single members that the module's file replaces.
        reason: why it was left alone or removed; "" otherwise.
        lost: names of the tested module that the file exercised before it was updated, and no longer does, with the
            reason where the source tells it.
    """

    path: str
    outcome: Outcome
    reason: str = ""
    lost: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Intended:
    """What will be done to one file; `new` is None for one that is removed, for `reason`."""

    file: ProjectFile
    old: bytes | None
    new: bytes | None
    reason: str = ""


def accept_files(folder: RunFolder, root: Path, contents: Mapping[str, bytes]) -> list[Acceptance]:
    """Write `contents` (path in the project → bytes) into the project; see `Staging.accept`."""
    answers: dict[str, Acceptance] = {}
    intended: list[_Intended] = []
    names = BaseNames(root)
    for path, new in sorted(contents.items()):
        file = ProjectFile(root, path)
        with typed_errors(file.place, "read"):
            answer, old = _check(names, file, new)
        if answer is None:
            intended.append(_Intended(file, old, new))
            names.add(path)
        else:
            answers[path] = answer
    written = {path for path in contents if path not in answers or answers[path].outcome == "unchanged"}
    intended += _replaced(folder, root, written)
    if intended:
        answers.update(_carry_out(folder, root, intended))
    return [answers[path] for path in sorted(answers)]


def withdraw(folder: RunFolder, root: Path) -> list[str]:
    """Undo what `accepting.json` says was begun; see `Staging.withdraw`."""
    note = _read_note(folder.accepting_json)
    if note is None:
        return []
    taken_back = [entry["path"] for entry in reversed(note["files"]) if _undo(folder, root, entry)]
    for name in reversed(note["folders"]):
        with suppress(OSError):  # not empty: somebody uses it by now
            (root / name).rmdir()
    _forget(folder)
    return sorted(taken_back)


def _check(names: BaseNames, file: ProjectFile, new: bytes) -> tuple[Acceptance | None, bytes | None]:
    """(outcome, None or old content) of a file not to be written; (None, old content) of one to be written."""
    reason = file.obstacle()
    old = file.content() if file.place.is_file() and not file.place.is_symlink() else None
    if old == new:
        return Acceptance(file.path, "unchanged"), old
    if reason and file.is_edited():
        return Acceptance(file.path, "edited", reason), old
    reason = reason or file.held_for_another(new) or names.clash_of(file.path)
    return (Acceptance(file.path, "conflict", reason) if reason else None), old


def _replaced(folder: RunFolder, root: Path, written: set[str]) -> list[_Intended]:
    """The removal of each test file of single members whose module has its whole test file now."""
    found: list[_Intended] = []
    for path, instead in superseded_files(folder.plan_json, root, written).items():
        file = ProjectFile(root, path)
        with typed_errors(file.place, "read"):
            found.append(_Intended(file, file.content(), None, f"{instead} is about the whole module"))
    return found


def _carry_out(folder: RunFolder, root: Path, intended: list[_Intended]) -> dict[str, Acceptance]:
    _write_note(folder, intended)
    answers: dict[str, Acceptance] = {}
    for change in intended:
        try:
            answers[change.file.path] = _write(change)
        except OSError as error:
            withdraw(folder, root)
            raise _refused(error, folder, change.file) from error
    _forget(folder)
    return answers


def _write(change: _Intended) -> Acceptance:
    file = change.file
    if change.new is None:
        removed = change.old is not None and file.remove(change.old)
        if removed:
            return Acceptance(file.path, "removed", change.reason)
    elif file.write(change.new, replacing=change.old):
        if change.old is None:
            return Acceptance(file.path, "added")
        return Acceptance(file.path, "updated", lost=_lost(file.root, change.old, change.new))
    return Acceptance(change.file.path, "conflict", "it was written by somebody else just now")


def _lost(root: Path, old: bytes, new: bytes) -> dict[str, str]:
    """Names of the tested module that only the old version of a test file exercises; none where that cannot be told."""
    before, after = old.decode("utf-8", "replace"), new.decode("utf-8", "replace")
    target = generated_from(after)
    if target is None or not target.endswith(".py"):
        return {}
    try:
        return lost_names(before, after, target, read_source(root, target))
    except (OSError, UnicodeDecodeError):
        return {}


def _refused(error: OSError, folder: RunFolder, file: ProjectFile) -> StorageError:
    kept = f"The project was left as it was. The accepted tests are in {folder.staged}; "
    refused = storage_error(
        error,
        file.place,
        "add to the project",
        advice=f"{kept}make the project writable, then `testwright apply {folder.run_id}`.",
        space=f"{kept}make room on the disk, then `testwright apply {folder.run_id}`.",
    )
    refused.details["of"] = "project"  # the run's own state is in order, so the run can end
    return refused


def _write_note(folder: RunFolder, intended: list[_Intended]) -> None:
    for change in intended:
        if change.old is not None:
            place = folder.replaced / change.file.path
            make_folder(place.parent)
            with typed_errors(place, "write"):
                write_beside(place, change.old).replace(place)
    folders = sorted({name for change in intended for name in change.file.missing_folders()})
    files = [
        {
            "path": change.file.path,
            "new": None if change.new is None else digest_of_file(change.new),
            "replaces": change.old is not None,
        }
        for change in intended
    ]
    write_file(folder.accepting_json, pretty_json({"folders": folders, "files": files}))


def _read_note(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    with typed_errors(path, "read"):
        text = read_bytes(path.parent, path.name)
    try:
        note = json.loads(text)
        files = [{**file, "path": project_path(file["path"])} for file in note["files"]]
        return {"folders": [project_path(folder) for folder in note["folders"]], "files": files}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError) as error:
        raise StoreCorrupt(
            f"{path} does not read.", advice="Look at the project's test files yourself, then delete it."
        ) from error


def _undo(folder: RunFolder, root: Path, entry: dict[str, Any]) -> bool:
    """Take one file back if it is as we wrote it; whether that was so."""
    file = ProjectFile(root, entry["path"])
    with typed_errors(file.place, "withdraw"):
        file.remove_leftover()
        now = file.content() if file.place.is_file() and not file.place.is_symlink() else None
        if entry["new"] is None:
            return not file.place.exists() and file.write(read_bytes(folder.replaced, entry["path"]), replacing=None)
        if now is None or digest_of_file(now) != entry["new"]:
            return False
        if not entry["replaces"]:
            return file.remove(now)
        return file.write(read_bytes(folder.replaced, entry["path"]), replacing=now)


def _forget(folder: RunFolder) -> None:
    with typed_errors(folder.accepting_json, "remove"):
        folder.accepting_json.unlink(missing_ok=True)
    shutil.rmtree(folder.replaced, ignore_errors=True)
