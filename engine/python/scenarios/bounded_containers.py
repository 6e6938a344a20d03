"""Shows what bounded containers drop: of two places, filled with three items, and with a read in between.

Which item goes is what such a class is for: the oldest, or the one that was not used since. A further item is put in as
the act, so that its test asserts what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ....utils.python_source import literal_or
from ..facts.lineage import bases_by_class, lineage
from ..inputs.calls import variable_for
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..search.parallel_observers import Watcher
from ..search.story_steps import is_filling, is_size
from ..search.trial_search import TrialSearch
from .scenario import Scenario, scenario_trial, show_scenarios

DROPS_OLDEST = "drops the oldest"
KEEPS_WHAT_WAS_READ = "keeps what was read"
_OLDEST, _NEXT, _LAST = "apple", "banana", "cherry"
_PLACES = 2
_CONTAINER = re.compile(
    r"(\w+\.)*(dict|list|OrderedDict|UserDict|UserList|deque|(Mutable)?(Mapping|Sequence))(\[.*\])?"
)
_SHOWN_WHOLE = ("dict(", "list(")


async def show_bounded_containers(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs the scenarios of classes with a limit of items; those in which one item gives place are learned, marked."""
    found = (one for owner in facts.classes if not owner.name.startswith("_") for one in _of_class(owner, facts))
    await show_scenarios(found, search, observer)


def _of_class(owner: ClassFacts, facts: ModuleFacts) -> Iterator[Scenario]:
    owners = {one.name: one for one in facts.classes}
    kinds = [owners[name] for name in lineage(owner.name, bases_by_class(facts.classes))]
    limit = next((name for one in kinds if (name := _limit_of(one)) is not None), None)
    if limit is None or owner.kind in ("abstract", "protocol", "enum"):
        return
    members: dict[str, CallableFacts] = {}
    for one in kinds:
        for member in one.members:
            if member.kind == "method" and not member.is_async:
                members.setdefault(member.name, member)
    variable = variable_for(owner.name)
    made = f"{variable} = {owner.name}({f'{limit}=' if limit else ''}{_PLACES})"
    base = Trial(owner.name, "", imports=(f"from {facts.module} import {owner.name}",))
    own = {one.name for one in owner.members}
    shown = any(_CONTAINER.fullmatch(base) for one in kinds for base in one.bases)
    for filler in members.values():
        put = _Put(variable, filler.name, len(filler.needed), shown)
        if not put.fits():
            continue
        arrange = (made, put.statement(_OLDEST, 1), put.statement(_NEXT, 2))
        if filler.name in own:
            yield Scenario(put.trial(base, filler.qualname, arrange), DROPS_OLDEST, _Leaves(_NEXT, _OLDEST))
        for name, read in _reads(variable, members):
            # What an heir makes of reading is about the member that it overrides.
            subject = members[name].qualname if name in own else filler.qualname if filler.name in own else ""
            if subject:
                used = put.trial(base, subject, (*arrange, read))
                yield Scenario(used, KEEPS_WHAT_WAS_READ, _Leaves(_OLDEST, _NEXT))


def _limit_of(owner: ClassFacts) -> str | None:
    """The keyword of the constructor's limit of items, "" where it is passed by position; None where there is none."""
    if owner.constructor is None:
        return None
    given = [one for one in owner.constructor.parameters if one.name != "self"]
    limits = [one for one in given if is_size(one.name) and one.default not in ("True", "False")]
    if len(limits) != 1 or any(one.required and one is not limits[0] for one in given):
        return None
    return "" if limits[0].required and limits[0].is_positional else limits[0].name


@dataclass(frozen=True, slots=True)
class _Put:
    """How items are put into an object: `cache['apple'] = 1`, `cache.put('apple', 1)` or `recent.add('apple')`.

    Attributes:
        shown: whether the object shows as a whole what it holds.
    """

    variable: str
    method: str
    takes: int
    shown: bool

    def fits(self) -> bool:
        """Whether the method takes an item, or a key and an item."""
        return is_filling(self.method) and self.takes in (1, 2)

    def statement(self, key: str, value: int) -> str:
        """The statement that puts one item in."""
        if self.method == "__setitem__":
            return f"{self.variable}[{key!r}] = {value}"
        return self._call(key, value)

    def trial(self, base: Trial, subject: str, arrange: Sequence[str]) -> Trial:
        """The trial that puts the last item in, and looks for each where the object does not show what it holds."""
        asked = tuple(f"({key!r} in {self.variable})" for key in (_OLDEST, _NEXT, _LAST))
        trial = scenario_trial(base, subject, arrange, self._call(_LAST, 3))
        return trial if self.shown else replace(trial, looks=asked)

    def _call(self, key: str, value: int) -> str:
        return f"{self.variable}.{self.method}({key!r}{f', {value}' if self.takes == 2 else ''})"


def _reads(variable: str, members: Mapping[str, CallableFacts]) -> Iterator[tuple[str, str]]:
    """The members that read an item, and the statements that read the oldest one."""
    if "__getitem__" in members:
        yield "__getitem__", f"{variable}[{_OLDEST!r}]"
    if "get" in members:
        yield "get", f"{variable}.get({_OLDEST!r})"


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The condition that the last item is in the object beside one, and that another is gone."""

    kept: str
    gone: str

    def __call__(self, observation: Observation) -> bool:
        if observation.outcome != "returned":
            return False
        effects = {name: value.source or "" for name, value in observation.effects}
        for name, source in effects.items():
            if name.startswith(_SHOWN_WHOLE):
                held = literal_or(source, None)
                # Items may be unhashable: a list may hold pairs as lists.
                return isinstance(held, dict | list) and len(held) == _PLACES and self.kept in held and _LAST in held
        gone = [name for name, source in effects.items() if source == "False" and name.startswith(f"({self.gone!r}")]
        came = [name for name, source in effects.items() if source == "True" and name.startswith(f"({_LAST!r}")]
        return bool(gone and came)
