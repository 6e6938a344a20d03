"""Documented tests are named by what the document says that they show."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import Case, SpecEvidence, SpecExpectation
from testwright.engine.python.source.documents import Document
from testwright.engine.python.source.passages import passage_words
from testwright.engine.python.write.assign_tables import assign_tables
from testwright.engine.python.write.naming import name_tests

pytestmark = pytest.mark.feature("B-06", "B-18")

_TABLE = CallableFacts(
    "table",
    "function",
    (1, 2),
    (Parameter("rows", "positional_or_keyword"), Parameter("style", "positional_or_keyword", default="'plain'")),
)
_FACTS = ModuleFacts("m.py", "m", ".", "", functions=(_TABLE,))
_README = """\
# Tables

### Cells of several lines

Line ends are kept:

```pycon
>>> rows = ["a"]
>>> print(table(rows))
a
>>> table(rows, style="grid")  # Ignores the width
'+'
```

### Speed

>>> table(["b"])
'b'
>>> other(["b"])
'b'

Dropping lines
--------------

When the list is empty:

>>> table([])
''
"""


def _shown(line: int, act: str = "table(['a'])", value: str = "'a'") -> Case:
    place = SpecEvidence("README.md", (line, line + 1))
    demand = SpecExpectation("equals", "result", value, origin="documented", evidence=place)
    return Case(f"{line} {act}", "x", "table", act, "call", (demand,))


def _words(text: str, line: int = 1, path: str = "README.md") -> str:
    place = SpecEvidence(path, (line, line))
    demand = SpecExpectation("equals", "result", "'a'", origin="documented", evidence=place)
    return passage_words(Case("a", "x", "table", "table()", "call", (demand,)), {path: Document(path, text)})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(11, "ignores_width", id="comment_behind_the_call"),
        pytest.param(18, "", id="section_of_several_functions"),
        pytest.param(28, "for_lines", id="heading_underlined"),
    ],
)
def test_a_passage_says_what_its_example_shows(line: int, words: str) -> None:
    assert passage_words(_shown(line), {"README.md": Document("README.md", _README)}) == words


def test_a_heading_over_calls_with_other_options_is_not_of_one_of_them() -> None:
    assert passage_words(_shown(9), {"README.md": Document("README.md", _README)}) == ""


@pytest.mark.parametrize(
    "text",
    [
        "# Basic usage\n>>> table()",
        "# table\n>>> table()",
        "# A heading of far too many words here\n>>> table()",
        ">>> table()  # doctest: +SKIP",
        ">>> table()  # pragma no cover",
        ">>> table()  # type:ignore",
        ">>> # pragma no cover\n>>> table()",
        "r'''With missing cells:\n\n>>> table()",
        ">>> table()  # => 3",
        ">>> table()  # this one is odd",
        ">>> table()  # raises ValueError",
        ">>> table()  # same as before",
        "# Iteration\n>>> table()",
        "# Allow missing cells\n>>> table()",
        ">>> # Some rows of\n>>> # several lines\n>>> table()",
    ],
)
def test_words_of_any_example_name_none(text: str) -> None:
    assert _words(text, line=text.count("\n") + 1) == ""


def test_a_line_that_leads_to_a_block_names_its_first_example_only() -> None:
    text = "With missing cells:\n\n>>> rows = []\n>>> table(rows)\n''\n>>> table('b')\n'b'"

    assert [_words(text, 4), _words(text, 6)] == ["with_missing_cells", ""]


def test_what_was_done_is_told_from_what_there_is() -> None:
    told = [_words(f"# {text}\n>>> table()", 2) for text in ("Clipped to the width", "Mixed kinds", "Adding rules")]

    assert told == ["when_clipped_to_width", "for_mixed_kinds", "for_rules"]


def test_what_a_comment_asks_for_is_what_the_code_does() -> None:
    told = [_words(f">>> table()  # {text}") for text in ("Invert the bounds.", "using a separator", "copy all rows")]

    assert told == ["inverts_bounds", "with_separator", "copies_all_rows"]


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_heading_over_another_docstring_is_not_read(quotes: str) -> None:
    assert _words(f"Mixed kinds\n-----------\n{quotes}Doc.\n\n>>> table()", 5, "m.py") == ""


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_section_ends_with_its_docstring(quotes: str) -> None:
    text = f"{quotes}Doc.\n\nMixed kinds\n-----------\n\n>>> table()\n{quotes}\n{quotes}More.\n\n>>> other()\n{quotes}"

    assert _words(text, 6, "m.py") == "for_mixed_kinds"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("```bash\n# install from source\n```\n\n>>> table()", "README.md"),
        ("~~~~ python\n# install from source\n~~~\n# more of it\n~~~~\n>>> table()", "README.md"),
        ("# helpers of tables\n\n>>> table()", "m.py"),
    ],
)
def test_a_comment_of_code_is_no_heading(text: str, path: str) -> None:
    assert _words(text, text.count("\n") + 1, path) == ""


def test_tildes_below_words_underline_them_outside_of_markdown() -> None:
    text = "Mixed kinds\n~~~~~~~~~~~\n\n>>> table()\n\nUneven rows\n~~~~~~~~~~~\n\n>>> table()"

    assert [_words(text, line, "guide.rst") for line in (4, 9)] == ["for_mixed_kinds", "for_uneven_rows"]


def test_a_heading_over_hundreds_of_lines_names_none_of_them() -> None:
    text = "# Mixed kinds\n" + ">>> table()\n" * 900

    assert [_words(text, line) for line in (2, 300, 700)] == ["", "", ""]
    assert _words(text[: len(text) // 2], 300) == "for_mixed_kinds"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Missing cells", "for_missing_cells"),
        ("String keys", "for_string_keys"),
        ("Trailing spaces", "for_trailing_spaces"),
        ("Overlapping intervals", "for_overlapping_intervals"),
        ("Floating point values", "for_floating_point_values"),
        ("Dropping empty lines", "for_empty_lines"),
        ("Merging wide cells", "for_wide_cells"),
    ],
)
def test_only_what_is_done_is_left_out_before_its_object(text: str, words: str) -> None:
    assert _words(f"# {text}\n>>> table()", 2) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("returns the smallest row", "returns_smallest_row"),
        ("matches whole words", "matches_whole_words"),
        ("fails without header", "fails_without_header"),
        ("sets the flag", "sets_flag"),
        ("sets of rows", "for_sets_of_rows"),
        ("nested sets", "for_nested_sets"),
        ("doesn't copy rows", ""),
        ("rows don't move", ""),
    ],
)
def test_a_comment_that_begins_with_a_verb_is_the_words_after_the_name(text: str, words: str) -> None:
    assert _words(f">>> table()  # {text}") == words


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("print(table())  # fine weather", "'other words'"),
        (">>> table()  # fine weather", "'fine weather'"),
        ("table()  # prints fine weather", "'Fine weather'"),
    ],
)
def test_a_comment_that_tells_the_result_says_nothing_of_the_example(line: str, value: str) -> None:
    assert passage_words(_shown(1, value=value), {"README.md": Document("README.md", line)}) == ""


def test_a_sign_in_a_text_begins_no_comment() -> None:
    assert _words(">>> table('rows # without cells')") == ""
    assert _words(""">>> table("it's # odd", '#')  # keeps the signs""") == "keeps_signs"


def test_lines_are_counted_as_python_counts_them() -> None:
    assert _words("# A\x0c\x85\u2028\n\n>>> table()  # keeps the order\n\n>>> table()", 3, "m.py") == "keeps_order"


def test_the_words_of_a_document_name_a_test_that_no_option_tells_apart() -> None:
    usual = _shown(3, "table(['a', 'b', 'c'])", "'abc'")
    text = [">>> table(['d', 'e'])  # keeps the order", "", ">>> table(['a', 'b', 'c'])", ""]

    named = name_tests(
        [usual, _shown(1, "table(['d', 'e'])", "'de'")],
        _FACTS,
        documents={"README.md": Document("README.md", "\n".join(text))},
    )

    assert [one.id for one in named.values()] == ["tc_table", "tc_table_keeps_order"]


def test_options_tell_the_examples_of_one_section_apart() -> None:
    text = ["# Long cells", ">>> table(['a\\nb'], style='grid')", "", ">>> table(['a\\nb'], style='pipe')"]
    cases = [
        Case("u", "x", "table", "table(['a'])", "call", (SpecExpectation("equals", "result", "'a'"),)),
        Case("g", "x", "table", "table(['a'], style='grid')", "call", (SpecExpectation("equals", "result", "'+'"),)),
        _shown(2, "table(['a\\nb'], style='grid')", "'++'"),
        _shown(4, "table(['a\\nb'], style='pipe')", "'||'"),
    ]

    named = name_tests(cases, _FACTS, documents={"README.md": Document("README.md", "\n".join(text))})

    assert [one.id.removeprefix("tc_table") for one in named.values()] == [
        "",
        "_with_grid_style",
        "_with_grid_style_for_long_cells",
        "_with_pipe_style",
    ]


def test_the_comment_of_a_row_is_its_id() -> None:
    text = [">>> table(['a'])", ">>> table(['b'])  # Ignores the rest"]
    cases = assign_tables([_shown(1), _shown(2, "table(['b'])", "'b'")], _FACTS)

    named = name_tests(cases, _FACTS, documents={"README.md": Document("README.md", "\n".join(text))})

    assert [one.id for one in named.values()][1] == "tc_table_ignores_rest"
