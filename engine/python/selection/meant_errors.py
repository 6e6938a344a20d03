"""Tells exceptions that the code, a document or Python's protocols mean from accidents and wrong calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ....utils.python_source import shared_expression
from ..judge.announcements import Announcements
from ..judge.oracle import ACCIDENTS
from ..model.arcs import arcs_within
from ..model.model import CallableFacts, Lines, ModuleFacts, Trial
from ..search.trial_search import TrialRecord
from .representative import Representation

# Raised by the operating system: not behaviour of the code unless the code or its documentation names the exception.
SYSTEM_ERRORS = frozenset({"IsADirectoryError", "NotADirectoryError", "PermissionError"})
# Depends on the working folder, unless the test creates a folder of its own.
FOLDER_ERRORS = frozenset({"FileNotFoundError", "FileExistsError"})
# Depends on the machine or the installation rather than on the code.
NEVER_ASSERTED = frozenset({"KeyboardInterrupt", "GeneratorExit", "SystemError", "MemoryError", "ModuleNotFoundError"})
# What Python's own protocols raise: an index out of range, a missing key, the end of an iterator.
_PROTOCOLS: Mapping[str, frozenset[str]] = {
    "IndexError": frozenset({"__getitem__", "__setitem__", "__delitem__", "pop", "popleft", "peek", "top"}),
    "KeyError": frozenset({"__getitem__", "__delitem__", "pop", "popitem", "remove"}),
    "StopIteration": frozenset({"__next__", "next"}),
    "ValueError": frozenset({"index", "remove"}),
}
_LOOK_UPS = frozenset({"IndexError", "KeyError", "LookupError"})
_MAKING = "__init__"
_ITERATING = frozenset({"__iter__", "__next__"})
_CALLS_EMPTY = re.compile(r"(?<!not )(?<!non-)(?<!be )(?<!no )\bempty\b", re.IGNORECASE)
_FILLED = re.compile(r"\(\[[^\]]|\(\{[^}]")
_EMPTY_VALUES = re.compile(r"""\(\)|\[\]|\{\}|(["'])\1""")
_NEGATIVE = re.compile(r"(?<![\w.)\]])-\d+\b")


@dataclass(frozen=True, slots=True)
class RaisingLines:
    """Lines of the module that raise, the exceptions that docstrings announce, methods' names and lines, and the names
    of generators."""

    raising: frozenset[int]
    announcements: Announcements
    members: tuple[tuple[str, Lines], ...] = ()
    generators: frozenset[str] = frozenset()

    @classmethod
    def of(cls, facts: ModuleFacts) -> RaisingLines:
        subjects: tuple[CallableFacts, ...] = facts.callables()
        return cls(
            frozenset(site.line for subject in subjects for site in subject.raises),
            Announcements(facts),
            tuple((_name_of(one), one.lines) for one in subjects if one.owner),
            frozenset(one.qualname for one in subjects if one.is_generator),
        )


def _name_of(one: CallableFacts) -> str:
    return _MAKING if one.kind == "constructor" or one.name in ("__new__", "__post_init__") else one.name


def raised_by_accident(record: TrialRecord, lines: RaisingLines) -> bool:
    """Whether the trial raised something that is no behaviour of the code and that no document announces."""
    raised = record.observation.raised
    if raised is None or record.trial.wanted:
        return False
    member = record.trial.subject.rpartition(".")[2]
    compares = not member.startswith("__") or member == "__hash__"
    if compares and isinstance(shared_expression(record.trial.act), ast.Compare):
        return True  # nobody sees which side raised it
    if _is_of_an_operand(record, lines):
        return True
    name = raised.type_name.rpartition(".")[2]
    # Line 0: the exception did not come from the module. That an operator takes no other kind of object is Python's.
    if raised.line == 0 or name in NEVER_ASSERTED:
        return True
    if name == "TypeError" and "unexpected keyword argument" in raised.message:
        return True  # a name that the signature does not have, whoever checks it
    if raised.line in lines.raising:
        return False
    if name in ACCIDENTS | SYSTEM_ERRORS:
        return True
    return name in FOLDER_ERRORS and "tmp_path" not in record.trial.fixtures


def is_meant(record: TrialRecord, shown: Representation, lines: RaisingLines) -> bool:
    """Whether the code raises on purpose, a docstring announces the exception, or a protocol of Python's demands it;
    nobody means that nothing comes out because a size is negative."""
    raised = record.observation.raised
    if raised is None:
        return not (shown.below_zero and (shown.trivial or not shown.result))
    name = raised.type_name.rpartition(".")[2]
    other = _speaks_of_another_call(record.trial, name, raised.message) or _is_of_a_later_call(record, lines)
    if other and not record.trial.wanted:
        return False
    if raised.line in lines.raising:
        return True
    if raised.code is not None or lines.announcements.lines_of(record.trial.subject, raised) is not None:
        return True
    if name in FOLDER_ERRORS and "tmp_path" in record.trial.fixtures:
        return True  # a file that is missing from a folder of the test's own
    owner, _, member = record.trial.subject.rpartition(".")
    return bool(owner) and member in _PROTOCOLS.get(name, ())


def _is_of_an_operand(record: TrialRecord, lines: RaisingLines) -> bool:
    """Whether a method was not reached because an object that it was to be passed could not be made: `a | Or()`."""
    owner, _, member = record.trial.subject.rpartition(".")
    raised = record.observation.raised if owner else None
    own = [place for name, place in lines.members if name == member]
    if raised is None or not own or any(arcs_within(place, record.arcs) for place in own):
        return False
    return any(name == _MAKING and first <= raised.line <= last for name, (first, last) in lines.members)


def _is_of_a_later_call(record: TrialRecord, lines: RaisingLines) -> bool:
    """Whether a method raised that the act calls on what its subject gave, `(shelf | other).pop("a")`, or that is asked
    for the items of what a function gave."""
    act, raised = shared_expression(record.trial.act), record.observation.raised
    plain = "." not in record.trial.subject and record.trial.subject not in lines.generators
    if raised is not None and record.trial.mode == "iterate" and plain:
        return any(name in _ITERATING and first <= raised.line <= last for name, (first, last) in lines.members)
    if raised is None or not isinstance(act, ast.Call) or not isinstance(act.func, ast.Attribute):
        return False
    called = act.func.attr
    if called == record.trial.subject.rpartition(".")[2] or isinstance(act.func.value, ast.Name):
        return False
    return any(name == called and first <= raised.line <= last for name, (first, last) in lines.members)


def _speaks_of_another_call(trial: Trial, name: str, message: str) -> bool:
    """Whether a failed look-up tells of an index that nobody asked for, or calls empty what has content.

    That -5 has become -3 on the way, or that the part that was looked at last had nothing in it, is an accident of the
    inside: "Index out of range: -3", "No elements in empty deque".
    """
    if name not in _LOOK_UPS:
        return False
    source = "\n".join((*trial.arrange, trial.act))
    if _CALLS_EMPTY.search(message) is not None:
        return _FILLED.search(source) is not None and _EMPTY_VALUES.search(source) is None and "empty" not in source
    given, told = set(_NEGATIVE.findall(source)), set(_NEGATIVE.findall(message))
    return bool(given and told) and given.isdisjoint(told)
