"""The header of generated files tells untouched from changed, on any checkout."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.generated_header import generated_from, is_untouched, with_header, without_header

BODY = '"""Tests of cart."""\n\nimport shop\n\n\ndef test_add():\n    assert shop.add(1, 2) == 3\n'
FILE = with_header(BODY, target="src/shop/cart.py")


@pytest.mark.feature("B-09")
def test_a_file_as_it_was_written_is_untouched() -> None:
    assert is_untouched(FILE) is True
    assert without_header(FILE) == BODY
    assert with_header(BODY, target="src/shop/cart.py") == FILE
    assert "src/shop/cart.py" in FILE.splitlines()[0]
    assert all(line.startswith("# ") for line in FILE.splitlines()[:2])


@pytest.mark.feature("B-09")
@pytest.mark.parametrize(
    "changed",
    [FILE + "\n", FILE.replace("3", "4"), FILE.removesuffix("\n"), FILE.replace("    assert", "\tassert"), FILE[:-9]],
)
def test_a_file_that_a_person_changed_is_not(changed: str) -> None:
    assert is_untouched(changed) is False


@pytest.mark.feature("B-09")
@pytest.mark.parametrize("same", [FILE.replace("\n", "\r\n"), "\ufeff" + FILE, "#!/usr/bin/env python\n" + FILE])
def test_what_editors_and_checkouts_add_does_not_count(same: str) -> None:
    assert is_untouched(same) is True


@pytest.mark.parametrize(
    "text", ["", BODY, "\n" * 9 + FILE, "# testwright: sha256=abc\n", FILE.replace("# test", "# text")]
)
def test_a_file_without_a_header_is_none_of_ours(text: str) -> None:
    assert is_untouched(text) is None
    assert without_header(text) == text


def test_the_docstring_stays_the_modules_docstring() -> None:
    assert ast.get_docstring(ast.parse(FILE)) == "Tests of cart."


@pytest.mark.parametrize("body", ["", "x = 1", "x = 'a\u2028b\x0c'\n", "a\r\nb\rc\n", "'\ud800'\n"])
def test_any_body_can_be_headed(body: str) -> None:
    assert is_untouched(with_header(body, target="a b\n# testwright.py")) is True


@pytest.mark.parametrize("text", [FILE, FILE.replace("\n", "\r\n"), "\ufeff" + FILE, FILE + "# changed\n"])
def test_a_file_names_what_it_was_generated_from(text: str) -> None:
    assert generated_from(text) == "src/shop/cart.py"


@pytest.mark.parametrize("text", ["", BODY, "\n" * 9 + FILE])
def test_a_file_without_a_header_names_nothing(text: str) -> None:
    assert generated_from(text) is None


def test_other_languages_have_their_own_comment() -> None:
    text = with_header("test('x')\n", target="a.ts", comment="//")
    assert text.startswith("// ")
    assert is_untouched(text) is True
