"""Drops the statements of a trial that its act does not depend on."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache

from ....utils.python_names import assigned_names, last_name
from ....utils.python_source import parse_python
from ..model.model import TrialFinding


def without_unrelated(finding: TrialFinding) -> TrialFinding:
    """Drops statements that share no name with the act: earlier calls of the same example block, unused values."""
    trial = finding.trial
    local = assigned_names(trial.arrange) | set(trial.fixtures)
    versions = dict.fromkeys(local, 0)
    shared: list[set[tuple[str, int]]] = []
    for one in trial.arrange:
        names = {(name, versions[name]) for name in (names_in(one) | assigned_names([one])) & local}
        assigned = _assigned(one)
        if assigned is not None:
            # A reassigned name is a new version: statements about its former value matter only if that is used.
            if count_of(one, assigned) < 2:
                names.discard((assigned, versions[assigned]))
            versions[assigned] += 1
            names.add((assigned, versions[assigned]))
        shared.append(names)
    watched = "\n".join((trial.act, *(name for name, _value in finding.observation.effects)))
    related = {(name, versions[name]) for name in names_in(watched) & local}
    # The transitive closure: a statement that shares a name with a kept one is kept, too.
    while (wider := related.union(*(names for names in shared if names & related))) != related:
        related = wider
    kept = tuple(
        one
        for one, names in zip(trial.arrange, shared, strict=True)
        if names & related or (not names and not _calls(one, trial.subject))
    )
    return replace(finding, trial=replace(trial, arrange=kept))


@lru_cache(maxsize=4096)
def _assigned(statement: str) -> str | None:
    """The name that a plain assignment binds."""
    body = parse_python(statement.strip()).body
    node = body[0] if len(body) == 1 else None
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return node.target.id
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _calls(statement: str, subject: str) -> bool:
    """Whether a statement is a bare expression that may call the subject."""
    body = parse_python(statement.strip()).body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return False
    node = body[0].value
    if not isinstance(node, ast.Call):
        return True
    return last_name(node.func) == subject.rpartition(".")[2]


@lru_cache(maxsize=4096)
def count_of(source: str, name: str) -> int:
    """How often a name occurs in source text. Raises SyntaxError."""
    return sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(parse_python(source.strip())))


@lru_cache(maxsize=4096)
def names_in(source: str) -> frozenset[str]:
    """Every plain name in source text. Raises SyntaxError."""
    return frozenset(node.id for node in ast.walk(parse_python(source.strip())) if isinstance(node, ast.Name))
