"""Reads the situation of a test: what it arranges, what it passes, and what was done to its object before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....utils.python_names import assigned_variable, last_name, names_of
from ....utils.python_source import parse_expression, parse_python
from ..model.model import CallableFacts
from ..model.spec_case import Case
from ..search.story_steps import is_filling
from ..source.moments import NOW
from ..source.titles import CallArgument, arguments_of, positional_names

RECEIVER = "self"
LATER = "a_while"
CLOCK = "now()"  # no parameter has this name
VARYING = ast.Name("varying", ast.Load())
"""Stands for an argument that differs from row to row."""
_WORD = re.compile(r"['\"][A-Za-z][a-z_]{2,}['\"]")
_WRITING = ("__delitem__", "__setitem__")
_FILLING_BY_MANY = ("extend", "update")
ORDER = ("first", "second", "third", "fourth", "fifth")
CONTENT = frozenset({*ORDER, "args", "items", "iterable", "elements", "values", "data", "seq", "sequence"})
"""Names of parameters that say no more of an object's content than that it is that."""


@dataclass(slots=True)
class Situation:
    """What a test arranges and passes.

    Attributes:
        arguments: values by parameter; those of the receiver's construction under `self.NAME`.
        varying: parameters whose value differs from row to row.
        before: methods called on the receiver before the act, and those that made it of another object.
        derived: those of them that made it of another object: `child` of `url.child("a").to_text()`.
        known: values that stand in the statements before, as their dumps: keys that an object was filled with.
        built: whether the receiver was constructed without arguments.
        content: the parameter that the first argument of the receiver's construction binds; what an object is made of
            is no option.
        spread: the parameter that takes any number of arguments; its value is a tuple of them.
        itself: the parameter that is given the receiver itself.
        rows: all values of each parameter of `varying`.
        choices: options of the call whose default is a word: what is passed for them is a choice among such.
        needed: arguments that each construction of the receiver's class must have, as in `arguments`.
        optional: whether such a construction may have others.
        maker: the function that the receiver was made by, where no construction is in sight.
        handed_on: whether the function is passed to another one, which calls it.
    """

    arguments: dict[str, ast.expr] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    before: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    built: bool = False
    content: str = ""
    spread: str = ""
    itself: str = ""
    rows: dict[str, list[ast.expr]] = field(default_factory=dict)
    choices: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    optional: bool = False
    maker: str = ""
    handed_on: bool = False

    def set_up(self) -> tuple[list[str], list[tuple[str, str]]]:
        """What the object is filled by and made with: of two that are set up alike, numbers may be compared."""
        made = [(name, ast.dump(node)) for name, node in self.arguments.items() if name.startswith(f"{RECEIVER}.")]
        return self.filling(), sorted(made)

    def filling(self) -> list[str]:
        """The steps that put something into the object."""
        return [name for name in self.before if is_filling(name) or name in _FILLING_BY_MANY]


def situation_of(
    cases: Sequence[Case], facts: CallableFacts | None, constructors: Mapping[str, CallableFacts | None]
) -> Situation:
    """Reads the situation of a test; values that differ between its rows count as varying."""
    own = [_read(case, facts, constructors) for case in cases]
    first = own[0]
    passed = [one.arguments.copy() for one in own]
    for other in own[1:]:
        for name in list(first.arguments):
            node = other.arguments.get(name)
            if name == first.spread and (alike := _alike(first.arguments[name], node)) is not None:
                first.arguments[name] = alike
            elif node is None or ast.dump(node) != ast.dump(first.arguments[name]):
                del first.arguments[name]
                first.varying.add(name)
    first.rows = {name: [one[name] for one in passed if name in one] for name in first.varying}
    return first


def _alike(mine: ast.expr, other: ast.expr | None) -> ast.Tuple | None:
    """Any number of arguments of two rows, `VARYING` where they differ; None where the rows pass more or fewer."""
    if not isinstance(mine, ast.Tuple) or not isinstance(other, ast.Tuple) or len(mine.elts) != len(other.elts):
        return None
    pairs = zip(mine.elts, other.elts, strict=True)
    return ast.Tuple([one if ast.dump(one) == ast.dump(two) else VARYING for one, two in pairs], ast.Load())


def _read(case: Case, facts: CallableFacts | None, constructors: Mapping[str, CallableFacts | None]) -> Situation:
    assigned, before = _arranged(case)
    asking = _asking(case, facts)
    act = parse_expression(asking)
    found = _passed(asking, facts, assigned, case)
    if NOW in assigned:
        found.arguments[CLOCK] = assigned[NOW]
    own_name = facts.name if facts is not None else ""
    found.before = tuple(name for name in reversed(_chained(act)) if name != own_name)
    if own_name and not _calls(parse_expression(case.expression), own_name):
        before = _without_act(before, own_name)
    own = _own_object(act, own_name)
    names = [node.id for node in (own, *ast.walk(act)) if isinstance(node, ast.Name)]
    receiver = next((name for name in names if name in assigned and facts is not None and facts.owner), None)
    found.known = _values_before(case)
    if receiver is not None:
        given = [one for one in arguments_of(case.expression, facts) if isinstance(one.node, ast.Name)]
        found.itself = next((one.name for one in given if own is not None and one.source == ast.unparse(own)), "")
        built, found.derived = _origin(own or ast.Name(receiver, ast.Load()), assigned)
        rest = (name for name in found.before if name not in found.derived)
        done = (done for name, done in before if name in (receiver, NOW))
        found.before = (*done, *found.derived, *rest)
        _add_built(found, built, facts, constructors, assigned)
    elif facts is not None and facts.owner and facts.kind != "constructor":
        # `Cart(3).total()`: the object is made where it is used.
        made = (node for node in ast.walk(act) if isinstance(node, ast.Call) and last_name(node.func) == facts.owner)
        built = next(made, None)
        if built is not None:
            _add_built(found, built, facts, constructors, assigned)
    return found


def _own_object(act: ast.expr, name: str) -> ast.expr | None:
    """The object whose method of this name an act calls; None where it calls none."""
    for node in ast.walk(act):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            return node.func.value
    return None


def _origin(node: ast.expr, assigned: Mapping[str, ast.expr]) -> tuple[ast.expr, tuple[str, ...]]:
    """What an object was made of in the first place, and the methods that made it of that, the first one first."""
    steps: list[str] = []
    left = dict(assigned)
    while True:
        if isinstance(node, ast.Name) and node.id in left:
            node = left.pop(node.id)
            continue
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            break
        inner = node.func.value
        if not isinstance(inner, ast.Call) and not (isinstance(inner, ast.Name) and inner.id in left):
            break
        steps.append(node.func.attr)
        node = inner
    return node, tuple(reversed(steps))


def _values_before(case: Case) -> frozenset[str]:
    nodes = [node for text in case.statements for node in ast.walk(parse_python(text.strip()))]
    return frozenset(ast.dump(node) for node in nodes if isinstance(node, ast.Constant))


def _add_built(
    found: Situation,
    built: ast.expr,
    facts: CallableFacts | None,
    constructors: Mapping[str, CallableFacts | None],
    assigned: Mapping[str, ast.expr],
) -> None:
    """Adds what the receiver is built with."""
    # A constructor may make an object of another class, as the documents of a derived class do with its base's.
    owner = facts.owner if facts is not None else ""
    built = _own_construction(built, owner or "", constructors)
    if isinstance(built, ast.Call) and last_name(built.func) in (owner, *constructors):
        found.built = not built.args and not built.keywords and not found.before
        maker = constructors.get(last_name(built.func))
        names = positional_names(maker)
        found.optional = maker is not None and len(maker.needed) < len(names)
        found.needed = frozenset(f"{RECEIVER}.{one.name}" for one in (maker.needed if maker is not None else ()))
        for at, node in enumerate(built.args):
            name = names[at] if at < len(names) else ORDER[min(at, 4)]
            found.content = found.content or f"{RECEIVER}.{name}"
            found.arguments[f"{RECEIVER}.{name}"] = _resolved(node, assigned)
        if names and names[0] in CONTENT and any(one.arg == names[0] for one in built.keywords):
            found.content = f"{RECEIVER}.{names[0]}"
        _add_options(found, built)
    elif isinstance(built, ast.Call) and isinstance(built.func, ast.Name):
        found.maker = built.func.id
        _add_options(found, built)


def _own_construction(built: ast.expr, owner: str, constructors: Mapping[str, CallableFacts | None]) -> ast.expr:
    """The construction of an object that another one is made with: `Upper()` of `Schema(Upper())`; else the whole."""
    if isinstance(built, ast.Call) and last_name(built.func) not in (owner, *constructors):
        made = [node for node in ast.walk(built) if isinstance(node, ast.Call) and last_name(node.func) == owner]
        return made[0] if len(made) == 1 else built
    return built


def _add_options(found: Situation, built: ast.Call) -> None:
    for keyword in built.keywords:
        if keyword.arg:
            found.arguments[f"{RECEIVER}.{keyword.arg}"] = keyword.value


def _arranged(case: Case) -> tuple[dict[str, ast.expr], list[tuple[str, str]]]:
    """Returns what variables are assigned, and what is done with which of them."""
    assigned: dict[str, ast.expr] = {}
    before: list[tuple[str, str]] = []
    for statement in case.statements:
        if statement.startswith("request."):
            continue  # what is done at the end sets no test apart
        for node in parse_python(statement.strip()).body:
            bound = assigned_variable(node)
            if isinstance(node, ast.With):
                held = [ast.unparse(item.optional_vars) for item in node.items if item.optional_vars is not None]
                before += [(name, "reopening") for name in held]
            elif bound is not None:
                assigned[bound[0]] = bound[1]
            else:
                before += [(name, _done(node)) for name in names_of(node) if name in assigned and _done(node)]
    return assigned, before


def _passed(asking: str, facts: CallableFacts | None, assigned: Mapping[str, ast.expr], case: Case) -> Situation:
    """Returns the situation as far as the arguments of the call tell that an expression makes."""
    found = Situation()
    if facts is not None and facts.kind == "property":
        return found  # a call in the expression is that of the receiver's class
    if facts is not None and facts.owner is None and _is_handed_on(parse_expression(asking), facts.name):
        found.handed_on = True
        return found
    arguments = arguments_of(asking, facts) or [*_written(case, facts)]
    parameters = facts.parameters if facts is not None else ()
    found.choices = frozenset(one.name for one in parameters if _WORD.fullmatch(one.default or ""))
    found.spread = next((one.name for one in parameters if one.kind == "var_positional"), "")
    if found.spread:
        rest = [argument.node for argument in arguments if not argument.name]
        found.arguments[found.spread] = ast.Tuple([_resolved(node, assigned) for node in rest], ast.Load())
        arguments = [argument for argument in arguments if argument.name]
    for at, argument in enumerate(arguments):
        node = _resolved(argument.node, assigned)
        found.arguments[argument.name or ("value" if len(arguments) == 1 else f"value_{ORDER[min(at, 4)]}")] = node
    return found


def _written(case: Case, facts: CallableFacts | None) -> Iterator[CallArgument]:
    """The key by which the last such statement deletes or sets an item, of an act that only looks at the object."""
    if facts is None or facts.name not in _WRITING:
        return
    names = [*positional_names(facts), "key", "value"]
    nodes = (node for text in reversed(case.statements) for node in reversed(parse_python(text.strip()).body))
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
        if len(targets) == 1 and isinstance(targets[0], ast.Subscript):
            yield CallArgument(names[0], targets[0].slice)
            if isinstance(node, ast.Assign):
                yield CallArgument(names[1], node.value)
            return


def _without_act(before: Sequence[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    """What is done before the last call of the member, where that stands in a statement and the act asks of it."""
    at = next((at for at in reversed(range(len(before))) if before[at][1] == name), None)
    return [one for number, one in enumerate(before) if number != at]


def _asking(case: Case, facts: CallableFacts | None) -> str:
    """The expression that calls the member: the act, or what a statement calls of which the act only asks something."""
    name = facts.name if facts is not None else ""
    if not name or name.startswith("__") or _calls(parse_expression(case.expression), name):
        return case.expression
    for text in reversed(case.statements):
        body = parse_python(text.strip()).body
        values = [node.value for node in body if isinstance(node, ast.Assign | ast.Expr)]
        made = next((value for value in values if _calls(value, name)), None)
        if made is not None:
            return ast.unparse(made)
    return case.expression


def _is_handed_on(node: ast.expr, name: str) -> bool:
    """Whether a function is passed to another one and not called: `map(apply, functions, values)`."""
    return not _calls(node, name) and name in names_of(node)


def _calls(node: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Call) and last_name(one.func) == name for one in ast.walk(node))


def _resolved(node: ast.expr, assigned: Mapping[str, ast.expr]) -> ast.expr:
    """Returns what a variable was assigned; a function is told best by its variable."""
    value = assigned.get(node.id, node) if isinstance(node, ast.Name) else node
    return node if isinstance(value, ast.Lambda) else value


def _chained(act: ast.expr) -> list[str]:
    """Returns the methods that the act calls on results of other calls, the outermost first."""
    return [
        node.func.attr
        for node in ast.walk(act)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
    ]


def plural(word: str) -> str:
    """Returns the plural of a noun, or of a method's name as one."""
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def singular(word: str) -> str:
    """Returns the noun of which a parameter's name is the plural; a name that is none (`axis`, `status`) as it is."""
    return word.removesuffix("s") if len(word) > 3 and not word.endswith(("ss", "is", "us")) else word


def _done(node: ast.stmt) -> str:
    """Returns the method that a statement calls, `setting` for an item or attribute that it assigns."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return last_name(node.value.func)
    if isinstance(node, ast.For) and (inner := _done(node.body[0])):
        return f"many_{plural(inner)}"
    if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == NOW:
        return LATER
    if isinstance(node, ast.Assign | ast.AugAssign):
        return "setting"
    return "deleting" if isinstance(node, ast.Delete) else ""
