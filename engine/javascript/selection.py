"""Selects which trials become tests: a representative example of each function first, then those that add something.

Every further test has a reason: it takes another branch, notices a fault that none before it notices, or is documented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .model import Function, Module
from .observations import Observations, Seen
from .trials import Trial

_MOST = 9
_LEAST_ANSWERS = 2
_BUILT_IN = frozenset({"TypeError", "ReferenceError", "SyntaxError", "RangeError", "Error", "EvalError", "URIError"})
_NOTHING = ("null", "undefined", "''", "[]", "{}", "NaN", "new Map()", "new Set()")
_PLAIN = ("typical", "omitted", "listed", "boundary", "given", "another", "unknown", "zero", "empty", "one", "negative")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A trial that becomes a test.

    Attributes:
        reason: why, for the evidence.
        origin: `documented` where the expectation stands in the documentation, else `observed`.
        changed: index of the argument that the call changes, -1 where the result is asserted.
        fact: the expression over the instance that the call changes; empty where the result is asserted.
    """

    trial: Trial
    seen: Seen
    reason: str
    is_anchor: bool = False
    origin: str = "observed"
    changed: int = -1
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A documented call that gives something else."""

    trial: Trial
    documented: str
    observed: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What was selected of one module: tests in the order of the source, what is left out and why, suspects."""

    chosen: tuple[Chosen, ...] = ()
    not_reached: tuple[tuple[Function, str], ...] = ()
    suspects: tuple[Suspect, ...] = ()


_ENDLESS = "calls of it do not come to an end, or end the process"


def select(
    module: Module,
    trials: Sequence[Trial],
    found: Observations,
    documented: Mapping[int, bool],
    others: Sequence[Module] = (),
) -> Selection:
    """Select the tests of a module.

    Args:
        others: modules that it uses, whose errors are meant as well; what one function's tests show of them counts for
            all functions.
        documented: for trials that stand in the documentation, whether they gave what it says.
    """
    chosen: list[Chosen] = []
    missing: list[tuple[Function, str]] = []
    suspects = []
    functions = {trial.function.qualname: trial.function for trial in trials}
    for function in functions.values():
        own = [trial for trial in trials if trial.function is function]
        suspects += [
            Suspect(one, one.example.value if one.example else "", _observed(found.seen.get(one.id)))
            for one in own
            if documented.get(one.id) is False
        ]
        rows = [
            _candidate(one, found.seen[one.id], (module, *others), documented) for one in own if one.id in found.seen
        ]
        candidates = [one for one in rows if one is not None and documented.get(one.trial.id) is not False]
        picked = _of_function(candidates, found, chosen if others else None)
        chosen += picked
        if not picked:
            why = _why_nothing([found.seen[one.id] for one in own if one.id in found.seen])
            missing.append((function, _ENDLESS if any(one.id in found.hung for one in own) else why))
    return Selection(tuple(chosen), tuple(missing), tuple(suspects))


def _of_function(candidates: Sequence[Chosen], found: Observations, before: Sequence[Chosen] | None) -> list[Chosen]:
    """The anchor, then what adds something, the plainest first; rows that others make superfluous go again.

    Args:
        before: tests of other functions that count as well: a function need not show what another one shows; None
            where each counts for itself.
    """
    # A function that gives nothing back is not tested by that it gives nothing back.
    returns = any(one.seen.kind != "undefined" and one.seen.outcome == "value" for one in candidates)
    candidates = [one for one in candidates if returns or one.fact or one.changed >= 0 or one.seen.outcome == "throws"]
    anchor = min((one for one in candidates if _is_telling(one)), key=_plainness, default=None)
    if anchor is None:
        return []
    picked = [
        Chosen(anchor.trial, anchor.seen, "representative example", True, anchor.origin, anchor.changed, anchor.fact)
    ]
    ordered = sorted(candidates, key=_plainness)
    if before is not None:
        # Flows are many: first what takes another branch, then what only notices another fault.
        reached = {one.trial.id: one.seen.branches - anchor.seen.branches for one in ordered}
        ordered.sort(key=lambda one: not reached[one.trial.id])
    # An option that changes nothing on the plain call comes last: it may show what it does on another one.
    idle = [one for one in ordered if _changes_nothing(one, picked)]
    for one in [*(one for one in ordered if one not in idle), *idle]:
        others = sum(each.origin != "documented" for each in picked)
        full = others >= _MOST and one.origin != "documented"
        if one.trial is anchor.trial or full or _same_test(one, picked):
            continue
        reason = _reason(one, [*(before or ()), *picked], found)
        if reason:
            picked.append(Chosen(one.trial, one.seen, reason, False, one.origin, one.changed, one.fact))
    picked = _without_spare(picked, found, before or ())
    # One call that always gives the same would be passed by a constant.
    if _needs_another(picked, found):
        other = next((one for one in sorted(candidates, key=_plainness) if _other_answer(one, picked)), None)
        if other is not None:
            picked.append(
                Chosen(other.trial, other.seen, "gives another result", False, other.origin, other.changed, other.fact)
            )
    return picked


def _reason(one: Chosen, picked: Sequence[Chosen], found: Observations) -> str:
    if one.origin == "documented":
        return "documented example"
    known = frozenset[tuple[str, int]]().union(*(each.seen.branches for each in picked))
    if one.seen.branches - known and not _changes_nothing(one, picked):
        return "takes another branch"
    noticed = set[int]().union(*(found.kills.get(each.trial.id, set()) for each in picked))
    fresh = found.kills.get(one.trial.id, set()) - noticed
    if fresh:
        change = found.changes[min(fresh)]
        what = (
            f"always returning {change.answer}"
            if change.function
            else f"{change.mutant.operator} in line {change.mutant.line}"
        )
        return f"notices a fault that no test before it notices: {what}"
    return ""


def _changes_nothing(one: Chosen, picked: Sequence[Chosen]) -> bool:
    """Whether an option is given, and what comes of the call is what comes of the representative one without it."""
    seen = one.seen
    alike = [
        each
        for each in picked
        if each.is_anchor
        and (each.seen.outcome, each.seen.source, each.seen.facts, each.seen.changed)
        == (seen.outcome, seen.source, seen.facts, seen.changed)
    ]
    return one.trial.value.kind == "given" and bool(alike)


def _without_spare(picked: list[Chosen], found: Observations, before: Sequence[Chosen]) -> list[Chosen]:
    """Leave out rows whose branches and noticed faults others have; never the anchor or documented ones."""
    kept = list(picked)
    for one in reversed(picked):
        if one.is_anchor or one.origin == "documented":
            continue
        rest = [other for other in kept if other is not one]
        known = [*before, *rest]
        branches = frozenset[tuple[str, int]]().union(*(other.seen.branches for other in known))
        kills = set[int]().union(*(found.kills.get(other.trial.id, set()) for other in known))
        if one.seen.branches <= branches and found.kills.get(one.trial.id, set()) <= kills:
            kept = rest
    return kept


def _needs_another(picked: Sequence[Chosen], found: Observations) -> bool:
    answers = {(one.seen.outcome, one.seen.source, one.seen.error) for one in picked}
    return len(answers) < _LEAST_ANSWERS and not any(one.fact or one.changed >= 0 for one in picked)


def _other_answer(one: Chosen, picked: Sequence[Chosen]) -> bool:
    answers = {(each.seen.outcome, each.seen.source, each.seen.error) for each in picked}
    return (one.seen.outcome, one.seen.source, one.seen.error) not in answers


def _candidate(trial: Trial, seen: Seen, modules: Sequence[Module], documented: Mapping[int, bool]) -> Chosen | None:
    """What a test of this trial would assert; None where nothing may be asserted."""
    origin = "documented" if documented.get(trial.id) else "observed"
    if not seen.stable or trial.value.kind == "guess":
        return None
    if seen.outcome == "throws":
        return Chosen(trial, seen, "", origin=origin) if any(is_meant(seen.error, one) for one in modules) else None
    if seen.outcome != "value":
        return None
    changed = next((at for at, after in enumerate(seen.changed) if after), -1)
    fact = next((name for name, (was, now) in seen.facts.items() if was and now and was != now), "")
    if seen.is_self or (not seen.source and seen.kind != "undefined") or seen.kind == "undefined":
        # The call is for what it changes.
        if fact:
            return Chosen(trial, seen, "", origin=origin, fact=fact)
        if changed >= 0 and not trial.receiver:
            return Chosen(trial, seen, "", origin=origin, changed=changed)
        return Chosen(trial, seen, "", origin=origin) if seen.kind == "undefined" and not seen.is_self else None
    return Chosen(trial, seen, "", origin=origin)


def is_meant(error: tuple[str, str], module: Module) -> bool:
    """Whether an error is one that the module throws itself, or of a class of the project's own."""
    name, message = error
    for throw in module.throws:
        own = throw.type.rpartition(".")[2] == name
        if own and (not throw.message or re.fullmatch(throw.message, message, re.DOTALL)):
            return True
    return name not in _BUILT_IN and name.endswith("Error") and any(throw.type == name for throw in module.throws)


def _is_telling(one: Chosen) -> bool:
    """Whether a call shows what the function is for: a result that is not empty, undefined or an argument as it is."""
    seen = one.seen
    if seen.outcome != "value":
        return False
    if one.fact or one.changed >= 0:
        return True
    # Nothing, and a plain no, are what a function without a body gives as well.
    return one.origin == "documented" or seen.source not in (*_NOTHING, "false")


def _plainness(one: Chosen) -> tuple[object, ...]:
    seen, trial = one.seen, one.trial
    empty = seen.source in _NOTHING
    weak = (
        seen.source in ("false", "0", "-1") or (seen.argument >= 0 and not one.fact) or seen.source in trial.arguments
    )
    kind = trial.value.kind
    return (
        one.origin != "documented",
        seen.outcome != "value",
        empty and not one.fact,
        not trial.setup and bool(trial.readings) and not one.fact,
        weak and not one.fact,
        _PLAIN.index(kind) if kind in _PLAIN else len(_PLAIN),
        trial.id,
    )


def _same_test(one: Chosen, picked: Sequence[Chosen]) -> bool:
    """Whether words could not tell a test from one that is there."""
    return any(
        (each.trial.value.phrase, each.trial.state, each.trial.phrases, each.trial.circumstance)
        == (one.trial.value.phrase, one.trial.state, one.trial.phrases, one.trial.circumstance)
        and each.seen.outcome == one.seen.outcome
        and one.trial.example is None
        for each in picked
    )


def _why_nothing(seen: Iterable[Seen]) -> str:
    everything = list(seen)
    if not everything:
        return "no call of it could be made: what its parameters take is not known"
    if any(not one.stable for one in everything):
        return "what it returns differs from one call to the next"
    if all(one.outcome == "arrange" for one in everything):
        return "what it is called on could not be set up"
    if any(one.outcome == "pending" for one in everything):
        return "it waits for something that does not happen here"
    if all(one.outcome == "throws" for one in everything):
        name, message = everything[0].error
        return f"every call tried ends in an error: {name}: {message}"[:280]
    if all(one.source in (*_NOTHING, "false") for one in everything if one.outcome == "value" and one.source):
        return "every call tried gives nothing, or no: what it takes to give more is not known"
    if any(one.kind == "function" for one in everything):
        return "it returns a function, which is not called yet"
    return "nothing that it returns or changes can be written down"


def _observed(seen: Seen | None) -> str:
    if seen is None:
        return "it does not come to an end"
    return seen.source or _error(seen)


def _error(seen: Seen) -> str:
    return f"throws {seen.error[0]}: {seen.error[1]}" if seen.outcome == "throws" else seen.outcome
