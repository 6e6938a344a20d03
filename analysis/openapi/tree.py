"""Parses a document into plain JSON values, and finds the lines of places in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .problems import Parts, Problem, UnreadableDocument
from .tokens import MAX_DEPTH, MAX_NODES, Format, SyntaxToken, tokens_of, yaml_tokens


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
            return _yaml(source)  # a flow mapping may begin alike
        except UnreadableDocument:
            raise UnreadableDocument(mistake) from None
    return _yaml(source)


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


def _yaml(source: str) -> DocumentTree:
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
