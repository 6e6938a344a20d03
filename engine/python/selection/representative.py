"""Judges how well a trial represents its callable: degenerate arguments, trivial results, and the shape of the call.

A representative example has arguments that show something and a result that a reader learns from. Degenerate values
(empty, zero, all equal, two equal operands) are welcome only beside such an example.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....utils.python_names import assigned_variables, names_of
from ....utils.python_source import literal_or, shared_expression, shared_module, walk
from ..domain.example_texts import signs_beside
from ..facts.type_inference import name_entry
from ..judge.value_checks import is_empty_source
from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..outside.arrangement import DATA, NOTES
from ..scenarios.independent_copies import COPYING
from ..source.titles import subject_call
from ..source.trial_shapes import shape_of
from ..usage.harvest import bound_arguments
from .degeneracy import (
    CONTAINERS,
    MILD,
    SEVERE,
    degeneracy_of,
    has_size_below_zero,
    is_partial,
    receiver_degeneracy,
    receiver_of,
    receiver_options,
)

_MOST_GAPS = 3
_FEWEST_PLACES = 2
_EMPTY_CONTAINERS = frozenset({"[]", "{}", "()", "set()"})
_NOTHING = re.compile(r"\bNone\b")
_GAP = re.compile(r"\bNone\b|(?<![\w'\"])(?:''|\"\"|\[\]|\{\}|\(\))(?!['\"])")
_REFLECTED = frozenset(
    f"__r{name}__" for name in "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()
)
_HELPERS = ("def ", "async def ", "class ", "@")


@dataclass(frozen=True, slots=True)
class Representation:
    """How well a trial represents its callable.

    Attributes:
        degeneracy: 0 for arguments and receiver that show something; 1 for one that shows little; 2 and more for less.
        trivial: whether the result is empty, None, False, zero, the unchanged first argument or an object like one
            that was asked or passed, and nothing else happens; also for every exception.
        shape: the source without its literal values; trials of one shape are rows of one table.
        values: the literal values that were taken out of the shape, in order, as source text.
        arguments: values of the act's positional arguments and keywords, where all are literals; else None.
        texts: all texts of the trial.
        result: value of the result, where it is a literal; `NO_RESULT` otherwise.
        gaps: number of None and empty values in the result, three at most.
        options: number of the act's arguments that have a default.
        set_up: number of options with which the object is made that the method is called on.
        signs: number of arguments that are a single sign because that is what their parameter takes.
        negative: whether an argument is a negative whole number: an index from the end, a size that makes no sense.
        below_zero: whether an option that gives a size is negative.
        unset: whether the result is an object's text with parts that are not set; see `shows_unset_parts`.
    """

    degeneracy: int
    trivial: bool
    shape: str
    values: tuple[str, ...]
    arguments: tuple[Any, ...] | None
    result: Any
    texts: frozenset[str] = frozenset()
    gaps: int = 0
    options: int = 0
    set_up: int = 0
    negative: bool = False
    signs: int = 0
    below_zero: bool = False
    unset: bool = False

    def distance(self, other: Representation) -> int:
        """Counts the values in which two trials of one shape differ; a large number for trials of two shapes."""
        if self.shape != other.shape or len(self.values) != len(other.values):
            return OTHER_SHAPE
        return sum(mine != others for mine, others in zip(self.values, other.values, strict=True))

    @property
    def comes_back(self) -> bool:
        """Whether the result is a text or list that was passed, to the call or to the object."""
        return isinstance(self.result, str | list | tuple) and repr(self.result) in self.values

    @property
    def only_wraps(self) -> bool:
        """Whether the result holds nothing but the text that was passed: a text that is split has more parts."""
        if not isinstance(self.result, list | tuple) or len(self.result) != 1 or not isinstance(self.result[0], str):
            return False
        return self.arguments is not None and self.result[0] in [one for one in self.arguments if isinstance(one, str)]

    def is_empty_beside(self, other: Representation) -> bool:
        """Whether two trials differ in one container alone, which is empty here: what a reader asks after the first."""
        if self.distance(other) != 1:
            return False
        mine, others = next(pair for pair in zip(self.values, other.values, strict=True) if pair[0] != pair[1])
        return mine in _EMPTY_CONTAINERS and others not in _EMPTY_CONTAINERS


class _NoResult:
    def __repr__(self) -> str:
        return "NO_RESULT"


NO_RESULT = _NoResult()
OTHER_SHAPE = 100


def represent(
    trial: Trial, observation: Observation, subject: CallableFacts | None, facts: ModuleFacts
) -> Representation:
    """Returns the representation of a trial.

    Args:
        subject: the callable under test; None where the module defines none of that name.
    """
    act, statements = shared_expression(trial.act), _statements(trial.arrange)
    if act is None or statements is None:
        return Representation(SEVERE, True, trial.act, (), None, NO_RESULT)
    assigned, signs = assigned_variables(statements), _meant_signs(act, subject, facts)
    given = _arguments(act, subject, assigned)
    values_given = _literals(given)
    answers = [node for name, node in assigned.items() if name in DATA]
    unset = shows_unset_parts(trial, observation)
    shape, values = shape_of(trial.arrange, trial.act, trial.mode)
    receiver = receiver_of(act, statements, facts)
    return Representation(
        degeneracy=_degeneracy(given, facts)
        - MILD * signs
        + (SEVERE if _are_unlike(given, subject, facts) or _is_beside_literal(act, subject, observation) else 0)
        + _of_missing_arguments(subject, given, observation)
        + (MILD if _repeats_receiver(given, act, assigned) else 0)
        + sum(degeneracy_of(node, facts) for node in answers)
        # What is refused may well be refused because there is nothing in the object.
        + min(receiver_degeneracy(subject, act, receiver, facts), SEVERE if observation.raised is None else MILD)
        + (SEVERE if unset else 0)
        + (MILD if subject is not None and subject.kind == "constructor" and is_partial(subject, len(given)) else 0),
        # An object that shows itself as the text it was read from is not that text.
        trivial=_shows_nothing(act, observation)
        or is_trivial(
            observation,
            () if trial.act.startswith("repr(") else given,
            copies=subject is not None and COPYING.fullmatch(subject.name) is not None,
        ),
        shape=shape,
        values=values,
        arguments=values_given,
        result=_result(observation),
        texts=texts_in(trial),
        gaps=_gaps(observation),
        options=_options(act, subject),
        set_up=receiver_options(subject, receiver[0], facts),
        negative=_has_negative(values_given),
        signs=signs,
        below_zero=has_size_below_zero(subject, act, receiver[0], facts),
        unset=unset,
    )


def _shows_nothing(act: ast.expr, observation: Observation) -> bool:
    """Whether what is shown is an object that holds nothing: `repr(shelf.pop(3)) == "{}"`."""
    shown = isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id == "repr"
    text = literal_or(observation.value.source or "0", None) if shown and observation.value is not None else None
    return isinstance(text, str) and is_empty_source(text) and not observation.effects


def is_trivial(observation: Observation, given: Sequence[ast.expr] = (), *, copies: bool = False) -> bool:
    """Whether a reader learns nothing from the outcome: see `Representation.trivial`.

    Args:
        copies: whether giving an equal object is what the callable is for.
    """
    if observation.raised is not None:
        return True
    # What stand-ins for the world outside noted is there in any case.
    effects = [expression for expression, _ in observation.effects if expression not in NOTES]
    if effects or observation.output or observation.errors or observation.warnings:
        return False
    value = observation.value
    if value is None or (value.unchanged and not copies):
        return True
    if value.source is None:
        # An object is told by its attributes: with all of them empty it is what its class makes of nothing.
        return (
            all(item.source is None or is_empty_source(item.source) for _, item in value.attributes)
            and not value.length
        )
    if is_empty_source(value.source):
        return True
    result = _result(observation)
    if result is NO_RESULT:
        return False
    if not result and not isinstance(result, float):
        return True
    if isinstance(result, tuple | list) and all(item is None or item in ("", [], {}, ()) for item in result):
        return True
    if _leaves_order(result, given) or (isinstance(result, dict) and not any(result.values())):
        return True
    first = _literals(given[:1])
    if first and type(first[0]) is type(result) and first[0] == result and not isinstance(result, bool):
        return True
    # Whichever argument holds the items: one that comes back unchanged was not worked on.
    passed = [literal_or(node, NO_RESULT) for node in given[1:] if isinstance(node, CONTAINERS)]
    return any(type(one) is type(result) and one == result for one in passed)


def _leaves_order(result: Any, given: Sequence[ast.expr]) -> bool:
    """Whether places of items come back in their order, as where nothing is sorted: `[0, 1, 2]` of three items."""
    if not isinstance(result, list | tuple) or len(result) < _FEWEST_PLACES:
        return False
    # Numbers that are sorted are no places: [2, 0, 1] came in.
    in_order = all(type(item) is int and item == at for at, item in enumerate(result))
    passed = [literal_or(node, ()) for node in given if isinstance(node, _SEQUENCES)] if in_order else []
    return any(len(items) == len(result) and not all(item in result for item in items) for items in passed)


def _degeneracy(given: Sequence[ast.expr], facts: ModuleFacts) -> int:
    """Rates the arguments together: flags and options count less than the operands before them."""
    rates = [degeneracy_of(node, facts) for node in given]
    total = sum(rates)
    texts = [ast.dump(node) for node in given if not isinstance(node, ast.Constant) or node.value not in _FLAGS]
    return total + (SEVERE if len(texts) != len(set(texts)) else 0)


def _meant_signs(act: ast.expr, subject: CallableFacts | None, facts: ModuleFacts) -> int:
    """How many arguments are a single sign because that is what their parameter takes: `fill="*"`, `conversion="r"`."""
    if subject is None or not isinstance(act, ast.Call):
        return 0
    known = next((one for one in facts.domains if one.qualname == subject.qualname), None)
    count = 0
    for item, value in bound_arguments(act, subject):
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and len(value.value) == 1:
            suggested = name_entry(item.name)
            is_sign = known is not None and known.of(item.name).length == 1
            count += (
                is_sign
                or (suggested is not None and ast.unparse(value) in suggested[1])
                or value.value in signs_beside(item.default or "")
            )
    return count


def _are_unlike(given: Sequence[ast.expr], subject: CallableFacts | None, facts: ModuleFacts) -> bool:
    """Whether two operands of one domain are sequences of different types, as in `longest("kitten", [3, 1])`."""
    known = next((one for one in facts.domains if subject is not None and one.qualname == subject.qualname), None)
    if known is None or len(given) != 2 or not all(isinstance(one, (*_SEQUENCES, ast.Constant)) for one in given):
        return False
    wanted = {domain.kind for name, domain in known.parameters if name not in ("self", "cls")}
    if len(wanted) != 1:
        return False
    kinds = {type(literal_or(one, None)) for one in given}
    return len(kinds) == 2 and str in kinds and kinds <= {str, list, tuple, set}


def _is_beside_literal(act: ast.expr, subject: CallableFacts | None, observation: Observation) -> bool:
    """Whether an object is found to differ from a plain number or text, as any object does: `Box("a") != 1`."""
    if subject is None or subject.name not in ("__eq__", "__ne__") or not isinstance(act, ast.Compare):
        return False
    if _result(observation) is not (subject.name == "__ne__"):
        return False  # it was written for such values
    return all(isinstance(one, ast.Constant) for one in act.comparators)


def _repeats_receiver(given: Sequence[ast.expr], act: ast.expr, assigned: Mapping[str, ast.expr]) -> bool:
    """Whether a method is passed the number that its object was made with: `Job(6).to(6)` shows neither of both."""
    numbers = {ast.dump(node) for node in given if _is_telling_number(node)}
    calls = [assigned[name] for name in names_of(act) if name in assigned] if numbers else []
    made = [
        node
        for call in calls
        if isinstance(call, ast.Call)
        for node in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    return any(ast.dump(node) in numbers for node in made)


def _is_telling_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in (0, 1)


_FLAGS = (True, False, None)
_SEQUENCES = (ast.List, ast.Tuple, ast.Set)


def _of_missing_arguments(subject: CallableFacts | None, given: Sequence[ast.expr], observation: Observation) -> int:
    """Rates a call without arguments of what takes any number of them, or of a function that takes options: it shows
    the default. Of an object, the call without options is the usual one.

    One of any number shows little, too: nobody sees what is done with several.
    """
    if subject is None or subject.kind == "constructor" or observation.raised is not None:
        return 0
    takes = [one for one in subject.parameters if one.name not in ("self", "cls")]
    if len(given) == 1 and [one.kind for one in takes] == ["var_positional"]:
        return MILD
    if given:
        return 0
    if any(one.kind in ("var_positional", "var_keyword") for one in takes):
        return SEVERE
    return MILD if takes and subject.owner is None and not observation.effects else 0


def _statements(arrange: Sequence[str]) -> list[ast.stmt] | None:
    """The statements, for reading only; None where one is not Python."""
    trees = [shared_module(text.strip()) for text in arrange]
    return None if None in trees else [statement for tree in trees if tree is not None for statement in tree.body]


def _arguments(act: ast.expr, subject: CallableFacts | None, assigned: Mapping[str, ast.expr]) -> list[ast.expr]:
    """Returns the arguments of the subject's call or operator, variables replaced by what was assigned to them."""
    call = subject_call(act, subject.name if subject is not None else "")
    if call is not None:
        nodes = [*call.args, *(keyword.value for keyword in call.keywords)]
    else:
        nodes = _operands(act, subject.name) if subject is not None else []
    return [assigned.get(node.id, node) if isinstance(node, ast.Name) else node for node in nodes]


def _operands(act: ast.expr, member: str) -> list[ast.expr]:
    """What an operator is passed beside the object whose special method it calls."""
    if not (member.startswith("__") and member.endswith("__")):
        return []
    if isinstance(act, ast.BinOp):
        return [act.left if member in _REFLECTED else act.right]
    if isinstance(act, ast.Compare) and len(act.comparators) == 1:
        return [act.left if member == "__contains__" else act.comparators[0]]
    return [act.slice] if isinstance(act, ast.Subscript) else []


def _options(act: ast.expr, subject: CallableFacts | None) -> int:
    """Counts the arguments of the subject's call for parameters that have a default."""
    call = subject_call(act, subject.name) if subject is not None else None
    if call is None or subject is None:
        return 0
    own = [one for one in subject.parameters if one.name not in ("self", "cls")]
    given = [one for one in own if one.is_positional][: len(call.args)]
    named = {keyword.arg for keyword in call.keywords}
    return sum(one.default is not None and (one in given or one.name in named) for one in own)


def _has_negative(arguments: tuple[Any, ...] | None) -> bool:
    return any(type(value) is int and value < 0 for value in arguments or ())


def _literals(nodes: Sequence[ast.expr]) -> tuple[Any, ...] | None:
    found = tuple(literal_or(node, NO_RESULT) for node in nodes)
    return None if NO_RESULT in found else found


def _result(observation: Observation) -> Any:
    value = observation.value
    if value is None or value.source is None:
        return NO_RESULT
    return literal_or(value.source, NO_RESULT)


def _gaps(observation: Observation) -> int:
    """Counts the None and empty values in a result: the main way through a callable leaves the fewest."""
    value = observation.value
    if value is None:
        return 0
    sources = [value.source] if value.source is not None else [item.source or "" for _, item in value.attributes]
    return min(_MOST_GAPS, sum(len(_GAP.findall(source)) for source in sources))


def shows_unset_parts(trial: Trial, observation: Observation) -> bool:
    """Whether an undocumented call shows an object as a text with several None, as of one that is not filled yet."""
    value = observation.value
    if value is None or trial.wanted or not trial.act.startswith(("repr(", "str(")):
        return False
    return len(_NOTHING.findall(value.source or "")) > 1


def texts_in(trial: Trial) -> frozenset[str]:
    """Returns the texts in a trial's statements and act; those of helpers and of changed surroundings are no inputs."""
    arrange = (text for text in trial.arrange if "monkeypatch." not in text and not text.startswith(_HELPERS))
    return _texts_of((*arrange, trial.act))


@lru_cache(maxsize=8192)
def _texts_of(sources: tuple[str, ...]) -> frozenset[str]:
    statements = _statements(sources)
    nodes = [node for statement in statements or () for node in walk(statement)]
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
