"""Tells which keys of a request a test has found there: what follows may take them, and a request may lack them."""

import ast
import contextlib

from .handler_checks import Checks
from .handler_trees import refuses


class OptionalKeys(Checks):
    """Keeps `optional` up to date."""

    @contextlib.contextmanager
    def given_keys(self, test, holds, without):
        """Keys that a test finds there (`"sort" in request.args`) may be left out, though what follows takes them.

        Args:
            holds: whether the test holds in what follows.
            without: the statements that are run without the keys; where these refuse the request, it needs the keys.
        """
        before, found = self.optional, self.found_keys(test, holds)
        if isinstance(test, ast.BoolOp):
            # `not partial or "title" in data`: it may be there for the one reason or the other.
            self.optional = self.optional.union(*(self.found_keys(value, holds) for value in test.values))
        if not refuses(without):
            self.optional = self.optional | found | self.held_keys(test, holds)
        else:
            for key in found:
                self.reads.at(*key)["required"] = True
        yield
        self.optional = before

    def found_keys(self, test, holds):
        """The keys that are there where a test holds, or where it does not."""
        return self.told_keys(test, holds, self.found)

    def held_keys(self, test, holds):
        """The keys that hold something where a test holds, or where it does not: `if x:`, `if x is not None:`."""
        return self.told_keys(test, holds, self.held)

    def told_keys(self, test, holds, told):
        """The keys that the parts of a test tell of which all hold, or all do not.

        Args:
            told: gives the keys that one part tells of.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.told_keys(test.operand, not holds, told)
        if isinstance(test, ast.BoolOp):
            each = isinstance(test.op, ast.And) == holds
            parts = (self.told_keys(value, holds, told) for value in test.values)
            return frozenset().union(*parts) if each else frozenset()
        return frozenset(told(test, holds))

    def found(self, test, holds):
        """`"sort" in request.args`."""
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In if holds else ast.NotIn):
            holder = test.comparators[0]
            if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute) and holder.func.attr == "keys":
                holder = holder.func.value
            return self.places(ast.Subscript(holder, test.left, ast.Load()))
        return []

    def held(self, test, holds):
        """`x` and `x is not None`."""
        if isinstance(test, ast.Compare):
            right = test.comparators[0]
            none = isinstance(right, ast.Constant) and right.value is None
            told = none and isinstance(test.ops[0], ast.IsNot if holds else ast.Is)
            return self.places(test.left) if told else []
        return self.places(test) if holds else []
