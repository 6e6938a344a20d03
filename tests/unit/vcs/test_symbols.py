"""Which functions of a module differ, told from its two sources."""

import textwrap

import pytest

from testwright.vcs.changed_code import changed_symbols

MODULE = '''
"""About the module."""
import math
from decimal import Decimal

__all__ = ["area", "Cart"]
LIMIT = 10
_FACTOR = 2


def area(side):
    """The area."""
    return side * side


def double(value):
    return _times(value)


def _times(value):
    return value * _FACTOR


def lone():
    return 1


class Cart:
    """A cart."""

    limit = LIMIT

    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        return self._sum()

    def _sum(self):
        return math.fsum(self.items)
'''


def told(old: str, new: str):
    assert old in MODULE
    return changed_symbols(MODULE, MODULE.replace(old, new))


@pytest.mark.feature("T-18")
@pytest.mark.parametrize(
    ("old", "new", "symbols"),
    [
        ("return side * side", "return side ** 2", ("area",)),
        ("def area(side)", "def area(side: int)", ("area",)),
        ('"""The area."""', '"""The area, never negative."""', ("area",)),
        ("def double", "@cache\ndef double", ("double",)),
        ("self.items.append(item)", "self.items += [item]", ("Cart.add",)),
        ("self.items = []", "self.items = list()", ("Cart",)),
        ("return self._sum()", "return -self._sum()", ("Cart.total",)),
        ("math.fsum(self.items)", "sum(self.items)", ("Cart",)),
        ("class Cart:", "class Cart(dict):", ("Cart",)),
        ('"""A cart."""', '"""A cart of items."""', ("Cart",)),
        ("return value * _FACTOR", "return value + value", ("double",)),
        ("_FACTOR = 2", "_FACTOR = 3", ("double",)),
        ("LIMIT = 10", "LIMIT = 11", ("Cart",)),
        ("import math", "import cmath as math", ("Cart",)),
        ("def lone():", "def other():\n    return 2\n\n\ndef lone():", ("other",)),
        ("class Cart:", "class Bag:\n    pass\n\n\nclass Cart:", ("Bag",)),
    ],
)
def test_what_changed_is_told_by_the_public_name_that_tests_would_call(old, new, symbols):
    assert told(old, new).symbols == symbols


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return side * side", "return side * side  # squared"),
        ("return side * side", "return (\n        side *\n        side)"),
        ('"""About the module."""', '"""About the module, in other words."""'),
        ('__all__ = ["area", "Cart"]', '__all__ = ["area", "Cart", "double"]'),
        ("def lone():\n    return 1\n", ""),
        ("class Cart:", 'if __name__ == "__main__":\n    print(lone())\n\n\nclass Cart:'),
        ("from decimal import Decimal\n", ""),
    ],
)
def test_comments_formatting_and_removed_code_change_no_function(old, new):
    found = told(old, new)
    assert found.nothing
    assert found.unused == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 10", "LIMIT = 10\nprint(LIMIT)"),
        ("LIMIT = 10", "LIMIT = 10\nLIMIT += 1"),
        ("import math", "import math\nfrom os.path import *"),
        ("import math", "from __future__ import annotations\nimport math"),
        ("LIMIT = 10", "if math.pi:\n    LIMIT = 10"),
        ("return 1", "return 1 +"),
    ],
)
def test_other_statements_of_the_module_and_broken_code_stand_for_all_of_it(old, new):
    assert told(old, new).symbols is None


def test_a_new_module_and_one_that_was_broken_are_changed_as_a_whole():
    assert changed_symbols(None, MODULE).symbols is None
    assert changed_symbols("def broken(:", MODULE).symbols is None


def test_moving_functions_about_changes_none():
    first, second = "def a():\n    return 1\n", "def b():\n    return 2\n"
    assert changed_symbols(first + second, second + first).nothing


def test_several_changes_are_told_in_the_order_of_the_module():
    new = MODULE.replace("return 1", "return 3").replace("side * side", "side + side").replace("append(item)", "pop()")
    assert changed_symbols(MODULE, new).symbols == ("area", "lone", "Cart.add")


def test_a_method_is_not_listed_in_addition_to_its_class():
    new = MODULE.replace("append(item)", "pop()").replace("self.items = []", "self.items = [0]")
    assert changed_symbols(MODULE, new).symbols == ("Cart",)


def test_what_no_public_function_uses_is_named():
    source = "_LEFT = 1\n\n\ndef _alone():\n    return _LEFT\n\n\ndef public():\n    return 2\n"
    found = changed_symbols(source, source.replace("_LEFT = 1", "_LEFT = 2"))
    assert found.nothing
    assert found.unused == ("_LEFT",)


def test_a_private_base_class_stands_for_the_public_classes_made_of_it():
    source = textwrap.dedent(
        """
        class _Base:
            def name(self):
                return "a"


        class Shown(_Base):
            pass
        """
    )
    assert changed_symbols(source, source.replace('"a"', '"b"')).symbols == ("Shown",)


def test_an_import_for_types_only_stands_for_those_who_name_it():
    source = textwrap.dedent(
        """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from x import Y


        def f(a: "Y"):
            return a


        def g():
            return 1
        """
    )
    assert changed_symbols(source, source.replace("from x import Y", "from z import Y")).symbols == ("f",)


def test_a_property_and_its_setter_are_one():
    source = textwrap.dedent(
        """
        class A:
            @property
            def x(self):
                return self._x

            @x.setter
            def x(self, value):
                self._x = value
        """
    )
    assert changed_symbols(source, source.replace("= value", "= value + 1")).symbols == ("A.x",)


def test_code_nested_beyond_what_can_be_compared_is_changed_as_a_whole():
    deep = "x = " + "+".join(["1"] * 3000) + "\n"
    assert changed_symbols(deep, deep).symbols in (None, ())
