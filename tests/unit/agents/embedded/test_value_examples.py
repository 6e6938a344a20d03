"""Values that documents and tests show are read with the place that shows them."""

from __future__ import annotations

import pytest

from testwright.agents.embedded.evidence.value_examples import read_examples
from testwright.agents.evidence.model import SourceKind

pytestmark = pytest.mark.feature("D-02")


def shown(text: str, kind: SourceKind = "document") -> list[tuple[str, str, int]]:
    return [(one.act, one.expected, one.line) for one in read_examples(kind, "x.md", 10, text, ["slugify"])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`slugify('A b')` returns `'a-b'`.", ("slugify('A b')", "'a-b'", 10)),
        ("# Use\n\n| call | result |\n|---|---|\n| `slugify('A')` | `'a'` |", ("slugify('A')", "'a'", 14)),
        ("```pycon\n>>> slugify('q')\n'q'\n```\n", ("slugify('q')", "'q'", 11)),
        (">>> slugify('q')\n'q'\n", ("slugify('q')", "'q'", 10)),
        ("`slugify('  ')` raises a `ValueError`.", ("slugify('  ')", "raises ValueError", 10)),
        ("```python\nslugify('X')  # -> 'x'\n```", ("slugify('X')", "'x'", 11)),
        ("```python\nassert slugify('X') == 'x'\n```", ("slugify('X')", "'x'", 11)),
        ("```python\ntxt = 'X'\nr = slugify(txt)\nself.assertEqual(r, 'x')\n```", ("slugify('X')", "'x'", 13)),
        ("```python\nslug = slugify('X')  # 'x'\n```", ("slugify('X')", "'x'", 11)),
        ("```python\nprint(slugify('X'))  # 'x'\n```", ("slugify('X')", "'x'", 11)),
        ("```python\nprint(slugify('4'))  # 4\n```", ("print(slugify('4'))", "4", 11)),
        ("```python\nr = slugify('A b')\nprint(r)\n# a-b\n```", ("print(slugify('A b'))", "a-b", 12)),
        ("```python\nslugify('X')\n'x'\n```", ("slugify('X')", "'x'", 11)),
        ("~~~~python\n```\n~~~~\n- For example, `slugify('X')` gives `'x'`.", ("slugify('X')", "'x'", 13)),
        (".. code-block:: python\n\n   slugify('X')  # 'x'\n", ("slugify('X')", "'x'", 12)),
    ],
)
def test_each_way_in_which_a_document_shows_a_value_is_read(text, found):
    assert shown(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "`slugify('A b')` returns a slug.",
        "`other('A')` returns `'a'`.",
        "`slugify(name)` returns `'a'`.",
        "`slugify('long')` returns `'lo...'`.",
        "```python\nslugify('X')  # joins words\n```",
        "`slugify()` raises `ValueError` if the text is empty.",
        "`slugify('')` raises `ValueError` when it is strict.",
        "`slugify('A')` returns `'a'` if folding is on.",
        "In old versions `slugify('A')` returns `'A'`.",
        "## 1.2.0\n\n`slugify('A')` returns `'a'`.",
        "Changelog\n=========\n\n```python\nassert slugify('A') == 'a'\n```",
        "| call | meaning |\n|---|---|\n| `slugify('A')` | `1` |",
        "```python\nslugify('X')  # (1)\n```",
        "```js\nslugify('X')  // 'x'\n```",
        "```js\nassert slugify('X') == 'x'\n```",
        "```python\nslugify('4')  # joins\n```",
        "```\nno end\nassert slugify('X') == 'x'\n",
        "```text\n>>> slugify('q')\n'z'\n```\n",
        "The sum 2 * slugify(3) = 18",
        "`2 * slugify(3) = 18`",
        "`assert not slugify(3) == 9`",
        "It holds:\n\n    slugify(3) = 9\n",
        ">>> slugify('q')  # doctest: +SKIP\n'other'\n",
    ],
)
def test_what_shows_no_value_of_the_target_is_no_example(text):
    assert shown(text) == []


def test_assertions_of_tests_are_read_with_the_statements_that_they_need():
    test = (
        "def test_it():\n    word = 'a b'\n    unrelated = 1\n    assert slugify(word) == 'a-b'\n"
        "    words = ['a', 'b']\n    assert slugify(words) == 'a-b'\n"
        "    with pytest.raises(ValueError):\n        slugify('')\n"
    )
    found = read_examples("test", "test_x.py", 1, test, ["slugify"])
    assert [(one.act, one.arrange, one.expected) for one in found] == [
        ("slugify('a b')", (), "'a-b'"),
        ("slugify(words)", ("words = ['a', 'b']",), "'a-b'"),
        ("slugify('')", (), "raises ValueError"),
    ]


def test_status_codes_are_read_beside_the_operation_that_they_belong_to():
    [documented] = read_examples("document", "api.md", 1, "`POST /orders` answers 400 without a body.", [])
    test = "def test_it(client):\n    r = client.post('/orders', json={})\n    assert r.status_code == 422\n"
    [expected] = read_examples("test", "test_api.py", 1, test, [])
    assert (documented.act, documented.want) == ("POST /orders", "400")
    assert (expected.act, expected.want, expected.line) == ("POST /orders", "422", 3)


def test_a_changelog_shows_nothing_and_a_cut_passage_all_but_its_last_example():
    text = "- `slugify('A')` returns `'a'`.\n- `slugify('B')` returns `'b'`.\n- `slugify('C')` returns `[1,\n"
    assert read_examples("document", "docs/changelog.md", 1, text, ["slugify"]) == []
    assert [one.act for one in read_examples("document", "a.md", 1, text, ["slugify"], is_cut=True)] == ["slugify('A')"]


def test_a_number_that_is_no_status_of_http_is_none():
    assert read_examples("document", "api.md", 1, "`GET /orders` lists 250 orders.", []) == []
