"""Explains for each public callable without a finding why it has none, and what a person would have to answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....utils.names.counted import counted
from ..facts.analyse import subjects as subjects_of
from ..inputs.calls import NOT_CALLED
from ..model.model import (
    GENERATED_CONSTRUCTORS,
    MOST_PARAMETERS,
    Arc,
    CallableFacts,
    ModuleFacts,
    Observation,
    Parameter,
    TrialFinding,
    Unreached,
)
from ..source.annotations import type_hint
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
    "not_run": "no time was left to try it",
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
_NO_WAY = "no way to call it was found"
_NOT_ARRANGED = "what it needs could not be arranged"
_NEVER = "never called successfully"
_NOTHING_SEEN = "no oracle found: in {} it returned None and changed nothing that can be seen from outside"
_NOT_TELLING = "no representative example was found"
_LONGEST_SHOWN = 60
_ANSWERABLE = (_NO_WAY, _NOT_TELLING, _NOT_ARRANGED, _NEVER, _NOTHING_SEEN.partition("{}")[0])
_SHOWN_LINES = 6


def unreached_callables(
    facts: ModuleFacts,
    subjects: Mapping[str, Subject],
    findings: Iterable[TrialFinding],
    dropped: Mapping[str, str],
    covered: frozenset[Arc],
    trials: int = 0,
) -> tuple[Unreached, ...]:
    """Returns the public callables without a finding, with the reason, in source order.

    Args:
        dropped: why the last finding of a callable could not be confirmed.
        covered: arcs that the findings run; constructors and special methods whose body they run are not listed.
        trials: how many trials the whole search ran.
    """
    have = {finding.trial.subject for finding in findings}
    kinds = {owner.name: owner.kind for owner in facts.classes}
    missing: list[Unreached] = []
    for item in subjects_of(facts):
        if item.qualname in have:
            continue
        subject = subjects.get(item.qualname)
        if item.kind == "constructor" and kinds.get(item.qualname) in GENERATED_CONSTRUCTORS and not item.raises:
            continue  # Python wrote it, from the fields
        ran = subject is not None and not subject.arcs.isdisjoint(covered)
        if ran and (item.kind == "constructor" or item.name.startswith("__")):
            continue
        implemented = _implementation(item, facts, have) if subject is None or not _ran_itself(subject) else ""
        if implemented:
            missing.append(Unreached(item.qualname, f"it is abstract: tested as `{implemented}`", item.lines[0]))
            continue
        reason = _reason(item, subject, kinds.get(item.owner or item.qualname, ""), dropped.get(item.qualname), trials)
        question = ""
        if reason.startswith(_ANSWERABLE):
            told = subject.returned or subject.last if subject is not None else None
            question = question_about(item, facts, told)
        if ran:
            reason += "; its code runs in tests of others"
        missing.append(Unreached(item.qualname, reason, item.lines[0], question))
    return tuple(missing)


def _ran_itself(subject: Subject) -> bool:
    """Whether a trial ran the callable's own body, not only one that overrides it."""
    return not subject.touched.isdisjoint(subject.arcs)


def _implementation(item: CallableFacts, facts: ModuleFacts, have: set[str]) -> str:
    """Returns the tested member of a subclass in the module that overrides a method; empty where there is none."""
    kinds = {owner.name: owner for owner in facts.classes}
    waiting = [owner for owner in facts.classes if item.owner in owner.bases]
    for owner in waiting:
        name = f"{owner.name}.{item.name}"
        if name in have:
            return name
        waiting += [one for one in kinds.values() if owner.name in one.bases and one not in waiting]
    return ""


def _reason_of_no_call(facts: CallableFacts, kind: str) -> str:
    if kind in ("abstract", "protocol"):
        return "its class is abstract and no concrete subclass was found"
    if facts.name in NOT_CALLED:
        return f"no call was tried: {facts.name} is there for {_CALLED_BY.get(facts.name, 'Python itself')} to call"
    if len(facts.parameters) > MOST_PARAMETERS:
        return f"no call was tried: it takes more than {MOST_PARAMETERS} arguments"
    return f"{_NO_WAY}: no arguments or object could be built"


def _reason(facts: CallableFacts, subject: Subject | None, kind: str, dropped: str | None, trials: int) -> str:
    if dropped:
        return f"no oracle found: what it does {dropped}"
    if subject is not None and subject.last is None and subject.waiting:
        return f"it was not called: the search ended after {trials} trials; `trials` and `step_seconds` allow more"
    if subject is None or subject.last is None:
        return _reason_of_no_call(facts, kind)
    message = subject.refused.raised.message if subject.refused and subject.refused.raised else ""
    for beginnings, action in _NETWORK:
        if message.startswith(beginnings):
            return f"needs network: it {action}"
    if subject.returned is not None:
        value = subject.returned.value
        if subject.returned.effects:
            return "no oracle found: what it changes is not the same each time"
        if value is not None and value.source == "None":
            return _NOTHING_SEEN.format(counted(subject.trials, "trial")) + _unrun_lines(subject)
        if value is not None and value.source is not None:
            shown = value.source if len(value.source) <= _LONGEST_SHOWN else f"{value.source[:_LONGEST_SHOWN]}…"
            return (
                f"{_NOT_TELLING}: in {counted(subject.trials, 'trial')} nothing more telling came back than `{shown}`"
            )
        if value is not None and value.attributes and facts.kind == "constructor":
            return "no test of its own: it only keeps what it is given"
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
        return f"{_NOT_ARRANGED}; the last attempt raised {error}"
    return f"{_NEVER} in {counted(trials, 'trial')}; the last raised {error}"


def _unrun_lines(subject: Subject) -> str:
    """Says which lines of the body no trial ran: what it does may show only there."""
    ran = {abs(line) for arc in subject.touched for line in arc}
    unrun = sorted({start for start, _ in subject.arcs if start > 0} - ran)
    if not unrun:
        return ""
    shown = ", ".join(str(line) for line in unrun[:_SHOWN_LINES])
    more = ", …" if len(unrun) > _SHOWN_LINES else ""
    return f"; line {shown}{more} never ran" if len(unrun) == 1 else f"; lines {shown}{more} never ran"


_PLAIN_TYPES = frozenset("int str float bool bytes complex None Any object".split())
_ANSWERED_IN = "Show one in a docstring example, or under [tool.testwright.examples] in pyproject.toml."


def question_about(item: CallableFacts, facts: ModuleFacts, last: Observation | None) -> str:
    """Returns the question whose answer would make a call of `item` possible or telling; empty where none would.

    Args:
        last: the last observation of a call of it; None where none was made.
    """
    returned = last is not None and last.outcome == "returned"
    silent = returned and last is not None and last.value is not None and last.value.source == "None"
    if returned and (silent or not item.parameters):
        return (
            f"What comes before `{item.qualname}` in real use, so that it has something to change? "
            "Show it in a docstring example."
        )
    owner = next((one for one in facts.classes if one.name == item.owner), None)
    constructor = owner.constructor if owner is not None else None
    unbuilt = last is None or last.outcome == "arrange_failed"
    if unbuilt and item.kind in ("method", "property") and constructor is not None:
        parameter = _least_known(constructor)
        if parameter is not None:
            return f"What does the `{parameter.name}` of a `{item.owner}` look like? {_ANSWERED_IN}"
        return f"How is a `{item.owner}` made that `{item.name}` can be called on? {_ANSWERED_IN}"
    parameter = _least_known(item) or next((one for one in item.parameters if returned), None)
    if parameter is None:
        return f"What must be there before `{item.qualname}` can be called? Show it in a docstring example."
    return f"What does the `{parameter.name}` of `{item.qualname}` look like? {_ANSWERED_IN}"


def _least_known(item: CallableFacts) -> Parameter | None:
    """Returns the parameter that says least about its values: without annotation, then of a class, then any other."""

    def knowledge(parameter: Parameter) -> int:
        if parameter.annotation is None:
            return 0
        return 1 + ({hint.name for hint in type_hint(parameter.annotation).members()} <= _PLAIN_TYPES)

    required = [one for one in item.parameters if one.required]
    return min(required, key=knowledge, default=None)
