"""Which trials become tests: a representative example first, then rows that each add something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import (
    Arc,
    CallableFacts,
    ClassFacts,
    Documentation,
    ModuleFacts,
    Observation,
    Parameter,
    Raised,
    RaiseSite,
    Trial,
    Value,
)
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.influence_trials import Distinction
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.candidates import rank_candidates
from testwright.engine.python.selection.select_trials import EXAMPLES_OF_OPTION, MOST_PER_CALLABLE, select_trials

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
    seen = ObservedTrial(observation, **{key: more.pop(key) for key in ("steps", "random") if key in more})  # pyrefly: ignore[bad-argument-type]
    trial = Trial(subject, act, **more)  # pyrefly: ignore[bad-argument-type]
    return TrialRecord(number, trial, seen, frozenset(arcs), frozenset(arcs))


def returned(source: str | None, **more: object) -> Observation:
    return Observation("returned", value=Value("int", source=source), **more)  # pyrefly: ignore[bad-argument-type]


def raised(name: str, line: int = 0) -> Observation:
    return Observation("raised", raised=Raised(name, "no", line))


def chosen(*records: TrialRecord) -> list[str]:
    return [trial.trial.act for trial in select_trials(records, FACTS, frozenset())]


@pytest.mark.feature("B-06")
def test_of_trials_that_reach_the_same_the_plainest_is_chosen() -> None:
    long = record(0, "first(1000000007, 'a', 'b')", returned("2"), (1, 2))
    short = record(1, "first(1)", returned("2"), (1, 2))
    assert chosen(long, short) == ["first(1)"]


@pytest.mark.feature("B-18")
def test_the_anchor_has_arguments_that_show_something_and_a_result_that_is_not_empty() -> None:
    empty = record(0, "first([])", returned("[]"), (1, 2))
    single = record(1, "first([3])", returned("[9]"), (1, 2), (2, 3), (3, 2))
    several = record(2, "first([3, 1, 2])", returned("[9, 1, 4]"), (1, 2), (2, 3), (3, 2))
    assert chosen(empty, single, several)[0] == "first([3, 1, 2])"


@pytest.mark.feature("B-18")
def test_a_callable_that_only_returned_empty_or_unchanged_values_gets_no_test() -> None:
    assert (
        chosen(
            record(0, "first([])", returned("[]"), (1, 2)),
            record(1, "first('abc')", returned("'abc'"), (1, 2)),
            record(2, "first(7)", returned("False"), (1, 3)),
            record(3, "first(-1)", raised("ValueError", 5), (1, 5)),
        )
        == []
    )


@pytest.mark.feature("B-18")
def test_what_only_accepts_or_refuses_is_represented_by_what_it_refuses() -> None:
    accepted = record(0, "first(3)", returned("None"), (1, 2))
    refused = record(1, "first(-1)", raised("ValueError", 5), (1, 5))
    assert chosen(accepted, refused) == ["first(-1)", "first(3)"]


@pytest.mark.feature("B-18")
def test_what_gives_a_value_back_or_refuses_it_is_represented_by_what_it_refuses() -> None:
    passed = record(0, "first(3)", returned("3"), (1, 2))
    refused = record(1, "first(-1)", raised("ValueError", 5), (1, 5))
    assert set(chosen(passed, refused)) == {"first(-1)", "first(3)"}
    assert chosen(passed) == []


@pytest.mark.feature("B-18")
def test_degenerate_values_stand_beside_an_anchor_where_they_take_another_branch() -> None:
    several = record(0, "first([3, 1, 2])", returned("[9, 1, 4]"), (1, 2), (2, 3), (3, 2))
    empty = record(1, "first([])", returned("[]"), (1, 2), (2, -1))
    also_empty = record(2, "first(())", returned("[]"), (1, 2))
    assert chosen(several, empty, also_empty) == ["first([3, 1, 2])", "first([])"]


@pytest.mark.feature("B-18")
def test_a_row_of_the_anchors_form_is_preferred_to_another_form() -> None:
    anchor = record(0, "first('kitten', 'sitting')", returned("3"), (1, 2))
    row = record(1, "first('flaw', 'lawns')", returned("2"), (1, 2), (2, 4))
    form = record(2, "first(*['a', 'b'])", returned("1"), (1, 2), (2, 4))
    assert set(chosen(anchor, form, row)) == {"first('kitten', 'sitting')", "first('flaw', 'lawns')"}


@pytest.mark.feature("B-16")
def test_rows_are_added_until_no_trivial_implementation_gives_all_their_answers() -> None:
    rows = [
        record(0, "first('ab', 'cd')", returned("2"), (1, 2)),
        record(1, "first('abc', 'xbc')", returned("1"), (1, 2)),
    ]
    # `len` of an argument gives 2 for the first row, and a constant does; the second row excludes both.
    assert chosen(*rows) == ["first('ab', 'cd')", "first('abc', 'xbc')"]


def test_whatever_adds_an_arc_is_chosen() -> None:
    assert chosen(
        record(0, "first(2)", returned("1"), (1, 2)),
        record(1, "first(3)", returned("1"), (1, 2), (2, 3)),
        record(2, "second(1)", returned(None), (10, 11)),
    ) == ["first(3)"]


def test_each_exception_that_the_code_raises_is_kept() -> None:
    assert chosen(
        record(0, "first(3)", returned("1"), (1, 2), (1, 5), (1, 6)),
        record(1, "first(-1)", raised("ValueError", 5), (1, 5)),
        record(2, "first('')", raised("TypeError", 6), (1, 6)),
    ) == ["first(3)", "first(-1)", "first('')"]


@pytest.mark.feature("B-18")
def test_errors_of_a_wrong_call_are_not_pinned_unless_the_code_or_a_document_means_them() -> None:
    anchor = record(0, "first(3)", returned("1"), (1, 2))
    misuse = record(1, "first([])", raised("IndexError", 3), (1, 3))
    assert chosen(anchor, misuse) == ["first(3)"]

    documentation = Documentation(raises=(("IndexError", "if there are no items"),))
    facts = replace(FACTS, functions=(replace(FACTS.functions[0], documentation=documentation), FACTS.functions[1]))
    picked = select_trials([anchor, misuse], facts, frozenset())
    assert [one.trial.act for one in picked] == ["first(3)", "first([])"]


def test_accidents_of_a_call_are_no_behaviour() -> None:
    assert chosen(
        record(0, "first()", raised("TypeError", 0), (1, 2)),
        record(1, "first(None)", raised("AttributeError", 3), (1, 3)),
        record(2, "first(1)", raised("ModuleNotFoundError", 3), (1, 3)),
        record(3, "first(5)", returned("1"), (1, 2)),
    ) == ["first(5)"]


def test_an_operator_that_the_code_declines_is_no_behaviour() -> None:
    works = record(0, "first(2)", returned("1"), (1, 2))
    declined = record(1, "first('a')", raised("TypeError", 0), (6, 7), (7, -1))

    picked = select_trials([works, declined], FACTS, frozenset())

    assert [trial.trial.act for trial in picked] == ["first(2)"]


def test_documented_examples_are_always_kept() -> None:
    example = record(0, "first(123456)", returned("1"), (1, 2), wanted="1\n", source="doctest")
    assert chosen(example, record(1, "first(2)", returned("1"), (1, 2))) == ["first(123456)"]


def test_an_example_that_draws_lots_or_takes_long_has_no_privilege() -> None:
    lots = record(0, "first(123456)", returned("1"), (1, 2), wanted="1\n", random=True)
    slow = record(1, "first(1234567)", returned("1"), (1, 2), wanted="1\n", steps=50_000)
    assert chosen(lots, slow, record(2, "first(2)", returned("1"), (1, 2))) == ["first(2)"]


@pytest.mark.feature("B-18")
def test_every_callable_gets_an_anchor_of_its_own_even_if_calls_of_others_run_it() -> None:
    assert chosen(
        record(0, "first(2)", returned("1"), (1, 2), (10, 11)),
        record(1, "second(1)", returned("2"), (10, 11)),
    ) == ["first(2)", "second(1)"]


def test_boundaries_of_comparisons_are_shown_within_a_bound_where_no_mutants_were_run() -> None:
    sides = [
        record(number, f"first({number})", returned("9", operands=((2, str(number), "3"),)), (1, 2))
        for number in range(7)
    ]
    assert {"first(2)", "first(3)", "first(4)"} <= set(chosen(*sides))
    many = [
        record(number, f"first({number})", returned(f"'{number}'", operands=((number, "1", "1"),)), (1, 2))
        for number in range(40)
    ]
    assert len(chosen(*many)) <= MOST_PER_CALLABLE + 1


def test_giving_an_imported_name_another_meaning_makes_no_test() -> None:
    confusing = record(
        0, "first(2)", returned("1"), (1, 2), arrange=("date = 1",), imports=("from datetime import date",)
    )
    assert chosen(confusing, record(1, "first(1, 2, 3, 4)", returned("7"), (1, 2))) == ["first(1, 2, 3, 4)"]


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
def test_what_takes_branches_and_kills_mutants_makes_plain_calls_of_them_unnecessary() -> None:
    anchor = record(0, "first(19, 7)", returned("2"), (1, 2), (2, 3))
    plain = record(1, "first(1, 5)", returned("3"), (1, 2))
    further = record(2, "first(3, 7)", returned("4"), (1, 2))
    kills = {0: frozenset({1, 2, 3}), 1: frozenset({1}), 2: frozenset({3, 4})}

    found = select_trials([anchor, plain, further], FACTS, frozenset(), kills)

    assert [one.number for one in found] == [0, 2]


@pytest.mark.feature("B-18")
def test_a_degenerate_call_is_not_worth_a_row_for_a_mutant_alone() -> None:
    anchor = record(0, "first([3, 1, 2])", returned("6"), (1, 2))
    empty = record(1, "first([])", returned("0"), (1, 2))
    further = record(2, "first([7, 8])", returned("15"), (1, 2))
    kills = {0: frozenset({1}), 1: frozenset({2}), 2: frozenset({3})}

    assert {one.number for one in select_trials([anchor, empty, further], FACTS, frozenset(), kills)} == {0, 2}


@pytest.mark.feature("B-16")
def test_each_further_row_of_fragments_must_show_more_than_the_one_before() -> None:
    written = record(0, "first('first line')", returned("2"), (1, 2), source="doctest")
    fragments = [
        record(at, f"first({text!r})", returned(str(at + 2)), (1, 2), (2, at + 10), source="mutation")
        for at, text in enumerate(("('[", "])", "[[(", "'(", "]]("), 1)
    ]
    assert len(select_trials([written, *fragments], FACTS, frozenset())) < 1 + len(fragments) - 1


@pytest.mark.feature("B-18")
def test_a_text_that_the_search_mangled_earns_no_row_by_a_mutant_alone() -> None:
    written = record(0, "first('first line')", returned("2"), (1, 2), source="doctest")
    mangled = record(1, "first('irst line')", returned("3"), (1, 2), source="mutation")
    other = record(2, "first('another line')", returned("4"), (1, 2), source="signature")
    kills = {0: frozenset({1}), 1: frozenset({2}), 2: frozenset({3})}

    assert {one.number for one in select_trials([written, mangled, other], FACTS, frozenset(), kills)} == {0, 2}


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(("attribute", "kept"), [("8", True), ("1", False)])
def test_a_construction_that_shows_a_default_has_no_test_beside_those_of_the_members(
    attribute: str, kept: bool
) -> None:
    constructor = CallableFacts(
        "Box", "constructor", (1, 3), (Parameter("size", "positional_or_keyword", default="1"),), owner="Box"
    )
    member = CallableFacts("Box.area", "method", (4, 6), owner="Box")
    facts = ModuleFacts(
        "m.py", "m", ".", "", classes=(ClassFacts("Box", "plain", (1, 6), constructor=constructor, members=(member,)),)
    )
    made = Observation("returned", value=Value("m.Box", attributes=(("size", Value("int", attribute)),)))
    area = record(1, "box.area()", returned("9"), (4, 5), arrange=("box = Box(3)",))
    rows = [record(0, "Box()", made, (1, 2)), replace(area, trial=replace(area.trial, subject="Box.area"))]

    assert (0 in {one.number for one in select_trials(rows, facts, frozenset())}) is kept


@pytest.mark.feature("B-18")
def test_an_argument_that_the_signature_does_not_have_is_never_a_test() -> None:
    refusal = Observation("raised", raised=Raised("TypeError", "first() got an unexpected keyword argument 'name'", 6))

    assert chosen(record(0, "first(1)", returned("2"), (1, 2)), record(1, "first(name=3)", refusal, (5, 6))) == [
        "first(1)"
    ]


@pytest.mark.feature("B-16")
def test_a_negative_number_represents_nothing_that_another_number_shows_too() -> None:
    negative = record(0, "first(-1)", returned("2"), (1, 2), (2, 3))
    plain = record(1, "first(7)", returned("5"), (1, 2))

    assert chosen(negative, plain)[0] == "first(7)"


@pytest.mark.feature("B-16")
def test_an_example_of_the_class_that_repeats_one_of_the_member_is_left_out() -> None:
    own = record(0, "first([1, 2])", returned("2"), (1, 2), (2, 3), wanted="2", wanted_line=4)
    repeated = record(1, "first([5, 9, 7])", returned("9"), (1, 2), wanted="9", wanted_line=40)
    other_form = record(2, "first([5, 9], lowest=True)", returned("5"), (1, 2), wanted="5", wanted_line=41)
    further = record(3, "first([8, 9])", returned("8"), (1, 2), (2, 4), wanted="8", wanted_line=42)

    assert chosen(own, repeated, other_form, further) == [
        "first([1, 2])",
        "first([8, 9])",
        "first([5, 9], lowest=True)",
    ]


@pytest.mark.feature("B-18")
def test_a_text_with_several_none_is_an_example_only_where_nothing_else_shows_its_way() -> None:
    unset = record(0, "repr(second(2))", returned("'Span(None, None)'"), (1, 2))
    unset = replace(unset, trial=replace(unset.trial, subject="second"))
    plain = record(1, "second(2)", returned("[2, 5]"), (1, 2))
    assert chosen(unset, plain) == ["second(2)"]
    assert chosen(unset) == ["repr(second(2))"]
    told = replace(unset, trial=replace(unset.trial, wanted="'Span(None, None)'", source="doctest"))
    assert chosen(told) == ["repr(second(2))"]


@pytest.mark.feature("B-18")
@pytest.mark.parametrize(("bases", "expected"), [(("LookupError",), ["Refused('late', code=3)"]), ((), [])])
def test_of_constructions_that_only_store_those_of_exceptions_with_more_than_a_message_are_shown(
    bases: tuple[str, ...], expected: list[str]
) -> None:
    made = CallableFacts("Refused", "constructor", (20, 29), owner="Refused")
    owner = ClassFacts("Refused", "plain", (20, 29), bases, made)
    facts = replace(FACTS, classes=(owner,))
    kept = (("code", Value("int", source="3")), ("message", Value("str", source="'late'")))
    plain = record(0, "Refused('late')", Observation("returned", value=Value("m.Refused", attributes=kept[1:])), (1, 2))
    coded = record(
        1, "Refused('late', code=3)", Observation("returned", value=Value("m.Refused", attributes=kept)), (1, 2)
    )
    other = record(2, "first(2)", returned("[4, 8]"), (3, 4))

    found = select_trials([plain, coded, other], facts, frozenset())

    assert [one.trial.act for one in found if one.trial.subject == "Refused"] == expected


@pytest.mark.feature("B-18")
def test_a_constant_that_a_refusal_tells_needs_no_second_row() -> None:
    anchor = record(0, "first(7)", returned("21"), (1, 2))
    second = record(1, "first(9)", returned("27"), (1, 2))
    refused = record(2, "first(-1)", raised("ValueError", 5), (1, 5))

    assert chosen(anchor, second) == ["first(7)", "first(9)"]
    assert chosen(anchor, second, refused) == ["first(7)", "first(-1)"]


@pytest.mark.feature("B-18")
def test_a_row_in_which_something_is_done_tells_a_constant_better_than_one_that_stays_as_it_is() -> None:
    anchor = record(0, "first('kitten sitting')", returned("'Kitten Sitting'"), (1, 2))
    unchanged = record(1, "first('Kitten')", returned("'Kitten'"), (1, 2))
    changed = record(2, "first('mitten and kitten')", returned("'Mitten And Kitten'"), (1, 2))

    assert chosen(anchor, unchanged, changed)[1] == "first('mitten and kitten')"


@pytest.mark.feature("B-18")
def test_the_longer_a_table_the_more_mutants_a_further_row_must_kill() -> None:
    rows = [record(at, f"first({at + 2})", returned(str(3 * at + 7)), (1, 2)) for at in range(6)]
    kills = {at: frozenset({at}) for at in range(6)}

    assert len(select_trials(rows, FACTS, frozenset(), kills)) < len(rows)
    kills[5] = frozenset(range(10, 20))
    assert "first(7)" in [one.trial.act for one in select_trials(rows, FACTS, frozenset(), kills)]


@pytest.mark.feature("B-16")
def test_a_sign_that_a_parameter_takes_represents_its_callable_before_a_word_does() -> None:
    shown = CallableFacts("first", "function", (1, 9), (Parameter("conv", "positional_or_keyword"),))
    word = record(0, "first('kitten')", returned("'{!kitten}'"), (1, 2))
    sign = record(1, "first('r')", returned("'{!r}'"), (1, 2))

    found = select_trials([word, sign], replace(FACTS, functions=(shown,)), frozenset())

    assert found[0].trial.act == "first('r')"


@pytest.mark.feature("B-16")
def test_a_plain_text_represents_its_callable_though_bits_of_it_go_a_little_further() -> None:
    arcs = [(line, line + 1) for line in range(1, 10)]
    plain = record(0, "first('kitten')", returned("7"), *arcs[:7])
    bits = record(1, "first('kitten, sitting')", returned("8"), *arcs, source="mutation")
    shallow = record(2, "first('word')", returned("9"), arcs[0])

    assert chosen(plain, bits, shallow)[0] == "first('kitten')"
    assert chosen(shallow, bits)[0] == "first('kitten, sitting')"


@pytest.mark.feature("B-16")
def test_a_fragment_that_is_refused_needs_to_show_less_than_one_that_is_read() -> None:
    plain = record(0, "first('kitten')", returned("7"), (1, 2))
    read = record(1, "first('(kitten')", returned("8"), (1, 2), (3, 4), source="mutation")
    refused = record(2, "first('[kitten')", raised("ValueError", 5), (1, 2), (4, 5), source="mutation")

    assert chosen(plain, read, refused) == ["first('kitten')", "first('[kitten')"]


@pytest.mark.feature("B-18")
def test_what_tells_a_constant_is_the_empty_container_before_another_filled_one() -> None:
    anchor = record(0, "first([3, 1])", returned("12"), (1, 2))
    other = record(1, "first([5, 9, 7])", returned("14"), (1, 2))
    empty = record(2, "first([])", returned("0"), (1, 2))

    assert chosen(anchor, other) == ["first([3, 1])", "first([5, 9, 7])"]
    assert chosen(anchor, other, empty) == ["first([3, 1])", "first([])"]


@pytest.mark.parametrize("because", [False, True])
def test_an_option_on_an_object_that_comes_back_as_it_was_is_shown_where_the_option_is_the_reason(
    because: bool,
) -> None:
    path = Parameter("path", "positional_or_keyword", default="True")
    tidy = CallableFacts("Url.tidy", "method", (3, 6), (path,), owner="Url")
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Url", "plain", (1, 6), members=(tidy,)),))
    arrange = ("url = Url('a/../b')",)
    plain = record(0, "url.tidy()", returned("Url('b')"), (3, 4), arrange=arrange)
    same = Observation("returned", value=Value("m.Url", "Url('a/../b')", unchanged=True))
    kept = record(1, "url.tidy(path=False)", same, (3, 5), arrange=arrange)
    if because:
        kept.notes[Distinction] = "option path"
    rows = [replace(one, trial=replace(one.trial, subject="Url.tidy")) for one in (plain, kept)]

    assert (1 in {one.number for one in select_trials(rows, facts, frozenset())}) is because


def test_what_the_other_side_of_two_hashes_refuses_is_nothing_of_a_hash() -> None:
    equal = record(0, "hash(url) == hash(Url('a'))", returned("True"), (1, 2), arrange=("url = Url('a')",))
    refused = record(1, "hash(url) == hash(Url(':'))", raised("ValueError", 5), (1, 3), arrange=("url = Url('a')",))
    rows = [replace(one, trial=replace(one.trial, subject="Url.__hash__")) for one in (equal, refused)]
    assert [one.number for one in select_trials(rows, FACTS, frozenset())] == [0]


@pytest.mark.feature("B-16")
def test_an_object_of_a_documented_text_or_of_one_without_its_placeholders_is_the_plainest() -> None:
    member = CallableFacts("Template.fill", "method", (2, 3), owner="Template")
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Template", "plain", (1, 9), members=(member,)),))
    sources = {"'shop/{page}'": "doctest", "'shop/'": "simplified", "'kitten'": "signature"}
    trials = [
        Trial("Template.fill", "t.fill()", ("from m import Template",), (f"t = Template({text})",), source=source)
        for text, source in sources.items()
    ]
    records = [
        TrialRecord(at, trial, ObservedTrial(returned(str(at))), frozenset({(1, at)}), frozenset({(1, at)}))
        for at, trial in enumerate(trials)
    ]

    found = {one.record.number: one.oddness for one in rank_candidates(records, facts)}

    assert found == {0: 0, 1: 0, 2: 1}


def test_a_call_that_leaves_its_object_as_it_was_gives_place_to_one_that_changes_it() -> None:
    one = CallableFacts("Part.load", "method", (3, 6), owner="Part")
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Part", "plain", (1, 6), members=(one,)),))
    made, unchanged = "part = Part('a')", Value("m.Part", "Part('a')", unchanged=True)

    def loading(number: int, act: str, seen: Observation, last: int, *before: str) -> TrialRecord:
        found = record(number, act, seen, (3, last), arrange=(made, *before))
        return replace(found, trial=replace(found.trial, subject="Part.load"))

    other = (("part", Value("m.Part", "Part('b')")),)
    again = (("part", Value("m.Part", "Part('a')")),)
    idle = loading(0, "part.load()", Observation("returned", value=unchanged), 4)
    back = loading(1, "part.load('a')", returned("None", effects=again), 5, "part.load('b')")
    telling = loading(2, "part.load('b')", returned("None", effects=other), 6)
    undone = loading(3, "part.load('a')", returned("None", effects=again), 7, "part.name = 'b'")

    acts = {
        (found.trial.arrange, found.trial.act)
        for found in select_trials([idle, back, telling, undone], facts, frozenset())
    }
    assert acts == {((made,), "part.load('b')"), ((made, "part.name = 'b'"), "part.load('a')")}


def test_a_callable_of_many_options_has_more_documented_examples_than_others() -> None:
    source = "def styled(text, {}): ...".format(", ".join(f"option_{at}=None" for at in range(20)))
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    examples = []
    for at in range(50):
        one = record(at, f"styled('{at}')", returned(f"'{at}'"), (1, at + 2), wanted=f"'{at}'\n", source="doctest")
        examples.append(replace(one, trial=replace(one.trial, subject="styled", wanted_line=at + 1)))

    assert len(select_trials(examples, facts, frozenset())) == EXAMPLES_OF_OPTION * 20
