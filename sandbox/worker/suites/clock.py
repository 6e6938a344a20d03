"""Moves the clock of this process, or lets it run fast, so that tests that depend on date or time show it.

`time.time` and its relatives are replaced in the module. `datetime.datetime.now` and `utcnow` ask the C clock, so they
are replaced in the type itself: a substitute class would break `type(x) is datetime`, dispatch and data models, and
would call honest tests flaky. `date.today` and `datetime.today` go through `time.time`.
"""

import datetime
import gc
import os
import sys
import time
import types

WALL = ("time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime")
COUNTERS = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
NANO = 1000000000
TICK = 0.00001
# How long before midnight things happen: what is imported, what fixtures set up, and the first look of a test.
IMPORTED, SET_UP, FIRST_LOOK = 600.0, 60.0, 0.5
LOOKS_THAT_MOVE = 3
HELPERS = (
    "api_process",
    "api_serving",
    "api_command",
)  # ours, beside generated tests: they measure how long an answer takes


class _Moved:
    """A function of the time module, moved. An instance and no function: as a class attribute it must not bind."""

    def __init__(self, name, call, original):
        self._call = call
        self._original = original
        self.__name__ = self.__qualname__ = name
        self.__module__ = "time"
        self.__doc__ = original.__doc__

    def __call__(self, *arguments):
        return self._call(*arguments)

    def __repr__(self):
        return repr(self._original)

    def __reduce__(self):
        return self.__name__  # pickled and copied as the original is: by name


class ShiftedClock:
    """A wall clock that is some seconds ahead; everything else is as it was."""

    def __init__(self, real, seconds):
        self._real = real
        self._seconds = seconds
        self.shift = seconds  # for other processes, whose clocks are to tell about the same
        self._passed = 0  # seconds that the counters are ahead

    def now(self, frame):
        return self._real.time() + self._seconds

    def ahead(self, frame):
        """Seconds that a counter read in this frame is ahead of the real one."""
        return self._passed

    def begin(self):
        """A test is about to be set up."""

    def act(self):
        """What a test needs has been set up."""

    def end(self):
        """A test is over."""


class RunningClock(ShiftedClock):
    """A clock at the end of a year's last day that goes on by a second from look to look.

    Midnight comes between the first and the second look of every test. Only looks of the project's and the tests' own
    code move it: event loops, waiting and the test runner go by the real one. A place in the code that looks again and
    again, as a loop that waits, moves it the first few times of a test only: it would be called up otherwise before
    what it waits for had a chance. Every look, whoever takes it, is told a moment later than the one before by a TICK.

    Args:
        project: folder whose code moves the clock.
    """

    def __init__(self, real, seconds, project):
        super().__init__(real, seconds)
        self._project = os.path.realpath(project) + os.sep
        self._given = os.path.join(os.path.abspath(project), "")
        year = real.localtime(real.time() + seconds).tm_year
        self._midnight = time.mktime((year + 1, 1, 1, 0, 0, 0, 0, 0, -1))
        self._own = {}
        self._seen = {}
        self._start(IMPORTED)
        # For other processes, what a test has set up before midnight is older than what they do.
        self.shift = int(self._midnight - real.time())

    def now(self, frame):
        moves = self._moves(frame, "wall")
        if self._since is None and moves:
            self._since = self._real.monotonic()
        elif moves:
            self._looks += 1
        later = 0 if self._since is None else self._real.monotonic() - self._since
        # Whoever looks is told another moment than the one before: rows that are made one after the other differ in it.
        self._told += TICK
        return self._from + self._looks + later + self._told

    def ahead(self, frame):
        if not self._is_own(frame):
            return 0
        if self._moves(frame, "counter"):
            self._passed += 1
        return self._passed

    def begin(self):
        self._start(SET_UP)

    def act(self):
        # Where setting up has looked at the clock, midnight comes between that and the test.
        self._start(-FIRST_LOOK if self._since is not None else FIRST_LOOK)

    def end(self):
        self._start(SET_UP)

    def _start(self, before_midnight):
        self._from = self._midnight - before_midnight
        self._since = None
        self._looks = 0
        self._told = 0.0
        self._seen.clear()

    def _moves(self, frame, kind):
        if not self._is_own(frame):
            return False
        place = kind, frame.f_code, frame.f_lasti
        self._seen[place] = self._seen.get(place, 0) + 1
        return self._seen[place] <= LOOKS_THAT_MOVE

    def _is_own(self, frame):
        if frame.f_globals.get("__name__") in HELPERS:
            return False
        # Generated methods (of data classes) have no file, but the globals of the module that asked for them.
        path = frame.f_globals.get("__file__") or frame.f_code.co_filename
        if path not in self._own:
            full = os.path.realpath(path) if isinstance(path, str) else ""
            inside = full.startswith(self._project) or os.path.abspath(path).startswith(self._given) if full else False
            self._own[path] = inside and os.sep + "site-packages" + os.sep not in full
        return self._own[path]


def move_clock(seconds, runs_in=None):
    """Let every wall clock reading of this process be `seconds` later; with a folder in `runs_in`, let it run there.

    Returns (the clock, whether `datetime` could be moved as well).
    """
    real = types.SimpleNamespace(**{name: getattr(time, name) for name in WALL + COUNTERS})
    clock = ShiftedClock(real, seconds) if runs_in is None else RunningClock(real, seconds, runs_in)
    caller = sys._getframe  # the frame behind _Moved.__call__ and the function below

    def local(moment=None):
        return real.localtime(clock.now(caller(2)) if moment is None else moment)

    def strftime(form, parts=None):
        return real.strftime(form, real.localtime(clock.now(caller(2))) if parts is None else parts)

    moved = {
        "time": lambda: clock.now(caller(2)),
        "time_ns": lambda: int(clock.now(caller(2)) * NANO),
        "localtime": local,
        "gmtime": lambda moment=None: real.gmtime(clock.now(caller(2)) if moment is None else moment),
        "ctime": lambda moment=None: real.ctime(clock.now(caller(2)) if moment is None else moment),
        "asctime": lambda parts=None: real.asctime(real.localtime(clock.now(caller(2))) if parts is None else parts),
        "strftime": strftime,
    }
    if runs_in is not None:
        moved.update(
            monotonic=lambda: real.monotonic() + clock.ahead(caller(2)),
            monotonic_ns=lambda: real.monotonic_ns() + clock.ahead(caller(2)) * NANO,
            perf_counter=lambda: real.perf_counter() + clock.ahead(caller(2)),
            perf_counter_ns=lambda: real.perf_counter_ns() + clock.ahead(caller(2)) * NANO,
        )
    for name, call in moved.items():
        setattr(time, name, _Moved(name, call, getattr(real, name)))
    return clock, _move_datetime(clock)


def _move_datetime(clock):
    """Replace `now` and `utcnow` in the type's own dictionary; False where this interpreter does not let us."""

    def moved_now(cls, tz=None):
        return cls.fromtimestamp(clock.now(sys._getframe(1)), tz)

    def moved_utcnow(cls):
        return cls.fromtimestamp(clock.now(sys._getframe(1)), datetime.timezone.utc).replace(tzinfo=None)

    try:
        import ctypes

        members = gc.get_referents(datetime.datetime.__dict__)[0]
        members["now"] = classmethod(moved_now)
        members["utcnow"] = classmethod(moved_utcnow)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))
    except Exception:
        return False
    zone = datetime.timezone.utc
    return abs(datetime.datetime.now(zone).timestamp() - clock.now(sys._getframe())) < 60
