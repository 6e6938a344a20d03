"""Examples of code without prompts are read with the result that stands beside them."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.code_examples import block_examples, docstring_examples
from testwright.engine.python.judge.comparison import DocumentVerdict, compare_with_document
from testwright.engine.python.model.model import PRINTS, Observation, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial

pytestmark = pytest.mark.feature("B-18")


@pytest.mark.parametrize(
    ("block", "act", "want", "certain"),
    [
        ("print(area(7.5, 8))  # 60.0", "print(area(7.5, 8))", "60.0", True),
        ("total = area(2, 3)  # 6", "area(2, 3)", "6", True),
        ("area(2, 3)  # -> 6", "area(2, 3)", "6", True),
        ("s.loads('[1]')\n[1]", "s.loads('[1]')", "[1]", True),
        ("print(label('side'))\n# side (cm)", "print(label('side'))", "side (cm)", False),
        ("data = loads(text)\nprint(data['name'])\n# Ada", "print(loads(text)['name'])", "Ada", False),
        ("print(rows('ab'))\n# a\n# b", "print(rows('ab'))", "a\nb", False),
        ("str(label)\n# 'side'", "str(label)", "'side'", False),
        ("half(Box(4))  # => Box(2)", "half(Box(4)) == Box(2)", "True", False),
        ("half(Box(4))  # returns Box(width=2)", "half(Box(4)) == Box(width=2)", "True", False),
    ],
)
def test_a_result_is_read_from_the_comment_or_the_line_below_a_call(block, act, want, certain):
    (found,) = block_examples(block, 5)

    assert (found.act, found.want, found.certain) == (act, want, certain)


@pytest.mark.parametrize(
    "block",
    [
        "area(2, 3)  # in square metres",
        "half(Box(4))  # Box(2)",
        "half(Box(4))  # => another Box",
        "area(2, 3)  # (1)",
        "print('Hello')  # Hello",
        "print(a, b)  # 1 2",
        "x = 3  # 4",
    ],
)
def test_what_says_no_result_of_a_call_is_no_example(block):
    assert list(block_examples(block, 1)) == []


def test_a_variable_that_other_statements_change_stays_in_the_example():
    (found,) = block_examples("cart = Cart()\ncart.add(3)\nprint(cart.total)  # 3", 1)

    assert (found.arrange, found.act) == (("cart = Cart()", "cart.add(3)"), "print(cart.total)")


@pytest.mark.parametrize(
    "changed",
    [
        "before = stack.size()\nstack.push(1)",
        "before = load(path)\npath = 'b.txt'",
        "before = stack.size()\nprint(stack.pop())",
    ],
)
def test_a_result_is_asked_for_before_what_it_depends_on_changes(changed):
    (found,) = [one for one in block_examples(f"{changed}\nprint(before)  # 0", 1) if one.want == "0"]

    assert (found.arrange, found.act) == (tuple(changed.split("\n")), "print(before)")


def test_a_result_is_read_in_place_of_its_variable_past_what_only_prints():
    *_, found = block_examples("data = load(text)\nprint(data['a'])\nprint(area(2))\nprint(data['b'])  # 2", 1)

    assert found.act == "print(load(text)['b'])"


def test_a_call_in_a_docstring_without_a_result_is_an_input_that_a_person_chose():
    text = (
        "Return it.\n\n    Example::\n\n        box = Box(4)\n        half(box)\n\n"
        "    Then::\n\n        print(third(box))\n"
    )

    found = docstring_examples(text, 1)

    assert [(one.arrange, one.act, one.want) for one in found] == [
        ((), "Box(4)", ""),
        (("box = Box(4)",), "half(box)", ""),
        (("box = Box(4)", "half(box)"), "third(box)", ""),
    ]


def test_a_later_block_of_a_docstring_knows_what_was_done_to_an_object():
    text = "Hold numbers.\n\n    box = Box()\n    box.add(3)\n\nThen::\n\n    box.size()  # 1\n"

    found = docstring_examples(text, 1)

    assert (found[-1].arrange, found[-1].act, found[-1].want) == (("box = Box()", "box.add(3)"), "box.size()", "1")


def test_calls_that_say_their_result_come_before_those_that_do_not():
    adding = "".join(f"    box.add({number})\n" for number in range(20))
    text = f"Hold numbers.\n\n    box = Box()\n{adding}    box.size()  # 20\n\nThat is all.\n"

    assert [one.want for one in docstring_examples(text, 1) if one.want] == ["20"]


def test_code_below_the_words_of_a_docstring_is_found_with_its_line():
    text = (
        "Return it.\n\n    Example:\n        Of a field::\n\n            print(area(2, 3))  # 6\n\n"
        "    ```python\n    area(1, 4)  # 4\n    ```\n"
    )

    assert [(one.act, one.line) for one in docstring_examples(text, 10)] == [
        ("print(area(2, 3))", 15),
        ("area(1, 4)", 18),
    ]


def verdict(wanted: str, source: str) -> DocumentVerdict:
    trial = Trial("area", "area(2, 3)", source="doctest", wanted=f"{PRINTS}{wanted}")
    value = Value("builtins.int", source=source)
    return compare_with_document(trial, ObservedTrial(Observation("returned", value=value), shown=source))


@pytest.mark.parametrize(
    ("wanted", "source", "expected"),
    [
        ("60.0", "60.0", DocumentVerdict(True)),
        ("side (cm)", "'side (cm)'", DocumentVerdict(True)),
        ("'side'", "'side'", DocumentVerdict(True)),
        ("61.0", "90.0", DocumentVerdict(False, "61.0")),
        ("3.14", "3.14159", DocumentVerdict()),
    ],
)
def test_what_is_printed_of_a_result_is_compared_with_its_text(wanted, source, expected):
    assert verdict(wanted, source) == expected


def test_a_comparison_in_a_docstring_says_the_result_of_its_call_also_over_two_lines():
    raw = """Join pairs.

    Examples:
      Box(2).join(3) == [2, 3]
      Box(4).join(5).sorted()
        == [4, 5]
      Box(6).half() == Box(3)
      count == 2
    """
    found = [(one.act, one.want, one.line) for one in docstring_examples(raw, 10) if one.want]
    assert found == [
        ("Box(2).join(3)", "[2, 3]", 13),
        ("Box(4).join(5).sorted()", "[4, 5]", 14),
        ("Box(6).half() == Box(3)", "True", 16),
    ]


@pytest.mark.parametrize("block", ["half(5) == 2  # False", "half(5) == 2\nFalse"])
def test_a_comparison_that_does_not_hold_says_no_result(block):
    assert not [one for one in block_examples(block, 1) if one.want]


def test_a_form_feed_in_a_docstring_is_no_line_of_its_own() -> None:
    raw = "Half of it.\x0c\u2028\n\n```python\nhalf(4)  # 2\n```\n"

    assert [(one.act, one.want, one.line) for one in docstring_examples(raw, 1)] == [("half(4)", "2", 4)]
