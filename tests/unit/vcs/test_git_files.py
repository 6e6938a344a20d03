"""What a repository's configuration names is found in every form that git reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from testwright.vcs.git_files import unreadable_git_file

NAMES = [
    "[core]\n\texcludesFile = {0}{1}",
    "[core]\n\texcludesFile = {0}{1} ; patterns",
    "[core]\n\texcludesFile = {0}{1}# patterns",
    "[core] excludesFile = {0}{1}",
    '[remote "a=]#"]excludesFile = {0}{1}',
    '[core]\n\texcludesFile = "{0}"{1}',
    '[core]\n\texcludesFile = "{0}{1}" ; "patterns"',
    "[core]\n\texcludesFile = {0}\\\n{1}",
    "[core]\r\n\texcludesFile = {0}{1}\r\n",
    "[include]\n\tpath = {0}{1}",
]
NAMES_NOT = ["# excludesFile = {0}{1}", "\t; excludesFile = {0}{1}", '[core "{0}{1}', "[core]\n\tbare"]


def _found(folder: Path, configuration: str) -> Path | None:
    (folder / ".git").mkdir()
    pipe = folder / "beside" / "pipe"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    text = configuration.format(str(pipe)[:-2], str(pipe)[-2:])
    (folder / ".git" / "config").write_text(text, newline="")
    return unreadable_git_file(folder)


@pytest.mark.parametrize("configuration", NAMES)
def test_a_pipe_is_found_in_every_form_of_a_setting(configuration: str, tmp_path: Path) -> None:
    assert _found(tmp_path, configuration) == tmp_path / "beside" / "pipe"


@pytest.mark.parametrize("configuration", NAMES_NOT)
def test_what_is_no_setting_names_nothing(configuration: str, tmp_path: Path) -> None:
    assert _found(tmp_path, configuration) is None
