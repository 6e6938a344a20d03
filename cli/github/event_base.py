"""A workflow's event: the commit it changed from, which `changed-only` compares with, and whose code it brings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.errors import HistoryError, UsageError
from ...vcs.comparison import folder_in_repository, merge_base
from ...vcs.git import Git

_NONE = "0" * 40
_BY_MEMBERS = frozenset({"push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"})
"""Events whose code somebody with the right to write has put into the repository."""


def event_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """The event's payload. Raises UsageError when the runner's file does not read."""
    place = environment.get("GITHUB_EVENT_PATH", "")
    if not place:
        return {}
    try:
        payload = json.loads(Path(place).read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"The event in GITHUB_EVENT_PATH cannot be read: {error}.") from error
    return payload if isinstance(payload, dict) else {}


def may_bring_foreign_code(environment: Mapping[str, str]) -> bool:
    """Whether the event's code may come from a fork: all but events of members and pull requests from a branch here.

    Raises:
        UsageError: the event cannot be read.
    """
    name = environment.get("GITHUB_EVENT_NAME", "")
    if not name.startswith("pull_request"):
        return name not in _BY_MEMBERS
    event = event_of(environment)
    head = _text(event, "pull_request", "head", "repo", "full_name")
    return not head or head != _text(event, "repository", "full_name")


def base_candidates(name: str, event: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Refs the event's change may be compared with, the best first; none where an event has no base.

    Args:
        name: the event, such as `pull_request`.
        event: its payload.

    For a pull request the target branch as it was fetched comes first: actions/checkout checks out the merge with it.
    """
    if name.startswith("pull_request"):
        target = environment.get("GITHUB_BASE_REF", "")
        found = [f"refs/remotes/origin/{target}" if target else "", _text(event, "pull_request", "base", "sha")]
    elif name == "merge_group":
        found = [_text(event, "merge_group", "base_sha")]
    else:
        default = _text(event, "repository", "default_branch")
        elsewhere = default and environment.get("GITHUB_REF") != f"refs/heads/{default}"
        before = _text(event, "before") if name == "push" else ""
        found = [before, f"refs/remotes/origin/{default}" if elsewhere else ""]
    return [one for one in dict.fromkeys(found) if one and one != _NONE]


def base_of(root: Path, environment: Mapping[str, str]) -> str:
    """The ref to compare with: the first candidate that this clone has in common with HEAD.

    Raises:
        HistoryError: the event has no base, the clone does not reach back to it, or git cannot read it.
        EnvironmentFault: there is no git.
        UsageError: the event cannot be read.
    """
    name = environment.get("GITHUB_EVENT_NAME", "")
    candidates = base_candidates(name, event_of(environment), environment)
    if not candidates:
        raise HistoryError(
            f"The event {name or '(none)'} says nothing that the code could be compared with.",
            advice="Give changed-since a branch, tag or commit, or leave changed-only out.",
            details={"reason": "no_base"},
        )
    git = Git.at(root)
    folder_in_repository(git)
    failure: HistoryError | None = None
    for candidate in candidates:
        try:
            merge_base(git, candidate)
        except HistoryError as error:
            failure = failure if failure is not None and failure.details["reason"] == "shallow" else error
        else:
            return candidate
    assert failure is not None
    raise failure


def _text(event: Mapping[str, Any], *keys: str) -> str:
    found: Any = event
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""
