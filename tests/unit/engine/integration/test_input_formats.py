"""Files are given in the format that an option names, and arguments that name a column get one that is there."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.integration.programs.arguments import Command, InputFormats, commands_of
from testwright.engine.integration.programs.proposals import ProgramFacts, single_runs
from testwright.engine.integration.programs.tables import as_lines, column_names, table_in_format

pytestmark = pytest.mark.feature("T-20")
TABLE = "id,name\n1,Cleo\n"
PLACES = '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Inn"}}]}'


def _told(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "flags": [], "type": "", "default": None, "has_default": False, **more}


def _facts(*arguments: dict[str, Any], **more: Any) -> ProgramFacts:
    return ProgramFacts(commands_of({"arguments": list(arguments)}), (), InputFormats(), (), **more)


def _lines(facts: ProgramFacts, option: str) -> list[tuple[tuple[str, ...], dict[str, str]]]:
    return [(run.commands[0], dict(run.files)) for run in single_runs(facts) if option in run.commands[0]]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.csv", TABLE, ["id", "name"]),
        ("a.tsv", "id\tname\n", ["id", "name"]),
        ("a.json", '[{"id": 1, "name": "Cleo"}]', ["id", "name"]),
        ("a.ndjson", '{"id": 1}\n{"id": 2}\n', ["id"]),
        ("a.geojson", PLACES, ["name"]),
        ("a.yml", "- date: 2021-06-05\n  body: |-\n    text\n- date: 2021-06-06\n", ["date", "body"]),
        ("a.yml", "- Cleo\n- Pancakes\n", []),
        ("a.json", '{"name": \n', []),
        ("a.txt", "id,name\n", []),
    ],
)
def test_the_columns_of_a_file_are_those_of_its_first_record(name: str, text: str, columns: list[str]) -> None:
    assert column_names(name, text) == columns


def test_a_table_is_written_in_another_format() -> None:
    assert table_in_format(TABLE, ",", "tsv") == "id\tname\n1\tCleo\n"
    assert table_in_format(TABLE, ",", "json") == '[\n  {\n    "id": "1",\n    "name": "Cleo"\n  }\n]\n'


def test_records_are_written_line_by_line_and_what_is_no_list_is_not() -> None:
    assert as_lines('[{"a": 1}, {"a": 2}]') == '{"a": 1}\n{"a": 2}\n'
    assert as_lines(PLACES) == '{"type": "Feature", "properties": {"name": "Inn"}}\n'
    assert as_lines('{"a": 1}') == as_lines("no JSON") == ""


def test_an_option_that_names_a_format_gets_files_in_it() -> None:
    source = _told("source", type="Path", help="a csv file")
    format_ = _told("format", flags=["--format"], choices=["tsv", "json", "csv"])
    facts = _facts(source, format_, files=(("one.csv", TABLE),))
    assert _lines(facts, "tsv")[0] == (("one.tsv", "--format", "tsv"), {"one.tsv": "id\tname\n1\tCleo\n"})
    assert "one.json" in _lines(facts, "json")[0][1]
    assert _lines(facts, "csv")[0] == (("one.csv", "--format", "csv"), {"one.csv": TABLE})


def test_an_option_for_what_comes_out_changes_no_file() -> None:
    source = _told("source", type="Path", help="a csv file")
    format_ = _told("format", flags=["--format"], choices=["json", "csv"], help="the output format")
    facts = _facts(source, format_, files=(("one.csv", TABLE),))
    assert _lines(facts, "json")[0] == (("one.csv", "--format", "json"), {"one.csv": TABLE})
    assert all(name.endswith(".csv") for _, files in _lines(facts, "json") for name in files)


def test_a_switch_for_lines_of_json_gets_one_record_a_line() -> None:
    lines = _told("nl", flags=["--nl"], flag=True, help="Use newline-delimited JSON")
    facts = _facts(_told("source", type="Path", help="a json file"), lines, files=(("a.json", '[{"a": 1}]'),))
    assert _lines(facts, "--nl")[0] == (("a.json", "--nl"), {"a.json": '{"a": 1}\n'})


def test_a_value_that_a_document_gives_comes_before_the_columns_of_a_file() -> None:
    key = _told("key", flags=["--key"], help="Column to use as a primary key")
    facts = _facts(_told("source", type="Path", help="a csv file"), key, files=(("one.csv", TABLE),))
    shown = ProgramFacts(facts.commands, (("one.csv", "--key", "name"),), InputFormats(), (), files=facts.files)
    assert list(dict.fromkeys(line[-1] for line, _ in _lines(facts, "--key"))) == ["id", "name"]
    assert _lines(shown, "--key")[0][0] == ("one.csv", "--key", "name")


def test_the_path_of_a_database_is_written_and_not_read() -> None:
    (command,) = commands_of({"arguments": [_told("db_path", type="Path"), _told("table"), _told("file", type="Path")]})
    assert isinstance(command, Command)
    assert [argument.kind for argument in command.arguments] == ["output", "text", "input"]
    assert single_runs(ProgramFacts((command,), (), InputFormats(), ()))[0].commands[0][0] == "data.db"
