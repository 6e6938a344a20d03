"""Parses names of repositories: `owner/name`, `owner/name@ref`, addresses of remotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...core.errors import UsageError

_PART = r"[A-Za-z0-9_.-]{1,100}"
_NAME = re.compile(rf"(?P<full>{_PART}/{_PART})(?:@(?P<ref>[^\s~^:?*\[\\]{{1,250}}))?")
_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?P<path>[^\s]+)")


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """A repository on GitHub, and a branch, tag or commit of it; `ref` is "" for its default branch."""

    full_name: str
    ref: str = ""


def repository_name(text: str) -> RepositoryName:
    """Parse `owner/name` or `owner/name@ref`. Raises UsageError."""
    found = _NAME.fullmatch(text.strip())
    full = found["full"] if found else ""
    if found is None or set(full.split("/")) & {".", ".."} or ".." in (found["ref"] or ""):
        raise UsageError(
            f"{text!r} names no repository on GitHub.", advice="Its form is owner/name, or owner/name@branch."
        )
    return RepositoryName(full, found["ref"] or "")


def remote_repository(url: str) -> tuple[str, str] | None:
    """The host and `owner/name` that a remote's address has; None where it has no such form."""
    if "://" in url:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    else:
        found = _SCP.fullmatch(url)
        if found is None:
            return None
        host, path = found["host"], found["path"]
    name = path.strip("/").removesuffix(".git")
    return (host.lower(), name) if host and _NAME.fullmatch(name) and "@" not in name else None
