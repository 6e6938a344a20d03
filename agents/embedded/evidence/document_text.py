"""Tells which parts of a document may promise something: code blocks, sentences about now, tables of results."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`{]*)")
_BLOCK = re.compile(r"^\.\. (?:code-block|code|sourcecode):: *python[ ]*\n((?:[ ]*\n|[ ]+\S[^\n]*\n)+)", re.MULTILINE)
_PYTHON = frozenset({"", "python", "py", "python3"})
_SESSIONS = frozenset({"pycon", "doctest", "python-console", "python-repl"})
_PAST_PATH = re.compile(
    r"(?:^|[/_.-])(?:changelog|changes|change_log|history|news|releases?|release[_-]?notes|whats[_-]?new|upgrad\w*|"
    r"migrat\w*|deprecat\w*)(?=[/_.-]|$)",
    re.IGNORECASE,
)
_PAST_HEADING = re.compile(
    r"(?im)^(?:#+ .*\b(?:change ?log|changes|changed|history|news|releases?|upgrad\w*|migrat\w*|what's new|deprecat\w*|"
    r"v?\d+\.\d+(?:\.\d+)*)\b.*|(?:changelog|changes|history|news|release notes|upgrading|migration)[ \t]*\n[=~-]{3,})$"
)
_DOUBTFUL = re.compile(
    r"\b(?:if|when|whenever|for|unless|where|while|with|without|given|assuming|until|before|old|older|was|were|since|"
    r"fixed|bugs?|"
    r"previously|formerly|used to|no longer|instead|not|never|might|may|could|would|wrong|incorrect)\b|n't\b",
    re.IGNORECASE,
)
_FOR_EXAMPLE = re.compile(r"\b(?:for (?:example|instance)|may be used)\b", re.IGNORECASE)
_TEXT_IN_QUOTES = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|#]|\d+[.)]))")
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?[`'\"]?$")
_BROKEN = re.compile(r"(?:\b(?:not|and|or|in|is|lambda|await)|[-+*/%<>=&|~^@(\[{])[ \t]*[`'\"]?$")
_RESULT = re.compile(r"\b(?:results?|outputs?|returns?)\b", re.IGNORECASE)


def is_about_the_past(path: str, text: str) -> bool:
    """Whether a passage tells of changes: what it shows may have been true of another version."""
    return _PAST_PATH.search(path) is not None or _PAST_HEADING.search(text) is not None


def code_blocks(text: str) -> Iterator[tuple[int, str]]:
    """The Python blocks of a document, each with the number of lines before it; a fence that is not closed is none."""
    lines = text.split("\n")
    for first, last, language in _fences(lines):
        if language in _PYTHON and last < len(lines):
            yield first + 1, textwrap.dedent("\n".join(lines[first + 1 : last]))
    for block in _BLOCK.finditer(_without_fences(lines)):
        yield text.count("\n", 0, block.start(1)), textwrap.dedent(block[1])


def prompts_of(text: str) -> str:
    """The text line for line, without fences, which a doctest would take for output, and without other languages."""
    lines = text.split("\n")
    for first, last, language in _fences(lines):
        is_read = language in _PYTHON | _SESSIONS and last < len(lines)
        for at in (first, last) if is_read else range(first, last + 1):
            lines[at : at + 1] = [""] if at < len(lines) else []
    return "\n".join(lines)


def words_of(text: str) -> str:
    """The text without its code, line for line: fenced and indented lines are empty."""
    plain = _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), _without_fences(text.split("\n")))
    return "\n".join("" if line.startswith(("    ", "\t")) else line for line in _tables_as_words(plain.split("\n")))


def is_plain_statement(marked: str, at: int) -> bool:
    """Whether the call at a place is a whole expression, in a sentence that says it without a condition.

    Args:
        marked: words of a document, with their backticks.
    """
    line = marked[marked.rfind("\n", 0, at) + 1 : at]
    if _LIST_MARK.match(line) is None and (line[-1:] not in ("`", "'", '"') or _BROKEN.search(line)):
        return False
    plain = _TEXT_IN_QUOTES.sub(lambda quoted: "_" * len(quoted[0]), marked)
    begin = max((one.end() for one in _SENTENCE_END.finditer(plain, 0, at)), default=0)
    end = _SENTENCE_END.search(plain, at)
    sentence = plain[begin : end.start() if end else len(plain)]
    return _DOUBTFUL.search(_FOR_EXAMPLE.sub("", sentence)) is None


def _fences(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First and last line of each fenced block, and its language; the last is the text's end where none closes it."""
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None:
            at += 1
            continue
        mark = opened[1]
        closing = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
        last = next((one for one in range(at + 1, len(lines)) if closing.match(lines[one])), len(lines))
        yield at, last, opened[2].lower()
        at = last + 1


def _without_fences(lines: list[str]) -> str:
    kept = list(lines)
    for first, last, _ in _fences(lines):
        for at in range(first, min(last + 1, len(lines))):
            kept[at] = ""
    return "\n".join(kept)


def _tables_as_words(lines: list[str]) -> Iterator[str]:
    """Rows of tables whose second header names results as `call -> result`; rows of other tables are left out."""
    of_results: bool | None = None
    for line in lines:
        if not line.lstrip().startswith("|"):
            of_results = None
            yield line
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if of_results is None:
            of_results = len(cells) == 2 and _RESULT.search(cells[1]) is not None
            yield ""
        else:
            yield f"  {cells[0]} -> {cells[1]}" if of_results and len(cells) == 2 else ""
