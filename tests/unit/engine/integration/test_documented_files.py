"""Files whose contents documents show are what a program is given; no other block is taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.integration.programs.documented_files import documented_files, file_of_name
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-20")
TABLE = "id,name\n1,Cleo\n"


def files_in(folder: Path, text: str) -> list[tuple[str, str]]:
    make_project(folder, {"tool.py": "", "README.md": text})
    return documented_files(folder, find_layout(folder))


@pytest.mark.parametrize(
    "text",
    [
        "`one.csv`\n\n    id,name\n    1,Cleo\n",
        "**one.csv**:\n```\nid,name\n1,Cleo\n```\n",
        "### one.csv\n\n```csv\nid,name\n1,Cleo\n```\n",
        "Given a `one.csv` file containing the following:\n```\nid,name\n1,Cleo\n```\n",
        "Say your file\n`one.csv` looks like this:\n\n~~~csv\nid,name\n1,Cleo\n~~~\n\nThen run it.\n",
        "* consider `one.csv`\n\n  ```\n  id,name\n  1,Cleo\n  ```\n",
    ],
)
def test_the_block_below_a_line_that_names_a_file_is_what_it_holds(tmp_path: Path, text: str) -> None:
    assert files_in(tmp_path, text) == [("one.csv", TABLE)]


@pytest.mark.parametrize(
    "text",
    [
        "`one.csv`\n\n    $ tool one.csv\n    id,name\n",
        "Give it `one.csv`:\n\n```sh\ntool one.csv\n```\n",
        "Give it `one.csv`:\n\n```\nid,name\n1,Cleo\n```\n",
        "`one.csv` and `two.csv` look like this:\n\n```\nid,name\n1,Cleo\n```\n",
        "See data/one.csv, which has:\n\n```\nid,name\n1,Cleo\n```\n",
        "A `tool.exe` with this:\n\n```\nid,name\n1,Cleo\n```\n",
        "`one.csv` has a header.\n\nThe output:\n\n```\nid,name\n1,Cleo\n```\n",
        "`one.csv`\n\n```python\nid = 1\n```\n",
        "Running it with `one.csv` prints the following:\n\n```\nid,name\n1,Cleo\n```\n",
        "Summarise `one.csv` with:\n\n```\ntool one.csv --json\n```\n",
        "`one.csv` looks like this:\n\n```json\n[1]\n```\n",
    ],
)
def test_commands_output_and_what_names_no_file_or_several_are_none(tmp_path: Path, text: str) -> None:
    assert files_in(tmp_path, text) == []


def test_tabs_between_the_cells_of_a_table_stay(tmp_path: Path) -> None:
    assert files_in(tmp_path, "`one.tsv`\n\n    id\tname\n    1\tCleo\n") == [("one.tsv", "id\tname\n1\tCleo\n")]


def test_of_two_blocks_for_a_name_the_first_counts_and_a_second_file_is_its_own(tmp_path: Path) -> None:
    text = "`one.csv`\n\n    id\n    1\n\n`two.csv`\n\n    id\n    2\n\n`one.csv`\n\n    id\n    3\n"
    assert files_in(tmp_path, text) == [("one.csv", "id\n1\n"), ("two.csv", "id\n2\n")]


def test_a_file_is_found_by_its_name_and_by_the_other_ending_of_yaml() -> None:
    files = [("dogs.yml", "- Cleo\n"), ("one.csv", TABLE)]
    assert file_of_name(files, "one.csv") == ("one.csv", TABLE)
    assert file_of_name(files, "dogs.yaml") == ("dogs.yaml", "- Cleo\n")
    assert file_of_name(files, "one.tsv") is None
