"""Turns the examples of a project's settings into trials and parameter values, as doctest examples are.

Somebody wrote each of them to be used, so those that do not work are told with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, parse_or_none
from ..facts.analyse import subjects
from ..facts.lineage import members_of_private_bases
from ..model.model import Candidate, Example, ModuleFacts, Observation, Trial
from ..usage.project_index import ProjectIndex
from ..usage.scoping import NameScope, is_reproducible
from ..usage.slicing import Subjects
from .seeds import example_trial

GivenExamples = Mapping[str, str]
"""Expressions by `module:function` (a call of it) or by the name of a parameter (a value)."""

EXAMPLE_NOTE = "The example of "
"""Begins each note about an example of the settings that does not work."""


def example_note(key: str, reason: str) -> str:
    """Returns the note about an example that does not work."""
    return f"{EXAMPLE_NOTE}`{key}` in the settings does not work: {reason}."


@dataclass(slots=True)
class GivenValues:
    """The examples that concern one module.

    Attributes:
        calls: trials by `module:function`.
        values: values by parameter name, of parameters that the module has.
        problems: why an example can be neither, by its key.
    """

    calls: dict[str, Trial] = field(default_factory=dict)
    values: dict[str, Candidate] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def read_examples(examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex) -> GivenValues:
    """Reads the examples of a module's callables and of its parameters; those of other modules are left out."""
    found = GivenValues()
    finder = Subjects(facts, (*subjects(facts), *members_of_private_bases(facts)))
    scope = NameScope(facts, index)
    callables = {item.qualname: item for item in facts.callables()}
    parameters = {parameter.name for item in callables.values() for parameter in item.parameters}
    for key, source in sorted(examples.items()):
        module, _, name = key.rpartition(":")
        node = _statement(source)
        if node is None or (module and (module != facts.module or name not in callables)):
            continue
        if module:
            trial = example_trial(Example((), source, "", 0), callables[name], facts, index, finder)
            if trial is None:
                found.problems[key] = _unusable(node, scope, facts)
            else:
                found.calls[key] = replace(trial, source="example")
        elif name in parameters:
            imports = scope.imports_for([node])
            if imports is None or not is_reproducible(source):
                found.problems[key] = _unusable(node, scope, facts)
            else:
                found.values[name] = Candidate(ast.unparse(node.value), imports, origin="example")
    return found


def _statement(source: str) -> ast.Expr | None:
    tree = parse_or_none(source)
    node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return node if isinstance(node, ast.Expr) else None


def _unusable(node: ast.Expr, scope: NameScope, facts: ModuleFacts) -> str:
    unknown = [name for name in scope.free([node]) if scope.statement_for(name) is None]
    if unknown:
        return f"{facts.module} neither defines nor imports {', '.join(unknown)}"
    return "it cannot be repeated as it stands"


def given_trials(examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex) -> Iterator[Trial]:
    """Yields a trial for each example that calls something of this module."""
    yield from read_examples(examples, facts, index).calls.values()


def add_given_values(
    known: dict[tuple[str, str], list[Candidate]], examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex
) -> None:
    """Puts the examples of parameter names first among the known values of this module's parameters of that name."""
    for name, value in read_examples(examples, facts, index).values.items():
        for item in facts.callables():
            if any(parameter.name == name for parameter in item.parameters):
                known.setdefault((item.qualname, name), []).insert(0, value)


class ExampleRecord:
    """What became of the examples of the settings while one module is explored."""

    def __init__(self, examples: GivenExamples, facts: ModuleFacts, index: ProjectIndex) -> None:
        self._examples = examples
        self._given = read_examples(examples, facts, index) if examples else GivenValues()
        self._calls = {(trial.act, trial.arrange): key for key, trial in self._given.calls.items()}
        self._values = {name: _form(value.source) for name, value in self._given.values.items()}
        self._parameters: dict[str, list[list[str]]] = {}
        for item in facts.callables():
            called = item.qualname if item.kind == "constructor" else item.name
            self._parameters.setdefault(called, []).append([one.name for one in item.parameters])
        self._failed: dict[str, str] = {}
        self._worked: set[str] = set()

    def observe(self, trial: Trial, observation: Observation) -> None:
        """Learns from a trial whether the examples that it is made of work."""
        if not self._examples or trial.source != "example":
            return
        call = self._calls.get((trial.act, trial.arrange))
        passed = set(self._passed(trial)) if call is None else set()
        used = [name for name, value in self._values.items() if (name, value) in passed]
        for key in [call] if call is not None else used:
            if observation.outcome == "returned":
                self._worked.add(key)
            else:
                self._failed.setdefault(key, _ending(observation))

    def _passed(self, trial: Trial) -> Iterator[tuple[str, str]]:
        """Yields parameters with the forms of what the calls of a trial pass for them."""
        tree = parse_or_none("\n".join((*trial.arrange, trial.act)))
        nodes = list(ast.walk(tree)) if tree is not None else []
        bound = {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in nodes:
            for names in self._parameters.get(last_name(node.func), ()) if isinstance(node, ast.Call) else ():
                assert isinstance(node, ast.Call)
                given = [*zip(names, node.args, strict=False), *((one.arg or "", one.value) for one in node.keywords)]
                for name, value in given:
                    value = bound.get(value.id, value) if isinstance(value, ast.Name) else value
                    yield name, ast.dump(value)

    def notes(self) -> list[str]:
        """Returns a note for each example that does not work; of a value, where no call with it returns."""
        failed = {key: reason for key, reason in self._failed.items() if key not in self._worked}
        failed = {key: reason if ":" in key else f"no call with it returns, {reason}" for key, reason in failed.items()}
        return [example_note(key, reason) for key, reason in sorted({**failed, **self._given.problems}.items())]


def _form(source: str) -> str:
    """An expression in a form that spacing and quotes make no difference in."""
    node = expression_or_none(source)
    return ast.dump(node) if node is not None else source


def _ending(observation: Observation) -> str:
    raised = observation.raised
    if raised is None:
        return f"it {observation.outcome.replace('_', ' ')}"
    message = " ".join(raised.message.split())[:200]
    return f"it raises {raised.type_name}: {message}".rstrip(": .")
