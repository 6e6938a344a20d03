"""Integration tests of a small package from a request to files in the project, by the real command and real Jest."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.project import JEST
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.runs.command_line import invoke_command
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.e2e, pytest.mark.feature("T-10", "T-20")]

ENVIRONMENT = {"XDG_CACHE_HOME": str(MACHINE_CACHE)}
FILES = {
    "package.json": '{"name": "notes", "bin": "notes.js"}',
    "README.md": "```sh\nnotes add tea\nnotes count\n```\n",
    "titles.js": "exports.titled = (text) => text.charAt(0).toUpperCase() + text.slice(1);\n",
    "board.js": """const { appendFileSync, existsSync, readFileSync } = require('fs');
const { titled } = require('./titles');

class Board {
  /** @param {string} path of the file */
  constructor(path) {
    this.path = path;
  }

  /** @param {string} text */
  add(text) {
    appendFileSync(this.path, `${titled(text)}\\n`);
    return this.texts().length;
  }

  texts() {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8').trim().split('\\n') : [];
  }
}

module.exports = { Board };
""",
    "notes.js": """const { Board } = require('./board');

const [command, text] = process.argv.slice(2);
const board = new Board('notes.txt');
console.log(command === 'add' ? board.add(text) : board.texts().length);
""",
}


def test_flows_across_modules_a_file_and_a_program_are_kept_and_pass_three_times_as_a_person_starts_them(
    tmp_path: Path,
) -> None:
    root = make_project(tmp_path / "notes", FILES)

    outcome = invoke_command(
        "run", "integration tests with jest", "--root", str(root), cwd=root, environment=ENVIRONMENT
    )

    assert outcome.code == 0, outcome
    generated = root / "tests" / "generated" / "integration"
    board = (generated / "board.test.js").read_text()
    assert "const board = new Board(join(folder, 'board.txt'));" in board
    assert "prints 1 for count after add tea" in (generated / "notes.test.js").read_text()
    jest = JEST.install(cache_folders(root, ENVIRONMENT)).folder / "node_modules" / "jest" / "bin" / "jest.js"
    command = [str(find_node().path), str(jest), "--rootDir", ".", "--config", "{}", "--ci"]
    for _ in range(3):
        done = subprocess.run(command, cwd=root, env={**os.environ}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    # A fault in the module that the board uses is noticed through the board.
    (root / "titles.js").write_text("exports.titled = (text) => text;\n")
    done = subprocess.run(command, cwd=root, env={**os.environ}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
