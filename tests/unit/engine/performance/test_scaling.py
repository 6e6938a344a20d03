"""The inputs of a working call that have a size can grow, and stay what the call is meant for."""

from __future__ import annotations

import pytest

from testwright.engine.performance.measure import SIZES
from testwright.engine.performance.scaling import scaled_forms
from testwright.engine.python.model.model import CallableFacts, Parameter, Trial


def facts(name, *parameters):
    kinds = tuple(Parameter(one, "positional_or_keyword") for one in parameters)
    return CallableFacts(name, "function", (1, 2), kinds)


def grown(act, one, *, arrange=(), size=3):
    """What the first form of a call does at a size, as source."""
    form = scaled_forms(Trial(one.qualname, act, arrange=tuple(arrange)), one)[0]
    return form.setup(), form.act_with(form.value_of(size))


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("act", "parameter", "value"),
    [
        ("tally(['tea', 'milk'])", "words", ["tea-0", "tea-1", "tea-2"]),
        ("tally([5, 3])", "prices", [1, 7920, 5832]),
        ("tally({'tea': 3})", "stock", {"tea-0": 1, "tea-1": 7920, "tea-2": 5832}),
        ("tally({'a', 'b'})", "names", {"a-0", "a-1", "a-2"}),
        ("tally(('a', 'b'))", "names", ("a-0", "a-1", "a-2")),
        ("tally('to be, or not')", "text", "to be, or not, to be, or not, to be, or not"),
        ("tally(items=[['tea', 2]])", "items", [["tea-0", 2], ["tea-1", 2], ["tea-2", 2]]),
        ("tally(4)", "count", 3),
    ],
)
def test_an_argument_grows_with_items_like_its_own(act, parameter, value):
    _, call = grown(act, facts("tally", parameter))
    assert eval(call, {"tally": lambda *given, **named: (*given, *named.values())}) == (value,)


@pytest.mark.parametrize("argument", ["{5, 3}", "{5: 'tea'}", "{0.5: 'tea'}", "[5, 3]"])
def test_numbers_differ_up_to_the_largest_size_that_is_tried(argument):
    _, call = grown(f"tally({argument})", facts("tally", "numbers"), size=SIZES[-1])
    assert eval(call, {"tally": lambda items: len(set(items))}) == SIZES[-1]


def test_items_that_must_be_of_a_form_are_also_repeated_as_they_are():
    one = facts("tally", "dates")
    forms = scaled_forms(Trial("tally", "tally(['2024-05-03'])"), one)
    assert [eval(form.value_of(2)) for form in forms[:2]] == [
        ["2024-05-03-0", "2024-05-03-1"],
        ["2024-05-03", "2024-05-03"],
    ]


@pytest.mark.parametrize(
    "act",
    [
        "tally([1, 2], size=3)",
        "tally([1, 2], 'size')",
        "tally([1, 2], {'size': 3})",
        "tally([1, 2], '{value}')",
    ],
)
def test_texts_and_keywords_that_read_like_a_template_stay_as_they_are(act):
    _, call = grown(act, facts("tally", "prices"), size=2)
    assert call == act.replace("[1, 2]", "[number * 7919 % 10007 + 1 for number in range(2)]")


def test_names_that_the_call_uses_itself_stay_what_they_are():
    setup, call = grown(
        "cart.total()",
        facts("total"),
        arrange=["size = 2", "number = 5", "cart = cart_of(size)", "cart.append(('tea', number, size))"],
    )
    space: dict = {"cart_of": lambda size: [size]}
    exec(setup[0], space)
    assert space["cart_of_2"](2) == [2, ("tea-0", 5, 2), ("tea-1", 5, 2)]
    assert call == "cart_of_2(3).total()"


def test_a_name_that_the_call_imports_is_not_taken_for_a_function_of_its_own():
    trial = Trial("total", "cart.total()", ("from shop import cart_of",), ("cart = []", "cart.append('tea')"))
    assert scaled_forms(trial, facts("total"))[0].helper.startswith("def cart_of_2(size):")


def test_a_record_is_no_row_of_items():
    assert scaled_forms(Trial("area", "area((1, 'cm'))"), facts("area", "size")) == []


def test_an_object_is_filled_by_the_call_that_fills_it():
    setup, call = grown("cart.total()", facts("total"), arrange=["cart = []", "cart.append('tea')"])
    space: dict = {}
    exec(setup[0], space)
    assert space["cart_of"](3) == ["tea-0", "tea-1", "tea-2"]
    assert call == "cart_of(3).total()"


def test_a_call_without_a_size_has_no_form():
    assert scaled_forms(Trial("today", "today()"), facts("today")) == []
