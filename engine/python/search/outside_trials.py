"""Decides which trials are repeated with stand-ins for the world outside, and which of both are recorded.

The plainest stand-ins are tried first. They stay where they change something or where the trial cannot do without: a
clock that is read for a log entry alone is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..judge.comparison import stable_part
from ..model.model import Trial
from ..model.observation_json import ObservedTrial
from ..outside.stand_ins import reached

_USABLE = ("returned", "raised")


@dataclass(frozen=True, slots=True)
class Reached:
    """A trial that ran, with its observation and whether that depends on the date."""

    trial: Trial
    seen: ObservedTrial
    time_dependent: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of a trial: the trials to record, and those to run next."""

    records: tuple[Reached, ...] = ()
    queue: tuple[Trial, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pending:
    """A trial with stand-ins that has not run: what they stand in for, the trial without them, further choices."""

    marks: frozenset[str]
    original: Reached | None
    rest: tuple[Trial, ...] = ()


@dataclass(slots=True)
class OutsideTrials:
    """The trials with stand-ins that have not run yet, and the callables for which there are none."""

    _pending: dict[tuple[object, ...], _Pending] = field(default_factory=dict[tuple[object, ...], _Pending])
    _useless: set[tuple[str, frozenset[str]]] = field(default_factory=set[tuple[str, frozenset[str]]])

    def settle(self, one: Reached, propose: Callable[[Trial], list[Trial]]) -> Settled:
        """Returns what becomes of a trial that ran.

        Args:
            propose: gives the trial with stand-ins for what its act reached, the plainest first.
        """
        marks = reached(one.seen.observation)
        pending = self._pending.pop(_key(one.trial), None)
        if pending is not None:
            if marks & pending.marks or one.seen.observation.outcome == "arrange_failed":
                self._useless.add((one.trial.subject, pending.marks))
                return Settled((pending.original,) if pending.original is not None else ())
            if pending.original is not None and _changes_nothing(pending.original, one):
                # What happens later may differ all the same.
                later = tuple(trial for trial in pending.rest[:1] if trial.arrange[:-1] == one.trial.arrange)
                return Settled((pending.original,), self._registered(later, pending.marks))
        further = self._with_stand_ins(one, marks, propose)
        rest = self._registered(pending.rest, pending.marks) if pending is not None else ()
        return Settled(() if further else (one,), (*further, *rest))

    def _with_stand_ins(
        self, one: Reached, marks: frozenset[str], propose: Callable[[Trial], list[Trial]]
    ) -> tuple[Trial, ...]:
        if not marks or (one.trial.subject, marks) in self._useless:
            return ()
        found = propose(one.trial)
        if not found:
            self._useless.add((one.trial.subject, marks))
            return ()
        self._pending[_key(found[0])] = _Pending(marks, one, tuple(found[1:]))
        return (found[0],)

    def _registered(self, trials: tuple[Trial, ...], marks: frozenset[str]) -> tuple[Trial, ...]:
        for trial in trials:
            self._pending[_key(trial)] = _Pending(marks, None)
        return trials


def _key(trial: Trial) -> tuple[object, ...]:
    return (trial.act, trial.mode, trial.arrange)


def _changes_nothing(original: Reached, other: Reached) -> bool:
    """Whether a trial shows with stand-ins what it shows without them."""
    if original.time_dependent or original.seen.observation.outcome not in _USABLE:
        return False
    same = stable_part(original.seen.observation, [other.seen.observation])
    return same is not None and not same.unstable
