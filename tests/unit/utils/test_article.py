"""Nouns have the article that they are spoken with."""

from __future__ import annotations

import pytest

from testwright.utils.names.article import article, with_article


@pytest.mark.parametrize("text", ["input", "hour", "honest answer", "error", "unknown key", "unindented line"])
def test_what_is_spoken_with_a_vowel_has_an(text: str) -> None:
    assert article(text) == "an"


@pytest.mark.parametrize("text", ["text", "user", "one", "unit", "union", "utility", "URL", "european", "house", ""])
def test_everything_else_has_a(text: str) -> None:
    assert article(text) == "a"


def test_a_noun_gets_its_article() -> None:
    assert [with_article(noun) for noun in ("upper limit", "unique key")] == ["an upper limit", "a unique key"]
