"""Derives expectations, with origin and evidence, from an observation.

An expectation is `documented` if a document agrees with the observation, else `observed`. Values that differ between
processes are asserted by a property or not at all; a verdict without expectations gives the reason.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from ....utils.python_names import names_of
from ....utils.python_source import expression_or_none, literal_or, parse_expression
from ..facts.lineage import with_inherited
from ..facts.names import TypeReference, message_part, name_of_type, whole_message, words_in
from ..facts.optional_imports import module_copy_variable
from ..model.model import PRINTS, ModuleFacts, Raised, Trial, TrialFinding, Value
from ..model.spec_case import CODE, MESSAGE, PRINTED_ERRORS, SpecEvidence, SpecExpectation
from .announcements import Announcements
from .comparison import documented_message
from .kept_order import is_only_sorted
from .value_checks import fields_of, is_compared, value_checks

LONGEST_OUTPUT = 1200
MOST_STATE_CHECKS = 4
MOST_WARNINGS = 3
_LONGEST_DOCUMENTED = 100
# Raised by Python itself when a call is wrong; not behaviour unless a document announces it.
ACCIDENTS = frozenset({"TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError"})
_UNPACKING = ("too many values to unpack", "not enough values to unpack")
_MISSING_MODULES = frozenset({"ImportError", "ModuleNotFoundError"})
_FUNCTION_TYPES = frozenset(
    {
        *("types.FunctionType", "types.BuiltinFunctionType", "types.MethodType"),
        *("functools.partial", "functools._lru_cache_wrapper"),
    }
)
# The concrete iterator type is an implementation detail.
_ITERATOR_TYPES = frozenset("map filter zip enumerate reversed types.GeneratorType collections.abc.Iterator".split())
# Every value is an instance of these: the assertion would be empty.
_EVERY_VALUE = frozenset({"object", "builtins.object"})
_TOKEN = re.compile(r"[\w+/=-]+")
_LEAST_HASH = 1_000_000
_COPYING = frozenset({"copy", "clone", "deepcopy", "__copy__"})
_IMMUTABLE = frozenset({"str", "int", "float", "bool", "bytes", "tuple", "frozenset"})
_TRUTH_TESTS = frozenset({"isinstance", "issubclass", "callable", "hasattr", "all", "any"})


@dataclass(frozen=True, slots=True)
class OracleVerdict:
    """The expectations of a finding.

    Attributes:
        imports: import statements that the expectations' sources need, before names are unified.
        reason: why there is no expectation; else empty.
    """

    expectations: tuple[SpecExpectation, ...] = ()
    imports: tuple[str, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class _Draft:
    expectations: list[SpecExpectation] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)


class Oracle:
    """Derives the expectations of one module's findings.

    Args:
        facts: the module.
        raising: subjects that raise for some input, so that returning None for another is worth asserting.
    """

    def __init__(self, facts: ModuleFacts, raising: frozenset[str] = frozenset()) -> None:
        self._facts = facts
        self._callables = with_inherited(facts)
        self._raising = raising
        self._words = words_in(text for callable_ in facts.callables() for text in callable_.constants)
        self._raise_lines = {site.line for callable_ in facts.callables() for site in callable_.raises}
        self._announcements = Announcements(facts)

    def judge(self, finding: TrialFinding) -> OracleVerdict:
        """Returns the expectations of a finding; none, with a reason, if nothing is stable or a document
        contradicts."""
        if finding.contradicts is not None:
            return OracleVerdict(reason="the document says otherwise: reported as a suspected defect")
        seen = finding.observation
        if seen.outcome == "raised" and seen.raised is not None:
            return self._exception(finding, seen.raised)
        if seen.outcome != "returned":
            return OracleVerdict(reason=f"no oracle found: the call {seen.outcome.replace('_', ' ')}")
        draft = _Draft()
        self._state(finding, draft)
        self._output(finding, draft)
        self._result(finding, draft)
        self._warnings(finding, draft)
        if not draft.expectations:
            return OracleVerdict(reason="no oracle found: nothing that can be told from outside stays the same")
        return OracleVerdict(tuple(draft.expectations), tuple(dict.fromkeys(draft.imports)))

    def _exception(self, finding: TrialFinding, raised: Raised) -> OracleVerdict:
        name = self._type_reference(finding, raised.type_name, raised.bases)
        documented = self._documents_raise(finding, raised)
        own = raised.line in self._raise_lines and raised.line > 0
        accident = name.expression in ACCIDENTS or raised.message.startswith(_UNPACKING)
        if accident and not own and not documented:
            accidental = f"{name.expression} here is an accident of the call, not behaviour"
            return OracleVerdict(reason=f"no oracle found: {accidental}")
        meant = own and bool(module_copy_variable(finding.trial, self._facts))
        if name.expression in _MISSING_MODULES and not documented and not meant:
            missing = raised.message or "a module is missing"
            return OracleVerdict(reason=f"no oracle found: {missing} in this environment")
        match = whole = None
        if raised.code is None and not {f"message:{raised.type_name}", "message"} & set(finding.unstable):
            match = _documented_part(finding, raised)
            if own:
                given = "\n".join((*finding.trial.arrange, finding.trial.act))
                whole = whole_message(raised.message, self._words, given)
                match = whole or match or message_part(raised.message, finding.trial.act)
        origin = "documented" if documented else "observed"
        demand = SpecExpectation(
            kind="raises",
            actual=MESSAGE if whole else "result",
            exception=name.expression,
            match=match,
            origin=origin,
            evidence=documented or self._where(finding),
        )
        draft = _Draft([demand], list(name.imports))
        if raised.code is not None and not _names_bound(finding) & {"raised"}:
            kind = "is" if raised.code == "None" else "equals"
            code = replace(demand, kind=kind, actual=CODE, value=raised.code, exception=None, match=None)
            draft.expectations.append(code)
        self._state(finding, draft)
        self._output(finding, draft)
        self._warnings(finding, draft)
        return OracleVerdict(tuple(draft.expectations), tuple(dict.fromkeys(draft.imports)))

    def _type_reference(self, finding: TrialFinding, type_name: str, bases: tuple[str, ...] = ()) -> TypeReference:
        """Returns how the test refers to a class: through its own copy of the module if it loads one."""
        variable, own = module_copy_variable(finding.trial, self._facts), f"{self._facts.module}."
        if variable and type_name.startswith(own):
            return TypeReference(f"{variable}.{type_name.removeprefix(own)}")
        return name_of_type(type_name, bases, self._facts, finding.trial.imports)

    def _documents_raise(self, finding: TrialFinding, raised: Raised) -> SpecEvidence | None:
        """Returns where an agreeing example or the docstring announces the exception; else None."""
        if finding.agrees and finding.trial.wanted_line:
            return self._document((finding.trial.wanted_line, finding.trial.wanted_line), finding.trial.wanted_path)
        lines = self._announcements.lines_of(finding.trial.subject, raised)
        return self._document(lines) if lines is not None and lines[0] > 0 else None

    def _document(self, lines: tuple[int, int], path: str = "") -> SpecEvidence:
        """Returns the evidence of a document; in the target itself with the name of what it documents."""
        if path:
            return SpecEvidence(path, lines)
        documents = [(one.documentation.lines, one.qualname) for one in self._callables.values()]
        documents += [(owner.documentation.lines, owner.name) for owner in self._facts.classes]
        documents.append((self._facts.documentation.lines, self._facts.module))
        found = next((name for (first, last), name in documents if 0 < first <= lines[0] <= last), "")
        return SpecEvidence(self._facts.path, lines, found)

    def _where(self, finding: TrialFinding) -> SpecEvidence:
        """Returns the lines of the subject, or of the whole file if it is unknown."""
        facts = self._callables.get(finding.trial.subject)
        known = facts is not None and facts.lines[0] > 0
        return SpecEvidence(self._facts.path, facts.lines if facts and known else (1, max(self._facts.line_count, 1)))

    def _labelled(self, finding: TrialFinding, one: SpecExpectation) -> SpecExpectation:
        """Returns the expectation with origin and evidence: documented if an example agrees, else observed."""
        trial = finding.trial
        if finding.agrees and trial.wanted is not None and trial.wanted_line > 0:
            lines = (trial.wanted_line, trial.wanted_line + trial.wanted.rstrip("\n").count("\n"))
            return replace(one, origin="documented", evidence=self._document(lines, trial.wanted_path))
        return replace(one, evidence=self._where(finding))

    def _result(self, finding: TrialFinding, draft: _Draft) -> None:
        value = finding.observation.value
        if value is None:
            return
        if value.type_name in ("None", "NoneType", "builtins.NoneType") or value.source == "None":
            if not draft.expectations and self._is_none_informative(finding):
                draft.expectations.append(self._labelled(finding, SpecExpectation("is", "result", "None")))
            return
        if _is_large_number(value) and not finding.agrees and self._hashes(finding.trial.subject):
            return  # the number is an accident of the interpreter
        checks, imports = value_checks("result", value, finding.unstable, own=self._facts.module)
        if self._repeats_call(finding, checks):
            plain = replace(value, source=None, attributes=value.attributes or fields_of(value))
            told, needed = value_checks("result", plain, finding.unstable, own=self._facts.module)
            if told or not finding.agrees:  # what a document shows stands as it is where nothing else tells it
                checks, imports = told, needed
        shown = finding.trial.wanted or ""
        tells = "..." not in shown and not shown.startswith(PRINTS) and not _is_truth_of_comparison(finding.trial)
        documented = _documented_text(value, shown, has_checks=bool(checks)) if finding.agrees and tells else []
        checks, imports = (documented, []) if documented else (checks, imports)
        if not checks and not draft.expectations:
            checks, imports = self._property(finding, value)
        checks = [*_truth(finding, checks, self._facts), *_is_another_object(finding, value, checks)]
        kind = self._type_reference(finding, value.type_name) if value.converted and is_compared(checks) else None
        if kind is not None and kind.expression and not kind.guessed:  # what was passed is equal to it as well
            checks.append(SpecExpectation("is_instance", "result", kind.expression))
            imports = [*imports, *kind.imports]
        if draft.expectations and checks:
            checks, imports = self._beside_state(finding, value, draft, (checks, imports))
        stated = {(item.actual.rpartition(".")[2], item.value) for item in draft.expectations if "." in item.actual}
        if stated and len(checks) > 1:
            # A call that returns its own receiver: the receiver's state is asserted already.
            checks = [check for check in checks if (check.actual.rpartition(".")[2], check.value) not in stated]
        draft.expectations[:0] = [self._labelled(finding, check) for check in checks]
        draft.imports += imports

    def _hashes(self, subject: str) -> bool:
        """Whether a callable answers with what Python's `hash` or `id` gives."""
        facts = self._callables.get(subject)
        return facts is not None and (facts.name == "__hash__" or not {"hash", "id"}.isdisjoint(facts.calls))

    def _beside_state(
        self, finding: TrialFinding, value: Value, draft: _Draft, told: tuple[list[SpecExpectation], list[str]]
    ) -> tuple[list[SpecExpectation], list[str]]:
        """What is asserted of a result, and its imports, where the state of an object after the call is asserted."""
        if value.held and any(one.actual == value.held for one in draft.expectations):
            return [SpecExpectation("is", "result", value.held)], []
        # A method that returns its own kind of object, mostly itself: what the call changed is asserted already.
        return ([], told[1]) if self._is_own_kind(finding, value) else told

    def _is_own_kind(self, finding: TrialFinding, value: Value) -> bool:
        """Whether a method returned an object of its own class that only attributes could tell."""
        facts = self._callables.get(finding.trial.subject)
        if facts is None or facts.owner is None or value.source is not None or finding.agrees:
            return False
        return facts.kind in ("method", "property") and value.type_name == f"{self._facts.module}.{facts.owner}"

    def _repeats_call(self, finding: TrialFinding, checks: list[SpecExpectation]) -> bool:
        """Whether the expected source repeats the call itself or another call of the same constructor."""
        facts = self._callables.get(finding.trial.subject)
        made = facts is not None and facts.kind == "constructor"
        return any(
            _is_same_call(check.value or "", finding.trial.act)
            or (made and check.actual == "result" and (check.value or "").startswith(f"{finding.trial.subject}("))
            for check in checks
        )

    def _is_none_informative(self, finding: TrialFinding) -> bool:
        """Whether returning None is worth asserting: the callable could have returned a value or raised."""
        seen, subject = finding.observation, finding.trial.subject
        if seen.effects or seen.output or seen.errors or seen.warnings or subject.rpartition(".")[2].startswith("__"):
            return False
        facts = self._callables.get(subject)
        returns = facts.returns if facts else None
        return finding.agrees or returns not in (None, "", "None") or subject in self._raising

    def _property(self, finding: TrialFinding, value: Value) -> tuple[list[SpecExpectation], list[str]]:
        """Returns expectations about properties of a value that is unstable or has no source."""
        if value.type_name in _FUNCTION_TYPES:
            return [SpecExpectation("holds", "callable(result)")], []
        if value.type_name in _ITERATOR_TYPES or value.type_name.startswith("itertools."):
            return [], []
        if value.type_name == "str" and not _TOKEN.fullmatch(value.text.strip("'\"")):
            # The length of a random token is fixed by design; that of another unstable text is a coincidence.
            return [], []
        checks: list[SpecExpectation] = []
        if value.length is not None and "len(result)" not in finding.unstable:
            checks.append(SpecExpectation("length", "result", str(value.length)))
        facts = self._callables.get(finding.trial.subject)
        if facts is not None and facts.kind == "constructor":
            # A constructor always returns an instance of its class.
            return checks, []
        name = self._type_reference(finding, value.type_name)
        if name.expression and not name.guessed and value.type_name not in _EVERY_VALUE:
            checks.insert(0, SpecExpectation("is_instance", "result", name.expression))
            return checks, list(name.imports)
        return checks, []

    def _state(self, finding: TrialFinding, draft: _Draft) -> None:
        checks: list[SpecExpectation] = []
        bound = _names_bound(finding)
        for expression, value in finding.observation.effects:
            node = expression_or_none(expression)
            about_arranged = node is not None and not names_of(node).isdisjoint(bound)
            if expression in finding.unstable or "._" in expression or not about_arranged:
                continue
            if is_only_sorted(finding, value):
                continue
            found, imports = value_checks(expression, value, finding.unstable, own=self._facts.module)
            if found and len(checks) + len(found) <= MOST_STATE_CHECKS:
                checks += found
                draft.imports += imports
        where = self._where(finding)
        draft.expectations += [replace(check, origin="observed", evidence=where) for check in checks]

    def _output(self, finding: TrialFinding, draft: _Draft) -> None:
        output = finding.observation.output
        if output and "output" not in finding.unstable and len(output) <= LONGEST_OUTPUT:
            draft.expectations.append(self._labelled(finding, SpecExpectation("output", value=repr(output))))
        errors = finding.observation.errors
        if errors and "errors" not in finding.unstable and len(errors) <= LONGEST_OUTPUT:
            draft.expectations.append(self._labelled(finding, SpecExpectation("equals", PRINTED_ERRORS, repr(errors))))

    def _warnings(self, finding: TrialFinding, draft: _Draft) -> None:
        """Adds each warning once, also for calls that raised.

        Projects that turn warnings into errors would otherwise fail at the unexpected warning first.
        """
        told: list[SpecExpectation] = []
        for category, message in finding.observation.warnings:
            name = self._type_reference(finding, category)
            demand = SpecExpectation("warns", exception=name.expression, match=message_part(message))
            if name.expression and not name.guessed and len(told) < MOST_WARNINGS and demand not in told:
                told.append(demand)
                draft.imports += name.imports
        draft.expectations += [replace(one, evidence=self._where(finding)) for one in told]


def _documented_part(finding: TrialFinding, raised: Raised) -> str | None:
    """What an agreeing document tells of the message, where a test can look for it."""
    told = documented_message(finding.trial) if finding.agrees else ""
    fits = told in raised.message and len(told) <= _LONGEST_DOCUMENTED and any(one.isalpha() for one in told)
    return told if fits else None


def _documented_text(value: Value, shown: str, *, has_checks: bool) -> list[SpecExpectation]:
    """Returns the expectation of the text that a document shows, where that tells more than the value's own checks.

    Of an object it says what the object holds, `[0,1] | (2,3)`, where attributes may be those that stay the same. Where
    a value looks like an address in memory, nothing of it is known to stay but what is documented.
    """
    told = shown.strip()
    if value.source is None and value.attributes and told == value.text and not told.startswith("<"):
        return [SpecExpectation("equals", "repr(result)", repr(told))]
    if has_checks or not shown:
        return []
    if value.type_name in ("str", "bytes") and literal_or(told, None) is not None:
        return [SpecExpectation("equals", "result", told)]
    return [SpecExpectation("equals", "repr(result)", repr(shown.rstrip("\n")))]


def _is_truth_of_comparison(trial: Trial) -> bool:
    """Whether a document says of a comparison that it holds, or not: that shows nothing of an object."""
    said = (trial.wanted or "").strip()
    return said in ("True", "False") and isinstance(expression_or_none(trial.act), ast.Compare)


def _is_same_call(value: str, act: str) -> bool:
    """Whether two sources are one call, whatever its quotes are and whether texts have a `u` before them."""
    if not (value.endswith(")") and act.endswith(")")):
        return False
    trees = [expression_or_none(value), expression_or_none(act)]
    for node in (inner for tree in trees if tree is not None for inner in ast.walk(tree)):
        if isinstance(node, ast.Constant):
            node.kind = None
    told = [ast.dump(tree) for tree in trees if tree is not None]
    return len(told) == len(trees) and told[0] == told[1]


def _is_large_number(value: Value) -> bool:
    """Whether a value is as large as hashes and addresses are; what only counts them is small."""
    number = literal_or(value.source or "", None)
    return type(number) is int and abs(number) >= _LEAST_HASH


def _truth(finding: TrialFinding, checks: list[SpecExpectation], facts: ModuleFacts) -> list[SpecExpectation]:
    """Replaces the expectation that a comparison returned True or False by the comparison itself."""
    if len(checks) != 1 or (checks[0].kind, checks[0].value) not in (("is", "True"), ("is", "False")):
        return checks
    node = parse_expression(finding.trial.act)
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    asks = called in _TRUTH_TESTS and called not in _names_bound(finding)  # `all = All(...)` is no question
    if finding.trial.mode != "call" or not (isinstance(node, ast.Compare | ast.BoolOp) or asks):
        return checks
    owner, _, name = finding.trial.subject.rpartition(".")
    if name == "__eq__" and any(callable_.qualname == f"{owner}.__ne__" for callable_ in facts.callables()):
        return checks  # rendered as `!=`, the test would call `__ne__` instead
    return [SpecExpectation("holds", "result" if checks[0].value == "True" else "not result")]


def _is_another_object(finding: TrialFinding, value: Value, checks: list[SpecExpectation]) -> list[SpecExpectation]:
    """The expectation that a copy is not its original, which an equal value leaves open."""
    node = parse_expression(finding.trial.act)
    called = node.func if isinstance(node, ast.Call) and not node.args else None
    if not isinstance(called, ast.Attribute) or called.attr not in _COPYING or not isinstance(called.value, ast.Name):
        return []
    if value.held or value.type_name in _IMMUTABLE or finding.trial.mode != "call" or not checks:
        return []
    return [SpecExpectation("holds", f"result is not {ast.unparse(called.value)}")]


def _names_bound(finding: TrialFinding) -> set[str]:
    names: set[str] = set(finding.trial.fixtures)
    for statement in (*finding.trial.arrange, *finding.trial.imports):
        names |= set(statement.replace("(", " ").replace(",", " ").replace(".", " ").replace(":", " ").split())
    return names
