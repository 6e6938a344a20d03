"""What a documented call passes together is passed together to the object that the function makes and asks."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.usage.joint_examples import joint_examples
from testwright.tests.support.engine.python_projects import context_of, first_trials, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
def resolve(doc, pointer):
    """Look up what a pointer leads to.

    >>> tree = {"a": {"b": 3}}
    >>> resolve(tree, "a/b")
    3
    """
    return Pointer(pointer).follow(doc)

def depth(pointer):
    """Count the steps of a pointer.

    >>> depth("a/b/c")
    3
    """
    return len(Pointer(pointer).steps)

class Pointer:
    def __init__(self, pointer):
        self.steps = pointer.split("/")

    def follow(self, doc):
        for step in self.steps:
            doc = doc[step]
        return doc

    def under(self, other):
        return other.steps == self.steps[: len(other.steps)]
'''


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return context_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE}), "m.py")


def first_trial(shown, subject: str) -> tuple[tuple[str, ...], str]:
    trial = first_trials(subject, *shown)[0]
    return trial.arrange, trial.act


def test_the_arguments_of_one_documented_call_are_kept_together(shown):
    facts, context = shown
    found = [{name: one.source for name, one in given.items()} for given in joint_examples(context.seeds, facts)]

    assert found == [{"doc": "{'a': {'b': 3}}", "pointer": "'a/b'"}]


def test_what_two_functions_are_given_alike_belongs_to_each():
    facts = facts_from_source(b"def cut(text, size): ...\ndef fill(line, width): ...\n", ModulePlace("m.py", "m", "."))
    seeds = [Trial("cut", "cut('apple', 3)", source="doctest"), Trial("fill", "fill('apple', 3)", source="doctest")]

    assert [list(given) for given in joint_examples(seeds, facts)] == [["text", "size"], ["line", "width"]]


def test_at_most_twelve_calls_are_remembered_though_one_example_shows_more():
    facts = facts_from_source(b"def cut(text, size): ...\n", ModulePlace("m.py", "m", "."))
    act = f"[{', '.join(f'cut(1, {size})' for size in range(40))}]"

    assert len(joint_examples([Trial("cut", act, source="doctest")], facts)) == 12


def test_an_object_is_asked_for_what_its_function_is_shown_with(shown):
    assert first_trial(shown, "Pointer.follow") == (("pointer = Pointer('a/b')",), "pointer.follow({'a': {'b': 3}})")


def test_a_method_that_no_documented_call_gives_all_it_needs_gets_other_arguments(shown):
    _, act = first_trial(shown, "Pointer.under")
    assert "{'a'" not in act
