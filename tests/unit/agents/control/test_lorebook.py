"""The lorebook: merge, replace, delete, a cursor that drops stale answers, and which entries are active."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.control.lorebook import (
    LoreBook,
    Lorebook,
    LorebookCursor,
    active_entries,
    parse_lorebook_output,
    updated,
)

EXAMPLE = {
    "compactedThroughTurn": 7,
    "updates": [
        {
            "key": "algorithm-name",
            "value": "Raft consensus algorithm details...",
            "weight": 80,
            "linkedKeys": ["distributed-systems"],
            "aliasKeys": ["raft"],
            "requiredKeys": [],
            "operation": "Merge",
        }
    ],
    "deletions": ["obsolete-key-1", "obsolete-key-2"],
}


def book(*entries: LoreBook, turn: int = -1) -> Lorebook:
    return Lorebook(entries, LorebookCursor(turn))


def after(before: Lorebook, **answer: Any) -> Lorebook:
    output = parse_lorebook_output(json.dumps({"compactedThroughTurn": 1, **answer}), turn=1)
    assert output is not None
    return updated(before, output)


def entry(key: str, value: str = "what is known", **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, **more}


@pytest.mark.feature("P-06")
def test_the_answer_of_the_contract_is_applied() -> None:
    output = parse_lorebook_output(json.dumps(EXAMPLE), turn=9)
    assert output is not None
    made = updated(book(LoreBook("obsolete-key-1", "old")), output)
    assert made.cursor == LorebookCursor(7, 1)
    assert [entry.to_json() for entry in made.entries] == [
        {key: value for key, value in EXAMPLE["updates"][0].items() if key != "operation"}
    ]


@pytest.mark.feature("P-06")
def test_merging_adds_and_replacing_takes_the_place() -> None:
    before = book(LoreBook("app", "needs PORT", 10, alias_keys=("server",)))
    merged = after(before, updates=[entry("app", "starts slowly", aliasKeys=["web"], operation="Merge")])
    assert merged.entries == (LoreBook("app", "needs PORT\nstarts slowly", 10, alias_keys=("server", "web")),)
    replaced = after(before, updates=[entry("app", "starts slowly", operation="Replace")])
    assert replaced.entries == (LoreBook("app", "starts slowly"),)


@pytest.mark.feature("P-06")
@pytest.mark.parametrize("turn", [1, 2])
def test_an_answer_about_turns_that_are_in_the_book_already_is_dropped(turn: int) -> None:
    before = book(LoreBook("app", "needs PORT"), turn=turn)
    assert after(before, updates=[entry("app", "stale")], deletions=["app"]) is before


@pytest.mark.feature("P-06", "P-09")
@pytest.mark.parametrize("text", [json.dumps(entry("a")), json.dumps([entry("a"), {"no": "key"}])])
def test_entries_in_the_old_form_are_read_too(text: str) -> None:
    output = parse_lorebook_output(text, turn=3)
    assert output is not None
    assert [update.entry.key for update in output.updates] == ["a"]
    assert output.compacted_through_turn == 3


@pytest.mark.feature("P-06", "P-09")
@pytest.mark.parametrize("text", ["", "nothing new", "7", "[]", '{"key": "only"}'])
def test_an_answer_that_does_not_read_changes_nothing(text: str) -> None:
    assert parse_lorebook_output(text, turn=1) is None


def test_a_book_survives_json_and_forgets_what_does_not_read() -> None:
    made = book(LoreBook("a", "x", 3, ("b",)), LoreBook("b", "y"), turn=4)
    assert Lorebook.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert Lorebook.from_json({"entries": [{"key": 7}, entry("a")], "cursor": {"odd": 1}}).entries[0].key == "a"
    assert Lorebook.from_json("nothing") == Lorebook()


@pytest.mark.feature("P-06")
def test_entries_are_active_by_word_by_alias_and_by_link_and_the_heaviest_come_first() -> None:
    entries = (
        LoreBook("cart", "a", 1, linked_keys=("prices",)),
        LoreBook("prices", "b", 9),
        LoreBook("orders", "c", 5, alias_keys=("checkout",)),
        LoreBook("refunds", "d", required_keys=("orders", "bank")),
    )
    assert [one.key for one in active_entries(entries, "tests for the Cart")] == ["prices", "cart"]
    assert [one.key for one in active_entries(entries, "checkout and refunds")] == ["orders"]
    assert [one.key for one in active_entries(entries, "cart", most_characters=1)] == ["prices"]
