"""The console: what a target says cannot steer the terminal, colours of ours stay."""

import io

from rich.progress import Progress
from rich.table import Table

from testwright.cli.console import Console

ESCAPES = "\x1b[2J\x1b]0;owned\u202e\udcff"
SHOWN = r"\x1b[2J\x1b]0;owned\u202e\udcff"


def shown(work, **options):
    file = io.StringIO()
    work(Console(file=file, width=200, **options))
    return file.getvalue()


def test_escapes_in_a_text_are_shown_and_not_sent():
    assert shown(lambda console: console.print(ESCAPES, markup=False)) == f"{SHOWN}\n"


def test_escapes_in_a_table_are_shown_and_not_sent():
    table = Table("name")
    table.add_row(ESCAPES)
    text = shown(lambda console: console.print(table))
    assert r"\x1b[2J" in text
    assert "\x1b" not in text


def test_colours_of_our_own_are_sent():
    text = shown(lambda console: console.print(f"[red]{ESCAPES}[/]"), force_terminal=True, color_system="standard")
    assert text == f"\x1b[31m{SHOWN}\x1b[0m\n"


def test_escapes_in_the_description_of_a_progress_bar_are_shown_and_not_sent():
    def work(console):
        with Progress(console=console) as progress:
            progress.add_task(ESCAPES, total=1)

    text = shown(work, force_terminal=True, color_system=None)
    assert r"\x1b[2J" in text
    assert "\x1b[2J" not in text
    assert "\x1b]0" not in text
