"""What both kinds of sandbox promise about one program."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from testwright.core.errors import SandboxFailure
from testwright.sandbox.protocol import Limits, Program, Sandbox
from testwright.tests.support.engine.sandboxes import marked, new_marker, python_program

pytestmark = pytest.mark.feature("B-05")


async def test_output_errors_and_exit_code_come_back(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    completed = await sandbox.run(python_program(code, tmp_path))
    assert (completed.exit_code, completed.ending, completed.stdout) == (3, "exited", b"out\n")
    assert completed.stderr == b"err\n"
    assert completed.seconds > 0


async def test_standard_input_larger_than_a_pipe_arrives_whole(sandbox: Sandbox, tmp_path: Path) -> None:
    given = b"0123456789" * 100_000
    code = "import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    first = await sandbox.run(python_program(code, tmp_path, stdin=given))
    second = await sandbox.run(python_program(code, tmp_path, stdin=given[:-1]))
    assert len(first.stdout) == len(second.stdout) == 65
    assert first.stdout != second.stdout


async def test_a_program_that_ignores_its_input_is_no_error(sandbox: Sandbox, tmp_path: Path) -> None:
    completed = await sandbox.run(python_program("print('done')", tmp_path, stdin=b"x" * 1_000_000))
    assert completed.stdout == b"done\n"


async def test_nothing_of_our_environment_is_inherited(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    completed = await sandbox.run(python_program(code, tmp_path, environment={"GREETING": "héllo = wörld"}))
    seen = json.loads(completed.stdout)
    assert seen.pop("GREETING") == "héllo = wörld"
    assert set(seen) <= {"PWD", "LC_CTYPE"}


async def test_arguments_and_paths_may_be_unicode_with_spaces(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "ein Ördner mit 'quotes'"
    folder.mkdir()
    code = "import os, sys; print(os.getcwd()); print(sys.argv[1]); open('näme', 'w').write('x')"
    completed = await sandbox.run(python_program(code, folder, 'ä b"c', environment={"PYTHONUTF8": "1"}))
    assert completed.stdout.decode() == f'{folder}\nä b"c\n'
    assert (folder / "näme").read_text() == "x"


async def test_a_signal_is_a_negative_exit_code(sandbox: Sandbox, tmp_path: Path) -> None:
    completed = await sandbox.run(python_program("import os; os.kill(os.getpid(), 11)", tmp_path))
    assert (completed.exit_code, completed.ending) == (-signal.SIGSEGV, "signalled")


async def test_the_wall_clock_ends_a_program_that_sleeps(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=0.3)
    completed = await sandbox.run(python_program("import time; time.sleep(3600)", tmp_path, limits=limits))
    assert (completed.exit_code, completed.ending) == (-signal.SIGKILL, "wall_clock")
    assert "0.3 s" in completed.reason


async def test_processor_time_ends_a_program_that_spins(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=120, cpu_seconds=1)
    completed = await sandbox.run(python_program("while True: pass", tmp_path, limits=limits))
    assert completed.ending == "signalled"
    assert completed.exit_code in (-signal.SIGXCPU, -signal.SIGKILL)


async def test_memory_is_bounded_for_one_process(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=120, memory_mib=256)
    completed = await sandbox.run(python_program("bytearray(400 << 20)", tmp_path, limits=limits))
    assert completed.exit_code == 1
    assert b"MemoryError" in completed.stderr


async def test_memory_is_bounded_for_many_processes_together(sandbox: Sandbox, tmp_path: Path) -> None:
    code = (
        "import os, time\nfor _ in range(6):\n  if os.fork() == 0: break\nhoard = b'x' * (60 << 20)\ntime.sleep(3600)"
    )
    limits = Limits(wall_seconds=120, memory_mib=128)
    completed = await sandbox.run(python_program(code, tmp_path, limits=limits))
    assert (completed.ending, completed.exit_code) == ("signalled", -signal.SIGKILL)
    assert "MiB of memory in all" in completed.reason


async def test_a_program_that_forks_without_end_is_ended(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = new_marker()
    limits = Limits(wall_seconds=120, processes=40)
    code = "import os, time\nwhile True:\n  if os.fork() == 0: time.sleep(3600)"
    completed = await sandbox.run(python_program(code, tmp_path, marker, limits=limits))
    assert completed.ending == "signalled"
    assert "40 processes" in completed.reason
    assert marked(marker) == []


async def test_threads_count_as_processes(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import threading, time\nfor _ in range(60): threading.Thread(target=time.sleep, args=(3600,)).start()"
    limits = Limits(wall_seconds=120, processes=30, memory_mib=8192)
    completed = await sandbox.run(python_program(code, tmp_path, limits=limits))
    assert "30 processes and threads" in completed.reason


async def test_output_is_kept_up_to_the_limit_and_then_ends_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=120, output_mib=1)
    completed = await sandbox.run(python_program("while True: print('x' * 9999)", tmp_path, limits=limits))
    assert (completed.ending, len(completed.stdout)) == ("output_limit", 1024 * 1024)
    assert "1 MiB of output" in completed.reason


async def test_a_file_cannot_grow_beyond_the_limit(sandbox: Sandbox, tmp_path: Path) -> None:
    limits = Limits(wall_seconds=120, file_mib=1)
    code = "file = open('big', 'wb')\nfor _ in range(3): file.write(bytes(1 << 20)); file.flush()"
    completed = await sandbox.run(python_program(code, tmp_path, limits=limits))
    assert completed.exit_code == 1
    assert b"File too large" in completed.stderr
    assert (tmp_path / "big").stat().st_size <= 1 << 20


async def test_children_that_left_the_session_end_with_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = new_marker()
    code = (
        "import os, time\n"
        "reading, writing = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        for stream in (0, 1, 2): os.close(stream)\n"
        "        os.write(writing, b'x')\n"
        "        time.sleep(3600)\n"
        "    os._exit(0)\n"
        "os.read(reading, 1)\n"
        "print('bye')"
    )
    completed = await sandbox.run(python_program(code, tmp_path, marker))
    assert (completed.exit_code, completed.stdout) == (0, b"bye\n")
    assert marked(marker) == []


async def test_a_child_that_holds_the_output_open_does_not_delay_the_end(sandbox: Sandbox, tmp_path: Path) -> None:
    code = "import os, time\nif os.fork() == 0: time.sleep(3600)\nprint('bye')"
    completed = await sandbox.run(python_program(code, tmp_path))
    assert (completed.ending, completed.stdout) == ("exited", b"bye\n")


async def test_deleting_everything_harms_nothing_outside(sandbox: Sandbox, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    folder = tmp_path / "work"
    folder.mkdir()
    code = f"import shutil; shutil.rmtree({str(tmp_path)!r}, ignore_errors=True); open('still', 'w')"
    await sandbox.run(python_program(code, folder, readable=(precious,)))
    assert (precious / "file").read_text() == "kept"


async def test_what_is_readable_cannot_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    shown, folder = tmp_path / "shown", tmp_path / "work"
    shown.mkdir()
    folder.mkdir()
    (shown / "file").write_text("as it was")
    code = "import sys; print(open(sys.argv[1]).read()); open(sys.argv[1], 'w')"
    completed = await sandbox.run(python_program(code, folder, str(shown / "file"), readable=(shown,)))
    assert completed.stdout == b"as it was\n"
    assert completed.exit_code == 1
    assert (shown / "file").read_text() == "as it was"


async def test_secrets_in_the_home_folder_cannot_be_read(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text("PRIVATE")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    completed = await sandbox.run(
        python_program("import sys; open(sys.argv[1])", folder, str(home / ".ssh/id_ed25519"))
    )
    assert completed.exit_code == 1
    assert b"FileNotFoundError" in completed.stderr or b"Refused" in completed.stderr


@pytest.mark.parametrize("argv", [("python",), ("/nonexistent/python",)])
async def test_a_program_must_be_an_existing_absolute_path(sandbox: Sandbox, tmp_path: Path, argv: tuple[str]) -> None:
    with pytest.raises(SandboxFailure, match="not the absolute path of a program"):
        await sandbox.run(Program(argv=argv, cwd=tmp_path, writable=(tmp_path,)))


async def test_a_folder_that_does_not_exist_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxFailure, match="missing"):
        await sandbox.run(python_program("", tmp_path, readable=(tmp_path / "missing",)))


async def test_a_working_folder_that_cannot_be_entered_is_a_failure_of_ours(sandbox: Sandbox, tmp_path: Path) -> None:
    program = python_program("", tmp_path)
    elsewhere = Program(argv=program.argv, cwd=tmp_path / "missing", writable=(tmp_path,))
    with pytest.raises(SandboxFailure, match="could not"):
        await sandbox.run(elsewhere)
