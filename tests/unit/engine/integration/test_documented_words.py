"""A plain word behind a program's name is a file only where a document surely shows a command."""

import pytest

from testwright.engine.integration.model.programs import find_programs
from testwright.engine.integration.programs.arguments import commands_of
from testwright.engine.integration.programs.documented import documented_commands
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import make_project


def documented(tmp_path, text):
    make_project(tmp_path, {**DEPOT, "README.md": text})
    layout = find_layout(tmp_path)
    (program,) = find_programs(tmp_path, layout)
    source = {"name": "source", "flags": [], "type": "Path", "default": None, "has_default": False}
    return documented_commands(tmp_path, layout, program, commands_of({"arguments": [source]}))


@pytest.mark.parametrize(
    "text",
    [
        "```sh\ndepot teas\n```\n",
        "```\ndepot teas\n```\n",
        "~~~console\n$ depot teas\n~~~\n",
        "* so\n\n  ```{.bash}\n  depot teas\n  ```\n",
        "```\n> depot teas\ndepot documentation\n```\n",
        "```text\n$ depot teas\n```\n",
        "Run\n\n    $ depot teas\n",
    ],
)
def test_what_stands_behind_a_prompt_or_in_a_block_for_a_shell_is_a_command(tmp_path, text):
    assert documented(tmp_path, text) == [("teas",)]


@pytest.mark.parametrize(
    "text",
    [
        "Use ``` for code.\n\ndepot documentation\n",
        "Use ```depot``` so.\n\ndepot documentation\n",
        "````\n```\n````\ndepot documentation\n",
        "~~~\n```\n~~~\ndepot documentation\n",
        "```\nnothing closes this\n\ndepot documentation\n",
        "```python\ndepot documentation\n```\n",
        "```text\ndepot documentation\n```\n",
        "> depot documentation\n",
    ],
)
def test_prose_behind_code_quotations_and_output_is_none(tmp_path, text):
    assert documented(tmp_path, text) == []
