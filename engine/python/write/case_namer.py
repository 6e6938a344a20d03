"""Names test cases: id, title, step and expected outcome in words."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.names.case_names import slug, snake_case
from ....utils.python_names import assigned_variable, last_name, unique_name
from ....utils.python_source import expression_or_none, parse_expression, parse_python
from ..facts.optional_imports import missing_import_slug
from ..model.model import CallableFacts, ModuleFacts, TrialFinding
from ..model.spec_case import CODE, PRINTED_ERRORS, SpecExpectation
from ..source.titles import (
    LONGEST_SLUG,
    CallArgument,
    arguments_of,
    call_words,
    cut_slug,
    describe,
    named_argument_words,
    qualified,
    special_words,
    subject_slug,
)

_LONGEST_ACT = 100
_LONGEST_VALUE = 80
_LONGEST_WORDS = 24
_LONGEST_SAID = 36
_TELLING = re.compile(r"(zero|negative|empty|no|not|missing|blank)_\w+")
_STEPS = {
    "call": "Call {}",
    "await": "Await {}",
    "iterate": "Collect the items of {}",
    "aiterate": "Collect the items of {}",
    "enter": "Enter {}",
    "aenter": "Enter {}",
}


_ACTUALS = {"result": "the result", CODE: "the exit code", PRINTED_ERRORS: "what is printed to standard error"}


@dataclass(frozen=True, slots=True)
class CaseDescription:
    """What a case says about itself: its title, its step and its expected outcome."""

    title: str
    step: str
    expected: str


@dataclass(frozen=True, slots=True)
class CaseNaming(CaseDescription):
    """The names of a case."""

    id: str


def describe_case(act: str, mode: str, expect: Sequence[SpecExpectation]) -> CaseDescription:
    """Describes a case by its call and its expectations."""
    verb = expect[0]
    shown = _cut(act, _LONGEST_ACT)
    title = f"{shown} raises {verb.exception}" if verb.kind == "raises" else f"{shown}: {_sentence(verb)}"
    outcome = "; ".join(_sentence(one) for one in expect)
    return CaseDescription(_cut(title, 280), _STEPS[mode].format(shown), _cut(outcome, 900))


class CaseNamer:
    """Names the cases of one module with distinct ids.

    Args:
        facts: the module.
        findings: all findings to be named; calls that return show which arguments are usual.
    """

    def __init__(self, facts: ModuleFacts, findings: Sequence[TrialFinding]) -> None:
        self._callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
        self._used: set[str] = set()
        self._endings = Counter((finding.trial.subject, _ending(finding)) for finding in findings)
        self._messages = Counter(
            (finding.trial.subject, finding.observation.raised.message)
            for finding in findings
            if finding.observation.raised
        )
        self._usual: dict[str, list[list[CallArgument]]] = {}
        for finding in findings:
            if finding.observation.outcome == "returned":
                known = self._usual.setdefault(finding.trial.subject, [])
                known.append(self._arguments(finding.trial.act, finding.trial.subject))

    def name(
        self, subject: str, statements: Sequence[str], act: str, mode: str, expect: Sequence[SpecExpectation]
    ) -> CaseNaming:
        """Names a case by its call, its state and its expectations."""
        missing = missing_import_slug(statements)
        slugs = self._slugs(subject, statements, act, expect)
        identifier = self._unique(_joined(one, missing) for one in slugs)
        description = describe_case(act, mode, expect)
        return CaseNaming(description.title, description.step, description.expected, f"tc_{identifier}")

    def _arguments(self, act: str, subject: str) -> list[CallArgument]:
        return arguments_of(act, self._callables.get(subject)) if expression_or_none(act) else []

    def _slugs(
        self, subject: str, statements: Sequence[str], act: str, expect: Sequence[SpecExpectation]
    ) -> Iterator[str]:
        """Generates candidates for the id, short ones first; `_unique` takes the first unused one."""
        facts = self._callables.get(subject)
        arguments = _with_values(self._arguments(act, subject), statements)
        base = subject_slug(subject) or "it"
        raised = next((one for one in expect if one.kind == "raises"), None)
        after = _after(statements)
        if raised is not None:
            base = f"{base}_raises_{snake_case((raised.exception or '').rpartition('.')[2])}"
            words = special_words(arguments, self._usual.get(subject, [])) if arguments else ""
            alone = self._endings[subject, (raised.exception or "").rpartition(".")[2]] == 1
            telling = bool(_TELLING.fullmatch(words)) and len(words) <= _LONGEST_WORDS
            # The only call that raises this exception needs no further words, unless its argument explains the error.
            if alone and not telling:
                yield base
            said = self._said(subject, raised)
            if said and not telling:
                yield f"{base}_{said}"
            yield f"{base}_for_{words}" if words else _joined(base, after)
            yield _joined(f"{base}_for_{words}" if words else base, _arranged(statements))
        elif arguments:
            words = self._given(facts, arguments)
            # Long arguments are left out of the only call that returns.
            if len(words) > _LONGEST_WORDS and self._endings[subject, ""] == 1:
                yield _joined(base, self._given(facts, arguments[:1]) if facts and facts.kind == "constructor" else "")
            base = _joined(base, words)
            yield base
            yield _joined(base, after)
            yield _joined(base, _arranged(statements))
            base = subject_slug(subject) or "it"
        else:
            yield _joined(base, after or _outcome_words(expect))
            yield _joined(_joined(base, after or _outcome_words(expect)), _arranged(statements))
        # Last resort before a number: spell out all arguments.
        every = "_and_".join(qualified(argument) for argument in arguments)
        if every:
            yield f"{base}_for_{every}"
            yield _joined(f"{base}_for_{every}", after)
        if raised is None:
            yield _joined(_joined(base, after), _outcome_words(expect))

    def _said(self, subject: str, raised: SpecExpectation) -> str:
        """Returns the beginning of a message that only this call of the subject raises; else an empty string."""
        text = raised.match or ""
        if sum(count for (name, said), count in self._messages.items() if name == subject and text in said) != 1:
            return ""
        words = cut_slug(slug(text), _LONGEST_SAID)
        return words if "_" in words else ""

    def _given(self, facts: CallableFacts | None, arguments: Sequence[CallArgument]) -> str:
        if facts is not None and facts.kind == "constructor":
            return named_argument_words(arguments, 3)
        required = sum(item.required for item in facts.parameters) if facts is not None else len(arguments)
        first = facts.parameters[0].name if facts is not None and facts.parameters else ""
        bound = facts is not None and facts.kind in ("method", "classmethod") and first in ("self", "cls")
        return call_words(arguments, required=required - 1 if bound else required)

    def _unique(self, candidates: Iterator[str]) -> str:
        first = ""
        for candidate in candidates:
            text = cut_slug(candidate, LONGEST_SLUG)
            first = first or text
            if text and text not in self._used and len(candidate) <= LONGEST_SLUG:
                self._used.add(text)
                return text
        choice = unique_name(first, self._used)
        self._used.add(choice)
        return choice


def _with_values(arguments: list[CallArgument], statements: Sequence[str]) -> list[CallArgument]:
    """Replaces variables among the arguments by the literals assigned to them."""
    values: dict[str, ast.expr] = {}
    for statement in statements:
        body = parse_python(statement.strip()).body
        if len(body) == 1 and (assigned := assigned_variable(body[0])):
            values[assigned[0]] = assigned[1]
    literal = ast.Constant | ast.UnaryOp | ast.List | ast.Tuple | ast.Dict | ast.Set
    return [
        replace(argument, node=values[argument.node.id])
        if isinstance(argument.node, ast.Name) and isinstance(values.get(argument.node.id), literal)
        else argument
        for argument in arguments
    ]


def _ending(finding: TrialFinding) -> str:
    """Returns the exception's unqualified name; empty if the call returned."""
    raised = finding.observation.raised
    return raised.type_name.rpartition(".")[2] if raised is not None else ""


def _joined(base: str, words: str) -> str:
    return f"{base}_{words}" if words else base


def _after(statements: Sequence[str]) -> str:
    """Returns `after_add` if the last arranging statement calls `add`, `with_app_debug` if it sets that variable."""
    body = parse_python(statements[-1].strip()).body if statements else []
    node = body[-1] if body else None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        first = next(iter(node.value.args), None)
        if ast.unparse(node.value.func) == "monkeypatch.setenv" and isinstance(first, ast.Constant):
            return f"with_{snake_case(str(first.value))}"
        if ast.unparse(node.value.func).startswith("monkeypatch."):
            return ""  # usual surroundings tell nothing
    name = last_name(node.value.func) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
    return f"after_{snake_case(name)}" if name else ""


def _arranged(statements: Sequence[str]) -> str:
    """Returns `for_interval_2` for the arguments of the last constructed object."""
    for statement in reversed(statements):
        body = parse_python(statement.strip()).body
        node = body[-1] if body else None
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            given = [CallArgument("", arg) for arg in call.args if not isinstance(arg, ast.Starred)]
            given += [CallArgument(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
            return named_argument_words(given).replace("with_", "for_", 1) if given else ""
    return ""


def _outcome_words(expect: Sequence[SpecExpectation]) -> str:
    one = expect[0]
    if one.kind in ("raises", "warns"):
        return f"{one.kind}_{snake_case((one.exception or '').rpartition('.')[2])}"
    if one.kind == "output":
        return "prints"
    if one.kind == "holds":
        return {"result": "is_true", "not result": "is_false"}.get(one.actual, "holds")
    words = describe(parse_expression(one.value)) if one.value is not None else ""
    if one.actual == PRINTED_ERRORS:
        return "complains"
    if one.kind == "length":
        return f"has_length_{words}"
    if one.actual == "result":
        return f"is_{words}"
    if one.actual.startswith("len("):
        return f"leaves_length_{words}"
    name = slug(one.actual.partition("(")[0].rpartition(".")[2])
    if one.actual.startswith("result."):
        return f"has_{name}_{words}"
    if one.actual.isidentifier():
        return f"changes_{name}"
    return f"sets_{name}" if "(" not in one.actual else f"leaves_{words}"


def _sentence(one: SpecExpectation) -> str:
    value = _cut(one.value or "", _LONGEST_VALUE)
    actual = _ACTUALS.get(one.actual, one.actual)
    if one.kind == "raises":
        said = f" with {'the' if one.whole else 'a'} message {'' if one.whole else 'containing '}{one.match!r}"
        return f"{one.exception} is raised" + (said if one.match else "")
    forms = {
        "equals": f"{actual} equals {value}",
        "approx": f"{actual} is about {value}",
        "is": f"{actual} is {value}",
        "is_instance": f"{actual} is an instance of {value}",
        "length": f"{actual} has length {value}",
        "holds": f"{actual} holds",
        "output": f"{value} is printed",
        "warns": f"{one.exception} is warned of",
    }
    return forms[one.kind]


def _cut(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
