"""Finds trials with a part without effect: the same without it was tried and had the same outcome.

A part is an argument of the call, an option of the object that the call goes to, a statement that only looks at
something, or a method in the middle of a chain of calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ....utils.python_names import assignment_in, last_name, names_of
from ....utils.python_source import expression_or_none, normalized, shared_expression, unparsed_with
from ..inputs.variations import ORDER_PROMISED
from ..model.model import RICH_SOURCES, Observation, Trial
from ..scenarios.scenario import ShownBehaviour
from ..search.influence_trials import Distinction
from ..search.simplified_trials import origin_of_variant, without_statements
from ..search.story_steps import is_filling
from ..search.trial_search import TrialRecord
from ..source.shown_calls import represented, shown_calls
from .representative import is_trivial

_LOOKING = frozenset("repr str len bool hash list tuple set dict sorted iter format int float bytes print".split())
_SEVERAL = 2
_Key = tuple[str, str, tuple[str, ...], str]


# That data is sorted changes no answer, only the way to it; of no or one item nobody says that.
_PROMISED_OF_SEVERAL = re.compile(rf"[\[(][^\[\]]+,[^\[\]]+[\])].*{ORDER_PROMISED.pattern}")


def idle_records(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Returns the numbers of records that have a part without effect, whichever way it takes through the code.

    A call that raises is told apart by its exception and message. Documented examples stand as they are written, and so
    does what is put into an object: that an answer is the same beside more content says something.
    """
    found = {long.number for long, short, _ in _pairs(records) if _ends_alike(long, short)}
    return frozenset(found.union(_with_idle_steps(records)))


def _with_idle_steps(records: Sequence[TrialRecord]) -> Iterator[int]:
    """Numbers of the records that lack nothing without one of their statements, or without a link of their act."""
    known = {_key(record, record.trial.act, record.trial.arrange): record for record in reversed(records)}
    for record in records:
        trial = record.trial
        if trial.wanted is not None or ShownBehaviour in record.notes or Distinction in record.notes:
            continue
        little = is_trivial(record.observation)
        shorter = [(trial.act, arrange) for arrange in _without_looks(trial.arrange, trial.act, only=little)]
        shorter += [(act, trial.arrange) for act in without_links(trial.act)]
        others = (known.get(_key(record, act, arrange)) for act, arrange in shorter)
        if any(one is not None and one is not record and _ends_alike(record, one) for one in others):
            yield record.number


def without_idle_options(
    records: Sequence[TrialRecord], kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out records with an option that no call of their subject was seen to need; others take their kills.

    A value that just has no effect marks a boundary where another one has an effect: such a record stays. So does what
    a person wrote, and what shows an option's effect.

    Args:
        kills: mutants that records detect, by record number.

    Returns:
        The records that are left, and `kills` for them: the call without the option detects what the one with it does.
    """
    pairs = [
        (long, short, option, _does_the_same(long, short))
        for long, short, option in _pairs(records)
        if not option.isdigit()  # without an operand a call shows less
    ]
    needed = {(long.trial.subject, option) for long, _, option, same in pairs if not same}
    replaced: dict[int, int] = {}
    for long, short, option, same in pairs:
        if same and (long.trial.subject, option) not in needed and not _is_shown_as_it_is(long):
            replaced.setdefault(long.number, short.number)
    return without_replaced(records, kills, replaced)


def without_idle_constructions(
    records: Sequence[TrialRecord], kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out records that read a part of a new object which it has without one of the given arguments as well.

    A test would name an argument that has no bearing on what it asserts. What a document says the part to be stays.
    The rest is as for `without_idle_options`.
    """
    replaced: dict[int, int] = {}
    for long, short, _ in _pairs(records):
        shown = ShownBehaviour in long.notes or Distinction in long.notes
        if not shown and _is_read_of_new(long.trial) and _ends_alike(long, short) and not short.time_dependent:
            replaced.setdefault(long.number, short.number)
    return without_replaced(records, kills, replaced)


def shorter_constructions(records: Sequence[TrialRecord]) -> list[Trial]:
    """The trials that `without_idle_constructions` compares such records with: each without one of its arguments.

    Those that persons wrote come first.
    """
    read = [one.trial for one in records if one.trial.wanted is None and _is_read_of_new(one.trial)]
    ordered = sorted(read, key=lambda trial: trial.source not in RICH_SOURCES)
    return [
        replace(trial, act=act, source=origin_of_variant(trial))
        for trial in ordered
        for _, act in _shorter_acts(trial.act)
    ]


def _is_read_of_new(trial: Trial) -> bool:
    tree = expression_or_none(trial.act)
    call = _read_of(tree)
    return call is not tree and call is not None and last_name(call.func) == trial.subject.rpartition(".")[2]


def _read_of(tree: ast.expr | None) -> ast.Call | None:
    """The call of whose result an expression only reads attributes and items: of `Box(3).sides[0]` that of `Box`."""
    while isinstance(tree, ast.Attribute | ast.Subscript):
        tree = tree.value
    return tree if isinstance(tree, ast.Call) else None


def without_replaced(
    records: Sequence[TrialRecord], kills: Mapping[int, frozenset[int]], replaced: Mapping[int, int]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """The records without those that others take the place of, and the kills of what is left.

    Args:
        replaced: the numbers of shorter records by those of the records whose place they take.
    """
    known = dict(kills)
    for number in replaced:
        last = number
        while last in replaced:  # each is shorter than the one before
            last = replaced[last]
        noticed = known.pop(number, frozenset()) | known.get(last, frozenset())
        if noticed:
            known[last] = noticed
    return [one for one in records if one.number not in replaced], known


def _is_shown_as_it_is(record: TrialRecord) -> bool:
    return record.trial.source in RICH_SOURCES or ShownBehaviour in record.notes or Distinction in record.notes


def _pairs(records: Sequence[TrialRecord]) -> Iterator[tuple[TrialRecord, TrialRecord, str]]:
    """Pairs of a record and one that lacks an argument of it, with the argument's name."""
    known = {_key(record, record.trial.act, record.trial.arrange): record for record in reversed(records)}
    for record in records:
        trial = record.trial
        if trial.wanted is not None or _PROMISED_OF_SEVERAL.search(trial.act):
            continue
        shorter = [(name, act, trial.arrange) for name, act in _shorter_acts(trial.act)]
        shorter += [(name, trial.act, arrange) for name, arrange in _with_fewer_options(trial.arrange, trial.act)]
        for name, act, arrange in shorter:
            other = known.get(_key(record, act, arrange))
            if other is not None and other is not record:
                yield record, other, name


def _ends_alike(long: TrialRecord, short: TrialRecord) -> bool:
    return outcome_of(long.observation) == outcome_of(short.observation)


def _does_the_same(long: TrialRecord, short: TrialRecord) -> bool:
    return long.arcs == short.arcs and not short.time_dependent and _ends_alike(long, short)


def _key(record: TrialRecord, act: str, arrange: tuple[str, ...]) -> _Key:
    return record.trial.subject, record.trial.mode, arrange, normalized(act)


def outcome_of(observation: Observation) -> tuple[object, ...]:
    """Returns what is comparable of an outcome: the exception, the value, effects, output and warnings."""
    raised, value = observation.raised, observation.value
    return (
        (raised.type_name, raised.message) if raised is not None else None,
        (value.type_name, value.source, value.attributes, value.length) if value is not None else None,
        observation.effects,
        observation.output,
        observation.errors,
        observation.warnings,
    )


@lru_cache(maxsize=16384)
def _shorter_acts(act: str) -> tuple[tuple[str, str], ...]:
    """The act without one keyword argument, or without the last positional one of several, normalized; with its name.

    Of `repr(url.normalize(path=False))` and `url.normalize(path=False).to_text()` it is the inner call that has any.
    """
    tree = expression_or_none(act)
    *_, call = (_read_of(tree), *shown_calls(tree))
    if tree is None or call is None:
        return ()
    found = _without_keywords(call)
    if len(call.args) > 1 and not any(isinstance(argument, ast.Starred) for argument in call.args):
        found.append((f"{len(call.args)}", ast.Call(call.func, call.args[:-1], call.keywords)))
    return tuple((name, unparsed_with(tree, call, one)) for name, one in found)


@lru_cache(maxsize=16384)
def _with_fewer_options(arrange: tuple[str, ...], act: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The statements without one keyword argument of the call that makes the act's object; with its name."""
    tree = shared_expression(act)
    names = names_of(tree) if tree is not None else set[str]()
    found: list[tuple[str, tuple[str, ...]]] = []
    for at, text in enumerate(arrange):
        bound = assignment_in(text)
        if bound is None or bound[0] not in names or not isinstance(bound[1], ast.Call):
            continue
        found += [
            (f"self.{name}", (*arrange[:at], f"{bound[0]} = {ast.unparse(made)}", *arrange[at + 1 :]))
            for name, made in _without_keywords(bound[1])
        ]
    return tuple(found)


@lru_cache(maxsize=16384)
def _without_looks(arrange: tuple[str, ...], act: str, *, only: bool) -> tuple[tuple[str, ...], ...]:
    """The statements without all of those, and without each, that call something for nothing and fill no object.

    Args:
        only: whether calls with arguments stay, too: an answer of little content says more of an object that was used.
    """
    if len(arrange) < _SEVERAL:
        return ()
    trial = Trial("", act, arrange=arrange)
    shorter = tuple(one.arrange for one in without_statements(trial, lambda found: _only_looks(found, bare=only)))
    if len(shorter) < _SEVERAL:
        return shorter
    looks = [text for text in arrange if any(one.count(text) < arrange.count(text) for one in shorter)]
    return (tuple(text for text in arrange if text not in looks), *shorter)


def _only_looks(statement: ast.stmt, *, bare: bool) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or may_fill(statement):
        return False
    return not bare or isinstance(call.func, ast.Name) or not (call.args or call.keywords)


def may_fill(statement: ast.stmt) -> bool:
    """Whether a statement may put something into an object; `box.at(3)`, `repr(box)` and `box.add()` only ask."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return True
    if isinstance(call.func, ast.Name):
        return call.func.id not in _LOOKING
    given = bool(call.args or call.keywords)
    return not isinstance(call.func, ast.Attribute) or (given and is_filling(call.func.attr))


@lru_cache(maxsize=16384)
def without_links(act: str) -> tuple[str, ...]:
    """The act without each method call in the middle of a chain: `url.text` for `url.remove("a").text`.

    What only shows a result, as `repr(…)` does, is a link too: of a call that raises there is none to show.
    """
    tree = expression_or_none(act)
    shown = represented(tree)
    if shown is not None:
        return (ast.unparse(shown),)
    found: list[str] = []
    node = tree.func.value if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) else tree
    node = node.value if node is tree and isinstance(node, ast.Attribute) else node
    while tree is not None and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        receiver = node.func.value
        # What a class makes of an argument is no link: `Url.parse("a").text`, `urls.Url("a").text`.
        if not any(last_name(one)[:1].isupper() for one in (node.func, receiver)):
            found.append(unparsed_with(tree, node, receiver))
        node = receiver
    return tuple(found)


def _without_keywords(call: ast.Call) -> list[tuple[str, ast.Call]]:
    """A call without each of its keyword arguments in turn, with their names."""
    return [
        (keyword.arg, ast.Call(call.func, call.args, [one for one in call.keywords if one is not keyword]))
        for keyword in call.keywords
        if keyword.arg is not None
    ]
