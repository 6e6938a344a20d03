"""Compares a trial with its document: doctests as doctest does, and announced exceptions.

Where a comparison would not be fair, for example for addresses in a repr, the verdict stays open.
"""

from __future__ import annotations

import ast
import doctest
import math
import re
from dataclasses import dataclass, replace

from ....utils.python_source import literal_value, parse_expression
from ..model.model import ModuleFacts, Raised, Trial
from ..model.observation_json import ObservedTrial
from .stability import same_source

RAISES = "raises:"
_TRACEBACK = re.compile(r"Traceback \((most recent call last|innermost last)\):")
_EXCEPTION_LINE = re.compile(r"^(?P<name>\w+(\.\w+)*)(:\s*(?P<message>.*))?$")
_PERSONAL = re.compile(r"0x[0-9a-fA-F]{4,}|<.* object\b|<function|<bound method|<generator")
_TEST_FAULTS = frozenset({"NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError", "SyntaxError"})
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class DocumentVerdict:
    """`agrees`: None where they cannot be compared; `contradicts`: the document's statement if the trial contradicts
    it."""

    agrees: bool | None = None
    contradicts: str | None = None


def compare_with_document(trial: Trial, seen: ObservedTrial) -> DocumentVerdict:
    """Compares a trial with the document behind `trial.wanted`."""
    wanted = trial.wanted
    if not wanted or not wanted.strip():
        return DocumentVerdict()
    if wanted.startswith(RAISES):
        return _announced(wanted.removeprefix(RAISES).strip(), seen)
    if trial.mode != "call":
        return DocumentVerdict()
    if _TRACEBACK.search(wanted):
        return _traceback(wanted, seen)
    return _shown(wanted, seen)


def is_announced(trial: Trial) -> bool:
    """Whether the document is prose that announces an exception, rather than an example."""
    return (trial.wanted or "").startswith(RAISES)


def as_written(trial: Trial, facts: ModuleFacts) -> Trial | None:
    """Returns the documented example of a trial as doctest would run it; None if it is not in the module."""
    documents = [facts.documentation, *(callable_.documentation for callable_ in facts.callables())]
    documents.extend(owner.documentation for owner in facts.classes)
    for document in documents:
        for example in document.examples:
            if example.line == trial.wanted_line and example.want.strip() == (trial.wanted or "").strip():
                bind = f"import {facts.module} as _module"
                everything = "globals().update({k: v for k, v in vars(_module).items() if not k.startswith('__')})"
                return replace(
                    trial,
                    imports=(bind,),
                    arrange=(everything, *example.arrange),
                    act=example.act.strip(),
                    mode="call",
                    fixtures=(),
                )
    return None


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
    lines = [line for line in wanted.splitlines() if line.strip()]
    told = next((match for line in reversed(lines) if (match := _EXCEPTION_LINE.match(line))), None)
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


def _matches(wanted: str, got: str) -> bool:
    ending = "" if got.endswith("\n") else "\n"
    return doctest.OutputChecker().check_output(wanted.rstrip("\n") + "\n", got + ending, _FLAGS)


def _as_values(wanted: str, shown: str) -> DocumentVerdict:
    """Compares two differing texts as values; open where their forms may differ between Python versions."""
    try:
        said, told = parse_expression(wanted), parse_expression(shown)
    except SyntaxError:
        return DocumentVerdict()
    if same_source(ast.unparse(said), ast.unparse(told)):
        return DocumentVerdict(True)
    if _calls(said) != _calls(told) or any(
        isinstance(node, ast.Constant) and node.value is ... for node in ast.walk(said)
    ):
        return DocumentVerdict()
    try:
        one, other = literal_value(wanted), literal_value(shown)
    except ValueError:
        return DocumentVerdict(False, wanted)
    return DocumentVerdict() if _roughly(one, other) else DocumentVerdict(False, wanted)


def _calls(node: ast.AST) -> list[str]:
    """Returns names of called functions: a repr may change its form between Python versions."""
    return [ast.unparse(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)]


def _roughly(one: object, other: object) -> bool:
    """Whether two values are equal except for rounding in the document."""
    if isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, bool):
        return isinstance(one, float) | isinstance(other, float) and math.isclose(
            one, other, rel_tol=0.01, abs_tol=0.01
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        return type(one) is type(other) and all(a == b or _roughly(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return all(one[key] == other[key] or _roughly(one[key], other[key]) for key in one)
    return False
