"""A call that undoes another one is tried, and kept where it returns what was given (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.inverse_names import INVERSES, tells_direction, undoes
from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Parameter, Value
from testwright.engine.python.search import round_trips as module
from testwright.engine.python.search.round_trips import outer_round_trips, round_trips
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned

pytestmark = pytest.mark.feature("B-16")


def function(name: str, *parameters: str) -> CallableFacts:
    return CallableFacts(
        name, "function", (1, 9), parameters=tuple(Parameter(one, "positional_or_keyword") for one in parameters)
    )


def acts(facts: ModuleFacts, act: str) -> list[tuple[str, str]]:
    return [(trial.act, given) for trial, given in round_trips([record(0, act, returned("'xyz'"))], facts)]


CODES = ModuleFacts(
    "m.py", "m", ".", "", functions=(function("encode", "text", "key"), function("decode", "text", "key"))
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("decode", "encode"),
        ("loads", "dumps"),
        ("roman_to_int", "int_to_roman"),
        ("decode_file", "encode_file"),
        ("from_base64", "to_base64"),
        ("parse_date", "format_date"),
        ("custom_decode", "custom_encode"),
        ("matrix_to_vector", "vector_to_matrix"),
    ],
)
def test_names_say_what_undoes_what(name: str, other: str) -> None:
    assert undoes(name, other)
    assert tells_direction(name)
    assert tells_direction(other)


@pytest.mark.parametrize(("name", "other"), [("encode", "encode"), ("decode_file", "encode_text"), ("stop", "start")])
def test_other_names_do_not(name: str, other: str) -> None:
    assert not undoes(name, other)


@pytest.mark.parametrize("pair", INVERSES)
def test_both_verbs_of_a_pair_tell_a_direction_whatever_they_end_in(pair: tuple[str, str]) -> None:
    assert all(tells_direction(name) for verb in pair for name in (verb, f"{verb}s", f"fast_{verb}_text"))


def test_names_without_such_a_verb_tell_none() -> None:
    assert not any(tells_direction(name) for name in ("area", "loader", "dumping", "s", "to1_", ""))


def test_the_result_of_a_call_is_passed_to_what_undoes_it_with_the_same_key() -> None:
    assert acts(CODES, "encode('hello', 3)") == [("decode(encode('hello', 3), key=3)", "'hello'")]


@pytest.mark.parametrize("act", ["encode('', 3)", "encode(text, 3)", "len('hello')"])
def test_what_was_given_must_have_content_and_stand_in_the_call(act: str) -> None:
    assert acts(CODES, act) == []


def test_a_call_that_raised_has_nothing_to_undo() -> None:
    failed = record(0, "encode('hello', 3)", raised("ValueError"))
    assert list(round_trips([failed], CODES)) == []


def test_a_key_that_only_the_way_back_needs_cannot_be_known() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", functions=(function("encode", "text"), function("decode", "text", "key")))
    assert acts(facts, "encode('hello')") == []


def test_the_file_that_a_call_made_is_passed_to_what_undoes_it() -> None:
    facts = ModuleFacts(
        "m.py", "m", ".", "", functions=(function("encode_file", "src", "dst"), function("decode_file", "src", "dst"))
    )
    written = Observation("returned", effects=(("(tmp_path / 'b').read_bytes()", Value("bytes", source="b'xyz'")),))
    made = record(
        0,
        "encode_file(tmp_path / 'a.txt', tmp_path / 'b')",
        written,
        arrange=("(tmp_path / 'a.txt').write_text('abc')",),
    )

    [(trial, given)] = list(round_trips([made], facts))

    assert trial.act == "decode_file(tmp_path / 'b', tmp_path / 'restored.txt')"
    assert trial.arrange == (*made.trial.arrange, made.trial.act)
    assert given == "'abc'"


def signer_with(*names: str) -> ModuleFacts:
    parameters = (Parameter("self", "positional_or_keyword"), Parameter("value", "positional_or_keyword"))
    members = tuple(
        CallableFacts(f"Signer.{name}", "method", (1, 9), owner="Signer", parameters=parameters) for name in names
    )
    return ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Signer", "plain", (1, 9), members=members),))


_OF_KEY = record(0, "signer.key()", returned("'k'"), arrange=("signer = Signer('k')",))
CALLED = replace(_OF_KEY, trial=replace(_OF_KEY.trial, subject="Signer.key"))


@pytest.mark.parametrize(
    ("name", "act", "given"),
    [
        ("loads", "signer.loads(signer.dumps([1, 2, 3]))", "[1, 2, 3]"),
        ("unsign", "signer.unsign(signer.sign('hello'))", "'hello'"),
        ("validate", "signer.validate(signer.sign('hello'))", "True"),
    ],
)
def test_what_an_object_inherits_is_undone_and_checked_on_an_object_of_other_calls(name: str, act: str, given: str):
    found = [(trial.arrange, trial.act, value) for trial, value in outer_round_trips([CALLED], signer_with(name))]

    assert (("signer = Signer('k')",), act, given) in found


@pytest.mark.parametrize(
    ("name", "undone"),
    [
        ("decompress", ["compress"]),
        ("unpack_all", ["pack_all"]),
        ("unsign", ["sign"]),
        ("union", []),
        ("unique_id", []),
        ("update", []),
    ],
)
def test_a_method_undoes_what_its_verb_says_and_no_word_that_only_begins_alike(name: str, undone: list[str]) -> None:
    acts = [trial.act for trial, _ in outer_round_trips([CALLED], signer_with(name))]

    assert acts[::3] == [f"signer.{name}(signer.{one}({{'id': 5, 'name': 'Ada'}}))" for one in undone]


def test_a_word_behind_un_is_what_is_undone_where_the_module_has_a_method_of_that_name() -> None:
    acts = [trial.act for trial, _ in outer_round_trips([CALLED], signer_with("unfold", "fold"))]

    assert "signer.unfold(signer.fold('hello'))" in acts


def test_the_calls_of_a_class_are_read_once_and_only_for_methods_that_undo_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    monkeypatch.setattr(module, "_variable_of", lambda trial: read.append(trial.act) or "signer")

    assert list(outer_round_trips([CALLED], signer_with("union", "update"))) == []
    assert read == []
    assert list(outer_round_trips([CALLED], signer_with("unsign", "loads", "union")))
    assert read == ["signer.key()"]
