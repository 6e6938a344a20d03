"""Finds the files whose contents a project's documents show: a block below a line that names one file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ...python.project.layout import Layout
from .documented import FENCE, document_text
from .file_formats import ENDINGS

_LARGEST = 2_000
_MOST_FILES = 12
_NAME = re.compile(r"(?<![\w./-])([\w-]+(?:\.[\w-]+)*\.(\w+))(?![\w/])")
_SHOWS = re.compile(
    r"\b(?:contain(?:s|ing)?|contents?|following|looks? like|like (?:this|so)|such as|creat(?:e|ing)|consider)\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"\b(?:print|output|show|return|produc|run|giv|writ|result|display|save)(?:e?s|e|ing|s|ed)?\b", re.I
)
"""Words of what a command does: the block below is then what comes out."""
_PLAIN = ("", "text", "txt", "plain", "plaintext")
_INDENT = re.compile(r"^[ \t]+")
_MARKUP = re.compile(r"[`*_:#>\s]+")
_COMMAND = re.compile(r"[ \t]*(?:[$%>] |>>>)")


def documented_files(root: Path, layout: Layout) -> list[tuple[str, str]]:
    """Names and contents of the files that README and documentation show, in order; the first of each name.

    A block is the contents of a file where the paragraph above it is the file's name, or names one file alone and says
    that it holds or looks like what follows.
    """
    found: dict[str, str] = {}
    for path in layout.documents:
        for name, contents in _files_in(document_text(root, path)):
            found.setdefault(name, contents)
    return list(found.items())[:_MOST_FILES]


def file_of_name(files: Sequence[tuple[str, str]], name: str) -> tuple[str, str] | None:
    """Return the file of a name; `dogs.yml` is that of `dogs.yaml`, too."""
    return next(((name, text) for known, text in files if _usual(known) == _usual(name)), None)


def _usual(name: str) -> str:
    return f"{name[:-5]}.yml" if name.endswith(".yaml") else name


def _files_in(text: str) -> Iterator[tuple[str, str]]:
    # Tabs within a line may part the cells of a table.
    indented = [_INDENT.sub(lambda found: found[0].expandtabs(4), line) for line in text.split("\n")]
    for lead, language, lines in _blocks(indented):
        name = _named_file(lead)
        contents = textwrap.dedent("\n".join(lines)).strip("\n") + "\n"
        ending = PurePosixPath(_usual(name)).suffix.removeprefix(".")
        is_of_file = language in (*_PLAIN, ending) or (ending == "yml" and language == "yaml")
        is_shown = is_of_file and not any(map(_COMMAND.match, lines))
        if name and is_shown and contents.strip() and len(contents) <= _LARGEST:
            yield name, contents


def _named_file(lead: str) -> str:
    """Return the one file that a paragraph names, where it says that its contents follow; empty where it does not."""
    names = {match[1]: None for match in _NAME.finditer(lead) if match[2].lower() in ENDINGS}
    if len(names) != 1:
        return ""
    (name,) = names
    is_alone = _MARKUP.sub("", lead) == _MARKUP.sub("", name)
    return name if is_alone or (_SHOWS.search(lead) and not _OUTPUT.search(lead)) else ""


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each fenced or indented block: the paragraph above it, its language, its lines."""
    at, paragraph, is_open = 0, "", False
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        if fence is not None:
            end = next((one for one in range(at + 1, len(lines)) if lines[one].strip() == fence[1]), len(lines))
            yield paragraph, fence[2].lower(), list(lines[at + 1 : end])
            at, paragraph, is_open = end + 1, "", False
        elif line.startswith("    ") and line.strip() and not is_open:
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield paragraph, "", list(lines[at:end])
            at, paragraph = end, ""
        else:
            # A blank line ends a paragraph; the next one is another.
            paragraph = f"{paragraph} {line.strip()}" if is_open else (line.strip() or paragraph)
            is_open = bool(line.strip())
            at += 1
