"""Which trials deserve a test (B-06)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import (
    Arc,
    CallableFacts,
    ModuleFacts,
    Observation,
    Raised,
    RaiseSite,
    Trial,
    Value,
)
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.search.trial_selection import MOST_PER_CALLABLE, select_trials

FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(
        CallableFacts("first", "function", (1, 9), raises=(RaiseSite("ValueError", 5), RaiseSite("TypeError", 6))),
        CallableFacts("second", "function", (10, 19)),
    ),
)


def record(number: int, act: str, observation: Observation, *arcs: Arc, **more: object) -> TrialRecord:
    subject = act.partition("(")[0]
    seen = ObservedTrial(observation, **{key: more.pop(key) for key in ("steps", "random") if key in more})  # type: ignore[arg-type]
    trial = Trial(subject, act, **more)  # type: ignore[arg-type]
    return TrialRecord(number, trial, seen, frozenset(arcs), frozenset(arcs))


def returned(source: str | None, **more: object) -> Observation:
    return Observation("returned", value=Value("int", source=source), **more)  # type: ignore[arg-type]


def raised(name: str, line: int) -> Observation:
    return Observation("raised", raised=Raised(name, "no", line))


def chosen(*records: TrialRecord) -> list[str]:
    return [trial.trial.act for trial in select_trials(records, FACTS, frozenset())]


def test_of_trials_that_reach_the_same_the_plainest_is_chosen() -> None:
    long = record(0, "first(1000000007, None, None)", returned("1"), (1, 2))
    short = record(1, "first(1)", returned("1"), (1, 2))
    assert chosen(long, short) == ["first(1)"]


def test_whatever_adds_an_arc_is_chosen() -> None:
    assert chosen(
        record(0, "first(1)", returned("1"), (1, 2)),
        record(1, "first(2)", returned("1"), (1, 2), (2, 3)),
        record(2, "second(1)", returned(None), (10, 11)),
    ) == ["first(2)", "second(1)"]


def test_each_kind_of_exception_is_kept() -> None:
    assert chosen(
        record(0, "first(1)", returned("1"), (1, 2), (1, 5), (1, 6)),
        record(1, "first(-1)", raised("ValueError", 5), (1, 5)),
        record(2, "first('')", raised("TypeError", 6), (1, 6)),
    ) == ["first(1)", "first(-1)", "first('')"]


def test_accidents_of_a_call_are_no_behaviour() -> None:
    assert (
        chosen(
            record(0, "first()", raised("TypeError", 0), (1, 2)),
            record(1, "first(None)", raised("AttributeError", 3), (1, 3)),
            record(2, "first(1)", raised("ModuleNotFoundError", 3), (1, 3)),
        )
        == []
    )


def test_an_operator_that_the_code_declines_is_behaviour() -> None:
    facts = replace(FACTS, functions=(replace(FACTS.functions[0], declines=(7,)), FACTS.functions[1]))
    declined = record(0, "first(1)", raised("TypeError", 0), (6, 7), (7, -1))
    accident = record(1, "second(1)", raised("TypeError", 0), (10, 11))
    assert [trial.trial.act for trial in select_trials([declined, accident], facts, frozenset())] == ["first(1)"]


def test_documented_examples_are_always_kept() -> None:
    example = record(0, "first(123456)", returned("1"), (1, 2), wanted="1\n", source="doctest")
    assert chosen(example, record(1, "first(1)", returned("1"), (1, 2))) == ["first(123456)"]


def test_an_example_that_draws_lots_or_takes_long_has_no_privilege() -> None:
    lots = record(0, "first(123456)", returned("1"), (1, 2), wanted="1\n", random=True)
    slow = record(1, "first(1234567)", returned("1"), (1, 2), wanted="1\n", steps=50_000)
    assert chosen(lots, slow, record(2, "first(1)", returned("1"), (1, 2))) == ["first(1)"]


def test_every_callable_that_can_be_pinned_gets_a_test() -> None:
    assert chosen(
        record(0, "first(1)", returned("1"), (1, 2), (10, 11)),
        record(1, "second(1)", returned("2"), (10, 11)),
    ) == ["first(1)", "second(1)"]


def test_none_without_any_effect_is_not_worth_a_test() -> None:
    assert chosen(record(0, "first(1)", returned("None"))) == []


def test_boundaries_of_comparisons_are_shown_within_a_bound() -> None:
    sides = [
        record(number, f"first({number})", returned("1", operands=((2, str(number), "3"),)), (1, 2))
        for number in range(7)
    ]
    picked = chosen(*sides)
    assert {"first(2)", "first(3)", "first(4)"} <= set(picked)
    many = [
        record(number, f"first({number})", returned(f"'{number}'", operands=((number, "1", "1"),)), (1, 2))
        for number in range(40)
    ]
    assert len(chosen(*many)) <= MOST_PER_CALLABLE + 1


def test_giving_an_imported_name_another_meaning_makes_no_test() -> None:
    confusing = record(
        0, "first(1)", returned("1"), (1, 2), arrange=("date = 1",), imports=("from datetime import date",)
    )
    assert chosen(confusing, record(1, "first(1, 2, 3, 4)", returned("1"), (1, 2))) == ["first(1, 2, 3, 4)"]


def test_standing_beside_a_boundary_shows_that_side_of_it() -> None:
    rows = [
        record(number, f"first({number})", returned("1", operands=((2, str(number), "3"),)), (1, 2))
        for number in (0, 2, 3)
    ]
    assert chosen(*rows) == ["first(2)", "first(3)"]


def test_texts_stand_before_no_boundary() -> None:
    rows = [
        record(number, f"first({text!r})", returned("1", operands=((2, repr(text), "'bb'"),)), (1, 2))
        for number, text in enumerate(("aa", "ccc", "bb"))
    ]
    assert chosen(*rows) == ["first('aa')", "first('bb')"]


def test_one_file_written_is_like_another() -> None:
    written = [
        record(
            number,
            f"first({name!r})",
            returned("1", effects=((f"(tmp_path / '{name}').read_text()", Value("str", "'a'")),)),
            (1, 2),
        )
        for number, name in enumerate(("a.txt", "b.txt"))
    ]
    assert chosen(*written) == ["first('a.txt')"]


def test_named_things_and_real_dates_read_better() -> None:
    nameless = record(0, "first('', date(2, 2, 2))", returned("1"), (1, 2))
    named = record(1, "first('Ann', date(2024, 5, 3))", returned("1"), (1, 2))
    assert chosen(nameless, named) == [named.trial.act]


@pytest.mark.feature("B-11")
def test_what_takes_ways_and_tells_them_from_mutants_makes_plain_calls_of_them_unnecessary() -> None:
    plain = record(0, "first(1)", returned("1"), (1, 2))
    telling = record(1, "first(19, 7)", returned("2"), (1, 2), (2, 3))
    further = record(2, "first(3)", returned("3"), (1, 2))
    kills = {0: frozenset({1}), 1: frozenset({1, 2, 3}), 2: frozenset({3, 4})}

    found = select_trials([plain, telling, further], FACTS, frozenset(), kills)

    assert [one.number for one in found] == [2, 1]
