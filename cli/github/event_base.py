"""A workflow's event: the commit it changed from, which `changed-only` compares with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...app.github.workflow_event import event_of, text_at
from ...core.errors import HistoryError
from ...vcs.comparison import folder_in_repository, merge_base
from ...vcs.git import Git

_NONE = "0" * 40


def base_candidates(name: str, event: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Refs the event's change may be compared with, the best first; none where an event has no base.

    Args:
        name: the event, such as `pull_request`.
        event: its payload.

    For a pull request the target branch as it was fetched comes first: actions/checkout checks out the merge with it.
    """
    if name.startswith("pull_request"):
        target = environment.get("GITHUB_BASE_REF", "")
        found = [f"refs/remotes/origin/{target}" if target else "", text_at(event, "pull_request", "base", "sha")]
    elif name == "merge_group":
        found = [text_at(event, "merge_group", "base_sha")]
    else:
        default = text_at(event, "repository", "default_branch")
        elsewhere = default and environment.get("GITHUB_REF") != f"refs/heads/{default}"
        before = text_at(event, "before") if name == "push" else ""
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
