"""Which findings deserve a test of their own: fit to stand alone, no repeats, weak ones only as a last resort."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Sequence
from dataclasses import dataclass

from ....utils.python_source import parse_expression, parse_python
from ..model.model import CallableFacts, Finding
from ..model.spec_case import WEAK_KINDS, Case
from ..source.import_block import read_imports
from .group import shape
from .oracle import Verdict

_BODIES = frozenset({"function", "method", "classmethod", "staticmethod", "property"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding in normal form, with its verdict."""

    finding: Finding
    verdict: Verdict

    @property
    def documented(self) -> bool:
        """Whether a document says what is expected."""
        return any(one.origin == "documented" for one in self.verdict.expectations)

    @property
    def silent(self) -> bool:
        """Whether all it tells is that None came back."""
        return all((one.kind, one.actual, one.value) == ("is", "result", "None") for one in self.verdict.expectations)

    @property
    def answers(self) -> bool:
        """Whether something other than None came back."""
        value = self.finding.observation.value
        return value is not None and value.source != "None"

    @property
    def weak(self) -> bool:
        """Whether only the type or the length of the result is demanded."""
        demands = self.verdict.expectations
        return all(one.kind in WEAK_KINDS or one.actual.startswith("callable(") for one in demands)


def unfit(finding: Finding, facts: CallableFacts | None, *, traced: bool) -> str:
    """Why a finding cannot become a test of its subject; empty when it can.

    Args:
        traced: whether observations carry arcs, so that one without any in the subject's lines never got there.
    """
    trial = finding.trial
    bindings = read_imports(trial.imports)
    bound = {one.bound for one in bindings} | set(trial.fixtures)
    read = free_names("\n".join((*trial.arrange, trial.act)))
    unknown = sorted(name for name in read - bound if not hasattr(builtins, name) and "*" not in bound)
    if unknown:
        return f"its call needs {unknown[0]}, which cannot be imported"
    own = trial.subject.rpartition(".")[2]
    private = [one.bound for one in bindings if (one.name or "").startswith("_") and one.bound in read]
    private = [name for name in private if not name.endswith("__") and not trial.subject.startswith(name)]
    if private and not own.startswith("_"):
        return f"its call needs the private name {private[0]}"
    helpers = [one.module for one in bindings if one.bound in read and _is_test_module(one.module)]
    if helpers:
        return f"its call needs {helpers[0]}, a helper of the project's tests"
    if not _uses(finding, own):
        return "no call was found that names it"
    if _tells_what_it_is_not(finding):
        return "no oracle found: it is only known what the result is not"
    if _asks_for_an_object(finding):
        return "no oracle found: every value is an object"
    if traced and facts is not None and facts.kind in _BODIES and not _reaches(finding, facts):
        return "no call was found that reaches it"
    return ""


def _is_test_module(module: str) -> bool:
    parts = module.split(".")
    return parts[0] in ("tests", "test", "testing", "conftest") or any(one.startswith("test_") for one in parts)


def _uses(finding: Finding, name: str) -> bool:
    """Whether the call, or a statement before it, names the subject; operators stand for dunder methods."""
    if name.startswith("__") or not name.isidentifier():
        return True
    trial = finding.trial
    aliases = {one.name: one.bound for one in read_imports(trial.imports) if one.name}
    tree = parse_python("\n".join((*trial.arrange, trial.act)))
    names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    names |= {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    return name in names or aliases.get(name, name) in names


def _tells_what_it_is_not(finding: Finding) -> bool:
    """Whether the act compares with a value that the result merely differs from, and no document does."""
    value, subject = finding.observation.value, finding.trial.subject.rpartition(".")[2]
    if value is None or finding.agrees or subject.startswith("__"):
        return False
    node = parse_expression(finding.trial.act)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    unequal = {"False": ast.Eq | ast.Is, "True": ast.NotEq | ast.IsNot}.get(value.source or "")
    return unequal is not None and isinstance(node.ops[0], unequal)


def _asks_for_an_object(finding: Finding) -> bool:
    """Whether all the act asks, and is told, is whether something is an `object`, which anything is."""
    if finding.observation.value is None:
        return False
    node = parse_expression(finding.trial.act)
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "isinstance" or len(node.args) != 2:
        return False
    kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    return any(ast.unparse(one) == "object" for one in kinds)


def free_names(source: str) -> set[str]:
    """Names that source reads and does not bind, in whatever scope. Raises SyntaxError."""
    top = symtable.symtable(source, "<case>", "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    read: set[str] = set()
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for one in table.get_symbols():
            if one.is_referenced() and (table is top or one.is_global()):
                read.add(one.get_name())
    return read - bound


def call_of(one: Judged) -> tuple[object, ...]:
    """What is called with what; documents and trials may quote the same text differently."""
    trial = one.finding.trial
    arrange = tuple(ast.unparse(parse_python(text)) for text in trial.arrange)
    return (trial.subject, arrange, ast.unparse(parse_expression(trial.act)), trial.mode)


def without_repeats(judged: Sequence[Judged]) -> list[Judged]:
    """Each call once (the documented one, else the first), and each refusal that has a shape of its own once."""
    found: dict[tuple[object, ...], Judged] = {}
    for one in judged:
        key = call_of(one)
        if key not in found or (one.documented and not found[key].documented):
            found[key] = one
    shapes: dict[tuple[object, ...], str | None] = {}
    kept: list[Judged] = []
    for one in found.values():
        refusal = _refusal(one)
        form = shape(_as_case(one)) if refusal is not None else None
        if refusal is not None and not one.documented and refusal in shapes and shapes[refusal] != form:
            continue
        if refusal is not None:
            shapes.setdefault(refusal, form)
        kept.append(one)
    return kept


def without_weak(judged: Sequence[Judged]) -> list[Judged]:
    """Findings that only tell a type or a length go where the subject has better ones."""
    answering = {one.finding.trial.subject for one in judged if one.answers}
    judged = [one for one in judged if not one.silent or one.documented or one.finding.trial.subject in answering] + [
        one for one in _first_of_each(judged) if one.finding.trial.subject not in answering
    ]
    strong = {one.finding.trial.subject for one in judged if not one.weak}
    kept: list[Judged] = []
    weak: set[str] = set()
    for one in judged:
        subject = one.finding.trial.subject
        if one.weak and not one.documented and (subject in strong or subject in weak):
            continue
        if one.weak:
            weak.add(subject)
        kept.append(one)
    return kept


def _first_of_each(judged: Sequence[Judged]) -> list[Judged]:
    """Of the calls that only return None, the first of each subject: that such input is accepted is told once."""
    found: dict[str, Judged] = {}
    for one in judged:
        if one.silent and not one.documented:
            found.setdefault(one.finding.trial.subject, one)
    return list(found.values())


def _refusal(one: Judged) -> tuple[object, ...] | None:
    """What two refusals have in common when they show the same: where it came from and what was said."""
    raised = one.finding.observation.raised
    if raised is None:
        return None
    demand = one.verdict.expectations[0]
    return (one.finding.trial.subject, demand.exception, demand.match, raised.line)


def _as_case(one: Judged) -> Case:
    trial = one.finding.trial
    return Case(
        "tc_x",
        "x",
        trial.subject,
        trial.act,
        trial.mode,
        one.verdict.expectations,
        fixtures=trial.fixtures,
        statements=trial.arrange,
    )


def _reaches(finding: Finding, facts: CallableFacts) -> bool:
    first, last = facts.lines
    return any(first <= abs(line) <= last for arc in finding.observation.arcs for line in arc)
