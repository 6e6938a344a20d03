"""Examples that docstrings give in words become calls with their documented result (B-02, B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.inputs.seeds import example_trials
from testwright.engine.python.judge.comparison import compare_with_document
from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.usage.prose_examples import prose_examples
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-16")


def found_in(folder: Path, docstring: str, signature: str = "pick(nums, target=0)") -> list[tuple[str, str]]:
    """Calls and results of the examples in a function's docstring."""
    source = f'def {signature}:\n    """{docstring}"""\n    return 0\n'
    write_project(folder, {"m.py": source})
    return [(one.example.act, one.example.want) for one in prose_examples(facts_of(folder, "m.py"))]


@pytest.mark.parametrize(
    ("docstring", "examples"),
    [
        pytest.param("pick([1, 2]) -> 3", [("pick([1, 2])", "3")], id="an_arrow"),
        pytest.param("Say, pick([1, 2]) returns 'a'.", [("pick([1, 2])", "'a'")], id="a_verb"),
        pytest.param("pick([1], target=2) == True", [("pick([1], target=2)", "True")], id="an_equation"),
        pytest.param("Input: nums = [2, 7], target = 9\n    Output: [0, 1]", [("pick([2, 7], target=9)", "[0, 1]")],
                     id="labels_with_names"),
        pytest.param("Input:\n    [\n      1,\n      2\n    ]\n    Output: 'one'", [("pick([1, 2])", "'one'")],
                     id="several_lines"),
        pytest.param("Given [3, 1], return true.", [("pick([3, 1])", "True")], id="a_sentence"),
        pytest.param("[1, 2] => 3\n    [4] => 4", [("pick([1, 2])", "3"), ("pick([4])", "4")], id="a_list_of_pairs"),
        pytest.param("* input: [5, 6]\n\n    * output: 11", [("pick([5, 6])", "11")], id="bullets"),
        pytest.param("For example: nums = [1, 2]", [("pick([1, 2])", "")], id="an_input_alone"),
        pytest.param("Consider the case where nums = '/../'?\n        In this case, you should return '/'.",
                     [("pick('/../')", "'/'")], id="a_case_and_its_result_in_the_next_sentence"),
        pytest.param("It has several '/' together, such as 'a//b'. Ignore them and return 'a/b'.",
                     [("pick('a//b')", "'a/b'")], id="an_input_such_as_that"),
        pytest.param("If nums is [], returns None.", [("pick([])", "None")], id="a_condition"),
        pytest.param("Names are plain: 'Foo Bar' becomes 'foo_bar'.", [("pick('Foo Bar')", "'foo_bar'")],
                     id="a_text_that_becomes_another"),
        pytest.param("Say, ``'ab'`` is converted to ``'AB'``.", [("pick('ab')", "'AB'")], id="literals_in_backticks"),
    ],
)  # fmt: skip
def test_an_example_in_words_is_read(tmp_path: Path, docstring: str, examples: list[tuple[str, str]]) -> None:
    assert found_in(tmp_path, docstring) == examples


@pytest.mark.parametrize(
    "docstring",
    [
        pytest.param("Given 1->2->3, return the head.", id="a_chain_of_nodes"),
        pytest.param("pick(n) = pick(n - 1) + pick(n - 2)", id="a_recurrence"),
        pytest.param("pick([1]) -> 2 + x", id="an_unfinished_result"),
        pytest.param("pick(nums) -> list", id="a_signature"),
        pytest.param(">>> pick([1])\n    3", id="a_doctest"),
        pytest.param("Input: other = [1]\n    and: more = 2 Output: 3", id="names_of_no_parameter"),
        pytest.param("Returns 3 items in 2 steps.", id="prose"),
        pytest.param("A text such as 'a', or 'b' where the others return 'c'.", id="a_result_after_another_value"),
        pytest.param("A text such as 'a'. It is fine. It is short. Others return 'c'.", id="a_result_of_later_words"),
        pytest.param("When limit = 3, returns 4.", id="a_case_of_no_parameter"),
        pytest.param("It goes 'hit' -> 'hot' -> 'dot'.", id="a_chain"),
    ],
)
def test_what_is_no_example_is_not_read(tmp_path: Path, docstring: str) -> None:
    assert found_in(tmp_path, docstring, "pick(nums, target)" if "Input" in docstring else "pick(nums, target=0)") == []


def test_names_are_matched_whatever_their_spelling(tmp_path: Path) -> None:
    docstring = "Input: maxWidth = 4, words = ['a', 'b'] Output: 2"
    assert found_in(tmp_path, docstring, "pack(words, max_width)") == [("pack(['a', 'b'], 4)", "2")]


def test_a_docstring_of_the_module_speaks_of_its_only_function(tmp_path: Path) -> None:
    source = '"""Sums.\n\nInput: [1, 2]\nOutput: 3\n"""\n\n\ndef total(nums):\n    return sum(nums)\n'
    write_project(tmp_path, {"m.py": source})
    facts, context = context_of(tmp_path, "m.py")
    trial = next(iter(example_trials(facts, context.index)))
    assert (trial.subject, trial.act, trial.wanted, trial.wanted_line) == ("total", "total([1, 2])", "3", 3)


@pytest.mark.parametrize(("source", "agrees"), [("doctest", False), ("prose", None)])
def test_only_an_example_that_calls_the_function_by_name_can_be_contradicted(source: str, agrees: bool | None) -> None:
    seen = ObservedTrial(Observation("returned", value=Value("int")), shown="4")
    assert compare_with_document(Trial("f", "f(1)", wanted="3", source=source), seen).agrees is agrees


def examples_of(folder: Path, source: str) -> list[tuple[str, str | None]]:
    write_project(folder, {"m.py": source})
    facts, context = context_of(folder, "m.py")
    return [(one.act, one.wanted) for one in example_trials(facts, context.index)]


def test_a_doctest_that_prints_each_item_shows_a_list(tmp_path: Path) -> None:
    source = (
        'def count(limit):\n    """Counts.\n\n    >>> for number in count(3):\n    ...     print(repr(number))\n'
        '    0\n    1\n    2\n    """\n    return iter(range(limit))\n'
    )
    assert ("list(count(3))", "[0, 1, 2]") in examples_of(tmp_path, source)


def test_a_doctest_may_call_a_function_by_an_old_name(tmp_path: Path) -> None:
    source = (
        'def total(nums):\n    """Adds.\n\n    >>> add([1, 2])\n    3\n    """\n    return sum(nums)\n\n\nadd = total\n'
    )
    assert examples_of(tmp_path, source) == [("total([1, 2])", "3\n")]


@pytest.mark.parametrize(
    "docstring",
    [
        pytest.param("pick([1]) returns 1,000", id="a_number_with_commas"),
        pytest.param("pick([1]) -> 2, 3", id="several_results"),
        pytest.param("pick([1]) returns 3 or 4", id="an_alternative"),
    ],
)
def test_a_result_that_goes_on_is_none(tmp_path: Path, docstring: str) -> None:
    assert found_in(tmp_path, docstring) == []


def test_words_in_quotes_stay_as_they_are(tmp_path: Path) -> None:
    assert found_in(tmp_path, "pick([1]) returns 'it is true'") == [("pick([1])", "'it is true'")]
