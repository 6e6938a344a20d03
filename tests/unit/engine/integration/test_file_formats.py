"""Programs get input files of the formats that their help, their documents and the project's samples name."""

import argparse
import json
import xml.etree.ElementTree as ElementTree

import pytest

from testwright.engine.integration.model.programs import find_programs
from testwright.engine.integration.programs.arguments import (
    InputFormats,
    commands_of,
    input_files,
    plain_values,
    samples_of,
)
from testwright.engine.integration.programs.documented import documented_commands
from testwright.engine.integration.programs.file_formats import CONTENTS, endings_in
from testwright.engine.integration.programs.proposals import ProgramFacts, single_runs
from testwright.engine.python.project.layout import find_layout
from testwright.sandbox.worker.programs.read_parser import describe_argparse
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-20")
SUBTITLES = "Subtitle files: SubStation Alpha (*.ass, *.xyz), SubRip (*.srt) or another format."


def argument(name: str, **told: object):
    declared = {"name": name, "flags": [], "type": "", "default": None, "has_default": False, **told}
    return commands_of({"arguments": [declared]})[0].arguments[0]


def test_the_endings_in_a_help_text_say_what_the_files_hold():
    files = input_files(argument("files", type="Path", help=SUBTITLES), InputFormats(), (), ())
    assert files == [("files.ass", CONTENTS["ass"][0]), ("files.srt", CONTENTS["srt"][0])]


def test_a_format_that_is_named_in_words_comes_before_an_ending():
    files = input_files(argument("file", type="Path", help="A JSON file, as for map.svg"), InputFormats(), (), ())
    assert [name for name, _ in files] == ["file.json", "list.json", "broken.json"]


@pytest.mark.parametrize(
    ("text", "endings"),
    [
        ("SubRip (*.srt) or calendar.ics", ["srt", "ics"]),
        ("a .po file", ["po"]),
        ("see example.com, e.g. version 1.0 of the diff", []),
        ("notes.srt.bak", []),
    ],
)
def test_endings_are_those_of_file_names(text, endings):
    assert endings_in(text) == endings


def test_contents_are_well_formed():
    for ending in ("xml", "gpx", "svg"):
        ElementTree.fromstring(CONTENTS[ending][0])
    json.loads(CONTENTS["geojson"][0])
    assert [json.loads(line)["age"] for line in CONTENTS["jsonl"][0].splitlines()] == [31, 27]


def test_samples_of_a_format_of_the_project_itself_are_used_where_a_document_names_one(tmp_path):
    make_project(tmp_path, {"tool.py": "", "examples/garden.plan": "bed 1\n", "examples/run.py": "print(1)\n"})
    samples = samples_of(find_layout(tmp_path))
    assert samples == [("garden.plan", "bed 1\n")]
    files = input_files(argument("plan", type="Path"), InputFormats(), samples, (), "my.plan")
    assert files[0] == ("garden.plan", "bed 1\n")


def test_a_pattern_of_names_in_a_documented_line_stands_for_one_file(tmp_path):
    usage = '"""Shifts.\n\n    shift --to srt *.ass\n"""\n'
    code = f"{usage}import argparse\n\n\ndef main():\n    argparse.ArgumentParser().parse_args()\n"
    scripts = '[project]\nname = "shift"\nversion = "1"\n[project.scripts]\nshift = "shift:main"\n'
    make_project(tmp_path, {"shift.py": code, "pyproject.toml": scripts})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    assert documented_commands(tmp_path, layout, program) == [("--to", "srt", "input.ass")]


def test_what_follows_like_this_is_the_example():
    shift = argument("shift", flags=["--shift"], help="Delay by a time. It is specified like this: '1m30s', '0.5s'.")
    assert plain_values(shift)[0] == "1m30s"


@pytest.mark.parametrize(
    ("name", "told", "kind"),
    [
        ("files", {"type": "Path", "help": "Input files. Without any it writes to standard output."}, "input"),
        ("report", {"type": "Path", "help": "Where to write the report."}, "output"),
        ("target_file", {"help": "The file to save. Read later."}, "output"),
        ("input_encoding", {"help": "Encoding of the output, too."}, "text"),
        ("input_enc", {"type": "character_encoding", "metavar": "ENCODING"}, "text"),
        ("fps", {"type": "positive_float"}, "number"),
        ("copies", {"type": "non_negative_int"}, "whole"),
        ("hint", {"type": "hint"}, "text"),
    ],
)
def test_what_an_argument_is_for_is_told_by_its_name_its_type_and_what_its_help_says_first(name, told, kind):
    assert argument(name, **told).kind == kind


SHIFTS = [
    {"name": "file", "flags": [], "type": "Path", "required": True},
    {"name": "shift", "flags": ["--shift"], "type": "time", "help": "Delay, like this: '1m30s'", "apart": ["back"]},
    {"name": "back", "flags": ["--back"], "type": "time", "help": "The opposite.", "apart": ["shift"]},
    {"name": "output_dir", "flags": ["--output-dir"], "type": "Path", "help": "Where to write."},
]


def test_options_that_exclude_each_other_are_given_apart_with_what_their_type_takes():
    known = ProgramFacts(commands_of({"arguments": SHIFTS}), (("--shift", "2s", "a.srt"),), InputFormats(), ())
    lines = [run.commands[0] for run in single_runs(known)]
    assert ("a.srt", "--back", "1m30s") in lines
    assert ("a.srt", "--shift", "2s", "--output-dir", "output_dir") in lines
    assert not [line for line in lines if {"--shift", "--back"} <= {*line}]


def test_a_parser_tells_which_options_exclude_each_other():
    parser = argparse.ArgumentParser()
    group = parser.add_mutually_exclusive_group()
    for name in ("--shift", "--back"):
        group.add_argument(name)
    parser.add_argument("--fps")
    told = {one["name"]: one["apart"] for one in describe_argparse(parser)["arguments"]}
    assert told == {"shift": ["back"], "back": ["shift"], "fps": []}


CLI = "import sys\n\n\ndef main():\n    return 0\n\n\nif __name__ == '__main__':\n    sys.exit(main())\n"
SCRIPTS = '[project]\nname = "shift"\nversion = "1"\n[project.scripts]\nshift = "shift.cli:main"\n'


@pytest.mark.parametrize(("package", "kind"), [("from .cli import main\n", "-c"), ("VERSION = 1\n", "-m")])
def test_a_module_that_its_package_imports_is_not_run_a_second_time(tmp_path, package, kind):
    make_project(tmp_path, {"shift/__init__.py": package, "shift/cli.py": CLI, "pyproject.toml": SCRIPTS})
    (program,) = find_programs(tmp_path, find_layout(tmp_path))
    assert program.start[0] == kind
