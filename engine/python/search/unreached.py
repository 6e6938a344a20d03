"""Explains for each public callable without a finding why it has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..facts.analyse import subjects as subjects_of
from ..inputs.calls import NOT_CALLED
from ..model.model import Arc, CallableFacts, ModuleFacts, Observation, TrialFinding, Unreached
from .trial_search import Subject

_REFUSED = (
    (
        ("subprocess", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty", "os.forkpty"),
        "starts other programs",
    ),
    (("reads standard input",), "reads standard input"),
    (("leaves a thread",), "leaves threads running"),
    (("os.kill",), "signals other processes"),
    (("resource",), "changes resource limits"),
    (("webbrowser",), "opens a browser"),
    (("open", "os.", "sqlite3"), "writes outside its own folder"),
)

_ENDINGS = {
    "timed_out": "every trial ran out of time",
    "crashed": "it ends the interpreter",
    "out_of_memory": "every trial ran out of memory",
}
_PICKLING = "__reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__".split()
_CALLED_BY = {
    **dict.fromkeys(_PICKLING, "copying and pickling"),
    **dict.fromkeys(("__exit__", "__aexit__"), "leaving a `with` block"),
    "__await__": "`await`",
    "__sizeof__": "`sys.getsizeof`",
}
_NETWORK = (
    (("network: looks", "socket.get"), "looks names up"),
    (("socket", "ssl", "network"), "opens network connections"),
)


def unreached_callables(
    facts: ModuleFacts,
    subjects: Mapping[str, Subject],
    findings: Iterable[TrialFinding],
    dropped: Mapping[str, str],
    covered: frozenset[Arc],
) -> tuple[Unreached, ...]:
    """Returns the public callables without a finding, with the reason, in source order.

    Args:
        dropped: why the last finding of a callable could not be confirmed.
        covered: arcs that the findings run; constructors and special methods whose body they run are not listed.
    """
    have = {finding.trial.subject for finding in findings}
    kinds = {owner.name: owner.kind for owner in facts.classes}
    missing: list[Unreached] = []
    for item in subjects_of(facts):
        if item.qualname in have:
            continue
        subject = subjects.get(item.qualname)
        ran = subject is not None and not subject.arcs.isdisjoint(covered)
        if ran and (item.kind == "constructor" or item.name.startswith("__")):
            continue
        reason = _reason(item, subject, kinds.get(item.owner or item.qualname, ""), dropped.get(item.qualname))
        if ran:
            reason += "; its code runs in tests of others"
        missing.append(Unreached(item.qualname, reason, item.lines[0]))
    return tuple(missing)


def _reason(facts: CallableFacts, subject: Subject | None, kind: str, dropped: str | None) -> str:
    if dropped:
        return f"no oracle found: what it does {dropped}"
    if subject is None or subject.last is None:
        if kind in ("abstract", "protocol"):
            return "its class is abstract and no concrete subclass was found"
        if facts.name in NOT_CALLED:
            return f"no call was tried: {facts.name} is there for {_CALLED_BY.get(facts.name, 'Python itself')} to call"
        return "no way to call it was found: no arguments or object could be built"
    message = subject.refused.raised.message if subject.refused and subject.refused.raised else ""
    for beginnings, action in _NETWORK:
        if message.startswith(beginnings):
            return f"needs network: it {action}"
    if subject.returned is not None:
        value = subject.returned.value
        if subject.returned.effects:
            return "no oracle found: what it changes is not the same each time"
        if value is not None and value.source == "None":
            return "no oracle found: it returns None and changes nothing that can be seen from outside"
        return "no oracle found: what it returns can neither be written down nor be told by its attributes"
    return _failure_reason(subject.last, subject.trials)


def _failure_reason(last: Observation, trials: int) -> str:
    raised = last.raised
    if last.outcome == "refused":
        # Network access is handled by the caller: it counts whichever trial came last.
        text = raised.message if raised else ""
        unnamed = f"does what a test must not ({text[:80]})" if text else "does what a test must not"
        action = next((action for beginnings, action in _REFUSED if text.startswith(beginnings)), unnamed)
        return f"refused by the sandbox: it {action}"
    if last.outcome in _ENDINGS:
        return _ENDINGS[last.outcome]
    error = "" if raised is None else raised.type_name + (f": {raised.message[:160]}" if raised.message else "")
    if raised is not None and raised.type_name == "ModuleNotFoundError":
        return f"needs a package that is not installed: {raised.message[:160]}"
    if last.outcome == "arrange_failed":
        return f"what it needs could not be arranged; the last attempt raised {error}"
    return f"never called successfully in {trials} trials; the last raised {error}"
