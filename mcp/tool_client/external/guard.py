"""Runs one tool server, and kills its process group when testwright dies, however it dies.

Run by our own interpreter as a script (`python -I -S guard.py CONTROL_FD COMMAND ARGUMENT …`), never imported. It leads
the group, passes stdin, stdout and stderr to the command, and exits as the command exits. The control pipe reads as
closed when the last process of testwright that holds its other end has gone.
"""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
MOST_ROUNDS = 200


def main(control, command):
    """Starts the command, and waits for its end or that of testwright."""
    os.set_inheritable(control, False)
    adopt_orphans()
    # SIGCHLD writes to this pipe, so that one `select` waits for the command and for testwright.
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    child = os.fork()
    if child == 0:
        execute(command)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the command; the guard ends with it
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)  # only the command may hold the pipes, or its end would not close them
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        # Kills this process as well: it leads the group.
        if control in ready:
            end_descendants()
            os.killpg(0, signal.SIGKILL)
        os.read(woken, 4096)
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            end_descendants()
            exit_as(os.waitstatus_to_exitcode(status))


def adopt_orphans():
    """Makes processes below this one its children when their parents end, also in sessions of their own. Linux only."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants():
    """Kills every process below this one, until there are no more: what is killed may have started another."""
    for _ in range(MOST_ROUNDS):
        found = descendants()
        if not found:
            return
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def descendants():
    """Ids of the processes below this one that have not ended."""
    children = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = place.read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it has ended meanwhile
        if state not in (b"Z", b"X"):
            children.setdefault(int(parent), []).append(int(place.parent.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def execute(command):
    """Replaces this process by the command; never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # 127 is the shell's exit code for a command that cannot be started.
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def exit_as(code):
    """Exits with a code, or by the signal that a negative code stands for."""
    # Ended by a signal: the parent should see the same signal.
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
