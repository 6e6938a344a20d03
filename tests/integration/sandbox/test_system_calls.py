"""What the filter of system calls refuses and allows in real programs, under both kinds of sandbox."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
from pathlib import Path

import pytest

from testwright.sandbox.protocol import Sandbox
from testwright.tests.support.engine.sandboxes import python_program

pytestmark = [
    pytest.mark.feature("B-05"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the calls below are numbered as on x86_64"),
]

ATTEMPTS = """
import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
def attempt(number, *arguments):
    ctypes.set_errno(0)
    answer = libc.syscall(number, *[ctypes.c_long(one) if isinstance(one, int) else one for one in arguments])
    return errno.errorcode.get(ctypes.get_errno(), "") if answer == -1 else "done"
NEW_USER, NEW_MOUNTS, SIGNAL = 0x10000000, 0x20000, 17
print(json.dumps({
    "unshare": attempt(272, NEW_USER | NEW_MOUNTS),
    "clone": attempt(56, NEW_USER | SIGNAL, 0, 0, 0, 0),
    "clone3": attempt(435, 0, 0),
    "mount": attempt(165, b"none", b"/tmp", b"cgroup2", 0, 0),
    "fsopen": attempt(430, b"cgroup2", 0),
    "keyctl": attempt(250, 0, -3, 0),
    "add_key": attempt(248, b"user", b"name", b"text", 4, -3),
    "ptrace": attempt(101, 0, 0, 0, 0),
    "process_vm_readv": attempt(310, 1, 0, 0, 0, 0, 0),
    "bpf": attempt(321, 0, 0, 0),
    "perf_event_open": attempt(298, 0, 0, -1, -1, 0),
    "userfaultfd": attempt(323, 1),
    "io_uring_setup": attempt(425, 1, 0),
    "memfd_create": attempt(319, b"name", 0),
    "open_by_handle_at": attempt(304, 0, 0, 0),
    "vsock": attempt(41, 40, 1, 0),
    "packet": attempt(41, 17, 3, 0),
    "a large segment": attempt(29, 0, 1 << 20, 0o1600),
}))
"""


async def test_calls_that_lead_out_of_a_sandbox_are_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    completed = await sandbox.run(python_program(ATTEMPTS, tmp_path))
    answers = json.loads(completed.stdout)
    lacking = dict.fromkeys(("clone3", "io_uring_setup", "memfd_create"), "ENOSYS")
    other = {"vsock": "EAFNOSUPPORT", "packet": "EAFNOSUPPORT", "a large segment": "ENOMEM"}
    assert answers == dict.fromkeys(answers, "EPERM") | lacking | other


USUAL = """
import asyncio, ctypes, mmap, multiprocessing, os, socket, subprocess, sys, tempfile, threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

async def child():
    process = await asyncio.create_subprocess_exec("/bin/echo", "hello", stdout=subprocess.PIPE)
    return (await process.communicate())[0]

if __name__ == "__main__":
    thread = threading.Thread(target=print, args=("thread",))
    thread.start(); thread.join()
    assert subprocess.run(["/bin/sh", "-c", "exit 3"]).returncode == 3
    assert asyncio.run(child()) == b"hello\\n"
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
    block = shared_memory.SharedMemory(create=True, size=4096)
    block.close(); block.unlink()
    mmap.mmap(-1, 4096)[0] = 1
    server = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(server.getsockname()).close()
    assert socket.getaddrinfo("localhost", 80)
    assert socket.if_nameindex()
    tempfile.TemporaryFile().write(b"x")
    print("usual")
"""


async def test_what_programs_usually_do_works(bubblewrap: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "usual.py").write_text(USUAL)
    program = python_program("import runpy; runpy.run_path('usual.py', run_name='__main__')", tmp_path)
    completed = await bubblewrap.run(program)
    assert completed.stdout.splitlines()[-1:] == [b"usual"], completed.stderr.decode()


async def test_the_keys_of_whoever_started_us_are_out_of_sight(bubblewrap: Sandbox, tmp_path: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    key = libc.syscall(248, b"user", b"testwright-hostile", b"secret", 6, -3)  # add_key to the session's keyring
    if key < 0 and ctypes.get_errno() in (errno.ENOSYS, errno.EPERM, errno.EDQUOT):
        pytest.skip(f"this machine has no keyrings: {os.strerror(ctypes.get_errno())}")
    try:
        code = "import os\nfor name in ('keys', 'key-users'):\n  try: print(open('/proc/' + name).read())\n"
        code += "  except OSError: print('out of sight')\n"
        completed = await bubblewrap.run(python_program(code, tmp_path))
    finally:
        libc.syscall(250, 9, key, -3)  # keyctl: unlink it again
    assert b"testwright-hostile" not in completed.stdout
    assert not completed.stderr


async def test_no_file_system_of_the_kernel_is_there_to_end_processes_by(bubblewrap: Sandbox, tmp_path: Path) -> None:
    code = "import os; print(os.path.exists('/sys'), [line.split()[2] for line in open('/proc/mounts')])"
    completed = await bubblewrap.run(python_program(code, tmp_path))
    assert completed.stdout.startswith(b"False")
    assert b"cgroup" not in completed.stdout
    assert b"sysfs" not in completed.stdout
