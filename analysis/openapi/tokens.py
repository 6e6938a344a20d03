"""Reads JSON and YAML as one stream of tokens with line numbers, without recursion and within bounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import yaml

from .problems import Problem, UnreadableDocument

MAX_DEPTH = 100
MAX_NODES = 1_000_000
Format = Literal["json", "yaml"]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+|\n|[:,]', re.DOTALL)
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,1000}|0o[0-7]{1,1000}|0x[0-9a-fA-F]{1,1000}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE = "tag:yaml.org,2002:"


class SyntaxToken(NamedTuple):
    """One token: `{` and `[` open, `end` closes, `key` is a property's name, `value` a scalar, `alias` a node named
    before.
    """

    kind: Literal["{", "[", "end", "key", "value", "alias"]
    value: Any
    line: int
    anchor: str | None = None


def yaml_tokens(source: str) -> Iterator[SyntaxToken]:
    """Yields the tokens of the first YAML document; scalars as YAML 1.2 reads them, every key as text.

    Raises:
        UnreadableDocument: it is no YAML, has keys that are not scalars, or is nested or aliased beyond all measure.
    """
    awaited: list[bool | None] = []  # for each open collection: whether a key comes next, None in a list
    try:
        for number, event in enumerate(yaml.parse(source, Loader=_LOADER)):
            if number > 4 * MAX_NODES or len(awaited) > MAX_DEPTH:
                raise _refused(f"nested deeper than {MAX_DEPTH} levels, or of too many parts", event)
            if isinstance(event, yaml.DocumentEndEvent):
                return
            token = _token(event, bool(awaited and awaited[-1]))
            if token is None:
                continue
            yield token
            if token.kind == "end":
                awaited.pop()
            # A scalar or a closed collection completes a value, so a key follows in a mapping; an opened one does not.
            if token.kind != "key" and awaited and awaited[-1] is not None and token.kind not in ("{", "["):
                awaited[-1] = True
            elif token.kind == "key":
                awaited[-1] = False
            if token.kind in ("{", "["):
                awaited.append(True if token.kind == "{" else None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = " ".join(
            str(item) for item in (getattr(error, "context", None), getattr(error, "problem", None)) if item
        )
        line = mark.line + 1 if mark else None
        raise UnreadableDocument(Problem(f"not YAML: {what or error}", rule="syntax", line=line)) from error


def _token(event: Any, is_key: bool) -> SyntaxToken | None:
    line = event.start_mark.line + 1
    if isinstance(event, yaml.ScalarEvent):
        return (
            SyntaxToken("key", event.value, line)
            if is_key
            else SyntaxToken("value", _scalar(event), line, event.anchor)
        )
    if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
        return SyntaxToken("end", None, line)
    if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent | yaml.AliasEvent) and is_key:
        raise _refused("a key that is not plain text", event)
    if isinstance(event, yaml.MappingStartEvent):
        return SyntaxToken("{", None, line, event.anchor)
    if isinstance(event, yaml.SequenceStartEvent):
        return SyntaxToken("[", None, line, event.anchor)
    return SyntaxToken("alias", event.anchor, line) if isinstance(event, yaml.AliasEvent) else None


def _refused(what: str, event: Any) -> UnreadableDocument:
    return UnreadableDocument(Problem(f"the YAML is not read: {what}", rule="syntax", line=event.start_mark.line + 1))


def _scalar(event: Any) -> Any:
    """Reads a scalar by the core schema of YAML 1.2: `yes`, `on`, dates and unknown tags are text."""
    plain = not event.style and event.implicit[0]
    tag = event.tag.removeprefix(_CORE) if event.tag else ""
    if not plain and tag not in ("int", "float", "bool", "null"):
        return event.value
    if event.value in _NULL:
        return None
    if event.value in _BOOL:
        return _BOOL[event.value]
    if _INT.fullmatch(event.value):
        return int(event.value, {"0o": 8, "0x": 16}.get(event.value[:2], 10))
    if _FLOAT.fullmatch(event.value):
        number = float(event.value)
        return number if math.isfinite(number) else event.value
    return event.value


def json_tokens(source: str) -> Iterator[SyntaxToken]:
    """Yields the tokens of text known to be JSON; values are not converted."""
    line = 1
    opened: list[str] = []
    expect_key = False
    for match in _JSON.finditer(source):
        found = match.group()
        if found == "\n":
            line += 1
        elif found in ("{", "["):
            opened.append(found)
            expect_key = found == "{"
            yield SyntaxToken("{" if found == "{" else "[", None, line)
        elif found in ("}", "]"):
            opened.pop()
            yield SyntaxToken("end", None, line)
        elif found == ",":
            expect_key = bool(opened) and opened[-1] == "{"
        elif found == ":":
            expect_key = False
        elif expect_key:
            yield SyntaxToken("key", _unquoted(found), line)
        else:
            yield SyntaxToken("value", None, line)


def _unquoted(found: str) -> str:
    return json.loads(found, strict=False) if "\\" in found else found[1:-1]


def tokens_of(source: str, form: Format) -> Iterator[SyntaxToken]:
    """Yields the tokens of a document that parsed before."""
    return json_tokens(source) if form == "json" else yaml_tokens(source)
