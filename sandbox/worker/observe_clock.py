"""Makes clock and chance repeatable, or different on purpose, before the target is imported.

`ticking`: the calendar clock starts at a fixed instant for every trial and advances a millisecond with each look.
`shifted`: the calendar clock runs, but far from now. The monotonic clocks stay real, event loops live by them.
"""

import datetime
import os
import random
import sys
import time

EPOCH = 1_704_067_200.0  # 2024-01-01T00:00:00Z


class Clock:
    """Replaces `time.time` and what `datetime` says now is. `mode` is ticking or shifted; `seconds` the shift."""

    def __init__(self, mode, seconds):
        self.mode = mode
        self.seconds = seconds
        self.ticks = 0
        self.later = 0
        self.real = {
            name: getattr(time, name)
            for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime")
        }

    def rewind(self, later=0):
        """Start again at the fixed instant, or some seconds later."""
        self.ticks = 0
        self.later = later

    def now(self):
        if self.mode == "shifted":
            return self.real["time"]() + self.seconds
        self.ticks += 1
        return EPOCH + self.later + self.ticks / 1000

    def install(self):
        real = self.real
        time.time = self.now
        time.time_ns = lambda: int(self.now() * 1_000_000_000)
        time.localtime = lambda seconds=None: real["localtime"](self.now() if seconds is None else seconds)
        time.gmtime = lambda seconds=None: real["gmtime"](self.now() if seconds is None else seconds)
        time.ctime = lambda seconds=None: real["ctime"](self.now() if seconds is None else seconds)
        time.asctime = lambda moment=None: real["asctime"](time.localtime() if moment is None else moment)
        time.strftime = lambda text, moment=None: real["strftime"](text, time.localtime() if moment is None else moment)
        _replace_datetime(self)


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
    datetime.date, datetime.datetime = Date, Moment  # type: ignore[misc]


class Chance:
    """Seeds every source of randomness per trial, and tells whether a trial used one."""

    def __init__(self):
        self.source = random.Random(0)
        self.drawn = 0
        self.before = None

    def install(self):
        os.urandom = self.draw
        random._urandom = self.draw  # type: ignore[attr-defined]

    def draw(self, size):
        self.drawn += 1
        return bytes(self.source.getrandbits(8) for _ in range(size))

    def reseed(self, seed):
        self.source.seed(seed)
        self.drawn = 0
        random.seed(seed)
        numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        if numpy_random is not None:
            numpy_random.seed(seed)
        self.before = random.getstate()

    def was_used(self):
        return self.drawn > 0 or random.getstate() != self.before
