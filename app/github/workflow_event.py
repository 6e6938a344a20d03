"""Reads the event that a GitHub workflow runs for: whose code it brings, and the branch that this code is for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.errors import UsageError

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
    head = text_at(event, "pull_request", "head", "repo", "full_name")
    return not head or head != text_at(event, "repository", "full_name")


def base_branch(environment: Mapping[str, str]) -> str:
    """The branch that a workflow works on: of a pull request its own, since the tests are for that code; "" for none.

    Raises:
        UsageError: the event is a pull request from a fork, whose branch is not of this repository, or cannot be read.
    """
    if environment.get("GITHUB_ACTIONS") != "true":
        return ""
    name = environment.get("GITHUB_EVENT_NAME", "")
    if name == "merge_group":
        # The queue's own branch is gone once it is merged.
        return text_at(event_of(environment), "merge_group", "base_ref").removeprefix("refs/heads/")
    if name.startswith("pull_request") and may_bring_foreign_code(environment):
        raise UsageError(
            "The workflow runs for a pull request from a fork, whose branch is not of this repository.",
            advice="Say which branch the tests are for: --base BRANCH.",
        )
    ref = environment.get("GITHUB_REF", "")
    pushed = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""
    return environment.get("GITHUB_HEAD_REF", "") or pushed


def text_at(event: Mapping[str, Any], *keys: str) -> str:
    """The text at a path of keys; "" where there is none."""
    found: Any = event
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""
