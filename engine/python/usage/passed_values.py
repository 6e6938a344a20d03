"""Makes usage of what examples of a package passed to the functions and methods of one of its modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ....utils.names.case_names import snake_case
from ....utils.python_source import expression_or_none, literal_or
from ..model.model import CallableFacts, ModuleFacts, Parameter, Trial, Value
from ..model.observation_json import ObservedTrial, RecordedCall
from .harvest import candidate_of, imports_by_name
from .usage import ProjectUsage

_MOST_EACH = 8
_LONGEST_CALL = 240
_FIRST = re.compile(r"[^;\n]{8,}?(?:;|\n)(?=\s*\S)")


def with_passed_values(
    usage: ProjectUsage, facts: ModuleFacts, observed: Iterable[tuple[Trial, ObservedTrial]]
) -> ProjectUsage:
    """Returns the usage with the calls that examples made: those of functions and classes run on their own, those of
    methods and those that got what cannot be written say what the other arguments are.

    Args:
        observed: the examples, which record, and what became of them.
    """
    found: dict[tuple[str, bool], Trial] = {}
    counts: Counter[str] = Counter()
    for example, seen in observed:
        for call in seen.passed:
            target = _target(call, facts)
            if target is None or counts[target.qualname] >= _MOST_EACH:
                continue
            counts[target.qualname] += 1
            for one in (call, *_shorter(call)):
                writer = _CallWriter(one, target, facts, imports_by_name(example))
                trial = writer.trial()
                if trial is not None:
                    found.setdefault((trial.act, writer.runs), trial)
    known = {one.act for one in usage.trials if not one.arrange}
    alone = [trial for (act, runs), trial in found.items() if runs and act not in known]
    partial = [trial for (_, runs), trial in found.items() if not runs]
    return replace(usage, trials=(*usage.trials, *alone), calls=(*usage.calls, *partial))


def _target(call: RecordedCall, facts: ModuleFacts) -> CallableFacts | None:
    """The callable that was called: the one of its name whose definition begins where it does."""
    found = [
        one
        for one in facts.callables()
        if ("__init__" if one.kind == "constructor" else one.name) == call.name and call.line == one.lines[0]
    ]
    return found[0] if found else None


def _shorter(call: RecordedCall) -> Iterator[RecordedCall]:
    """Generates the call with the first statement or line of a text in place of all: what comes out can be read."""
    for at, (name, value) in enumerate(call.arguments):
        text = literal_or(value.source, None) if value.source is not None else None
        first = _FIRST.match(text) if isinstance(text, str) else None
        if first is not None and first[0] != text:
            shorter = (name, replace(value, source=repr(first[0])))
            yield replace(call, arguments=(*call.arguments[:at], shorter, *call.arguments[at + 1 :]))
            return


class _CallWriter:
    """Writes a recorded call as it could stand in a test.

    Attributes:
        runs: whether the last trial runs on its own.
    """

    def __init__(
        self, call: RecordedCall, target: CallableFacts, facts: ModuleFacts, imports: Mapping[str, str]
    ) -> None:
        self._given = dict(call.arguments)
        self._target = target
        self._facts = facts
        self._imports = imports
        self._needed: set[str] = set()
        self._written = 0
        self.runs = True

    def trial(self) -> Trial | None:
        """The call as a trial; None where nothing that was passed can be written."""
        arguments = list(self._arguments())
        owner, name = self._target.owner, self._target.name
        if owner is None or self._target.kind in ("constructor", "classmethod", "staticmethod"):
            self._needed.add(f"from {self._facts.module} import {owner or name}")
            called = owner if owner and self._target.kind == "constructor" else f"{owner}.{name}" if owner else name
        else:
            self.runs = False
            called = f"{snake_case(owner)}.{name}"
        act = f"{called}({', '.join(arguments)})"
        if not self._written or len(act) > _LONGEST_CALL or expression_or_none(act) is None:
            return None
        imports = tuple(sorted(self._needed))
        return Trial(subject=self._target.qualname, act=act, imports=imports, source="call_site")

    def _arguments(self) -> Iterator[str]:
        """Generates the arguments, without those that are the parameter's default."""
        by_position = True
        for parameter in self._target.parameters:
            if self._target.owner is not None and parameter.name in ("self", "cls"):
                continue
            if parameter.kind in ("var_positional", "var_keyword"):
                yield from self._starred(parameter, by_position)
                continue
            value = self._given.get(parameter.name)
            source = self._source(value)
            # What stands before a positional-only argument cannot be left out.
            if source is not None and _is_default(source, parameter) and parameter.kind != "positional_only":
                by_position = False
                continue
            self._written += source is not None
            self.runs = self.runs and source is not None
            text = source if source is not None else f"{parameter.name}_variable"
            by_position = by_position and parameter.is_positional
            yield text if by_position else f"{parameter.name}={text}"

    def _starred(self, parameter: Parameter, by_position: bool) -> Iterator[str]:
        """Generates what a star took: a tuple's items, or a dictionary's items by their names."""
        star = "*" if parameter.kind == "var_positional" else "**"
        value = self._given.get(f"{star}{parameter.name}")
        if value is None:
            return
        source = self._source(value)
        node = expression_or_none(source) if source is not None else None
        if isinstance(node, ast.Tuple) and by_position:
            self._written += len(node.elts)
            yield from map(ast.unparse, node.elts)
        elif isinstance(node, ast.Dict):
            for key, item in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and str(key.value).isidentifier():
                    self._written += 1
                    yield f"{key.value}={ast.unparse(item)}"
        else:
            self.runs = False

    def _source(self, value: Value | None) -> str | None:
        """The source of a value all of whose names an import binds; notes the imports that it needs."""
        node = expression_or_none(value.source) if value is not None and value.source is not None else None
        if value is None or node is None:
            return None
        bound = {**self._imports, **imports_by_name(Trial("", "", imports=value.imports))}
        candidate = candidate_of(node, bound, "call_site")
        self._needed.update(candidate.imports if candidate is not None else ())
        return candidate.source if candidate is not None else None


def _is_default(source: str, parameter: Parameter) -> bool:
    default = expression_or_none(parameter.default) if parameter.default is not None else None
    given = expression_or_none(source)
    return default is not None and given is not None and ast.dump(default) == ast.dump(given)
