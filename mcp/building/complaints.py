"""Complaints of compilers, type checkers and linters, read from what they print."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .steps import BuildError

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_LINE = 4000
_PATH = r"(?P<path>(?:[A-Za-z]:)?[^\s:()<>\"'][^:()<>\"']*?)"
_PLACE = r":(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # mypy, gcc, clang: a.py:3:5: error: Incompatible types  [assignment]
        rf"^{_PATH}{_PLACE}(?::\d+:\d+)?: (?:fatal )?(?P<severity>error|warning): (?P<message>.*?)"
        r"(?:\s+\[(?P<code>[\w./+=-]+)\])?$",
        # pyright: /a.py:3:5 - error: message (reportX); tsc --pretty: a.ts:3:5 - error TS2322: message
        rf"^\s*{_PATH}{_PLACE} - (?P<severity>error|warning)(?: (?P<tsc>TS\d+))?: (?P<message>.*?)"
        r"(?: \((?P<code>report\w+)\))?$",
        # tsc: a.ts(3,5): error TS2322: message
        rf"^{_PATH}\((?P<line>\d{{1,7}}),(?P<column>\d{{1,6}})\): (?P<severity>error|warning) (?P<code>TS\d+): "
        r"(?P<message>.*)$",
        # ruff, flake8: a.py:3:5: F401 message
        rf"^{_PATH}{_PLACE}: (?P<code>[A-Z]{{1,4}}\d{{1,4}})\s(?P<message>.*)$",
        # go and others: ./a.go:3:5: message
        r"^(?P<path>[^\s:()<>\"']+\.\w{1,5}):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?!note\b|info\b)(?P<message>.+)$",
    )
)
_WITHOUT_PLACE = re.compile(r"^(?:(?P<path>[^\s:]+): )?(?P<severity>error) (?P<code>TS\d+): (?P<message>.*)$")
_ESLINT_FILE = re.compile(r"^(?P<path>(?:/|\./|[\w@-])[^:()<>\"']*\.\w{1,5})$")
_ESLINT_LINE = re.compile(
    r"^\s+(?P<line>\d{1,7}):(?P<column>\d{1,6})\s+(?P<severity>error|warning)\s+(?P<message>.*?)(?:\s{2,}(?P<code>\S+))?$"
)
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,7})')
_EXCEPTION = re.compile(
    r"^\s{0,4}(?:\*\*\* )?(?P<code>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit))(?:: (?P<message>.*))?$"
)


def plain(output: str) -> str:
    """Output without the codes that colour a terminal."""
    return _ANSI.sub("", output)


def complaints(output: str) -> list[BuildError]:
    """Every complaint in the output of a build, once, in its order.

    Known are the forms of mypy, pyright, tsc, gcc and clang, ruff, eslint (stylish), Go and of Python's own tracebacks
    and syntax errors.
    """
    found: dict[BuildError, None] = {}
    for one in _read(plain(output)):
        found.setdefault(one)
    return list(found)


def _read(output: str) -> Iterator[BuildError]:
    file = ""
    frame: re.Match[str] | None = None
    for line in output.splitlines():
        if len(line) > _LONGEST_LINE:
            continue
        heading = _ESLINT_FILE.match(line)
        below = _ESLINT_LINE.match(line) if file else None
        if heading:
            file = heading["path"]
        elif below:
            yield _error(below, file)
        else:
            frame = _FRAME.match(line) or frame
            exception = _EXCEPTION.match(line) if frame else None
            if frame is not None and exception:
                message = exception["message"] or exception["code"]
                yield BuildError(frame["path"], int(frame["line"]), None, exception["code"], message)
                frame = None
            else:
                yield from _one_line(line)
        if not line.strip():
            file = ""


def _one_line(line: str) -> Iterator[BuildError]:
    for pattern in (*_PATTERNS, _WITHOUT_PLACE):
        match = pattern.match(line)
        if match:
            yield _error(match, match["path"] or "")
            return


def _error(match: re.Match[str], path: str) -> BuildError:
    parts = match.groupdict()
    return BuildError(
        path=path.strip(),
        line=int(parts["line"]) if parts.get("line") else None,
        column=int(parts["column"]) if parts.get("column") else None,
        code=parts.get("code") or parts.get("tsc") or "",
        message=parts["message"].strip(),
        severity="warning" if parts.get("severity") == "warning" else "error",
    )
