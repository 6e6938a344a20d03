"""Source text is made readable without changing its meaning."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.source.polish import polish, with_visible_marks


def test_short_source_stays_as_it_was_written() -> None:
    assert polish("total(0x10, 1_000)") == "total(0x10, 1_000)"


def test_a_text_of_several_lines_is_written_line_by_line() -> None:
    value = "name   amount\n" * 6

    text = polish(repr(value))

    assert ast.literal_eval(text) == value
    assert max(len(line) for line in text.splitlines()) < 40


@pytest.mark.parametrize(
    "value",
    ["word " * 60, "x" * 500, "a\r\nb\x0cc\u2028d" * 12, "äöü " * 40, b"\x00bytes" * 40, "\ud800" * 90, "\n" * 50],
    ids=["words", "one word", "odd line ends", "non-ascii", "bytes", "lone surrogates", "empty lines"],
)
def test_long_texts_are_cut_and_keep_their_value(value: str | bytes) -> None:
    text = polish(repr(value))

    assert ast.literal_eval(text) == value
    assert all(len(line) <= 90 or "\\" in line for line in text.splitlines())


def test_long_texts_inside_calls_keep_their_place() -> None:
    value = "first line\n" * 6

    text = polish(f"table([{value!r}], header={value!r})")

    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(f"table([{value!r}], header={value!r})"))


def test_a_comma_after_the_last_element_goes_as_it_would_make_a_line_of_each() -> None:
    assert polish("f(('a', 'b',), [1, 2, ])") == "f(('a', 'b'), [1, 2])"
    assert polish("f((1,), '[,]')") == "f((1,), '[,]')"


def test_zeros_at_the_end_of_a_date_go() -> None:
    assert polish("datetime.datetime(2024, 1, 31, 0, 0)") == "datetime.datetime(2024, 1, 31)"
    assert polish("datetime.datetime(2024, 1, 31, 10, 0)") == "datetime.datetime(2024, 1, 31, 10)"
    assert polish("datetime.time(0, 0)") == "datetime.time()"


def test_a_statement_over_several_lines_becomes_one_that_can_be_indented() -> None:
    assert polish("cart = Cart(\n      'Ann',\n)") == "cart = Cart('Ann')"


def test_source_that_is_no_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        polish("cart = (")


def test_marks_that_nobody_sees_are_escapes_in_texts_and_letters_stay() -> None:
    heart, cafe = "i \u2764\ufe0f it", "cafe\u0301"
    text = with_visible_marks(f"first = {heart!r}; second = 'Größe'\nthird = {cafe!r}\nfourth = r'{cafe}'\n")

    assert "'i \u2764\\ufe0f it'" in text
    assert "'cafe\\u0301'" in text
    assert f"r'{cafe}'" in text
    assert "'Größe'" in text
    assert [ast.literal_eval(node.value) for node in ast.parse(text).body if isinstance(node, ast.Assign)] == [
        heart,
        "Größe",
        cafe,
        cafe,
    ]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("del box[slice(1, 3)]", "del box[1:3]"),
        ("box[slice(None, None, 2)]", "box[::2]"),
        ("box[slice(4)]", "box[:4]"),
        ("cut(slice(1, 3))", "cut(slice(1, 3))"),
    ],
)
def test_a_slice_between_brackets_is_written_with_colons(written: str, plain: str) -> None:
    assert polish(written) == plain


@pytest.mark.parametrize(
    "written", ["box[slice(*ends)]", "box[slice(1, *rest)]", "box[slice((end := 3))]", "box[slice(1, 3, **steps)]"]
)
def test_a_slice_whose_arguments_cannot_stand_between_colons_stays_a_call(written: str) -> None:
    assert ast.dump(ast.parse(polish(written))) == ast.dump(ast.parse(written))
