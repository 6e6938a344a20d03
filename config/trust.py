"""Decides which settings of a project's own file hold: harmless ones always, all others when a person consents.

A repository is an attacker's until a person says otherwise. Consent is `--trust-project` (TESTWRIGHT_TRUST_PROJECT), or
an entry of the trust file, which `testwright trust` writes outside the project: the project's path and a digest of the
settings that need consent, so that any later change of them asks again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.errors import SettingsError
from .variables import has_reference

HARMLESS = frozenset(
    {
        *(
            "framework",
            "tests_dir",
            "test_type",
            "include",
            "exclude",
            "strict",
            "fail_on",
            "xfail_defects",
            "dry_run",
            "run",
            "analyze",
            "isolate_agents",
            "planner_failure",
            "control",
            "stream",
        ),
        *(
            "repeats",
            "max_retries",
            "max_retries_per_step",
            "examples",
            "app_object",
            "app_ready",
            "sign_in",
            "evidence",
            "fuzz",
            "fuzz_seed",
        ),
        *("max_tokens", "max_cost", "max_seconds", "keep_runs", "fresh", "cache"),
    }
)
"""The settings that a project's file may set to any value without consent; every other one needs it."""

MOST: Mapping[str, int] = {
    "jobs": 8,
    "trials": 30_000,
    "mutants": 1_000,
    "step_seconds": 1_800,
    "fuzz_seconds": 600,
    "import_seconds": 120,
    "model_timeout": 1_800,
    "cache_mib": 1_024,
}
"""The most that a project's file may give each of these without consent: time and space of the user's have an end."""


def _up_to(most: int) -> Callable[[Any], bool]:
    # Text that reads as a number asks too: the settings would take it for the number. NaN is not up to anything.
    return lambda value: isinstance(value, int | float) and value <= most


_HARMLESS_VALUES: Mapping[str, Callable[[Any], bool]] = {
    **{name: _up_to(most) for name, most in MOST.items()},
    "models": lambda value: isinstance(value, dict) and set(value.values()) <= {"embedded"},
    "sandbox": lambda value: value in ("auto", "bubblewrap"),
    "apply": lambda value: value is False,
    "env": lambda value: isinstance(value, dict) and not any(has_reference(str(entry)) for entry in value.values()),
}
"""Settings of which only some values are harmless: more isolation, no model, few processes, times with an end, nothing
of the user's environment."""

_SHOWN = 60
_MOST_NOTES = 4000


def needs_consent(name: str, value: Any) -> bool:
    """Whether a project's file may give a setting this value only with a person's consent."""
    return name not in HARMLESS and not _HARMLESS_VALUES.get(name, lambda _: False)(value)


def trust_file(environment: Mapping[str, str]) -> Path | None:
    """The user's trust file; None for a user without a home."""
    folder = environment.get("XDG_CONFIG_HOME") or (environment.get("HOME") and f"{environment['HOME']}/.config")
    return Path(folder, "testwright", "trust.json") if folder and Path(folder).is_absolute() else None


def is_recorded(root: Path, wanted: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the trust file has the user's consent to exactly these settings of this project.

    A trust file inside the project is the project's, and counts for nothing.

    Raises:
        SettingsError: the trust file does not read.
    """
    path = trust_file(environment)
    if path is None or path.resolve().is_relative_to(root.resolve()):
        return False
    return _read(path).get(str(root.resolve())) == _digest(wanted)


def record(root: Path, wanted: Mapping[str, Any] | None, environment: Mapping[str, str] = os.environ) -> Path:
    """Record the user's consent to these settings of a project, or withdraw it (None); returns the trust file.

    Raises:
        SettingsError: the trust file does not read, or cannot be written.
    """
    path = trust_file(environment)
    if path is None:
        raise SettingsError("There is no place for the trust file.", advice="Set HOME, or say --trust-project.")
    projects = {name: digest for name, digest in _read(path).items() if name != str(root.resolve())}
    if wanted is not None:
        projects[str(root.resolve())] = _digest(wanted)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside.write_text(json.dumps({"projects": projects}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.", advice="Or say --trust-project.") from error
    return path


def remember_run(
    run_id: str, created_at: float, chosen: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> None:
    """Note outside the project that the user began a run here, so that it can be resumed; the latest thousands stay.

    Where that cannot be written nothing is noted, and resuming needs consent.

    Args:
        created_at: when the run was recorded, which nobody else knows in advance, in seconds since the epoch.
        chosen: those of its settings that need consent.
    """
    path = _note_of(run_id, created_at, chosen, environment)
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch()
            forget_oldest(path.parent)


def is_remembered(
    run_id: str, created_at: float, chosen: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> bool:
    """Whether the user began a run here, with exactly these of the settings that need consent."""
    path = _note_of(run_id, created_at, chosen, environment)
    return path is not None and path.is_file()


def _note_of(run_id: str, created_at: float, chosen: Mapping[str, Any], environment: Mapping[str, str]) -> Path | None:
    trusted = trust_file(environment)
    what = {"run": run_id, "created": created_at, "settings": dict(chosen)}
    return trusted.parent / "runs" / _digest(what) if trusted else None


def forget_oldest(notes: Path) -> None:
    """Keep the notes of the latest runs. Raises OSError."""
    with os.scandir(notes) as entries:
        found = list(entries)
    if len(found) > _MOST_NOTES:
        for entry in sorted(found, key=lambda entry: entry.stat().st_mtime)[: len(found) // 2]:
            Path(entry.path).unlink(missing_ok=True)


def in_words(settings: Mapping[str, Any]) -> str:
    """The settings for people: `python = "evil.sh", …`, in ASCII, long values cut; of tool servers their names."""
    shown = []
    for name, value in sorted(settings.items()):
        text = json.dumps(sorted(value) if name == "mcp_servers" else value, default=str)
        shown.append(f"{name} = {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}")
    return ", ".join(shown)


def ignored_in_words(name: str, ignored: Mapping[str, Any], root: Path) -> str:
    """What of a project's file does not hold without consent, and how to consent."""
    return (
        f"From {name} ignored until you trust the project: {in_words(ignored)}. "
        f"Trust what it sets with `testwright trust --root {root}`, or for this once with --trust-project."
    )


def _digest(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()


def _read(path: Path) -> dict[str, str]:
    try:
        projects = json.loads(path.read_text(encoding="utf-8"))["projects"]
        return {str(root): str(digest) for root, digest in projects.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"The trust file {path} does not read.", advice="Mend it, or delete it.") from error
