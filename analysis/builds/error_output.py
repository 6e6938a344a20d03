"""Parses the errors and warnings that compilers, type checkers and linters print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .detect import BuildError

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_LINE = 2000
_LONGEST_OUTPUT = 4_000_000
_PATH = r"(?P<path>(?:[A-Za-z]:)?[^\s:()<>\"'][^:()<>\"']*?)"
_PLACE = r":(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # mypy, gcc, clang: a.py:3:5: error: Incompatible types  [assignment]
        rf"^{_PATH}{_PLACE}(?::\d+:\d+)?: (?:fatal )?(?P<severity>error|warning): (?P<message>.*)$",
        # as pyright writes: /a.py:3:5 - error: message (reportX); tsc --pretty: a.ts:3:5 - error TS2322: message
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
    r"^\s+(?P<line>\d{1,7}):(?P<column>\d{1,6})\s+(?P<severity>error|warning)\s+(?P<message>\S.*)$"
)
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,7})')
_EXCEPTION = re.compile(
    r"^\s{0,4}(?:\*\*\* )?(?P<code>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit))(?:: (?P<message>.*))?$"
)
_BRACKETED = re.compile(r"\s\[([\w./+=-]+)\]$")
_LAST_COLUMN = re.compile(r"\s\s(\S+)$")
_CALL = re.compile(r"^\s+at (?:.*\()?(?:file://)?(?P<path>[^\s():]+):(?P<line>\d{1,7}):(?P<column>\d{1,6})\)?$")
_CONTINUED = re.compile(r"^\s+\xa0+(?P<message>.*?)(?: \((?P<code>report\w+)\))?$")


def without_colors(output: str) -> str:
    """Strips terminal colour codes from output."""
    return _ANSI.sub("", output)


def read_errors(output: str) -> list[BuildError]:
    """Lists every error in the output of a build in order, without repeats.

    Known are the forms of mypy, pyright, tsc, gcc and clang, ruff, eslint (stylish), Go and of Python's own tracebacks
    and syntax errors.
    """
    found: dict[BuildError, None] = {}
    for item in _read(without_colors(output)):
        found.setdefault(item)
    return list(found)


@dataclass(slots=True)
class _Reader:
    """State carried from earlier lines of the output.

    Attributes:
        file: the file whose complaints follow, as eslint lists them.
        frame: the innermost frame of a Python traceback so far.
        thrown: name and message of a JavaScript exception whose calls follow.
        last: a complaint that may go on in the next line.
    """

    file: str = ""
    frame: re.Match[str] | None = None
    thrown: tuple[str, str] | None = None
    last: BuildError | None = None

    def read(self, line: str) -> Iterator[BuildError]:
        """Yields the errors that are complete with this line."""
        more = _CONTINUED.match(line) if self.last else None
        if self.last and more:
            message = f"{self.last.message}; {more['message']}"
            self.last = replace(self.last, message=message, code=self.last.code or more["code"] or "")
            return
        if self.last:
            yield self.last
            self.last = None
        heading, below = _ESLINT_FILE.match(line), _ESLINT_LINE.match(line) if self.file else None
        if heading or not line.strip():
            self.file = heading["path"] if heading else ""
        elif below:
            yield _coded(_error(below, self.file), _LAST_COLUMN)
        else:
            self.frame = _FRAME.match(line) or self.frame
            yield from self._raised(line)

    def _raised(self, line: str) -> Iterator[BuildError]:
        exception, call = _EXCEPTION.match(line), _CALL.match(line)
        if exception and self.frame:
            message = exception["message"] or exception["code"]
            yield BuildError(self.frame["path"], int(self.frame["line"]), None, exception["code"], message)
            self.frame = None
        elif exception:
            self.thrown = (exception["code"], exception["message"] or exception["code"])
        elif call and self.thrown and not call["path"].startswith("node:"):
            yield BuildError(call["path"], int(call["line"]), int(call["column"]), *self.thrown)
            self.thrown = None
        elif not call:
            self.last = next(_one_line(line), None)


def _read(output: str) -> Iterator[BuildError]:
    reader = _Reader()
    for line in (*output[-_LONGEST_OUTPUT:].splitlines(), ""):
        if len(line) <= _LONGEST_LINE:
            yield from reader.read(line)


def _one_line(line: str) -> Iterator[BuildError]:
    for pattern in (*_PATTERNS, _WITHOUT_PLACE):
        match = pattern.match(line)
        if match:
            yield _coded(_error(match, match["path"] or ""), _BRACKETED)
            return


def _coded(error: BuildError, ending: re.Pattern[str]) -> BuildError:
    """Moves the code at the end of an error's message into its `code`."""
    found = None if error.code else ending.search(error.message)
    return replace(error, code=found[1], message=error.message[: found.start()].rstrip()) if found else error


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
