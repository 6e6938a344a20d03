"""However a program is left, no process of it stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from testwright.sandbox.protocol import Sandbox
from testwright.tests.support.engine.sandboxes import marked, new_marker, python_program

pytestmark = pytest.mark.feature("B-05")

SPREADS = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(3600)
with open(sys.argv[1], "w") as pipe:
    pipe.write("running")
time.sleep(3600)
"""


@pytest.fixture
def announcement(tmp_path: Path) -> Path:
    """A named pipe: reading it waits until a program has written to it."""
    path = tmp_path / "announcement"
    os.mkfifo(path)
    return path


async def test_cancelling_a_running_program_ends_its_whole_tree(
    sandbox: Sandbox, tmp_path: Path, announcement: Path
) -> None:
    marker = new_marker()
    task = asyncio.create_task(sandbox.run(python_program(SPREADS, tmp_path, str(announcement), marker)))
    assert await asyncio.to_thread(announcement.read_text) == "running"
    assert len(marked(marker)) >= 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert marked(marker) == []


async def test_cancelling_again_and_again_does_not_cut_the_clearing_short(
    sandbox: Sandbox, tmp_path: Path, announcement: Path
) -> None:
    marker = new_marker()
    task = asyncio.create_task(sandbox.run(python_program(SPREADS, tmp_path, str(announcement), marker)))
    await asyncio.to_thread(announcement.read_text)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    assert task.cancelled()
    assert marked(marker) == []


@pytest.mark.parametrize("turns", range(5))
async def test_cancelling_while_it_starts_leaves_nothing(sandbox: Sandbox, tmp_path: Path, turns: int) -> None:
    marker = new_marker()
    task = asyncio.create_task(sandbox.run(python_program("import time; time.sleep(3600)", tmp_path, marker)))
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert marked(marker) == []


async def test_a_session_left_in_the_middle_ends_its_tree(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = new_marker()
    code = "import os, time\nif os.fork() == 0:\n  os.setsid()\n  print('ready', flush=True)\ntime.sleep(3600)"

    async def leave_early() -> None:
        async with sandbox.session(python_program(code, tmp_path, marker)) as session:
            assert await session.receive(120) == b"ready"
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        await leave_early()
    assert marked(marker) == []


async def test_a_timeout_around_a_run_ends_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = new_marker()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await sandbox.run(python_program("import time; time.sleep(3600)", tmp_path, marker))
    assert marked(marker) == []


@pytest.mark.parametrize("kind", ["bubblewrap", "weak"])
def test_when_our_own_process_is_killed_its_programs_end(
    kind: str, tmp_path: Path, announcement: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(kind)
    marker = new_marker()
    script = textwrap.dedent(f"""
        import asyncio, sys
        from pathlib import Path
        from testwright.sandbox.opening import open_sandbox
        from testwright.tests.support.engine.sandboxes import python_program
        asyncio.run(open_sandbox({kind!r}).run(
            python_program({SPREADS!r}, Path({str(tmp_path)!r}), {str(announcement)!r}, {marker!r})))
    """)
    with subprocess.Popen([sys.executable, "-c", script]) as host:
        assert announcement.read_text() == "running"
        programs = marked(marker)
        host.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(programs, timeout=120)
    assert len(programs) >= 4
    assert alive == []


async def test_many_programs_at_once_do_not_mix_up(sandbox: Sandbox, tmp_path: Path) -> None:
    programs = [python_program(f"print({number})", tmp_path) for number in range(6)]
    completed = await asyncio.gather(*(sandbox.run(program) for program in programs))
    assert [int(one.stdout) for one in completed] == list(range(6))


async def test_no_descriptor_is_left_open(sandbox: Sandbox, tmp_path: Path) -> None:
    await sandbox.run(python_program("", tmp_path))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    for _ in range(3):
        await sandbox.run(python_program("", tmp_path))
    async with sandbox.session(python_program("", tmp_path)):
        pass
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208 - a count
