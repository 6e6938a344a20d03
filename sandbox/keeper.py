"""Supervises one sandboxed program in a process of its own: starts it, watches it, and kills whatever it leaves behind.

Imported by our own interpreter in a process that does nothing else (`python -I -S -c … CONFIG_FD CONTROL_FD STATUS_FD`,
see running.py), never by the package. So limits hold while our event loop is busy, no code runs between fork and exec
in a threaded program, and everything dies when our process dies: the control pipe then reads as ended. As a subreaper
it becomes the parent of every orphan below it; it exits only when no child is left.

The configuration is a `marshal` dictionary: argv, cwd, environment, data (blobs offered to the program as descriptors:
`@data:0@` in argv is the first, `@data:N@` in the first are the others), limits (wall_seconds, cpu_seconds, memory_mib,
address_space, processes, file_mib, disk_mib), folders (that may be written; their file systems must not run full),
written_since (seconds since the epoch: only files changed later count; None for the start), filter (of system calls, or
empty). The answer on the status pipe is a `marshal` dictionary: code (negative for a signal), stopped (why it was
ended, or ""), error (why it could not start, or "").
"""

# ruff: noqa: PTH123
# The keeper starts with every program: importing pathlib would double the time that takes. So would `signal`, which
# makes enumerations of what `_signal` holds as numbers, and `ctypes`, which makes types around what `_ctypes` calls.

from __future__ import annotations

import _signal as signal  # pyrefly: ignore[missing-import] - the interpreter has it, type checkers do not know it
import marshal
import os
import resource
import select
import sys
import time

from process_tree import MOST_FILES, descendants, machine_shared_memory, shared_memory, usage, written

SET_PARENT_DEATH_SIGNAL = 1
SET_CHILD_SUBREAPER = 36
SET_SYSCALL_FILTER = 22
SET_NO_NEW_PRIVILEGES = 38
JOIN_KEYRING = {"x86_64": 250, "aarch64": 219}  # keyctl(2), whose first operation that is
MIB = 1024 * 1024
SHORTEST_PAUSE = 0.03
CALM_PAUSE = 0.12
LONGEST_PAUSE = 0.5
GROWTH = 64  # this part of the memory that one process may have is growth
LEAST_FREE_MIB = 128


class Keeper:
    """One program from start to end."""

    def __init__(self, config: dict, control: int) -> None:
        self.config = config
        self.limits = config["limits"]
        self.control = control
        self.child = 0
        self.code = -int(signal.SIGKILL)
        self.began = time.time()
        self.shared = machine_shared_memory()
        self.seen = (0, 0)
        self.free = {folder: free_space(folder) for folder in config["folders"]}

    def start(self) -> str:
        """Start the program; the answer is what went wrong, or nothing."""
        keeper = os.getpid()
        reading, writing = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            try:
                os.setsid()
                process_control(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
                if os.getppid() != keeper:
                    os._exit(1)
                become(self.config)
            except BaseException as error:  # noqa: BLE001 - the fork must never go on as a second keeper
                os.write(writing, str(error).encode()[:4000])
            finally:
                os._exit(127)
        os.close(writing)
        problem = b""
        while True:
            piece = os.read(reading, 4096)
            if not piece:
                break
            problem += piece
        os.close(reading)
        return problem.decode(errors="replace")

    def watch(self, wake: int) -> str:
        """Wait for the end of the program; the answer is the limit that ended it, or nothing."""
        deadline = time.monotonic() + self.limits["wall_seconds"]
        pause = SHORTEST_PAUSE
        while True:
            remaining = deadline - time.monotonic()
            ready, _, _ = select.select([self.control, wake], [], [], max(0.0, min(pause, remaining)))
            if wake in ready:
                os.read(wake, 4096)
            if self.has_ended():
                return ""
            if self.control in ready:
                return "control"
            if time.monotonic() >= deadline:
                return "wall_clock"
            started = time.monotonic()
            before = self.seen
            excess = self.excess()
            if excess:
                return excess
            wished = self.pause_after(pause, before)
            pause = min(LONGEST_PAUSE, max(wished, 15 * (time.monotonic() - started)))

    def pause_after(self, pause: float, before: tuple[int, int]) -> float:
        """How long not to look: short where the tree has grown meanwhile, else longer than last time.

        Args:
            before: tasks and bytes of memory at the look before.
        """
        tasks, memory = self.seen
        grown = tasks > before[0] or memory - before[1] > self.limits["memory_mib"] * MIB / GROWTH
        return SHORTEST_PAUSE if grown else min(CALM_PAUSE, 2 * pause)

    def excess(self) -> str:
        """The limit that the tree as a whole is over, or nothing."""
        tasks, memory = 0, 0
        pids = descendants()
        for pid in pids:
            one_tasks, one_memory = usage(pid)
            tasks += one_tasks
            memory += one_memory
            if tasks > self.limits["processes"]:
                return "processes"
        self.seen = (tasks, memory)
        if memory + self.shared_memory(pids) > 2 * self.limits["memory_mib"] * MIB:
            return "memory"
        return self.disk_excess(pids)

    def shared_memory(self, pids: list[int]) -> int:
        """Bytes that processes share; looked at only where the whole machine shares much more than at the start."""
        growth = machine_shared_memory() - self.shared
        if growth < self.limits["memory_mib"] * MIB / 4:
            return 0
        mapped = shared_memory(pids)
        # Pages stay when only a part of their block stays mapped: a tree that shares memory answers for all of it.
        return max(mapped, growth) if mapped and growth > 2 * self.limits["memory_mib"] * MIB else mapped

    def disk_excess(self, pids: list[int]) -> str:
        """The limit of disk space that is passed, or nothing; files are counted only where much space has gone."""
        quota = self.limits["disk_mib"] * MIB
        for folder, (free, files) in self.free.items():
            free_now, files_now = free_space(folder)
            if free > 2 * LEAST_FREE_MIB * MIB and free_now < LEAST_FREE_MIB * MIB:
                return "disk"
            if free - free_now < quota / 8 and files - files_now < MOST_FILES / 8:
                continue
            since = self.config["written_since"]
            if written(self.free, self.began if since is None else since, pids) > quota:
                return "quota"
        return ""

    def has_ended(self) -> bool:
        """Whether the program itself has ended. It stays a zombie, so that its number still names its group;
        orphans that came to us and ended are collected."""
        while True:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return False
            if found.si_pid == self.child:
                return True
            os.waitpid(found.si_pid, os.WNOHANG)

    def clear(self) -> None:
        """Kill everything below, and wait until it is gone.

        One signal to the group takes with it whatever cannot leave it: all of a fork bomb, or the first process of a
        process namespace. The rest is stopped before it is killed, since what is stopped cannot fork meanwhile.
        """
        send(-self.child, signal.SIGKILL)
        while self.reap():
            seen: set[int] = set()
            while True:
                found = set(descendants())
                if found <= seen:
                    break
                for pid in found - seen:
                    send(pid, signal.SIGSTOP)
                seen |= found
            for pid in seen:
                send(pid, signal.SIGKILL)
            time.sleep(0.001)

    def reap(self) -> bool:
        """Collect children that have ended; the answer is whether any is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.code = os.waitstatus_to_exitcode(status)


def become(config: dict) -> None:
    """Turn this process into the program: descriptors, limits, signals, folder, exec."""
    argv = list(config["argv"])
    if config["data"]:
        number = str(offer(config["data"]))
        argv = [number if part == "@data:0@" else part for part in argv]
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGHUP", "SIGTERM", "SIGCHLD"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    prefer_for_killing()
    limits = config["limits"]
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_CPU, limits["cpu_seconds"])
    limit(resource.RLIMIT_FSIZE, limits["file_mib"] * MIB)
    if limits["address_space"]:
        limit(resource.RLIMIT_AS, limits["memory_mib"] * MIB)
    if os.getuid() != 0:
        limit(resource.RLIMIT_NPROC, tasks_of_machine() + limits["processes"])
    os.chdir(config["cwd"])
    leave_keyring()
    if config["filter"]:
        filter_calls(config["filter"])
    os.execve(argv[0], argv, config["environment"])


def offer(blobs: list[bytes]) -> int:
    """Put blobs behind descriptors; the first one's mentions of the others (`@data:N@`) become their numbers."""
    first, rest = blobs[0], blobs[1:]
    for number, blob in enumerate(rest, start=1):
        first = first.replace(b"\0@data:%d@\0" % number, b"\0%d\0" % descriptor_of(blob))
    return descriptor_of(first)


def descriptor_of(blob: bytes) -> int:
    """An inheritable descriptor from which a blob is read."""
    descriptor = os.memfd_create("data", 0)
    rest = memoryview(blob)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def limit(kind: int, value: int) -> None:
    """Lower a limit; it is never raised."""
    _, hardest = resource.getrlimit(kind)
    if hardest != resource.RLIM_INFINITY:
        value = min(value, hardest)
    resource.setrlimit(kind, (value, value))


def tasks_of_machine() -> int:
    """Threads alive on this machine: the kernel's process limit counts all of a user's, not only the program's."""
    try:
        with open("/proc/loadavg") as file:
            return int(file.read().split()[3].partition("/")[2])
    except OSError:
        return 4096


def be_urgent() -> None:
    """Run before any number of busy processes, where this user may; the program itself does not inherit it."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except (AttributeError, OSError):
        return


def prefer_for_killing() -> None:
    """Have the kernel choose the program, not its neighbours, when the machine runs out of memory."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("800")
    except OSError:
        return


def process_control(option: int, value: int) -> None:
    """prctl(2); where it does not exist the weaker guarantees are those of process groups."""
    if sys.platform.startswith("linux"):
        call_libc("prctl", option, value, 0, 0, 0)


def call_libc(name: str, *arguments: int | None) -> None:
    """Call a function of the C library that takes numbers, and null pointers for None; its result is not looked at."""
    try:
        import _ctypes

        _ctypes.call_cdeclfunction(_ctypes.dlsym(_ctypes.dlopen(None, 0), name), arguments)  # pyrefly: ignore[bad-argument-type]
    except (ImportError, AttributeError):  # an interpreter whose `ctypes` is built in another way
        import ctypes

        getattr(ctypes.CDLL(None), name)(*arguments)


def leave_keyring() -> None:
    """Start with a session keyring of its own, so that the keys of whoever started us are out of reach."""
    number = JOIN_KEYRING.get(os.uname().machine)
    if number is not None and sys.platform.startswith("linux"):
        call_libc("syscall", number, 1, None)


def filter_calls(instructions: bytes) -> None:
    """Let this process, and what it starts, use only the system calls that a filter allows. Raises OSError."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # without bubblewrap only

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]

    program = Program(len(instructions) // 8, instructions)
    process_control(SET_NO_NEW_PRIVILEGES, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(SET_SYSCALL_FILTER, 2, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


def send(pid: int, number: int) -> None:
    """Signal a process, or a group by its negative number, that may be gone already."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def free_space(folder: str) -> tuple[float, float]:
    """Free bytes, and how many more files there may be, of the file system a folder is on."""
    try:
        facts = os.statvfs(folder)
    except OSError:
        return float("inf"), float("inf")
    return facts.f_bavail * facts.f_frsize, facts.f_ffree


def detach() -> None:
    """Let go of the program's streams, so that their ends are seen when the program's own are closed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def main() -> None:
    """Keep one program; the status pipe closes when nothing of it is left."""
    config_fd, control, status = (int(one) for one in sys.argv[1:4])
    for descriptor in (config_fd, control, status):
        os.set_inheritable(descriptor, False)
    with open(config_fd, "rb") as file:
        config = marshal.loads(file.read())
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    wake, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    process_control(SET_CHILD_SUBREAPER, 1)
    be_urgent()
    keeper = Keeper(config, control)
    error = keeper.start()
    detach()
    stopped = keeper.watch(wake)
    keeper.clear()
    os.write(status, marshal.dumps({"code": keeper.code, "stopped": stopped, "error": error}))
    os._exit(0)  # no finalisation: the pipe's end must mean that this process is as good as gone
