"""The code of documents: which blocks are Python, and what they import."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.usage.document_code import code_of_document

pytestmark = pytest.mark.feature("B-06")


def fenced(text: str) -> list[str]:
    return [ast.unparse(one.node) for one in code_of_document(text).fenced]


def test_a_block_of_another_language_before_it_hides_no_block_of_python() -> None:
    text = "```bash\npip install shop\n```\n\nThen:\n\n```python\nprice(2)\n```\n\n~~~ py\nprice(3)\n~~~\n"
    assert fenced(text) == ["price(2)", "price(3)"]


def test_words_behind_the_language_and_indentation_do_not_matter() -> None:
    assert fenced('```python title="shop.py"\nprice(2)\n```\n') == ["price(2)"]
    assert fenced("``` {.python}\nprice(3)\n```\n") == ["price(3)"]
    assert fenced("- so:\n\n  ```py\n  price(4)\n  ```\n") == ["price(4)"]


def test_what_is_between_two_blocks_is_no_block() -> None:
    assert fenced("```json\n{}\n```\nprice(1)\n```json\n{}\n```\n") == []


def test_a_longer_fence_ends_where_one_as_long_stands() -> None:
    assert fenced("````python\nprice(1)\n````\n```\nprice(2)\n```\n") == ["price(1)", "price(2)"]


def test_a_block_that_never_ends_is_none() -> None:
    assert fenced("```python\nprice(1)\n") == []


def test_imports_of_sentences_and_blocks_hold_for_the_prompts() -> None:
    code = code_of_document("With `import shop as s`:\n\n>>> s.price(2)\n4\n\n```python\nfrom shop import cart\n```\n")
    bodies = code.bodies()
    assert [ast.unparse(node) for node in bodies[0][0]] == ["s.price(2)"]
    assert bodies[0][1] == {"s": "import shop as s", "cart": "from shop import cart"}


def test_comments_of_a_block_say_results_and_those_below_a_call_may_speak_of_something_else() -> None:
    text = "Words\n\n```python\nprice(2)  # 4\nprint(price(3))  # 6\nprice(4)\n# 8\nprice(5)  # a lot\n```\n"
    told = [(one.want, one.line, one.certain) for one in code_of_document(text).fenced]
    assert told == [("4", 4, True), ("6", 5, True), ("8", 6, False), ("", 0, True)]


def test_the_line_below_a_title_begins_no_block() -> None:
    assert fenced("Usage\n~~~~~\n\nprice(1)\n\nOther\n~~~~~\n") == []


def test_lines_are_counted_as_editors_count_them() -> None:
    told = code_of_document("A\fB\n\n```python\nprice(2)  # 4\n```\n").fenced
    assert [one.line for one in told] == [4]
