"""Moves the wall clock of this process, so that tests which lean on today's date or time show it.

`time.time` and its relatives are replaced in the module. `datetime.datetime.now` and `utcnow` ask the C clock, so they
are replaced in the type itself: a substitute class would break `type(x) is datetime`, dispatch and data models, and
would call honest tests flaky. `date.today` and `datetime.today` go through `time.time`.
"""

import datetime
import gc
import time


class _Moved:
    """A function of the time module, moved. An instance and no function: as a class attribute it must not bind."""

    def __init__(self, call):
        self._call = call

    def __call__(self, *arguments):
        return self._call(*arguments)


def move_clock(seconds):
    """Let every wall clock reading of this process be `seconds` later."""
    real = {name: getattr(time, name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime")}

    def now():
        return real["time"]() + seconds

    def local(moment=None):
        return real["localtime"](now() if moment is None else moment)

    def strftime(form, parts=None):
        return real["strftime"](form, local() if parts is None else parts)

    moved = {
        "time": now,
        "time_ns": lambda: real["time_ns"]() + int(seconds) * 1000000000,
        "localtime": local,
        "gmtime": lambda moment=None: real["gmtime"](now() if moment is None else moment),
        "ctime": lambda moment=None: real["ctime"](now() if moment is None else moment),
        "strftime": strftime,
    }
    for name, call in moved.items():
        setattr(time, name, _Moved(call))
    return _move_datetime(now)


def _move_datetime(now):
    """Replace `now` and `utcnow` in the type's own dictionary; False where this interpreter does not let us."""

    def moved_now(cls, tz=None):
        return cls.fromtimestamp(now(), tz)

    def moved_utcnow(cls):
        return cls.fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

    try:
        import ctypes

        members = gc.get_referents(datetime.datetime.__dict__)[0]
        members["now"] = classmethod(moved_now)
        members["utcnow"] = classmethod(moved_utcnow)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))
    except Exception:
        return False
    zone = datetime.timezone.utc
    return abs(datetime.datetime.now(zone).timestamp() - now()) < 60
