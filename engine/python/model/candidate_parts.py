"""Puts candidates together, and limits how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Candidate

_BRACKETS = {
    "tuple": ("(", ")"),
    "set": ("{", "}"),
    "frozenset": ("frozenset({", "})"),
    "deque": ("deque([", "])"),
    "iterator": ("iter([", "])"),
}
_EMPTY = {"tuple": "()", "set": "set()", "frozenset": "frozenset()", "deque": "deque()", "iterator": "iter([])"}
_NEEDED = {"deque": ("from collections import deque",)}


def distinct(candidates: list[Candidate], limit: int) -> list[Candidate]:
    """The first `limit` candidates, without two of the same text."""
    found: dict[str, Candidate] = {}
    for candidate in candidates:
        found.setdefault(candidate.source, candidate)
    return list(found.values())[:limit]


def combined(source: str, parts: Iterable[Candidate], imports: Iterable[str] = ()) -> Candidate:
    """An expression made of several candidates, with everything that all of them need; `imports` come first."""
    parts = list(parts)
    return Candidate(
        source=source,
        imports=tuple(dict.fromkeys((*imports, *(text for part in parts for text in part.imports)))),
        arrange=tuple(dict.fromkeys(text for part in parts for text in part.arrange)),
        fixtures=tuple(dict.fromkeys(text for part in parts for text in part.fixtures)),
    )


def container(items: Sequence[Candidate], kind: str) -> Candidate:
    """A container of several items; `kind` is its type's name, a list for unknown ones."""
    if not items and kind in _EMPTY:
        return Candidate(_EMPTY[kind], _NEEDED.get(kind, ()), origin="domain")
    opening, closing = _BRACKETS.get(kind, ("[", "]"))
    comma = "," if kind == "tuple" and len(items) == 1 else ""
    made = combined(
        f"{opening}{', '.join(item.source for item in items)}{comma}{closing}", items, _NEEDED.get(kind, ())
    )
    return Candidate(made.source, made.imports, made.arrange, made.fixtures, "domain")


def dictionary(parts: Sequence[Candidate], kind: str) -> Candidate:
    """A mapping of several `key: value` parts; `kind` is its type's name, a dict for unknown ones."""
    text = f"{{{', '.join(part.source for part in parts)}}}"
    wrapped = {
        "OrderedDict": ("OrderedDict({})", ("from collections import OrderedDict",)),
        "Counter": ("Counter({})", ("from collections import Counter",)),
        "ChainMap": ("ChainMap({})", ("from collections import ChainMap",)),
        "defaultdict": ("defaultdict(list, {})", ("from collections import defaultdict",)),
    }.get(kind)
    form, imports = wrapped or ("{}", ())
    made = combined(form.replace("{}", text), parts, imports)
    return Candidate(made.source, made.imports, made.arrange, made.fixtures, "domain")
