"""Extracts what a handler reads of a request from its syntax tree: body keys, queries, headers, and its constraints.

Nothing is run. What is told is a beginning for requests and no promise: a check that is not understood is left out.
"""

import ast
import inspect
import re

from .handler_checks import TYPES
from .handler_optional import OptionalKeys
from .handler_schemas import keys_of
from .handler_trees import (
    bound_again,
    leaves,
    mentions_request,
    method_test,
    name_called,
    own_method,
    takes_itself,
    tree_of,
)

_USUAL = ("content-type", "accept", "host", "user-agent", "content-length", "x-requested-with", "origin", "referer")
_NUMBERS = re.compile(
    r"(^|_)(price|amount|quantity|qty|count|age|year|number|total|limit|offset|page|size|stock|rating|score|seats|"
    r"weight|height|width|balance|cents|stars|id)s?$"
)
_FLAGS = re.compile(r"^(is|has|can)_|(^|_)(done|completed?|active|enabled|finished|archived|available|published)$")
_MOST_DEPTH = 3
_MOST_WALKS = 200
"""How many functions are gone through for one handler."""


class Reads:
    """What was found: `keys` by (kind, place) → schema; places of the body are tuples of keys, `[]` for an item."""

    def __init__(self, left=None):
        self.keys = {}
        self.models = []
        self.body = False
        # How many more functions may be gone through, shared by all that belong to one handler.
        self.left = [_MOST_WALKS] if left is None else left

    def at(self, kind, place):
        """The schema of a key, made where it is new."""
        if kind == "body":
            self.body = True
        return self.keys.setdefault((kind, place), {})

    def headers(self):
        """The headers that are read and not usual ones, as they are spelled → whether they must be there."""
        found = {place[0]: told for (kind, place), told in self.keys.items() if kind == "header" and place}
        return {name: bool(told.get("required")) for name, told in found.items() if name.lower() not in _USUAL}

    def schema(self, kind):
        """The object schema of what is read of one kind; {} where nothing is."""
        whole: dict = {"type": "object", "properties": {}}
        for (found, place), told in self.keys.items():
            if found == kind and place:
                _put(whole, place, told)
        return whole if whole["properties"] else {}


def _put(schema, place, told):
    key, rest = place[0], place[1:]
    if key == "[]":
        schema["type"] = "array"
        inner = schema.setdefault("items", {})
    else:
        if schema.get("type", "object") != "object":
            return
        schema["type"] = "object"
        inner = schema.setdefault("properties", {}).setdefault(key, {})
    if rest:
        _put(inner, rest, told)
        return
    told = dict(told)
    if told.pop("required", False) and key != "[]":
        schema.setdefault("required", []).append(key)
    for name, value in told.items():
        inner.setdefault(name, value)


def of_handler(handler, method, first=()):
    """The reads of one function for one method, with those of the functions of its module that it hands requests to."""
    reads, tree = Reads(), tree_of(handler)
    if tree is not None:
        names = dict(getattr(handler, "__globals__", {}))
        _Walk(tree, names, method, reads, set(first) | {"request", "req"}, 0).run()
    for (kind, place), told in reads.keys.items():
        _guess(kind, place, told)
    return reads


def _guess(kind, place, told):
    """What a key is by its name, where nothing else tells, and a default of that type."""
    _typed(kind, place, told)
    if not told.get("examples", True):
        del told["examples"]
    default = told.pop("default", None)
    if told.get("type") == "integer" and isinstance(default, str) and default.isdigit():
        default = int(default)
    # An empty text tells nothing of what is usual.
    if default not in (None, "") and TYPES.get(type(default).__name__) == told.get("type", "string"):
        told["default"] = default


def _package(names):
    return str(names.get("__name__", "")).partition(".")[0]


def _typed(kind, place, told):
    if "type" in told or "enum" in told or not place or kind == "header":
        return
    if any(name in told for name in ("minLength", "maxLength", "pattern")):
        told["type"] = "string"
    elif "minimum" in told or "maximum" in told or _NUMBERS.search(place[-1]):
        told["type"] = "integer"
    elif _FLAGS.search(place[-1]):
        told["type"] = "boolean"


class _Walk(OptionalKeys):
    """Goes through one function.

    `following` are the statements behind the one that is read.
    """

    following = ()

    def __init__(self, *args):
        super().__init__(*args)
        self.given_back = {}

    def run(self):
        """Read all of it, where not too much was read before."""
        self.reads.left[0] -= 1
        if self.reads.left[0] >= 0:
            self.block(self.node.body)

    def block(self, statements):
        """Statements in order; whether they end the function."""
        before, ended = self.following, False
        for at, statement in enumerate(statements):
            rest = statements[at + 1 :]
            self.following = (*rest, *(() if leaves(rest) else before))
            ended = self.ends(statement)
            if ended:
                break
        self.following = before
        return ended

    def ends(self, statement):
        """Read a statement; whether the function ends with it. Branches for other methods are not entered."""
        if isinstance(statement, ast.If):
            said = method_test(statement.test, self.method)
            test = self.simplified(statement.test)
            if said is None and isinstance(test, ast.Constant) and not isinstance(statement.test, ast.Constant):
                said = bool(test.value)
            if said is not None:
                return self.block(statement.body if said else statement.orelse)
            statement = ast.If(test, statement.body, statement.orelse)
            self.look(statement.test)
            self.checked(statement)
            return self.branches(statement)
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            self.bound(statement.target, statement.iter)
            self.look(statement.iter)
            self.block(statement.body)
            return False
        if isinstance(statement, (ast.With, ast.AsyncWith, ast.While)):
            for part in getattr(statement, "items", ()):
                self.look(part)
            return self.block(statement.body) and not isinstance(statement, ast.While)
        if isinstance(statement, ast.Try):
            ended = self.block([*statement.body, *statement.orelse])
            for part in statement.handlers:
                self.block(part.body)
            return self.block(statement.finalbody) or ended
        self.look(statement)
        if isinstance(statement, ast.Assert):
            self.holds(statement.test, True)
        return isinstance(statement, (ast.Return, ast.Raise))

    def branches(self, node):
        """Both branches of a condition; whether the function ends with either."""
        without = [*node.orelse, *(self.following if leaves(node.body) else ())]
        with self.given_keys(node.test, True, without):
            ended = self.block(node.body)
        with self.given_keys(node.test, False, node.body):
            return self.block(node.orelse) and ended

    def look(self, node):
        """Read an expression or a plain statement."""
        special = getattr(self, "on_" + type(node).__name__.lower(), self.inside)
        special(node)

    def inside(self, node):
        """Read all that it consists of."""
        for child in ast.iter_child_nodes(node):
            self.look(child)

    def on_listcomp(self, node):
        for generator in node.generators:
            self.bound(generator.target, generator.iter)
        self.inside(node)

    on_generatorexp = on_setcomp = on_dictcomp = on_listcomp

    def on_assign(self, node):
        self.look(node.value)
        place = self.place(node.value)
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                places = [self.place(value) for value in node.value.elts]
                pairs = zip(target.elts, places)
                self.known.update({one.id: found for one, found in pairs if isinstance(one, ast.Name) and found})
            elif isinstance(target, ast.Name):
                for names in (self.known, self.names, self.given_names):
                    names.pop(target.id, None)
                if place is not None:
                    self.known[target.id] = place
                elif any(isinstance(inner, ast.Attribute) and self.is_raw(inner) for inner in ast.walk(node.value)):
                    self.known[target.id] = ("raw", ())

    def on_namedexpr(self, node):
        self.look(node.value)
        place = self.place(node.value)
        if place is not None:
            self.known[node.target.id] = place

    def on_annassign(self, node):
        if node.value is not None:
            self.on_assign(ast.Assign([node.target], node.value))

    def on_return(self, node):
        if isinstance(node.value, ast.IfExp):
            self.chosen(node.value, ast.Return)
        else:
            self.inside(node)

    def on_ifexp(self, node):
        self.chosen(node, ast.Expr)

    def chosen(self, node, statement):
        """One of two values, which a statement of this kind takes."""
        self.look(node.test)
        with self.given_keys(node.test, True, [statement(node.orelse)]):
            self.look(node.body)
        with self.given_keys(node.test, False, [statement(node.body)]):
            self.look(node.orelse)

    def on_boolop(self, node):
        before = self.optional
        if isinstance(node.op, ast.Or):
            self.defaulted.update(place for value in node.values[:-1] for place in self.places(value))
        for value in node.values:
            self.look(value)
            holds = isinstance(node.op, ast.And)
            self.optional = self.optional | self.found_keys(value, holds) | self.held_keys(value, holds)
        self.optional = before

    def on_subscript(self, node):
        self.inside(node)
        for kind, place in self.places(node):
            if isinstance(node.ctx, ast.Load):
                told = self.reads.at(kind, place)
                if (kind, place) not in self.optional:
                    told["required"] = True

    def on_compare(self, node):
        """What a query is compared with is a value that makes a difference: `request.args.get("all") == "yes"`."""
        self.inside(node)
        value = self.constant(node.comparators[0])
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and isinstance(value, str) and value:
            for kind, place in self.places(node.left):
                known = self.reads.at(kind, place).setdefault("examples", []) if kind == "query" and place else [value]
                known.extend([] if value in known else [value])

    def on_call(self, node):
        self.inside(node)
        place = self.place(node)
        name = name_called(node)
        if place is not None and place[1] and name in ("get", "pop", "getlist"):
            self.given(node, name, place)
        elif place is not None and not place[1] and place[0] == "body":
            self.reads.body = True
        if name in ("int", "float") and node.args:
            inner = self.place(node.args[0])
            if inner is not None and inner[1]:
                self.reads.at(*inner).setdefault("type", TYPES[name])
        self.handed(node)

    def given(self, node, name, place):
        """`get("limit", 10, type=int)`."""
        told = self.reads.at(*place)
        if name == "getlist":
            told.setdefault("type", "array")
            return
        default = node.args[1] if len(node.args) > 1 else None
        for keyword in node.keywords:
            if keyword.arg == "type" and isinstance(keyword.value, ast.Name) and keyword.value.id in TYPES:
                told.setdefault("type", TYPES[keyword.value.id])
            default = keyword.value if keyword.arg == "default" else default
        if default is None:
            return
        if not isinstance(default, ast.Constant) or default.value is not None:
            self.defaulted.add(place)
        value = self.constant(default)
        if value is not None:
            told.setdefault("default", value)
        try:
            kind = TYPES.get(type(value if value is not None else ast.literal_eval(default)).__name__)
        except ValueError:
            return
        # All that a query holds is text: a text as its default tells no type.
        if kind and (place[0] == "body" or kind != "string"):
            told.setdefault("type", kind)

    def handed(self, node):
        """A function or a model of the module that is given the request or its body."""
        callee = node.func
        target = self.names.get(callee.id) if isinstance(callee, ast.Name) else None
        if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name):
            # Pydantic's ways to make a model of the body, besides calling the class.
            if callee.attr in ("model_validate", "parse_obj"):
                target = self.names.get(callee.value.id)
            else:
                target = own_method(self.names.get(callee.value.id), callee.attr)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(target, type) and any(self.place(value) == ("body", ()) for value in given):
            self.reads.models.append(target)
            self.reads.body = True
        elif given and self.place(given[0]) == ("body", ()) and self.is_by_schema(callee, node.keywords):
            self.reads.body = True
        elif inspect.isfunction(target) and self.depth + 1 < _MOST_DEPTH:
            self.entered(node, target)

    def is_by_schema(self, callee, keywords):
        """Whether a schema loads or dumps the body, whose keys are read then: `user_schema.load(request.json)`."""
        if not isinstance(callee, ast.Attribute):
            return False
        made = callee.value if isinstance(callee.value, ast.Call) else None
        owner = callee.value if made is None else made.func
        schema = self.names.get(owner.id) if isinstance(owner, ast.Name) else None
        settings = {one.arg: one.value for one in [*(made.keywords if made is not None else ()), *keywords]}
        # Of several things, or of some of its keys, the schema itself tells too much.
        if {"many", "only", "exclude"} & set(settings):
            return False
        said = settings.get("partial")
        partial = None if said is None else not (isinstance(said, ast.Constant) and not said.value)
        keys = list(keys_of(schema, callee.attr, partial))
        for key, told, required in keys:
            found = self.reads.at("body", (key,))
            for name, value in {**told, **({"required": True} if required else {})}.items():
                found.setdefault(name, value)
        return bool(keys)

    def entered(self, node, target):
        """Read a function that a call gives the request, parts of it, or names of what it is to read."""
        tree = tree_of(target)
        if tree is None:
            return
        walk = self.walk_of(target, tree, self.reads)
        named = [parameter.arg for parameter in tree.args.args][takes_itself(node, target) :]
        given = dict(zip(named, node.args))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        handed, fixed = False, set(named) - bound_again(tree)
        for name, value in given.items():
            place, constant = self.place(value), self.constant(value)
            if place is not None:
                walk.known[name] = place
            elif self.is_request(value):
                walk.requests.add(name)
                handed = True
            elif constant is not None and name in fixed:
                walk.given_names[name] = constant
        # What a module names in a call is of the project; the functions of a framework read nothing for it.
        own = _package(target.__globals__) == _package(self.names)
        named_here = own and any(isinstance(value, str) for value in walk.given_names.values())
        for parameter, value in zip(named[::-1], tree.args.defaults[::-1]):
            taken = parameter in fixed and parameter not in given
            if taken and isinstance(value, ast.Constant) and value.value is not None:
                walk.given_names[parameter] = value.value
        for parameter in named:
            walk.names.pop(parameter, None)
        walk.names.update(walk.given_names)
        walk.optional, walk.defaulted = self.optional, self.defaulted
        # A function that is called without arguments may still read the global request.
        if walk.known or handed or ((named_here or not node.args) and self.mentions(target)):
            walk.run()

    def walk_of(self, target, tree, reads):
        """What goes through a function that is called here."""
        return _Walk(tree, dict(target.__globals__), self.method, reads, set(self.requests), self.depth + 1)

    def mentions(self, target):
        """Whether a function that is called here may read the request without being given it."""
        return mentions_request(target, self.requests, _MOST_DEPTH - 2 - self.depth)

    def returned(self, target):
        """What a small function of the module gives back: `def payload(): return request.get_json()`."""
        if not inspect.isfunction(target) or self.depth + 1 >= _MOST_DEPTH:
            return []
        if target not in self.given_back:
            self.given_back[target] = self.places_returned(target)
        return self.given_back[target]

    def places_returned(self, target):
        tree = tree_of(target)
        if tree is None or len(tree.body) > 12 or not self.mentions(target):
            return []
        walk = self.walk_of(target, tree, Reads(self.reads.left))
        walk.run()
        found = [walk.place(node.value) for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
        return [place for place in found if place is not None][:1]
