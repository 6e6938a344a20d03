"""Simpler variants of a trial: one argument, statement or item less, known words, surroundings kept (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Parameter, Trial
from testwright.engine.python.search import simplified_trials as module
from testwright.engine.python.search.simplified_trials import simplified_trials

FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(
        CallableFacts(
            "parse",
            "function",
            (1, 9),
            parameters=(
                Parameter("text", "positional_or_keyword"),
                Parameter("strict", "positional_or_keyword", default="False"),
            ),
        ),
        CallableFacts(
            "join",
            "function",
            (10, 12),
            parameters=(Parameter("first", "positional_or_keyword"), Parameter("others", "var_positional")),
        ),
    ),
)


def variants(act: str, *arrange: str) -> set[tuple[str, ...]]:
    found = simplified_trials(Trial("parse", act, arrange=arrange, source="mutation"), FACTS)
    return {(*one.arrange, one.act) for one in found}


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("act", "simpler"),
    [
        pytest.param("parse('kitten', strict=True)", "parse('kitten')", id="a_keyword_goes"),
        pytest.param("parse('kitten', True)", "parse('kitten')", id="an_optional_position_goes"),
        pytest.param("parse('xqz = wfg')", "parse('name = value')", id="known_words_replace_made_ones"),
        pytest.param("parse('kitten', strict=-1)", "parse('kitten', strict=True)", id="a_flag_is_true_or_false"),
        pytest.param("join('kitten', 3)", "join('kitten')", id="one_of_any_number_goes"),
        pytest.param("parse('#ff8800')", "parse('kitten')", id="a_format_that_the_module_does_not_name_goes"),
        pytest.param("parse([3, 1, 2])", "parse([1, 2])", id="an_item_goes"),
        pytest.param("parse(4711)", "parse(10)", id="a_large_number_becomes_a_plain_one"),
    ],
)
def test_a_call_becomes_simpler_in_one_respect(act: str, simpler: str) -> None:
    assert (simpler,) in variants(act)


URIS = ("https://example.org{/page}", "https://example.org/list")
BUILDING = Trial("Template.__str__", "str(t)", arrange=("t = Template('{name}')",), source="mutation")


@pytest.mark.feature("B-16")
def test_different_made_words_become_different_known_ones() -> None:
    assert ("join('NAME', 'VALUE', 'NAME')",) in variants("join('XQZ', 'WFG', 'XQZ')")


@pytest.mark.feature("B-16")
def test_an_object_is_built_from_the_texts_that_documents_build_it_from() -> None:
    found = simplified_trials(BUILDING, FACTS, ("users",), built={"Template": URIS})

    assert [one.arrange[0] for one in found[:2]] == [f"t = Template({text!r})" for text in URIS]


@pytest.mark.feature("B-16")
def test_a_text_is_one_of_those_that_persons_give_to_the_nearest_call_around_it() -> None:
    line = "choice = Switch([(Any('  ', 'e'), Text('vowel'))], 'kitten')"
    trial = Trial("Switch.first", "choice.first()", arrange=(line,), source="mutation")

    first = simplified_trials(trial, FACTS, (), built={"Switch": ("strict",), "Any": ("a", "e"), "Text": ("vowel",)})[0]

    assert first.arrange == ("choice = Switch([(Any('a', 'e'), Text('vowel'))], 'strict')",)


def test_a_class_whose_name_ends_as_another_is_not_built_from_its_texts() -> None:
    trial = replace(BUILDING, arrange=("t = OwnTemplate('{name}')",))
    found = simplified_trials(trial, FACTS, ("users",), built={"Template": URIS})

    assert found[0].arrange == ("t = OwnTemplate('users')",)


@pytest.mark.feature("B-16")
def test_equal_texts_stay_equal_where_written_ones_take_their_place() -> None:
    trial = Trial("Template.__eq__", "t == Template('{name}')", arrange=BUILDING.arrange, source="mutation")
    first = simplified_trials(trial, FACTS, (), built={"Template": URIS})[0]

    assert (*first.arrange, first.act) == (f"t = Template({URIS[0]!r})", f"t == Template({URIS[0]!r})")


@pytest.mark.feature("B-16")
def test_a_text_that_a_person_wrote_is_not_cut() -> None:
    trial = Trial("parse", "parse('a=1;b=2')", source="mutation")

    assert simplified_trials(trial, FACTS, ("a=1;b=2",)) == []


def test_a_required_argument_and_a_sample_text_stay() -> None:
    assert variants("parse('hello world')") == set()


def test_a_statement_goes_that_binds_nothing_which_is_read_later() -> None:
    found = variants("parse(text)", "text = 'kitten'", "other = parse('a')", "parse('mitten')")
    assert ("text = 'kitten'", "parse('mitten')", "parse(text)") in found
    assert ("text = 'kitten'", "other = parse('a')", "parse(text)") in found
    assert not any("text = " not in " ".join(one) for one in found)


def test_moments_patches_and_clean_ups_stay_as_they_are() -> None:
    arrange = (
        "now = 1718355600",
        "monkeypatch.setattr('m.time.time', lambda: now)",
        "request.addfinalizer(close)",
    )
    assert all(one[:3] == arrange for one in variants("parse([3, 1, 2])", *arrange))


@pytest.mark.parametrize(
    ("statement", "chained"),
    [
        pytest.param("job.day", "job = every(2).day", id="a_property"),
        pytest.param("job.at('10:30')", "job = every(2).at('10:30')", id="a_call"),
    ],
)
def test_an_object_is_built_and_used_in_one_line(statement: str, chained: str) -> None:
    assert (chained, "parse(job)") in variants("parse(job)", "job = every(2)", statement)


def test_a_statement_that_reads_its_object_twice_stays_by_itself() -> None:
    found = variants("parse(job)", "job = every(2)", "job.follow(job)")
    assert not any("every(2).follow" in line for lines in found for line in lines)


@pytest.mark.feature("B-16")
def test_texts_that_documents_pass_stand_in_for_those_of_the_search():
    trial = Trial("parse", "parse({'xqz': 'Bob'})", source="mutation")

    found = {one.act for one in simplified_trials(trial, FACTS, ("Alice", "Bob"))}

    assert "parse({'Alice': 'Bob'})" in found
    assert not any("Bob" not in act for act in found)


@pytest.mark.parametrize("piece", ["hell", "hello6", "hel21"])
def test_a_piece_of_a_word_that_documents_pass_is_that_word_again(piece: str) -> None:
    found = simplified_trials(Trial("paint", f"paint('[31m{piece}')"), FACTS, ("[1mhello", "world"))

    assert "paint('[31mhello')" in {one.act for one in found}


@pytest.mark.feature("B-16")
def test_a_word_stands_in_for_an_empty_text_that_makes_no_difference() -> None:
    assert ("parse('kitten', 'b')",) in variants("parse('', 'b')")
    assert ("parse('sitting', 'kitten')",) in variants("parse('', 'kitten')")


@pytest.mark.feature("B-16")
def test_an_empty_text_that_a_person_wrote_there_stays() -> None:
    trial = Trial("Any.first", "choice.first()", arrange=("choice = Any('', 'e')",), source="mutation")

    built = {(*one.arrange, one.act) for one in simplified_trials(trial, FACTS, (), built={"Any": ("", "e")})}

    assert ("choice = Any('kitten', 'e')", "choice.first()") not in built


def test_a_part_of_a_number_in_a_text_is_a_number() -> None:
    found = {act for (act,) in variants("parse('14.50')")}

    assert "parse('14.')" not in found
    assert "parse('.50')" not in found


@pytest.mark.feature("B-16")
def test_texts_of_formats_that_fit_may_be_given_so_that_they_are_worked_out_once_for_all_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = Trial("parse", "parse('#ff8800')", source="mutation")
    known = simplified_trials(trial, FACTS)
    monkeypatch.setattr(module, "fitting_texts", lambda _facts: pytest.fail("worked out again"))

    assert simplified_trials(trial, FACTS, fitting=frozenset()) == known


def test_what_returns_nothing_is_not_called_where_the_object_is_made() -> None:
    lines = ("part = Part()", "part.load('kitten')")
    given = Trial("Part.__ne__", "part != Part('b')", arrange=lines, source="sequence")
    chained = ("part = Part().load('kitten')",)

    assert chained in {one.arrange for one in simplified_trials(given, FACTS)}
    assert chained not in {one.arrange for one in simplified_trials(given, FACTS, silent={"Part.load"})}


def test_a_moment_that_the_act_passes_may_be_left_out_but_not_that_at_which_the_clock_stands() -> None:
    moment = "datetime.datetime(2024, 7, 11)"
    passed = Trial("Plan", f"Plan('* 5', at={moment}).parts", arrange=(f"now = {moment}", "clock = Clock(at=now)"))

    acts = {(one.act, one.arrange) for one in module.without_arguments(passed, FACTS)}

    assert acts == {("Plan('* 5').parts", passed.arrange), (passed.act, (passed.arrange[0], "clock = Clock()"))}


def test_a_bracket_in_a_text_closes_no_call() -> None:
    trial = Trial("Template.fill", "t.fill()", arrange=("t = Template('a)', 'kitten')",), source="mutation")

    first = simplified_trials(trial, FACTS, ("users",), built={"Template": ("a)", "{page}")})[0]

    assert first.arrange == ("t = Template('a)', '{page}')",)
