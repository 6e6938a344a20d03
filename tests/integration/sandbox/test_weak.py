"""What the weak sandbox refuses. Its limits are tested with the strong one's."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from testwright.core.errors import SandboxFailure, SandboxUnavailable
from testwright.sandbox.opening import open_sandbox
from testwright.sandbox.protocol import Program, Sandbox
from testwright.tests.support.engine.sandboxes import python_program

pytestmark = pytest.mark.feature("B-05")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder the program has no business in, with a file and a folder in it."""
    folder = tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    (folder / "file").write_text("as it was")
    return folder


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "mine").write_text("mine")
    return folder


@pytest.mark.parametrize(
    "act",
    [
        "open(OUT + '/new', 'w')",
        "open(OUT + '/file', 'a')",
        "open(OUT + '/file', 'r+')",
        "os.open(OUT + '/new', os.O_CREAT | os.O_WRONLY)",
        "os.remove(OUT + '/file')",
        "os.unlink('file', dir_fd=os.open(OUT, os.O_RDONLY))",
        "os.rmdir(OUT + '/inner')",
        "os.mkdir(OUT + '/new')",
        "os.rename('mine', OUT + '/new')",
        "os.replace(OUT + '/file', 'new')",
        "os.link(OUT + '/file', 'new')",
        "os.symlink('mine', OUT + '/new')",
        "os.truncate(OUT + '/file', 0)",
        "os.chmod(OUT + '/file', 0)",
        "os.utime(OUT + '/file')",
        "os.fchmod(os.open(OUT + '/file', os.O_RDONLY), 0)",
        "shutil.rmtree(OUT)",
        "os.symlink(OUT, 'door'); open('door/new', 'w')",
        "sqlite3.connect(OUT + '/base').execute('create table t (a)')",
        "pathlib.Path(OUT, 'new').write_text('x')",
        "os.path.realpath = lambda path: '/'; open(OUT + '/new', 'w')",
        "open('/proc/sys/kernel/core_pattern', 'w')",
        "subprocess.run(['/bin/true'])",
        "os.system('true')",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.popen('true')",
        "pty.spawn('/bin/true')",
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.socket().bind(('127.0.0.1', 0))",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "socket.getaddrinfo('example.org', 80)",
        "socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.killpg(os.getpgid(os.getppid()), 0)",
        "resource.setrlimit(resource.RLIMIT_CORE, (1, 1))",
    ],
)
async def test_acts_outside_are_refused(weak: Sandbox, inside: Path, outside: Path, act: str) -> None:
    code = f"import os, pathlib, pty, resource, shutil, socket, sqlite3, subprocess\nOUT = {str(outside)!r}\n{act}"
    completed = await weak.run(python_program(code, inside))
    assert b"Refused" in completed.stderr.splitlines()[-1]
    assert completed.exit_code == 1
    assert sorted(path.name for path in outside.iterdir()) == ["file", "inner"]
    assert (outside / "file").read_text() == "as it was"


async def test_ordinary_work_is_not_refused(weak: Sandbox, inside: Path) -> None:
    code = """
import asyncio, multiprocessing, os, shutil, signal, socket, sqlite3, tempfile, threading
tempfile.tempdir = os.getcwd()
with tempfile.TemporaryDirectory() as name:
    open(os.path.join(name, "a"), "w").write("x")
    os.rename(os.path.join(name, "a"), os.path.join(name, "b"))
    os.symlink("b", os.path.join(name, "c"))
    shutil.copytree(name, "copy")
shutil.rmtree("copy")
sqlite3.connect(":memory:").execute("create table t (a)")
sqlite3.connect("base").execute("create table t (a)")
open(os.devnull, "w").write("x")
os.remove("mine")
child = os.fork()
if child == 0:
    os.setsid()
    signal.pause()
os.kill(child, signal.SIGTERM)
os.waitpid(child, 0)
asyncio.run(asyncio.sleep(0))
socket.socketpair()
worker = multiprocessing.get_context("fork").Process(target=print, args=("child",), daemon=True)
worker.start()
worker.join()
print("fine", flush=True)
"""
    completed = await weak.run(python_program(code, inside))
    assert completed.stdout == b"child\nfine\n", completed.stderr.decode()


async def test_loopback_is_allowed_when_it_was_asked_for(weak: Sandbox, inside: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]})); print('met')"
        program = replace(python_program(code, inside), network="loopback")
        assert (await weak.run(program)).stdout == b"met\n"
    far = replace(
        python_program("import socket; socket.create_connection(('192.0.2.1', 9))", inside), network="loopback"
    )
    assert b"Refused" in (await weak.run(far)).stderr


async def test_programs_that_are_not_python_are_not_run(weak: Sandbox, inside: Path) -> None:
    with pytest.raises(SandboxFailure, match="Python only") as raised:
        await weak.run(Program(("/bin/sh", "-c", "true"), inside))
    assert "bubblewrap" in raised.value.advice


def test_auto_never_means_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("testwright.sandbox.bubblewrap.shutil.which", lambda name, path=None: None)
    monkeypatch.setattr("testwright.sandbox.bubblewrap._bundled_bwrap", lambda: None)
    with pytest.raises(SandboxUnavailable):
        open_sandbox()
    assert open_sandbox("weak").kind == "weak"
