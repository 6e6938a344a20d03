"""Defines a pull request of test files: what it may hold, what came of it, and the markers in its body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from ...core.errors import UsageError
from ...utils.outgoing_text import cut_markdown

LONGEST_TITLE = 256
LONGEST_BODY = 60_000
"""Characters; GitHub takes 65,536, and a person's own text may stand beside ours."""

_LONGEST_TOTAL = 64_999
_CUT = "… the rest is in the run's own report."
_MARKER = re.compile(r"<!--(?=\s*/?\s*testwright)", re.IGNORECASE)

Outcome = Literal["created", "updated", "unchanged", "nothing_new"]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file of the pull request: its POSIX path in the repository, and its text."""

    path: str
    contents: str


@dataclass(frozen=True, slots=True)
class CreatePullRequest:
    """What a pull request should be.

    Attributes:
        files: at least one.
        title: 1 to 256 characters.
        body: Markdown, at most 60,000 characters.
        base_branch: the branch that the tests are for.
        head_branch: the branch that has them; the one of an earlier pull request with the same key goes before it.
        tests_folder: POSIX path in the repository; nothing outside of it is written.
        key: names the pull request over its reruns: letters and digits.
        keep_title: leave the title of a pull request that is there, which a person may have changed.
    """

    files: tuple[NewFile, ...]
    title: str
    body: str
    base_branch: str
    head_branch: str
    tests_folder: str
    key: str
    keep_title: bool = True

    def __post_init__(self) -> None:
        """Raises UsageError for a title, body or path that may not be."""
        if not 1 <= len(self.title.strip()) <= LONGEST_TITLE:
            raise UsageError(
                f"The title of a pull request has 1 to {LONGEST_TITLE} characters, this one {len(self.title)}.",
                advice="Give a shorter one with --title.",
            )
        if len(self.body) > LONGEST_BODY:
            raise UsageError(f"The body of a pull request has at most {LONGEST_BODY} characters.")
        if not self.files:
            raise UsageError("There are no tests for a pull request.", advice="Its report says why none was kept.")
        if self.head_branch == self.base_branch:
            raise UsageError(
                f"The branch {self.base_branch!r} cannot be merged into itself.", advice="Give another --head."
            )
        folder = PurePosixPath(self.tests_folder)
        if not _is_plain(folder):
            raise UsageError(
                f"{self.tests_folder!r} is no folder for tests of a pull request.",
                advice="Give --tests-dir a folder below the project's.",
            )
        for file in self.files:
            if not _is_plain(PurePosixPath(file.path)) or not PurePosixPath(file.path).is_relative_to(folder):
                raise UsageError(
                    f"{file.path} lies outside of {folder}, the only folder that a pull request may write.",
                    advice="Nothing was sent.",
                )


def _is_plain(path: PurePosixPath) -> bool:
    """Whether a path leads down from the repository's root, not into git's or GitHub's own folders."""
    parts = path.parts
    control = any(ord(letter) < 32 or letter == "\\" for letter in str(path))
    return bool(parts) and not control and not any(part in ("/", "..") or part.startswith(".git") for part in parts)


@dataclass(frozen=True, slots=True)
class PullRequestResult:
    """What became of it.

    Attributes:
        outcome: `created`; `updated`: a commit, the body or the title is new; `unchanged`; `nothing_new`: the base
            branch has every file already, and no pull request was made.
        number, url: of the pull request; 0 and "" without one.
        commit: the branch's newest commit; "" without a branch.
        written: paths in that commit.
        left_alone: paths that a person has changed or removed there.
    """

    outcome: Outcome
    base: str
    branch: str
    number: int = 0
    url: str = ""
    commit: str = ""
    written: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()


def begin_marker(key: str) -> str:
    """The comment that a body of ours begins with; a page does not show it."""
    return f"<!-- testwright:pull-request {key} -->"


def has_marker(body: str) -> bool:
    """Whether a body is of a pull request of ours, whichever."""
    return begin_marker("").partition("  ")[0] in body


def marked_body(old: str, text: str, key: str) -> str:
    """A body with our text between hidden markers; what a person has written around it stays.

    Markers in the text itself, which quotes the project's code, are broken up: they would end ours early, or pass for
    those of another pull request. Where both are longer than GitHub takes, ours is cut.

    Args:
        old: the body that is there; "" for a new one.
    """
    begin, end = begin_marker(key), f"<!-- /testwright:pull-request {key} -->"
    before, found, rest = old.replace("\r\n", "\n").partition(begin)
    after = rest.partition(end)[2]
    if not found and before.strip():
        before = f"{before.strip()}\n\n"
    elif not found:
        before = ""
    room = _LONGEST_TOTAL - len(before) - len(begin) - len(end) - len(after) - 2
    ours = cut_markdown(_MARKER.sub("<! --", text.strip()), room, _CUT)
    return f"{before}{begin}\n{ours}\n{end}{after}"
