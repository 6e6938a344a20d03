"""A number that made no difference yet is tried with others, so that a test can show what it is for (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Parameter
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.influence_trials import (
    Control,
    Distinction,
    control_trials,
    influence_trials,
    option_trials,
)
from testwright.engine.python.selection.candidates import rank_candidates
from testwright.engine.python.selection.select_trials import MOST_PER_CALLABLE, select_trials
from testwright.engine.python.selection.state import Selection, take_options
from testwright.tests.unit.engine.python.test_select_trials import FACTS, record, returned

pytestmark = pytest.mark.feature("B-16")


def test_an_argument_whose_value_changed_nothing_is_tried_with_counts_percentages_and_shares() -> None:
    tried = influence_trials(
        [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1, 2], 4)", returned("3"))]
    )
    acts = {trial.act for _, place, trials in tried for trial in trials if place == "1"}
    assert {"first([1, 2], 50)", "first([1, 2], 1000)"} <= acts
    shares = influence_trials([record(0, "first([1, 2], 0.1)", returned("3"))])
    assert "first([1, 2], 0.5)" in {trial.act for _, _, trials in shares for trial in trials}


def test_a_number_that_decided_about_a_result_is_not_tried_again() -> None:
    rows = [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1, 2], 4)", returned("2"))]
    assert influence_trials(rows) == []


def test_two_calls_that_differ_in_more_than_the_number_say_nothing_about_it() -> None:
    rows = [record(0, "first([1, 2], 6)", returned("3")), record(1, "first([1], 4)", returned("2"))]
    assert {place for _, place, _ in influence_trials(rows)} == {"1"}


@pytest.mark.parametrize("tells", [False, True])
def test_a_call_that_shows_what_a_number_is_for_becomes_a_test(tells: bool) -> None:
    rows = [
        record(0, "first([1, 2, 3], 6)", returned("2"), (1, 2), source="domain"),
        record(1, "first([4, 7, 5], 6)", returned("5.5"), (1, 2), source="domain"),
        record(2, "first([1, 2, 3], 50)", returned("3.5"), (1, 2), source="domain"),
    ]
    if tells:
        rows[2].notes[Distinction] = "1"
    kills = {0: frozenset({1}), 1: frozenset({2}), 2: frozenset({1, 2})}

    assert (2 in {one.number for one in select_trials(rows, FACTS, frozenset(), kills)}) is tells


PADDED = b"def padded(text, width, fill=' ', *, left=False, _cache=None): ..."
OPTIONS = facts_from_source(PADDED, ModulePlace("m.py", "m", "."))


def test_the_plainest_call_on_which_an_option_has_an_effect_and_documented_ones_are_marked_by_its_name() -> None:
    usual = record(0, "padded('hi', 5)", returned("'hi   '"))
    documented = record(1, "padded('hi', 5, fill='*')", returned("'hi***'"), source="doctest")
    plainest = record(2, "padded('hi', 5, '-')", returned("'hi---'"))
    further = record(3, "padded('hi', 5, fill='kitten')", returned("'hikittenkittenkitten'"))
    idle = record(4, "padded('hi', 5, left=False)", returned("'hi   '"))
    rows = [usual, documented, plainest, further, idle]
    option_trials(rows, OPTIONS)

    assert [one.notes.get(Distinction) for one in rows] == [None, "option fill", None, None, None]
    assert documented.notes[Control] == usual.number
    option_trials([usual, plainest, further, idle], OPTIONS)
    assert [one.notes.get(Distinction) for one in rows[2:]] == ["option fill", None, None]


def test_a_call_that_shows_an_option_stands_beside_the_call_without_it() -> None:
    anchor = record(0, "first([5, 1])", returned("6"), (1, 2), source="domain")
    usual = record(1, "first([4, 7])", returned("5.5"), (1, 2), source="domain")
    rows = [anchor, usual, record(2, "first([4, 7], lowest=True)", returned("4"), (1, 2), source="domain")]
    rows[2].notes.update({Distinction: "option lowest", Control: 1})
    kills = {0: frozenset({1}), 2: frozenset({2})}

    assert {one.number for one in select_trials(rows, FACTS, frozenset(), kills)} == {0, 1, 2}


def test_an_option_that_changed_nothing_is_tried_on_the_plainest_calls() -> None:
    wide = record(0, "padded('a longer text', 5)", returned("'a longer text'"))
    usual = record(1, "padded('hi', 5)", returned("'hi   '"))
    idle = record(2, "padded('a longer text', 5, fill='*')", returned("'a longer text'"))
    proposed = option_trials([wide, usual, idle], OPTIONS)

    assert [(base.number, name, [trial.act for trial in trials]) for base, name, trials in proposed] == [
        (1, "option fill", ["padded('hi', 5, fill='*')"]),
        (0, "option fill", ["padded('a longer text', 5, fill='*')"]),
        (1, "option left", ["padded('hi', 5, left=True)"]),
        (0, "option left", ["padded('a longer text', 5, left=True)"]),
        (2, "option left", ["padded('a longer text', 5, fill='*', left=True)"]),
    ]


def test_a_call_without_the_option_that_stands_already_takes_no_place_of_another_row() -> None:
    rows = [record(0, "first([5, 1])", returned("6"), (1, 2), source="domain")]
    for at in range(1, MOST_PER_CALLABLE):
        rows.append(record(at, f"first([5, 1], option_{at}=True)", returned(str(at + 50)), (1, 2), source="domain"))
        rows[-1].notes.update({Distinction: f"option option_{at}", Control: 0})

    assert len(select_trials(rows, FACTS, frozenset(), {0: frozenset({1})})) == MOST_PER_CALLABLE


MEASURED = facts_from_source(
    b"from typing import Literal\n\n\n"
    b"def measured(text, codes: Literal['parse', 'ignore'] = 'parse', *, wide=False): ...",
    ModulePlace("m.py", "m", "."),
)


def test_an_option_that_no_call_passes_is_tried_with_its_other_choices_and_truth_values_on_each_written_call() -> None:
    domains = infer_domains(MEASURED, None, {})
    written = [record(at, f"measured('hi{at}')", returned(f"'a{at}'"), source="doctest") for at in range(5)]
    plain = record(9, "measured('bye')", returned("9"))
    proposed = option_trials([*written, plain], replace(MEASURED, domains=domains))

    acts = {
        name: [trial.act for _, of, trials in proposed if of == name for trial in trials] for _, name, _ in proposed
    }
    assert acts == {
        "option codes": [f"measured('hi{at}', codes='ignore')" for at in range(5)],
        "option wide": [f"measured('hi{at}', wide=True)" for at in range(5)],
    }


def test_a_default_that_is_a_type_is_tried_with_another_type_that_can_do_the_same() -> None:
    facts = facts_from_source(b"def collected(items, factory=dict, **kwargs): ...", ModulePlace("m.py", "m", "."))
    usual = record(0, "collected([1])", returned("{1: 1}"), source="doctest")
    usual = replace(usual, trial=replace(usual.trial, subject="collected"))
    more = {"collected": (Parameter("parts", "keyword_only", None, "list"),)}

    proposed = {name: trials for _, name, trials in option_trials([usual], facts, more)}

    (made,) = proposed["option factory"]
    assert made.act == "collected([1], factory=OrderedDict)"
    assert "from collections import OrderedDict" in made.imports
    assert [trial.act for trial in proposed["option parts"]] == ["collected([1], parts=tuple)"]


def test_a_written_call_with_options_is_compared_with_the_same_call_without_each() -> None:
    written = record(0, "padded('hi', 5, fill='*', left=True)", returned("'***hi'"), source="document")
    found = record(1, "padded('hi', 5, fill='-')", returned("'hi---'"), source="mutation")

    proposed = control_trials([written, found], OPTIONS, {})

    assert [trial.act for trial in proposed] == ["padded('hi', 5, left=True)", "padded('hi', 5, fill='*')"]


def test_an_option_that_keyword_arguments_take_is_left_out_of_a_call_and_not_passed_twice() -> None:
    facts = facts_from_source(b"def merge(items, **kwargs): ...", ModulePlace("m.py", "m", "."))
    written = record(0, "merge([(1, 2)], factory=list)", returned("[1]"), source="doctest")
    written = replace(written, trial=replace(written.trial, subject="merge"))
    more = {"merge": (Parameter("factory", "keyword_only", None, "dict"),)}

    assert [trial.act for trial in control_trials([written], facts, more)] == ["merge([(1, 2)])"]
    assert option_trials([written], facts, more) == []


def test_each_option_has_a_test_before_rows_that_run_more_take_its_place() -> None:
    most = MOST_PER_CALLABLE
    rows = [record(0, "first([5, 1])", returned("6"), (1, 2), source="domain")]
    rows += [record(at, f"first([5, {at}])", returned(str(at)), (1, at), source="domain") for at in range(2, most + 6)]
    rows.append(record(99, "first([5, 1], lowest=True)", returned("1"), (1, 2), source="domain"))
    rows[-1].notes.update({Distinction: "option lowest", Control: 0})
    kills = {one.number: frozenset({2 * one.number, 2 * one.number + 1}) for one in rows[:-1]}

    assert 99 in {one.number for one in select_trials(rows, FACTS, frozenset(), kills)}


@pytest.mark.parametrize(("fill", "chosen"), [("3", True), ("'right'", True), ("'apple'", False)])
def test_an_option_is_not_shown_by_a_word_that_nobody_passes(fill: str, chosen: bool) -> None:
    rows = [record(0, "first([5, 1])", returned("6"), (1, 2), source="doctest")]
    rows.append(record(1, "first([5, 2], fill='right')", returned("6"), (1, 2), source="document"))
    rows.append(record(99, f"first([5, 1], lowest={fill})", returned("1"), (1, 2), source="domain"))
    rows[-1].notes.update({Distinction: "option lowest", Control: 0})
    selection = Selection({(1, 2)})
    take_options(rank_candidates(rows, FACTS, {}, alike=4), selection)

    assert (99 in selection.chosen) is chosen


def test_a_word_that_nobody_passes_to_an_option_shows_nothing_of_it() -> None:
    usual = record(0, "padded('hi', 5)", returned("'hi   '"), source="doctest")
    word = record(1, "padded('hi', 5, fill='apple')", returned("'hiappleappleapple'"), source="domain")
    option_trials([usual, word], OPTIONS)

    assert Distinction not in word.notes


CHOOSING = facts_from_source(
    b"def first(items, *, at='low', label=''):\n    return items[0] if at == 'low' else items[-1]\n",
    ModulePlace("m.py", "m", "."),
)


@pytest.mark.parametrize("source", ["mutation", "call_site"])
@pytest.mark.parametrize(("option", "misfits"), [("at='apple'", 1), ("at='low'", 0), ("label='apple'", 0)])
def test_a_word_is_out_of_place_where_the_code_compares_an_option_with_others(
    option: str, misfits: int, source: str
) -> None:
    facts = replace(CHOOSING, domains=infer_domains(CHOOSING, None, {}))
    rows = [record(0, f"first([5, 1], {option})", returned("1"), (1, 2), source=source)]

    assert [one.misfits for one in rank_candidates(rows, facts, {})] == [misfits]


def test_an_option_is_tried_with_the_words_that_the_code_tells_apart() -> None:
    source = "def padded(text, side='left'):\n    return text if side == 'left' else text if side == 'both' else ''\n"
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    usual = record(0, "padded('hi')", returned("'hi'"), source="doctest")
    usual = replace(usual, trial=replace(usual.trial, subject="padded"))
    proposed = option_trials([usual], replace(facts, domains=infer_domains(facts, source=source)))

    assert [trial.act for _, _, trials in proposed for trial in trials] == ["padded('hi', side='both')"]


def test_an_option_is_tried_first_on_the_object_with_the_least_set_up() -> None:
    one = record(0, "box.padded('hi', 5)", returned("'hi   '"))
    rows = [
        replace(one, trial=replace(one.trial, subject="padded", arrange=("box = Box()", "box.fill(3)"))),
        replace(one, number=1, trial=replace(one.trial, subject="padded", arrange=("box = Box(3)",))),
    ]
    idle = record(2, "padded('a longer text', 5, fill='*')", returned("'a longer text'"))

    assert [base.number for base, name, _ in option_trials([*rows, idle], OPTIONS) if name == "option fill"] == [1, 0]
