"""What the code looks for in a text stands in the text that a parameter is given first."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.domain.example_texts import signs_beside, text_sources
from testwright.engine.python.domain.examples import ExampleContext, natural_values
from testwright.engine.python.model.domain import ParameterDomain
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def escaped(s: str):
    s = s.replace("&", "&amp;")
    return s.replace("<", "&lt;")


def cells(row: str):
    return [cell.strip() for cell in row.split("|")]


def words(text: str):
    return text.replace("ph", "f").split(" ")


def kept(items, predicate):
    return [one for one in items if predicate(one)]


def unquoted(val):
    if val[0] in ('"', "'") and val[0] == val[-1]:
        val = val[1:-1]
    return val


def swapped(pair):
    if pair[0] in ("x", "y"):
        return pair[1], pair[0]
    return pair
"""


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, tuple[str, ...]]:
    root = write_project(tmp_path, {"texts.py": SOURCE})
    _, context = context_of(root, "texts.py")
    return {one.qualname: one.parameters[0][1].parts for one in context.domains}


def first_text(*signs: str) -> str:
    domain = ParameterDomain("text", parts=tuple(map(repr, signs)))
    return natural_values(domain, ExampleContext(name="s"))[0].candidate.source


def test_signs_that_are_replaced_or_split_at_are_found(parts) -> None:
    assert parts["escaped"] == ("'&'", "'<'")
    assert parts["cells"] == ("'|'",)


def test_letters_and_blanks_are_no_signs(parts) -> None:
    assert parts["words"] == ()


def test_every_sign_stands_between_words_once() -> None:
    assert first_text("&", "<") == "'kitten&sitting<mitten'"


def test_a_name_that_says_the_form_comes_before_signs() -> None:
    domain = ParameterDomain("text", parts=("'@'",))
    assert natural_values(domain, ExampleContext(name="email"))[0].candidate.source == "'ann@example.com'"


@pytest.mark.parametrize(
    ("name", "signs", "expected"),
    [
        pytest.param("tag_name", (), "'tag'", id="whose_name_it_is"),
        pytest.param("module_name", (".",), "'kitten.sitting.mitten'", id="signs_that_the_code_splits_at"),
        pytest.param("surname", (), "'kitten'", id="one_word"),
    ],
)
def test_a_name_of_something_is_called_after_it_unless_the_code_asks_for_signs(name, signs, expected) -> None:
    domain = ParameterDomain("text", parts=tuple(map(repr, signs)))
    assert natural_values(domain, ExampleContext(name=name))[0].candidate.source == expected


def test_a_text_that_a_pattern_finds_comes_first_where_it_has_the_signs() -> None:
    found = {
        sign: natural_values(ParameterDomain("text", parts=(repr(sign),), samples=("'v1.2'",)))[0].candidate.source
        for sign in ".-"
    }
    assert found == {".": "'v1.2'", "-": "'kitten-sitting-mitten'"}


def test_a_single_sign_separates_three_words() -> None:
    assert first_text("|") == "'kitten|sitting|mitten'"


def test_what_decides_is_no_function_that_always_says_yes(tmp_path: Path) -> None:
    root = write_project(tmp_path, {"texts.py": SOURCE})
    facts, context = context_of(root, "texts.py")
    kept = next(one for one in facts.functions if one.name == "kept")
    given = [value.source for value in context.values.for_parameter(kept, kept.parameters[1])]
    assert given[0] == "lambda x: x > 2"
    assert not {"str", "len", "lambda x: True"} & set(given)


def test_a_text_whose_ends_are_cut_off_has_the_signs_that_are_looked_for_there(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"texts.py": SOURCE}), "texts.py")
    domains = {one.qualname: one.parameters[0][1] for one in context.domains}
    assert (domains["unquoted"].kind, domains["unquoted"].words) == ("text", ("'\"kitten\"'", "\"'one two'\""))
    assert domains["swapped"].kind == "tuple"  # its items are read one by one, and nothing is cut out


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("return s.upper()", "'Hello World'"),
        ("return s.strip().lower()", "'  Hello World '"),
        ("return '-'.join(s.split())", "'Hello   World'"),
        ("return re.sub('<[^>]*>', '', s)", "'hello <kitten> world'"),
        ("return int(s.strip())", "'1234'"),
    ],
)
def test_a_text_shows_what_is_done_with_letters_blanks_and_matches(tmp_path: Path, body: str, first: str) -> None:
    root = write_project(tmp_path, {"m.py": f"import re\n\n\ndef changed(s):\n    {body}\n"})
    _, context = context_of(root, "m.py")

    values = natural_values(context.domains[0].of("s"), ExampleContext("s"))

    assert values[0].candidate.source == first


@pytest.mark.parametrize(
    ("default", "others"),
    [
        pytest.param("', '", ["; ", "/ "], id="a separator with a blank"),
        pytest.param("'['", ["<", "{", "("], id="a bracket"),
        pytest.param("'()'", ["[]", "<>"], id="a pair of brackets"),
        pytest.param("'\"'", ["'"], id="a quote"),
        pytest.param("'{}'", [], id="a template"),
        pytest.param("'-{name}-'", [], id="a template with a name"),
        pytest.param("'%'", [], id="a percent sign"),
        pytest.param("'...'", [], id="an ellipsis"),
    ],
)
def test_beside_a_sign_stands_another_of_its_kind_and_none_beside_a_template(default: str, others: list[str]) -> None:
    assert signs_beside(default) == others


def test_beside_a_sign_a_text_that_is_no_sign_is_tried_as_well() -> None:
    sources = text_sources(ParameterDomain("text"), "between", 0, "','")

    assert sources[:2] == [";", "/"]
    assert any(one.isalpha() for one in sources)


@pytest.mark.parametrize(("name", "first"), [("text", "first line\nsecond line"), ("filename", "folder/file.txt")])
def test_a_text_has_several_lines_where_they_are_what_it_is_about_and_its_name_says_no_form(
    name: str, first: str
) -> None:
    assert text_sources(ParameterDomain("text"), name, 0, several_lines=True)[0] == first
    assert "first line\nsecond line" not in text_sources(ParameterDomain("text"), name, 0)
