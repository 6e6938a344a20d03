"""Parses handlers into syntax trees and finds the methods they take and the branches that refuse a request."""

import ast
import functools
import inspect
import os
import re
import sysconfig
import textwrap

_TREES = {}


def tree_of(function):
    """The syntax tree of a function, with its decorators; None where its source is not there. Nobody changes it."""
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
    except ValueError:
        return None
    if code is None:
        return _parsed(function)
    # Functions of two files with equal code may have other defaults.
    key = (code.co_filename, code)
    if key not in _TREES:
        _TREES[key] = _parsed(function)
    return _TREES[key]


def _parsed(function):
    try:
        source = textwrap.dedent(inspect.getsource(function))
        body = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return body[0] if body and isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef)) else None


@functools.lru_cache(maxsize=None)
def _words(tree):
    """The names of a tree and, with a dot, its attributes."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)})


def mentions_request(function, requests, depth):
    """Whether a function has a name of the request in it, or calls one of its module that has, so many calls deep."""
    tree = tree_of(function)
    if tree is None:
        return False
    words, names = _words(tree), function.__globals__
    if ".request" in words or not words.isdisjoint(requests):
        return True
    called = (names.get(word) for word in words) if depth > 0 else ()
    return any(mentions_request(one, requests, depth - 1) for one in called if inspect.isfunction(one))


@functools.lru_cache(maxsize=None)
def bound_again(tree):
    """The names that a function binds, other than by a plain assignment."""
    nodes = list(ast.walk(tree))
    assigned = [node.targets for node in nodes if isinstance(node, ast.Assign)]
    assigned += [[node.target] for node in nodes if isinstance(node, ast.AnnAssign)]
    plain = {id(target) for targets in assigned for target in targets}
    stored = [node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    names = {node.id for node in stored if id(node) not in plain}
    return names | {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}


def name_called(call):
    """The name of the function or the method that is called; "" where it has none."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def refuses(statements):
    """Whether a block ends with an error: it raises, aborts, or returns a status from 400."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.Raise):
        return True
    value = last.value if isinstance(last, (ast.Return, ast.Expr)) else None
    if isinstance(value, ast.Call):
        pattern = r"abort|bad_?request|error|fail|refuse|invalid|NotFound|Forbidden|NotAllowed"
        if re.search(pattern, name_called(value), re.IGNORECASE):
            return True
    if not isinstance(last, ast.Return) or value is None:
        return False
    return any(
        isinstance(node, ast.Constant) and type(node.value) is int and 400 <= node.value < 600
        for node in ast.walk(value)
    )


def leaves(statements):
    """Whether a function never goes on behind a block: each way through it ends with a value or an error."""
    if refuses(statements):
        return True
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return leaves(last.body)
    if isinstance(last, ast.Try):
        return all(map(leaves, ([*last.body, *last.orelse], *(handler.body for handler in last.handlers))))
    return isinstance(last, ast.Return)


def method_test(test, method):
    """Whether a condition on `request.method` holds for a method; None for any other condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        said = method_test(test.operand, method)
        return None if said is None else not said
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    if not (isinstance(test.left, ast.Attribute) and test.left.attr == "method"):
        return None
    try:
        value = ast.literal_eval(test.comparators[0])
    except (ValueError, TypeError):
        return None
    values = [value] if isinstance(value, str) else list(value)
    if isinstance(test.ops[0], (ast.Eq, ast.In)):
        return method in values
    return method not in values if isinstance(test.ops[0], (ast.NotEq, ast.NotIn)) else None


def methods_of(function):
    """The methods that a function takes, by its decorators or its tests of `request.method`; [] where none are told."""
    node = tree_of(function)
    if node is None:
        return []
    for decorator in node.decorator_list:
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
        if name in ("require_http_methods", "api_view") and isinstance(decorator, ast.Call) and decorator.args:
            try:
                return [str(each).upper() for each in ast.literal_eval(decorator.args[0])]
            except (ValueError, TypeError):
                continue
        plain = {"require_POST": ["POST"], "require_GET": ["GET"], "require_safe": ["GET"]}.get(name)
        if plain:
            return plain
    return _tested_methods(node)


def _tested_methods(node):
    tested, only = [], False
    for branch in ast.walk(node):
        if isinstance(branch, ast.If):
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                said = method_test(branch.test, method)
                if said is None:
                    continue
                refused = refuses(branch.body) if said else refuses(branch.orelse)
                others = isinstance(branch.test, ast.Compare) and isinstance(branch.test.ops[0], (ast.NotEq, ast.NotIn))
                if others and refuses(branch.body):
                    only = True
                if said != others and not refused and method not in tested:
                    tested.append(method)
    if tested and not only and not refuses(node.body) and "GET" not in tested:
        tested.insert(0, "GET")
    return tested


def own_method(thing, name):
    """The function behind a method of an object that a module holds, such as a service; None for those of libraries."""
    if thing is None or isinstance(thing, type) or inspect.ismodule(thing) or name.startswith("_"):
        return None
    found = inspect.getattr_static(type(thing), name, None)
    found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
    place = getattr(getattr(found, "__code__", None), "co_filename", "")
    return found if inspect.isfunction(found) and not os.path.realpath(place).startswith(_libraries()) else None


@functools.lru_cache(maxsize=None)
def _libraries():
    """The folders of modules that are installed, with what divides them from names in them."""
    paths = sysconfig.get_paths()
    return tuple(os.path.realpath(paths[one]) + os.sep for one in ("stdlib", "platstdlib", "purelib", "platlib"))


def takes_itself(call, target):
    """Whether a function that is called as a method of an object is given that before the call's arguments."""
    names = list(inspect.signature(target).parameters)
    return isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"])
