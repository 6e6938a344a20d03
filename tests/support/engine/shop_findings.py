"""Hand-written facts and findings of a small shop module, as the rooms before the writing room would give them."""

from __future__ import annotations

from typing import Any

from testwright.engine.python.model.model import (
    CallableFacts,
    ClassFacts,
    Documentation,
    Exploration,
    ModuleFacts,
    Observation,
    Parameter,
    Raised,
    RaiseSite,
    Trial,
    TrialFinding,
    Value,
)

PATH = "src/shop/cart.py"
MODULE = "shop.cart"
IMPORT_CART = "from shop.cart import Cart"


def parameter(name: str, annotation: str | None = None, default: str | None = None, kind: str = "") -> Parameter:
    """A parameter that may be given by position or by name, unless `kind` says otherwise."""
    return Parameter(name, kind or "positional_or_keyword", annotation, default)  # pyrefly: ignore[bad-argument-type]


def function(name: str, *parameters: Parameter, **more: Any) -> CallableFacts:
    """A module function."""
    return CallableFacts(name, more.pop("kind", "function"), more.pop("lines", (1, 5)), parameters, **more)


def cart_facts() -> ModuleFacts:
    """A class `Cart` and the functions `group_thousands`, `total` and `log`."""
    add = function(
        "Cart.add",
        parameter("self"),
        parameter("name", "str"),
        parameter("quantity", "int", "1"),
        kind="method",
        owner="Cart",
        lines=(20, 30),
        raises=(RaiseSite("ValueError", 24, "quantity < 1"),),
        documentation=Documentation(
            summary="Put something in.", raises=(("ValueError", "if quantity is below 1"),), lines=(21, 23)
        ),
    )
    total = function("Cart.total", parameter("self"), kind="method", owner="Cart", lines=(32, 36), returns="float")
    constructor = function("Cart", parameter("self"), parameter("owner", "str"), kind="constructor", owner="Cart")
    return ModuleFacts(
        path=PATH,
        module=MODULE,
        import_root="src",
        digest="a" * 64,
        functions=(
            function("group_thousands", parameter("value", "int"), lines=(40, 48), returns="str"),
            function("ratio", parameter("part", "float"), parameter("whole", "float"), lines=(50, 53)),
            function("log", parameter("message"), lines=(55, 58), returns="None"),
        ),
        classes=(ClassFacts("Cart", "plain", (10, 36), constructor=constructor, members=(add, total)),),
    )


def trial(subject: str, act: str, *arrange: str, **more: Any) -> Trial:
    """A trial that imports its subject's first name from the shop."""
    imports = more.pop("imports", (f"from {MODULE} import {subject.partition('.')[0]}",))
    return Trial(subject, act, imports, tuple(arrange), **more)


def returned(value: Value | None, **more: Any) -> Observation:
    """An act that returned."""
    return Observation("returned", value=value, **more)


def text(value: str) -> Value:
    """A string as the worker saw it."""
    return Value("str", repr(value), length=len(value), text=repr(value))


def number(value: float) -> Value:
    """A number as the worker saw it."""
    return Value(type(value).__name__, repr(value), approximate=isinstance(value, float), text=repr(value))


NONE = Value("NoneType", "None", text="None")


def raised(name: str, message: str, line: int = 0) -> Observation:
    """An act that raised."""
    return Observation("raised", raised=Raised(name, message, line))


def grouped_calls() -> list[TrialFinding]:
    """Three calls of `group_thousands`, one of them documented."""
    shown = trial("group_thousands", "group_thousands(1000)", source="doctest", wanted="'1,000'", wanted_line=43)
    return [
        TrialFinding(shown, returned(text("1,000")), agrees=True),
        TrialFinding(trial("group_thousands", "group_thousands(0)"), returned(text("0"))),
        TrialFinding(trial("group_thousands", "group_thousands(-1234567)"), returned(text("-1,234,567"))),
    ]


def exploration(*findings: TrialFinding, facts: ModuleFacts | None = None, **more: Any) -> Exploration:
    """An exploration of the shop's cart."""
    return Exploration(facts or cart_facts(), findings, **more)


def shop_findings() -> list[TrialFinding]:
    """Findings of every kind about the cart."""
    owner = "cart = Cart('Ann')"
    return [
        *grouped_calls(),
        TrialFinding(trial("ratio", "ratio(1, 3)"), returned(number(1 / 3))),
        TrialFinding(trial("log", "log('hello')"), returned(NONE, output="LOG: hello\n")),
        TrialFinding(
            trial("Cart", "Cart('Ann')"), returned(Value("shop.cart.Cart", attributes=(("owner", text("Ann")),)))
        ),
        TrialFinding(
            trial("Cart.add", "cart.add('apple', 0)", owner), raised("ValueError", "quantity must be positive: 0", 24)
        ),
        TrialFinding(
            trial("Cart.add", "cart.add('apple', -1)", owner), raised("ValueError", "quantity must be positive: -1", 24)
        ),
        TrialFinding(
            trial("Cart.add", "cart.add('apple', 2)", owner),
            returned(NONE, effects=(("cart.items", Value("dict", "{'apple': 2}", length=1)),)),
        ),
        TrialFinding(trial("Cart.total", "cart.total()", owner, "cart.add('apple', 2)"), returned(number(2.5))),
    ]
