"""Extracts the constraints a handler puts on its input from its syntax tree: types, bounds, lengths, choices."""

import ast

from .handler_places import RequestSources, is_scalar
from .handler_trees import name_called, refuses

TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}

_DIGITS = ("isdigit", "isdecimal", "isnumeric")
_LETTERS = {**dict.fromkeys(_DIGITS, "^[0-9]+$"), "isalnum": "^[A-Za-z0-9]+$", "isalpha": "^[A-Za-z]+$"}
_LETTERS["isidentifier"] = "^[A-Za-z_][A-Za-z0-9_]*$"


def _takes_none(kinds):
    return any(isinstance(one, ast.Constant) or "None" in ast.unparse(one) for one in kinds)


class Checks(RequestSources):
    """Notes what conditions say of keys.

    `optional` are the keys that a test has found there, `defaulted` those in whose place something else is taken.
    """

    optional = frozenset()

    def __init__(self, *args):
        super().__init__(*args)
        self.defaulted = set()

    def bound(self, target, values):
        """A loop variable: an item of what is looped over, or constants."""
        if isinstance(target, ast.Name):
            place = self.place(values)
            constants = self.constants(values)
            if place is not None and place[0] == "body":
                self.known[target.id] = ("body", (*place[1], "[]"))
                self.reads.at("body", place[1])["type"] = "array"
            elif constants is not None:
                self.known[target.id] = [constant for constant in constants if isinstance(constant, str)]

    def checked(self, node):
        """A branch that ends in an error says what must not be."""
        if refuses(node.body):
            self.holds(node.test, False)
        elif refuses(node.orelse):
            self.holds(node.test, True)

    def holds(self, test, positive, sure=True):
        """Note what a condition that must hold (or must not) says of what is read.

        Args:
            sure: whether it must hold whatever else does; not so of the parts of `x is not None and x > 3`.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.holds(test.operand, not positive, sure)
        elif isinstance(test, ast.BoolOp):
            each = sure and isinstance(test.op, ast.And) == positive
            for value in test.values:
                self.holds(value, positive, each)
        elif isinstance(test, ast.Compare):
            left = test.left
            for at, right in enumerate(test.comparators):
                self.compared(left, test.ops[at], right, positive)
                left = right
        elif isinstance(test, ast.Call):
            self.tested(test, positive, sure)
        elif positive:
            for place in self.places(test):
                self.reads.at(*place)["required"] = True

    def tested(self, call, positive, sure):
        """`isinstance(x, str)`, `re.fullmatch(pattern, x)`, `x.isdigit()`, `all(key in data for key in …)`."""
        name = name_called(call)
        if name == "isinstance" and len(call.args) == 2 and positive:
            self.typed(call.args[0], call.args[1], sure)
        elif name in _LETTERS and isinstance(call.func, ast.Attribute) and positive:
            for place in self.places(call.func.value):
                self.spelled(place, name)
        elif name in ("match", "fullmatch") and len(call.args) == 2 and positive:
            pattern = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
            for place in self.places(call.args[1]):
                if isinstance(pattern, str):
                    # `re.match` is anchored at the start only, JSON Schema's pattern nowhere.
                    tail = "" if name == "match" or pattern.endswith("$") else "$"
                    self.reads.at(*place)["pattern"] = ("" if pattern.startswith("^") else "^") + pattern + tail
        # Each item of the iteration is held to the condition.
        elif name in ("all", "any") and call.args and isinstance(call.args[0], (ast.GeneratorExp, ast.ListComp)):
            for generator in call.args[0].generators:
                self.bound(generator.target, generator.iter)
            self.holds(call.args[0].elt, positive)
        elif positive:
            for place in self.places(call):
                if place[1]:
                    self.reads.at(*place)["required"] = True

    def typed(self, value, kinds, sure):
        """`isinstance(x, str)`: the type of a key, which must be there where None is of no such type."""
        kinds = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        known = [TYPES[one.id] for one in kinds if isinstance(one, ast.Name) and one.id in TYPES]
        # Of several allowed types the widest is the one that a valid request may have.
        kind = "number" if "number" in known else known[0] if known else None
        for place in self.places(value):
            if kind and place[1]:
                told = self.reads.at(*place)
                told["type"] = kind
                # What may lack has a default, or is asked for where it is there.
                lacks = place in self.optional or place in self.defaulted or _takes_none(kinds)
                if sure and not lacks:
                    told["required"] = True

    def spelled(self, place, name):
        """What `x.isdigit()` and the like say of a key: a number in a query, a pattern in a body."""
        told = self.reads.at(*place)
        if not place[1]:
            return
        if place[0] != "body" and name in _DIGITS:
            told["type"] = "integer"
            told.setdefault("minimum", 0)
        else:
            told.setdefault("pattern", _LETTERS[name])

    def compared(self, left, operator, right, positive):
        if isinstance(operator, (ast.In, ast.NotIn)):
            self.contained(left, right, isinstance(operator, ast.In) == positive)
            return
        if isinstance(operator, (ast.Is, ast.IsNot)):
            if isinstance(operator, ast.IsNot) == positive and isinstance(right, ast.Constant) and right.value is None:
                for place in self.places(left):
                    self.reads.at(*place)["required"] = True
            return
        if isinstance(operator, ast.Eq) and not positive:
            # What is refused is no example of what may be sent.
            for place in self.places(left):
                told, refused = self.reads.at(*place), self.constant(right)
                told["examples"] = [value for value in told.pop("examples", ()) if value != refused]
        signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
        sign, number = signs.get(type(operator)), self.number(right)
        if sign is None:
            return
        if number is None:
            left, number = right, self.number(left)
            sign = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[sign]
        if not positive:
            sign = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[sign]
        if number is not None:
            self.bounded(left, sign, number)

    def bounded(self, node, sign, number):
        length = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
        for place in self.places(node.args[0] if length and node.args else node):
            if not place[1]:
                continue
            told = self.reads.at(*place)
            if length:
                number = int(number) + {"<": -1, ">": 1}.get(sign, 0)
                kind = "Items" if told.get("type") == "array" else "Length"
                told[("max" if "<" in sign else "min") + kind] = max(number, 0)
            else:
                plain = "maximum" if "<" in sign else "minimum"
                told[plain if "=" in sign else "exclusive" + plain.capitalize()] = number
                told.setdefault("type", "number" if isinstance(number, float) else "integer")

    def contained(self, left, right, positive):
        """`x in ("a", "b")`, and `"key" in data`."""
        if not positive:
            return
        for kind, place in self.places(right):
            for key in self.keys(left):
                if kind == "body" or not place:
                    self.reads.at(kind, (*place, key))["required"] = True
        values = self.constants(right)
        if values and isinstance(left, ast.Call):
            # `sort.lstrip("-") in SORTS`: what is taken away may be there.
            signs = self.taken_away(left)
            values = [*values, *(f"{sign}{value}" for sign in signs for value in values if isinstance(value, str))]
        for place in self.places(left):
            if values and place[1] and all(map(is_scalar, values)):
                self.reads.at(*place)["enum"] = sorted(values, key=str) if isinstance(values, set) else values

    def taken_away(self, call):
        """What `x.lstrip("+-")` and `x.removeprefix("-")` may take away: one of some letters, or a whole text."""
        name = getattr(call.func, "attr", "")
        taken = self.constant(call.args[0]) if name in ("lstrip", "removeprefix") and call.args else None
        if not taken or not isinstance(taken, str):
            return []
        return [taken] if name == "removeprefix" else list(taken)
