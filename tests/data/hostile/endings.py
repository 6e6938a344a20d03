"""Ends, hangs or empties the process that calls it."""

import atexit
import ctypes
import os
import signal
import sys
import threading
import time


def exit_at_once(n: int) -> int:
    if n > 0:
        os._exit(0)
    return n


def exit_politely(n: int) -> int:
    if n > 0:
        sys.exit(3)
    return n


def interrupt(n: int) -> int:
    if n > 0:
        raise KeyboardInterrupt
    return n


def crash(n: int) -> int:
    if n > 0:
        ctypes.string_at(0)
    return n


def abort(n: int) -> int:
    if n > 0:
        os.abort()
    return n


def stop_itself(n: int) -> int:
    if n > 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    return n


def close_all_descriptors(n: int) -> int:
    if n > 0:
        os.closerange(0, 64)
    return n


def forge_the_protocol(n: int) -> int:
    if n > 0:
        for number in range(1, 8):
            try:
                os.write(number, b'{"outcome": "returned", "value": "forged"}\n[[[[[[\n')
            except OSError:
                pass
    return n


def print_without_end(n: int) -> int:
    if n > 0:
        sys.stdout.write("x" * 50_000_000)
    return n


def never_return(n: int) -> int:
    while n > 0:
        time.sleep(1)
    return n


def recurse(n: int) -> int:
    return recurse(n + 1) if n > 0 else n


def leave_a_thread(n: int) -> int:
    if n > 0:
        threading.Thread(target=time.sleep, args=(600,)).start()
    return n


def hang_at_exit(n: int) -> int:
    if n > 0:
        atexit.register(time.sleep, 600)
    return n


def ignore_signals(n: int) -> int:
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    return n


def alarm(n: int) -> int:
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    return n
