"""Requests in plain words, sorted into heaps."""

import pytest

from testwright.agents.embedded.plan.request.parser import parse_request

pytestmark = pytest.mark.feature("T-02")


def mentioned(text: str) -> list[str]:
    return [mention.text for mention in parse_request(text).mentions if not mention.excluded]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("unit tests for the shop example", ["shop"]),
        ("unit tests for src/humanize", ["src/humanize"]),
        ("cover src/shop/cart.py and shop.pricing:parse_price.", ["src/shop/cart.py", "shop.pricing:parse_price"]),
        ("please test `my folder/x.py`, thoroughly", ["my folder/x.py"]),
        ("test humanize.time's naturaldelta", ["humanize.time", "naturaldelta"]),
        ("unit tests for unit.py", ["unit.py"]),
        ("unit tests for config.load", ["config.load"]),
        ("unit tests for `load` and `pytest` with pytest", ["load", "pytest"]),
        ("", []),
    ],
)
def test_names_are_found_among_the_words(text, names):
    assert mentioned(text) == names


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("unit tests for cart", ("unit",)),
        ("test the orders service: its API, then how checkout works across modules", ("api", "integration")),
        ("what breaks under load?", ("performance",)),
        ("cover src/api/unit_of_work.py", ()),
        ("end-to-end tests of the login", ("e2e",)),
        ("unit tests for config.load", ("unit",)),
        ("unit tests for `load`, 'api' and \"integration\"", ("unit",)),
    ],
)
def test_test_types_are_read_in_the_order_they_are_asked_for(text, types):
    assert parse_request(text).test_types == types


@pytest.mark.parametrize(
    "text",
    ["only what has no tests", "everything without tests", "cover untested code", "functions that are not tested"],
)
def test_asking_for_untested_code_is_understood(text):
    assert parse_request(text).only_untested
    assert mentioned(text) == []


def test_what_stands_after_except_is_excluded():
    words = parse_request("everything except orders and shop.stock")
    assert words.whole
    assert [(mention.text, mention.excluded) for mention in words.mentions] == [("orders", True), ("shop.stock", True)]


@pytest.mark.parametrize(
    ("text", "framework"), [("cart with unittest", "unittest"), ("pytest for cart", "pytest"), ("cart", None)]
)
def test_a_framework_is_read(text, framework):
    assert (parse_request(text).frameworks or (None,))[0] == framework


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (
            "test the orders service: its API, then how checkout works across modules",
            [("api", ["orders", "service"]), ("integration", ["checkout"])],
        ),
        ("unit and api tests of pricing", [("unit", ["pricing"]), ("api", ["pricing"])]),
        ("unit tests for pricing and API tests", [("unit", ["pricing"]), ("api", [])]),
        (
            "unit tests of cart; api and integration tests of orders, except stock",
            [("unit", ["cart"]), ("api", ["orders"]), ("integration", ["orders"])],
        ),
        ("unit tests for shop.api", [("unit", ["shop.api"])]),
    ],
)
def test_each_kind_of_tests_has_the_names_that_stand_with_it(text, clauses):
    found = [
        (clause.test_type, [mention.text for mention in clause.mentions]) for clause in parse_request(text).clauses
    ]
    assert found == clauses


def test_everyday_words_are_weak_mentions_unless_they_are_quoted():
    words = parse_request("unit tests for the service and `app`")
    assert [(mention.text, mention.weak) for mention in words.mentions] == [("service", True), ("app", False)]
