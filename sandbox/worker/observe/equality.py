"""Finds what comparisons of objects say: an `__eq__` that cannot fail, since it does not look at what an object was
built from, and results that equal what went in."""

import ast
import copy
import re
from collections import abc

MAX_VARIANTS = 4
_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop, ast.expr_context)

_BUILDERS = {one.__name__: one for one in (list, tuple, set, frozenset, dict)}


def tells_apart(source, scope, thing):
    """Whether `thing` differs from something that is built like it with one literal changed.

    True, too, where no such thing can be built, so that there is nothing to learn.
    """
    compared = 0
    for variant in variants(source):
        try:
            other = eval(compile(variant, "<value>", "eval"), dict(scope))
            if (other == thing) is not True:
                return True
        except Exception:  # the class may refuse the changed value
            continue
        compared += 1
    return not compared


def variants(source):
    """Yield up to MAX_VARIANTS expressions that differ from `source` in one literal, or in an item for nothing."""
    tree = ast.parse(source, mode="eval")
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.List) and not node.elts][:1]:
        node.elts = [ast.Constant(1)]
        yield ast.fix_missing_locations(copy.deepcopy(tree))
        node.elts = []
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and _changed(node.value) is not None]
    # The last one, too: what is compared may stand behind what is only described.
    for node in nodes if len(nodes) <= MAX_VARIANTS else (*nodes[: MAX_VARIANTS - 1], nodes[-1]):
        kept = node.value
        node.value = _changed(kept)
        yield ast.fix_missing_locations(copy.deepcopy(tree))
        node.value = kept


def _changed(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 2 + 1
    if isinstance(value, str):
        return value + "x"
    return value + b"x" if isinstance(value, bytes) else None


def gives_back(result, act, names, namespace):
    """Whether a call or an operator gave an object that equals one of its own, or `repr(...)` of such an object.

    Args:
        act: the source of the call.
        names: the variables that the trial has made.
        namespace: what they hold, and what the source of objects reads.
    """
    of_text = act.startswith("repr(")
    if not of_text and type(result).__module__ == "builtins":
        return False
    try:
        return any(_is_like(result, one, of_text) for one in _given(act, of_text, names, namespace))
    except Exception:  # how a project's objects compare, and what its properties do, is their business
        return False


def converts(result, act, names, namespace, package):
    """Whether a call gave a collection that equals something that it was passed, of another type: a list of a vector.

    Args:
        package: of the target. What its functions and classes make of literals is made once more.
    """
    if not isinstance(result, abc.Collection) or isinstance(result, (str, bytes)):
        return False
    try:
        node = ast.parse(act.strip(), mode="eval").body
        passed = node.args if isinstance(node, ast.Call) and not _names_type(node.func, result) else ()
        operands = [one for one in passed if _may_be_made_again(one, names, namespace, package)]
        given = [eval(compile(ast.Expression(one), "<operand>", "eval"), namespace) for one in operands]
        return any(not isinstance(one, type(result)) and bool(one == result) for one in given)
    except Exception:  # how objects of a project compare, and what its functions do, is their business
        return False


def _names_type(func, result):
    """Whether what is called is the very type of the result, which is then no news: `list(row)`."""
    return isinstance(func, ast.Name) and func.id == type(result).__name__


def _may_be_made_again(node, names, namespace, package):
    """Whether an expression is of literals, variables of the trial, and calls of what the target's package defines."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found = namespace.get(part.id, _BUILDERS.get(part.id))
            home = (getattr(found, "__module__", None) or "").partition(".")[0]
            if part.id not in names and found not in _BUILDERS.values() and home != package:
                return False
        elif not isinstance(part, (*_LITERAL, ast.Call, ast.keyword)):
            return False
    return True


def _is_like(result, one, of_text):
    if type(one).__eq__ is object.__eq__ or type(one).__module__ == "builtins":
        return False
    return repr(one) == result if of_text else type(one) is type(result) and bool(one == result)


def _given(act, of_text, names, namespace):
    """The object that is asked, then those that are passed: variables, and objects made of literals."""
    name, *parts = re.split(r"[^\w.]", act[5 if of_text else 0 :], maxsplit=1)[0].split(".")
    if name in names:
        one = namespace.get(name)
        for part in parts[:-1]:  # the last one is the method
            one = getattr(one, part)
        yield one
    node = ast.parse(act.strip(), mode="eval").body
    node = node.args[0] if of_text and isinstance(node, ast.Call) and node.args else node
    passed = node.args if isinstance(node, ast.Call) else [node.right] if isinstance(node, ast.BinOp) else []
    for operand in passed:
        if isinstance(operand, ast.Name) and operand.id in names:
            yield namespace[operand.id]
        elif _is_object_of_literals(operand, namespace):
            yield eval(compile(ast.Expression(operand), "<operand>", "eval"), namespace)


def _is_object_of_literals(call, namespace):
    """Whether an expression calls a class, and no function, with literals."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return False
    if not isinstance(namespace.get(call.func.id), type):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(isinstance(part, _LITERAL) for one in given for part in ast.walk(one))
