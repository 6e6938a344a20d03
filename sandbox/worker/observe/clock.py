"""Makes clock and randomness repeatable, or different on purpose, before the target is imported.

`ticking`: the calendar clock starts at a fixed instant for every trial and advances a millisecond with each look.
`shifted`: the calendar clock runs, but far from now.
`running`: a second goes by from one look of the target or the trial to the next, at any clock. A ticking clock runs,
too, where a trial asks for a later time. Others' looks at the monotonic clocks stay real, event loops live by them.
"""

import datetime
import os
import random
import sys
import time

from ..bootstrap import FOLDER

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

COUNTERS = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
LIBRARY = os.path.dirname(os.path.abspath(os.__file__))
EPOCH = 1_704_067_200.0  # 2024-01-01T00:00:00Z


class Counter:
    """A function of the time module that counts its looks. An instance: as a class attribute it must not bind."""

    def __init__(self, clock, name):
        self._clock = clock
        self._real = getattr(time, name)
        self._unit = 1_000_000_000 if name.endswith("_ns") else 1
        self.__name__ = self.__qualname__ = name
        self.__module__ = "time"

    def __call__(self):
        return self._real() + self._clock.ahead(sys._getframe(1)) * self._unit

    def __repr__(self):
        return repr(self._real)

    def __reduce__(self):
        return self.__name__  # pickled and copied as the original is: by name


class TrialClock:
    """Replaces `time.time` and what `datetime` says now is, and has the counters go along.

    Args:
        mode: ticking, shifted or running.
        seconds: by how much it is shifted, or where a running one starts, counted from the fixed instant.

    Attributes:
        readers: modules whose own code asked for the date or the time of day.
    """

    def __init__(self, mode, seconds):
        self.mode = mode
        self.seconds = seconds
        self.ticks = 0
        self.passed = 0
        self.later = 0
        self.runs = False
        self.readers = set()
        self.real = {
            name: getattr(time, name)
            for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime")
        }
        self.rewind()

    def rewind(self, later=0):
        """Start again at the fixed instant; or some seconds later, and then run."""
        self.ticks = 0
        self.passed = -1
        self.later = later or (self.seconds if self.mode == "running" else 0)
        self.runs = self.mode == "running" or bool(later)

    def now(self):
        if self.mode == "shifted":
            return self.real["time"]() + self.seconds
        self.ticks += 1
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        own = is_own(frame)
        if own:
            self.readers.add(frame.f_globals.get("__name__") or "")
        if not self.runs:
            return EPOCH + self.later + self.ticks / 1000
        if own:
            self.passed += 1
        return EPOCH + self.later + max(0, self.passed)

    def ahead(self, frame):
        """Seconds that a counter read in this frame is ahead of the real one."""
        if self.mode == "shifted" or not is_own(frame):
            return 0
        self.ticks += 1
        if not self.runs:
            return 0
        self.passed += 1
        return self.passed

    def install(self):
        real = self.real
        time.time = self.now
        time.time_ns = lambda: int(self.now() * 1_000_000_000)
        time.localtime = lambda seconds=None: real["localtime"](self.now() if seconds is None else seconds)
        time.gmtime = lambda seconds=None: real["gmtime"](self.now() if seconds is None else seconds)
        time.ctime = lambda seconds=None: real["ctime"](self.now() if seconds is None else seconds)
        time.asctime = lambda moment=None: real["asctime"](time.localtime() if moment is None else moment)
        time.strftime = lambda text, moment=None: real["strftime"](text, time.localtime() if moment is None else moment)
        for name in COUNTERS:
            setattr(time, name, Counter(self, name))
        _replace_datetime(self)


def is_own(frame):
    """Whether the code of a frame is the target's or the trial's: neither this worker's nor a library's."""
    path = frame.f_globals.get("__file__") or ""
    return not path.startswith((FOLDER, LIBRARY)) and "site-packages" not in path


def _replace_datetime(clock):
    real_datetime, real_date = datetime.datetime, datetime.date

    class AnyDate(type(real_date)):
        def __instancecheck__(cls, instance):
            if cls is Moment:
                return isinstance(instance, real_datetime)
            if cls is Date:
                return isinstance(instance, real_date)
            return type.__instancecheck__(cls, instance)

        def __subclasscheck__(cls, subclass):
            if cls is Moment:
                return issubclass(subclass, real_datetime)
            if cls is Date:
                return issubclass(subclass, real_date)
            return type.__subclasscheck__(cls, subclass)

    class Date(real_date, metaclass=AnyDate):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(clock.now())

    class Moment(real_datetime, metaclass=AnyDate):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(clock.now(), tz)

        @classmethod
        def today(cls):
            return cls.fromtimestamp(clock.now())

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(clock.now(), datetime.timezone.utc).replace(tzinfo=None)

    for stand_in, real in ((Date, real_date), (Moment, real_datetime)):
        stand_in.__name__ = stand_in.__qualname__ = real.__name__
        stand_in.__module__ = "datetime"
    datetime.date, datetime.datetime = Date, Moment


class SeededRandomness:
    """Seeds every source of randomness per trial, and tells whether a trial used one."""

    def __init__(self):
        self.source = random.Random(0)
        self.seed = 0
        self.drawn = 0
        self.before: Any = None
        self.states: dict = {}

    def install(self):
        os.urandom = self.draw
        random._urandom = self.draw  # pyrefly: ignore[missing-attribute]

    def draw(self, size):
        self.drawn += 1
        return bytes(self.source.getrandbits(8) for _ in range(size))

    def reseed(self, seed):
        if self.drawn or seed != self.seed:
            self.source.seed(seed)
        self.seed, self.drawn = seed, 0
        random.seed(seed)
        numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        if numpy_random is not None:
            numpy_random.seed(seed)
        if seed not in self.states:  # reading it takes longer than anything else here
            self.states = {seed: random.getstate()}
        self.before = self.states[seed]

    def was_used(self):
        return self.drawn > 0 or self.drew_from_module()

    def drew_from_module(self):
        """Whether the functions of the `random` module were used, which a test can seed."""
        return random.getstate() != self.before
