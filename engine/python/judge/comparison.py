"""Compares observations of one trial: with other runs, to drop the facets that differ, and with its document.

Doctests are compared as doctest does. Where a comparison would not be fair, for example for addresses in a repr, the
verdict stays open.
"""

from __future__ import annotations

import ast
import doctest
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from ....utils.python_source import expression_or_none, literal_value
from ..model.model import PRINTS, RAISES, ModuleFacts, Observation, Raised, Trial, Value
from ..model.observation_json import ObservedTrial
from .value_parts import accessor_joined, parts_of, shared_parts

_FEWEST_WORDS = 2
# An example in words may speak of something else than this call, and one of a document may lack a step before it.
_OPEN_SOURCES = frozenset({"prose", "document"})
_TRACEBACK = re.compile(r"Traceback \((most recent call last|innermost last)\):")
_EXCEPTION_LINE = re.compile(r"^(?P<name>\w+(\.\w+)*)(:\s*(?P<message>.*))?$")
_PERSONAL = re.compile(r"0x[0-9a-fA-F]{4,}|<[^<\n]* object\b|<function|<bound method|<generator")
_TEST_FAULTS = frozenset({"NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError", "SyntaxError"})
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class StableObservation:
    """An observation reduced to the facets that are equal in all runs; `unstable` names the others."""

    observation: Observation
    unstable: tuple[str, ...] = ()


def stable_part(first: Observation, others: Iterable[Observation]) -> StableObservation | None:
    """Returns what all observations of one trial share, or None if even the kind of outcome differs.

    The values are those of `first`. Names in `unstable`: `result`, `result.attribute`, `len(result)`, expressions of
    effects, `output`, `errors`, `warnings`, `message`, `code`. The stable beginning of a message is kept.
    """
    unstable: set[str] = set()
    kept = first
    for other in others:
        if kept.outcome != other.outcome:
            return None
        if (kept.raised is None) != (other.raised is None):
            return None
        if kept.raised is not None and other.raised is not None:
            if kept.raised.type_name != other.raised.type_name:
                return None
            kept = replace(kept, raised=_settle_exception(kept.raised, other.raised, unstable))
        kept = _settle_value(kept, other, unstable)
        kept = _settle_effects(kept, other, unstable)
        if kept.output != other.output:
            unstable.add("output")
            kept = replace(kept, output="")
        if kept.errors != other.errors:
            unstable.add("errors")
            kept = replace(kept, errors="")
        if kept.warnings != other.warnings:
            unstable.add("warnings")
            kept = replace(kept, warnings=())
    return StableObservation(replace(kept, seconds=0.0), tuple(sorted(unstable)))


def _settle_exception(raised: Raised, other: Raised, unstable: set[str]) -> Raised:
    """Returns the exception with the exit code and message that both share, or the common beginning of the messages."""
    if raised.code != other.code:
        unstable.add("code")
        raised = replace(raised, code=None)
    if raised.message == other.message or (raised.message.endswith(" ") and other.message.startswith(raised.message)):
        return raised
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(raised.message, other.message, strict=False))
    start = "".join(letter for letter, _ in pairs)
    start = start[: start.rfind(" ") + 1]
    if len(start.split()) < _FEWEST_WORDS or "\n" in start:
        unstable.add("message")
        start = ""
    return replace(raised, message=start)


def _settle_value(kept: Observation, other: Observation, unstable: set[str]) -> Observation:
    if kept.value is None or other.value is None:
        return replace(kept, value=None)
    if kept.value.type_name != other.value.type_name:
        unstable.add("result")
        return replace(kept, value=None)
    return replace(kept, value=_common(kept.value, other.value, "result", unstable))


def _common(one: Value, other: Value, expression: str, unstable: set[str]) -> Value:
    """Returns the first value without the facets in which the other differs."""
    length = one.length if one.length == other.length else None
    if one.length is not None and length is None:
        unstable.add(f"len({expression})")
    text = one.text if one.text == other.text else ""
    one = replace(one, length=length, text=text)
    if one.source is not None and other.source is not None:
        if same_source(one.source, other.source):
            return one
        if same_items(one.source, other.source):
            return replace(one, unordered=True)
        shared, differing = shared_parts(one, other)
        if shared:  # only what varies is left out
            unstable.update(accessor_joined(expression, accessor) for accessor in differing)
            return replace(one, source=None, imports=(), approximate=False, text="", attributes=shared)
    elif one.source is None and (other.source is None or one.attributes):
        return replace(one, attributes=_common_attributes(one, other, expression, unstable))
    unstable.add(expression)
    return replace(one, source=None, imports=(), approximate=False, text="", attributes=())


def _common_attributes(one: Value, other: Value, expression: str, unstable: set[str]) -> tuple[tuple[str, Value], ...]:
    """Returns the attributes, or the parts left of an earlier comparison, that the other value shares."""
    theirs = dict(other.attributes) or parts_of(other)
    shared: list[tuple[str, Value]] = []
    for name, value in one.attributes:
        whole = accessor_joined(expression, name)
        if name in theirs and value.type_name == theirs[name].type_name:
            shared.append((name, _common(value, theirs[name], whole, unstable)))
        else:
            unstable.add(whole)
    return tuple(shared)


def _settle_effects(kept: Observation, other: Observation, unstable: set[str]) -> Observation:
    theirs = dict(other.effects)
    shared: list[tuple[str, Value]] = []
    for expression, value in kept.effects:
        found = theirs.get(expression) or _part_of_effects(theirs, expression)
        if found is not None and value.source and found.source:
            if same_source(value.source, found.source):
                shared.append((expression, value))
                continue
            # A tuple is one thing, as an address is: where a part of it varies, the rest belongs to the machine, too.
            parts = shared_parts(value, found)[0] if value.type_name != "tuple" else []
            shared.extend((accessor_joined(expression, accessor), part) for accessor, part in parts)
        unstable.add(expression)
    unstable.update(theirs.keys() - dict(kept.effects).keys())
    return replace(kept, effects=tuple(shared))


def _part_of_effects(effects: Mapping[str, Value], expression: str) -> Value | None:
    """Returns the part of another run's effect that an expression reads; None where there is none."""
    for whole, value in effects.items():
        if expression.startswith((f"{whole}.", f"{whole}[")):
            rest = expression.removeprefix(whole)
            return parts_of(value).get(rest.removeprefix("."))
    return None


def same_source(one: str, other: str) -> bool:
    """Whether two sources build equal values, ignoring the order of sets and dictionaries and float rounding."""
    if one == other:
        return True
    mine, theirs = expression_or_none(one), expression_or_none(other)
    return mine is not None and theirs is not None and _same(mine, theirs)


def same_items(one: str, other: str) -> bool:
    """Whether two list or tuple literals hold the same sortable items in another order."""
    try:
        first, second = literal_value(one), literal_value(other)
        return type(first) is type(second) and isinstance(first, list | tuple) and sorted(first) == sorted(second)
    except (ValueError, TypeError):
        return False


def _same(one: ast.AST, other: ast.AST) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        return type(one.value) is type(other.value) and _same_constant(one.value, other.value)
    if isinstance(one, ast.Set) and isinstance(other, ast.Set):
        return sorted(map(ast.dump, one.elts)) == sorted(map(ast.dump, other.elts))
    if isinstance(one, ast.Dict) and isinstance(other, ast.Dict):
        mine, theirs = ({ast.dump(key): value for key, value in _items(node)} for node in (one, other))
        return mine.keys() == theirs.keys() and all(_same(value, theirs[key]) for key, value in mine.items())
    mine, theirs = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    plain = [getattr(one, name, None) for name in ("id", "attr", "arg")]
    if plain != [getattr(other, name, None) for name in ("id", "attr", "arg")] or len(mine) != len(theirs):
        return False
    return all(_same(left, right) for left, right in zip(mine, theirs, strict=True))


def _items(node: ast.Dict) -> list[tuple[ast.expr, ast.expr]]:
    return [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]


def _same_constant(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


@dataclass(frozen=True, slots=True)
class DocumentVerdict:
    """`agrees`: None where they cannot be compared; `contradicts`: the document's statement if the trial contradicts
    it."""

    agrees: bool | None = None
    contradicts: str | None = None


def compare_with_document(trial: Trial, seen: ObservedTrial) -> DocumentVerdict:
    """Compares a trial with the document behind `trial.wanted`."""
    verdict = _compared(trial, seen)
    return verdict if verdict.agrees or trial.source not in _OPEN_SOURCES else DocumentVerdict()


def _compared(trial: Trial, seen: ObservedTrial) -> DocumentVerdict:
    """The verdict where the document speaks of this very call."""
    wanted = trial.wanted
    if not wanted or not wanted.strip():
        return DocumentVerdict()
    if wanted.startswith(RAISES):
        return _announced(wanted.removeprefix(RAISES).strip(), seen)
    if trial.mode != "call":
        return DocumentVerdict()
    if _TRACEBACK.search(wanted):
        return _traceback(wanted, seen)
    return _printed(wanted.removeprefix(PRINTS), seen) if wanted.startswith(PRINTS) else _shown(wanted, seen)


def is_announced(trial: Trial) -> bool:
    """Whether the document is prose that announces an exception, rather than an example."""
    return (trial.wanted or "").startswith(RAISES)


def as_written(trial: Trial, facts: ModuleFacts) -> Trial | None:
    """Returns the documented example of a trial as doctest would run it; None if no document has it as a whole."""
    said = (trial.wanted or "").removeprefix(PRINTS).strip()
    documents = [facts.documentation, *(callable_.documentation for callable_ in facts.callables())]
    documents.extend(owner.documentation for owner in facts.classes)
    for document in documents:
        for example in document.examples:
            if example.line == trial.wanted_line and example.want.strip() == said:
                bind = f"import {facts.module} as _module"
                everything = "globals().update({k: v for k, v in vars(_module).items() if not k.startswith('__')})"
                return replace(
                    trial,
                    imports=(bind,),
                    arrange=(everything, *example.arrange),
                    act=example.act.strip(),
                    mode="call",
                    fixtures=(),
                    wanted=example.want,
                )
    # An example in words is a whole call.
    return trial if trial.source == "doctest" and not trial.arrange else None


def _announced(name: str, seen: ObservedTrial) -> DocumentVerdict:
    observation = seen.observation
    if observation.outcome == "returned":
        return DocumentVerdict(False, f"raises {name}")
    raised = observation.raised
    if observation.outcome != "raised" or raised is None:
        return DocumentVerdict()
    return DocumentVerdict(True) if _is_a(raised, name) else DocumentVerdict()


def _is_a(raised: Raised, name: str) -> bool:
    short = name.rpartition(".")[2]
    return short in {one.rpartition(".")[2] for one in (raised.type_name, *raised.bases)}


def _traceback(wanted: str, seen: ObservedTrial) -> DocumentVerdict:
    """Compares with the exception that a doctest shows: its type counts, another message leaves the verdict open."""
    told = _exception_line(wanted)
    observation = seen.observation
    if told is None or observation.outcome not in ("returned", "raised"):
        return DocumentVerdict()
    name, message = told["name"], told["message"] or ""
    said = f"raises {name}" + (f": {message}" if message else "")
    if observation.raised is None:
        return DocumentVerdict(False, said)
    if observation.raised.type_name.rpartition(".")[2] in _TEST_FAULTS or not _is_a(observation.raised, name):
        known = observation.raised.line > 0 and observation.raised.type_name.rpartition(".")[2] not in _TEST_FAULTS
        return DocumentVerdict(False, said) if known else DocumentVerdict()
    if not message or _matches(message, observation.raised.message):
        return DocumentVerdict(True)
    return DocumentVerdict()


def _exception_line(wanted: str) -> re.Match[str] | None:
    lines = [line for line in wanted.splitlines() if line.strip()]
    return next((match for line in reversed(lines) if (match := _EXCEPTION_LINE.match(line))), None)


def documented_message(trial: Trial) -> str:
    """The longest part of an exception's message that a document shows in between what it leaves open; else ""."""
    told = _exception_line(trial.wanted) if trial.wanted and _TRACEBACK.search(trial.wanted) else None
    message = (told["message"] or "") if told is not None else ""
    parts = [part.strip() for part in message.split("...")]
    return max(parts, key=len) if len(parts) > 1 else ""


def _shown(wanted: str, seen: ObservedTrial) -> DocumentVerdict:
    """Compares printed output and result as doctest does."""
    observation = seen.observation
    if observation.outcome == "raised" and observation.raised is not None:
        ours = observation.raised.type_name.rpartition(".")[2] not in _TEST_FAULTS and observation.raised.line > 0
        return DocumentVerdict(False, wanted.strip()) if ours else DocumentVerdict()
    if observation.outcome != "returned" or seen.shown is None:
        return DocumentVerdict()
    got = observation.output + (seen.shown + "\n" if seen.shown else "")
    if _matches(wanted, got):
        return DocumentVerdict(True)
    if _PERSONAL.search(wanted) or _PERSONAL.search(got) or not got:
        return DocumentVerdict()
    if observation.output:
        return DocumentVerdict(False, wanted.strip())
    return _as_values(wanted.strip(), seen.shown)


def _printed(wanted: str, seen: ObservedTrial) -> DocumentVerdict:
    """Compares the result with what a document says that `print` shows of it."""
    value = seen.observation.value
    if seen.observation.outcome == "raised":
        return _shown(wanted, seen)
    if value is None or value.source is None or seen.observation.output:
        return DocumentVerdict()
    try:
        result = literal_value(value.source)
    except ValueError:
        return DocumentVerdict()
    if _matches(wanted, str(result)) or _matches(wanted, value.source):  # `print(name)  # 'Ada'` is common
        return DocumentVerdict(True)
    return (
        DocumentVerdict(False, wanted.strip()) if isinstance(result, str) else _as_values(wanted.strip(), str(result))
    )


def _matches(wanted: str, got: str) -> bool:
    ending = "" if got.endswith("\n") else "\n"
    return doctest.OutputChecker().check_output(wanted.rstrip("\n") + "\n", got + ending, _FLAGS)


def _as_values(wanted: str, shown: str) -> DocumentVerdict:
    """Compares two differing texts as values; open where their forms may differ between Python versions."""
    expected, actual = expression_or_none(wanted), expression_or_none(shown)
    if expected is None or actual is None:
        return DocumentVerdict()
    for tree in (expected, actual):
        _drop_modules(tree)  # where a clock stands still, a date shows itself without its module
    if same_source(ast.unparse(expected), ast.unparse(actual)):
        return DocumentVerdict(True)
    shortened = any(isinstance(node, ast.Constant) and node.value is ... for node in ast.walk(expected))
    if shortened or _calls(expected) != _calls(actual):
        return DocumentVerdict()
    try:
        one, other = literal_value(wanted), literal_value(shown)
    except ValueError:
        return DocumentVerdict(False, wanted)
    return DocumentVerdict() if _roughly(one, other) else DocumentVerdict(False, wanted)


def _drop_modules(tree: ast.AST) -> None:
    """Writes `datetime.date(…)` as `date(…)` everywhere in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node.func = ast.Name(node.func.attr, ast.Load())


def _calls(node: ast.AST) -> list[str]:
    """Returns names of called functions: a repr may change its form between Python versions."""
    return [ast.unparse(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)]


def _roughly(one: object, other: object) -> bool:
    """Whether two values are equal except for rounding in the document."""
    if isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, bool):
        return float in (type(one), type(other)) and math.isclose(one, other, rel_tol=0.01, abs_tol=0.01)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        return type(one) is type(other) and all(a == b or _roughly(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return all(one[key] == other[key] or _roughly(one[key], other[key]) for key in one)
    return False
