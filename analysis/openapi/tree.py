"""Parses JSON and YAML into plain values, as one stream of tokens with lines, without recursion and within bounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import yaml

from .problems import Parts, Problem, UnreadableDocument

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
            yield SyntaxToken("key", json.loads(found, strict=False) if "\\" in found else found[1:-1], line)
        else:
            yield SyntaxToken("value", None, line)


def tokens_of(source: str, form: Format) -> Iterator[SyntaxToken]:
    """Yields the tokens of a document that parsed before."""
    return json_tokens(source) if form == "json" else yaml_tokens(source)


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """A document's values. They may share parts (YAML aliases): never change them in place.

    Attributes:
        problems: what is wrong with the text itself: keys that occur twice.
    """

    value: Any
    form: Format
    problems: tuple[Problem, ...] = ()


def read_tree(source: str, *, json_only: bool = False) -> DocumentTree:
    """Parses a JSON or YAML text.

    Args:
        json_only: the text must be JSON and is not tried as YAML.

    Raises:
        UnreadableDocument: it is neither, or exceeds the bounds on depth (100), values (a million) and aliases.
    """
    if not source.strip():
        raise UnreadableDocument(Problem("the document is empty", rule="syntax", line=1))
    if source.lstrip()[0] in "{[":
        try:
            return _json(source)
        except json.JSONDecodeError as error:
            mistake = Problem(f"not JSON: {error.msg}", rule="syntax", line=error.lineno)
        if json_only:
            raise UnreadableDocument(mistake)
        try:
            return _yaml_tree(source)  # a flow mapping may begin alike
        except UnreadableDocument:
            raise UnreadableDocument(mistake) from None
    return _yaml_tree(source)


def _json(source: str) -> DocumentTree:
    twice: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        object_value = dict(pairs)
        if len(object_value) < len(pairs):
            twice.append("")
        return object_value

    try:
        value = json.loads(source, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise UnreadableDocument(Problem(f"nested deeper than {MAX_DEPTH} levels", rule="syntax")) from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise UnreadableDocument(Problem(f"the JSON is not read: {error}", rule="syntax")) from error
    _check_size(value)
    return DocumentTree(value, "json", tuple(_repeated(tokens_of(source, "json"))) if twice else ())


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check_size(value: Any) -> None:
    """Raises UnreadableDocument for values beyond the bounds on depth and count."""
    pending: list[tuple[Any, int]] = [(value, 1)]
    count = 0
    while pending:
        entry, depth = pending.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_NODES:
            what = f"nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else "of too many parts"
            raise UnreadableDocument(Problem(f"the JSON is not read: {what}", rule="syntax"))
        if isinstance(entry, dict):
            pending += [(inner, depth + 1) for inner in entry.values()]
        elif isinstance(entry, list):
            pending += [(inner, depth + 1) for inner in entry]


@dataclass(slots=True)
class _Open:
    """A collection that is not closed yet; `size` counts its values with those behind aliases."""

    value: Any
    anchor: str | None
    key: str = ""
    size: int = 1
    depth: int = 1
    merged: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    anchors: dict[str, tuple[Any, int, int]] = field(default_factory=dict)
    opened: list[_Open] = field(default_factory=list)
    result: Any = None

    def take(self, token: SyntaxToken) -> None:
        if token.kind == "key":
            self.opened[-1].key = token.value
        elif token.kind in ("{", "["):
            self.opened.append(_Open({} if token.kind == "{" else [], token.anchor))
        elif token.kind == "end":
            done = self.opened.pop()
            # YAML merge keys (`<<`): the mapping's own keys win over merged ones.
            for more in done.merged:
                for key, value in more.items():
                    done.value.setdefault(key, value)
            self._add(done.value, done.size, done.depth, done.anchor, token.line)
        elif token.kind == "alias":
            if token.value not in self.anchors:
                what = f"the alias *{token.value} contains itself or has no anchor"
                raise UnreadableDocument(Problem(what, rule="syntax", line=token.line))
            self._add(*self.anchors[token.value], None, token.line)
        else:
            self._add(token.value, 1, 0, token.anchor, token.line)

    def _add(self, value: Any, size: int, depth: int, anchor: str | None, line: int) -> None:
        if anchor is not None:
            self.anchors[anchor] = (value, size, depth)
        if not self.opened:
            self.result = value
            return
        parent = self.opened[-1]
        parent.size += size
        parent.depth = max(parent.depth, depth + 1)
        if parent.size > MAX_NODES or len(self.opened) + depth > MAX_DEPTH:
            raise UnreadableDocument(Problem("its aliases expand beyond all measure", rule="syntax", line=line))
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key == "<<" and _mergeable(value):
            parent.merged += value if isinstance(value, list) else [value]
        else:
            parent.value[parent.key] = value


def _mergeable(value: Any) -> bool:
    several = value if isinstance(value, list) else [value]
    return all(isinstance(item, dict) for item in several)


def _yaml_tree(source: str) -> DocumentTree:
    builder = _Builder()
    for token in yaml_tokens(source):
        builder.take(token)
    return DocumentTree(builder.result, "yaml", tuple(_repeated(yaml_tokens(source))))


def _repeated(tokens: Iterable[SyntaxToken]) -> Iterator[Problem]:
    """Yields keys that occur twice in one object; parsers silently keep the last."""
    seen: list[set[str]] = []
    for parts, token in _walked(tokens):
        if token.kind in ("{", "["):
            seen.append(set())
        elif token.kind == "end":
            seen.pop()
        elif token.kind == "key" and token.value in seen[-1] and token.value != "<<":
            message = f"the key {token.value!r} occurs twice here; only the last counts"
            yield Problem(message, parts, "duplicate_key", suggestion="remove one of them", line=token.line)
        elif token.kind == "key":
            seen[-1].add(token.value)


def _walked(tokens: Iterable[SyntaxToken]) -> Iterator[tuple[Parts, SyntaxToken]]:
    """Yields every token with its place; a collection's end has the place of the collection."""
    parts: list[str | int] = []
    lists: list[bool] = []
    for token in tokens:
        if token.kind == "end":
            lists.pop()
            parts.pop()
        elif token.kind == "key":
            parts[-1] = token.value
        elif lists and lists[-1]:
            parts[-1] = int(parts[-1]) + 1
        yield tuple(parts), token
        if token.kind in ("{", "["):
            lists.append(token.kind == "[")
            parts.append(-1 if token.kind == "[" else "")


def lines_of(source: str, form: Format, wanted: Iterable[Parts]) -> Mapping[Parts, int]:
    """The line of each wanted place, or of the innermost place around it that exists."""
    places = list(dict.fromkeys(wanted))
    around = {parts[:end] for parts in places for end in range(len(parts) + 1)}
    found: dict[Parts, int] = {}
    longest = max((len(parts) for parts in places), default=0)
    for parts, token in _walked(tokens_of(source, form)):
        if token.kind != "end" and len(parts) <= longest and parts in around:
            found.setdefault(parts, token.line)
    return {parts: _nearest(parts, found) for parts in places}


def _nearest(parts: Parts, found: Mapping[Parts, int]) -> int:
    for end in range(len(parts), 0, -1):
        if parts[:end] in found:
            return found[parts[:end]]
    return 1
