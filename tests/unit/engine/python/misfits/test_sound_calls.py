"""What a name alone suggests puts no call out that the code, or another reading of the name, allows (B-16)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.misfits.unfit import is_unfit
from testwright.engine.python.model.model import ModuleFacts, Trial
from testwright.tests.support.engine.python_projects import context_of, facts_of, first_trials, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
from collections import OrderedDict
from datetime import date
from typing import Sequence


class Bad(Exception):
    pass


class Tokens:
    def __init__(self):
        self.found = []

    def add(self, token):
        self.found.append(token)
        return len(self.found)


class Base:
    def __init__(self, path, level=1):
        self.path, self.level = path, level


class Logged(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def __call__(self, value):
        return value


class Check:
    def __init__(self, first=None, *rest, size=1):
        self.size = size

    def __call__(self, value):
        return value


class Every:
    def __init__(self, *checks, msg=None):
        self.checks = checks

    def __call__(self, value):
        return value


def step(x, v, dt):
    return x + v * dt


def advanced(state, dt):
    return solve(state, dt)


def running(stream):
    return [one * 2 for one in stream]


def fetch(url, stream=False):
    return url if stream else url.upper()


def parse(text, dict_cls=OrderedDict):
    return dict_cls(text)


def check(x, error_cls=Bad):
    if not x:
        raise error_cls(x)
    return x


def read(text: str, skip_rows: int | list[int] = 0):
    return text, skip_rows


def head(text, max_rows):
    return cut(text, max_rows)


def merged(left, right):
    return [one if one is not None else other for one, other in zip(left, right)]


def same(first: Sequence, second: Sequence):
    """Whether two sequences hold the same, whatever their types."""
    return list(first) == list(second)


def tuple_of_ints(values):
    return tuple(int(value) for value in values)


def calendar_of(day):
    return "julian" if day < date(1582, 10, 15) else "gregorian"


def age(born, today):
    """The age.

    >>> age(date(1815, 12, 10), date(1852, 11, 27))
    36
    """
    return today.year - born.year
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("sound"), {"m.py": SOURCE})


@pytest.fixture(scope="module")
def facts(project: Path) -> ModuleFacts:
    found = facts_of(project, "m.py")
    return replace(found, domains=infer_domains(found, source=SOURCE))


@pytest.mark.parametrize(
    ("subject", "act", "arrange"),
    [
        ("step", "step(1.0, 2.0, 0.5)", ()),
        ("advanced", "advanced([1.0], 0.5)", ()),
        ("running", "running([1, 2, 3])", ()),
        ("fetch", "fetch('a', stream=True)", ()),
        ("Tokens.add", "tokens.add('red')", ("tokens = Tokens()",)),
        ("parse", "parse('a', dict_cls=dict)", ()),
        ("check", "check(0, error_cls=ValueError)", ()),
        ("read", "read('a', 1)", ()),
        ("head", "head('a', 3)", ()),
        ("Logged.__call__", "logged(1)", ("logged = Logged(path='/tmp')",)),
        ("Logged.__call__", "logged(1)", ("logged = Logged()",)),
        ("Check.__call__", "check(2)", ("check = Check(size=3)",)),
        ("Every.__call__", "every(3) + a", ("every = Every(str)", "a = Every()")),
        ("merged", "merged([1, None], [3, 4])", ()),
        ("same", "same([1, 2], (1, 2))", ()),
        ("tuple_of_ints", "tuple_of_ints(['1', '2'])", ()),
        ("calendar_of", "calendar_of(date(1582, 10, 14))", ()),
        ("age", "age(date(1990, 1, 1), date(1852, 11, 27))", ()),
    ],
)
def test_a_sound_call_stays(subject: str, act: str, arrange: tuple[str, ...], facts: ModuleFacts) -> None:
    assert not is_unfit(Trial(subject, act, arrange=arrange, source="constant"), facts)


def test_a_function_of_the_project_that_is_called_date_makes_no_moment(tmp_path: Path) -> None:
    source = "def date(day, month, year):\n    return f'{year}-{month}-{day}'\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert not is_unfit(Trial("date", "date(3, 5, 2024)"), facts)


def test_a_year_is_seen_however_it_is_passed(tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": "def weekday(day):\n    return day.weekday()\n"}), "m.py")
    trial = Trial("weekday", "weekday(datetime.date(year=1, month=2, day=3))", imports=("import datetime",))

    assert is_unfit(trial, facts)


@pytest.mark.parametrize(
    "subject",
    ["step", "advanced", "running", "fetch", "Tokens.add", "parse", "check", "read", "head", "merged", "same"],
)
def test_most_first_calls_of_a_sound_callable_stay(subject: str, project: Path) -> None:
    facts, context = context_of(project, "m.py")
    facts = replace(facts, domains=context.domains)
    trials = first_trials(subject, facts, context)

    assert trials
    assert 2 * sum(is_unfit(trial, facts) for trial in trials) < len(trials)
