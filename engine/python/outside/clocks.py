"""Stops the clock of a module, and has waiting take no time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from ..source.moments import NOW
from .arrangement import Arrangement
from .uses import OutsideUse

# A Friday morning first; then later that day, a Sunday, the end of the year, two years later, the leap day before.
MOMENTS = (
    (2024, 6, 14, 9),
    (2024, 6, 14, 15),
    (2024, 6, 14, 20),
    (2024, 6, 16, 9),
    (2024, 12, 31, 23),
    (2026, 6, 14, 9),
    (2024, 2, 29, 9),
)
_DATETIME = "datetime.datetime."
_DATE = "datetime.date."
_METHODS = {
    "now": "        def now(cls, tz=None):\n            return moment.replace(tzinfo=tz)\n",
    "utcnow": "        def utcnow(cls):\n            return moment\n",
    "today": "        def today(cls):\n            return moment\n",
}
_DATETIME_AT = '''\
def datetime_at(moment):
    """Return a datetime class whose clock stands still."""
{kind}
    class FrozenDatetime(datetime.datetime{meta}):
{methods}
    return FrozenDatetime'''
# What code asks of `isinstance(value, datetime)` stays true of any datetime while the class is replaced.
_KIND = """\
    real = datetime.{name}

    class Kind(type(real)):
        def __instancecheck__(cls, value):
            return isinstance(value, real)

"""
_META = ", metaclass=Kind"
_DATE_ON = '''\
def date_on(day):
    """Return a date class for which today is always the same day."""
{kind}
    class FrozenDate(datetime.date{meta}):
        @classmethod
        def today(cls):
            return day

    return FrozenDate'''
_NOTING_WAITS = '''\
def noting_waits(waits):
    """Return a stand-in for asyncio.sleep that notes each wait."""

    async def sleep(seconds, result=None):
        waits.append(seconds)
        return result

    return sleep'''
_IMPORT = ("import datetime",)


def stopped_clocks(uses: Sequence[OutsideUse], tested: Collection[str] = ()) -> list[Arrangement]:
    """Returns what stops the clocks that these uses read, at several moments; empty where none can be stopped.

    The moment is `now`: a `datetime`, a `date` where nothing reads more, seconds where only they are read.

    Args:
        tested: which of `datetime` and `date` the code asks `isinstance` about.
    """
    kinds = {_kind(use) for use in uses} - {""}
    if not kinds:
        return []
    patches: dict[str, str] = {}
    for use in uses:
        place = use.place(0 if _kind(use) == "time" else 1)
        patches[place] = _replacement(_kind(use), kinds) if _kind(use) else ""
    put = tuple(f"monkeypatch.setattr({place!r}, {value})" for place, value in patches.items() if value)
    imports = () if kinds == {"time"} else _IMPORT
    return [
        Arrangement((*_definitions(uses, kinds, tested), f"{NOW} = {_now(moment, kinds)}", *put), imports)
        for moment in MOMENTS
    ]


def _kind(use: OutsideUse) -> str:
    """The kind of clock that a use reads: `datetime`, `date`, `time`; empty for none that can be stopped."""
    if use.name.startswith(_DATETIME) and use.name.removeprefix(_DATETIME) in _METHODS:
        return "datetime"
    return {f"{_DATE}today": "date", "time.time": "time", "time.monotonic": "time"}.get(use.name, "")


def _replacement(kind: str, kinds: set[str]) -> str:
    if kind == "datetime":
        return f"datetime_at({NOW})"
    if kind == "date":
        return f"date_on({NOW})" if kinds == {"date"} else f"date_on({NOW}.date())"
    return f"lambda: {NOW}" if kinds == {"time"} else f"lambda: {NOW}.replace(tzinfo=datetime.timezone.utc).timestamp()"


def _now(moment: tuple[int, ...], kinds: set[str]) -> str:
    if kinds == {"time"}:
        # Whole seconds: results made of them are compared exactly.
        return str(int(datetime(*moment, tzinfo=UTC).timestamp()))
    if kinds == {"date"}:
        return f"datetime.date({', '.join(map(str, moment[:3]))})"
    return f"datetime.datetime({', '.join(map(str, moment))})"


def _definitions(uses: Sequence[OutsideUse], kinds: set[str], tested: Collection[str]) -> tuple[str, ...]:
    names = {use.name.removeprefix(_DATETIME) for use in uses}
    methods = "\n".join(f"        @classmethod\n{text}" for name, text in _METHODS.items() if name in names)
    found: list[str] = []
    if "datetime" in kinds:
        found.append(_DATETIME_AT.format(methods=methods, **_asking("datetime", tested)))
    if "date" in kinds:
        found.append(_DATE_ON.format(**_asking("date", tested)))
    return tuple(found)


def _asking(name: str, tested: Collection[str]) -> dict[str, str]:
    return {"kind": _KIND.format(name=name), "meta": _META} if name in tested else {"kind": "", "meta": ""}


def without_waiting(uses: Sequence[OutsideUse], module: str) -> list[Arrangement]:
    """Returns what notes each wait of a module in `waits` instead of waiting."""
    patches: dict[str, str] = {}
    for use in uses:
        if use.module == module and use.name in ("time.sleep", "asyncio.sleep"):
            patches[use.place()] = "waits.append" if use.name == "time.sleep" else "noting_waits(waits)"
    patches = patches or {"time.sleep": "waits.append"}
    helpers = (_NOTING_WAITS,) if "noting_waits(waits)" in patches.values() else ()
    put = (f"monkeypatch.setattr({place!r}, {value})" for place, value in patches.items())
    return [Arrangement((*helpers, "waits = []", *put))]
