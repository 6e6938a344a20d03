"""Arguments of another type than the annotation's are told from those that fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.model.model import Arc, ModuleFacts, Observation, Raised, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.select_trials import select_trials
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = """
import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

@dataclass
class Line:
    article: str
    price: int = 1

    def raised(self, by: float) -> float:
        return self.price * by

    def __contains__(self, letter: str) -> bool:
        return letter in self.article

def add_tax(net: int, percent: Decimal) -> int:
    if net is None:
        raise ValueError("no amount")
    return net

def day(placed: datetime.date, working_days: int | None = None): ...

def several(lines: list[Line], key: Callable[[Line], int], names: Iterable[str], path: Path, *rest: int): ...

def anything(value, other: "object", known: Unknown): ...

def median(data, is_sorted=False): ...

def cut(begin, end=None): ...

def waited(delay=datetime.timedelta(0)): ...

class Span:
    def __init__(self, start=0, end=0):
        self.start, self.end = start, end

class Limits:
    def __init__(self, low, high=0):
        self.low, self.high = low, high

def window(min_size: int, max_size: int):
    return [] if min_size > max_size else [min_size, max_size]

def stepped(start, end, step=1): ...

def told(line):
    return line.raised(2)
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory) -> ModuleFacts:
    return facts_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE}), "m.py")


@pytest.mark.parametrize(
    ("act", "arrange", "count"),
    [
        ("add_tax(1000, Decimal('19'))", (), 0),
        ("stepped(12, 3)", (), 0),
        ("add_tax(Decimal('19'), 1000)", (), 2),
        ("add_tax(-5, percent=1)", (), 1),
        ("day(datetime.date(2024, 5, 3), None)", (), 0),
        ("day(5, 0)", (), 1),
        ("line.price", ("line = Line('x', 3.5)",), 1),
        ("line.raised(2)", ("line = Line('x')",), 0),
        ("line.raised('2')", ("line = Line('x')",), 1),
        ("line.raised('2')", ("line = made()",), 0),
        ("several([Line('x')], lambda one: 1, ['a'], tmp_path / 'a.txt', 1, 2)", (), 0),
        ("several([Line('x')], len, iter('ab'), Path('a'))", (), 0),
        ("several([1], 1, [2], 'a.txt', 'b')", (), 5),
        ("several(*lines)", ("lines = 1",), 0),
        ("1 in line", ("line = Line('x')",), 1),
        ("Line('x') not in line", ("line = Line('x')",), 1),
        ("'x' in line", ("line = Line('x')",), 0),
        ("anything(1, 'a', None)", (), 0),
        ("median([2, 1, 3], is_sorted=True)", (), 1),
        ("median([1, 2, 3], is_sorted=True)", (), 0),
        ("add_tax(net, Decimal('1'))", ("net = 'a'",), 1),
        ("cut(1, 6)", (), 0),
        ("waited(datetime.timedelta(hours=1))", (), 0),
        ("waited(1)", (), 1),
        ("Span(1, 3)", (), 0),
        ("Span()", (), 0),
        ("Span(1)", (), 1),
        ("Span(end=3)", (), 0),
        ("told([Span(1, 3), Span(8, 10)])", (), 0),  # each call has a range of its own
        ("told([Span(1, 3), Span(8)])", (), 1),
        ("Limits(5)", (), 0),  # 0 may stand for no limit
        ("cut(6, end=1)", (), 1),
        ("window(9, 2)", (), 0),  # the code looks at it
    ],
)
def test_arguments_are_held_against_the_annotations(facts, act, arrange, count):
    trial = Trial("add_tax", act, arrange=arrange, fixtures=("tmp_path",))

    assert count_outside(trial, facts) == count


def record(
    number: int, act: str, *arcs: Arc, error: str = "", line: int = 0, fixtures: tuple[str, ...] = ()
) -> TrialRecord:
    value = Observation("returned", value=Value("int", source="1"))
    raised = Observation("raised", raised=Raised(error, "no", line))
    trial = Trial(act.partition("(")[0], act, fixtures=fixtures)
    return TrialRecord(number, trial, ObservedTrial(raised if error else value), frozenset(arcs), frozenset(arcs))


def test_an_argument_that_fits_is_chosen_though_it_is_longer(facts):
    misfit = record(0, "add_tax(1, 1)", (1, 2))
    fit = record(1, "add_tax(1000, Decimal('19'))", (1, 2))

    assert [trial.number for trial in select_trials([misfit, fit], facts, frozenset())] == [1]


def test_a_misfit_is_chosen_only_where_the_code_itself_refuses_it(facts):
    line = facts.functions[0].raises[0].line
    fit = record(0, "add_tax(1000, Decimal('19'))", (1, 2))
    further = record(1, "day(5, 0)", (1, 2), (8, 9))
    refused = record(2, "add_tax(None, 1)", (1, 2), error="ValueError", line=line)
    accident = record(3, "add_tax('a', 1)", (1, 2), error="OverflowError", line=line + 1)

    picked = select_trials([fit, further, refused, accident], facts, frozenset())

    assert {one.number for one in picked} == {0, 2}


def test_what_the_working_folder_holds_is_no_behaviour(facts):
    here = record(0, "anything(Path('x'))", (1, 2), error="FileNotFoundError", line=3)
    folder = record(1, "anything(tmp_path)", (1, 2), (2, 3), error="IsADirectoryError", line=3, fixtures=("tmp_path",))
    own = record(2, "anything(tmp_path / 'x')", (1, 2), error="FileNotFoundError", line=3, fixtures=("tmp_path",))
    usual = record(3, "anything(made())", (1, 2))

    assert [trial.number for trial in select_trials([here, folder, own, usual], facts, frozenset())] == [3, 2]


@pytest.mark.parametrize(
    ("act", "count"),
    [("opened('https://example.com')", 0), ("opened({'a': 1})", 1), ("opened(3)", 1), ("keyed(3)", 0)],
)
def test_a_number_or_a_collection_is_no_address_by_its_name(tmp_path, act, count):
    source = "def opened(base_url):\n    return repr(base_url)\n\n\ndef keyed(key):\n    return repr(key)\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    facts = replace(facts, domains=infer_domains(facts, source=source))

    assert count_outside(Trial("opened", act), facts) == count


def test_an_empty_tuple_as_default_takes_whatever_is_iterated(tmp_path):
    source = "def queued(items=(), size=3):\n    return list(items)[:size]\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    facts = replace(facts, domains=infer_domains(facts, source=source))

    assert [count_outside(Trial("queued", act), facts) for act in ("queued([1, 2])", "queued('ab')", "queued(7)")] == [
        0,
        0,
        1,
    ]


def test_a_number_is_no_object_of_the_class_that_a_parameter_is_called_after(tmp_path):
    facts, context = context_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")
    known = replace(facts, domains=context.domains)

    assert count_outside(Trial("told", "told(7)"), known) == 1
    assert count_outside(Trial("told", "told(Line('apple'))"), known) == 0


def test_a_negative_number_is_outside_where_a_constructor_counts_and_inside_where_a_quantity_has_a_sign(tmp_path):
    source = """
class Chunks:
    def __init__(self, width_of_one=1, step=1, least=0, gain=1, minimum=1, offset=1):
        self.width_of_one = width_of_one

class Checked:
    def __init__(self, rounds=3):
        if rounds < 0:
            raise ValueError(rounds)
"""
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    facts = replace(facts, domains=infer_domains(facts, source=source))
    acts = {
        "Chunks(width_of_one=-1)": 1,
        "Chunks(width_of_one=2)": 0,
        "Chunks(step=-1)": 0,
        "Chunks(least=-1)": 0,
        "Chunks(gain=-2)": 0,
        "Chunks(minimum=-1)": 0,
        "Chunks(offset=-1)": 0,
        "Checked(rounds=-1)": 0,
    }

    assert {act: count_outside(Trial(act.partition("(")[0], act), facts) for act in acts} == acts
