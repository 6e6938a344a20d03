"""Resolves which part of the request an expression of a handler reads: the body, a key of it, a query, a header."""

import ast
import enum
import math

PARTS = {"args": "query", "query_params": "query", "GET": "query", "form": "form", "POST": "form", "headers": "header"}
_BODY_CALLS = ("get_json", "json")
_RAW = ("body", "data", "get_data")
_SAME = ("strip", "lower", "upper", "lstrip", "rstrip", "removeprefix", "decode", "copy", "title", "casefold")


def is_scalar(value):
    """Whether a value is a text or a number that JSON can hold."""
    return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


class RequestSources:
    """Finds places: (kind, keys), where kind is body, form, query or header, and `[]` among the keys is an item.

    `known` has what variables hold: a place, or a list of constants. `requests` are the names of the request,
    `given_names` the parameters that a caller gives a constant for.
    """

    def __init__(self, node, names, method, reads, requests, depth):
        self.node, self.names, self.method = node, names, method
        self.reads, self.requests, self.depth = reads, requests, depth
        self.known = {}
        self.given_names = {}

    def place(self, node):
        """What an expression holds of the request: (kind, place), or None."""
        found = self.places(node)
        return found[0] if found else None

    def places(self, node):
        """The same; several where a key is one of several constants."""
        if isinstance(node, ast.Await):
            return self.places(node.value)
        # `request.json or {}`: what follows is a default.
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return self.places(node.values[0])
        if isinstance(node, ast.NamedExpr):
            return self.places(node.value)
        if isinstance(node, ast.Name):
            known = self.known.get(node.id)
            return [known] if isinstance(known, tuple) else []
        if isinstance(node, ast.Attribute):
            if self.is_request(node.value):
                if node.attr == "json":
                    return [("body", ())]
                return [(PARTS[node.attr], ())] if node.attr in PARTS else []
            return []
        if isinstance(node, ast.Subscript):
            return [
                (kind, (*place, key))
                for kind, place in self.places(node.value)
                for key in self.keys(node.slice)
                if kind == "body" or not place
            ]
        return self.called(node) if isinstance(node, ast.Call) else []

    def called(self, node):
        function = node.func
        if isinstance(function, ast.Name):
            # A conversion keeps the place; a function of the module may return one.
            if function.id in ("str", "int", "float", "dict", "list") and node.args:
                return self.places(node.args[0])
            return self.returned(self.names.get(function.id))
        if not isinstance(function, ast.Attribute):
            return []
        if self.is_request(function.value) and function.attr in (*_BODY_CALLS, "form"):
            return [("form" if function.attr == "form" else "body", ())]
        # `json.loads(request.data)`.
        if function.attr in ("loads", "load") and node.args and self.is_raw(node.args[0]):
            return [("body", ())]
        if function.attr in ("get", "pop", "getlist", "setdefault") and node.args:
            return [
                (kind, (*place, key))
                for kind, place in self.places(function.value)
                for key in self.keys(node.args[0])
                if kind == "body" or not place
            ]
        return self.places(function.value) if function.attr in _SAME else []

    def returned(self, target):
        """What a small function of the module gives back."""
        raise NotImplementedError

    def is_request(self, node):
        """Whether an expression is the request."""
        return (isinstance(node, ast.Name) and node.id in self.requests) or (
            isinstance(node, ast.Attribute) and node.attr == "request"
        )

    def is_raw(self, node):
        """Whether an expression is the body as text."""
        if isinstance(node, ast.Await):
            return self.is_raw(node.value)
        if isinstance(node, ast.Call):
            return self.is_raw(node.func) or any(self.is_raw(arg) for arg in node.args[:1])
        if isinstance(node, ast.Name):
            return node.id in self.requests or self.known.get(node.id) == ("raw", ())
        if isinstance(node, ast.BoolOp):
            return self.is_raw(node.values[0])
        if not isinstance(node, ast.Attribute):
            return False
        return (self.is_request(node.value) and node.attr in _RAW) or (node.attr in _SAME and self.is_raw(node.value))

    def keys(self, node):
        """The keys that an expression may be."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else ["[]"] if isinstance(node.value, int) else []
        known = self.known.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(known, list):
            return known
        value = self.names.get(node.id) if isinstance(node, ast.Name) else None
        return [value] if isinstance(value, str) else []

    def constant(self, node):
        """A scalar that is written down, a number of the module or made of one by `str`; None for anything else.

        A text that only a name of the module stands for may be a secret: `KEY = os.environ["KEY"]`.
        """
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            inner = self.constant(node.args[0])
            return None if inner is None else str(inner)
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError):
            name = node.id if isinstance(node, ast.Name) else ""
            value = self.names.get(name)
            value = self.given_names.get(name) if isinstance(value, str) else value
        return value if is_scalar(value) else None

    def simplified(self, test):
        """A condition without what a constant decides: with `partial` False, `not partial or "title" in data` holds."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.simplified(test.operand)
            return ast.Constant(not inner.value) if isinstance(inner, ast.Constant) else test
        if isinstance(test, ast.BoolOp):
            whole, left = isinstance(test.op, ast.Or), []
            for value in map(self.simplified, test.values):
                if not isinstance(value, ast.Constant):
                    left.append(value)
                elif bool(value.value) == whole:
                    return ast.Constant(whole)
            return ast.Constant(not whole) if not left else left[0] if len(left) == 1 else ast.BoolOp(test.op, left)
        given = self.given_names.get(test.id) if isinstance(test, ast.Name) else None
        return test if given is None else ast.Constant(given)

    def constants(self, node):
        """The values of a collection that is written down or a constant of the module; None for anything else."""
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError):
            value = self.names.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return [one.value for one in value]
        return list(value) if isinstance(value, (list, tuple, set, frozenset, dict)) else None

    def number(self, node):
        """A number that is written down or a constant of the module; None for anything else."""
        value = self.constant(node)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
