"""The lorebook: what runs have learned about a project, and how an agent's updates are applied to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from ..contract.protocol import JsonObject

MOST_ENTRIES = 200
LONGEST_VALUE = 2000
_LONGEST_KEY = 200
_NAMES = {"linked_keys": "linkedKeys", "alias_keys": "aliasKeys", "required_keys": "requiredKeys"}


@dataclass(frozen=True, slots=True)
class LoreBook:
    """One entry.

    Attributes:
        key: unique; a word of a request or of a target that mentions it makes the entry active.
        value: what is known, in words.
        weight: entries of a higher one come first where there is no space for all.
        linked_keys: entries that become active with this one.
        alias_keys: further words for the key.
        required_keys: entries that must be active as well, else this one is not.
    """

    key: str
    value: str
    weight: int = 0
    linked_keys: tuple[str, ...] = ()
    alias_keys: tuple[str, ...] = ()
    required_keys: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """The entry as JSON, under the contract's names."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {_NAMES.get(name, name): value for name, value in plain.items()}


class LorebookOperation(StrEnum):
    """Whether an update adds to the entry of its key, or takes its place."""

    MERGE = "Merge"
    REPLACE = "Replace"


@dataclass(frozen=True, slots=True)
class LorebookUpdate:
    """An entry, and what to do with it."""

    entry: LoreBook
    operation: LorebookOperation = LorebookOperation.MERGE


@dataclass(frozen=True, slots=True)
class LorebookAgentOutput:
    """A lorebook agent's answer.

    Attributes:
        compacted_through_turn: turns up to this one are in the lorebook with it.
        deletions: keys whose entries are removed.
    """

    compacted_through_turn: int
    updates: tuple[LorebookUpdate, ...] = ()
    deletions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LorebookCursor:
    """How far the turns of a run are in the lorebook.

    Attributes:
        last_updated_turn_index: -1 before the first update.
        last_update_generation: number of updates so far.
    """

    last_updated_turn_index: int = -1
    last_update_generation: int = 0


@dataclass(frozen=True, slots=True)
class Lorebook:
    """All entries, in the order of their keys, and the cursor."""

    entries: tuple[LoreBook, ...] = ()
    cursor: LorebookCursor = field(default_factory=LorebookCursor)

    def to_json(self) -> JsonObject:
        """The lorebook as JSON."""
        return {"entries": [entry.to_json() for entry in self.entries], "cursor": asdict(self.cursor)}

    @classmethod
    def from_json(cls, value: Any) -> Lorebook:
        """Read it leniently: what does not read is left out."""
        if not isinstance(value, Mapping):
            return cls()
        entries = [_entry(row) for row in value.get("entries") or ()] if isinstance(value.get("entries"), list) else []
        cursor = value.get("cursor")
        try:
            position = LorebookCursor(**cursor) if isinstance(cursor, Mapping) else LorebookCursor()
        except TypeError:
            position = LorebookCursor()
        return cls(_sorted(entry for entry in entries if entry is not None), position)


def parse_lorebook_output(text: str, turn: int) -> LorebookAgentOutput | None:
    """Read a lorebook agent's answer leniently; None where it holds nothing that reads.

    Args:
        turn: the present turn, which an answer in the old form (one entry, or a list of them) is taken to cover.
    """
    try:
        found = json.loads(text.strip())
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and type(found.get("compactedThroughTurn")) is int:
        updates = [_update(row) for row in found.get("updates") or ()] if isinstance(found.get("updates"), list) else []
        deletions = [key for key in found.get("deletions") or () if isinstance(key, str)]
        return LorebookAgentOutput(
            found["compactedThroughTurn"], tuple(update for update in updates if update), tuple(deletions)
        )
    rows = found if isinstance(found, list) else [found]
    entries = [entry for row in rows if (entry := _entry(row)) is not None]
    return LorebookAgentOutput(turn, tuple(LorebookUpdate(entry) for entry in entries)) if entries else None


def updated(book: Lorebook, output: LorebookAgentOutput) -> Lorebook:
    """Apply an answer; one that covers no turn beyond the cursor is stale and changes nothing."""
    if output.compacted_through_turn <= book.cursor.last_updated_turn_index:
        return book
    entries = {entry.key: entry for entry in book.entries}
    for update in output.updates:
        new, old = update.entry, entries.get(update.entry.key)
        merges = old is not None and update.operation is LorebookOperation.MERGE
        entries[new.key] = _merged(old, new) if merges and old is not None else new
    for key in output.deletions:
        entries.pop(key, None)
    heaviest = sorted(entries.values(), key=lambda entry: (-entry.weight, entry.key))[:MOST_ENTRIES]
    cursor = LorebookCursor(output.compacted_through_turn, book.cursor.last_update_generation + 1)
    return Lorebook(_sorted(heaviest), cursor)


def active_entries(entries: Sequence[LoreBook], text: str, most_characters: int = 2000) -> list[LoreBook]:
    """Select the entries that a text makes active, heaviest first, as many as there is space for.

    An entry is active when the text has its key or an alias, or when an active entry links to it; one that requires
    others only beside them.
    """
    lowered = text.lower()
    known = {entry.key: entry for entry in entries}
    active = {entry.key for entry in entries if any(word.lower() in lowered for word in (entry.key, *entry.alias_keys))}
    waiting = list(active)
    while waiting:  # links lead to further links
        for key in known[waiting.pop()].linked_keys:
            if key in known and key not in active:
                active.add(key)
                waiting.append(key)
    chosen = [known[key] for key in active if active.issuperset(known[key].required_keys)]
    found: list[LoreBook] = []
    for entry in sorted(chosen, key=lambda entry: (-entry.weight, entry.key)):
        most_characters -= len(entry.value)
        if most_characters < 0:
            break
        found.append(entry)
    return found


def _merged(old: LoreBook, new: LoreBook) -> LoreBook:
    value = old.value if new.value in old.value else f"{old.value}\n{new.value}"
    return replace(
        new,
        value=value[-LONGEST_VALUE:],
        weight=max(old.weight, new.weight),
        linked_keys=_union(old.linked_keys, new.linked_keys),
        alias_keys=_union(old.alias_keys, new.alias_keys),
        required_keys=_union(old.required_keys, new.required_keys),
    )


def _union(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _sorted(entries: Iterable[LoreBook]) -> tuple[LoreBook, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.key))


def _update(row: Any) -> LorebookUpdate | None:
    entry = _entry(row)
    if entry is None:
        return None
    replaces = str(row.get("operation", "")).lower() == "replace"
    return LorebookUpdate(entry, LorebookOperation.REPLACE if replaces else LorebookOperation.MERGE)


def _entry(row: Any) -> LoreBook | None:
    """An entry from JSON; None where it has no key or no value."""
    if not isinstance(row, Mapping):
        return None
    key, value, weight = row.get("key"), row.get("value"), row.get("weight", 0)
    if not (isinstance(key, str) and key.strip() and isinstance(value, str) and value.strip()):
        return None
    return LoreBook(
        key[:_LONGEST_KEY],
        value[:LONGEST_VALUE],
        weight if type(weight) is int else 0,
        *(_words(row.get(name)) for name in ("linkedKeys", "aliasKeys", "requiredKeys")),
    )


def _words(value: Any) -> tuple[str, ...]:
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else ()
