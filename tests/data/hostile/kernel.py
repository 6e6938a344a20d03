"""Tries system calls that lead out, stop others or change the machine."""

import ctypes
import os
import resource
import signal
import time

from pk.place import _reached as reached

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNTS = 0x10000000, 0x20000


def _done(name: str, answer: int) -> str:
    return reached(name) if answer >= 0 else "refused"


def user_namespace(n: int) -> str:
    return _done("user_namespace", LIBC.unshare(NEW_USER | NEW_MOUNTS))


def mount_a_file_system(n: int) -> str:
    return _done("mount", LIBC.mount(b"none", b"/tmp", b"cgroup2", 0, None))


def enter_a_namespace(n: int) -> str:
    return _done("setns", LIBC.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))


def trace_the_parent(n: int) -> str:
    return _done("ptrace", LIBC.ptrace(16, os.getppid(), 0, 0))


def read_the_memory_of_the_parent(n: int) -> str:
    with open(f"/proc/{os.getppid()}/mem", "rb") as file:
        file.seek(0x400000)
        return reached("memory") + str(len(file.read(8)))


def become_root(n: int) -> str:
    os.setuid(0)
    return "already" if os.getuid() == 0 else reached("root")


def session_keyring(n: int) -> str:
    return _done("keyctl", LIBC.syscall(250, 0, -3, 0))


def kernel_programs(n: int) -> str:
    return _done("bpf", LIBC.syscall(321, 0, 0, 0))


def submission_rings(n: int) -> str:
    return _done("io_uring", LIBC.syscall(425, 1, 0))


def memory_of_nobody(n: int) -> str:
    return _done("memfd", LIBC.syscall(319, b"hostile", 0))


def performance_events(n: int) -> str:
    return _done("perf", LIBC.syscall(298, 0, 0, -1, -1, 0))


def name_of_the_machine(n: int) -> str:
    return _done("sethostname", LIBC.sethostname(b"hostile", 7))


def time_of_the_machine(n: int) -> str:
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return reached("clock")


def higher_priority(n: int) -> str:
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    return reached("priority")


def higher_limits(n: int) -> str:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return reached("limits")


def settings_of_the_kernel(n: int) -> str:
    with open("/proc/sys/kernel/hostname", "w") as file:
        file.write("hostile")
    return reached("sysctl")


def type_into_the_terminal(n: int) -> str:
    import fcntl

    fcntl.ioctl(0, 0x5412, b"x")
    return reached("terminal")


def signal_everyone(n: int) -> str:
    """Also processes with the same user id."""
    if n > 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(-1, signal.SIGTERM)
    return "signalled"


def stop_the_parent(n: int) -> str:
    if n > 0:
        os.kill(os.getppid(), signal.SIGSTOP)
    return "stopped"


def kill_the_first_process(n: int) -> str:
    if n > 0:
        os.kill(1, signal.SIGKILL)
    return "killed"
