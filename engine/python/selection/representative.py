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

from ....utils.python_names import assigned_variable, last_name, names_of
from ....utils.python_source import literal_or, parse_expression, parse_python
from ..judge.value_checks import is_empty_source
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..outside.arrangement import DATA, NOTES
from ..source.titles import subject_call

MILD, SEVERE = 1, 2
_HOLE = "__hole__"
_MOST_PARTS = 3
_MOST_GAPS = 3
_GAP = re.compile(r"\bNone\b|(?<![\w'\"])(?:''|\"\"|\[\]|\{\}|\(\))(?!['\"])")
_HELPERS = ("def ", "async def ", "class ", "@")
_MEMBER_KINDS = frozenset({"method", "property"})


@dataclass(frozen=True, slots=True)
class Representation:
    """How well a trial represents its callable.

    Attributes:
        degeneracy: 0 for arguments and receiver that show something; 1 for one that shows little; 2 and more for less.
        trivial: whether the result is empty, None, False, zero or the unchanged first argument, and nothing else
            happens; also for every exception.
        shape: the source without its literal values; trials of one shape are rows of one table.
        values: the literal values that were taken out of the shape, in order, as source text.
        arguments: values of the act's positional arguments and keywords, where all are literals; else None.
        texts: all texts of the trial.
        result: value of the result, where it is a literal; `NO_RESULT` otherwise.
        gaps: number of None and empty values in the result, three at most.
        options: number of the act's arguments that have a default.
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

    def distance(self, other: Representation) -> int:
        """Counts the values in which two trials of one shape differ; a large number for trials of two shapes."""
        if self.shape != other.shape or len(self.values) != len(other.values):
            return OTHER_SHAPE
        return sum(mine != others for mine, others in zip(self.values, other.values, strict=True))


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
    try:
        act, statements = parse_expression(trial.act), _statements(trial.arrange)
    except SyntaxError:
        return Representation(SEVERE, True, trial.act, (), None, NO_RESULT)
    assigned = _assigned(statements)
    given = _arguments(act, subject, assigned)
    answers = [node for name, node in assigned.items() if name in DATA]
    shape, values = _shape_of(trial.arrange, trial.act, trial.mode)
    return Representation(
        degeneracy=_degeneracy(given, facts)
        + _of_missing_arguments(subject, given, observation)
        + sum(degeneracy_of(node, facts) for node in answers)
        # What is refused may well be refused because there is nothing in the object.
        + min(_receiver_degeneracy(subject, act, statements, facts), SEVERE if observation.raised is None else MILD)
        + (MILD if subject is not None and subject.kind == "constructor" and _is_partial(subject, len(given)) else 0),
        # An object that shows itself as the text it was read from is not that text.
        trivial=is_trivial(observation, () if trial.act.startswith("repr(") else given),
        shape=shape,
        values=values,
        arguments=_literals(given),
        result=_result(observation),
        texts=texts_in(trial),
        gaps=_gaps(observation),
        options=_options(act, subject),
    )


def is_trivial(observation: Observation, given: Sequence[ast.expr] = ()) -> bool:
    """Whether a reader learns nothing from the outcome: see `Representation.trivial`."""
    if observation.raised is not None:
        return True
    # What stand-ins for the world outside noted is there in any case.
    effects = [expression for expression, _ in observation.effects if expression not in NOTES]
    if effects or observation.output or observation.errors or observation.warnings:
        return False
    value = observation.value
    if value is None:
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
    first = _literals(given[:1])
    if first and type(first[0]) is type(result) and first[0] == result and not isinstance(result, bool):
        return True
    # Whichever argument holds the items: one that comes back unchanged was not worked on.
    passed = [literal_or(node, NO_RESULT) for node in given[1:] if isinstance(node, _CONTAINERS)]
    return any(type(one) is type(result) and one == result for one in passed)


def degeneracy_of(node: ast.expr, facts: ModuleFacts | None = None) -> int:
    """Rates one argument: 0 shows something, `MILD` little, `SEVERE` nothing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return degeneracy_of(node.operand, facts)
    if isinstance(node, ast.Constant):
        value = node.value
        if value is None or value == "" or value == b"":
            return SEVERE
        if isinstance(value, int | float | complex) and not isinstance(value, bool):
            return SEVERE if value == 0 else 0
        return MILD if isinstance(value, str | bytes) and len(value) == 1 else 0
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _of_elements(node.elts, facts)
    if isinstance(node, ast.Dict):
        return SEVERE if not node.keys else MILD if len(node.keys) == 1 else 0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("set", "dict", "list", "tuple", "frozenset", "str", "bytes", "object") and not node.args:
            return SEVERE
        if node.func.id in ("iter", "set", "frozenset", "list", "tuple", "bytearray") and len(node.args) == 1:
            return degeneracy_of(node.args[0], facts)
        return _of_construction(node, facts)
    return 0


def _of_elements(elements: Sequence[ast.expr], facts: ModuleFacts | None) -> int:
    if not elements:
        return SEVERE
    if len(elements) == 1:
        return MILD
    if len({ast.dump(element) for element in elements}) == 1:
        return SEVERE
    empty = [element for element in elements if isinstance(element, _CONTAINERS) and degeneracy_of(element, facts) == 2]
    return MILD if empty else 0


_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def _of_construction(node: ast.Call, facts: ModuleFacts | None) -> int:
    """Rates an object by what its class is given: nothing, though it takes something, or degenerate values only."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if given:
        return min(degeneracy_of(argument, facts) for argument in given)
    owner = _class_named(node.func.id, facts) if isinstance(node.func, ast.Name) and facts is not None else None
    takes = owner.constructor.parameters if owner is not None and owner.constructor is not None else ()
    return MILD if takes else 0


def _degeneracy(given: Sequence[ast.expr], facts: ModuleFacts) -> int:
    """Rates the arguments together: flags and options count less than the operands before them."""
    rates = [degeneracy_of(node, facts) for node in given]
    total = sum(rates)
    texts = [ast.dump(node) for node in given if not isinstance(node, ast.Constant) or node.value not in _FLAGS]
    return total + (SEVERE if len(texts) != len(set(texts)) else 0)


_FLAGS = (True, False, None)


def _of_missing_arguments(subject: CallableFacts | None, given: Sequence[ast.expr], observation: Observation) -> int:
    """Rates a call without arguments of what takes any number of them, or options: it shows the default."""
    if subject is None or given or subject.kind == "constructor" or observation.raised is not None:
        return 0
    takes = [one for one in subject.parameters if one.name not in ("self", "cls")]
    if any(one.kind in ("var_positional", "var_keyword") for one in takes):
        return SEVERE
    return MILD if takes and not observation.effects else 0


def _receiver_degeneracy(
    subject: CallableFacts | None, act: ast.expr, statements: Sequence[ast.stmt], facts: ModuleFacts
) -> int:
    """Rates the receiver of a method: one without content shows little, where its class can be given any."""
    if subject is None or subject.kind not in _MEMBER_KINDS or subject.owner is None:
        return 0
    owner = _class_named(subject.owner, facts)
    if owner is None or owner.kind in ("enum", "exception"):
        return 0
    names = names_of(act)
    built: ast.Call | None = None
    receiver, put_in, crowded = "", 0, False
    for statement in statements:
        assigned = assigned_variable(statement)
        if assigned is not None and assigned[0] in names and isinstance(assigned[1], ast.Call):
            receiver, built = assigned[0], assigned[1]
        elif built is not None and receiver in names_of(statement) and _changes_something(statement, act):
            if not _puts_in(statement) and not isinstance(statement, ast.For):
                return 0  # something was done with the receiver before the act
            put_in += 1
            crowded = crowded or isinstance(statement, ast.For)
    if put_in:
        # With one item in it, the first is the last; of a dozen nobody sees the order either.
        return MILD if (put_in == 1 and not _fills(subject)) or crowded else 0
    if built is None:
        return 0
    given = [*built.args, *(keyword.value for keyword in built.keywords)]
    takes = owner.constructor.parameters if owner.constructor is not None else ()
    if given:
        rate = min(degeneracy_of(node, facts) for node in given)
        # What a factory is given makes a whole object.
        is_partial = isinstance(built.func, ast.Name) and _is_partial(owner.constructor, len(given))
        return max(rate, MILD) if is_partial else rate
    if any(not parameter.required for parameter in takes):
        # The default object is what others are compared with; one that is only set up by options is as good as any.
        return MILD if _is_set_up_by_options(owner, facts) else SEVERE
    return MILD if any(_fills(member) for member in owner.members) else 0


def _changes_something(statement: ast.stmt, act: ast.expr) -> bool:
    """Whether a statement does more than the act itself, than Python's functions and operators that ask an object for
    something, than emptying it, and than naming what is done at the end of the test."""
    if "request" in names_of(statement) or ast.unparse(statement) == ast.unparse(act):
        return False
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Call):
        return last_name(value.func) not in (_READING if isinstance(value.func, ast.Name) else _EMPTYING)
    return not isinstance(value, ast.BinOp | ast.Compare | ast.Subscript)


_READING = frozenset("len repr str hash bool iter list tuple sorted".split())
_EMPTYING = frozenset({"clear", "reset", "flush"})


def _is_set_up_by_options(owner: ClassFacts, facts: ModuleFacts) -> bool:
    """Whether the constructor takes flags, functions or choices, and the object is not filled afterwards."""
    if owner.constructor is None or any(_fills(member) or member.name == "__len__" for member in owner.members):
        return False
    known = next((one for one in facts.domains if one.qualname == owner.constructor.qualname), None)
    return any(
        (one.default or "").startswith(("True", "False", "'", '"'))
        or (known is not None and known.of(one.name).kind in ("callable", "boolean", "choice"))
        for one in owner.constructor.parameters
        if not one.required
    )


def _is_partial(constructor: CallableFacts | None, given: int) -> bool:
    """Whether an object of two or three optional parts, as an interval is, was given only one of them."""
    if constructor is None or given > 1:
        return False
    options = [one for one in constructor.parameters if not one.required and one.name not in ("self", "cls")]
    needed = [one for one in constructor.parameters if one.required and one.name not in ("self", "cls")]
    return not needed and 1 < len(options) <= _MOST_PARTS


def _puts_in(statement: ast.stmt) -> bool:
    """Whether a statement puts one thing into an object: `box[key] = value`, `box.append(item)`."""
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Subscript)
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_filling(call.func.attr)


def _fills(member: CallableFacts) -> bool:
    """Whether a method looks as if it put something into its object."""
    takes = [parameter for parameter in member.parameters if parameter.name not in ("self", "cls")]
    return bool(takes) and _is_filling(member.name)


def _is_filling(method: str) -> bool:
    return method in _FILLING or method.startswith(("add", "append", "insert", "push"))


_FILLING = frozenset("__setitem__ put set update register enqueue store write extend".split())


def _class_named(name: str, facts: ModuleFacts | None) -> ClassFacts | None:
    return next((owner for owner in facts.classes if owner.name == name), None) if facts is not None else None


def _statements(arrange: Sequence[str]) -> list[ast.stmt]:
    return [statement for text in arrange for statement in parse_python(text.strip()).body]


def _assigned(statements: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for statement in statements:
        assigned = assigned_variable(statement)
        if assigned is not None:
            found[assigned[0]] = assigned[1]
    return found


def _arguments(act: ast.expr, subject: CallableFacts | None, assigned: Mapping[str, ast.expr]) -> list[ast.expr]:
    """Returns the arguments of the subject's call, variables replaced by what was assigned to them."""
    call = subject_call(act, subject.name if subject is not None else "")
    if call is None:
        return []
    nodes = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [assigned.get(node.id, node) if isinstance(node, ast.Name) else node for node in nodes]


def _options(act: ast.expr, subject: CallableFacts | None) -> int:
    """Counts the arguments of the subject's call that might be left out."""
    call = subject_call(act, subject.name) if subject is not None else None
    required = sum(one.required and one.name not in ("self", "cls") for one in (subject.parameters if subject else ()))
    return max(0, len(call.args) + len(call.keywords) - required) if call is not None else 0


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


def texts_in(trial: Trial) -> frozenset[str]:
    """Returns the texts in a trial's statements and act; those of helpers and of changed surroundings are no inputs."""
    arrange = (text for text in trial.arrange if "monkeypatch." not in text and not text.startswith(_HELPERS))
    return _texts_of((*arrange, trial.act))


@lru_cache(maxsize=8192)
def _texts_of(sources: tuple[str, ...]) -> frozenset[str]:
    try:
        nodes = [node for source in sources for node in ast.walk(parse_python(source.strip()))]
    except SyntaxError:
        return frozenset()
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


class _Holes(ast.NodeTransformer):
    """Replaces literal values by holes and collects them."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.JoinedStr):
            return node  # its text parts are constants that only it may hold
        literal = isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp)
        if literal and literal_or(node, NO_RESULT) is not NO_RESULT:
            self.values.append(ast.unparse(node))
            return ast.Name(_HOLE, ast.Load())
        return self.generic_visit(node)


@lru_cache(maxsize=8192)
def _shape_of(arrange: tuple[str, ...], act: str, mode: str) -> tuple[str, tuple[str, ...]]:
    holes = _Holes()
    texts = [ast.unparse(holes.visit(statement)) for statement in _statements(arrange)]
    texts.append(ast.unparse(holes.visit(parse_expression(act))))
    return "\n".join((mode, *texts)), tuple(holes.values)
