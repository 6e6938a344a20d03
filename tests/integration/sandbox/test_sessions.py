"""Speaking with a program line by line, in both kinds of sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.core.errors import SandboxFailure
from testwright.sandbox.protocol import Limits, Sandbox
from testwright.tests.support.engine.sandboxes import python_program

pytestmark = pytest.mark.feature("B-05")

REVERSE = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"


async def test_lines_go_both_ways(sandbox: Sandbox, tmp_path: Path) -> None:
    async with sandbox.session(python_program(REVERSE, tmp_path)) as session:
        await session.send(b"abc")
        assert await session.receive(120) == b"cba"
        await session.send(b"")
        await session.send(b"12")
        assert [await session.receive(120), await session.receive(120)] == [b"", b"21"]


async def test_a_line_may_be_larger_than_any_pipe(sandbox: Sandbox, tmp_path: Path) -> None:
    async with sandbox.session(python_program(REVERSE, tmp_path)) as session:
        sending = asyncio.create_task(session.send(b"ab" * 1_000_000))
        line = await session.receive(120)
        await sending
    assert line == b"ba" * 1_000_000


async def test_silence_is_a_timeout_and_nothing_is_lost(sandbox: Sandbox, tmp_path: Path) -> None:
    async with sandbox.session(python_program(REVERSE, tmp_path)) as session:
        with pytest.raises(TimeoutError):
            await session.receive(0.05)
        await session.send(b"late")
        assert await session.receive(120) == b"etal"


async def test_the_end_is_none_after_an_unfinished_line(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('one\\ntwo'); sys.exit(4)"
    async with sandbox.session(python_program(code, tmp_path)) as session:
        assert [await session.receive(120) for _ in range(4)] == [b"one", b"two", None, None]
        completed = await session.ended()
    assert completed.exit_code == 4


async def test_what_was_not_received_is_in_the_end(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import sys; print('one\\ntwo\\nthree'); print('oops', file=sys.stderr)"
    async with sandbox.session(python_program(code, tmp_path)) as session:
        assert await session.receive(120) == b"one"
        completed = await session.ended()
    assert (completed.stdout, completed.stderr) == (b"two\nthree\n", b"oops\n")


async def test_sending_to_a_program_that_has_ended_is_a_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    async with sandbox.session(python_program("", tmp_path)) as session:
        await session.ended()
        with pytest.raises(SandboxFailure, match="has ended"):
            await session.send(b"x" * 1_000_000)


async def test_the_wall_clock_holds_for_a_session(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=0.3)
    async with sandbox.session(python_program("import time; time.sleep(3600)", tmp_path, limits=limits)) as session:
        assert await session.receive(120) is None
        assert (await session.ended()).ending == "wall_clock"


async def test_a_session_that_is_left_can_still_tell_what_was_said(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import sys, time; print('dying', file=sys.stderr, flush=True); print('x', flush=True); time.sleep(3600)"
    async with sandbox.session(python_program(code, tmp_path)) as session:
        await session.receive(120)
    completed = await session.ended()
    assert completed.ending == "signalled"
    assert completed.stderr == b"dying\n"
