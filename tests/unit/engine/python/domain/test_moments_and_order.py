"""Moments, signs, verbs of documents and other methods of a class say what a parameter takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.model.model import Trial
from testwright.engine.python.usage.harvest import texts_of_objects
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-06")

_MOMENTS = '''
from datetime import timedelta, tzinfo

ZERO = timedelta(0)


class Zone(tzinfo):
    """A zone of a fixed offset.

    Args:
        offset (datetime.timedelta): how far it is from Greenwich.
    """

    def __init__(self, offset=3):
        self.offset = offset

    def tzname(self, dt):
        return "zone" if self.dst(dt) else ""

    def dst(self, dt):
        return dt is not None and dt.replace(tzinfo=None) > dt.tzinfo


def later(moment, by=ZERO):
    return moment.replace(day=1) + by


def unquoted(val):
    return val[1:-1] if val[0] in ("'", '"') and val[0] == val[-1] else val


def lines(stmt):
    """Split a string at its line breaks."""
    return str(stmt).split("\\n")


def nearest(distances, done):
    return min(at for at in range(len(distances)) if distances[at] and not done[at])


def shared(first, second):
    return [one for at, one in enumerate(first) if at < len(second) and second[at] == first[at]]


class Queue:
    def put(self, place: int, item): ...
    def take(self, place: int): ...
    def peek(self, place): ...
    def add(self, item: str): ...
    def __lt__(self, other):
        return self.size < other.size


class Stack:
    def __init__(self):
        self.size = 0
'''


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        pytest.param("Zone.offset", "duration", id="dotted_type_in_docstring"),
        pytest.param("Zone.dst.dt", "datetime", id="its_time_zone_is_read"),
        pytest.param("Zone.tzname.dt", "datetime", id="passed_on_to_a_method"),
        pytest.param("later.moment", "date", id="its_day_is_replaced"),
        pytest.param("later.by", "duration", id="named_constant_as_default"),
        pytest.param("unquoted.val", "text", id="its_first_sign_is_one_of_several"),
        pytest.param("lines.stmt", "text", id="object_of_the_verb"),
        pytest.param("Queue.peek.place", "integer", id="as_in_other_methods"),
        pytest.param("Queue.put.item", "any", id="known_in_one_other_method_only"),
    ],
)
def test_what_a_value_is_shows_in_moments_signs_verbs_and_other_methods(
    tmp_path: Path, parameter: str, kind: str
) -> None:
    _, context = context_of(write_project(tmp_path, {"zones.py": _MOMENTS}), "zones.py")
    known = {one.qualname: one for one in context.domains}
    qualname, _, name = parameter.rpartition(".")

    assert known[qualname].of(name).kind == kind


def test_an_object_is_put_in_order_beside_another_of_its_class(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"zones.py": _MOMENTS}), "zones.py")
    known = {one.qualname: one for one in context.domains}

    assert known["Queue.__lt__"].of("other").type_name == "Queue"


def test_lists_that_are_read_at_the_same_places_are_of_one_length_unless_they_are_measured(tmp_path: Path) -> None:
    facts, context = context_of(write_project(tmp_path, {"zones.py": _MOMENTS}), "zones.py")
    known = {one.qualname: one for one in context.domains}
    told = replace(facts, domains=context.domains)

    assert known["nearest"].of("done").related("same length as") == "distances"
    assert known["shared"].of("second").related("same length as") == ""
    assert count_outside(Trial("nearest", "nearest([3, 1, 8], [True, False])"), told) == 1
    assert count_outside(Trial("nearest", "nearest([3, 1, 8], [True, False, False])"), told) == 0


_ZONES = """
from datetime import datetime, timedelta, timezone, tzinfo


class RuledZone(tzinfo):
    def __init__(self, hours, title, winter, summer):
        self.hours, self.title, self.winter, self.summer = hours, title, winter, summer

    def tzname(self, dt):
        return self.summer if self.dst(dt) else self.winter

    def dst(self, dt):
        if dt.tzinfo is None or dt.year < 1967:
            return timedelta(0)
        return timedelta(hours=3 < dt.month < 11)


class FixedZone(tzinfo):
    def utcoffset(self, dt):
        return timedelta(hours=1)


East = RuledZone(-5, "Eastern", "EST", "EDT")
Central = RuledZone(-6, "Middle", "CST", "CDT")
West = RuledZone(-8, "Pacific", "PST", "PDT")


def seconds_of(dt):
    return (dt - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() if dt.tzinfo else dt.second
"""


@pytest.fixture(scope="module")
def zones(tmp_path_factory):
    return context_of(write_project(tmp_path_factory.mktemp("zones"), {"m.py": _ZONES}), "m.py")


def _given(zones, subject: str, at: int = 0) -> list[str]:
    facts, context = zones
    one = next(one for one in facts.callables() if one.qualname == subject)
    return [item.source for item in context.values.for_parameter(one, one.parameters[at])]


def test_a_zone_is_asked_about_its_own_moments_in_both_halves_of_a_year_and_where_its_rules_change(zones):
    given = _given(zones, "RuledZone.tzname")
    assert given[:3] == [
        f"datetime.datetime({numbers}, tzinfo=ruled_zone)"
        for numbers in ("2024, 7, 4, 12, 0", "2024, 1, 15, 12, 0", "1967, 7, 4, 12, 0")
    ]
    assert all("tzinfo=" in source for source in given)


def test_months_that_a_zone_looks_up_in_a_list_are_no_years(tmp_path):
    source = _ZONES.replace("3 < dt.month < 11", "dt.month in [4, 5, 6, 7]")
    given = _given(context_of(write_project(tmp_path, {"m.py": source}), "m.py"), "RuledZone.dst")
    assert "datetime.datetime(1967, 7, 4, 12, 0, tzinfo=ruled_zone)" in given


def test_a_moment_without_a_zone_is_tried_where_the_code_asks_for_the_zone(zones):
    given = _given(zones, "RuledZone.dst")
    assert "tzinfo=ruled_zone" in given[0]
    assert "datetime.datetime(2024, 5, 3, 10, 30)" in given


def test_what_asks_for_a_zone_is_given_one_that_is_not_that_of_greenwich(zones):
    ahead = "datetime.timezone(datetime.timedelta(hours=2))"
    assert f"datetime.datetime(2024, 7, 4, 12, 0, tzinfo={ahead})" in _given(zones, "seconds_of")[:2]


def test_a_zone_that_asks_for_no_zone_takes_plain_moments(zones):
    assert not any("=fixed_zone" in source for source in _given(zones, "FixedZone.utcoffset"))


def test_an_object_is_built_from_the_words_of_the_projects_own_objects(zones):
    assert _given(zones, "RuledZone", at=2) == ["'EST'", "'CST'", "'PST'"]
    assert texts_of_objects([], zones[0]) == {
        "RuledZone": ("Eastern", "EST", "EDT", "Middle", "CST", "CDT", "Pacific", "PST", "PDT")
    }
