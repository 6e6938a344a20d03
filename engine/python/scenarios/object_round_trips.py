"""Shows that what is written can be read: `Note.from_dict(note.to_dict()) == note`, `load(path)` after `dump(…, path)`.

Round trips of plain values are found by `search.round_trips`; here an object of the project goes out and comes back, by
a value or by a file of the test's own folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_names, assigned_variable, last_name, loaded_names, names_of
from ....utils.python_source import expression_or_none, literal_or, parse_or_none, walk
from ..facts.inverse_names import undoes
from ..inputs.calls import variable_for
from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..search.trial_search import TrialRecord
from ..source.literals import literal_places
from .scenario import ROUND_TRIP, Scenario, is_plain_return, returned_source, scenario_trial

_MOST_EACH = 4
_MOST_ARGUMENTS = 4
_ANY_TEXT = re.compile(r"(text|string|str_?|s|st|data|value|val|content|input_?|src|source|body|line|x|arg)s?")


def object_round_trips(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios that undo a call on an object, or with one, from calls that returned."""
    callables = [one for one in facts.callables() if one.public and one.kind in _CALLED and not one.is_async]
    by_subject: dict[str, list[TrialRecord]] = {}
    for record in records:
        if is_plain_return(record):
            by_subject.setdefault(record.trial.subject, []).append(record)
    returning = [one for one in callables if _takes_one(one)]
    for forth in callables:
        ordered = sorted(by_subject.get(forth.qualname, ()), key=_most_told) if forth.kind in _WRITING else ()
        for back in returning if ordered else ():
            if back.owner in (forth.owner, None) and _returns_to(back.name, forth.name):
                found = (one for record in ordered for one in _of_record(record, forth, back, facts))
                yield from _first(found, _MOST_EACH * 2)


_CALLED = frozenset({"function", "method", "classmethod", "staticmethod"})
_WRITING = frozenset({"function", "method"})
_SAVING = (("save", "load"), ("save", "read"), ("store", "load"), ("write", "load"), ("export", "import"))


def _takes_one(back: CallableFacts) -> bool:
    """Whether one argument is all that a callable needs."""
    return len(back.needed) == 1 and back.kind != "method"


def _returns_to(back: str, forth: str) -> bool:
    """Whether one callable's name says that it undoes the other."""
    return back != forth and (undoes(back, forth) or _reads(back, forth))


def _reads(name: str, other: str) -> bool:
    """Whether a name says that a file is read which the other wrote: `load_notes` and `save_notes`."""
    words, others = name.split("_"), other.split("_")
    pairs = ((there, here) for here, there in _SAVING)
    return any(
        there in words and here in others and [here if one == there else one for one in words] == others
        for there, here in pairs
    )


def _first(found: Iterator[Scenario], count: int) -> Iterator[Scenario]:
    for _, one in zip(range(count), found, strict=False):
        yield one


def _most_told(record: TrialRecord) -> tuple[int, ...]:
    """Orders records: those of objects with the most in them first, then by what else is arranged."""
    return -_content(record.trial), len(record.trial.arrange), record.number


def _content(trial: Trial) -> int:
    """How much a trial's constructions are given, up to a few arguments: an object with more in it shows more."""
    tree = parse_or_none("\n".join((*trial.arrange, trial.act)))
    calls = [node for node in walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    return max((len(call.args) + len(call.keywords) for call in calls if _fits(call)), default=0)


def _fits(call: ast.Call) -> bool:
    return last_name(call.func)[:1].isupper() and len(call.args) + len(call.keywords) <= _MOST_ARGUMENTS


@dataclass(frozen=True, slots=True)
class _Sent:
    """What a call sends out: the variable of an object, and the statements that bind it."""

    variable: str
    statements: tuple[str, ...]
    call: ast.Call


def _of_record(
    record: TrialRecord, forth: CallableFacts, back: CallableFacts, facts: ModuleFacts
) -> Iterator[Scenario]:
    sent = _sent(record.trial, forth, facts)
    if sent is None:
        return
    base = _importing(record.trial, back, facts)
    reader = expression_or_none(f"{back.owner}.{back.name}" if back.owner is not None else back.name)
    assert reader is not None
    path = _written_path(sent.call)
    if path is None and any("tmp_path" in text for text in sent.statements):
        return  # files that the value does not need
    if path is None:
        made, statements = ast.unparse(ast.Call(reader, [sent.call], [])), sent.statements
    elif any("tmp_path" in effect for effect, _ in record.observation.effects):
        made = ast.unparse(ast.Call(reader, [path], []))
        statements = (*sent.statements, ast.unparse(sent.call))
    else:
        return
    compared = f"{made} == {sent.variable}"
    yield Scenario(scenario_trial(base, back.qualname, statements, compared), ROUND_TRIP, _is_true)
    # An object without an equality of its own shows in its attributes what it was made of.
    given = _given_texts(sent)
    if given:
        yield Scenario(scenario_trial(base, back.qualname, statements, made), ROUND_TRIP, _Holding(given))


def _is_true(observation: Observation) -> bool:
    return returned_source(observation) == "True"


@dataclass(frozen=True, slots=True)
class _Holding:
    """The condition that an act returned an object whose attributes hold all of some values."""

    given: tuple[str, ...]

    def __call__(self, observation: Observation) -> bool:
        value = observation.value
        if value is None or observation.outcome != "returned" or value.source is not None:
            return False
        shown = "\n".join(item.source or "" for _, item in value.attributes)
        return all(text in shown for text in self.given)


def _given_texts(sent: _Sent) -> tuple[str, ...]:
    """Literals with content that the sent object is built with, as source."""
    tree = parse_or_none("\n".join(sent.statements))
    nodes = [node for node in walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    made = [value for node in nodes for value in (*node.args, *(keyword.value for keyword in node.keywords))]
    return tuple(ast.unparse(one) for one in made if isinstance(one, ast.Constant) and one.value not in ("", None))


def _sent(trial: Trial, forth: CallableFacts, facts: ModuleFacts) -> _Sent | None:
    """The object that a trial's act sends out; None where it is a plain value, or nothing is in it."""
    act = expression_or_none(trial.act)
    if not isinstance(act, ast.Call) or last_name(act.func) != forth.name or _changes_surroundings(trial):
        return None
    assigned = assigned_names(trial.arrange)
    if forth.kind == "method":
        receiver = act.func.value if isinstance(act.func, ast.Attribute) else None
        bound = isinstance(receiver, ast.Name) and receiver.id in assigned
        if isinstance(receiver, ast.Name) and bound and (_holds_something(trial) or not _takes_content(forth, facts)):
            return _Sent(receiver.id, trial.arrange, act)
        return None
    if not act.args:
        return None
    first, *others = act.args
    if isinstance(first, ast.Name):
        built = _bound_to(first.id, trial.arrange)
        return _Sent(first.id, trial.arrange, act) if built is not None and _is_object(built, facts) else None
    if not _is_object(first, facts):
        return None
    variable = _variable_of(first, forth)
    if variable in assigned | names_of(act):
        return None
    call = ast.Call(act.func, [ast.Name(variable, ast.Load()), *others], act.keywords)
    return _Sent(variable, (*trial.arrange, f"{variable} = {ast.unparse(first)}"), call)


def _takes_content(forth: CallableFacts, facts: ModuleFacts) -> bool:
    """Whether objects of a method's class can be made of something."""
    made = next((one.constructor for one in facts.classes if one.name == forth.owner), None)
    return made is not None and any(one.name != "self" for one in made.parameters)


def _holds_something(trial: Trial) -> bool:
    """Whether the statements pass a value other than flags and empty ones: `Url(lazy=True)` has nothing to send."""
    tree = parse_or_none("\n".join(trial.arrange))
    calls = [node for node in walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    given = [value for node in calls for value in (*node.args, *(one.value for one in node.keywords))]
    values = [literal_or(one, _NAMED) for one in given if not isinstance(one, ast.Call)]
    return any(not isinstance(one, bool) and one not in _NOTHING for one in values)


_NAMED = object()
_NOTHING = (None, "", b"", [], {}, ())


def _variable_of(node: ast.expr, forth: CallableFacts) -> str:
    if isinstance(node, ast.Call):
        return variable_for(last_name(node.func))
    name = next((one.name for one in forth.parameters if one.is_positional), "items").strip("_")
    return name or "items"


def _changes_surroundings(trial: Trial) -> bool:
    return "monkeypatch" in trial.fixtures or any(text.startswith(("@", "def ", "class ")) for text in trial.arrange)


def _bound_to(name: str, statements: Sequence[str]) -> ast.expr | None:
    tree = parse_or_none("\n".join(statements))
    bound = [found for node in tree.body if (found := assigned_variable(node))] if tree is not None else []
    return next((value for variable, value in reversed(bound) if variable == name), None)


def _is_object(node: ast.expr, facts: ModuleFacts) -> bool:
    """Whether an expression makes an object of one of the module's classes, or a collection of such."""
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(_is_object(item, facts) for item in node.elts)
    return isinstance(node, ast.Call) and last_name(node.func) in {owner.name for owner in facts.classes}


def _written_path(call: ast.Call) -> ast.expr | None:
    """The path in the test's own folder that a call is given; None without one."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return next((one for one in given if "tmp_path" in loaded_names(one)), None)


def _importing(trial: Trial, back: CallableFacts, facts: ModuleFacts) -> Trial:
    needed = f"from {facts.module} import {back.owner or back.name}"
    return replace(trial, imports=tuple(sorted({*trial.imports, needed})))


def with_named_content(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Trial]:
    """Generates calls on objects that take any named content, with some: `Post("hello world", title="Report")`."""
    open_ended = {owner.name for owner in facts.classes if _takes_any_name(owner.constructor)}
    counts: dict[str, int] = {}
    for record in records if open_ended else ():
        trial = record.trial
        if not is_plain_return(record) or trial.subject in open_ended or counts.get(trial.subject, 0) >= _MOST_EACH:
            continue
        named = [_named(text, open_ended) for text in (*trial.arrange, trial.act)]
        if named != [*trial.arrange, trial.act] and not _changes_surroundings(trial):
            counts[trial.subject] = counts.get(trial.subject, 0) + 1
            yield scenario_trial(trial, trial.subject, named[:-1], named[-1])


def _takes_any_name(constructor: CallableFacts | None) -> bool:
    return constructor is not None and any(one.kind == "var_keyword" for one in constructor.parameters)


def _named(text: str, owners: set[str]) -> str:
    """A statement in which the first construction of one of the classes that names nothing is given a title."""
    tree = parse_or_none(text)
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and last_name(node.func) in owners and node.args and not node.keywords:
            node.keywords = [ast.keyword("title", ast.Constant("Report"))]
            assert tree is not None
            return ast.unparse(tree)
    return text


def written_texts(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Trial]:
    """Generates calls that read what a writer of the module wrote: `loads` and its siblings get a text of `dumps`.

    What takes a parameter of the same name as the reader understands the same grammar; where any text is called so, it
    is no more than a guess.
    """
    functions = [one for one in facts.functions if one.public and not one.is_async]
    for forth in functions:
        texts = _texts_written_by(forth, records)
        for back in functions if texts else ():
            if not (_takes_one(back) and _returns_to(back.name, forth.name)):
                continue
            name = next(one.name for one in back.parameters if one.required)
            for reader in functions:
                required = [one.name for one in reader.parameters if one.required]
                if required == [name]:
                    likely = reader is back or not _ANY_TEXT.fullmatch(name)
                    yield from (_reading(reader, text, facts, "usage" if likely else "signature") for text in texts)


def _texts_written_by(forth: CallableFacts, records: Sequence[TrialRecord]) -> list[str]:
    """Texts that a function returned, of objects with the most in them first."""
    own = [
        one
        for one in records
        if one.trial.subject == forth.qualname and is_plain_return(one) and not _is_given_signs(one.trial)
    ]
    ordered = sorted(own, key=_most_told)
    found = [literal_or(returned_source(one.observation), None) for one in ordered]
    texts = [repr(text) for text in found if isinstance(text, str) and text.strip()]
    return list(dict.fromkeys(texts))[:_MOST_EACH]


def _is_given_signs(trial: Trial) -> bool:
    """Whether the texts of a trial are all of signs: what is written of them is no document."""
    texts = [place.value for place in literal_places(trial) if isinstance(place.value, str)]
    return bool(texts) and not any(letter.isalnum() for text in texts for letter in text)


def _reading(reader: CallableFacts, text: str, facts: ModuleFacts, source: str) -> Trial:
    return Trial(
        reader.qualname,
        f"{reader.name}({text})",
        imports=(f"from {facts.module} import {reader.name}",),
        source=source,
    )
