"""Cases are named after what they show."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from testwright.engine.python.model.model import TrialFinding
from testwright.engine.python.model.spec_case import SpecExpectation
from testwright.engine.python.source.titles import cut_slug, describe
from testwright.engine.python.write.case_namer import CaseNamer
from testwright.tests.support.engine.shop_findings import cart_facts, number, raised, returned, trial
from testwright.utils.names.case_names import snake_case
from testwright.utils.python_source import parse_expression

VALUE = SpecExpectation("equals", "result", "'1,000'")
REFUSED = SpecExpectation("raises", exception="ValueError")


def name(subject: str, act: str, *statements: str, expect: Sequence[SpecExpectation] = (VALUE,)) -> str:
    """The id of a case, without its prefix."""
    usual = [TrialFinding(trial("Cart.add", "cart.add('apple', 2)"), returned(number(1)))]
    named = CaseNamer(cart_facts(), usual).name(subject, statements, act, "call", expect)
    return named.id.removeprefix("tc_")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("1000", "1000"),
        ("-5", "minus_5"),
        ("0.25", "0_25"),
        ("1234567.25", "1234567"),
        ("''", "empty_string"),
        ("'  '", "blank_string"),
        ("'Hello, World!'", "hello_world"),
        ("'§§'", "non_ascii_text"),
        ("'/'", "slash"),
        ("'[['", "open_brackets"),
        ("b'#\\t='", "hash_equals"),
        ("'?!?!'", "symbols"),
        ("[]", "empty_list"),
        ("[1, 2]", "1_2"),
        ("[1, 2, 3, 4]", "list_of_four"),
        ("{'a': 1}", "dict_of_one"),
        ("None", "none"),
        ("datetime.date(2024, 1, 31)", "2024_1_31"),
        ("lambda x: x", "a_function"),
        ("Color.RED", "red"),
    ],
)
def test_values_are_described_in_words(source: str, words: str) -> None:
    assert describe(ast.parse(source, mode="eval").body) == words


def test_a_call_is_named_by_what_it_was_given() -> None:
    assert name("group_thousands", "group_thousands(1000)") == "group_thousands_of_1000"
    assert name("ratio", "ratio(1, 3)") == "ratio_of_1_and_3"
    assert name("Cart", "Cart('Ann')") == "cart_with_owner_ann"


def test_a_refused_call_is_named_by_what_sets_it_apart() -> None:
    refused = name("Cart.add", "cart.add('apple', 0)", "cart = Cart('A')", expect=[REFUSED])

    assert refused == "cart_add_raises_value_error_for_zero_quantity"


def test_a_call_without_arguments_is_named_by_what_went_before_or_came_out() -> None:
    assert name("Cart.total", "cart.total()", "cart = Cart('A')", "cart.add('apple')") == "cart_total_after_add"
    assert name("Cart.total", "cart.total()", "cart = Cart('A')") == "cart_total_is_1_000"


def test_no_id_is_given_twice_and_none_is_long() -> None:
    namer = CaseNamer(cart_facts(), [])
    acts = ["group_thousands('a-b')", "group_thousands('a b')", "group_thousands('a_b')"] * 2

    ids = [namer.name("group_thousands", (), act, "call", [VALUE]).id for act in acts]
    long = namer.name(
        "group_thousands", (), "group_thousands(" + ", ".join(["'many words here'"] * 9) + ")", "call", [VALUE]
    )

    assert len(set(ids)) == len(ids)
    assert all(len(one) <= 75 for one in [*ids, long.id])


def test_what_is_switched_off_is_left_without() -> None:
    assert name("render", "render('a', strict=True, colour=False)").endswith("with_strict_without_colour")
    assert name("render", "render('a', with_text=True)").endswith("_with_text")
    assert name("render", "render('a', limit=None)").endswith("_with_limit_none")
    assert name("Cart", "Cart('Ann', strict=False)") == "cart_with_owner_ann_without_strict"


def test_a_refusal_is_named_by_its_message_where_no_other_has_it() -> None:
    large = SpecExpectation("raises", exception="ValueError", match="value too large")
    refused = [
        TrialFinding(trial("place", "place(4)"), raised("ValueError", "value too large")),
        TrialFinding(trial("place", "place(5)"), raised("ValueError", "value too odd")),
    ]

    def named(findings: Sequence[TrialFinding]) -> str:
        return CaseNamer(cart_facts(), findings).name("place", (), "place(4)", "call", [large]).id

    assert named(refused) == "tc_place_raises_value_error_value_too_large"
    assert named([*refused, refused[0]]) == "tc_place_raises_value_error_for_4"


def test_an_object_that_is_called_is_named_by_what_it_was_given() -> None:
    assert name("Cart.__call__", "cart('a', 2)", "cart = Cart('A')") == "cart_call_of_a_and_2"


def test_titles_are_sentences_on_one_line() -> None:
    named = CaseNamer(cart_facts(), []).name("group_thousands", (), "group_thousands(1000)", "call", [VALUE])

    assert named.title == "group_thousands(1000): the result equals '1,000'"
    assert named.step == "Call group_thousands(1000)"
    assert named.expected == "the result equals '1,000'"


def test_slugs_are_cut_between_words_and_never_end_on_a_joint() -> None:
    assert cut_slug("one_two_three", 9) == "one_two"
    assert cut_slug("total_of_something", 8) == "total"
    assert snake_case("HTTPServerError") == "http_server_error"
    assert snake_case("Vector2D") == "vector2d"
    assert snake_case("Base64Encoder") == "base64_encoder"


def test_the_only_refusal_of_its_kind_needs_no_more_than_its_plain_name() -> None:
    refused = TrialFinding(trial("place", "place(cart)"), raised("ValueError", "no"))
    namer = CaseNamer(cart_facts(), [refused])

    assert namer.name("place", (), "place(2, Cart('Ann'))", "call", [REFUSED]).id == "tc_place_raises_value_error"
    assert name("place", "place(Cart('Ann'))", expect=[REFUSED]) == "place_raises_value_error_for_cart_ann"


def test_the_only_answer_needs_no_long_list_of_arguments() -> None:
    act = "place(2, 'many words of text', 'and some more of them')"
    namer = CaseNamer(cart_facts(), [TrialFinding(trial("place", act), returned(number(1)))])

    assert namer.name("place", (), act, "call", [VALUE]).id == "tc_place"


def test_paths_are_named_without_their_folder_and_arranged_objects_not_at_all() -> None:
    assert name("load", "load(tmp_path / 'missing.txt')") == "load_of_missing_file"
    assert name("load", "load(tmp_path / 'orders.json')") == "load_of_orders_json"
    assert name("place", "place(3, cart, stock)", "cart = Cart('Ann')") == "place_of_3"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (repr("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"), "unified_diff"),
        (repr("*** a\n--- b\n***************\n"), "context_diff"),
        (repr("1a2\n> second\n"), "normal_diff"),
        (repr('{"name": "Ada"}'), "json_object"),
        (repr("\x1b[31mhi\x1b[0m"), "hi_with_escape_codes"),
    ],
)
def test_a_text_with_a_form_of_its_own_is_described_by_it(source: str, words: str) -> None:
    assert describe(parse_expression(source)) == words
