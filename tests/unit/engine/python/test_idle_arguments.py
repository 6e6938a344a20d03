"""An argument without effect: the same call without it had the same outcome (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.selection.idle_arguments import (
    idle_records,
    without_idle_constructions,
    without_idle_options,
    without_links,
)
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned
from testwright.utils.python_source import normalized


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


def test_an_option_of_an_object_counts_in_a_sequence_too() -> None:
    plain = record(1, "box.total()", returned("1"), arrange=("box = Box(3)",))
    idle = record(2, "box.total()", returned("1"), arrange=("box = Box(3, strict=True)",), source="sequence")
    used = [
        record(3, "box.total()", returned("2"), arrange=("box = Box(3)", "box.add(4)")),
        record(4, "box.total()", returned("2"), arrange=("box = Box(3, strict=True)", "box.add(4)"), source="sequence"),
    ]

    assert idle_records([plain, idle, *used]) == {2, 4}


@pytest.mark.parametrize("look", ["repr(box)", "box.get_total()", "box.check('lid')", "box.add()"])
def test_a_look_at_an_object_before_the_call_is_idle_whichever_way_the_call_takes_after_it(look: str) -> None:
    plain = record(1, "repr(box)", returned("5"), (1, 2), arrange=("box = Box(5)",))
    after = record(2, "repr(box)", returned("5"), (1, 3), arrange=("box = Box(5)", look))
    shown = replace(after, number=3, trial=replace(after.trial, wanted="5"))

    assert idle_records([plain, after]) == {2}
    assert idle_records([plain, shown]) == frozenset()


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        pytest.param("box.add(4)", "5", id="what_fills_the_object"),
        pytest.param("box.size = 4", "5", id="an_assignment"),
        pytest.param("box.check('lid')", "False", id="what_may_have_changed_an_object_that_then_tells_little"),
    ],
)
def test_a_step_stays_that_gives_the_object_what_the_answer_is_about(step: str, answer: str) -> None:
    plain = record(1, "box.at(0)", returned(answer), (1, 2), arrange=("box = Box(5)",))
    after = record(2, "box.at(0)", returned(answer), (1, 3), arrange=("box = Box(5)", step))

    assert idle_records([plain, after]) == frozenset()


def test_a_link_of_a_chain_without_which_the_same_comes_is_idle() -> None:
    plain = record(1, "Url('').text", returned("''"))
    removed = record(2, "Url('').remove(['one']).text", returned("''"))
    added = record(3, "Url('').add('one').text", returned("'?one'"))
    called = record(4, "Url('').remove(['one']).to_text()", returned("''"))

    alike = [replace(one, trial=replace(one.trial, subject="Url.text")) for one in (plain, removed, added, called)]
    assert idle_records(alike) == {2}


@pytest.mark.parametrize(
    ("act", "shorter"),
    [
        ("(a + b).c().d()", ("(a + b).d()",)),
        ("(3).conjugate().real", ("(3).real",)),
        ("a.b().c().d", ("a.b().d", "a.c().d")),
        ("Url.parse('a').text", ()),
        ("urls.Url('a').text", ()),
        ("Url.parse('a').lower().text", ("Url.parse('a').text",)),
    ],
)
def test_a_chain_without_a_link_keeps_its_brackets_and_the_class_that_makes_its_object(
    act: str, shorter: tuple[str, ...]
) -> None:
    assert tuple(map(normalized, without_links(act))) == tuple(map(normalized, shorter))


def test_a_call_without_an_option_that_nothing_needs_takes_the_place_and_the_mutants_of_the_one_with_it() -> None:
    plain = record(1, "box.total()", returned("1"), arrange=("box = Box(3)",))
    one = record(2, "box.total()", returned("1"), arrange=("box = Box(3, strict=True)",))
    both = record(3, "box.total()", returned("1"), arrange=("box = Box(3, strict=True, quiet=True)",))

    left, kills = without_idle_options([plain, one, both], {1: frozenset({4}), 3: frozenset({5, 6})})

    assert [found.number for found in left] == [1]
    assert kills == {1: {4, 5, 6}}


def test_a_call_with_an_option_that_another_call_needs_stays() -> None:
    plain, other = record(1, "cut('hello')", returned("'hello'")), record(2, "cut('hi')", returned("'hi'"))
    boundary = record(3, "cut('hello', width=5)", returned("'hello'"))
    needed = record(4, "cut('hi', width=1)", returned("'h'"))
    kills = {3: frozenset({4})}

    assert without_idle_options([plain, other, boundary, needed], kills) == ([plain, other, boundary, needed], kills)


def test_a_call_with_an_idle_option_stays_where_a_person_wrote_it_or_another_way_is_taken() -> None:
    plain = record(1, "tidy('a')", returned("'a'"), (1, 2))
    written = record(2, "tidy('a', path=False)", returned("'a'"), (1, 2), source="document")
    other_way = record(3, "tidy('a', deep=True)", returned("'a'"), (1, 3))

    assert without_idle_options([plain, written, other_way], {})[0] == [plain, written, other_way]


def test_what_shows_a_result_is_idle_where_the_call_raises() -> None:
    refused = [record(1, "url.join('#')", raised("ValueError")), record(2, "repr(url.join('#'))", raised("ValueError"))]
    shown = [record(3, "url.join('a')", returned("Url('a')")), record(4, "repr(url.join('a'))", returned("'Url(a)'"))]
    records = [replace(one, trial=replace(one.trial, subject="Url.join")) for one in (*refused, *shown)]

    assert idle_records(records) == {2}


@pytest.mark.feature("B-16")
def test_a_part_of_a_new_object_that_an_argument_does_not_change_is_asked_for_without_it() -> None:
    def read(number: int, act: str, value: str, source: str = "call_site"):
        found = record(number, act, returned(value), (1, number), source=source)
        return replace(found, trial=replace(found.trial, subject="Plan"))

    records = [
        read(1, "Plan('* 5').parts[0]", "[1, 2]"),
        read(2, "Plan('* 5', datetime.datetime(2024, 7, 11)).parts[0]", "[1, 2]"),
        read(3, "Plan('* 5', most=15).parts[0]", "[1, 2]"),
        read(4, "Plan('* 5', most=1).parts[0]", "[1]"),
        read(5, "Plan('* 5', most=15).next()", "3"),
        read(6, "Plan('* 5').next()", "3"),
    ]

    left, kills = without_idle_constructions(records, {2: frozenset({7}), 4: frozenset({8})})

    assert [one.number for one in left] == [1, 4, 5, 6]
    assert kills == {1: frozenset({7}), 4: frozenset({8})}
    documented = replace(records[1], trial=replace(records[1].trial, wanted="[1, 2]"))
    assert without_idle_constructions([records[0], documented], {})[0] == [records[0], documented]
