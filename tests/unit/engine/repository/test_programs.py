"""Command line programs that a survey of a repository finds."""

from __future__ import annotations

from testwright.engine.repository.survey import survey

TYPER = """import typer

app = typer.Typer()


@app.command()
def add_item(name: str) -> None:
    print(name)


@app.command("list")
def show() -> None:
    print("nothing")
"""
CLICK = """import click as c


@c.group()
def main():
    pass


@main.command(name="push")
def push_it():
    pass


if __name__ == "__main__":
    main()
"""
ARGPARSE = """from argparse import ArgumentParser


def build():
    parser = ArgumentParser()
    commands = parser.add_subparsers()
    commands.add_parser("report")
    return parser
"""


def found(texts: dict[str, str]) -> list[tuple[str, str, str, int, tuple[str, ...]]]:
    programs = survey(list(texts), texts).programs
    return [(one.name, one.framework, one.file, one.line, one.commands) for one in programs]


def test_a_typer_application_behind_a_console_script():
    texts = {"pyproject.toml": '[project.scripts]\nshop = "shop.cli:app"\n', "src/shop/cli.py": TYPER}
    assert found(texts) == [("shop", "typer", "src/shop/cli.py", 3, ("add-item", "list"))]


def test_a_click_group_that_is_started_as_a_file():
    assert found({"tool.py": CLICK}) == [("python tool.py", "click", "tool.py", 4, ("push",))]


def test_a_parser_in_a_module_that_the_script_imports_is_one_program():
    texts = {
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    depot = depot.main:run\n",
        "depot/main.py": "from depot.parser import build\n\n\ndef run():\n    build().parse_args()\n",
        "depot/parser.py": ARGPARSE,
    }
    assert found(texts) == [("depot", "argparse", "depot/main.py", 4, ("report",))]


def test_a_package_that_runs_with_dash_m_and_a_file_that_guards_its_main():
    texts = {"src/a/__main__.py": "print(1)\n", "b.py": "if __name__ == '__main__':\n    print(2)\n"}
    assert found(texts) == [
        ("python b.py", "", "b.py", 1, ()),
        ("python -m a", "", "src/a/__main__.py", 1, ()),
    ]


def test_a_library_module_with_a_parser_that_nothing_starts_is_no_program():
    assert found({"depot/parser.py": ARGPARSE}) == []


def test_tests_and_files_that_do_not_parse_are_no_programs():
    assert (
        found({"tests/test_cli.py": CLICK, "broken.py": "import click\ndef (:\n", "pyproject.toml": "[project\n"}) == []
    )


def test_the_smallest_depth_reads_programs():
    texts = {"pyproject.toml": '[project.scripts]\nshop = "shop.cli:app"\n', "shop/cli.py": TYPER, "shop/other.py": ""}
    assert survey(list(texts), texts).at("smoke", list(texts)) == ["pyproject.toml", "shop/cli.py"]
