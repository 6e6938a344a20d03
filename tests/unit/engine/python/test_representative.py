"""How well a trial represents its callable: what an object was given, and what was done with it before (B-16)."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from testwright.engine.python.model.domain import CallableDomains, ParameterDomain
from testwright.engine.python.model.model import (
    CallableFacts,
    ClassFacts,
    ModuleFacts,
    Observation,
    Parameter,
    Trial,
    Value,
)
from testwright.engine.python.selection.representative import is_trivial, represent
from testwright.engine.python.selection.tautologies import answers_undecorated

pytestmark = pytest.mark.feature("B-16")

BITS = ClassFacts(
    "Bits",
    "plain",
    (1, 9),
    constructor=CallableFacts(
        "Bits",
        "constructor",
        (1, 3),
        (
            Parameter("self", "positional_or_keyword"),
            Parameter("val", "positional_or_keyword", default="0"),
            Parameter("size", "positional_or_keyword", default="None"),
        ),
        owner="Bits",
    ),
)
SHOWN = CallableFacts("Bits.shown", "method", (4, 6), (Parameter("self", "positional_or_keyword"),), owner="Bits")
FACTS = ModuleFacts("m.py", "m", ".", "", classes=(BITS,))
SHOWN_TEXT = Observation("returned", value=Value("str", "'kitten'"))


def degeneracy(*statements: str) -> int:
    trial = Trial("Bits.shown", "bits.shown()", arrange=statements)
    return represent(trial, Observation("returned", value=Value("str", "'0'")), SHOWN, FACTS).degeneracy


@pytest.mark.parametrize(
    "statement",
    [pytest.param("bits.shown()", id="the_call_itself"), pytest.param("len(bits)", id="a_question")],
)
def test_what_changes_nothing_makes_no_object_worth_looking_at(statement: str) -> None:
    assert degeneracy("bits = Bits()", statement) == degeneracy("bits = Bits()") > 0


def test_what_is_done_with_an_object_gives_it_content() -> None:
    assert degeneracy("bits = Bits()", "bits.append(1)", "bits.append(0)") == 0
    assert degeneracy("bits = Bits()", "bits.invert()") == 0


def test_one_item_shows_less_than_two() -> None:
    one = degeneracy("bits = Bits()", "bits.append(1)")
    assert 0 < one < degeneracy("bits = Bits()")


def test_a_loop_that_fills_an_object_shows_less_than_two_items() -> None:
    assert degeneracy("bits = Bits()", "for number in range(12):\n    bits.append(number)") > 0


def test_what_empties_an_object_gives_it_no_content() -> None:
    assert degeneracy("bits = Bits()", "bits.append(1)", "bits.append(0)", "bits.clear()") == degeneracy(
        "bits = Bits()"
    )


def test_items_that_are_put_in_together_count_each() -> None:
    assert degeneracy("bits = Bits()", "bits.extend([1, 0])") == 0
    assert degeneracy("bits = Bits()", "bits.extend([1])") > 0


def test_a_factory_makes_a_whole_object_of_one_argument() -> None:
    assert degeneracy("bits = Bits.from_bin('1011')") < degeneracy("bits = Bits(size=6)")


def test_a_container_that_comes_back_unchanged_is_trivial() -> None:
    kept = Observation("returned", value=Value("dict", "{'a': 1}"))
    given = [ast.parse(text, mode="eval").body for text in ("bool", "{'a': 1}")]
    assert is_trivial(kept, given)
    assert not is_trivial(Observation("returned", value=Value("dict", "{'b': 1}")), given)


def test_an_object_like_the_one_that_was_asked_is_trivial_unless_it_is_a_copy() -> None:
    like = Observation("returned", value=Value("m.Url", "Url('a')", unchanged=True))
    assert is_trivial(like)
    assert not is_trivial(like, copies=True)
    assert not is_trivial(Observation("returned", value=Value("m.Url", "Url('a')")))


def test_arguments_that_might_be_left_out_are_counted() -> None:
    trial = Trial("Bits", "Bits(3, size=6)")
    shown = represent(trial, Observation("returned", value=Value("str", "'0'")), BITS.constructor, FACTS)
    assert shown.options == 2
    total = CallableFacts("total", "function", (1, 2), (Parameter("numbers", "var_positional"),))
    spread = represent(Trial("total", "total(1, 2, 3, 4, 5)"), Observation("returned"), total, FACTS)
    assert spread.options == 0


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(("bits.put(1, 5)", "bits.put(1, 5)"), id="the_same_twice"),
        pytest.param(("bits.put(1, 5)", "bits.put(2, 5)"), id="one_value_below_two_keys"),
        pytest.param(("bits.put(1, 5)", "bits.update(Bits())"), id="something_empty"),
    ],
)
def test_what_is_put_in_and_does_not_differ_shows_less(steps: tuple[str, ...]) -> None:
    assert degeneracy("bits = Bits()", *steps) > degeneracy("bits = Bits()", "bits.put(1, 5)", "bits.put(2, 7)") == 0


def test_a_container_that_extends_a_built_in_one_shows_nothing_when_it_is_empty() -> None:
    frozen = ClassFacts("Frozen", "plain", (1, 9), bases=("dict",))
    asked = CallableFacts("Frozen.copied", "method", (4, 6), (), owner="Frozen")
    facts = ModuleFacts("m.py", "m", ".", "", classes=(frozen,))
    rates = [
        represent(Trial("Frozen.copied", "frozen.copied()", arrange=(made,)), SHOWN_TEXT, asked, facts).degeneracy
        for made in ("frozen = Frozen()", "frozen = Frozen({'banana': 3, 'apple': 1})")
    ]
    assert rates[0] > rates[1] == 0


def test_one_of_any_number_of_arguments_shows_less_than_two() -> None:
    longest = CallableFacts("longest", "function", (1, 3), (Parameter("texts", "var_positional"),))
    facts = ModuleFacts("m.py", "m", ".", "", functions=(longest,))
    rates = [
        represent(Trial("longest", act), SHOWN_TEXT, longest, facts).degeneracy
        for act in ("longest('kitten')", "longest('kitten', 'sitting')")
    ]
    assert rates[0] > rates[1] == 0


def test_an_object_that_options_set_up_shows_as_much_by_default() -> None:
    options = (Parameter("self", "positional_or_keyword"), Parameter("strict", "keyword_only", default="False"))
    asked = CallableFacts("Rule.shown", "method", (4, 6), options[:1], owner="Rule")
    constructor = CallableFacts("Rule", "constructor", (1, 3), options, owner="Rule")
    owner = ClassFacts("Rule", "plain", (1, 9), constructor=constructor, members=(asked,))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(owner,))

    trial = Trial("Rule.shown", "rule.shown()", arrange=("rule = Rule()",))

    assert represent(trial, SHOWN_TEXT, asked, facts).degeneracy == 0


def test_the_number_that_an_object_was_made_with_shows_less_than_another() -> None:
    shift = CallableFacts(
        "Bits.shift",
        "method",
        (4, 6),
        (Parameter("self", "positional_or_keyword"), Parameter("by", "positional_or_keyword")),
        owner="Bits",
    )
    made = ("bits = Bits(6, 9)",)
    same, other = (
        represent(Trial("Bits.shift", f"bits.shift({number})", arrange=made), SHOWN_TEXT, shift, FACTS).degeneracy
        for number in (6, 4)
    )
    assert same > other == 0


def test_operands_of_one_domain_that_are_a_text_and_a_list_show_little() -> None:
    either = (Parameter("x", "positional_or_keyword"), Parameter("y", "positional_or_keyword"))
    less = CallableFacts("less", "function", (1, 3), either)
    domains = CallableDomains("less", (("x", ParameterDomain("sequence")), ("y", ParameterDomain("sequence"))))
    facts = ModuleFacts("m.py", "m", ".", "", functions=(less,), domains=(domains,))
    answer = Observation("returned", value=Value("bool", "True"))
    rates = [
        represent(Trial("less", act), answer, less, facts).degeneracy
        for act in ("less('kitten', [3, 1])", "less([3, 1], [3, 2])")
    ]
    assert rates[0] > rates[1] == 0


@pytest.mark.parametrize(
    ("definition", "act", "result"),
    [
        pytest.param("def double(number):\n    return 2 * number", "double(4)", "8", id="double"),
        pytest.param(
            "def greet(name, greeting='Hello'):\n    return f'{greeting}, {name}!'",
            "greet('Ann')",
            "'Hello, Ann!'",
            id="greet",
        ),
    ],
)
def test_a_decorated_function_that_answers_as_before_shows_nothing(definition: str, act: str, result: str) -> None:
    trial = Trial("frozen", act, arrange=(f"@frozen\n{definition}",))

    def plain(source: str) -> bool:
        return answers_undecorated(trial, Observation("returned", value=Value("", source)))

    assert plain(result)
    assert not plain("'something else'")


def test_a_decorated_function_that_answers_with_an_object_shows_misuse() -> None:
    trial = Trial("cached", "repr(double(4))", arrange=("@cached\ndef double(number):\n    return 2 * number",))
    assert answers_undecorated(trial, Observation("returned", value=Value("str", "'Cached(func=4)'")))


def test_an_object_with_a_name_and_nothing_in_it_shows_nothing_of_what_it_adds_up() -> None:
    own = Parameter("self", "positional_or_keyword")
    total = CallableFacts("Cart.total", "method", (4, 6), (own,), owner="Cart")
    add = CallableFacts("Cart.add", "method", (7, 9), (own, Parameter("price", "positional_or_keyword")), owner="Cart")
    named = (own, Parameter("name", "positional_or_keyword"))
    constructor = CallableFacts("Cart", "constructor", (1, 3), named, owner="Cart")
    owner = ClassFacts("Cart", "plain", (1, 9), constructor=constructor, members=(total, add))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(owner,))

    def rate(*statements: str) -> int:
        return represent(Trial("Cart.total", "cart.total()", arrange=statements), SHOWN_TEXT, total, facts).degeneracy

    empty = rate("cart = Cart('Ann')")
    assert empty > rate("cart = Cart('Ann')", "cart.add(3)", "cart.add(4)")


@pytest.mark.parametrize(
    ("parameter", "sign", "expected"),
    [
        pytest.param("conversion", "r", 0, id="named_for_signs"),
        pytest.param("conversion", "q", 1, id="another_sign"),
        pytest.param("title", "r", 1, id="named_for_texts"),
        pytest.param("fill", "*", 0, id="of_length_one"),
    ],
)
def test_a_single_sign_shows_something_where_the_parameter_takes_one(parameter: str, sign: str, expected: int) -> None:
    shown = CallableFacts("shown", "function", (1, 3), (Parameter(parameter, "positional_or_keyword"),))
    domains = (CallableDomains("shown", (("fill", ParameterDomain("text", length=1)),)),)
    facts = ModuleFacts("m.py", "m", ".", "", functions=(shown,), domains=domains)

    assert represent(Trial("shown", f"shown({sign!r})"), SHOWN_TEXT, shown, facts).degeneracy == expected


JOINED = CallableFacts(
    "Bits.__or__",
    "method",
    (7, 9),
    (Parameter("self", "positional_or_keyword"), Parameter("other", "positional_or_keyword")),
    owner="Bits",
)


@pytest.mark.parametrize(
    ("member", "operator", "shows_less"),
    [pytest.param("__or__", "|", True, id="a_union"), pytest.param("__eq__", "==", False, id="a_comparison")],
)
def test_two_objects_that_are_made_alike_show_a_comparison_and_no_union(
    member: str, operator: str, shows_less: bool
) -> None:
    subject = replace(JOINED, qualname=f"Bits.{member}")
    seen = Observation("returned", value=Value("m.Bits", "Bits(6, size=4)"))
    rates = [
        represent(
            Trial(subject.qualname, f"bits {operator} Bits({other}, size=4)", arrange=("bits = Bits(6, size=4)",)),
            seen,
            subject,
            FACTS,
        ).degeneracy
        for other in (6, 9)
    ]
    assert (rates[0] > rates[1]) is shows_less


def test_one_item_shows_no_order_and_a_container_with_nothing_in_it_is_no_operand() -> None:
    last = replace(SHOWN, qualname="Bits.last")
    held = replace(BITS, members=(replace(SHOWN, qualname="Bits.__len__"), last))
    facts = replace(FACTS, classes=(held,))

    def rate(act: str, *statements: str, subject: CallableFacts = last) -> int:
        trial = Trial(subject.qualname, act, arrange=("bits = Bits()", *statements))
        return represent(trial, SHOWN_TEXT, subject, facts).degeneracy

    assert rate("bits.last()", "bits.append(1)") > 1
    assert rate("bits.last()", "bits.append(1)", "bits.append(0)") == 0
    joined = rate("bits | Bits()", "bits.append(1)", "bits.append(0)", subject=JOINED)
    assert joined > rate("bits | Bits(7)", "bits.append(1)", "bits.append(0)", subject=JOINED)


@pytest.mark.parametrize(("other", "shows_less"), [("1", True), ("Bits(7)", False)])
def test_from_a_plain_number_any_object_differs(other: str, shows_less: bool) -> None:
    subject = replace(JOINED, qualname="Bits.__ne__")
    trial = Trial(subject.qualname, f"bits != {other}", arrange=("bits = Bits(6, size=4)",))
    differs = Observation("returned", value=Value("bool", "True"))

    assert (represent(trial, differs, subject, FACTS).degeneracy > 1) is shows_less


def test_a_comparison_with_a_plain_value_that_holds_was_written_for_it() -> None:
    subject = replace(JOINED, qualname="Bits.__eq__")
    trial = Trial(subject.qualname, "bits == '0110'", arrange=("bits = Bits(6, size=4)",))

    assert represent(trial, Observation("returned", value=Value("bool", "True")), subject, FACTS).degeneracy == 0


def test_a_container_that_fills_itself_is_an_operand() -> None:
    deck = ClassFacts("Deck", "plain", (1, 9), members=(replace(SHOWN, qualname="Deck.__len__", owner="Deck"),))
    top = CallableFacts("top", "function", (10, 12), (Parameter("deck", "positional_or_keyword"),))
    facts = ModuleFacts("m.py", "m", ".", "", functions=(top,), classes=(deck,))

    assert represent(Trial("top", "top(Deck())"), SHOWN_TEXT, top, facts).degeneracy == 0


def test_one_item_that_an_object_is_made_with_shows_no_order() -> None:
    reverse = replace(SHOWN, qualname="Bits.__reversed__")
    facts = replace(FACTS, classes=(replace(BITS, members=(reverse,)),))

    def rate(made: str) -> int:
        trial = Trial("Bits.__reversed__", "list(reversed(bits))", arrange=(f"bits = {made}",))
        return represent(trial, SHOWN_TEXT, reverse, facts).degeneracy

    assert rate("Bits([1], size=[1])") > 1
    assert rate("Bits([1, 0], size=[2, 1])") == 0


def test_what_is_taken_out_again_is_no_content() -> None:
    pushed = ("bits = Bits()", "bits.append(1)", "bits.append(0)")

    assert degeneracy(*pushed, "bits.pop()", "bits.pop()") == degeneracy("bits = Bits()")
    assert degeneracy(*pushed, "bits.append(6)", "bits.pop()") == 0


PSET = ClassFacts(
    "Pset",
    "plain",
    (1, 9),
    constructor=CallableFacts(
        "Pset",
        "constructor",
        (1, 3),
        (Parameter("self", "positional_or_keyword"), Parameter("parts", "positional_or_keyword")),
        owner="Pset",
    ),
    members=(
        CallableFacts(
            "Pset.add",
            "method",
            (4, 5),
            (Parameter("self", "positional_or_keyword"), Parameter("item", "positional_or_keyword")),
            owner="Pset",
        ),
        CallableFacts("Pset.__len__", "method", (6, 7), (Parameter("self", "positional_or_keyword"),), owner="Pset"),
    ),
    makers=("s",),
)


def test_what_a_factory_is_given_is_content_and_the_name_of_an_object_is_none() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", classes=(PSET,))

    def shown(made: str) -> int:
        trial = Trial("Pset.__len__", "len(pset)", arrange=(f"pset = {made}",))
        return represent(trial, Observation("returned", value=Value("int", "2")), PSET.members[1], facts).degeneracy

    assert shown("s(1, 2)") == 0
    assert shown("Pset('kitten')") > 1


def test_several_letters_show_something_beside_each_other_and_blanks_show_little() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", classes=(PSET,))

    def shown(made: str) -> int:
        trial = Trial("Pset.__len__", "len(pset)", arrange=(f"pset = {made}",))
        return represent(trial, Observation("returned", value=Value("int", "2")), PSET.members[1], facts).degeneracy

    assert shown("s('a', 'e', 'i')") == 0
    assert shown("s('a', 'a', 'a')") > 0
    assert shown("s('  ')") > 0


@pytest.mark.parametrize(
    ("made", "shows_less"), [("s('0000')", True), ("s('1011')", False), ("s(0, 6)", True), ("s(6, 0)", False)]
)
def test_nothings_and_letters_that_are_all_alike_show_less(made: str, shows_less: bool) -> None:
    facts = ModuleFacts("m.py", "m", ".", "", classes=(PSET,))
    trial = Trial("Pset.__len__", "len(pset)", arrange=(f"pset = {made}",))
    told = represent(trial, Observation("returned", value=Value("int", "2")), PSET.members[1], facts)

    assert (told.degeneracy > 0) is shows_less


def test_the_call_without_options_is_the_usual_one_of_an_object_and_shows_little_of_a_function() -> None:
    limit = Parameter("limit", "positional_or_keyword", default="9")
    method = replace(PSET.members[1], qualname="Pset.shown", parameters=(limit,))
    function = CallableFacts("shown", "function", (1, 2), (limit,))
    facts = ModuleFacts("m.py", "m", ".", "", functions=(function,), classes=(replace(PSET, members=(method,)),))
    seen = Observation("returned", value=Value("int", "2"))

    assert (
        represent(Trial("Pset.shown", "pset.shown()", arrange=("pset = s(1, 2)",)), seen, method, facts).degeneracy == 0
    )
    assert represent(Trial("shown", "shown()"), seen, function, facts).degeneracy == 1


def relation(name: str, *arrange: str, act: str) -> int:
    subject = CallableFacts(
        f"Bits.{name}",
        "method",
        (4, 6),
        (Parameter("self", "positional_or_keyword"), Parameter("other", "positional_or_keyword")),
        owner="Bits",
    )
    facts = replace(FACTS, classes=(replace(BITS, members=(subject,)),))
    trial = Trial(subject.qualname, act, arrange=arrange)
    return represent(trial, SHOWN_TEXT, subject, facts).degeneracy


def test_two_equal_objects_show_no_relation_but_that_they_are_alike() -> None:
    equal, other = "bits.distance_to(Bits(3, 8))", "bits.distance_to(Bits(5, 8))"
    assert relation("distance_to", "bits = Bits(3, 8)", act=equal) > relation(
        "distance_to", "bits = Bits(3, 8)", act=other
    )
    alike = relation("equals", "bits = Bits(3, 8)", act="bits.equals(Bits(3, 8))")
    assert alike == relation("equals", "bits = Bits(3, 8)", act="bits.equals(Bits(5, 8))")
