from __future__ import annotations

import ast

import pytest

from testwright.engine.python.facts.analyse import subjects
from testwright.engine.python.model.model import Trial
from testwright.engine.python.search.initial_trials import initial_trials
from testwright.engine.python.search.trial_mutation import near_mutations
from testwright.tests.support.engine.python_projects import context_of, run_trials, write_project

pytestmark = pytest.mark.feature("B-06")

STACK = """
import contextlib

class Stack:
    def __init__(self, items=()):
        self.items = list(items)
    def push(self, item):
        self.items.append(item)
    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()
    @property
    def limit(self):
        return 3
    @limit.setter
    def limit(self, value):
        self._limit = value
    @classmethod
    def of(cls, *items):
        return cls(items)
    @staticmethod
    def name(text: str):
        return text
    async def load(self, n: int):
        return n
    def each(self):
        yield from self.items
    def __len__(self):
        return len(self.items)
    def __getitem__(self, index):
        return self.items[index]
    def __setitem__(self, index, value):
        self.items[index] = value
    def __add__(self, other):
        return Stack(self.items + other.items)
    def __contains__(self, item):
        return item in self.items
    def __eq__(self, other):
        return isinstance(other, Stack) and self.items == other.items
    def __iter__(self):
        return iter(self.items)
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return None
    def _hidden(self):
        return 1

class _Base:
    def shared(self, size: int):
        return size

class Small(_Base):
    pass

@contextlib.contextmanager
def opened(size: int):
    yield size

def area(width: float, height: float = 1.0, *, unit: str = "m"):
    if unit == "cm":
        return width * height / 100
    return width * height

def first(iterable, /, default=None):
    for item in iterable:
        return item
    return default
"""


@pytest.fixture
def module(tmp_path):
    write_project(tmp_path, {"src/shapes.py": STACK})
    facts, context = context_of(tmp_path, "src/shapes.py")
    return tmp_path, facts, list(initial_trials(facts, context))


def acts(module, subject):
    return [one.act for one in module[2] if one.subject == subject]


def test_every_subject_gets_trials(module):
    _, facts, trials = module
    assert {subject.qualname for subject in subjects(facts)} - {trial.subject for trial in trials} == {"Stack.__exit__"}


def test_trials_are_plain_code_with_imports_by_the_public_name(module):
    assert acts(module, "area")[0] == "area(2.5)"
    first = next(one for one in module[2] if one.subject == "area")
    assert first.imports == ("from shapes import area",)
    assert first.arrange == ()


def test_compared_constants_are_given_to_keyword_parameters(module):
    assert "area(2.5, unit='cm')" in acts(module, "area")


def test_methods_are_called_on_a_variable_named_after_the_class(module):
    push = next(one for one in module[2] if one.subject == "Stack.push")
    assert push.arrange == ("stack = Stack([3, 1, 8, 2])",)
    assert push.act.startswith("stack.push(")


def test_stateful_objects_are_brought_into_a_state_first(module):
    arranged = {one.arrange for one in module[2] if one.subject == "Stack.pop"}
    assert any(any("stack.push(" in text for text in arrange[1:]) for arrange in arranged)


@pytest.mark.parametrize(
    ("subject", "part"),
    [
        ("Stack.__len__", "len(stack)"),
        ("Stack.__getitem__", "stack["),
        ("Stack.__add__", "stack + Stack("),
        ("Stack.__contains__", " in stack"),
        ("Stack.__eq__", "stack == "),
        ("Stack.__iter__", "list(stack)"),
        ("Stack.of", "Stack.of("),
        ("Stack.name", "Stack.name('"),
        ("Stack.limit", "stack.limit"),
        ("Small.shared", "small.shared("),
    ],
)
def test_forms_are_those_a_person_would_write(module, subject, part):
    assert any(part in act for act in acts(module, subject))


def test_setters_are_tried(module):
    assert any(act.startswith("setattr(stack, 'limit', ") for act in acts(module, "Stack.limit"))


def test_modes_say_what_is_done_with_the_result(module):
    modes = {one.subject: one.mode for one in module[2]}
    assert (modes["Stack.load"], modes["Stack.each"], modes["opened"]) == ("await", "iterate", "enter")
    assert modes["Stack.__enter__"] == "enter"


def test_callables_take_turns(module):
    first = [one.subject for one in module[2][: len({one.subject for one in module[2]})]]
    assert len(set(first)) == len(first)


def test_no_trial_comes_twice_and_the_order_is_fixed(module, tmp_path):
    _, facts, trials = module
    keys = [(trial.act, trial.mode, trial.arrange) for trial in trials]
    assert len(set(keys)) == len(keys)
    again, context = context_of(tmp_path, "src/shapes.py")
    assert again == facts
    assert list(initial_trials(again, context)) == trials


def test_trials_parse_and_stay_small(module):
    for one in module[2]:
        ast.parse("\n".join([*one.imports, *one.arrange]))
        ast.parse(one.act, mode="eval")
        assert len(one.act) < 300


def test_nearly_all_trials_arrange(module):
    root, _, trials = module
    plain = [trial for trial in trials if trial.mode == "call" and not trial.fixtures]
    outcomes = [outcome for outcome, _ in run_trials(root, plain, "src")]
    assert outcomes.count("arrange_failed") <= len(outcomes) // 20
    assert outcomes.count("returned") > len(outcomes) // 2


def test_abstract_classes_are_built_by_their_children_across_modules(tmp_path):
    write_project(
        tmp_path,
        {
            "shop/__init__.py": "",
            "shop/base.py": """
            from abc import ABC, abstractmethod

            class Rule(ABC):
                @abstractmethod
                def price(self): ...
            """,
            "shop/rules.py": "from .base import Rule\n\nclass Half(Rule):\n    def price(self):\n        return 0.5\n",
            "shop/desk.py": "from .base import Rule\n\ndef pay(rule: Rule):\n    return rule.price()\n",
        },
    )
    facts, context = context_of(tmp_path, "shop/desk.py")
    trial = next(initial_trials(facts, context))
    assert (trial.act, trial.imports) == ("pay(Half())", ("from shop.desk import pay", "from shop.rules import Half"))


def test_module_without_subjects_gets_no_trials(tmp_path):
    write_project(tmp_path, {"m.py": "_x = 1\n"})
    facts, context = context_of(tmp_path, "m.py")
    assert list(initial_trials(facts, context)) == []


def test_members_of_a_base_are_tried_where_they_are_inherited(tmp_path):
    source = (
        "class BaseQueue:\n    def add(self, item):\n        self.last = item\n\nclass Heap(BaseQueue):\n    pass\n"
    )
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")

    found = {one.subject for one in initial_trials(facts, context)}

    assert "Heap.add" in found
    assert "BaseQueue.add" not in found


def test_data_that_a_flag_calls_sorted_is_sorted(tmp_path):
    source = "def median(data, is_sorted=False):\n    return data[0] if is_sorted else sorted(data)[0]\n"
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    trial = Trial("median", "median([3, 1, 2], is_sorted=True)", ("from m import median",))

    assert near_mutations(trial, facts, context)[0].act == "median([1, 2, 3], is_sorted=True)"
