"""Calls that a docstring says are refused: `Raises: ValueError: if count is negative` is tried with a negative count.

What then returns contradicts its document, whatever the code is; what raises is a documented test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, parse_expression
from ..model.model import RAISES, CallableFacts, Documentation, ModuleFacts, Parameter, Trial
from ..source.titles import positional_names

_NEGATIVE = r"negative|less than (?:0|zero)|below (?:0|zero)|smaller than (?:0|zero)|< ?0"
_ZERO = r"(?:zero|0|not positive|(?:zero|0) or negative|less than (?:1|one)|below (?:1|one)|< ?1|<= ?0)"
_NUMBERS = re.compile(r"(?:builtins\.)?(?:int|float)(?: \| None)?|Optional\[(?:int|float)\]")


def with_announced_exceptions(trials: Iterable[Trial], facts: ModuleFacts) -> Iterator[Trial]:
    """Generates the trials, and after the first call of each callable those that its docstring says are refused."""
    waiting = {one.qualname: one for one in facts.callables() if one.public and _documentation(one, facts).raises}
    for trial in trials:
        yield trial
        subject = waiting.get(trial.subject)
        if subject is not None and trial.mode == "call" and trial.wanted is None:
            refused = list(_refused(trial, subject, facts))
            yield from refused
            if refused:
                del waiting[trial.subject]


def _documentation(subject: CallableFacts, facts: ModuleFacts) -> Documentation:
    """The docstring that speaks of a callable's exceptions: for a constructor without one, that of its class."""
    if subject.kind == "constructor" and not subject.documentation.raises:
        owner = next((one for one in facts.classes if one.name == subject.owner), None)
        return owner.documentation if owner is not None else subject.documentation
    return subject.documentation


def _refused(trial: Trial, subject: CallableFacts, facts: ModuleFacts) -> Iterator[Trial]:
    documentation = _documentation(subject, facts)
    for name, condition in documentation.raises:
        for parameter in subject.parameters:
            value = _refused_value(parameter, condition)
            act = _with_argument(trial.act, subject, parameter.name, value) if value else ""
            if act:
                wanted, line = f"{RAISES}{name}", documentation.lines[0]
                yield replace(trial, act=act, source="doctest", wanted=wanted, wanted_line=line)


def _refused_value(parameter: Parameter, condition: str) -> str:
    """The value of a parameter that a condition names; empty where the condition says something else or more.

    Only numbers count, by their annotation: what is empty or missing depends on what else is passed.
    """
    if not _NUMBERS.fullmatch(parameter.annotation or ""):
        return ""
    name = rf"`{{0,2}}{re.escape(parameter.name)}`{{0,2}}"
    for states, value in ((_NEGATIVE, "-1"), (_ZERO, "0")):
        said = rf"(?:if|when|where) (?:the )?{name} (?:is|was) (?:{states})"
        before = rf"(?:for|on|if given|given) an? (?:{states}) {name}"
        if re.fullmatch(rf"\W*(?:{said}|{before})\W*", condition.strip(), re.IGNORECASE):
            return value
    return ""


def _with_argument(act: str, subject: CallableFacts, name: str, value: str) -> str:
    """The call with another value of a parameter, which is passed by name where it was not given."""
    call = expression_or_none(act)
    called = subject.owner if subject.kind == "constructor" else subject.name
    if not isinstance(call, ast.Call) or any(isinstance(one, ast.Starred) for one in call.args):
        return ""
    if last_name(call.func) != called:
        return ""
    names, passed = positional_names(subject), parse_expression(value)
    at = names.index(name) if name in names else len(call.args)
    if at < len(call.args):
        call.args[at] = passed
    else:
        kept = [keyword for keyword in call.keywords if keyword.arg != name]
        call.keywords = [*kept, ast.keyword(name, passed)]
    return ast.unparse(call)
