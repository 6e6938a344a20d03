"""Texts and lists of words, changed by their parts (B-06)."""

from __future__ import annotations

import random

import pytest

from testwright.engine.python.inputs.variations import (
    changed_text,
    changed_words,
    is_structured,
    words_of,
)

pytestmark = pytest.mark.feature("B-06")
USAGE = "Usage:\n  prog tcp <host> [--fast]\n  prog (-h | --help)\n"


@pytest.mark.parametrize(
    ("text", "structured"),
    [("hello", False), ("hello world", False), ("one\ntwo", True), ("a = [1, 2]", True), ("\n", False), ("", False)],
)
def test_a_text_with_lines_or_many_parts_is_structured(text: str, structured: bool) -> None:
    assert is_structured(text) is structured


def test_a_changed_text_keeps_most_of_itself() -> None:
    found = [changed_text(USAGE, ["..."], random.Random(seed)) for seed in range(60)]
    assert all(abs(len(one) - len(USAGE)) < 40 for one in found)
    assert len(set(found)) > 30
    assert any("..." in one for one in found)


def test_the_same_seed_gives_the_same_text() -> None:
    assert changed_text(USAGE, ["x"], random.Random(7)) == changed_text(USAGE, ["x"], random.Random(7))


def test_a_text_without_anything_in_it_stays() -> None:
    assert changed_text(" ", ["x"], random.Random(1)) == " "


def test_words_lose_their_brackets_and_come_once() -> None:
    assert words_of([USAGE]) == ["Usage", "prog", "tcp", "<host>", "--fast", "-h", "--help"]


def test_lists_grow_shrink_and_join_their_words() -> None:
    found = {tuple(changed_words(["--fast", "5"], ["tcp"], random.Random(seed))) for seed in range(80)}
    assert ("--fast=5",) in found
    assert any("tcp" in one for one in found)
    assert any(len(one) == 1 for one in found)
    assert any(len(one) == 3 for one in found)


def test_an_empty_list_gets_a_word() -> None:
    assert changed_words([], ["tcp"], random.Random(1)) == ["tcp"]
    assert changed_words([], [], random.Random(1)) == ["a"]
