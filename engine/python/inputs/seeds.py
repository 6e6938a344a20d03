"""Trials from what people wrote: doctests of the module, its tests, call sites and documents (B-06)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....utils.python_source import parse_python
from ..facts.analyse import imports_of, subjects
from ..model.model import CallableFacts, Documentation, Example, ModuleFacts, Trial
from ..usage.project_index import ProjectIndex
from ..usage.scoping import NameScope, is_reproducible
from ..usage.slicing import needed_statements, source_of
from ..usage.statement_subject import Subjects
from ..usage.usage import Usage

_MAXIMUM_TEXT = 900


def example_trials(facts: ModuleFacts, index: ProjectIndex) -> Iterator[Trial]:
    """One trial for each doctest prompt of the module that is an expression about one of its subjects."""
    wanted = subjects(facts)
    finder = Subjects(facts, wanted)
    for one in facts.callables():
        own = one if one in wanted else None
        yield from _documented(one.documentation, own, facts, index, finder)
    for owner in facts.classes:
        yield from _documented(owner.documentation, None, facts, index, finder)
    yield from _documented(facts.documentation, None, facts, index, finder)


def _documented(
    documentation: Documentation,
    own: CallableFacts | None,
    facts: ModuleFacts,
    index: ProjectIndex,
    finder: Subjects,
) -> Iterator[Trial]:
    for example in documentation.examples:
        trial = _example_trial(example, own, facts, index, finder)
        if trial is not None:
            yield trial
            inner = _printed(trial)
            if inner is not None:
                yield inner


def _example_trial(
    example: Example, own: CallableFacts | None, facts: ModuleFacts, index: ProjectIndex, finder: Subjects
) -> Trial | None:
    try:
        before = [node for text in example.arrange for node in parse_python(text).body]
        body = parse_python(example.act).body
    except SyntaxError:
        return None
    if len(body) != 1:
        return None
    last = body[0]
    wanted: str | None = example.want or None
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) and not example.want:
        last = ast.copy_location(ast.Expr(value=last.value), last)
        wanted = None
    if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Constant):
        return None
    imports = [one for one in (*before, last) if isinstance(one, ast.Import | ast.ImportFrom)]
    package = facts.module.rpartition(".")[0]
    scope = NameScope(facts, index, imports_of(list(imports), package))
    needed = [one for one in needed_statements(before, last) if not isinstance(one, ast.Import | ast.ImportFrom)]
    plain = [ast.fix_missing_locations(scope.plain(one)) for one in (*needed, last)]
    arranged = [one for one in plain[:-1] if isinstance(one, ast.stmt)]
    act = plain[-1]
    if not isinstance(act, ast.Expr):
        return None
    statements = scope.imports_for([*arranged, act])
    texts = tuple(text for one in arranged if (text := source_of(one)) is not None)
    act_text = source_of(act.value)
    if act_text is None or len(texts) != len(arranged):
        return None
    whole = "\n".join([*texts, act_text])
    subject = finder.of(act.value, arranged) or _own_subject(own, whole)
    if statements is None or subject is None or len(whole) > _MAXIMUM_TEXT or not is_reproducible(whole):
        return None
    if isinstance(act.value, ast.Name):
        return None
    return Trial(
        subject=subject.qualname,
        act=act_text,
        imports=statements,
        arrange=texts,
        source="doctest",
        wanted=wanted,
        wanted_line=example.line if wanted else 0,
    )


def _own_subject(own: CallableFacts | None, text: str) -> CallableFacts | None:
    return own if own is not None and own.name in text else None


def _printed(trial: Trial) -> Trial | None:
    """The printed value itself: its result can be compared, not only its text."""
    if not (trial.act.startswith("print(") and trial.act.endswith(")")):
        return None
    node = parse_python(trial.act).body[0]
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or len(node.value.args) != 1:
        return None
    return Trial(
        subject=trial.subject,
        act=ast.unparse(node.value.args[0]),
        imports=trial.imports,
        arrange=trial.arrange,
        source="doctest",
    )


def usage_trials(usage: Usage) -> Iterator[Trial]:
    """One trial for each use of the module in its project."""
    for one in usage.sequences:
        yield Trial(
            subject=one.subject,
            act=one.act,
            imports=one.imports,
            arrange=one.arrange,
            source=one.source,
            fixtures=one.fixtures,
        )
