"""What a project calls like a part of the test file gets another name in it, and keeps its meaning."""

from __future__ import annotations

import pytest

from testwright.engine.performance.compose import Measured, compose_performance_spec
from testwright.engine.performance.model import Cost, Growth, Repeat, ScaledForm
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.model.model import ModuleFacts, Trial
from testwright.engine.python.model.spec_case import SpecExpectation

FACTS = ModuleFacts("shop.py", "shop", ".", "0" * 64)
SIX = OracleVerdict((SpecExpectation("equals", value="6"),))
COST = Cost(100, (90, 110), 500)


def composed(*measured):
    return compose_performance_spec(FACTS, measured, {})


@pytest.mark.parametrize(
    "name", ["additions", "work_ratio", "best_times", "benchmark", "first", "time", "sys", "ROUNDS"]
)
def test_a_function_called_like_one_of_the_test_file_is_imported_by_another_name(name):
    trial = Trial(name, f"{name}(3)", (f"from shop import {name}",))
    spec = composed(Measured(name, trial, SIX, COST))
    assert spec["cases"][0]["act"]["expression"] == f"{name}_of_shop(3)"
    assert spec["imports"] == [f"from shop import {name} as {name}_of_shop"]


@pytest.mark.parametrize("name", ["total", "times", "number", "call"])
def test_what_is_called_like_a_variable_inside_a_function_of_the_file_keeps_its_name(name):
    spec = composed(Measured(name, Trial(name, f"{name}(3)", (f"from shop import {name}",)), SIX, COST))
    assert spec["cases"][0]["act"]["expression"] == f"{name}(3)"


def test_a_variable_called_like_one_of_the_test_is_another_one():
    trial = Trial(
        "Benchmark.total",
        "benchmark.total(first)",
        ("from shop import Benchmark",),
        ("first = 'benchmark'", "benchmark = Benchmark()"),
    )
    cached = Measured("Benchmark.total", trial, SIX, repeat=Repeat(0.01, 0.1), before=trial.arrange)
    (case,) = composed(cached)["cases"]
    statements = ["first_2 = 'benchmark'", "benchmark_2 = Benchmark()"]
    assert case["arrange"]["statements"] == statements
    assert case["act"]["first"] == statements
    assert case["act"]["expression"] == "benchmark_2.total(first_2)"


def test_a_function_called_like_one_that_builds_inputs_is_imported_by_another_name():
    form = ScaledForm(
        "items", "cart", (), "cart_of(__size__)", "__value__.total()", "def cart_of(size):\n    return [size]"
    )
    grows = Measured(
        "Cart.total", Trial("Cart.total", "Cart().total()"), SIX, growth=Growth("linear", (10, 80), 8, (8, 8), 23)
    )
    grows.form, grows.source, grows.large = form, grows.trial, SIX
    other = Measured("cart_of", Trial("cart_of", "cart_of(3)", ("from shop import cart_of",)), SIX, COST)
    larger, cost = composed(grows, other)["cases"]
    assert larger["arrange"]["statements"][1:] == ["small_cart = cart_of(10)", "large_cart = cart_of(80)"]
    assert cost["act"]["expression"] == "cart_of_of_shop(3)"


def test_inputs_have_names_that_the_call_does_not_use():
    form = ScaledForm("items", "items", ("few_items = [1]",), "few_items * __size__", "total(__value__)")
    grows = Measured("total", Trial("total", "total([1])"), SIX, growth=Growth("linear", (10, 80), 8, (8, 8), 23))
    grows.form, grows.source, grows.large = form, grows.trial, SIX
    (case,) = composed(grows)["cases"]
    assert case["arrange"]["statements"] == [
        "few_items = [1]",
        "few_items_2 = few_items * 10",
        "many_items = few_items * 80",
    ]
