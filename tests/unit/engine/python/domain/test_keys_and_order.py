"""Keys differ from item to item, and what is put in order comes out of order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.from_literals import domain_of_values
from testwright.engine.python.domain.functions import is_idle_key
from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.model.model import Trial
from testwright.engine.python.search.initial_trials import initial_trials
from testwright.engine.python.usage.scoping import is_reproducible
from testwright.tests.support.engine.python_projects import context_of, write_project
from testwright.utils.python_source import parse_expression

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
import enum
from typing import Any, Callable, Iterable, List, Optional, Union

class Order(enum.IntEnum):
    CASE = 1
    SIGN = 2
    PATH = 4

def sorted_names(
    names: Iterable[str],
    key: Optional[Callable[[Any], Any]] = None,
    order: Union[Order, int] = 0,
) -> List[str]:
    """
    >>> sorted_names(["pear", "Fig", "apple"])
    ['Fig', 'apple', 'pear']
    >>> sorted_names(["b-2", "b10", "a1"])
    ['a1', 'b-2', 'b10']
    """
    return sorted(names, key=key)

def in_sort_order(seq: Iterable[Any], reverse: bool = False) -> List[Any]:
    return sorted(seq, reverse=reverse)

def sort_lines(text: str, separator: str) -> str:
    return separator.join(sorted(text.split(separator)))

def resort_to(city: Any) -> str:
    return city.title()

def sort_words(text, separator):
    return separator.join(sorted(text.split(separator)))

def other(text: str) -> str:
    """
    >>> sorted_names([b"pear", b"fig"])
    [b'fig', b'pear']
    """
    return text
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE})
    facts, context = context_of(root, "m.py")
    return replace(facts, domains=context.domains), context


def acts_of(project, subject: str) -> list[str]:
    facts, context = project
    return [trial.act for trial in initial_trials(facts, context) if trial.subject == subject]


@pytest.mark.parametrize(
    ("source", "items", "idle"),
    [
        pytest.param("lambda x: True", (), True, id="one answer for everything"),
        pytest.param("lambda x: x", (), True, id="the item itself"),
        pytest.param("len", ("num3", "num5"), True, id="texts of equal length"),
        pytest.param("len", ("kiwi", "fig"), False, id="texts of different lengths"),
        pytest.param("str.lower", ("B", "a"), False, id="texts without regard to case"),
        pytest.param("len", (1, 2), False, id="items without a length"),
        pytest.param("lambda text: text[-1]", ({"a": 1}, {"a": 2}), False, id="dictionaries without a last item"),
        pytest.param("lambda x: x % 3", ("50%", "10%"), False, id="texts that are broken templates"),
        pytest.param("round", (float("inf"), 2.0), False, id="numbers that are not finite"),
    ],
)
def test_a_key_is_idle_that_answers_the_same_for_all_items(source, items, idle):
    assert is_idle_key(parse_expression(source), items) is idle


def test_a_key_that_leaves_the_order_of_what_is_sorted_is_idle():
    assert is_idle_key(parse_expression("len"), ("fig", "kiwi"), sorts=True)


@pytest.mark.parametrize(
    ("key", "count"), [("lambda x: None", 1), ("len", 0), ("lambda text: text[-1]", 0), ("bool", 1)]
)
def test_an_idle_key_counts_as_an_argument_outside_its_domain(project, key, count):
    trial = Trial("sorted_names", f"sorted_names(['pear', 'Fig', 'apple'], key={key})")
    assert count_outside(trial, project[0]) == count


def test_keys_of_texts_are_functions_of_texts(project):
    acts = acts_of(project, "sorted_names")
    assert "sorted_names(['pear', 'Fig', 'apple'], key=len)" in acts
    assert not any("True)" in act or "None)" in act for act in acts)


def test_each_option_is_tried_with_further_documented_items(project):
    acts = acts_of(project, "sorted_names")
    for member in ("CASE", "SIGN", "PATH"):
        assert f"sorted_names(['b-2', 'b10', 'a1'], order=Order.{member})" in acts


def test_what_the_documentation_of_another_function_passes_comes_after_the_own_examples(project):
    known = project[1].values.known["sorted_names", "names"]
    assert [one.source for one in known][-1] == "[b'pear', b'fig']"


def test_what_is_sorted_is_a_list_out_of_order_and_no_text(project):
    acts = acts_of(project, "in_sort_order")
    assert acts
    assert not any(act.startswith(("in_sort_order('", 'in_sort_order("')) for act in acts)


@pytest.mark.parametrize(
    "subject",
    [
        pytest.param("sort_lines", id="texts by their annotations"),
        pytest.param("sort_words", id="texts by their names"),
        pytest.param("resort_to", id="a name that only holds the letters"),
    ],
)
def test_texts_stay_texts_where_no_items_are_put_in_order(project, subject):
    acts = acts_of(project, subject)
    assert acts
    assert not any("'file10'" in act for act in acts)


def test_the_content_of_a_folder_is_no_example():
    assert not is_reproducible("os.listdir()")


def test_items_of_several_kinds_are_joined_whatever_their_order():
    one, other = parse_expression("['a', 1]"), parse_expression("[2.5, b'a']")
    kinds = [
        {member.kind for member in domain.element.alternatives} if domain.element else set()
        for domain in (domain_of_values([one, other], lambda _: None), domain_of_values([other, one], lambda _: None))
    ]
    assert kinds == [{"text", "real", "bytes"}] * 2
