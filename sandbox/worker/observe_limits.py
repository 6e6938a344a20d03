"""What bounds a trial: its time, and standard input, which it has none of."""

import io
import resource
import signal


class OutOfTime(BaseException):
    """The trial used up its processor time or its wall clock."""


class Refused(BaseException):
    """The trial reached for something a test must not use."""


class Limiter:
    """Timers that interrupt Python code; `fired` also tells when the target swallowed the interruption."""

    def __init__(self, cpu_seconds, wall_seconds):
        self.cpu_seconds = cpu_seconds
        self.wall_seconds = wall_seconds
        self.fired = False

    def _interrupt(self, _number, _frame):
        self.fired = True
        raise OutOfTime

    def __enter__(self):
        self.fired = False
        signal.signal(signal.SIGALRM, self._interrupt)
        signal.signal(signal.SIGPROF, self._interrupt)
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        soft = int(used.ru_utime + used.ru_stime + self.cpu_seconds) + 2
        # Beyond Python's reach (a loop in C) the kernel ends the process.
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))
        signal.setitimer(signal.ITIMER_REAL, self.wall_seconds, 0.25)
        signal.setitimer(signal.ITIMER_PROF, self.cpu_seconds, 0.25)
        return self

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


class NoInput(io.TextIOBase):
    """Standard input of a trial: a generated test has none either."""

    def readable(self):
        return True

    def read(self, size=-1):
        raise Refused("reads standard input")

    def readline(self, size=-1):
        raise Refused("reads standard input")
