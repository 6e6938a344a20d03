"""An object goes out and comes back: by a value, by a file, by the text that its writer makes (B-16)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Parameter, Value
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.scenarios.object_round_trips import object_round_trips, with_named_content, written_texts
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.write.scenario_words import undone_words
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")


def called(qualname: str, *names: str, kind: str = "function") -> CallableFacts:
    own = {"method": ("self",), "classmethod": ("cls",), "constructor": ("self",)}.get(kind, ())
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in (*own, *names))
    return CallableFacts(qualname, kind, (1, 9), parameters, owner=qualname.rpartition(".")[0] or None)  # pyrefly: ignore[bad-argument-type]


NOTE = ClassFacts(
    "Note",
    "dataclass",
    (1, 9),
    constructor=called("Note", "title", kind="constructor"),
    members=(
        called("Note.to_dict", kind="method"),
        called("Note.from_dict", "data", kind="classmethod"),
        called("Note.save", "path", kind="method"),
        called("Note.load", "path", kind="classmethod"),
    ),
)
OPEN_ENDED = replace(
    called("Post", "content", kind="constructor"),
    parameters=(Parameter("content", "positional_or_keyword"), Parameter("metadata", "var_keyword")),
)
POST = ClassFacts("Post", "plain", (1, 9), constructor=OPEN_ENDED)
FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(called("dumps", "post"), called("loads", "text"), called("checks", "text"), called("size", "number")),
    classes=(NOTE, POST),
)


def done(subject: str, act: str, observation: Observation, *arrange: str, **more: Any) -> TrialRecord:
    known = record(0, act, observation)
    return replace(known, trial=replace(known.trial, subject=subject, arrange=arrange, **more))


def programs(*records: TrialRecord) -> list[str]:
    return ["; ".join((*one.trial.arrange, one.trial.act)) for one in object_round_trips(records, FACTS)]


def test_what_a_method_makes_of_an_object_is_given_to_the_class_method_that_undoes_it() -> None:
    made = done("Note.to_dict", "note.to_dict()", returned("{'title': 'Hello'}"), "note = Note('Hello')")
    assert programs(made)[0] == "note = Note('Hello'); Note.from_dict(note.to_dict()) == note"


def test_the_file_that_a_method_wrote_is_loaded() -> None:
    written = Observation("returned", effects=(("(tmp_path / 'a').read_text()", Value("str", source="'x'")),))
    made = done(
        "Note.save", "note.save(tmp_path / 'a')", written, "note = Note('Hello')", fixtures=("tmp_path", "monkeypatch2")
    )
    [first, *_] = object_round_trips([made], FACTS)
    assert first.trial.arrange == ("note = Note('Hello')", "note.save(tmp_path / 'a')")
    assert first.trial.act == "Note.load(tmp_path / 'a') == note"
    assert (first.trial.subject, first.trial.fixtures) == ("Note.load", ("tmp_path",))


def test_the_object_with_the_most_in_it_comes_first() -> None:
    plain = done("dumps", "dumps(Post('a'))", returned("'a'"))
    rich = done("dumps", "dumps(Post('a', title='Report'))", returned("'Report a'"))
    assert programs(plain, rich)[0] == "post = Post('a', title='Report'); loads(dumps(post)) == post"


def test_an_object_without_equality_shows_what_it_was_made_of_in_its_attributes() -> None:
    made = done("dumps", "dumps(Post('a', title='Report'))", returned("'Report a'"))
    by_attributes = list(object_round_trips([made], FACTS))[1]
    whole = (("content", Value("str", source="'a'")), ("metadata", Value("dict", source="{'title': 'Report'}")))
    assert by_attributes.trial.act == "loads(dumps(post))"
    assert by_attributes.holds(Observation("returned", value=Value("m.Post", attributes=whole)))
    assert not by_attributes.holds(Observation("returned", value=Value("m.Post", attributes=whole[:1])))


@pytest.mark.parametrize("act", ["dumps('text')", "dumps(other)", "size(Post('a'))"])
def test_plain_values_and_calls_that_nothing_undoes_are_no_objects_that_come_back(act: str) -> None:
    assert programs(done(act.partition("(")[0], act, returned("'a'"))) == []


def test_files_that_a_value_does_not_need_are_left_out() -> None:
    made = done(
        "Note.to_dict", "note.to_dict()", returned("{}"), "note = Note('Hello')", "note.save(tmp_path / 'notes')"
    )
    assert programs(made) == []


def test_what_takes_any_named_content_is_given_some() -> None:
    made = done("dumps", "dumps(Post('a'))", returned("'a'"))
    assert [one.act for one in with_named_content([made], FACTS)] == ["dumps(Post('a', title='Report'))"]
    assert list(with_named_content([done("Post", "Post('a')", returned(None))], FACTS)) == []


def test_what_takes_the_same_parameter_as_the_reader_reads_the_text_of_the_writer() -> None:
    made = done("dumps", "dumps(Post('a'))", returned("'title: a'"))
    assert [one.act for one in written_texts([made], FACTS)] == ["loads('title: a')", "checks('title: a')"]


def test_what_takes_a_text_of_any_kind_is_not_meant_to_read_what_was_written() -> None:
    made = done("dumps", "dumps(Post('a'))", returned("'title: a'"))
    assert [one.source for one in written_texts([made], FACTS)] == ["usage", "signature"]


def test_what_is_written_of_signs_alone_is_no_document() -> None:
    made = done("dumps", "dumps('&')", returned("'&amp;'"))
    assert list(written_texts([made], FACTS)) == []


@pytest.mark.parametrize(
    ("act", "last", "words"),
    [
        ("Note.from_dict(note.to_dict()) == note", "note = Note('Hello')", "reverses_to_dict"),
        ("loads(dumps(post))", "post = Post('a')", "reverses_dumps"),
        ("Note.load(tmp_path / 'a') == note", "note.save(tmp_path / 'a')", "reads_what_save_wrote"),
        ("Note.load(tmp_path / 'b') == note", "note.save(tmp_path / 'a')", ""),
        ("loads(other(post))", "post = Post('a')", ""),
    ],
)
def test_a_round_trip_is_named_by_what_it_undoes(act: str, last: str, words: str) -> None:
    case = Case("c", "x", "f", act, "call", (SpecExpectation("holds", "result"),), statements=(last,))
    assert undone_words(case) == words


@pytest.mark.parametrize(
    ("made", "sent"), [("Note('a')", True), ("Note(1)", True), ("Note('')", False), ("Note(True)", False)]
)
def test_an_object_with_nothing_in_it_goes_nowhere(made: str, sent: bool) -> None:
    wrote = done("Note.to_dict", "note.to_dict()", returned("{'title': ''}"), f"note = {made}")
    assert bool(programs(wrote)) is sent
