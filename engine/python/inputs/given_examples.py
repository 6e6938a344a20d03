"""Turns the examples of a project's settings into trials and parameter values, as doctest examples are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ....utils.python_source import parse_or_none
from ..facts.analyse import subjects
from ..model.model import Candidate, Example, ModuleFacts, Trial
from ..usage.project_index import ProjectIndex
from ..usage.scoping import NameScope, is_reproducible
from ..usage.slicing import Subjects
from .seeds import example_trial

GivenExamples = Mapping[str, str]
"""Expressions by `module:function` (a call of it) or by the name of a parameter (a value)."""


def given_trials(examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex) -> Iterator[Trial]:
    """Yields a trial for each example that calls something of this module."""
    finder = Subjects(facts, subjects(facts))
    callables = {item.qualname: item for item in facts.callables()}
    for key, source in sorted(examples.items()):
        module, _, qualname = key.rpartition(":")
        if module == facts.module and qualname in callables:
            example = Example((), source, "", 0)
            trial = example_trial(example, callables[qualname], facts, index, finder)
            if trial is not None:
                yield replace(trial, source="example")


def add_given_values(
    known: dict[tuple[str, str], list[Candidate]], examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex
) -> None:
    """Puts the examples of parameter names first among the known values of this module's parameters of that name."""
    scope = NameScope(facts, index)
    for name, source in sorted(examples.items()):
        tree = parse_or_none(source)
        if ":" in name or tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            continue
        imports = scope.imports_for([tree.body[0]])
        if imports is None or not is_reproducible(source):
            continue
        value = Candidate(ast.unparse(tree.body[0].value), imports, origin="example")
        for item in facts.callables():
            if any(parameter.name == name for parameter in item.parameters):
                known.setdefault((item.qualname, name), []).insert(0, value)
