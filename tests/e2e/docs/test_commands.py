"""Every command in README.md and docs/ runs as written.

A fenced `sh` block holds one command a line; a comment `# exits N` names an exit code other than 0. The commands of
one page run in order in one fresh copy of the examples, as a reader would type them: those of the README in a shell.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.tests.support.projects.files import copy_of_shop
from testwright.tests.support.runs.command_line import invoke_command

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[tuple[str, int]]:
    found = []
    for block in BLOCK.findall(page.read_text()):
        for line in block.replace("\\\n", " ").splitlines():
            command, _, comment = line.partition("  #")
            if command.strip():
                code = re.search(r"exits (\d+)", comment)
                found.append((command.strip(), int(code.group(1)) if code else 0))
    return found


@pytest.fixture(scope="module")
def clones(tmp_path_factory):
    return tmp_path_factory.mktemp("clones")


@pytest.fixture
def checkout(clones):
    """What a clone holds of what the pages speak of, and what was explored of the example for an earlier page.

    Clones lie at one path, because explorations belong to it: each page would explore the same code again.
    """
    copy, kept = clones / "testwright", clones / "explored"
    explored = copy / "examples" / "shop" / ".testwright" / "cache"
    if explored.exists():
        explored.rename(kept)
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for name in ("main.py", "Makefile", "pyproject.toml", "constraints.txt", "requirements.txt"):
        shutil.copy2(ROOT / name, copy / name)
    left_out = shutil.ignore_patterns(".testwright", "generated", "shop")
    shutil.copytree(ROOT / "examples", copy / "examples", ignore=left_out)
    copy_of_shop(copy / "examples")
    if kept.exists():
        explored.parent.mkdir()
        kept.rename(explored)
    return copy


@pytest.mark.feature("T-19")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_written(page, checkout):
    # Where requests are read strictly, so that no sentence of the documentation holds a word that is not understood.
    environment = {**os.environ, "CI": "true", "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command, code in commands(page):
        words = shlex.split(command)
        if words[0] == "make":
            command = shlex.join(["make", "--dry-run", *words[1:]])
        elif words[0] not in {"python", "cat", "ls", "pip", "git"}:
            pytest.fail(f"{page.name}: {command!r} is no command that a page may hold")
        if words[0] in {"pip", "git"} or words[:3] == ["python", "-m", "pip"]:
            continue
        is_typed = (page.name == "README.md" and words[2:3] == ["run"]) or set("|>&;$*") & set(command)
        if words[:2] == ["python", "main.py"] and not is_typed:
            # Runs of the README are typed into a shell; from there on the words alone make the difference.
            outcome = invoke_command(*words[2:], cwd=checkout)
            assert outcome.code == code, f"{page.name}: {command}\n{outcome.out}\n{outcome.err}"
            continue
        done = subprocess.run(
            command, shell=True, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{page.name}: {command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.smoke
def test_the_readme_names_its_two_commands():
    words = [command for command, _ in commands(ROOT / "README.md")]
    assert words[:2] == ["make demo", "make test"]
