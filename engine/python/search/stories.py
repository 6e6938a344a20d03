"""Generates call sequences ("stories") on container-like objects: fill them, touch an item, then read or remove.

Eviction order and expiry only show when several items were put in and one of them was used again. Later calls therefore
use the keys of the first ones. Where the class takes a clock, the test moves it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_source import parse_expression
from ..facts.type_inference import name_entry
from ..inputs.calls import CallForm, Row, member_form, variable_for
from ..inputs.receivers import Receiver, changes_state
from ..model.model import CallableFacts, Candidate, ClassFacts, Parameter, Trial
from .initial_trials import ProposalContext, is_public_name, receiver_trial, trial_key

_FILLING = re.compile(r"__setitem__|(add|set|put|push|insert|append|register|enqueue|store|save|write|record)(_.*)?")
_COPYING = {
    "__copy__": ("copy.copy({})", "import copy"),
    "__setstate__": ("pickle.loads(pickle.dumps({}))", "import pickle"),
}
_TAKING = re.compile(r"(pop|remove|take|dequeue|drain|clear|expire|flush|reset|discard)(_.*|item|left)?")
_EMPTYING = frozenset({"clear", "reset", "flush"})
_KEYS = ("1", "2", "3", "4")
_VALUES = ("2", "1", "1", "1")
_FILLED = 3
_MOST = 160
_TIMES = 2
_NUMBERS = (3, 5, 8)
_NOW = "now"


@dataclass(frozen=True, slots=True)
class Story:
    """A trial and the methods of the class that it calls."""

    trial: Trial
    members: frozenset[str]


def stories_of(context: ProposalContext, owner: ClassFacts) -> list[Story]:
    """Returns the stories of a class that has a method to fill it; none for other classes."""
    builder = _StoryBuilder(context, owner)
    if builder.filler is None or owner.name.startswith("_") or owner.kind in ("abstract", "protocol", "enum"):
        return []
    found = {trial_key(story.trial): story for story in builder.build()}
    return list(found.values())[:_MOST]


class _StoryBuilder:
    def __init__(self, context: ProposalContext, owner: ClassFacts) -> None:
        self._context = context
        self._owner = owner
        self._variable = variable_for(owner.name)
        self._members: dict[str, CallableFacts] = {}
        for where, one in context.index.lineage(context.facts, owner):
            for member in one.members:
                if where is context.facts and is_public_name(member.name) and not member.is_async:
                    own = replace(member, qualname=f"{owner.name}.{member.name}", owner=owner.name)
                    self._members.setdefault(member.name, own)
        fillers = [one for one in self._members.values() if _FILLING.fullmatch(one.name) and _required(one)]
        self.filler = next((item for item in fillers if changes_state(item) or item.name == "__setitem__"), None)

    def build(self) -> Iterator[Story]:
        """Generates stories of a filled object, touched and untouched, then of copies, then with a moving clock."""
        for construction in self._constructions()[-1:]:
            filled = self._fill(_FILLED)
            for ask in dict.fromkeys((*self._state_readers(), *self._without_arguments())):
                yield from self._story(construction, filled, ask, None)
                yield from self._story(construction, [*filled, *self._touch(self.filler)], ask, None)
            for ask in self._state_readers():
                for touch in self._members.values():
                    steps = self._touch(touch)
                    if steps:
                        yield from self._story(construction, [*filled, *steps], ask, touch)
            yield from self._copied(construction)
        yield from self._timed()

    def _constructions(self) -> list[Candidate]:
        """Returns the first construction that real code uses and the plainest one, with small numbers as arguments."""
        made = [one for one in self._context.values.of_class(self._context.facts, self._owner) if self._lives(one)]
        used = self._context.values.built.get(self._owner.name, [])
        found = [*[one for one in used if one in made][:1], *[one for one in made if one not in used][:1]]
        return [replace(one, source=_with_small_numbers(one.source)) for one in found]

    def _lives(self, made: Candidate) -> bool:
        """Whether the construction is not known to fail."""
        return not self._context.learned.is_dead(Trial("", "", arrange=(f"{self._variable} = {made.source}",)))

    def _copied(self, made: Candidate) -> Iterator[Story]:
        for name, (copying, needed) in _COPYING.items():
            lineage = self._context.index.lineage(self._context.facts, self._owner)
            if any(member.name == name for _, class_ in lineage for member in class_.members):
                other = f"copied_{self._variable}"
                steps = [*self._fill(_FILLED), f"{other} = {copying.format(self._variable)}"]
                for ask in self._state_readers():
                    yield from self._story(replace(made, imports=(*made.imports, needed)), steps, ask, None, other)

    def _timed(self) -> Iterator[Story]:
        """Generates stories of an object whose clock the test moves to the numbers in its construction."""
        constructor = self._context.index.constructor(self._context.facts, self._owner)
        parameters = constructor.parameters if constructor else ()
        clock = next((item for item in parameters if (name_entry(item.name) or ("",))[0] == "Clock"), None)
        if constructor is None or clock is None:
            return
        for made in self._constructions():
            inner = made.source.partition("(")[2].removesuffix(")")
            # Replace a constant clock by one that the test can move.
            inner = re.sub(rf"(?:, |^){clock.name}=lambda: \d+", "", inner).removeprefix(", ")
            given = ", ".join(part for part in (inner, f"{clock.name}=lambda: {_NOW}[0]") if part)
            if f"{clock.name}=" in inner:
                continue
            timed = replace(made, source=f"{self._owner.name}({given})", arrange=(*made.arrange, f"{_NOW} = [0]"))
            numbers = {int(text) for text in re.findall(r"(?<![\w.'\"])\d{1,4}(?![\w.'\"])", inner)}
            times = sorted(numbers or {1}, reverse=True)
            first, *others = self._fill(2)
            for ask in self._members.values():
                for time in times[:_TIMES]:
                    move = f"{_NOW}[0] = {time}"
                    yield from self._story(timed, [first, move, *others], ask, None)
                    yield from self._story(timed, [first, *others, move], ask, None)

    def _story(
        self, made: Candidate, steps: Sequence[str], ask: CallableFacts, touch: CallableFacts | None, asked: str = ""
    ) -> Iterator[Story]:
        again = touch is not None and touch.name in _EMPTYING
        row = self._row(ask, _FILLED if ask is self.filler and not again else 0)
        form = member_form(ask, asked or self._variable, row) if row is not None else None
        if row is None or form is None:
            return
        arrange = (*made.arrange, f"{self._variable} = {made.source}", *steps)
        receiver = Receiver(self._variable, arrange, made.imports, made.fixtures, changes=len(steps))
        trial = receiver_trial(self._context, ask, receiver, form, row)
        members = {one.name for one in (self.filler, ask, touch) if one is not None}
        yield Story(trial, frozenset(members))

    def _fill(self, count: int) -> list[str]:
        assert self.filler is not None
        found = [self._statement(self.filler, self._row(self.filler, at)) for at in range(count)]
        return [one for one in found if one is not None]

    def _touch(self, touch: CallableFacts | None) -> list[str]:
        text = self._statement(touch, self._row(touch, 0)) if touch is not None else None
        return [text] if text is not None else []

    def _state_readers(self) -> list[CallableFacts]:
        """Returns members that show the state: adding an item, removing one, iterating."""
        taking = [argument for argument in self._without_arguments() if _TAKING.fullmatch(argument.name)]
        going = [argument for argument in self._without_arguments() if argument.name in ("__iter__", "__reversed__")]
        assert self.filler is not None
        return [self.filler, *taking, *going]

    def _without_arguments(self) -> list[CallableFacts]:
        """Returns methods without required parameters."""
        return [member for member in self._members.values() if member.kind == "method" and not _required(member)]

    def _row(self, one: CallableFacts, at: int) -> Row | None:
        """Returns the arguments for item number `at`: its key, then its value; None where there are none."""
        row: list[tuple[Parameter, Candidate]] = []
        for place, parameter in enumerate(_required(one)):
            source = (_KEYS, _VALUES)[min(place, 1)][at]
            if parameter.annotation or parameter.kind == "keyword_only":
                pool = self._context.values.for_parameter(one, parameter)
                if not pool:
                    return None
                row.append((parameter, pool[at % len(pool) if not place else 0]))
            else:
                row.append((parameter, Candidate(source)))
        return tuple(row)

    def _statement(self, member: CallableFacts, row: Row | None) -> str | None:
        if row is None or member.kind != "method":
            return None
        sources = [value.source for _, value in row]
        if member.name == "__setitem__" and len(sources) == 2:
            return f"{self._variable}[{sources[0]}] = {sources[1]}"
        if member.name == "__delitem__" and len(sources) == 1:
            return f"del {self._variable}[{sources[0]}]"
        form: CallForm | None = member_form(member, self._variable, row)
        return form.act if form is not None and form.mode == "call" else None


def _with_small_numbers(source: str) -> str:
    """Replaces a construction's numbers by 3, 5 and 8, so that capacity and expiry are reached within a few steps."""
    call = parse_expression(source)
    if not isinstance(call, ast.Call):
        return source
    small = iter(_NUMBERS)
    values = [*call.args, *(one.value for one in call.keywords)]
    for value in values:
        number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
        if number or ast.unparse(value) in ("math.inf", "float('inf')"):
            chosen = ast.Constant(next(small, 1))
            call.args = [chosen if arg is value else arg for arg in call.args]
            for keyword in call.keywords:
                keyword.value = chosen if keyword.value is value else keyword.value
    return ast.unparse(call)


def _required(one: CallableFacts) -> list[Parameter]:
    """Returns the parameters that a story passes: the required ones, else the variadic one."""
    found = [item for item in one.parameters if item.required and item.kind not in ("var_positional", "var_keyword")]
    spread = [item for item in one.parameters if item.kind == "var_positional"]
    return found or spread[:1]
