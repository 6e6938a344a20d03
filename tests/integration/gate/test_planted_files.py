"""Tests that put links, pipes and heaps of data where the gate reads and writes: nothing is followed, nothing waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.gate.model.options import SuiteOptions
from testwright.gate.runner.suite import run_suite
from testwright.sandbox.protocol import SandboxKind
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-05")

PATH = "tests/generated/test_trap.py"
FILES = {"src/shop/__init__.py": "", "src/shop/cart.py": "def total(price, count):\n    return price * count\n"}
OPTIONS = SuiteOptions(measure=("src/shop/cart.py",), wall_seconds=600, restarts=0)
# Swaps a file of the gate's once pytest has written its last word, as code under test can.
TRAP = """
import atexit, glob, os
from shop.cart import total

SCRATCH = os.path.dirname(os.environ["HOME"])


def test_total():
    assert total(3, 2) == 6
    real = os._exit

    def leave(code):
        for path in glob.glob(SCRATCH + "/gate-*/{name}"):
            os.unlink(path)
            {action}
        real(code)

    os._exit = leave
"""
ACTIONS = {
    "a link to an endless device": 'os.symlink("/dev/zero", path)',
    "a link to a file of the host": 'os.symlink("/etc/passwd", path)',
    "a pipe": "os.mkfifo(path)",
    "a folder": "os.mkdir(path)",
    "200 MB": "os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 200_000_000)",
    "deep nesting": 'open(path, "w").write("[" * 1_000_000)',
}


@pytest.mark.parametrize(
    ("name", "action"),
    [("results.jsonl", "a pipe"), ("results.jsonl", "200 MB"), *(("coverage.json", action) for action in ACTIONS)],
)
async def test_results_that_are_no_plain_file_end_the_run_with_an_error(tmp_path: Path, name: str, action: str) -> None:
    text = TRAP.replace("{name}", name).replace("{action}", ACTIONS[action])
    async with prepared(tmp_path, FILES) as target:
        with pytest.raises(EnvironmentFault):
            await run_suite(target, {PATH: text}, framework="pytest", options=OPTIONS)


FORGED = """
import glob, os

SCRATCH = os.path.dirname(os.environ["HOME"])
LINES = ['{"kind": "session"}', '{"kind": "collected", "nodeids": 3}', '{"kind": "test"}', '[1]', '{"kind": []}']


def test_forges():
    for path in glob.glob(SCRATCH + "/gate-*/results.jsonl"):
        with open(path, "a") as file:
            file.write("\\n".join(LINES) + "\\n")
"""


async def test_lines_in_another_form_are_left_out_of_the_record(tmp_path: Path) -> None:
    async with prepared(tmp_path, FILES) as target:
        result = await run_suite(target, {PATH: FORGED}, framework="pytest", options=OPTIONS)
    assert [test.outcome for test in result.tests] == ["passed"]


WRITES = """
import glob, os
from pathlib import Path

FOLDER = Path(os.environ["HOME"]).parent.parent


def test_writes_where_requests_lie():
    (request,) = FOLDER.glob("requests/gate-*/request.json")
    done = []
    for act in (
        lambda: request.write_text("{}"),
        lambda: request.unlink(),
        lambda: request.with_name("plan.part").symlink_to("/etc/passwd"),
        lambda: request.parent.rename(FOLDER / "requests" / "other"),
        lambda: (FOLDER / "requests").rename(FOLDER / "other"),
    ):
        try:
            act()
        except OSError:
            continue
        done.append(act)
    assert done == []
"""


@pytest.mark.parametrize("kind", ["bubblewrap", "weak"])
async def test_what_a_program_is_given_to_read_it_cannot_change(tmp_path: Path, kind: SandboxKind) -> None:
    async with prepared(tmp_path, FILES, kind=kind) as target:
        result = await run_suite(target, {PATH: WRITES}, framework="pytest", options=OPTIONS)
    assert [(test.outcome, test.failure) for test in result.tests] == [("passed", None)]
