"""Modules of the project that are called like those which tests rely on, and files that tools run by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import generated_text, hostile_project, run_on
from testwright.tests.support.projects.files import Outcome

pytestmark = pytest.mark.feature("B-05")

SHADOWS = ("json", "types", "random", "re", "site", "encodings", "os", "pytest", "coverage", "_pytest", "pluggy")
RUN_BY_THEMSELVES = ("conftest.py", "sitecustomize.py", "usercustomize.py", "setup.py", "evil_plugin.py", "noxfile.py")
BODY = 'def double(n: int) -> int:\n    """Twice.\n\n    >>> double(2)\n    4\n    """\n    return n * 2\n'


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    folder = tmp_path_factory.mktemp("shadows")
    mark = f"open({str(folder / 'ran')!r}, 'a').write(__name__)\n"
    files = {f"{name}.py": f"try:\n    {mark}except OSError:\n    pass\n\n\n{BODY}" for name in SHADOWS}
    files |= dict.fromkeys(RUN_BY_THEMSELVES, f"try:\n    {mark}except OSError:\n    pass\n")
    files |= {"pytest.ini": "[pytest]\naddopts = -p evil_plugin\n", "profile.py": BODY}
    root = hostile_project(folder / "project", files)
    with unharmed(root, marker=str(root)):
        return root, run_on(root, apart=True)


def test_nothing_runs_outside_the_sandbox(ran: tuple[Path, Outcome]) -> None:
    assert not (ran[0].parent / "ran").exists()


def test_other_modules_get_their_tests(ran: tuple[Path, Outcome]) -> None:
    root, outcome = ran
    assert outcome.code == ExitCode.PARTIAL, outcome
    assert "from pk.good import double" in generated_text(root)


def test_a_module_that_only_shares_a_name_which_no_tool_uses_gets_its_tests(ran: tuple[Path, Outcome]) -> None:
    assert "from profile import double" in generated_text(ran[0])


@pytest.mark.parametrize("name", SHADOWS)
def test_a_name_that_tools_use_is_said_to_be_taken(name: str, ran: tuple[Path, Outcome]) -> None:
    shown = [line for line in ran[1].out.splitlines() if line.strip().startswith(f"{name}.py: ")]
    assert any("is a module that the test tools use" in line or "has the same name" in line for line in shown), shown
