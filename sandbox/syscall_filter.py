"""Assembles the filter of system calls that every sandboxed program runs under.

Programs that are tested need files, processes, memory and sockets. What they do not need is what breaks out of
namespaces when the kernel has a fault, looks into other processes, or holds memory that belongs to nobody: making
namespaces and mounts, keys, tracing, programs for the kernel, io_uring, files by handle, memory files, exotic sockets.
Refused calls fail with an error as on a kernel without the right or the feature, so that libraries cope.

The filter is a classic BPF program as the kernel's seccomp takes it; `filter_for` is the whole interface.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping

_LOAD, _EQUAL, _AT_LEAST, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  # x86_64 has a second table of calls from this number on
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_TIME = 0x80  # for clone it would be part of the signal's number
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type into the terminal
_SOCKET_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6
_NETLINK = 16  # with protocol 0, the list of interfaces that resolvers ask for
_SHARED_SEGMENT = 1 << 16  # bytes; a segment belongs to no process, so that nothing else bounds it

Numbers = Mapping[str, int]
_COMMON: Numbers = {
    **{"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "clone3": 435, "memfd_secret": 447},
    **{"open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433},
    **{"mount_setattr": 442, "open_tree_attr": 467, "quotactl_fd": 443, "pidfd_getfd": 438, "process_madvise": 440},
}
_TABLES: Mapping[str, Numbers] = {
    "x86_64": {
        **{"mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "swapon": 167, "swapoff": 168},
        **{"unshare": 272, "setns": 308, "clone": 56, "add_key": 248, "request_key": 249, "keyctl": 250},
        **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "bpf": 321},
        **{"perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246, "kexec_file_load": 320},
        **{"init_module": 175, "finit_module": 313, "delete_module": 176, "open_by_handle_at": 304},
        **{"fanotify_init": 300, "lookup_dcookie": 212, "quotactl": 179, "acct": 163, "reboot": 169, "syslog": 103},
        **{"settimeofday": 164, "clock_settime": 227, "adjtimex": 159, "clock_adjtime": 305},
        **{"sethostname": 170, "setdomainname": 171, "vhangup": 153, "iopl": 172, "ioperm": 173, "uselib": 134},
        **{"memfd_create": 319, "shmget": 29, "socket": 41, "ioctl": 16},
    },
    "aarch64": {
        **{"mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "swapon": 224, "swapoff": 225},
        **{"unshare": 97, "setns": 268, "clone": 220, "add_key": 217, "request_key": 218, "keyctl": 219},
        **{"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "bpf": 280},
        **{"perf_event_open": 241, "userfaultfd": 282, "kexec_load": 104, "kexec_file_load": 294},
        **{"init_module": 105, "finit_module": 273, "delete_module": 106, "open_by_handle_at": 265},
        **{"fanotify_init": 262, "lookup_dcookie": 18, "quotactl": 60, "acct": 89, "reboot": 142, "syslog": 116},
        **{"settimeofday": 170, "clock_settime": 112, "adjtimex": 171, "clock_adjtime": 266},
        **{"sethostname": 161, "setdomainname": 162, "vhangup": 58},
        **{"memfd_create": 279, "shmget": 194, "socket": 198, "ioctl": 29},
    },
}
# Calls that a library expects an older kernel to lack, and does without.
_LACKING = frozenset(
    {"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret"}
)
_CONDITIONAL = frozenset({"clone", "unshare", "socket", "ioctl", "shmget"})


def filter_for(machine: str = "") -> bytes:
    """The filter, as `bwrap --seccomp` and prctl(2) take it; empty for machines it is not written for.

    Args:
        machine: as `platform.machine()` names it; this one when empty.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        return b""
    numbers = {**_COMMON, **_TABLES[machine]}
    program = [
        _load(_ARCHITECTURE),
        _jump(_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _fail(errno.ENOSYS),  # programs of another kind, such as those for 32 bits
        _load(_NUMBER),
        _jump(_AT_LEAST, _X32, 0, 1),
        _fail(errno.ENOSYS),
    ]
    for name, number in sorted(numbers.items()):
        if name not in _CONDITIONAL:
            program += [_jump(_EQUAL, number, 0, 1), _fail(errno.ENOSYS if name in _LACKING else errno.EPERM)]
    for name, rule in _rules().items():
        program += [_jump(_EQUAL, numbers[name], 0, len(rule) // 8), rule]
    return b"".join([*program, _return(_ALLOW)])


def _rules() -> dict[str, bytes]:
    """For calls that depend on their arguments what decides about them; each ends with an answer."""
    allow, refuse = _return(_ALLOW), _fail(errno.EPERM)
    return {
        "clone": b"".join([_argument(0), _jump(_ANY_BIT, _NAMESPACES, 0, 1), refuse, allow]),
        "unshare": b"".join([_argument(0), _jump(_ANY_BIT, _NAMESPACES | _NEW_TIME, 0, 1), refuse, allow]),
        "ioctl": b"".join([_argument(1), *(_jump(_EQUAL, code, 0, 1) + refuse for code in _TERMINAL_INPUT), allow]),
        "shmget": b"".join(
            [
                _argument(1, high=True) + _jump(_EQUAL, 0, 1, 0) + _fail(errno.ENOMEM),
                _argument(1) + _jump(_ABOVE, _SHARED_SEGMENT, 0, 1) + _fail(errno.ENOMEM),
                allow,
            ]
        ),
        "socket": b"".join(
            [
                _argument(0),
                *(_jump(_EQUAL, family, 0, 1) + allow for family in _SOCKET_FAMILIES),
                _jump(_EQUAL, _NETLINK, 0, 3) + _argument(2) + _jump(_EQUAL, 0, 0, 1) + allow,
                _fail(errno.EAFNOSUPPORT),
            ]
        ),
    }


def _argument(place: int, *, high: bool = False) -> bytes:
    """Load half of an argument; both machines are little-endian."""
    return _load(16 + 8 * place + 4 * high)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _jump(test: int, value: int, if_true: int, if_false: int) -> bytes:
    """Skip so many instructions, depending on what was loaded."""
    return _instruction(test, if_true, if_false, value)


def _fail(number: int) -> bytes:
    return _return(_FAIL | number)


def _return(action: int) -> bytes:
    return _instruction(_RETURN, 0, 0, action)


def _instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
