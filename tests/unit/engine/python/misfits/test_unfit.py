"""What no person passes is in no test, whatever came of it (B-16)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.misfits.foreign_texts import passes_foreign_text
from testwright.engine.python.misfits.unfit import is_unfit
from testwright.engine.python.model.model import ModuleFacts, Observation, Raised, Trial
from testwright.engine.python.selection.candidates import rank_candidates
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project
from testwright.tests.unit.engine.python.test_select_trials import record

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
from datetime import datetime


class Pointer:
    pass


class Scheduler:
    def __init__(self, start: datetime):
        self.start = start


class Patch:
    def __init__(self, patch, pointer_cls=Pointer):
        self.patch, self.pointer_cls = patch, pointer_cls


class In:
    def __init__(self, container: list, msg: str = ""):
        self.container = container

    def __call__(self, value):
        if value not in self.container:
            raise ValueError(value)
        return value


class Every:
    def __init__(self, *checks, msg=None):
        self.checks = checks

    def __call__(self, value):
        for check in self.checks:
            value = check(value)
        return value


class Zone:
    def tzname(self, dt):
        return "UTC"


UTC = Zone()


def is_before(x, y):
    for here, there in zip(x, y):
        if here != there:
            return here < there
    raise RuntimeError


def drop_from_tuple(t, i):
    return t[:i] + t[i + 1 :]


def lines_of(file_obj):
    return split(file_obj)


def chosen(items, container):
    return [item for item in items if item in container]


def all_of(*items):
    return items
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ModuleFacts:
    project = write_project(tmp_path_factory.mktemp("unfit"), {"m.py": SOURCE})
    found = facts_of(project, "m.py")
    return replace(found, domains=infer_domains(found, source=SOURCE))


@pytest.mark.parametrize(
    ("subject", "act", "arrange"),
    [
        ("is_before", "is_before((), [5, 9])", ()),
        ("is_before", "is_before(['a', 1], [5, 9])", ()),
        ("is_before", "is_before('', [5, 9])", ()),
        ("drop_from_tuple", "drop_from_tuple([3, 1, 8], 2)", ()),
        ("lines_of", "lines_of([1, 2, 3])", ()),
        ("lines_of", "lines_of(file)", ("file = 'abc'",)),
        ("chosen", "chosen([3, 1], 3)", ()),
        ("chosen", "chosen([3, 1], 'abc')", ()),
        ("chosen", "chosen(3, [3, 1])", ()),
        ("Patch", "Patch([1], pointer_cls=int)", ()),
        ("Patch", "Patch([1], pointer_cls=lambda x: x)", ()),
        ("Patch", "Patch([1], 'kitten')", ()),
        ("Zone.tzname", "zone.tzname(1)", ("zone = Zone()",)),
        ("Zone.tzname", "UTC.tzname(1)", ()),
        ("Every.__call__", "every(1)", ("every = Every()",)),
        ("Every.__call__", "every(1)", ("every = Every(msg='no')",)),
        ("In.__call__", "a_in(1)", ("a_in = In(3, msg='no')",)),
        ("Scheduler", "Scheduler(datetime(1, 4, 6))", ()),
        ("Scheduler", "Scheduler(datetime(400, 2, 1))", ()),
    ],
)
def test_it_is_out(subject: str, act: str, arrange: tuple[str, ...], facts: ModuleFacts) -> None:
    assert is_unfit(Trial(subject, act, arrange=arrange, source="mutation"), facts)


@pytest.mark.parametrize(
    ("subject", "act", "arrange"),
    [
        ("is_before", "is_before([5], [5, 9])", ()),
        ("is_before", "is_before((), (5, 9))", ()),
        ("is_before", "is_before('abc', 'abd')", ()),
        ("is_before", "is_before(word, 'abd')", ()),
        ("is_before", "is_before([], [5, 9])", ()),
        ("drop_from_tuple", "drop_from_tuple((3, 1, 8), 2)", ()),
        ("lines_of", "lines_of(io.StringIO('a'))", ()),
        ("chosen", "chosen('abc', ['a'])", ()),
        ("all_of", "all_of(1, 2)", ()),
        ("Patch", "Patch([1])", ()),
        ("Patch", "Patch([1], pointer_cls=Pointer)", ()),
        ("Patch", "Patch([1], pointer_cls=OtherPointer)", ()),
        ("Zone.tzname", "zone.tzname(datetime(2024, 5, 3))", ("zone = Zone()",)),
        ("Zone.tzname", "zone.tzname(None)", ("zone = Zone()",)),
        ("Zone.tzname", "UTC.tzname(datetime(2024, 5, 3))", ()),
        ("Every.__call__", "every(1)", ("every = Every(str, msg='no')",)),
        ("In.__call__", "a_in(1)", ("a_in = In([3], msg='no')",)),
        ("Scheduler", "Scheduler(datetime(1999, 12, 31))", ()),
    ],
)
def test_what_persons_pass_stays(subject: str, act: str, arrange: tuple[str, ...], facts: ModuleFacts) -> None:
    assert not is_unfit(Trial(subject, act, arrange=arrange, source="mutation"), facts)


def test_what_a_document_shows_stays_whatever_it_passes(facts: ModuleFacts) -> None:
    trial = Trial("drop_from_tuple", "drop_from_tuple([3, 1], 0)", source="doctest", wanted="[1]")

    assert not is_unfit(trial, facts)


@pytest.mark.parametrize("source", ["doctest", "document", "existing_test", "call_site"])
def test_what_a_person_passes_stays_though_nothing_is_shown_of_it(source: str, facts: ModuleFacts) -> None:
    assert not is_unfit(Trial("drop_from_tuple", "drop_from_tuple([3, 1], 0)", source=source), facts)


def test_a_value_of_a_call_shows_nothing_of_an_object_of_nothing(facts: ModuleFacts) -> None:
    assert is_unfit(Trial("Every.__call__", "every(1)", arrange=("every = Every()",), source="call_site"), facts)


def test_nothing_that_is_unfit_is_a_candidate(facts: ModuleFacts) -> None:
    line = next(one for one in facts.functions if one.name == "is_before").raises[0].line
    refused = Observation("raised", raised=Raised("RuntimeError", "", line))
    mixed = record(0, "is_before((), [5, 9])", refused, (1, 2))
    alike = record(1, "is_before([5], [5, 9])", refused, (1, 2))

    assert [one.record.number for one in rank_candidates([mixed, alike], facts)] == [1]


SCHEDULES = '''
class Schedule:
    """A schedule.

    >>> Schedule("0 0 * * *")
    """

    def __init__(self, expression):
        self.fields = expression.split()
'''


@pytest.mark.parametrize(
    ("text", "source", "foreign"),
    [
        ("1 + 2 * 3", "domain", True),
        ("*/5 * * * *", "domain", False),
        ("hello world", "domain", False),
        ("1011", "domain", False),
        ("1 + 2 * 3", "call_site", False),
    ],
)
def test_a_text_of_another_format_is_no_example_beside_those_of_persons(
    text: str, source: str, foreign: bool, tmp_path: Path
) -> None:
    facts, context = context_of(write_project(tmp_path, {"m.py": SCHEDULES}), "m.py")
    facts = replace(facts, domains=context.domains)
    trial = Trial("Schedule", f"Schedule({text!r})", source=source)

    assert passes_foreign_text(trial, facts, frozenset({"*/5 * * * *"})) is foreign


@pytest.mark.parametrize(
    ("act", "unfit"),
    [
        ("shelf[None]", True),
        ("shelf[None] = 3", True),
        ("del shelf[None]", True),
        ("shelf.__getitem__(None)", True),
        ("shelf['a']", False),
        ("shelf['a'] = None", False),
        ("shelf.find(None)", False),
    ],
)
def test_nobody_asks_for_the_item_none_but_documents_may(act: str, unfit: bool) -> None:
    facts = ModuleFacts("m.py", "m", ".", "")
    assert is_unfit(Trial("Shelf.__getitem__", act), facts) is unfit
    assert not is_unfit(Trial("Shelf.__getitem__", act, wanted="raises:KeyError"), facts)


def test_what_several_objects_keep_notes_in_is_made_by_nobody_but_the_code_that_calls_them(tmp_path: Path) -> None:
    source = """
class Average:
    def take(self, value, notes):
        if self not in notes:
            notes[self] = [0, 0]
        notes[self][0] += value
        return notes[self]

    def put(self, notes, name):
        notes[name] = 1
        return notes

    def label(self, labels):
        return labels[self]
"""
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    taking = Trial("Average.take", "average.take(3, {'a': 1})", arrange=("average = Average()",))

    assert is_unfit(taking, facts)
    assert not is_unfit(replace(taking, wanted="[3, 1]"), facts)
    assert not is_unfit(replace(taking, subject="Average.label", act="average.label({'a': 1})"), facts)
    assert not is_unfit(replace(taking, subject="Average.put", act="average.put({'a': 1}, 'b')"), facts)
