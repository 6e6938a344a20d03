"""Parameters that take values of two kinds, members of enumerations, and classes that documentation names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.model.domain import ParameterDomain
from testwright.engine.python.model.model import Trial
from testwright.tests.support.engine.python_projects import context_of, write_project

SOURCE = '''
from .sides import Side


class Stretch:
    """A stretch of a road, from one kilometre to another."""

    def __init__(self, start, end, side):
        self.start = start
        self.end = end
        self.side = side

    @property
    def beginning(self):
        return self.start

    @classmethod
    def made(cls, start, end, side):
        if end - start > 1 and side == Side.LEFT:
            return cls(start, end, side)
        return cls(end, start, side)

    def before(self, other):
        if isinstance(other, Stretch):
            if self.side == other.side:
                return self.end <= other.beginning
            return self.end < other.beginning
        return self.end < other

    def moved(self, start=None, end=None):
        if callable(start):
            if end is None:
                start = self.start
            else:
                start = start(self.start)
        else:
            start = self.start if start is None else start
        return Stretch.made(start, self.end, self.side)

    def touches(self, mate):
        """Tell whether two stretches meet.

        :param mate: a stretch.
        """
        return self.end == mate

    def resized(self, size, strict=True):
        """Make it longer.

        :param size: (a function of) the new size.
        :param strict: refuse sizes if functions are given.
        """
        return size


def joined(*stretches):
    """Join stretches.

    :param stretches: zero, one or more stretchs.
    """
    return stretches


def label(name):
    if isinstance(name, Stretch):
        name = str(name.beginning)
    return name.strip().lower()
'''
SIDES = "import enum\n\n\nclass Side(enum.Enum):\n    LEFT = 1\n    RIGHT = 2\n"


@pytest.fixture(scope="module")
def domains(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParameterDomain]:
    files = {"road/__init__.py": "", "road/stretches.py": SOURCE, "road/sides.py": SIDES}
    root: Path = write_project(tmp_path_factory.mktemp("project"), files)
    _, context = context_of(root, "road/stretches.py")
    return {f"{one.qualname}.{name}": domain for one in context.domains for name, domain in one.parameters}


@pytest.mark.parametrize(
    ("parameter", "kind", "type_name"),
    [
        pytest.param("Stretch.before.other", "object", "Stretch", id="more is done with an object of the class"),
        pytest.param("label.name", "text", "", id="an object is turned into what the parameter is for"),
        pytest.param("Stretch.touches.mate", "object", "Stretch", id="a docstring names the class by its noun"),
        pytest.param("joined.stretches", "object", "Stretch", id="each of several arguments"),
        pytest.param("Stretch.resized.strict", "boolean", "", id="a sentence behind 'if' is about something else"),
    ],
)
def test_a_parameter_is_what_most_of_the_code_takes_it_for(domains, parameter, kind, type_name):
    assert (domains[parameter].kind, domains[parameter].type_name) == (kind, type_name)


@pytest.mark.parametrize("parameter", ["Stretch.start", "Stretch.made.start", "Stretch.moved.start", "Stretch.end"])
def test_what_is_compared_or_called_in_another_branch_does_not_make_a_value_an_object_or_a_function(domains, parameter):
    assert domains[parameter].kind not in ("object", "callable")


def test_a_parameter_that_is_compared_with_a_member_of_an_enumeration_is_one(domains):
    assert domains["Stretch.made.side"].choices == ("Side.LEFT", "Side.RIGHT")


def test_a_size_that_may_be_given_by_a_function_is_no_function(domains):
    assert domains["Stretch.resized.size"].kind != "callable"


def test_a_list_is_no_member_of_an_enumeration(tmp_path: Path) -> None:
    files = {"road/__init__.py": "", "road/stretches.py": SOURCE, "road/sides.py": SIDES}
    root = write_project(tmp_path, files)
    facts, context = context_of(root, "road/stretches.py")
    facts = replace(facts, domains=context.domains)
    trials = [
        Trial(subject="Stretch.made", act=f"Stretch.made(1, 4, {side})", source="signature")
        for side in ("Side.LEFT", "[1, 2]", "'left'")
    ]
    assert [count_outside(trial, facts) for trial in trials] == [0, 1, 1]


EQUAL = """
class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        if isinstance(other, Money):
            return self.amount == other.amount
        else:
            return self.amount == other


class Coin:
    def __init__(self, worth):
        self.worth = worth


def doubled(money):
    if isinstance(money, Money):
        return money.amount * 2
    if isinstance(money, Coin):
        return money.worth * 2
    return money * 2


def sum_of(money, rest):
    assert isinstance(money, Money)
    return Money(money.amount + rest)


def spent(rest):
    left = Money(rest)
    return sum_of(left, 1)
"""


def test_a_value_that_is_asked_for_its_class_says_nothing_of_the_other_objects_of_the_class(tmp_path: Path) -> None:
    root = write_project(tmp_path, {"bank/__init__.py": "", "bank/money.py": EQUAL})
    _, context = context_of(root, "bank/money.py")
    found = {f"{one.qualname}.{name}": domain for one in context.domains for name, domain in one.parameters}
    assert (found["sum_of.money"].kind, found["sum_of.money"].type_name) == ("object", "Money")
    assert found["spent.rest"].kind != "object"


def test_a_long_row_of_tests_of_types_is_read_as_plain_branches(tmp_path: Path) -> None:
    rows = "".join(f"    if isinstance(value, Kind):\n        return value.at{number}\n" for number in range(1200))
    source = f"class Kind:\n    pass\n\n\ndef part(value):\n{rows}    return value\n"
    root = write_project(tmp_path, {"kinds/__init__.py": "", "kinds/parts.py": source})
    _, context = context_of(root, "kinds/parts.py")
    assert context.domains


def test_isinstance_without_arguments_is_read_like_any_call(tmp_path: Path) -> None:
    source = "def part(value):\n    if isinstance():\n        return 1\n    else:\n        return value\n"
    root = write_project(tmp_path, {"kinds/__init__.py": "", "kinds/parts.py": source})
    _, context = context_of(root, "kinds/parts.py")
    assert context.domains[0].qualname == "part"


@pytest.mark.parametrize(("read", "count"), [("links.get(node, [])", 0), ("links[node]", 1)])
def test_a_node_without_edges_may_be_missing_where_the_code_looks_it_up_with_a_default(tmp_path, read, count):
    source = (
        "def reached(links, start):\n    seen, todo = [], [start]\n    while todo:\n        node = todo.pop()\n"
        f"        seen.append(node)\n        for other in {read}:\n            if other not in seen:\n"
        "                todo.append(other)\n    return seen\n"
    )
    root = write_project(tmp_path, {"m.py": source})
    facts, context = context_of(root, "m.py")
    facts = replace(facts, domains=context.domains)
    trial = Trial(subject="reached", act="reached({'a': ['b']}, 'a')", source="signature")
    assert count_outside(trial, facts) == count
