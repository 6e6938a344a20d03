"""Selects the findings that become tests: assertable, without repeats, weak ones only as a last resort."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Sequence

from ....utils.python_names import assigned_variables, last_name, mentioned_names
from ....utils.python_source import literal_or, parse_expression, parse_python, shared_expression
from ..model.model import Arc, CallableFacts, Exploration, ModuleFacts, TrialFinding
from ..source.import_block import read_imports
from ..usage.slicing import completes
from .assertable_finding import AssertableFinding
from .comparison import is_announced
from .defects import contradiction
from .normal_form import normal_form
from .oracle import Oracle, OracleVerdict
from .repeats import call_key, without_repeats

_NO_LITERAL = object()
_INSIDE = re.compile(r"\b_[A-Za-z]\w*|<(class|function|bound method|built-in) ")
_TEST_MODULE = re.compile(r"(tests|test|testing|conftest)(\.|$)|(.*\.)?test_")
_BODIES = frozenset({"function", "method", "classmethod", "staticmethod", "property"})


def reason_unfit(finding: TrialFinding, facts: CallableFacts | None, module: ModuleFacts, *, traced: bool) -> str:
    """Returns why a finding cannot become a test of its subject; empty if it can.

    Args:
        facts: the subject, where it is known.
        module: its module.
        traced: whether observations carry arcs, so that one without arcs in the subject never reached it.
    """
    trial = finding.trial
    bindings = read_imports(trial.imports)
    bound = {binding.bound for binding in bindings} | set(trial.fixtures)
    read = free_names("\n".join((*trial.arrange, trial.act)))
    unknown = sorted(name for name in read - bound if not hasattr(builtins, name) and "*" not in bound)
    if unknown:
        return f"its call needs {unknown[0]}, which cannot be imported"
    own = trial.subject.rpartition(".")[2]
    private = [binding.bound for binding in bindings if (binding.name or "").startswith("_") and binding.bound in read]
    private = [name for name in private if not name.endswith("__") and not trial.subject.startswith(name)]
    if private and (not own.startswith("_") or own.endswith("__")):
        return f"its call needs the private name {private[0]}"
    helpers = [binding.module for binding in bindings if binding.bound in read and _TEST_MODULE.match(binding.module)]
    if helpers:
        return f"its call needs {helpers[0]}, a helper of the project's tests"
    if facts is not None and _asks_another_member(finding, facts, module):
        return "no call was found that shows more than what another method does"
    if facts is not None and facts.kind == "method" and _changes_nothing(finding):
        return "no call was found that changes its object"
    if facts is not None and _builds_another_class(finding, facts, module):
        return "no call was found that is about it"
    if not _uses(finding, own) or (facts is not None and _calls_another_class(finding, facts, module.module)):
        return "no call was found that names it"
    if _tells_what_it_is_not(finding):
        return "no oracle found: it is only known what the result is not"
    if _asks_for_an_object(finding):
        return "no oracle found: every value is an object"
    if _shows_representation(finding):
        return "no oracle found: only its representation is known, which names what is not public"
    if traced and facts is not None and facts.kind in _BODIES and not _reaches(finding, facts):
        return "no call was found that reaches it"
    return ""


def _uses(finding: TrialFinding, name: str) -> bool:
    """Whether the call or a statement before it names the subject; special methods are called by operators."""
    if name.startswith("__") or not name.isidentifier():
        return True
    trial = finding.trial
    aliases = {import_.name: import_.bound for import_ in read_imports(trial.imports) if import_.name}
    tree = parse_python("\n".join((*trial.arrange, trial.act)))
    mentioned = mentioned_names([tree])
    if not {name, aliases.get(name, name)}.isdisjoint(mentioned):
        return True
    # What a class completes is run by the inherited method that is named after its action: `dump_payload` by `dumps`.
    act = parse_expression(trial.act)
    called = last_name(act.func) if isinstance(act, ast.Call) and isinstance(act.func, ast.Attribute) else ""
    return trial.source == "document" and completes(name, called)


def _calls_another_class(finding: TrialFinding, facts: CallableFacts, module: str) -> bool:
    """Whether the method that the act calls is one of the same name of what another module makes: `furl(…).add(…)`."""
    if facts.kind != "method" or finding.agrees:
        return False
    act = parse_expression(finding.trial.act)
    if isinstance(act, ast.Call) and isinstance(act.func, ast.Attribute) and act.func.attr == facts.name:
        return False  # what the act calls last, the trace shows to be the subject
    made = {one.bound for one in read_imports(finding.trial.imports) if module and one.module != module}
    calls = [node for node in ast.walk(act) if isinstance(node, ast.Call)]
    own = [node.func for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr == facts.name]
    return bool(own) and all(
        isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Name) and one.value.func.id in made
        for one in own
    )


def _asks_another_member(finding: TrialFinding, facts: CallableFacts, module: ModuleFacts) -> bool:
    """Whether what a method returns is only asked with arguments by another method of its class: `a.copy().lt(2)`."""
    act = shared_expression(finding.trial.act)
    if finding.agrees or facts.kind != "method" or not isinstance(act, ast.Call) or not (act.args or act.keywords):
        return False
    outer, inner = act.func, act.func.value if isinstance(act.func, ast.Attribute) else None
    if not isinstance(outer, ast.Attribute) or not isinstance(inner, ast.Call) or outer.attr == facts.name:
        return False
    asked = isinstance(inner.func, ast.Attribute) and inner.func.attr == facts.name
    siblings = {one.name for owner in module.classes if owner.name == facts.owner for one in owner.members}
    return asked and outer.attr in siblings


def _changes_nothing(finding: TrialFinding) -> bool:
    """Whether a method only gave back the object it was called on, as it was: `fragment.add()`."""
    value = finding.observation.value
    held = value.held if value is not None else ""
    unchanged = not (finding.observation.effects or finding.observation.output or finding.observation.warnings)
    return bool(held) and finding.trial.act.startswith(f"{held}.") and unchanged and not finding.agrees


def _builds_another_class(finding: TrialFinding, facts: CallableFacts, module: ModuleFacts) -> bool:
    """Whether an example with an object of the subject is about one that another module's class makes."""
    act = shared_expression(finding.trial.act)
    if facts.kind != "constructor" or not isinstance(act, ast.Call):
        return False
    package = module.module.partition(".")[0]
    other = {
        one.bound
        for one in read_imports(finding.trial.imports)
        if one.module.partition(".")[0] == package and one.module != module.module and one.bound[:1].isupper()
    } - {owner.name for owner in module.classes}
    statements = [statement for text in finding.trial.arrange for statement in parse_python(text).body]
    built = assigned_variables(statements)
    root = act.func.value if isinstance(act.func, ast.Attribute) else act
    made = built.get(root.id) if isinstance(root, ast.Name) else root
    return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in other


def _tells_what_it_is_not(finding: TrialFinding) -> bool:
    """Whether the act only compares with an unequal value, and no document shows that comparison."""
    value, subject = finding.observation.value, finding.trial.subject.rpartition(".")[2]
    if value is None or finding.agrees or subject.startswith("__"):
        return False
    node = shared_expression(finding.trial.act)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    unequal = {"False": ast.Eq | ast.Is, "True": ast.NotEq | ast.IsNot}.get(value.source or "")
    return unequal is not None and isinstance(node.ops[0], unequal)


def _asks_for_an_object(finding: TrialFinding) -> bool:
    """Whether the act only checks `isinstance(…, object)`, which is always true."""
    if finding.observation.value is None:
        return False
    node = shared_expression(finding.trial.act)
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "isinstance" or len(node.args) != 2:
        return False
    kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    return any(ast.unparse(kind) == "object" for kind in kinds)


def _shows_representation(finding: TrialFinding) -> bool:
    """Whether only a `repr` is known of the result, and it shows the inside, or a literal that was given as a function.

    What a document shows stays.
    """
    value, act = finding.observation.value, shared_expression(finding.trial.act)
    if finding.agrees or not (isinstance(act, ast.Call) and ast.unparse(act.func) == "repr"):
        return False
    shown = act.args[0]
    if isinstance(shown, ast.Call) and isinstance(shown.func, ast.Call):
        return any(literal_or(one, _NO_LITERAL) is not _NO_LITERAL for one in shown.args)
    text = literal_or((value.source or "") if value is not None else "", "")
    return isinstance(text, str) and _INSIDE.search(text) is not None


def free_names(source: str) -> set[str]:
    """Returns names that source reads and does not bind, in any scope. Raises SyntaxError."""
    top = symtable.symtable(source, "<case>", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    read: set[str] = set()
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                read.add(symbol.get_name())
    return read - bound


def without_weak(judged: Sequence[AssertableFinding]) -> list[AssertableFinding]:
    """Drops findings that only assert a type or a length: they show nothing, unless a document says so."""
    answering = {one.finding.trial.subject for one in judged if one.answers}
    judged = [one for one in judged if not one.silent or one.documented or one.finding.trial.subject in answering] + [
        one for one in _first_of_each(judged) if one.finding.trial.subject not in answering
    ]
    return [one for one in judged if not one.weak or one.documented]


def _first_of_each(judged: Sequence[AssertableFinding]) -> list[AssertableFinding]:
    """Returns the first call of each subject that only returns None: one test shows that such input is accepted."""
    found: dict[str, AssertableFinding] = {}
    for one in judged:
        if one.silent and not one.documented:
            found.setdefault(one.finding.trial.subject, one)
    return list(found.values())


def _reaches(finding: TrialFinding, facts: CallableFacts) -> bool:
    """Whether the act or a statement before it ran the callable: what a factory made is used in a later statement."""
    first, last = facts.lines
    arcs = finding.observation.arcs | finding.covered
    return any(first <= abs(line) <= last for arc in arcs for line in arc)


def assertable_findings(exploration: Exploration) -> tuple[list[AssertableFinding], dict[str, str]]:
    """Returns findings with expectations, in source order of their subjects, and reasons for subjects without any.

    Repeated and weak findings are dropped unless they alone run some arc or kill some mutant.
    """
    facts = exploration.facts
    order = {callable_.qualname: at for at, callable_ in enumerate(facts.callables())}
    found, without = judge_findings(facts, exploration.findings)
    judged = _without_defects([one for one in found if one is not None], exploration.findings, without)
    kept = without_weak(without_repeats(judged))
    kept += _alone([one for one in judged if not one.weak or one.documented], kept)
    shown = {one.finding.trial.subject for one in kept}
    for one in judged:
        if one.finding.trial.subject not in shown:
            without.setdefault(
                one.finding.trial.subject, "no oracle found: only a type or a length is known of its results"
            )
    kept.sort(key=lambda one: order.get(one.finding.trial.subject, len(order)))
    return kept, without


def _without_defects(
    judged: Sequence[AssertableFinding], findings: Sequence[TrialFinding], without: dict[str, str]
) -> list[AssertableFinding]:
    """Drops what was only observed on the way of a call whose documented result the code contradicts.

    Such a result rests on the suspected defect, though it is of another call. Where a document shows a right result of
    that very way, the way itself is sound. Prose that announces an exception speaks of inputs, not of a way.
    """
    wrong = [
        one.observation.arcs
        for one in findings
        if one.contradicts is not None and one.observation.arcs and not is_announced(one.trial)
    ]
    sound = [one.observation.arcs for one in findings if one.agrees]
    wrong = [arcs for arcs in wrong if arcs not in sound]
    kept = [one for one in judged if one.documented or not any(arcs <= one.finding.observation.arcs for arcs in wrong)]
    shown = {one.finding.trial.subject for one in kept}
    for one in judged:
        if one.finding.trial.subject not in shown:
            without.setdefault(one.finding.trial.subject, "what it returns rests on a suspected defect")
    return kept


def judge_findings(
    facts: ModuleFacts, findings: Sequence[TrialFinding], beside: Sequence[TrialFinding] = ()
) -> tuple[list[AssertableFinding | None], dict[str, str]]:
    """Judges each finding; None where nothing can be asserted, with the reason by subject.

    Args:
        beside: further findings that show the usual behaviour of a subject.
    """
    company = (*findings, *beside)
    raising = frozenset(one.trial.subject for one in company if one.observation.outcome == "raised")
    oracle = Oracle(facts, raising)
    callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
    texts = frozenset(one.trial.subject for one in company if _is_text(one))
    traced = any(one.observation.arcs for one in findings)
    judged: list[AssertableFinding | None] = []
    without: dict[str, str] = {}
    for found in findings:
        subject = found.trial.subject
        if contradiction(found, callables) is not None:
            judged.append(None)
            continue
        finding = normal_form(found, facts, texts)
        if finding is None:
            verdict = OracleVerdict(reason="its call cannot stand in a test")
        else:
            unfit = reason_unfit(finding, callables.get(subject), facts, traced=traced)
            verdict = OracleVerdict(reason=unfit)
            verdict = verdict if verdict.reason else oracle.judge(finding)
        if finding is None or not verdict.expectations:
            without.setdefault(subject, verdict.reason)
            judged.append(None)
            continue
        judged.append(AssertableFinding(finding, verdict))
    return judged, without


def _alone(judged: Sequence[AssertableFinding], kept: Sequence[AssertableFinding]) -> list[AssertableFinding]:
    """Returns dropped findings that run arcs or kill mutants that no kept one does, strong ones first."""
    calls = {call_key(one) for one in kept}
    others = [one for one in judged if call_key(one) not in calls]
    return showing_more(sorted(others, key=lambda one: (one.weak, one.silent)), kept)


def showing_more(
    findings: Sequence[AssertableFinding], kept: Sequence[AssertableFinding], *, by_kills: bool = True
) -> list[AssertableFinding]:
    """Returns findings that run arcs, or `by_kills` kill mutants, that neither a kept one nor one before them does."""
    covered: set[Arc] = set().union(*(one.finding.covered for one in kept))
    noticed: set[int] = set().union(*(one.finding.kills for one in kept))
    found: list[AssertableFinding] = []
    for one in findings:
        if not (one.finding.covered <= covered and (not by_kills or one.finding.kills <= noticed)):
            covered |= one.finding.covered
            noticed |= one.finding.kills
            found.append(one)
    return found


def _is_text(finding: TrialFinding) -> bool:
    """Whether a plain call of the subject returned a string."""
    value = finding.observation.value
    if value is None or value.type_name != "str" or finding.trial.mode != "call":
        return False
    called = finding.trial.act.partition("(")[0].rpartition(".")[2]
    return called == finding.trial.subject.rpartition(".")[2]
