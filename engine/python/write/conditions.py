"""Describes in words how the situation of a test differs from that of its member's first test.

Words name parameters and kinds of values (`negative_index`, `empty_name`, `longer_text`, `after_clear`), never the
digits of literals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....utils.python_names import assigned_variable, last_name, names_of
from ....utils.python_source import parse_expression, parse_python
from ..inputs.plain_texts import is_sample
from ..model.model import CallableFacts
from ..model.spec_case import Case
from ..source.moments import NOW, moment_words
from ..source.titles import arguments_of, describe, positional_names, slug, snake_case
from .value_features import feature_beside, with_feature

_RECEIVER = "self"
_LATER = "a_while"
_CLOCK = "now()"  # no parameter has this name
_PLAIN_WORDS = re.compile(r"[A-Za-z][a-z]{2,11}([ _-][A-Za-z][a-z]{1,11})?")
TELLING = ("negative_", "zero_", "empty_", "no_", "missing_", "blank_", "default_")


@dataclass(slots=True)
class Situation:
    """What a test arranges and passes.

    Attributes:
        arguments: values by parameter; those of the receiver's construction under `self.NAME`.
        varying: parameters whose value differs from row to row.
        before: methods called on the receiver before the act.
        built: whether the receiver was constructed without arguments.
    """

    arguments: dict[str, ast.expr] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    before: tuple[str, ...] = ()
    built: bool = False


def situation_of(
    cases: Sequence[Case], facts: CallableFacts | None, constructors: Mapping[str, CallableFacts | None]
) -> Situation:
    """Reads the situation of a test; values that differ between its rows count as varying."""
    own = [_read(case, facts, constructors) for case in cases]
    first = own[0]
    for other in own[1:]:
        for name in list(first.arguments):
            node = other.arguments.get(name)
            if node is None or ast.dump(node) != ast.dump(first.arguments[name]):
                del first.arguments[name]
                first.varying.add(name)
    return first


def _read(case: Case, facts: CallableFacts | None, constructors: Mapping[str, CallableFacts | None]) -> Situation:
    assigned: dict[str, ast.expr] = {}
    before: list[tuple[str, str]] = []
    for statement in case.statements:
        if statement.startswith("request."):
            continue  # what is done at the end sets no test apart
        for node in parse_python(statement.strip()).body:
            bound = assigned_variable(node)
            if bound is not None:
                assigned[bound[0]] = bound[1]
            else:
                before += [(name, _done(node)) for name in names_of(node) if name in assigned and _done(node)]
    act = parse_expression(case.expression)
    found = Situation()
    arguments = arguments_of(case.expression, facts)
    for at, argument in enumerate(arguments):
        node = argument.node
        node = assigned.get(node.id, node) if isinstance(node, ast.Name) else node
        found.arguments[argument.name or ("value" if len(arguments) == 1 else f"value_{_ORDER[min(at, 4)]}")] = node
    if NOW in assigned:
        found.arguments[_CLOCK] = assigned[NOW]
    own_name = facts.name if facts is not None else ""
    found.before = tuple(name for name in reversed(_chained(act)) if name != own_name)
    receiver = next((name for name in names_of(act) if name in assigned and facts is not None and facts.owner), None)
    if receiver is not None:
        found.before = (*(done for name, done in before if name in (receiver, NOW)), *found.before)
        built = assigned[receiver]
        if isinstance(built, ast.Call) and last_name(built.func) == (facts.owner if facts is not None else ""):
            found.built = not built.args and not built.keywords and not found.before
            names = positional_names(constructors.get(last_name(built.func)))
            for at, node in enumerate(built.args):
                found.arguments[f"{_RECEIVER}.{names[at] if at < len(names) else _ORDER[min(at, 4)]}"] = node
            for keyword in built.keywords:
                if keyword.arg:
                    found.arguments[f"{_RECEIVER}.{keyword.arg}"] = keyword.value
    return found


# Words that say only that something is not the same: those that say how come before them.
_VAGUE = ("other_", "longer_", "shorter_", "larger_", "smaller_", "function_as_", "on_a_", "in_the_")
_ORDER = ("first", "second", "third", "fourth", "fifth")


def _chained(act: ast.expr) -> list[str]:
    """Returns the methods that the act calls on results of other calls, the outermost first."""
    return [
        node.func.attr
        for node in ast.walk(act)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
    ]


def _done(node: ast.stmt) -> str:
    """Returns the method that a statement calls, `setting` for an item or attribute that it assigns."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return last_name(node.value.func)
    if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == NOW:
        return _LATER
    if isinstance(node, ast.Assign | ast.AugAssign):
        return "setting"
    return "deleting" if isinstance(node, ast.Delete) else ""


def differences(mine: Situation, usual: Situation, facts: CallableFacts | None) -> list[str]:
    """Describes what differs from the usual test, arguments of the call first."""
    found: list[str] = []
    for name, node in mine.arguments.items():
        other = usual.arguments.get(name)
        if other is not None and ast.dump(other) == ast.dump(node):
            continue
        if name == _CLOCK:
            found += [] if _LATER in mine.before else [moment_words(node)]
        elif other is None and name not in usual.varying:
            found.append(_added(name, node))
        else:
            found.append(_value(name, node, other))
    for name in sorted(mine.varying - usual.varying - {*usual.arguments, _CLOCK}):
        found.append(f"with_{_plain(name)}")
    if mine.built and not usual.built:
        found.append("default_object" if facts is None or facts.owner is None else f"new_{snake_case(facts.owner)}")
    added = [name for name in mine.before if name not in usual.before]
    if added:
        found.append(f"after_{snake_case(added[-1])}")
    elif len(mine.before) > len(usual.before):
        found.append(f"after_several_{_plural(snake_case(mine.before[-1]))}")
    for name in usual.arguments:
        if name not in mine.arguments and name not in mine.varying and not mine.built and name != _CLOCK:
            found.append(f"without_{_plain(name)}")
    # An option that is passed tells more than what the operands look like.
    return sorted(
        dict.fromkeys(words for words in found if words),
        key=lambda words: (words.startswith(_VAGUE), not words.startswith("with_")),
    )


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def _plain(name: str) -> str:
    return snake_case(name.removeprefix(f"{_RECEIVER}.").removeprefix("with_")) or "value"


def _added(name: str, node: ast.expr) -> str:
    """Describes an argument that the usual call does not have."""
    plain = _plain(name)
    if isinstance(node, ast.Constant):
        if node.value is True:
            return f"with_{plain}"
        if node.value is False:
            return f"without_{plain}"
        if node.value is None:
            return f"no_{plain}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _PLAIN_WORDS.fullmatch(node.value):
        # The name of an option's choice tells more than that it was passed; a word for the sake of a word does not.
        return f"with_{plain}" if is_sample(node.value) else f"with_{slug(node.value)}_{plain}"
    words = _value(name, node, None)
    return words if words.startswith(TELLING) else f"with_{plain}"


def _value(name: str, node: ast.expr, usual: ast.expr | None) -> str:
    """Describes an argument in words, without digits: by its sign, size, kind, or beside the usual one."""
    plain = _plain(name)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"negative_{plain}"
    if isinstance(node, ast.Constant):
        return _constant(plain, node.value, usual.value if isinstance(usual, ast.Constant) else None)
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return _container(plain, node, usual)
    if isinstance(node, ast.Call):
        return _made(plain, node, usual)
    if isinstance(node, ast.Lambda):
        return f"function_as_{plain}"
    if isinstance(node, ast.Slice):
        return "slice"
    words = describe(node)
    return f"{plain}_{words}" if not re.search(r"\d", words) else f"other_{plain}"


def _container(plain: str, node: ast.List | ast.Tuple | ast.Set | ast.Dict, usual: ast.expr | None) -> str:
    size = len(node.keys) if isinstance(node, ast.Dict) else len(node.elts)
    kind = type(node).__name__.lower()
    if not size:
        return f"empty_{plain}"
    if usual is not None and type(usual) is not type(node):
        return f"{kind}_of_{plain}" if plain.endswith("s") else f"{plain}_as_{kind}"
    others = len(getattr(usual, "elts", getattr(usual, "keys", ()))) if usual is not None else 0
    if size == 1 and others != 1:
        return f"single_{plain}"
    feature = feature_beside(node, [usual]) if usual is not None else ""
    if feature:
        return with_feature(feature, plain)
    return f"longer_{plain}" if size > others else f"shorter_{plain}" if size < others else f"other_{plain}"


def _made(plain: str, node: ast.Call, usual: ast.expr | None) -> str:
    made = snake_case(last_name(node.func))
    if usual is None or not isinstance(usual, ast.Call) or last_name(usual.func) != last_name(node.func):
        return made if made == plain else f"{made}_{plain}" if made else f"other_{plain}"
    if not node.args and not node.keywords:
        return f"default_{made}"
    inner = _inner_difference(node, usual)
    if inner:
        return inner
    return f"other_{made}" if made == plain else f"other_{plain}"


def _inner_difference(node: ast.Call, usual: ast.Call) -> str:
    """Describes the only argument in which two calls of one function differ; empty where there is none."""
    pairs = list(zip(node.args, usual.args, strict=False))
    apart = [(mine, other) for mine, other in pairs if ast.dump(mine) != ast.dump(other)]
    if len(node.args) != len(usual.args) or len(apart) != 1 or node.keywords or usual.keywords:
        return ""
    made = snake_case(last_name(node.func))
    words = _value(made, *apart[0])
    return words if not words.startswith("other_") else ""


def _constant(plain: str, value: object, usual: object) -> str:
    if value is None:
        return f"no_{plain}"
    if isinstance(value, bool):
        return plain if value else f"not_{plain}"
    if value in (0, "", b""):
        return f"zero_{plain}" if value == 0 else f"empty_{plain}"
    if isinstance(value, int | float):
        if isinstance(usual, int | float) and not isinstance(usual, bool):
            return f"larger_{plain}" if value > usual else f"smaller_{plain}"
        return f"number_as_{plain}" if usual is not None else f"other_{plain}"
    if isinstance(value, str):
        return _text(plain, value, usual)
    return f"bytes_as_{plain}" if isinstance(value, bytes) else f"other_{plain}"


def _text(plain: str, value: str, usual: object) -> str:
    """Describes a text by its words, or by what it has and the usual one has not."""
    if not value.strip():
        return f"blank_{plain}"
    if _PLAIN_WORDS.fullmatch(value):
        return f"{plain}_{slug(value)}" if slug(value) != plain else plain
    if not value.isascii():
        return f"non_ascii_{plain}"
    if not isinstance(usual, str):
        return f"text_as_{plain}" if usual is not None else f"other_{plain}"
    feature = feature_beside(ast.Constant(value), [ast.Constant(usual)])
    if feature:
        return with_feature(feature, plain)
    size = "longer" if len(value) > len(usual) else "shorter" if len(value) < len(usual) else "other"
    return f"{size}_{plain}"
