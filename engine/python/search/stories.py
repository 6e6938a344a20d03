"""Generates call sequences ("stories") on container-like objects: fill them, touch an item, then read or remove.

Eviction order and expiry only show when several items were put in and one of them was used again. Later calls therefore
use the keys of the first ones. Sizes are reached from both sides: a size parameter is set small, and a loop fills past
the numbers that the class compares with. Where the class takes a clock, the test moves it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_source import literal_or, parse_expression
from ..facts.type_inference import name_entry
from ..inputs.calls import CallForm, Row, member_form, variable_for
from ..inputs.receivers import Receiver
from ..inputs.shared_keys import keys_in, takes_key
from ..model.model import CallableFacts, Candidate, ClassFacts, Parameter, Trial
from .initial_trials import ProposalContext, is_public_name, receiver_trial, trial_key
from .story_steps import (
    EMPTYING,
    filler_of,
    flags_of,
    inherited_alike,
    is_number,
    is_size,
    required_parameters,
    shown_first,
    shown_rows,
    switched,
    takes_anything,
    with_small_numbers,
)

_COPYING = {
    "__copy__": ("copy.copy({})", "import copy"),
    "__setstate__": ("pickle.loads(pickle.dumps({}))", "import pickle"),
}
_TAKING = re.compile(r"(pop|remove|delete|take|dequeue|drain|clear|expire|flush|reset|discard)(_.*|item|left)?")
_KEYED = re.compile(
    r"(get|pop|del|delete|remove|discard|take|find|search|lookup|look_up|contains|has|index|count|peek|update|touch)"
    r"(_.*)?|__(getitem|delitem|contains)__"
)
_KEY_NAMES = frozenset({"key", "name", "item", "index"})
_KEYS = ("1", "2", "3", "4")
_VALUES = ("10", "20", "30", "40")
# Alone, without a key: neither sorted nor reversed.
_ITEMS = ("3", "1", "2", "4")
_ABSENT = "9"
_FILLED = 3
_MANY = 12
_MOST_MANY = 64
_MOST = 160
_TIMES = 2
_NOW = "now"


@dataclass(frozen=True, slots=True)
class Story:
    """A trial and the methods of the class that it calls.

    Attributes:
        plain: whether it shows what the class is for; the others wait for a mutant that no trial has noticed.
    """

    trial: Trial
    members: frozenset[str]
    plain: bool = False


def stories_of(context: ProposalContext, owner: ClassFacts) -> list[Story]:
    """Returns the stories of a class that has a method to fill it; none for other classes."""
    builder = _StoryBuilder(context, owner)
    if builder.filler is None or owner.name.startswith("_") or owner.kind in ("abstract", "protocol", "enum"):
        return []
    found: dict[tuple[str, ...], Story] = {}
    for story in builder.build():
        found.setdefault(trial_key(story.trial), story)  # the plain ones come first
    return list(found.values())[:_MOST]


def registered_queries(context: ProposalContext, owner: ClassFacts, step: Candidate) -> Iterator[Trial]:
    """Generates calls of an object's members without required parameters, after something was registered with it."""
    made = next(iter(context.values.of_class(context.facts, owner)), None)
    if made is not None:
        variable = variable_for(owner.name)
        arrange = (*made.arrange, f"{variable} = {made.source}", *step.arrange, step.source)
        imports, fixtures = {*made.imports, *step.imports}, {*made.fixtures, *step.fixtures}
        yield from _queries_of(context, owner, arrange, imports, fixtures)


def module_queries(context: ProposalContext, owner: ClassFacts, step: Candidate) -> Iterator[Trial]:
    """Generates calls of functions that work on a public object of the module, with an object of the test in its place.

    The object has something registered with it, and `monkeypatch` puts the module's own back after the test.
    """
    facts, variable = context.facts, variable_for(owner.name)
    shared = [name for name, source in facts.constants if source.startswith(f"{owner.name}(") and is_public_name(name)]
    made = next(iter(context.values.of_class(facts, owner)), None)
    if made is None:
        return
    for name in shared:
        staged = f"monkeypatch.setattr('{facts.module}.{name}', {variable})"
        arrange = (*made.arrange, f"{variable} = {made.source}", *step.arrange, step.source, staged)
        fixtures = tuple(sorted({*made.fixtures, *step.fixtures, "monkeypatch"}))
        for function in facts.functions:
            uses = any(called.startswith(f"{name}.") for called in function.calls)
            if not uses or required_parameters(function) or not is_public_name(function.name) or function.is_async:
                continue
            imports = {*made.imports, *step.imports, f"from {facts.module} import {function.name}"}
            yield Trial(
                subject=function.qualname,
                act=f"{function.name}()",
                imports=tuple(sorted(imports)),
                arrange=arrange,
                source="sequence",
                fixtures=fixtures,
            )


def returned_queries(context: ProposalContext, owner: ClassFacts, made: Candidate) -> Iterator[Trial]:
    """Generates calls of members without required parameters of an object that a call on another object returned."""
    if ".__" in made.source:
        return  # nobody builds an object by calling a special method by its name
    arrange = (*made.arrange, f"{variable_for(owner.name)} = {made.source}")
    yield from _queries_of(context, owner, arrange, {*made.imports}, {*made.fixtures})


def _queries_of(
    context: ProposalContext, owner: ClassFacts, arrange: tuple[str, ...], imports: set[str], fixtures: set[str]
) -> Iterator[Trial]:
    variable = variable_for(owner.name)
    receiver = Receiver(variable, arrange, tuple(sorted(imports)), tuple(sorted(fixtures)), changes=1)
    for member in owner.members:
        asked = member.kind in ("method", "property") and is_public_name(member.name) and not member.is_async
        form = (
            member_form(member, variable, ())
            if asked and (member.kind == "property" or not required_parameters(member))
            else None
        )
        if form is not None:
            yield receiver_trial(context, member, receiver, form, ())


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
        self._inherited = inherited_alike(context.index, context.facts, owner)
        self.filler = filler_of(context.index, context.facts, owner, self._members)
        self._shown = shown_rows(self.filler, context.seeds, _FILLED) if self.filler is not None else []
        # What the object is built with holds these.
        self._keys = keys_in(made.source for made in self._constructions()[:1])

    def build(self) -> Iterator[Story]:
        """Generates stories of a filled object, touched and untouched, then of copies, then with a moving clock."""
        for story in (*self._queried(), *self._sized()):
            yield replace(story, plain=True)
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

    def _queried(self) -> Iterator[Story]:
        """Generates stories that ask a filled object about an item that is there and one that is not, and empty it."""
        for made in self._constructions()[:1]:
            filled = self._fill(_FILLED)
            for ask in self._queries():
                for option in (None, *flags_of(ask)):
                    yield from self._story(made, filled, ask, None, option=option)
            for ask in self._keyed():
                for option in (None, *flags_of(ask)):
                    yield from self._story(made, filled, ask, None, at=1, option=option)
                yield from self._story(made, filled, ask, None, at=_FILLED)
                again = self._statement(ask, self._row(ask, 1))
                if again is not None:  # the second time may be another answer
                    yield from self._story(made, [*filled, again], ask, None, at=1)
            for taking in self._members.values():
                items = range(len(filled) or _FILLED)
                taken = [text for at in items if (text := self._taking(taking, at)) is not None]
                for ask in self._queries() if taken else ():
                    yield from self._story(made, [*filled, *taken[:1]], ask, taking)
                    yield from self._story(made, [*filled, *taken], ask, taking)
                for ask in self._keyed() if taken else ():
                    yield from self._story(made, [*filled, *taken[:1]], ask, taking)

    def _sized(self) -> Iterator[Story]:
        """Generates stories of a small object that is full, and of one that a loop has filled past every threshold."""
        assert self.filler is not None
        asks = [*self._keyed(), *self._queries()]
        for made in self._small_constructions():
            full = self._fill(_FILLED)
            yield from self._story(made, full, self.filler, None, at=_FILLED)
            for ask in asks:
                yield from self._story(made, full, ask, None, at=1)
                yield from self._story(made, full, ask, None, at=_FILLED)
        loop = self._loop()
        for made in self._constructions()[:1] if loop else ():
            for ask in (*asks, self.filler):
                yield from self._story(made, loop, ask, None, at=1)

    def _small_constructions(self) -> Iterator[Candidate]:
        """Generates constructions whose optional size parameter is as small as the number of items put in."""
        constructor = self._context.index.constructor(self._context.facts, self._owner)
        for parameter in constructor.parameters if constructor is not None else ():
            default = parse_expression(parameter.default or "None")
            number = isinstance(default, ast.Constant) and type(default.value) in (int, type(None))
            if parameter.required or not number or not is_size(parameter.name) or not parameter.default:
                continue
            for made in self._constructions()[:1]:
                call = parse_expression(made.source)
                if isinstance(call, ast.Call) and all(given.arg != parameter.name for given in call.keywords):
                    call.keywords.append(ast.keyword(parameter.name, ast.Constant(_FILLED)))
                    yield replace(made, source=ast.unparse(call))

    def _loop(self) -> list[str]:
        """Returns a loop that fills the object past the largest small number of the class; none for typed items."""
        assert self.filler is not None
        required = required_parameters(self.filler)
        if len(required) > 2 or any(not takes_anything(one) or one.kind == "keyword_only" for one in required):
            return []
        numbers = [literal_or(text, None) for member in self._members.values() for text in member.constants]
        sizes = [number for number in numbers if type(number) is int and _MANY <= number < _MOST_MANY]
        count = max([_MANY, *(number + 1 for number in sizes)])
        row = tuple((one, Candidate("number * 10" if place else "number")) for place, one in enumerate(required))
        statement = self._statement(self.filler, row)
        return [f"for number in range({count}):\n    {statement}"] if statement is not None and row else []

    def _keyed(self) -> list[CallableFacts]:
        """Returns members that ask or remove by one key."""
        found: list[CallableFacts] = []
        for one in self._members.values():
            required = required_parameters(one)
            if one.kind != "method" or len(required) != 1 or one is self.filler:
                continue
            if _KEYED.fullmatch(one.name) or required[0].name in _KEY_NAMES or is_number(required[0]):
                found.append(one)
        return found

    def _queries(self) -> list[CallableFacts]:
        """Returns members that tell something about the object and need no argument."""
        plain = [*self._without_arguments(), *(one for one in self._members.values() if one.kind == "property")]
        return [one for one in plain if one is not self.filler and one.name not in _COPYING]

    def _taking(self, member: CallableFacts, at: int) -> str | None:
        """Returns a statement that takes item number `at` out again; None for members of another kind."""
        if member is self.filler or not (_TAKING.fullmatch(member.name) or member.name == "__delitem__"):
            return None
        return self._statement(member, self._row(member, at)) if len(required_parameters(member)) <= 1 else None

    def _constructions(self) -> list[Candidate]:
        """Returns the first construction that real code uses and a plain one, with small numbers as arguments."""
        made = [one for one in self._context.values.of_class(self._context.facts, self._owner) if self._lives(one)]
        used = self._context.values.built.get(self._owner.name, [])
        # An object that a story fills begins empty, where it may.
        unused = sorted((one for one in made if one not in used), key=lambda one: not one.source.endswith("()"))
        found = [*[one for one in used if one in made][:1], *unused[:1]]
        return [replace(one, source=with_small_numbers(one.source)) for one in found]

    def _lives(self, made: Candidate) -> bool:
        """Whether the construction is not known to fail."""
        return not self._context.learned.is_dead((f"{self._variable} = {made.source}",))

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
        self,
        made: Candidate,
        steps: Sequence[str],
        ask: CallableFacts,
        touch: CallableFacts | None,
        asked: str = "",
        at: int = 0,
        option: Parameter | None = None,
    ) -> Iterator[Story]:
        """Generates the story that asks one thing in the end, if its arguments are known.

        Args:
            made: the construction. steps: what is done with the object before. touch: the method that a step calls.
            asked: the variable that is asked, if not the object's own. at: number of the item that is asked about.
            option: a flag that is given the other value than its default.
        """
        again = touch is not None and touch.name in EMPTYING
        row = self._row(ask, _FILLED if ask is self.filler and not again else at)
        if row is not None and option is not None:
            row = (*row, (option, Candidate(switched(option))))
        form = member_form(ask, asked or self._variable, row) if row is not None else None
        if row is None or form is None or ask.name in self._inherited:
            return
        arrange = (*made.arrange, f"{self._variable} = {made.source}", *steps)
        receiver = Receiver(self._variable, arrange, made.imports, made.fixtures, changes=len(steps))
        trial = receiver_trial(self._context, ask, receiver, form, row)
        members = {one.name for one in (self.filler, ask, touch) if one is not None}
        yield Story(trial, frozenset(members))

    def _fill(self, count: int) -> list[str]:
        assert self.filler is not None
        # What an object knows by some keys takes no others.
        count = min(count, len(self._keys) or count)
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
        return [
            member for member in self._members.values() if member.kind == "method" and not required_parameters(member)
        ]

    def _row(self, one: CallableFacts, at: int) -> Row | None:
        """Returns the arguments for item number `at`: its key, then its value; None where there are none."""
        if one is self.filler and at < len(self._shown):
            return self._shown[at]
        row: list[tuple[Parameter, Candidate]] = []
        alone = self.filler is not None and len(required_parameters(self.filler)) == 1
        for place, parameter in enumerate(required_parameters(one)):
            source = (_ITEMS if alone else _KEYS, _VALUES)[min(place, 1)][at]
            if not place and at < len(self._shown):
                source = self._shown[at][0][1].source
            if at == _FILLED and one is not self.filler:
                source = _ABSENT
            if self._keys and not place and takes_key(parameter) and at != _FILLED:
                row.append((parameter, Candidate(self._keys[at % len(self._keys)])))
            elif is_number(parameter) and one is not self.filler:
                row.append((parameter, Candidate(_ABSENT if at == _FILLED else str(at + 1))))
            elif not takes_anything(parameter) or parameter.kind == "keyword_only":
                pool = shown_first(self._context.values.for_parameter(one, parameter))
                if not pool:
                    return None
                row.append((parameter, pool[at % len(pool)]))
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
