"""What programs a project has, what they take, and what is given to them."""

import pytest

from testwright.engine.integration.model.programs import (
    CommandResult,
    ProgramRun,
    ProjectProgram,
    RunObservation,
    find_programs,
)
from testwright.engine.integration.programs.arguments import (
    InputFormats,
    commands_of,
    input_files,
    long_options,
    plain_values,
    reading_of,
)
from testwright.engine.integration.programs.documented import (
    arguments_in,
    documented_commands,
    matching_command,
    relies_on_wrong_default,
    vocabulary_of,
)
from testwright.engine.integration.programs.plainer import idle_runs, without_names
from testwright.engine.integration.programs.proposals import ProgramFacts, boundary_runs, single_runs
from testwright.engine.integration.programs.runs import _behaviour, failure_cause, rejection_reason
from testwright.engine.integration.programs.tables import altered_table
from testwright.engine.integration.programs.variables import variables_of
from testwright.engine.integration.write.program_cases import helper_of
from testwright.engine.integration.write.run_names import _line_parts, distinguishing_words, told_cause
from testwright.engine.python.project.layout import ModulePlace, find_layout
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import make_project

MAIN = "def main():\n    return 0\n"
GUARD = f"import sys\n\n\n{MAIN}\n\nif __name__ == '__main__':\n    sys.exit(main())\n"


def told(name, **more):
    return {"name": name, "flags": [], "type": "", "default": None, "has_default": False, **more}


DIFFER = commands_of(
    {
        "arguments": [
            told("previous", type="Path"),
            told("current", type="Path"),
            told("key", flags=["--key"]),
            told("q", flags=["-q"], flag=True),
        ]
    }
)[0]


def names_of(lines, command):
    parts = [_line_parts(line, command) for line in lines]
    return [distinguishing_words(line, parts) for line in parts]


def programs_of(root, files):
    make_project(root, files)
    return [
        (program.name, program.place.module, program.start[0]) for program in find_programs(root, find_layout(root))
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import uvicorn\n\nif __name__ == '__main__':\n    uvicorn.run('main:app', reload=True)\n", []),
        ("from flask import Flask\napp = Flask('a')\nif __name__ == '__main__':\n    app.run(debug=True)\n", []),
        ("from aiohttp import web\nif __name__ == '__main__':\n    web.run_app(web.Application())\n", []),
        ("from tool import app\nif __name__ == '__main__':\n    app.run()\n", ["main"]),
        ("def run():\n    print(1)\n\nif __name__ == '__main__':\n    run()\n", ["main"]),
    ],
    ids=["uvicorn", "flask", "aiohttp", "a program's own run", "a function"],
)
def test_a_module_that_starts_a_server_is_no_console_program(tmp_path, text, names):
    assert [name for name, _, _ in programs_of(tmp_path, {"main.py": text})] == names


@pytest.mark.parametrize(
    ("files", "program"),
    [
        (
            {"pyproject.toml": "[project.scripts]\ntool = 'pkg.cli:main'\n", "pkg/cli.py": GUARD},
            ("tool", "pkg.cli", "-m"),
        ),
        (
            {"pyproject.toml": "[project.scripts]\ntool = 'pkg.cli:main'\n", "pkg/cli.py": MAIN},
            ("tool", "pkg.cli", "-c"),
        ),
        (
            {"pyproject.toml": "[tool.poetry.scripts]\ntool = 'pkg.cli:main'\n", "pkg/cli.py": GUARD},
            ("tool", "pkg.cli", "-m"),
        ),
        (
            {"setup.cfg": "[options.entry_points]\nconsole_scripts =\n  tool = pkg.cli:main\n", "pkg/cli.py": GUARD},
            ("tool", "pkg.cli", "-m"),
        ),
        (
            {
                "setup.py": "from setuptools import *\nsetup(entry_points={'console_scripts': ['tool=pkg.cli:main']})",
                "pkg/cli.py": MAIN,
            },
            ("tool", "pkg.cli", "-c"),
        ),
        (
            {
                "setup.py": 'setup(entry_points="""\n  [console_scripts]\n  tool=pkg.cli:main\n  [x]\n  a=b:c\n""")',
                "pkg/cli.py": MAIN,
            },
            ("tool", "pkg.cli", "-c"),
        ),
        ({"pkg/__main__.py": "print('ran')\n", "pkg/other.py": MAIN}, ("pkg", "pkg.__main__", "-m")),
        ({"pkg/script.py": GUARD}, ("script", "pkg.script", "-m")),
        (
            {
                "pyproject.toml": "[project.scripts]\ntool = 'pkg.start:main'\n",
                "pkg/start.py": "from .cli import main\n",
                "pkg/cli.py": MAIN,
            },
            ("tool", "pkg.cli", "-c"),
        ),
    ],
)
def test_programs_are_found_where_projects_declare_them(tmp_path, files, program):
    assert programs_of(tmp_path, {"pkg/__init__.py": "", **files}) == [program]


def test_a_script_of_a_module_that_is_not_there_is_no_program(tmp_path):
    assert (
        programs_of(tmp_path, {"pyproject.toml": "[project.scripts]\ntool = 'gone.cli:main'\n", "pkg.py": MAIN}) == []
    )


@pytest.mark.parametrize(
    ("argument", "kind"),
    [
        (told("count", type="int"), "whole"),
        (told("rate", default=2.5, has_default=True), "number"),
        (told("day", type="date.fromisoformat"), "date"),
        (told("source", type="Path"), "input"),
        (told("target", type="Path", help="where to write the report"), "output"),
        (told("infile", type="FileType"), "input"),
        (told("log", type="FileType:w"), "output"),
        (told("quiet", flag=True), "flag"),
        (told("who"), "text"),
    ],
)
def test_kinds_of_arguments_are_told_by_converter_default_name_and_help(argument, kind):
    (command,) = commands_of({"arguments": [argument]})
    assert command.arguments[0].kind == kind


def test_examples_and_defaults_are_read_from_help_texts():
    help_text = "a line such as tea:2:3.50 (default: 5)"
    (command,) = commands_of({"arguments": [told("line", help=help_text)]})
    argument = command.arguments[0]
    assert argument.documented_default == "5"
    assert plain_values(argument) == (
        *("tea:2:3.50", "tea:12:3.50", "tea", "tea:0:3.50", "tea:1000:3.50", "tea:2:3", "tea:2:3.505"),
    )


def test_subcommands_become_commands_with_the_arguments_above_them():
    parser = {
        "arguments": [told("state", flags=["--state"])],
        "commands": {"put": {"arguments": [told("name")]}, "ship": {"arguments": []}},
    }
    assert [(one.words, len(one.before)) for one in commands_of(parser)] == [(("put",), 1), (("ship",), 1)]


def test_documented_lines_are_taken_from_readme_and_source_without_placeholders(tmp_path):
    readme = "    depot put tea\n    $ depot ship tea 2\n    depot put <name>\n    depot put $NAME\n    other put\n"
    make_project(tmp_path, {**DEPOT, "README.md": readme})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    assert documented_commands(tmp_path, layout, program) == [("put", "tea"), ("ship", "tea", "2")]


def test_words_of_a_documented_line_are_told_apart_by_the_arguments_they_are_for():
    parser = {
        "commands": {"ship": {"arguments": [told("name"), told("file", type="Path"), told("day", flags=["--day"])]}}
    }
    commands = commands_of(parser)
    line = ("ship", "tea", "list.csv", "--day", "2024-05-03")
    assert matching_command(line, commands) == commands[0]
    assert matching_command(("ship", "--unknown"), commands) is None
    pairs = [(words, one.name) for words, one in arguments_in(line, commands[0])]
    assert pairs == [(("tea",), "name"), (("list.csv",), "file"), (("--day", "2024-05-03"), "day")]


def test_words_of_structured_arguments_are_the_vocabulary():
    assert vocabulary_of([("order", "Ada", "tea:2:3.50")], ["cup=1", "https://example.com/x"]) == ("tea", "cup")


def test_a_table_is_made_of_the_columns_that_the_code_reads(tmp_path):
    source = (
        "import csv\n\ndef read(file):\n    return [(row['name'], int(row['pieces'])) for row in csv.DictReader(file)]"
    )
    make_project(tmp_path, {"reader.py": source})
    reading = reading_of(tmp_path, ["reader.py"])
    assert reading == InputFormats((("name", ""), ("pieces", "int")), ("csv",))
    (command,) = commands_of({"arguments": [told("list", type="Path")]})
    files = input_files(command.arguments[0], reading, (), ("tea", "cup"))
    assert files[0] == ("list.csv", "name,pieces\ntea,12\ncup,4\napple,30\n")
    broken = [("without_pieces.csv", "name\ntea\n"), ("pieces_many.csv", "name,pieces\ntea,many\n")]
    assert [file for file in files if "many" in file[0] or "without" in file[0]] == broken


def test_runs_of_one_command_begin_with_the_documented_line_and_repeat_nothing():
    commands = commands_of(
        {"commands": {"put": {"arguments": [told("name"), told("pieces", flags=["--pieces"], type="int")]}}}
    )
    known = ProgramFacts(commands, (("put", "tea"),), InputFormats(), ())
    runs = single_runs(known)
    assert runs[0].commands == (("put", "tea"),)
    assert len(runs) == len(set(runs))
    assert ("put", "tea", "--pieces", "12") in [run.commands[0] for run in runs]


def failing(*words: str, message: str):
    run = ProgramRun((), (words,), words[:1])
    return run, RunObservation((CommandResult(1, "", f"{message}\n", "exited"),), {}, {})


def test_one_failure_is_one_cause_whatever_the_command_and_its_values_were():
    causes = {
        failure_cause(*failing("borrow", "tea", message="borrow: no book 'tea' on 2024-05-01")),
        failure_cause(*failing("lend", "milk", "2", message="lend: no book 'milk' on 2023-01-31")),
    }

    assert len(causes) == 1
    assert failure_cause(*failing("lend", "x", message="lend: the shop is closed")) not in causes


def test_sentences_about_a_program_and_lines_longer_than_it_takes_are_no_commands(tmp_path):
    readme = (
        "depot reads the list of a shop and prints what is missing.\n"
        "depot put tea, then ship it\n"
        "    depot = Depot('tea')\n"
        "    depot is not None\n"
        "    depot put teas/\n"
        "    depot put 'a tea for the two of us'\n"
    )
    make_project(tmp_path, {**DEPOT, "README.md": readme})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    assert documented_commands(tmp_path, layout, program) == [("put", "a tea for the two of us")]
    day = told("day", flags=["--day"])
    commands = commands_of({"commands": {"put": {"arguments": [told("name"), day]}}})
    assert matching_command(("put", "tea", "--day", "2024-05-03"), commands) == commands[0]
    assert matching_command(("put", "tea", "where", "nobody", "looks"), commands) is None
    (many,) = commands_of({"arguments": [told("names", many=True)]})
    assert matching_command(("tea", "milk", "bread"), (many,)) == many


@pytest.mark.parametrize(
    ("line", "is_command"),
    [
        *((line, True) for line in ("import notes.csv", "./people.csv", ".", "in.csv out.csv", "is-even 4", "for 5")),
        *((line, True) for line in ("to-csv in.csv", "in stock", "--as-is if.csv", "=8080", "ship new", "import")),
        *((line, False) for line in ("= Depot(verbose=True)", "(", ", other", ".sort (", ": int", "import notes")),
        *((line, False) for line in ("+= 1", "is None", "if found else other")),
    ],
)
def test_a_documented_line_is_code_only_by_the_form_of_code(tmp_path, line, is_command):
    make_project(tmp_path, {**DEPOT, "README.md": f"    depot {line}\n"})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    assert documented_commands(tmp_path, layout, program) == ([tuple(line.split())] if is_command else [])


def test_a_documented_line_that_begins_with_a_known_command_is_no_code(tmp_path):
    make_project(tmp_path, {**DEPOT, "README.md": "    depot import notes\n"})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    known = commands_of({"commands": {"import": {"arguments": [told("name")]}}})
    assert documented_commands(tmp_path, layout, program, known) == [("import", "notes")]


def test_a_word_of_prose_behind_a_program_that_takes_a_file_is_no_line_of_it(tmp_path):
    make_project(tmp_path, {**DEPOT, "README.md": "    depot documentation\n    depot in.csv\n"})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    known = commands_of({"arguments": [told("source", type="Path")]})
    assert documented_commands(tmp_path, layout, program, known) == [("in.csv",)]


def test_the_long_form_of_an_option_is_that_of_its_own_command():
    known = commands_of(
        {
            "commands": {
                "show": {"arguments": [told("format", flags=["-f", "--format"])]},
                "add": {"arguments": [told("force", flags=["-f", "--force"])]},
            }
        }
    )
    assert [long_options(known, words)["-f"] for words in (("show",), ("add",))] == ["--format", "--force"]


def test_a_default_in_brackets_is_read_and_the_name_of_a_sign_contradicts_nothing():
    option = told("sep", flags=["--sep"], default=",", has_default=True, help="what parts cells [default: comma]")
    (command,) = commands_of({"arguments": [option]})
    assert command.arguments[0].documented_default == "comma"
    run = ProgramRun((), (("x.csv",),), ())
    assert not relies_on_wrong_default(run, [command])
    wrong = told("sep", flags=["--sep"], default=",", has_default=True, help="what parts cells [default: ;]")
    assert relies_on_wrong_default(run, commands_of({"arguments": [wrong]}))


def test_two_inputs_of_a_comparison_differ():
    commands = commands_of({"arguments": [told("old", type="Path"), told("new", type="Path")]})
    reading = InputFormats((("name", ""), ("pieces", "int")), ("csv",))
    run = single_runs(ProgramFacts(commands, (), reading, ()))[0]
    assert run.commands == (("old.csv", "new.csv"),)
    assert dict(run.files) == {
        "old.csv": "name,pieces\napple,12\nbanana,4\ncherry,30\n",
        "new.csv": "name,pieces\napple,13\ncherry,30\n",
    }
    sample = (("list.csv", "name,pieces\ntea,1\nmilk,2\n"),)
    run = single_runs(ProgramFacts(commands, (), InputFormats((), ("csv",)), sample))[0]
    assert run.commands == (("list.csv", "new.csv"),)
    assert len(set(dict(run.files).values())) == 2


def test_two_inputs_of_a_documented_line_differ_and_keep_their_names():
    commands = commands_of(
        {"arguments": [told("old", type="Path"), told("new", type="Path"), told("key", flags=["-k"])]}
    )
    reading = InputFormats((("name", ""), ("kind", "")), ("csv",))
    runs = single_runs(ProgramFacts(commands, (("one.csv", "two.csv"),), reading, ()))
    assert all(len({text for _, text in run.files}) == len(run.files) for run in runs)
    assert dict(runs[0].files)["one.csv"] == "name,kind\napple,banana\nbanana,cherry\ncherry,apple\n"
    assert ("one.csv", "two.csv", "-k", "apple") in [run.commands[0] for run in runs]


def test_of_several_documented_inputs_the_first_is_given_beside_an_option():
    commands = commands_of(
        {"arguments": [told("paths", type="Path", many=True), told("quiet", flags=["-q"], flag=True)]}
    )
    runs = single_runs(ProgramFacts(commands, (("one.py", "two.py"),), InputFormats(), ()))
    assert runs[0].commands == (("one.py", "two.py"),)
    [quiet] = [run for run in runs if "-q" in run.commands[0]]
    assert (quiet.commands, [name for name, _ in quiet.files]) == ((("one.py", "-q"),), ["one.py"])


def test_runs_are_named_by_the_option_that_others_do_not_have():
    lines = [("a.csv", "b.csv"), ("a.csv", "b.csv", "--key", "id"), ("c.csv", "b.csv"), ("a.csv", "b.csv", "-q")]
    assert names_of(lines, DIFFER) == ["", "with_key", "for_previous_c", "with_q"]


def test_runs_with_one_option_are_named_by_its_values_and_by_its_absence():
    lines = [("a.csv", "b.csv", *more) for more in (("--key", "id"), ("--key", "name"), ("-q", "--key", "id"), ())]
    assert names_of(lines, DIFFER) == ["with_key_id", "with_key_name", "with_q", "without_key"]
    (joining,) = commands_of({"arguments": [told("files", type="Path", many=True)]})
    assert names_of([("a.csv",), ("a.csv", "b.csv")], joining)[1] == "for_several_files"
    assert names_of([("a.csv", "a.csv"), ("a.csv", "b.csv")], DIFFER) == ["for_the_same_file", "for_current_b"]


def test_options_of_the_program_itself_are_given_before_a_subcommand():
    parser = {
        "arguments": [told("verbose", flags=["-v", "--verbose"], flag=True), told("help", flags=["--help"], flag=True)],
        "commands": {"put": {"arguments": [told("name")]}, "ship": {"arguments": []}},
    }
    lines = [run.commands[0] for run in single_runs(ProgramFacts(commands_of(parser), (), InputFormats(), ()))]
    assert [line for line in lines if line[0].startswith("-")] == [("--verbose", "put", lines[0][1])]


def test_an_argument_that_names_a_column_is_given_those_of_the_table_that_is_read():
    key = told("key", flags=["--key"], help="Column to use as a unique id")
    wide = told("width", flags=["--width"], help="Width of a column")
    commands = commands_of({"arguments": [told("source", type="Path"), key, wide]})
    reading = InputFormats((("name", ""), ("pieces", "int")), ("csv",))
    lines = [run.commands[0] for run in single_runs(ProgramFacts(commands, (), reading, ()))]
    assert [line[-1] for line in lines if "--key" in line] == ["name", "pieces"]
    assert [line[-1] for line in lines if "--width" in line] == ["hello", "world"]


@pytest.mark.parametrize(
    ("table", "other"),
    [
        ("id\tname\n1\tCleo\n2\tPancakes\n3\tRex\n", "id\tname\n1\tCleos\n3\tRex\n"),
        ("id\tname\n1\tCleo\n", "id\tname\n1\tCleo\n2\tCleos\n"),
        ("id\tname\n", "id\tname\ndate\tdate\n"),
        ("", "\ndate\n"),
        ("name\tprice\ntea\t3.50\ncup\t12.00\n", "name\tprice\ntea\t4.50\n"),
        ("name\tday\ntea\t2024-05-03\ncup\t2023-12-31\n", "name\tday\nteas\t2024-05-03\n"),
        ("name\tsold\ntea\ttrue\ncup\tfalse\n", "name\tsold\nteas\ttrue\n"),
        ('id\tname\n007\t"a\ttea"\n008\tcup\n', 'id\tname\n007\t"a\tteas"\n'),
    ],
)
def test_another_version_of_a_table_has_a_changed_row_and_a_row_less_or_one_more_and_stays_valid(table, other):
    assert altered_table(table, "\t") == other


def reporting(*words: str, out: str, code: int = 3, err: str = ""):
    return ProgramRun((), (words,), ()), RunObservation((CommandResult(code, out, err, "exited"),), {}, {})


def test_a_linter_that_tells_by_its_code_is_tried_with_the_numbers_that_it_prints():
    least = told("least", flags=["--least"], type="int")
    commands = commands_of({"arguments": [told("path", type="Path"), least]})
    seen = [reporting("x.py", "--least", "12", out="x.py:4: unused (60% sure)\nx.py:9: unused (90% sure)\n")]
    assert [run.commands[0][-1] for run in boundary_runs(seen, commands)] == ["4", "60", "9", "90"]
    failed = [reporting("x.py", "--least", "12", out="4 of 60\n", err="cannot read x.py\n")]
    assert boundary_runs(failed, commands) == []


def test_an_option_of_a_linter_is_behaviour_and_one_of_a_failure_is_none():
    found = [_behaviour(*reporting("x.py", "--all", out="x.py:4: unused\n", err=err), ()) for err in ("", "no file\n")]
    assert [any(kind == "option" for kind, *_ in one) for one in found] == [True, False]


def test_a_run_is_dropped_whose_options_or_further_files_change_nothing_that_a_user_sees():
    runs = {
        words: reporting(*words, out=out, code=0)
        for words, out in {
            ("a.txt",): "4 lines\n",
            ("a.txt", "--encoding", "utf-8"): "4 lines\n",
            ("--strict", "a.txt", "b.txt"): "4 lines\n",
            ("a.txt", "--words"): "9 words\n",
            ("b.txt",): "4 lines\n",
        }.items()
    }
    idle = {run.commands[0] for run in idle_runs(dict(runs.values()))}
    assert idle == {("a.txt", "--encoding", "utf-8"), ("--strict", "a.txt", "b.txt")}


@pytest.mark.parametrize(
    ("out", "told"),
    [
        ("usage: tool [-h] name\n\noptions:\n  -h, --help  show this\n", True),
        (" Usage: tool [OPTIONS] COMMAND\n\n╭─ Options ─╮\n│ --help  Show this. │\n", True),
        ("usage: 40 % of 12 GB\n", False),
        ("4 lines\n", False),
    ],
)
def test_a_run_that_only_tells_how_its_program_is_called_gets_no_test(out, told):
    _, result = reporting("tool", out=out, code=0)
    assert bool(rejection_reason(result)) == told


def test_the_folder_of_a_documented_line_holds_a_file_and_options_are_tried_beside_it():
    commands = commands_of(
        {"arguments": [told("paths", type="Path"), told("strict", flags=["--strict"], action="flag")]}
    )
    facts = ProgramFacts(commands, ((".",),), InputFormats((), ("yaml",)), ())
    documented, *_ = runs = single_runs(facts)
    assert (documented.commands, [name for name, _ in documented.files]) == (((".",),), ["paths.yaml"])
    assert all(name != "." for run in runs for name, _ in run.files)


def test_a_program_runs_without_the_variables_by_which_its_caller_changes_what_it_does(tmp_path):
    source = (
        "import os\n\nCOLOUR = os.environ.get('TOOL_COLOUR')\nIN_CI = 'BUILD_ID' in os.environ\n"
        "PLACE = os.environ['HOME']\nKEY = os.getenv('TOOL_KEY')\nPLAIN = os.environ.get('NO_COLOR')\n"
    )
    make_project(tmp_path, {"pkg/cli.py": source, "pkg/__init__.py": ""})
    unset = variables_of(tmp_path, find_layout(tmp_path).modules, {"TOOL_KEY"})
    assert unset == ("BUILD_ID", "TOOL_COLOUR")
    place = ModulePlace("pkg/cli.py", "pkg.cli", ".")
    helper = helper_of(ProjectProgram("tool", place, ("-m", "pkg.cli")), unset)
    assert '    for name in ("BUILD_ID", "TOOL_COLOUR"):\n        environment.pop(name, None)\n    return' in helper


def test_an_option_of_one_letter_is_named_by_its_long_form():
    options = [told("format", flags=["-f", "--format"], flag=True), told("strict", flags=["-s", "--strict"], flag=True)]
    (command,) = commands_of({"arguments": [*options, told("name")]})
    assert names_of([("-f", "x.yaml"), ("-s", "x.yaml")], command) == ["with_format", "with_strict"]
    assert names_of([(".",), ("x.yaml",)], command)[0] == "for_the_folder"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[Errno 2] No such file: 'a.txt'\n", "No such file: 'a.txt'"),
        ("usage: tool [-h] name\ntool: error: too few names\n", "too few names"),
        ("usage: tool add [-h] name\ntool add: error: too few names\n", "too few names"),
        ("Usage: tool add NAME\n\nError: Missing argument 'NAME'.\n", "Missing argument 'NAME'."),
        ("bad config: unclosed list\n  in line 2:\n    ^\n", "bad config: unclosed list"),
        ("notes.yaml\n  2:1   error  unclosed list\n", "error  unclosed list"),
    ],
)
def test_what_a_failing_program_says_is_read_from_the_line_that_tells_the_cause(text, cause):
    program = ProjectProgram("tool", ModulePlace("pkg/cli.py", "pkg.cli", "."), ("-m", "pkg.cli"))
    assert told_cause(text, program) == cause


def test_output_that_differs_in_the_names_of_the_files_alone_says_the_same():
    def said(name: str, text: str) -> str:
        return without_names(text, ProgramRun(((name, "x = 1\n"),), ((name,),), ()))

    assert said("a.py", "./a.py:1: unused\n") == said("other.py", "other.py:1: unused\n") == "<file>:1: unused\n"
    assert said("a", "main: see a, data\n") == "main: see <file>, data\n"


def test_an_option_called_output_whose_help_speaks_of_a_file_names_one():
    helps = {
        "output": "output file path ('-' for stdout)",
        "out": "output file format",
        "title": "title of the file",
    }
    (command,) = commands_of(
        {"arguments": [told(name, flags=[f"--{name}"], help=text) for name, text in helps.items()]}
    )
    assert [argument.kind for argument in command.arguments] == ["output", "text", "text"]
