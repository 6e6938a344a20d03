"""A row of a table stays where it alone shows something: a way, an ending, a mutant, another kind of answer.

A test stays where nothing speaks against it, or where it alone shows a callable and little speaks against it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import (
    Arc,
    CallableFacts,
    ClassFacts,
    ModuleFacts,
    Observation,
    Raised,
    RaiseSite,
    Trial,
    Value,
)
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.influence_trials import distinction_of, mark_influence
from testwright.engine.python.search.simplified_trials import origin_of_variant
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.representative import Representation
from testwright.engine.python.selection.select_trials import select_trials
from testwright.engine.python.selection.trivial import is_rich, is_unmistakable
from testwright.utils.python_source import literal_value

pytestmark = pytest.mark.feature("B-18")

PARSE = CallableFacts("parse", "function", (1, 9), raises=(RaiseSite("ValueError", 5),))
FACTS = ModuleFacts("m.py", "m", ".", "", functions=(PARSE,))
WAY = ((1, 2),)


def record(number: int, act: str, answer: str, *arcs: Arc, **more: str) -> TrialRecord:
    seen = Observation("returned", value=Value("object", source=answer))
    if answer == "ValueError":
        seen = Observation("raised", raised=Raised("ValueError", f"no: {act}", 5))
    ways = frozenset(arcs or WAY)
    return TrialRecord(number, Trial("parse", act, **more), ObservedTrial(seen), ways, ways)  # pyrefly: ignore[bad-argument-type]


def chosen(*records: TrialRecord, kills: dict[int, set[int]] | None = None) -> list[str]:
    """The acts that become tests; every record notices mutant 0 and, by its number, those of `kills`."""
    found = {one.number: frozenset({0, *(kills or {}).get(one.number, ())}) for one in records}
    return [one.trial.act for one in select_trials(records, FACTS, frozenset(), found)]


def test_two_lists_of_other_lengths_are_one_row() -> None:
    short = record(0, "parse([7, 9])", "[14, 18]")
    long = record(1, "parse([7, 9, 4])", "[14, 18, 8]")

    assert chosen(short, long) == ["parse([7, 9, 4])"]
    assert chosen(short) == ["parse([7, 9])"]


def test_a_positive_number_beside_another_one_is_no_row() -> None:
    assert chosen(record(0, "parse(7)", "21"), record(1, "parse(9)", "27")) == ["parse(7)"]


def test_a_row_that_alone_notices_a_mutant_or_takes_a_way_stays() -> None:
    rows = [record(0, "parse(7)", "21"), record(1, "parse(9)", "27")]
    way = record(1, "parse(9)", "27", *WAY, (2, 3))

    assert chosen(*rows, kills={1: {4}, 0: {5}}) == ["parse(7)", "parse(9)"]
    assert set(chosen(rows[0], way, kills={0: {5}})) == {"parse(7)", "parse(9)"}


def test_both_truth_values_are_shown() -> None:
    yes, no = record(0, "parse('apple')", "True"), record(1, "parse('pear')", "False")

    assert set(chosen(yes, no)) == {"parse('apple')", "parse('pear')"}


def test_an_answer_of_one_may_be_a_constant_and_gets_a_second_row_or_gives_way_to_a_richer_one() -> None:
    one, two, five = (record(at, f"parse({at + 7})", answer) for at, answer in enumerate(("1", "2", "5")))

    assert chosen(one, two) == ["parse(7)", "parse(8)"]
    assert chosen(one, two, five) == ["parse(9)"]


def test_a_plain_row_does_not_give_way_to_fragments_of_text() -> None:
    plain = record(0, "parse('apple')", "'Apple pie'")
    odd = record(1, "parse('appl}x<')", "'Appl}x< pie'", source="mutation")

    assert "parse('apple')" in chosen(plain, odd, kills={1: {4, 5, 6}})


def test_documented_rows_stay() -> None:
    rows = [
        record(at, f"parse({at + 7})", f"{3 * at + 21}", source="doctest", wanted=f"{3 * at + 21}") for at in range(3)
    ]

    assert len(chosen(*rows)) == len(rows)


def test_two_refusals_by_one_raise_statement_are_one_row() -> None:
    usual = record(0, "parse(7)", "21")
    refused = [record(at, f"parse({-at})", "ValueError", *WAY, (4, 5)) for at in (1, 2, 3)]

    assert len(chosen(usual, *refused, kills={0: {5}})) == 2


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param([1, 6], True, id="list"),
        pytest.param("apple", True, id="text"),
        pytest.param(-4.5, True, id="number"),
        pytest.param(1, False, id="one"),
        pytest.param("x", False, id="letter"),
        pytest.param(True, False, id="truth_value"),
        pytest.param({}, False, id="empty"),
        pytest.param(None, False, id="none"),
    ],
)
def test_no_constant_is_meant_by_a_list_a_text_or_a_number_above_one(answer: object, expected: bool) -> None:
    assert is_unmistakable(answer) is expected


@pytest.mark.parametrize(("answer", "rich"), [("...", False), ("2", False), ("-7", True), ("'seven'", True)])
def test_an_answer_is_rich_by_its_size_only_where_it_is_a_number(answer: str, rich: bool) -> None:
    row = Representation(0, False, "parse(__hole__)", (), None, literal_value(answer))
    assert is_rich(row) is rich


def test_a_callable_that_always_gives_one_answer_has_one_row() -> None:
    rows = [record(at, f"parse([{at + 7}, {at}])", "1") for at in range(4)]

    assert len(chosen(*rows)) == 1
    assert len(chosen(*rows, kills={1: {4}})) == 1


def test_a_row_with_the_answer_of_another_one_goes_where_it_tells_no_trivial_implementation_either() -> None:
    rows = [record(0, "parse('apple', 'pear')", "True"), record(1, "parse('banana', 'kiwi')", "True")]
    other = record(2, "parse('apple', 3)", "False", *WAY, (2, 3))

    assert len(chosen(*rows, other, kills={2: {4}})) == 2


def test_what_comes_back_as_it_was_given_takes_the_place_of_no_row_that_shows_something() -> None:
    shown = record(0, "parse('<p>Hello</p>')", "'Hello'")
    back, empty = record(1, "parse('plain')", "'plain'"), record(2, "parse('<br>')", "''")

    found = chosen(shown, back, empty, kills={1: {1, 3}, 2: {2, 4}})

    assert found == ["parse('<p>Hello</p>')", "parse('<br>')", "parse('plain')"]


def test_a_plainer_form_of_what_was_made_on_purpose_is_not_found_at_random() -> None:
    plain = record(0, "parse([7, 9])", "[14, 18]", (1, 2), source="domain")
    plainer = record(1, "parse([7, 9], 'x')", "[14]", (1, 3), source="plainer")

    assert chosen(plain, plainer) == ["parse([7, 9])", "parse([7, 9], 'x')"]
    trial = Trial("parse", "parse(7)")
    kinds = ("domain", "doctest", "sequence", "mutation", "havoc", "simplified")
    variants = [origin_of_variant(replace(trial, source=kind)) for kind in kinds]
    assert variants == ["plainer", "plainer", "sequence", "simplified", "simplified", "simplified"]


def test_a_test_that_is_refused_takes_the_place_of_no_other_one() -> None:
    by_hand = record(0, "parse.__get__(7)", "[14, 18]", (1, 2), source="domain")
    found = record(1, "parse('kitten', 3)", "[14]", (1, 3), source="simplified")

    assert chosen(by_hand, found) == ["parse('kitten', 3)"]


def test_what_only_the_search_found_does_not_stay_beside_a_plain_test_unless_it_alone_notices_several_mutants() -> None:
    plain = record(0, "parse([7, 9])", "[14, 18]", (1, 2), source="domain")
    found = record(1, "parse([7, 9], 'x')", "[14]", (1, 3), source="simplified")

    assert chosen(plain, found) == ["parse([7, 9])"]
    assert chosen(found) == ["parse([7, 9], 'x')"]
    assert chosen(plain, found, kills={1: {1, 2, 3}}) == ["parse([7, 9])", "parse([7, 9], 'x')"]


def test_a_row_that_the_search_found_stays_in_the_table_of_a_plain_one_where_it_takes_a_way_of_its_own() -> None:
    plain = record(0, "parse([7, 9])", "[14, 18]", (1, 2), source="domain")
    found = record(1, "parse([9, 7])", "[0]", (1, 3), source="simplified")

    assert chosen(plain, found) == ["parse([7, 9])", "parse([9, 7])"]


def test_several_signs_speak_against_a_test_whatever_it_takes_unless_it_alone_shows_its_callable() -> None:
    plain = record(0, "parse([7, 9])", "[14, 18]", (1, 2), source="domain")
    empty = record(1, "parse([], 0)", "[3]", (1, 3), source="simplified")
    odd = record(2, "repr(parse('a@'))", "'{a@}'", (1, 4), source="simplified")

    assert chosen(plain, empty, odd, kills={1: {1, 2, 3}, 2: {4, 5, 6}}) == ["parse([7, 9])"]
    assert chosen(odd) == ["repr(parse('a@'))"]
    assert chosen(empty) == []
    documented = record(1, "parse([])", "[3]", (1, 3), source="doctest", wanted="[3]")
    assert set(chosen(plain, documented)) == {"parse([7, 9])", "parse([])"}


@pytest.mark.parametrize(
    ("act", "stays"),
    [
        ("parse.__get__(7)", False),
        ("parse.__format__('d')", False),
        ("parse.__setitem__(7, 8)", True),  # written as a statement
        ("parse.__html__()", True),  # there is no other way to call it
        ("parse('a.__get__(')", True),
    ],
)
def test_no_special_method_is_called_by_hand_that_python_calls_itself(act: str, stays: bool) -> None:
    assert (chosen(record(0, act, "[14, 18]", source="domain")) == [act]) is stays


def test_empty_values_alone_make_no_test_but_where_a_predicate_says_no_to_them() -> None:
    assert chosen(record(0, "parse([])", "[3]", source="domain")) == []
    answers = [record(0, "parse([7, 9], 1)", "True", (1, 2), source="domain"), record(1, "parse([])", "False", (1, 3))]
    assert set(chosen(*answers)) == {"parse([7, 9], 1)", "parse([])"}


def test_zero_is_a_row_beside_another_number() -> None:
    seven, zero = record(0, "parse(7)", "'7 B'", (1, 2), source="domain"), record(1, "parse(0)", "'none'", (1, 3))
    assert set(chosen(seven, zero)) == {"parse(7)", "parse(0)"}
    assert chosen(zero) == []


def test_places_that_come_back_in_their_order_show_less_than_others() -> None:
    tied = record(0, "parse(['num3', 'num5'], 4)", "[0, 1]")
    sorted_ = record(1, "parse(['num5', 'num3', 'num4'])", "[1, 2, 0]")

    assert chosen(tied, sorted_) == ["parse(['num5', 'num3', 'num4'])"]


@pytest.mark.parametrize("answer", ["re.compile('[0-9]+')", repr("".join(map(chr, range(0x660, 0x6A0))))])
def test_the_text_of_a_pattern_is_no_test(answer: str) -> None:
    assert chosen(record(0, "parse(7)", answer)) == []


def test_a_list_whose_order_runs_change_gives_way_to_one_that_has_an_order() -> None:
    ordered = record(0, "parse(['pear', 'apple'])", "['apple', 'pear']")
    seen = ObservedTrial(Observation("returned", value=Value("list", source="['x', 'y', 'z']", unordered=True)))
    open_order = replace(record(1, "parse({'x': 'y', 'z': 'y'})", "[]"), seen=seen)

    assert chosen(ordered, open_order) == ["parse(['pear', 'apple'])"]
    assert chosen(open_order) == ["parse({'x': 'y', 'z': 'y'})"]


def test_no_is_said_of_what_has_content_rather_than_of_nothing() -> None:
    holds, misses, empty = (
        record(at, f"parse({given}, 4)", answer, (1, at))
        for at, (given, answer) in enumerate((("[4, 7]", "True"), ("[5, 9]", "False"), ("[]", "False")))
    )

    assert set(chosen(holds, misses, empty)) == {"parse([4, 7], 4)", "parse([5, 9], 4)"}


def test_a_table_of_zeros_shows_less_than_one_with_figures() -> None:
    zeros = record(0, "parse(['a', 'b'])", "{'depth': 0.0, 'width': 0.0}")
    figures = record(1, "parse(['apple', 'pear'])", "{'depth': 2.0, 'width': 1.5}")

    assert chosen(zeros, figures) == ["parse(['apple', 'pear'])"]


def test_numbers_that_were_sorted_are_no_places_and_a_sentence_in_another_script_is_no_pattern() -> None:
    assert chosen(record(0, "parse([2, 0, 1])", "[0, 1, 2]")) == ["parse([2, 0, 1])"]
    assert chosen(record(0, "parse([5, 10], 4)", "[0.0, 1.0]")) == ["parse([5, 10], 4)"]
    sentence = repr("Съешь же ещё этих мягких французских булок, да выпей чаю. " * 2)
    assert chosen(record(0, "parse('bulki')", sentence)) == ["parse('bulki')"]


LOAD = CallableFacts("load", "function", (20, 29))
BOTH = ModuleFacts("m.py", "m", ".", "", functions=(PARSE, LOAD))


def either(number: int, subject: str, act: str, error: str = "") -> TrialRecord:
    """A call of one of the two, which returns a list where it raises no error."""
    seen = Observation("returned", value=Value("list", source="[14, 18]"))
    if error:
        seen = Observation("raised", raised=Raised(error, "no", 5))
    ways = frozenset({*WAY, *({(20, 21)} if subject == "load" else ())})
    return TrialRecord(number, Trial(subject, act), ObservedTrial(seen), ways, ways)


@pytest.mark.parametrize(
    ("error", "own", "stays"),
    [
        pytest.param("m.BadText", (), False, id="own_error_of_the_parser"),
        pytest.param("m.BadText", (7,), True, id="alone_notices_a_mutant"),
        pytest.param("IndexError", (), True, id="error_of_python"),
    ],
)
def test_what_a_parser_refuses_is_shown_of_one_callable(error: str, own: tuple[int, ...], stays: bool) -> None:
    records = [
        either(0, "parse", "parse([7, 9])"),
        either(1, "parse", "parse('kitten')", error),
        either(2, "load", "load([7, 9])"),
        either(3, "load", "load('a long kitten')", error),
    ]
    kills = {0: frozenset({0}), 1: frozenset({1}), 2: frozenset({0, 2}), 3: frozenset({1, *own})}
    found = [one.trial.act for one in select_trials(records, BOTH, frozenset(), kills)]

    assert "parse('kitten')" in found
    assert ("load('a long kitten')" in found) is stays


def test_the_only_test_of_an_option_stays_though_its_text_is_odd() -> None:
    plain = record(0, "parse('apple')", "['app', 'le']")
    shown = record(1, "parse('apple', sep='(value)')", "['a', 'ple']", source="mutation")
    mark_influence(shown, distinction_of("sep"), plain)

    assert chosen(plain, shown) == ["parse('apple')", "parse('apple', sep='(value)')"]


def test_a_text_that_comes_back_as_it_was_in_a_list_is_no_example_of_splitting_it() -> None:
    whole = record(0, "parse('apple')", "['apple']")
    split = record(1, "parse('apple pie')", "['apple', 'pie']")

    assert chosen(whole, split) == ["parse('apple pie')"]


def test_what_was_made_up_takes_no_place_of_a_call_that_the_project_makes() -> None:
    real = record(0, "parse('select * from people')", "['select', '*', 'from', 'people']", source="call_site")
    made_up = record(1, "parse('abc')", "['abc']")

    assert chosen(made_up, real) == ["parse('select * from people')"]


def test_a_pattern_is_refused_though_an_option_shows_beside_it() -> None:
    usual = record(0, "parse('a+')", "re.compile('a+')")
    option = record(1, "parse('a+', 2)", "re.compile('a+', re.I)")
    mark_influence(option, distinction_of("flags"), usual)
    assert chosen(usual, option, record(2, "parse(3)", "4")) == ["parse(3)"]


def test_the_size_after_the_steps_of_another_test_that_tells_it_is_no_test_of_its_own() -> None:
    add, size = (CallableFacts(f"Shelf.{name}", "method", (1, 9), owner="Shelf") for name in ("add", "__len__"))
    shelf = ClassFacts("Shelf", "plain", (1, 20), members=(add, size))
    facts = replace(FACTS, classes=(shelf,))
    two = Value("int", source="2")
    adds = Observation("returned", value=Value("NoneType", source="None"), effects=(("len(shelf)", two),))
    made, first = "shelf = Shelf()", "shelf.add('apple')"

    def asked(number: int, trial: Trial, seen: Observation, *arcs: Arc) -> TrialRecord:
        return TrialRecord(number, trial, ObservedTrial(seen), frozenset(arcs), frozenset(arcs))

    added = asked(0, Trial("Shelf.add", "shelf.add('pear')", arrange=(made, first)), adds, (1, 2))
    counted = Trial("Shelf.__len__", "len(shelf)", arrange=(made, first, "shelf.add('fig')"))
    records = [added, asked(1, counted, Observation("returned", value=two), (3, 4))]

    def kept(kills: dict[int, frozenset[int]]) -> set[str]:
        return {one.trial.act for one in select_trials(records, facts, frozenset(), kills)}

    assert kept({0: frozenset({1}), 1: frozenset({1})}) == {"shelf.add('pear')"}
    assert kept({0: frozenset({1}), 1: frozenset({1, 2})}) == {"shelf.add('pear')", "len(shelf)"}
