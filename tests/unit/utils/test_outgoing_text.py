"""Text that leaves: valid for every program, harmless for every terminal."""

import json

import pytest

from testwright.utils.canonical import pretty_json
from testwright.utils.outgoing_text import json_text, valid_json, valid_text, visible_text

LONE = "bad\udcff.py"


def test_a_lone_surrogate_becomes_a_visible_escape_and_the_rest_stays():
    assert valid_text(f"{LONE} é 😀 \x1b[31m") == "bad\\udcff.py é 😀 \x1b[31m"


def test_texts_and_keys_of_a_json_value_are_valid_at_any_depth():
    value = {LONE: [(LONE, 1), None, {"a": LONE}]}
    assert valid_json(value) == {r"bad\udcff.py": [[r"bad\udcff.py", 1], None, {"a": r"bad\udcff.py"}]}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("user\u202e nimda", r"user\u202e nimda"),
        ("a\u2066b\u2069", r"a\u2066b\u2069"),
        ("overwritten\rby this", r"overwritten\x0dby this"),
        ("hidden\U000e0041", r"hidden\U000e0041"),
        (LONE, r"bad\udcff.py"),
        ("lines\n\tstay\r\nas they are, é 😀 العربية", "lines\n\tstay\r\nas they are, é 😀 العربية"),
    ],
)
def test_what_a_terminal_would_obey_is_visible(text, shown):
    assert visible_text(text) == shown
    assert visible_text(shown) == shown


@pytest.mark.parametrize("render", [json_text, pretty_json])
def test_a_json_document_is_utf8_shows_no_controls_and_keeps_its_values(render):
    text = render({"a": "\x9b \x7f \u202e \x1b é"})
    assert all(char.isprintable() or char == "\n" for char in text)
    assert json.loads(text) == {"a": "\x9b \x7f \u202e \x1b é"}
    assert json.loads(render({LONE: LONE}).encode()) == {r"bad\udcff.py": r"bad\udcff.py"}
