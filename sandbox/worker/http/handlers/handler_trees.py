"""Parses handlers into syntax trees and finds the methods they take and the branches that refuse a request."""

import ast
import inspect
import re
import textwrap


def tree_of(function):
    """The syntax tree of a function, with its decorators; None where its source is not there."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        body = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return body[0] if body and isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def refuses(statements):
    """Whether a block ends with an error: it raises, aborts, or returns a status from 400."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.Raise):
        return True
    value = last.value if isinstance(last, (ast.Return, ast.Expr)) else None
    if isinstance(value, ast.Call):
        name = value.func.id if isinstance(value.func, ast.Name) else getattr(value.func, "attr", "")
        if re.search(
            r"abort|bad_?request|error|fail|refuse|invalid|NotFound|Forbidden|NotAllowed", name, re.IGNORECASE
        ):
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
