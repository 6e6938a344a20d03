"""The filter of system calls, worked through for each machine that it is written for."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from testwright.sandbox.syscall_filter import filter_for

pytestmark = pytest.mark.feature("B-05")

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
NEW_USER, NEW_NETWORK, THREAD = 0x10000000, 0x40000000, 0x003D0F00


def answer(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says of a call: an errno, or 0 for a call that is allowed."""
    program = list(struct.iter_unpack("<HBBI", filter_for(machine)))
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *padded)
    at = loaded = 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x06:
            return value & 0xFFFF if value >> 16 == 0x0005 else 0
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
            continue
        holds = {0x15: loaded == value, 0x35: loaded >= value, 0x25: loaded > value, 0x45: bool(loaded & value)}[code]
        at += if_true if holds else if_false


def numbers_of(machine: str) -> dict[str, int]:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    return {name: int(number) for name, number in found}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_that_lead_out_are_refused_and_others_are_not(machine: str) -> None:
    numbers = numbers_of(machine)
    refused = (
        "mount umount2 pivot_root setns keyctl add_key request_key ptrace process_vm_readv bpf userfaultfd".split()
    )
    refused += "perf_event_open kexec_load init_module finit_module open_by_handle_at fsopen move_mount".split()
    assert {name: answer(machine, numbers[name]) for name in refused} == dict.fromkeys(refused, errno.EPERM)
    lacking = "clone3 io_uring_setup io_uring_enter io_uring_register memfd_create".split()
    assert {name: answer(machine, numbers[name]) for name in lacking} == dict.fromkeys(lacking, errno.ENOSYS)
    usual = "read write openat close mmap mprotect futex execve wait4 socketpair connect pipe2 epoll_ctl".split()
    usual += "kill getrandom prctl seccomp pidfd_open landlock_create_ruleset inotify_init1 statx faccessat2".split()
    assert {name: answer(machine, numbers[name]) for name in usual} == dict.fromkeys(usual, 0)


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("clone", (THREAD,), 0),
        ("clone", (NEW_USER | 17,), errno.EPERM),
        ("unshare", (0x400,), 0),
        ("unshare", (NEW_NETWORK,), errno.EPERM),
        ("unshare", (0x80,), errno.EPERM),
        ("socket", (2, 1, 0), 0),
        ("socket", (16, 3, 0), 0),
        ("socket", (16, 3, 12), errno.EAFNOSUPPORT),
        ("socket", (40, 1, 0), errno.EAFNOSUPPORT),
        ("ioctl", (0, 0x5413), 0),
        ("ioctl", (0, 0x5412), errno.EPERM),
        ("ioctl", (0, 0x1_0000_5412), errno.EPERM),
        ("shmget", (0, 65536, 0), 0),
        ("shmget", (0, 65537, 0), errno.ENOMEM),
        ("shmget", (0, 1 << 32, 0), errno.ENOMEM),
    ],
)
def test_calls_are_judged_by_their_arguments(
    machine: str, name: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert answer(machine, numbers_of(machine)[name], *arguments) == expected


def test_calls_in_another_machine_s_form_do_not_exist() -> None:
    assert answer("x86_64", 0, architecture=0x40000003) == errno.ENOSYS
    assert answer("x86_64", 0x40000000 | 165) == errno.ENOSYS


def test_there_is_no_filter_for_a_machine_it_is_not_written_for() -> None:
    assert filter_for("riscv64") == b""
