"""The words and files by which a step speaks to GitHub's runner.

Text that is not ours (titles, paths, output of tested code) passes through here and nowhere else: it can end neither a
command, nor a property, nor a value.
"""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from ...core.errors import UsageError
from ...utils.outgoing_text import valid_text, visible_text

Level = Literal["notice", "warning", "error"]
SUMMARY_BYTES = 1024 * 1024
"""What the runner takes of one step's summary; it refuses a larger one as a whole."""

_CUT = "\n\n*The summary is cut here: the report has the rest.*\n"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message at a line of a file.

    Attributes:
        level: how it is shown.
        title: its heading.
        message: its text, of any number of lines.
        path: POSIX, relative to the workspace; "" for none.
        lines: first and last line; None for none.
    """

    level: Level
    title: str
    message: str
    path: str = ""
    lines: tuple[int, int] | None = None


def annotation_line(annotation: Annotation) -> str:
    """The workflow command of an annotation, without its end of line."""
    properties: dict[str, str] = {}
    if annotation.path:
        properties["file"] = annotation.path
        if annotation.lines is not None:
            properties["line"] = str(max(annotation.lines[0], 1))
            properties["endLine"] = str(max(annotation.lines[1], annotation.lines[0], 1))
    properties["title"] = annotation.title
    told = ",".join(f"{name}={escaped_property(value)}" for name, value in properties.items())
    return f"::{annotation.level} {told}::{escaped(annotation.message)}"


def escaped(text: str) -> str:
    """Text as the message of a command: one line, which the runner turns back into what it was."""
    return visible_text(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Text as the value of a property of a command."""
    return escaped(text).replace(":", "%3A").replace(",", "%2C")


def mask_line(secret: str) -> str:
    """The command that keeps a value out of everything the runner shows from now on."""
    return f"::add-mask::{escaped(secret)}"


def plain_line(text: str) -> str:
    """Text for the log: one line that the runner takes for no command."""
    line = visible_text(" ".join(text.split())).replace("##[", "# #[")
    return re.sub(r"^:+", lambda found: " :" * len(found.group()), line).strip() or "-"


@contextmanager
def commands_stopped(log: TextIO) -> Iterator[None]:
    """Let the runner follow no commands while the block lasts, whatever is printed."""
    token = f"testwright-{secrets.token_hex(16)}"
    log.write(f"::stop-commands::{token}\n")
    log.flush()
    try:
        yield
    finally:
        log.write(f"::{token}::\n")
        log.flush()


def write_outputs(path: Path, values: Mapping[str, str]) -> None:
    """Add outputs of the step. A value may hold anything, also several lines."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in values.items():
            border = f"end-{uuid.uuid4()}"
            file.write(f"{name}<<{border}\n{valid_text(value)}\n{border}\n")


def write_summary(path: Path, markdown: str) -> None:
    """Add to the job's summary, cut at a line's end where the runner would refuse it."""
    data = visible_text(markdown).encode()
    room = SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0) - len(_CUT.encode()) - 1
    if len(data) > room:
        kept = data[: max(room, 0)].rpartition(b"\n")[0]
        data = kept + _closing(kept) + _CUT.encode()
    with path.open("ab") as file:
        file.write(data if data.endswith(b"\n") else data + b"\n")


def _closing(kept: bytes) -> bytes:
    """What closes a block of code that the cut has left open."""
    fences = re.findall(rb"^(`{3,})", kept, re.MULTILINE)
    return b"\n" + fences[-1] if len(fences) % 2 else b""


def file_of(environment: Mapping[str, str], name: str) -> Path:
    """A file that the runner names. Raises UsageError where it does not."""
    if not environment.get(name):
        raise UsageError(
            f"{name} is not set: this is no step of a GitHub workflow.",
            advice="On other machines `testwright run` does the same work.",
        )
    return Path(environment[name])
