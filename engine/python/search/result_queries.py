"""Proposes questions that show what was kept: to an object that a call returned, to a new object on the same file."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ....utils.python_source import expression_or_none, literal_or, parse_python
from ..inputs.calls import variable_for
from ..inputs.receivers import changes_state
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Trial, Value
from ..source.literals import literal_places
from ..source.shown_calls import is_same_call
from .initial_trials import ProposalContext, is_public_name
from .story_steps import required_parameters

_MOST_PER_CALLABLE = 12
_MOST_KEYS = 2
_MOST_COMMANDS = 3
_BUILT_IN = {"__len__": "len({})", "__iter__": "list({})"}
_TYPES = {"str": str, "int": int}


class ResultQueries:
    """Asks objects of the project's classes for what they hold: `store.stock().pieces("apple")`.

    Args:
        context: finds the classes of other modules.
    """

    def __init__(self, context: ProposalContext) -> None:
        self._context = context
        self._asked: Counter[str] = Counter()

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the trial with questions to its result in place of the result; none where a test shows it whole.

        A result that is written as the call that made it shows nothing: it is asked for its items.
        """
        value = observation.value
        if observation.outcome != "returned" or value is None or trial.mode != "call":
            return []
        if value.source is not None:
            return self._items_of(trial, value)
        if any(item.source for _, item in value.attributes) or trial.act.startswith(("repr(", "lambda")):
            return []
        owner = self._class_of(value.type_name)
        if owner is None or owner.name == trial.subject or self._asked[trial.subject] >= _MOST_PER_CALLABLE:
            return []
        asked = replace(trial, act=_as_operand(trial.act))
        acts = [act for member in owner.members for act in self._questions(member, asked)]
        # That it has items says less than what they are.
        acts = acts or [act for member in owner.members for act in _as_container(member, asked)]
        found = [replace(trial, act=act, looks=(), asks=(), wanted=None, wanted_line=0) for act in acts]
        self._asked[trial.subject] += len(found)
        return found

    def _items_of(self, trial: Trial, value: Value) -> list[Trial]:
        source = value.source or ""
        if not source.endswith(")") or self._asked[trial.subject] >= _MOST_PER_CALLABLE:
            return []
        owner = self._class_of(value.type_name)
        # What a class makes of its arguments is asked of its own `__iter__`.
        if owner is None or owner.name == trial.subject or all(one.name != "__iter__" for one in owner.members):
            return []
        subject = next((one for one in self._context.facts.callables() if one.qualname == trial.subject), None)
        if not is_same_call(trial.act, source, subject):
            return []
        self._asked[trial.subject] += 1
        return [replace(trial, mode="iterate", looks=(), asks=(), wanted=None, wanted_line=0)]

    def _class_of(self, type_name: str) -> ClassFacts | None:
        module, _, name = type_name.rpartition(".")
        own = self._context.facts
        home = own if module == own.module else self._context.index.facts_of(module)
        return next((one for one in home.classes if one.name == name), None) if home is not None else None

    def _questions(self, member: CallableFacts, trial: Trial) -> Iterator[str]:
        if member.is_async or changes_state(member):
            return
        required = required_parameters(member)
        if not is_public_name(member.name) or member.name.startswith("__"):
            return
        elif member.kind == "property":
            yield f"{trial.act}.{member.name}"
        elif member.kind == "method" and not required and member.returns != "None":
            yield f"{trial.act}.{member.name}()"
        elif member.kind == "method" and len(required) == 1:
            keys = _keys(trial, required[0].annotation or "str")
            yield from (f"{trial.act}.{member.name}({key})" for key in keys)


def _as_operand(act: str) -> str:
    """The act as something that a method is called on: `(bag + other)`."""
    plain = isinstance(expression_or_none(act), ast.Call | ast.Attribute | ast.Subscript | ast.Name)
    return act if plain else f"({act})"


class ReopenedFiles:
    """Asks a new object on the same file, after a `with` block has closed the one that wrote it.

    Args:
        facts: the target module, whose context managers are used so.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._managers = {
            variable_for(owner.name): owner.name
            for owner in facts.classes
            if any(member.name == "__exit__" for member in owner.members)
        }
        self._of_new: dict[tuple[str, str], str] = {}

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the trial with its commands in a `with` block, where the answer is not that of a new object."""
        answer = observation.value.source if observation.value is not None else None
        built = next((text for text in trial.arrange if "tmp_path / " in text), "")
        variable, _, made = built.partition(" = ")
        if answer is None or not made.startswith(f"{self._managers.get(variable)}("):
            return []
        statements = [text for text in trial.arrange if text != built and not text.startswith("request.")]
        commands = [text for text in statements if text.startswith((f"{variable}.", f"{variable}["))]
        if not commands:
            self._of_new.setdefault((built, trial.act), answer)
        if not 0 < len(commands) <= _MOST_COMMANDS or self._of_new.get((built, trial.act), answer) == answer:
            return []
        before = [text for text in statements if text not in commands]
        block = "\n    ".join((f"with {made} as {variable}:", *commands))
        return [replace(trial, arrange=(*before, block, built), looks=(), asks=(), wanted=None, wanted_line=0)]


def _as_container(member: CallableFacts, trial: Trial) -> Iterator[str]:
    if member.name in _BUILT_IN:
        yield _BUILT_IN[member.name].format(trial.act)
    if member.name == "__contains__":
        yield from (f"{key} in {trial.act}" for key in _keys(trial, "str"))


def _keys(trial: Trial, annotation: str) -> list[str]:
    """What an earlier statement put in, of the type that is asked for; the last ones first."""
    wanted = _TYPES.get(annotation)
    if wanted is None:
        return []
    found = [
        place.source
        for place in literal_places(trial)
        if type(place.value) is wanted and not _names_file(trial, place.statement, place.source)
    ]
    return list(dict.fromkeys(found))[:_MOST_KEYS]


def _names_file(trial: Trial, statement: int, source: str) -> bool:
    text = (*trial.arrange, trial.act)[statement]
    return isinstance(literal_or(source, None), str) and f"tmp_path / {source}" in ast.unparse(parse_python(text))
