"""Rates how little the values of a trial show: its arguments, and the object that it is called on."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....utils.python_names import assigned_variable, method_call, names_of
from ..inputs.calls import built_in_content
from ..misfits.missing_content import constructor_of, is_empty_document, lacks_content
from ..model.model import CallableFacts, ClassFacts, ModuleFacts
from ..search.story_steps import EMPTYING, is_filling
from ..source.counting_parameters import counts_things
from ..source.set_algebra import CHANGING, COMBINING, IN_PLACE, OPERATORS

MILD, SEVERE = 1, 2
CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_MOST_PARTS = 3
_SEVERAL = 3
_MEMBER_KINDS = frozenset({"method", "property"})
# Comparisons that hold of equal objects, too.
_AT_MOST = frozenset({"__ge__", "__le__", "issubset", "issuperset"})
# Operators and members that put an object together with another one.
_COMBINING = frozenset({*OPERATORS, *IN_PLACE, *COMBINING, *CHANGING, "merge"})
# Words in the names of methods that ask how alike two objects are.
_COMPARING = re.compile(r"eq|same|match|cmp|compar|alike|identical|similar|contains|includes|sub|super|copy")


def degeneracy_of(node: ast.expr, facts: ModuleFacts | None = None) -> int:
    """Rates one argument: 0 shows something, `MILD` little, `SEVERE` nothing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return degeneracy_of(node.operand, facts)
    if isinstance(node, ast.Constant):
        value = node.value
        if value is None or value == "" or value == b"" or (facts is not None and is_empty_document(value, facts)):
            return SEVERE
        if isinstance(value, int | float | complex) and not isinstance(value, bool):
            return SEVERE if value == 0 else 0
        # Of one letter several times, as of `0000`, nobody sees the order.
        return MILD if isinstance(value, str | bytes) and len(set(value.strip())) <= 1 else 0
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
    empty = [element for element in elements if isinstance(element, CONTAINERS) and degeneracy_of(element, facts) == 2]
    return MILD if empty else 0


def _of_construction(node: ast.Call, facts: ModuleFacts | None) -> int:
    """Rates an object by what its class is given: nothing, though it takes something, or degenerate values only."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if given:
        return min(degeneracy_of(argument, facts) for argument in given)
    owner = _class_named(node.func.id, facts) if isinstance(node.func, ast.Name) and facts is not None else None
    takes = owner.constructor.parameters if owner is not None and owner.constructor is not None else ()
    takes_any = any(one.name != "self" for one in takes)
    if owner is not None and any(one.name in _HOLDING for one in owner.members):
        # A container with nothing in it, unless it fills itself.
        return SEVERE if takes_any or any(map(_fills, owner.members)) else 0
    return MILD if takes else 0


def receiver_degeneracy(subject: CallableFacts | None, act: ast.expr, receiver: Receiver, facts: ModuleFacts) -> int:
    """Rates the receiver of a method: one without content shows little, where its class can be given any."""
    if subject is None or subject.kind not in _MEMBER_KINDS or subject.owner is None:
        return 0
    owner = _class_named(subject.owner, facts)
    if owner is None or owner.kind in ("enum", "exception"):
        return 0
    built, content = receiver
    if content is None:
        return 0  # something was done with the receiver before the act
    if content.count:
        # With one item in it, the first is the last; of a dozen nobody sees the order either.
        few = content.count == 1 and not _fills(subject)
        if few and subject.name in _SHOWING_ORDER:
            return SEVERE  # one item is in every order
        return MILD if few or content.crowded or _are_alike(content.statements) else 0
    if built is None:
        return 0
    if lacks_content(built, owner, facts) and not _fills(subject):
        return SEVERE
    constructor = constructor_of(owner, facts)
    given = [*built.args, *(keyword.value for keyword in built.keywords)]
    takes = constructor.parameters if constructor is not None else ()
    if given:
        # What a factory is given is what it puts in: `v(1, 2)`.
        filled = isinstance(built.func, ast.Name) and built.func.id in (owner.makers or ())
        rate = _of_parts(given, facts, of_items=filled or any(one.kind == "var_positional" for one in takes))
        if (not filled and _is_unfilled(subject, owner, given)) or _meets_its_equal(subject, act, built):
            return SEVERE
        # What a factory is given makes a whole object.
        takes_any = [one.kind for one in takes if one.name != "self"] == ["var_positional"]
        partial = isinstance(built.func, ast.Name) and is_partial(owner.constructor, len(given))
        # Of what options set up, each is for itself, and what holds several items is whole.
        partial = partial and not any(isinstance(node, CONTAINERS) and not degeneracy_of(node, facts) for node in given)
        partial = (partial and not _is_set_up_by_options(owner, facts)) or (takes_any and len(given) == 1)
        # `a <= a` holds as `a == a` does.
        partial = partial or (subject.name in _AT_MOST and _is_made_again(act, built))
        # A mapping that is made of one keyword holds one item.
        takes_names = any(one.kind == "var_keyword" for one in takes)
        single = len(given) == 1 and takes_names and bool(built.keywords)
        rate = max(rate, MILD) if partial or single else rate
        return SEVERE if rate and subject.name in _SHOWING_ORDER else rate
    if constructor is None and built_in_content(owner):
        return SEVERE  # an empty container
    if any(not parameter.required for parameter in takes):
        # The default object is what others are compared with; one that is only set up by options is as good as any.
        return 0 if _is_set_up_by_options(owner, facts) else SEVERE
    return MILD if any(_fills(member) for member in owner.members) else 0


def _of_parts(given: Sequence[ast.expr], facts: ModuleFacts, *, of_items: bool) -> int:
    """Rates what an object is made of: each of several letters shows something beside the others.

    Args:
        of_items: whether these are items of one kind, of which one that is nothing shows little.
    """
    rate = min(degeneracy_of(node, facts) for node in given)
    if of_items and degeneracy_of(given[0], facts) == SEVERE:
        return max(rate, MILD)
    return 0 if rate == MILD and len({ast.dump(node) for node in given}) >= _SEVERAL else rate


def _meets_its_equal(subject: CallableFacts, act: ast.expr, built: ast.Call) -> bool:
    """Whether an object is put together with one that is made as it is: a union of equal sets shows no union.

    So it is with what else relates two objects, as a distance does. Comparisons are of equal ones first.
    """
    relates = subject.kind == "method" and not subject.name.startswith("__") and not _COMPARING.search(subject.name)
    return (relates or subject.name in _COMBINING) and _is_made_again(act, built)


def _is_made_again(act: ast.expr, built: ast.Call) -> bool:
    same = ast.dump(built)
    return any(ast.dump(node) == same for node in ast.walk(act) if node is not built)


def receiver_options(subject: CallableFacts | None, built: ast.Call | None, facts: ModuleFacts) -> int:
    """Counts the options that set up the receiver of a method; 0 where its class holds anything else."""
    owner = _class_named(subject.owner, facts) if subject is not None and subject.owner is not None else None
    if owner is None or owner.constructor is None or not _is_set_up_by_options(owner, facts):
        return 0
    optional = {one.name for one in owner.constructor.parameters if not one.required}
    return sum(one.arg in optional for one in built.keywords) if built is not None else 0


def has_size_below_zero(
    subject: CallableFacts | None, act: ast.expr, built: ast.Call | None, facts: ModuleFacts
) -> bool:
    """Whether an option whose default is a whole number of things, as a size is, is given a negative one."""
    owner = _class_named(subject.owner, facts) if subject is not None and subject.owner is not None else None
    calls = ((subject, act), (owner.constructor if owner is not None else None, built))
    return any(
        parameter.name == keyword.arg
        and (parameter.default or "").isdecimal()
        and counts_things(called, parameter.name, parameter)
        and _is_below_zero(keyword.value)
        for called, call in calls
        if called is not None and isinstance(call, ast.Call)
        for keyword in call.keywords
        for parameter in called.parameters
    )


def _is_below_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)


def _is_unfilled(subject: CallableFacts, owner: ClassFacts, given: Sequence[ast.expr]) -> bool:
    """Whether a method that reads asks an object of plain values, such as a name, into which nothing was put yet."""
    plain = all(isinstance(node, ast.Constant | ast.UnaryOp) for node in given)
    adds = any(is_filling(one.name) and _fills(one) for one in owner.members if one.public)
    return (
        plain
        and adds
        and not _fills(subject)
        and any(one.name in _HOLDING or one.name in _TOTALS for one in owner.members)
    )


@dataclass(frozen=True, slots=True)
class Content:
    """What statements put into an object: how much, whether by a loop, and the different statements."""

    count: int = 0
    crowded: bool = False
    statements: tuple[ast.stmt, ...] = ()


Receiver = tuple[ast.Call | None, Content | None]


def receiver_of(act: ast.expr, statements: Sequence[ast.stmt], facts: ModuleFacts) -> Receiver:
    """The construction of the act's receiver and what was put in since; None where something else was done with it."""
    names = names_of(act)
    built: ast.Call | None = None
    receiver, count, crowded = "", 0, False
    done: dict[str, ast.stmt] = {}
    for statement in statements:
        assigned = assigned_variable(statement)
        if assigned is not None and assigned[0] in names and isinstance(assigned[1], ast.Call):
            receiver, built = assigned[0], assigned[1]
        elif built is None or receiver not in names_of(statement):
            continue
        elif _empties(statement):
            count, crowded = 0, False
            done.clear()
        elif _changes_something(statement, act):
            if ast.unparse(statement) in done or _adds_nothing(statement, facts):
                continue
            if count and _takes_one(statement):
                count -= 1
                if not count:
                    crowded = False
                    done.clear()
                continue
            done[ast.unparse(statement)] = statement
            crowded = crowded or isinstance(statement, ast.For)
            put_in = 1 if isinstance(statement, ast.For) else _put_in(statement)
            if not put_in:
                return built, None
            count += put_in
    return built, Content(count, crowded, tuple(done.values()))


def _empties(statement: ast.stmt) -> bool:
    """Whether a statement takes everything out of an object."""
    called = method_call(statement)
    return called is not None and called[0] in EMPTYING


def _takes_one(statement: ast.stmt) -> bool:
    """Whether a statement takes one item out of an object, without saying which: `stack.pop()`."""
    called = method_call(statement)
    return called is not None and called[0] in _TAKING_ONE and not (called[1].args or called[1].keywords)


def _adds_nothing(statement: ast.stmt, facts: ModuleFacts) -> bool:
    """Whether an object is filled with what is empty: `box.update(Box())`."""
    method, call = method_call(statement) or ("", None)
    if call is None or call.keywords or not (method in _FILLING_BY_MANY or method.startswith("update")):
        return False
    return all(
        degeneracy_of(one, facts) == SEVERE or (isinstance(one, ast.Call) and not one.args and not one.keywords)
        for one in call.args
    )


def _are_alike(statements: Sequence[ast.stmt]) -> bool:
    """Whether several statements put the same value below several keys: nobody sees which one comes back."""
    if len(statements) < 2:
        return False
    values: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Assign):
            values.add(ast.dump(statement.value))
            continue
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            return False
        values.add(ast.dump(call.args[-1]))
    return len(values) == 1


def _changes_something(statement: ast.stmt, act: ast.expr) -> bool:
    """Whether a statement does more than the act itself, than Python's functions and operators that ask an object for
    something, and than naming what is done at the end of the test."""
    if "request" in names_of(statement) or ast.unparse(statement) == ast.unparse(act):
        return False
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Call):
        return not (isinstance(value.func, ast.Name) and value.func.id in _READING)
    return not isinstance(value, ast.BinOp | ast.Compare | ast.Subscript)


_READING = frozenset("len repr str hash bool iter list tuple sorted".split())


def _is_set_up_by_options(owner: ClassFacts, facts: ModuleFacts) -> bool:
    """Whether the constructor takes flags, functions, choices or a text, and the object holds nothing else."""
    if owner.constructor is None or any(_fills(one) or one.name in _HOLDING for one in owner.members):
        return False
    known = next((one for one in facts.domains if one.qualname == owner.constructor.qualname), None)
    return any(
        (one.default or "").startswith(("True", "False", "'", '"'))
        or (known is not None and known.of(one.name).kind in ("callable", "boolean", "choice", "text"))
        for one in owner.constructor.parameters
        if not one.required
    )


# Members that say something of all that an object holds.
_TOTALS = frozenset("total subtotal count size items lines entries is_empty summary".split())
_HOLDING = frozenset("__len__ __iter__ __contains__ __getitem__".split())
# Members that say something of the order of what an object holds, or take some of it by its place.
_SHOWING_ORDER = frozenset(
    "__iter__ __reversed__ dequeue first front islice irange last peek pop popleft reverse reversed sort top".split()
)


def is_partial(constructor: CallableFacts | None, given: int) -> bool:
    """Whether an object of two or three optional parts, as an interval is, was given only one of them."""
    if constructor is None or given > 1:
        return False
    options = [one for one in constructor.parameters if not one.required and one.name not in ("self", "cls")]
    return not constructor.needed and 1 < len(options) <= _MOST_PARTS


def _put_in(statement: ast.stmt) -> int:
    """Counts what a statement puts into an object: one by `box[key] = value`, more by `box.extend([1, 2])`."""
    if isinstance(statement, ast.Assign):
        return int(isinstance(statement.targets[0], ast.Subscript))
    method, call = method_call(statement) or ("", None)
    if call is None or not call.args:
        return 0
    many = method in _FILLING_BY_MANY or method.endswith("_all")
    items = getattr(call.args[0], "elts", getattr(call.args[0], "keys", None)) if many else None
    return max(1, len(items or ())) if many or is_filling(method) else 0


def _fills(member: CallableFacts) -> bool:
    """Whether a method looks as if it put something into its object."""
    takes = [parameter for parameter in member.parameters if parameter.name not in ("self", "cls")]
    return bool(takes) and (is_filling(member.name) or member.name in _FILLING_BY_MANY)


_TAKING_ONE = frozenset("pop popitem popleft dequeue extract_min extract_max remove_min remove_max".split())
_FILLING_BY_MANY = frozenset({"extend", "update"})


def _class_named(name: str, facts: ModuleFacts | None) -> ClassFacts | None:
    return next((owner for owner in facts.classes if owner.name == name), None) if facts is not None else None
