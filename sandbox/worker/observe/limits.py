"""Limits a trial: its time, its standard streams, and the global state it may change."""

import _signal  # pyrefly: ignore[missing-import]
import contextlib
import fcntl
import io
import os
import resource
import signal
import sys
import threading
import time
import warnings
from time import monotonic, process_time  # the real ones, whatever the clock of trials says

from .clock import is_own

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

MOST_SLEEP = 0.2
LOWEST_DESCRIPTOR = 200  # what a trial opens gets the number it would get without us


_SIGALRM, _SIGPROF = int(signal.SIGALRM), int(signal.SIGPROF)


class OutOfTime(BaseException):
    """The trial used up its processor time or its wall clock."""


class TrialRefused(BaseException):
    """The trial reached for something a test must not use."""


def starved_seconds(process="self"):
    """How long a process has waited for a processor so far; 0.0 where the kernel does not say."""
    try:
        with open("/proc/%s/schedstat" % process) as stream:
            return int(stream.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class Waiting:
    """How long this process has waited for a processor: its own file of the kernel's, which stays open."""

    def __init__(self):
        self.owner = self.descriptor = -1

    def seconds(self):
        """As `starved_seconds`, at a tenth of the cost."""
        try:
            return int(os.pread(self._opened(), 64, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            self.owner = -1
            return starved_seconds()

    def _opened(self):
        if self.owner != os.getpid():
            low = os.open("/proc/self/schedstat", os.O_RDONLY)
            try:
                self.descriptor = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
            finally:
                os.close(low)
            self.owner = os.getpid()
        return self.descriptor


class Limiter:
    """Timers that interrupt Python code.

    Attributes:
        fired: whether they did, also when the target swallowed the interruption.
        sleepers: modules whose own code slept.
    """

    def __init__(self, cpu_seconds, wall_seconds):
        self.cpu_seconds = cpu_seconds
        self.wall_seconds = wall_seconds
        self.clock, self.used = monotonic, process_time
        self.waiting = Waiting()
        self.started = self.starved = self.slept = 0.0
        self.fired = self.counting = False
        self.sleepers = set()

    def install(self):
        """Have long sleeps end the trial at once: waiting for them would tell nothing, and cost time."""
        real = time.sleep

        def sleep(seconds, /):
            if self.counting and threading.current_thread() is threading.main_thread():
                caller = sys._getframe(1)
                if is_own(caller):
                    self.sleepers.add(caller.f_globals.get("__name__") or "")
                self.slept += max(0.0, seconds)
                if self.slept > MOST_SLEEP:
                    self._interrupt(None, None)
            real(seconds)

        time.sleep = sleep

    def watch_asyncio(self):
        """Have long waits of coroutines end the trial, too; once."""
        asyncio: Any = sys.modules.get("asyncio")
        if asyncio is None or getattr(asyncio.sleep, "watched", False):
            return
        real = asyncio.sleep

        async def sleep(delay, result=None):
            if self.counting:
                caller = sys._getframe(1)
                if is_own(caller):
                    self.sleepers.add(caller.f_globals.get("__name__") or "")
                self.slept += max(0.0, delay)
                if self.slept > MOST_SLEEP:
                    self._interrupt(None, None)
            return await real(delay, result)

        sleep.watched = True  # pyrefly: ignore[missing-attribute]
        asyncio.sleep = sleep

    def _interrupt(self, _number, _frame):
        self.fired = True
        raise OutOfTime

    def _ring(self, number, frame):
        # On a busy machine a trial may wait long for its turn: that is not its fault.
        if self.clock() - self.started - (self.waiting.seconds() - self.starved) >= self.wall_seconds:
            self._interrupt(number, frame)

    def __enter__(self):
        self.fired, self.counting, self.slept = False, True, 0.0
        self.sleepers.clear()
        self.started, self.starved = self.clock(), self.waiting.seconds()
        # The module of Python's own makes enumerations of what these take and give, which costs more than the rest.
        _signal.signal(_SIGALRM, self._ring)
        _signal.signal(_SIGPROF, self._interrupt)
        before, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(self.used() + self.cpu_seconds) + 2
        soft = soft if hard < 0 else min(soft, hard)
        if before != soft:
            # Beyond Python's reach (a loop in C) the kernel ends the process.
            resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        _signal.setitimer(_signal.ITIMER_REAL, self.wall_seconds, 0.25)
        _signal.setitimer(_signal.ITIMER_PROF, self.cpu_seconds, 0.25)
        return self

    def __exit__(self, *_):
        self.counting = False
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.setitimer(_signal.ITIMER_PROF, 0)


class NoInput(io.TextIOBase):
    """Standard input of a trial: a generated test has none either."""

    def readable(self):
        return True

    def read(self, size=-1, /):
        raise TrialRefused("reads standard input")

    def readline(self, size=-1, /):
        raise TrialRefused("reads standard input")


class Logged:
    """In place of what `logging` writes to standard error where nobody set it up; a test runner does set it up."""

    level = 30

    def __init__(self):
        self.heard = False

    def handle(self, _record):
        self.heard = True


@contextlib.contextmanager
def unheard():
    """Without the last resort of `logging`; gives what tells whether it was called upon."""
    logged = Logged()
    logging: Any = sys.modules.get("logging")
    before = getattr(logging, "lastResort", None)
    if before is not None:
        logging.lastResort = logged
    try:
        yield logged
    finally:
        if before is not None:
            logging.lastResort = before


@contextlib.contextmanager
def quiet(stdout, stderr):
    """Standard streams of the trial's own; afterwards streams, arguments, folder and environment are as before.

    Gives the list that warnings are collected in.
    """
    streams, arguments, folder = (sys.stdin, sys.stdout, sys.stderr), sys.argv[:], os.getcwd()
    variables = dict(os.environ._data)  # pyrefly: ignore[missing-attribute]  # without decoding each of them
    sys.stdin, sys.stdout, sys.stderr = NoInput(), stdout, stderr
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.argv[:] = arguments
        os.chdir(folder)
        if os.environ._data != variables:  # pyrefly: ignore[missing-attribute]
            for name in set(os.environ) - {os.fsdecode(variable) for variable in variables}:
                del os.environ[name]
            os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()})
