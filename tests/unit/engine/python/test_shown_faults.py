"""What a test was made to show counts among what it notices, so that no test stands in for it by chance (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.explore.shown_faults import with_shown_faults
from testwright.engine.python.model.mutant_search import NO_KILLS, Kills
from testwright.engine.python.scenarios.scenario import mark_further_row
from testwright.engine.python.search.influence_trials import Control, Distinction
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")


def option(number: int, name: str) -> TrialRecord:
    found = record(number, f"parse('a', {name}=True)", returned("1"))
    found.notes.update({Distinction: f"option {name}", Control: 0})
    return found


def edge(number: int, shows: str) -> TrialRecord:
    found = record(number, "parse('b')", returned("2"))
    mark_further_row(found, shows)
    return found


def noticed(*records: TrialRecord) -> list[frozenset[int]]:
    """What each record notices beside mutant 7, which the first one notices."""
    plain = record(0, "parse('a')", returned("0"))
    by_record = with_shown_faults(Kills(by_record={0: frozenset({7})}), [plain, *records]).by_record
    assert by_record[0] == {7}
    return [by_record[one.number] for one in records]


def test_calls_that_show_one_option_notice_the_same() -> None:
    strict, again, deep = noticed(option(1, "strict"), option(2, "strict"), option(3, "deep"))

    assert strict == again
    assert strict.isdisjoint(deep)


def test_each_edge_is_noticed_by_its_own_row() -> None:
    first, last = noticed(edge(1, "first item"), edge(2, "last item"))

    assert len(first) == len(last) == 1
    assert first != last


def test_nothing_counts_where_no_mutant_was_tried() -> None:
    assert with_shown_faults(NO_KILLS, [edge(1, "first item")]) is NO_KILLS
