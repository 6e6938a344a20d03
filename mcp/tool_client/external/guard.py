"""The process around one tool server: when testwright dies, however it dies, the server's group dies with it.

Run by our own interpreter as a script (`python -I -S guard.py CONTROL_FD COMMAND ARGUMENT …`), never imported. It leads
the group, hands stdin, stdout and stderr to the command, and ends as the command ends. The control pipe reads as ended
when nobody in testwright holds its other end any more.
"""

import os
import select
import signal
import sys


def main(control, command):
    """Start the command, wait for its end or for ours."""
    os.set_inheritable(control, False)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    child = os.fork()
    if child == 0:
        become(command)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the group is asked to end: whether it does is the command's business
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)  # the command's ends of its pipes must be the last ones
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if control in ready:
            os.killpg(0, signal.SIGKILL)
        os.read(woken, 4096)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            end_as(os.waitstatus_to_exitcode(status))


def become(command):
    """Be the command; never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def end_as(code):
    """End with a code, or by the signal that a negative one tells of."""
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
