"""Reports suspected defects: the code contradicts its document. They never become assertions."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from ....utils.names.case_names import slug
from ....utils.python_names import assigned_variables, last_name, unique_name
from ....utils.python_source import expression_or_none, parse_expression, parse_or_none
from ..model.arcs import runs_body
from ..model.model import CallableFacts, Exploration, Trial, TrialFinding, Value
from ..source.titles import cut_slug, subject_slug

LONGEST = 600
"""Characters of what is documented or observed; the rest is cut off."""
_NAME = re.compile(r"'([^']+)'")
_NEVER_MEANT = frozenset({"NameError", "UnboundLocalError"})
# Which observed builtin types an annotation allows beside its own (PEP 484's numeric tower).
_ALSO_ALLOWED: Mapping[str, frozenset[str]] = {
    "int": frozenset({"bool"}),
    "float": frozenset({"int", "bool"}),
    "complex": frozenset({"float", "int", "bool"}),
}
_BUILTINS = frozenset(
    {"int", "float", "complex", "str", "bytes", "bool", "list", "dict", "set", "frozenset", "tuple", "bytearray"}
)


def suspected_defects(exploration: Exploration) -> list[dict[str, Any]]:
    """Returns the defects of an exploration, one entry for each subject and documented statement, in order."""
    callables = {callable_.qualname: callable_ for callable_ in exploration.facts.callables()}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    used: set[str] = set()
    for finding in exploration.findings:
        facts = callables.get(finding.trial.subject)
        documented = contradiction(finding, callables)
        if documented is None:
            continue
        key = (finding.trial.subject, documented)
        if key not in found:
            found[key] = _entry(finding, documented, facts, exploration.facts.path, used)
    return list(found.values())


def contradiction(finding: TrialFinding, callables: Mapping[str, CallableFacts]) -> str | None:
    """Returns the documented statement that a finding contradicts, in words; None if it contradicts nothing.

    Args:
        callables: the module's callables by their qualified names.
    """
    if finding.contradicts is not None:
        return finding.contradicts
    raised = finding.observation.raised
    if raised is not None and _reads_an_unset_name(finding):
        return f"no document announces {raised.type_name}: a name is read before it has a value"
    facts = callables.get(finding.trial.subject)
    if facts is not None and "result" not in finding.unstable and _gives_result(facts, finding, callables):
        return _annotation_contradicted(finding, facts)
    return None


def _gives_result(facts: CallableFacts, finding: TrialFinding, callables: Mapping[str, CallableFacts]) -> bool:
    """Whether what the act returned is the subject's result: the act ran its lines, and not as a part of a namesake.

    `parse(text).value()` runs the `value` of the class that `parse` chose, and that may ask other objects for theirs.
    """
    arcs = finding.observation.arcs
    if not runs_body(facts, arcs):
        return False
    if facts.owner is None or _made_by(finding.trial) == facts.owner:
        return True
    named = [one for one in callables.values() if one.name == facts.name and one.owner and one.lines != facts.lines]
    return not any(runs_body(one, arcs) for one in named)


def _made_by(trial: Trial) -> str:
    """The last name of what the act calls for the object whose member it calls; "" where it is no such call."""
    act = expression_or_none(trial.act)
    made = act.func.value if isinstance(act, ast.Call) and isinstance(act.func, ast.Attribute) else None
    if isinstance(made, ast.Name):
        tree = parse_or_none("\n".join(trial.arrange))
        made = assigned_variables(tree.body if tree else ()).get(made.id, made)
    return last_name(made.func) if isinstance(made, ast.Call) else ""


def _reads_an_unset_name(finding: TrialFinding) -> bool:
    """Whether the target, not the trial's own code, read a name before assignment."""
    raised, trial = finding.observation.raised, finding.trial
    if raised is None or raised.line <= 0 or raised.type_name.removeprefix("builtins.") not in _NEVER_MEANT:
        return False
    named = _NAME.search(raised.message)
    return named is None or named[1] not in " ".join((*trial.imports, *trial.arrange, trial.act))


def _entry(
    finding: TrialFinding, documented: str, facts: CallableFacts | None, path: str, used: set[str]
) -> dict[str, Any]:
    trial = finding.trial
    observed = _observed(finding)
    identifier = unique_name(cut_slug(f"{subject_slug(trial.subject)}_{slug(observed)}", 60), used)
    used.add(identifier)
    act = finding.trial.act
    forms = {"await": f"asyncio.run({act})", "iterate": f"list({act})", "enter": f"with {act} as result: pass"}
    return {
        "id": f"sd_{identifier}",
        "title": _one_line(f"{trial.subject}: {observed} where the document says {documented}", 280),
        "subject": trial.subject,
        "documented": documented if len(documented) < LONGEST else f"{documented[: LONGEST - 1]}…",
        "observed": observed,
        "reproduce": "\n".join((*trial.imports, *trial.arrange, forms.get(finding.trial.mode, act)))[:4000],
        # A call made by changing one of a document keeps the document's name, and no line of it.
        "evidence": {
            "path": (trial.wanted_path if trial.wanted_line else "") or path,
            "lines": list(_lines(finding, facts)),
        },
    }


def _lines(finding: TrialFinding, facts: CallableFacts | None) -> tuple[int, int]:
    """The lines that show a defect: of an example inside the function, from the function's first line on."""
    wanted = finding.trial.wanted_line
    first, last = facts.lines if facts is not None else (0, 0)
    if wanted > 0:
        return (first if not finding.trial.wanted_path and 0 < first <= wanted <= last else wanted, wanted)
    if facts is None or first <= 0:
        return (1, 1)
    return facts.documentation.lines if finding.contradicts and facts.documentation.lines[0] > 0 else facts.lines


def _observed(finding: TrialFinding) -> str:
    seen = finding.observation
    if seen.raised is not None:
        message = f": {seen.raised.message}" if seen.raised.message else ""
        return _one_line(f"raises {seen.raised.type_name.removeprefix('builtins.')}{message}", LONGEST)
    if seen.outcome != "returned":
        return seen.outcome.replace("_", " ")
    if seen.output and (seen.value is None or seen.value.source == "None"):
        return _one_line(f"prints {seen.output!r}", LONGEST)
    if seen.value is None:
        return "returns nothing"
    printed = f"prints {seen.output!r} and " if seen.output else ""
    return _one_line(f"{printed}returns {seen.value.source or seen.value.text or seen.value.type_name}", LONGEST)


def _annotation_contradicted(finding: TrialFinding, facts: CallableFacts) -> str | None:
    """Returns the return annotation if a value of an unrelated builtin type came back from well-typed arguments.

    Only clear cases count: plain builtin annotations, builtin values, literal arguments that fit their annotations.
    """
    value = finding.observation.value
    if value is None or facts.returns is None or finding.trial.mode not in ("call", "await"):
        return None
    if facts.is_generator or facts.is_context_manager or facts.decorators or facts.kind == "constructor":
        return None
    wanted = _builtin_name(facts.returns)
    if wanted is None or not _differs(wanted, value) or not _fitting_call(finding.trial.act, facts):
        return None
    return f"the annotation -> {facts.returns}"


def _differs(wanted: str, value: Value) -> bool:
    actual = value.type_name.removeprefix("builtins.")
    if actual not in _BUILTINS:
        return False
    return actual != wanted and actual not in _ALSO_ALLOWED.get(wanted, frozenset())


def _builtin_name(annotation: str) -> str | None:
    node = expression_or_none(annotation)
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node.id in _BUILTINS else None


def _fitting_call(act: str, facts: CallableFacts) -> bool:
    """Whether the act is a direct call of the subject whose arguments are literals of the annotated types."""
    node = parse_expression(act)
    if not isinstance(node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return False
    called = last_name(node.func)
    if called != facts.name:
        return False
    parameters = [parameter for parameter in facts.parameters if parameter.name not in ("self", "cls")]
    by_name = {parameter.name: parameter for parameter in parameters}
    if len(node.args) > len(parameters):
        return False
    given = list(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in by_name:
            return False
        given.append((by_name[keyword.arg], keyword.value))
    return all(_fits(one.annotation, argument) for one, argument in given)


def _fits(annotation: str | None, argument: ast.expr) -> bool:
    wanted = _builtin_name(annotation) if annotation else None
    if wanted is None or not isinstance(argument, ast.Constant):
        return False
    actual = type(argument.value).__name__
    return actual == wanted or actual in _ALSO_ALLOWED.get(wanted, frozenset())


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
