"""Texts in which a regular expression of the code finds something."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from testwright.engine.python.shapes.calls import compiled_pattern
from testwright.engine.python.source.matching_texts import texts_around_matches
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-06", "B-16")

MARKUP = """
import re

TAB = re.compile(r"^( {0,3})\\t", flags=re.M)
image = re.compile(r"<img\\b[^>]*\\balt='([^']*)'>")


def spaces(text: str) -> str:
    return TAB.sub("    ", text)


def plain(source):
    source = image.sub("", source)
    return re.sub(r"</?[a-z]+>", "", source)
"""


@pytest.mark.parametrize(
    ("pattern", "flags", "texts"),
    [
        pytest.param(r"^( {0,3})\t", re.M, ("\thello",), id="blanks_that_need_not_be"),
        pytest.param(r"\s+", 0, ("hello   world",), id="blanks"),
        pytest.param(r"^v?(\d+)\.(\d+)$", 0, ("v1.2",), id="the_whole_text"),
        pytest.param(r"\d{4}-\d{2}", 0, ("hello 1234-12 world",), id="so_many_digits"),
        pytest.param(r"&(\w+|#[0-9]{1,7});", 0, ("hello &kitten; world", "hello &#65; world"), id="each_alternative"),
        pytest.param(r"(\w)\1", 0, ("hello aa world",), id="the_same_again"),
        pytest.param(r"(\w+)+!", 0, (), id="endless_within_endless"),
        pytest.param(r"[.[]", 0, ("hello.world",), id="a_sign"),
        pytest.param(r"\{[.:}]", 0, ("hello {} world",), id="what_closes_a_bracket"),
        pytest.param("(", 0, (), id="broken"),
    ],
)
def test_a_pattern_finds_something_in_its_texts(pattern: str, flags: int, texts: tuple[str, ...]) -> None:
    assert texts_around_matches(pattern, int(flags)) == texts


def test_a_pattern_that_the_code_debugs_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert texts_around_matches(r"\s+,", int(re.DEBUG | re.M))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("call", "flags"),
    [
        pytest.param("re.compile('a', re.I | re.IGNORECASE)", re.I, id="two_names_of_one"),
        pytest.param("re.sub('a', 'b', text, flags=re.I | re.M)", re.I | re.M, id="by_name"),
        pytest.param("re.sub('a', 'b', text, 0, re.X)", re.X, id="by_place"),
        pytest.param("re.sub('a', self.X, text)", 0, id="an_attribute_of_something_else_as_replacement"),
        pytest.param("re.search('a', text, self.X)", 0, id="an_attribute_of_something_else_as_flags"),
        pytest.param("re.search('a', self.M, re.S)", re.S, id="behind_the_text"),
    ],
)
def test_flags_are_attributes_of_re_in_the_place_of_flags(call: str, flags: int) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert compiled_pattern(node) == ("a", int(flags))


def test_what_patterns_of_the_code_are_applied_to_takes_texts_that_they_find_something_in(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"m.py": MARKUP}), "m.py")
    known = {one.qualname: one for one in context.domains}

    assert known["spaces"].of("text").samples == (repr("\thello"),)
    assert known["plain"].of("source").samples == (
        repr("hello <img alt='kitten'> world"),
        repr("hello </kitten> world"),
    )


def test_a_text_that_is_searched_with_a_pattern_is_still_read_as_a_text(tmp_path: Path) -> None:
    source = (
        "import re\n\nDIGITS = re.compile(r'[0-9]+')\n\n\n"
        "def cells(row):\n    return row.split('|') if DIGITS.search(row) else []\n"
    )
    _, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    (cells,) = context.domains

    assert cells.of("row").parts == ("'|'",)
