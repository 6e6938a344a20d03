"""An argument without effect: the same call without it had the same outcome (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.selection.idle_arguments import idle_records
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned


@pytest.mark.feature("B-16")
def test_a_call_with_an_argument_that_changes_nothing_is_found() -> None:
    plain = record(1, "first('a')", returned("1"))
    idle = record(2, "first('a', limit=None)", returned("1"))
    telling = record(3, "first('a', limit=2)", returned("2"))
    assert idle_records([plain, idle, telling]) == {2}


def test_the_last_of_several_arguments_in_order_counts_as_well() -> None:
    assert idle_records([record(1, "first('a')", returned("1")), record(2, "first('a', 3)", returned("1"))]) == {2}


def test_other_arrangements_and_other_exceptions_are_other_outcomes() -> None:
    plain = record(1, "first('a')", returned("1"))
    arranged = record(2, "first('a', limit=None)", returned("1"), arrange=("x = 1",))
    refused = record(3, "first('a', strict=True)", raised("ValueError"))
    assert idle_records([plain, arranged, refused]) == frozenset()


def test_a_documented_example_stands_as_it_is_written() -> None:
    plain = record(1, "first('a')", returned("1"))
    assert idle_records([plain, record(2, "first('a', limit=None)", returned("1"), wanted="1")]) == frozenset()


def test_an_option_of_the_object_that_changes_nothing_counts_too() -> None:
    plain = record(1, "box.total()", returned("1"), arrange=("box = Box(3)",))
    idle = record(2, "box.total()", returned("1"), arrange=("box = Box(3, strict=True)",))
    telling = record(3, "box.total()", returned("2"), arrange=("box = Box(3, factor=2)",))
    of_another = record(4, "box.total()", returned("1"), arrange=("box = Box(3)", "other = Box(4, strict=True)"))

    assert idle_records([plain, idle, telling, of_another]) == {2}


def test_an_option_without_effect_is_found_below_what_only_shows_the_result() -> None:
    plain = [record(1, "repr(tidy('a'))", returned("'a'")), record(2, "tidy('a').to_text()", returned("'a'"))]
    idle = [
        record(3, "repr(tidy('a', path=False))", returned("'a'")),
        record(4, "tidy('a', path=False).to_text()", returned("'a'")),
    ]
    same = [replace(one, trial=replace(one.trial, subject="tidy")) for one in (*plain, *idle)]
    assert idle_records(same) == {3, 4}
