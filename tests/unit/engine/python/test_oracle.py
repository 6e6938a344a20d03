"""What was seen becomes expectations with an origin, or nothing where there is no oracle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.facts.names import message_part, name_of_type
from testwright.engine.python.judge.comparison import stable_part
from testwright.engine.python.judge.normal_form import normal_form
from testwright.engine.python.judge.oracle import Oracle
from testwright.engine.python.judge.value_checks import is_empty_source, value_checks
from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Observation, Raised, TrialFinding, Value
from testwright.engine.python.mutants.asserted_facets import facets_of
from testwright.engine.python.write.compose import compose_spec
from testwright.tests.support.engine import exploration
from testwright.tests.support.engine.shop_findings import (
    MODULE,
    NONE,
    PATH,
    cart_facts,
    grouped_calls,
    number,
    raised,
    returned,
    text,
    trial,
)


def kinds(finding: TrialFinding, *, raising: frozenset[str] = frozenset()) -> list[tuple[str, str, str | None]]:
    """Kind, actual and value of each expectation of a finding."""
    verdict = Oracle(cart_facts(), raising).judge(finding)
    return [(expectation.kind, expectation.actual, expectation.value) for expectation in verdict.expectations]


@pytest.mark.feature("B-02")
def test_a_call_that_returns_the_object_that_it_changed_is_told_by_the_change() -> None:
    changed = Value("shop.cart.Cart", "Cart('Bob')", ("from shop.cart import Cart",))
    call = trial("Cart.rename", "cart.rename('Bob')", "cart = Cart('Ann')")
    seen = replace(returned(replace(changed, held="cart")), effects=(("cart", changed),))

    assert kinds(TrialFinding(call, seen)) == [("is", "result", "cart"), ("equals", "cart", "Cart('Bob')")]


@pytest.mark.feature("B-02")
@pytest.mark.parametrize(
    ("shown", "actual"),
    [("[0,1] | (2,+inf)", "repr(result)"), ("<Cart at work>", "result.size"), ("[0,1]", "result.size")],
)
def test_an_object_that_a_document_shows_by_what_it_holds_is_told_by_its_text(shown: str, actual: str) -> None:
    seen = returned(
        Value("shop.cart.Cart", attributes=(("size", number(2)),), text=shown if "|" in shown else "[0,1] ?")
    )
    call = replace(trial("Cart.union", "cart.union()", "cart = Cart('Ann')"), wanted=shown + "\n", wanted_line=4)

    assert [one[1] for one in kinds(TrialFinding(call, seen, agrees=True))] == [actual]


@pytest.mark.feature("B-02")
def test_a_documented_example_that_agrees_is_labelled_with_its_lines() -> None:
    shown, seen, _more = (Oracle(cart_facts()).judge(call).expectations[0] for call in grouped_calls())

    assert (shown.origin, shown.evidence and shown.evidence.path) == ("documented", PATH)
    assert shown.evidence is not None
    assert shown.evidence.lines == (43, 43)
    assert seen.origin == "observed"
    assert seen.evidence is not None
    assert seen.evidence.lines == (40, 48)


@pytest.mark.feature("B-02")
def test_a_documented_true_is_demanded_of_an_object_that_shows_itself_so() -> None:
    call = trial("ratio", "ratio(1, 3)", wanted="True", wanted_line=51)
    shown = TrialFinding(call, returned(Value("shop.cart.Yes")), agrees=True)

    assert kinds(shown) == [("equals", "repr(result)", "'True'")]


@pytest.mark.feature("B-02")
def test_a_documented_text_that_looks_like_an_address_is_compared_as_it_stands() -> None:
    call = trial("ratio", "ratio('0x123EF4', 3)", wanted="'0x123EF4'\n", wanted_line=51)
    seen = Value("str", "'0x123EF4'", text="'0x123EF4'")

    assert kinds(TrialFinding(call, returned(seen), agrees=True, unstable=("result",))) == [
        ("equals", "result", "'0x123EF4'")
    ]


@pytest.mark.feature("B-02")
def test_what_an_object_called_like_a_builtin_gives_is_compared_with_true() -> None:
    true = returned(Value("bool", "True", text="True"))

    assert kinds(TrialFinding(trial("ratio", "all(1)", "all = ratio(1, 3)"), true)) == [("is", "result", "True")]
    assert kinds(TrialFinding(trial("ratio", "all([ratio(1, 3)])"), true)) == [("holds", "result", None)]


@pytest.mark.feature("B-02")
def test_a_refusal_of_what_a_decorated_function_gives_keeps_the_call_of_it() -> None:
    first = next(one for one in cart_facts().callables() if one.qualname == "ratio").lines[0]
    refused = raised("ValueError", "no", first)

    kept = normal_form(TrialFinding(trial("ratio", "ratio()(None)"), refused), cart_facts())
    alone = normal_form(TrialFinding(trial("ratio", "str(ratio(None))"), refused), cart_facts())

    assert kept is not None
    assert kept.trial.act == "ratio()(None)"
    assert alone is not None
    assert alone.trial.act == "ratio(None)"


@pytest.mark.feature("B-02")
def test_a_documented_comparison_that_holds_is_no_picture_of_its_left_side() -> None:
    imports = ("from shop._shares import Share", "from shop.cart import ratio")
    call = trial("ratio", "ratio(1, 3) == Share(1, 3)", imports=imports, wanted="True", wanted_line=51)

    found = normal_form(TrialFinding(call, returned(Value("bool", "True")), agrees=True), cart_facts())

    assert found is not None
    assert (found.trial.act, found.trial.wanted) == ("ratio(1, 3)", "")
    assert kinds(found) == []


@pytest.mark.parametrize(
    ("statements", "other", "value"),
    [
        (("cuts = {'a': [1, 4]}",), "cuts['a'][1]", "4"),
        (("cuts = {'a': [1, 4]}", "cuts['a'].append(5)"), "cuts['a'][1]", None),
        (("cuts = {'a': [1, 4]}",), "cuts['b']", None),
        (("cuts = {'a': range(3)}",), "cuts['a']", None),
    ],
    ids=["of a literal", "changed before", "missing", "no literal"],
)
def test_what_a_comparison_reads_of_the_set_up_is_written_as_its_value(statements, other, value) -> None:
    call = trial("ratio", f"ratio(cuts, 3) == {other}", *statements, wanted="True", wanted_line=51)

    found = normal_form(TrialFinding(call, returned(Value("bool", "True")), agrees=True), cart_facts())

    assert found is not None
    assert found.observation.value is not None
    assert found.observation.value.source == (value or "True")


@pytest.mark.feature("B-02")
def test_what_a_comparison_shows_is_documented_by_its_line() -> None:
    call = trial("ratio", "ratio(1, 4) == 1 / 4", wanted="True", wanted_line=51)
    found = normal_form(TrialFinding(call, returned(Value("bool", "True")), agrees=True), cart_facts())
    assert found is not None

    (demand,) = Oracle(cart_facts()).judge(found).expectations

    assert (demand.actual, demand.value, demand.origin) == ("result", "1 / 4", "documented")
    assert demand.evidence is not None
    assert demand.evidence.lines == (51, 51)


@pytest.mark.feature("B-02")
def test_an_announced_exception_is_documented_and_its_message_is_cut_to_the_stable_part() -> None:
    finding = TrialFinding(
        trial("Cart.add", "cart.add('a', 0)", "cart = Cart('A')"), raised("ValueError", "too low: 0", 24)
    )

    (demand,) = Oracle(cart_facts()).judge(finding).expectations

    assert (demand.kind, demand.exception, demand.origin) == ("raises", "ValueError", "documented")
    assert demand.match == "too low: 0"


@pytest.mark.feature("B-02")
@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("stock is empty", True),
        ("stock of 'apple' is empty", True),
        ("stock of 'pear' is empty", False),
        ("stock is empty: [Errno 2] No such file", False),
        ("stock is empty\nstock is empty", False),
        ("stock is empty " * 6, False),
    ],
    ids=["fixed", "with what was given", "a word of somebody else", "of the system", "lines", "long"],
)
def test_a_short_message_in_the_codes_own_words_is_demanded_whole(message: str, whole: bool) -> None:
    facts = cart_facts()
    adding = next(callable_ for callable_ in facts.callables() if callable_.qualname == "Cart.add")
    owner = next(class_ for class_ in facts.classes if class_.name == "Cart")
    members = tuple(
        replace(member, constants=("'stock of %s is empty'",)) if member == adding else member
        for member in owner.members
    )
    known = replace(
        facts,
        classes=tuple(replace(class_, members=members) if class_ is owner else class_ for class_ in facts.classes),
    )
    finding = TrialFinding(
        trial("Cart.add", "cart.add('apple', 0)", "cart = Cart('A')"), raised("ValueError", message, 24)
    )

    (demand,) = Oracle(known).judge(finding).expectations

    assert demand.whole == whole
    assert demand.match is not None
    assert demand.match in message


def test_a_message_of_python_itself_is_not_demanded() -> None:
    finding = TrialFinding(trial("ratio", "ratio(1, 0)"), raised("ZeroDivisionError", "division by zero", 52))

    (demand,) = Oracle(cart_facts()).judge(finding).expectations

    assert (demand.exception, demand.match, demand.origin) == ("ZeroDivisionError", None, "observed")


@pytest.mark.parametrize("name", ["TypeError", "AttributeError", "RecursionError"])
def test_an_accident_of_the_call_is_no_behaviour(name: str) -> None:
    finding = TrialFinding(trial("ratio", "ratio(None, 1)"), raised(name, "unsupported operand", 52))

    verdict = Oracle(cart_facts()).judge(finding)

    assert verdict.expectations == ()
    assert verdict.reason.startswith("no oracle found")


def test_a_contradicted_document_is_never_pinned() -> None:
    finding = replace(grouped_calls()[0], agrees=False, contradicts="'1.000'")

    assert Oracle(cart_facts()).judge(finding).expectations == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (text("x"), [("equals", "result", "'x'")]),
        (number(0.1), [("approx", "result", "0.1")]),
        (Value("float", "float('inf')", approximate=True), [("equals", "result", "float('inf')")]),
        (Value("float", "float('nan')", approximate=True), [("holds", "math.isnan(result)", None)]),
        (Value("bool", "True"), [("is", "result", "True")]),
        (Value("list", "['b', 'a']", unordered=True), [("equals", "sorted(result)", "['a', 'b']")]),
        (Value("set", "{'b', 'a'}", unordered=True), [("equals", "result", "{'b', 'a'}")]),
        (
            Value("list", repr(["word"] * 200), length=200),
            [("length", "result", "200"), ("equals", "result[:3]", repr(["word"] * 3))],
        ),
        (
            Value("str", repr("y" * 1000), length=1000),
            [("length", "result", "1000"), ("equals", "result[:60]", repr("y" * 60))],
        ),
    ],
    ids=["text", "float", "infinity", "nan", "truth", "unordered", "set", "long list", "long text"],
)
def test_each_kind_of_value_is_compared_as_it_deserves(
    value: Value, expected: list[tuple[str, str, str | None]]
) -> None:
    checks, _imports = value_checks("result", value)

    assert [(check.kind, check.actual, check.value) for check in checks] == expected


def test_an_object_without_a_source_is_told_by_its_public_attributes() -> None:
    value = Value("shop.cart.Cart", attributes=(("owner", text("Ann")), ("_secret", number(1)), ("total", number(5))))

    assert kinds(TrialFinding(trial("Cart", "Cart('Ann')"), returned(value))) == [
        ("equals", "result.owner", "'Ann'"),
        ("equals", "result.total", "5"),
    ]


@pytest.mark.feature("B-16")
def test_empty_attributes_are_not_asserted_beside_filled_ones() -> None:
    filled = Value(
        "shop.cart.Cart", attributes=(("owner", text("Ann")), ("total", number(0)), ("lines", Value("list", "[]")))
    )
    empty = Value("shop.cart.Cart", attributes=(("total", number(0)),))

    assert kinds(TrialFinding(trial("Cart", "Cart('Ann')"), returned(filled))) == [("equals", "result.owner", "'Ann'")]
    assert kinds(TrialFinding(trial("Cart", "Cart()"), returned(empty))) == [("equals", "result.total", "0")]


@pytest.mark.feature("B-06")
def test_what_differs_between_runs_is_told_by_type_and_length_or_not_at_all() -> None:
    token = TrialFinding(trial("log", "token()"), returned(text("8f3a")), unstable=("result",))
    moving = TrialFinding(trial("log", "token()"), returned(text("8f3a")), unstable=("result", "len(result)"))
    unknown = TrialFinding(trial("log", "token()"), returned(Value("_thread.lock")), unstable=("result",))

    assert kinds(token) == [("is_instance", "result", "str"), ("length", "result", "4")]
    assert kinds(moving) == [("is_instance", "result", "str")]
    assert kinds(unknown) == []


def test_a_constructor_is_told_by_fields_and_never_by_another_call_of_itself() -> None:
    value = Value("shop.cart.Cart", "Cart(owner='Ann', total=1.5)")

    assert kinds(TrialFinding(trial("Cart", "Cart('Ann')"), returned(value))) == [
        ("equals", "result.owner", "'Ann'"),
        ("approx", "result.total", "1.5"),
    ]


@pytest.mark.feature("B-16")
def test_a_call_is_never_expected_to_equal_itself_however_its_texts_are_quoted() -> None:
    made = Value("cart.Cart", source="Cart.parse('A')", attributes=(("name", text("A")),))
    finding = TrialFinding(trial("Cart.parse", 'Cart.parse(u"A")'), Observation("returned", value=made))

    assert kinds(finding) == [("equals", "result.name", "'A'")]
    bare = replace(finding, observation=Observation("returned", value=replace(made, attributes=())))
    assert ("equals", "result", made.source) not in kinds(bare)
    assert kinds(replace(bare, agrees=True)) == [("equals", "result", made.source)]


def test_a_message_that_repeats_what_was_given_is_demanded_with_the_rest() -> None:
    assert message_part("hello world: 2 missing", "stock.take('hello world')") == "hello world: 2 missing"
    assert message_part(": 1 missing from stock") == "1 missing from stock"
    assert message_part("cannot read /home/ann/shop/cart.toml") == "cannot read"


def test_state_and_output_are_told_and_private_state_is_not() -> None:
    effects = (("cart.items", Value("dict", "{'a': 1}")), ("cart._cache", number(1)), ("other.x", number(1)))
    finding = TrialFinding(
        trial("Cart.add", "cart.add('a')", "cart = Cart('A')"), returned(NONE, effects=effects, output="added\n")
    )

    assert kinds(finding) == [("equals", "cart.items", "{'a': 1}"), ("output", "result", "'added\\n'")]


@pytest.mark.parametrize(
    ("subject", "act", "kept", "is_told"),
    [
        ("Cart.median", "cart.median", "[1, 2, 3]", False),
        ("Cart.median", "cart.median", "[1, 3]", True),
        ("Cart.sort_items", "cart.sort_items()", "[1, 2, 3]", True),
    ],
)
def test_that_items_were_sorted_to_answer_is_no_promise_of_the_call(subject, act, kept, is_told: bool) -> None:
    seen = returned(number(2), effects=(("cart.items", Value("list", kept)),))
    finding = TrialFinding(trial(subject, act, "cart = Cart([2, 1, 3])"), seen)

    assert (("equals", "cart.items", kept) in kinds(finding)) is is_told


@pytest.mark.parametrize(
    ("source", "is_empty"),
    [
        ("Deck([])", True),
        ("Deck((), most=2)", True),
        ("Deck()", True),
        ("Deck([1], most=2)", False),
        ("Deck(2)", False),
    ],
)
def test_an_object_made_of_nothing_is_empty_whatever_its_options_are(source: str, is_empty: bool) -> None:
    assert is_empty_source(source) is is_empty


@pytest.mark.parametrize(
    ("converted", "demanded"),
    [
        (True, [("equals", "result", "[1, 2]"), ("is_instance", "result", "list")]),
        (False, [("equals", "result", "[1, 2]")]),
    ],
)
def test_what_equals_the_argument_is_told_from_it_by_its_type(converted: bool, demanded) -> None:
    thawed = Value("list", "[1, 2]", converted=converted)

    assert kinds(TrialFinding(trial("thaw", "thaw(row(1, 2))"), returned(thawed))) == demanded


@pytest.mark.feature("B-06")
def test_returning_none_says_something_only_where_the_callable_could_have_refused() -> None:
    finding = TrialFinding(trial("log", "log('x')"), returned(NONE))

    assert kinds(finding) == []
    assert kinds(finding, raising=frozenset({"log"})) == [("is", "result", "None")]


def test_a_call_that_did_not_end_is_no_oracle() -> None:
    verdict = Oracle(cart_facts()).judge(TrialFinding(trial("log", "log('x')"), Observation("timed_out")))

    assert verdict.reason == "no oracle found: the call timed out"


def test_a_warning_is_demanded_beside_the_result() -> None:
    seen = returned(number(1), warnings=(("DeprecationWarning", "log is old; use record"),))

    result, warns = Oracle(cart_facts()).judge(TrialFinding(trial("log", "log('x')"), seen)).expectations

    assert (result.kind, warns.kind, warns.exception, warns.match) == (
        "equals",
        "warns",
        "DeprecationWarning",
        "log is old",
    )


def test_a_warning_is_demanded_beside_the_exception_that_follows_it() -> None:
    warned = (("DeprecationWarning", "log is old; use record"),)
    seen = Observation("raised", raised=Raised("ValueError", "no", 3), warnings=warned)

    raises, warns = Oracle(cart_facts()).judge(TrialFinding(trial("log", "log('x')"), seen)).expectations

    assert (raises.kind, raises.exception) == ("raises", "ValueError")
    assert (warns.kind, warns.exception, warns.match) == ("warns", "DeprecationWarning", "log is old")


def test_a_warning_that_differs_between_runs_is_not_demanded_beside_an_exception() -> None:
    first, second = (
        Observation("raised", raised=Raised("ValueError", "no", 3), warnings=(("UserWarning", f"pid {number}"),))
        for number in (17, 18)
    )
    same = stable_part(first, [second])
    assert same is not None

    verdict = Oracle(cart_facts()).judge(
        TrialFinding(trial("log", "log('x')"), same.observation, unstable=same.unstable)
    )

    assert [expectation.kind for expectation in verdict.expectations] == ["raises"]


def test_what_is_pinned_of_a_call_that_warns_and_raises_includes_the_warning() -> None:
    warned = (("UserWarning", "log is old"),)
    seen = Observation("raised", raised=Raised("ValueError", "no", 3), warnings=warned)
    verdict = Oracle(cart_facts()).judge(TrialFinding(trial("log", "log('x')"), seen))

    assert facets_of(verdict.expectations).facets == {"ends", "warnings"}


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("quantity must be positive: -3", "quantity must be positive"),
        ("too low: 3", "too low: 3"),
        ("unknown unit 'a: b' given", "unknown unit 'a: b' given"),
        ("no handler at 0x7f00aa12", "no handler at"),
        ("first line\nsecond line", "first line"),
        ("word " * 30, "word word word word word word word word word word word word"),
        ("", None),
    ],
)
def test_the_demanded_part_of_a_message_is_short_and_stable(message: str, part: str | None) -> None:
    assert message_part(message) == part


@pytest.mark.parametrize(
    ("type_name", "bases", "expression", "imports"),
    [
        ("ValueError", (), "ValueError", ()),
        (f"{MODULE}.Cart.Full", (), "Cart.Full", (f"from {MODULE} import Cart",)),
        ("json.decoder.JSONDecodeError", (), "json.JSONDecodeError", ("import json",)),
        ("shop.errors.Empty", (), "Empty", (f"from {MODULE} import Empty",)),
        ("shop.other.Broken", (), "Broken", ("from shop.other import Broken",)),
        (f"{MODULE}.make.<locals>.Inner", ("LookupError",), "LookupError", ()),
        (f"{MODULE}._Hidden", ("KeyError",), "KeyError", ()),
        ("_private.Thing", ("OSError",), "OSError", ()),
        ("numpy._core._exceptions.UFuncTypeError", ("TypeError",), "TypeError", ()),
        ("shop._errors.Late", ("OSError",), "Late", ("from shop import Late",)),
    ],
)
def test_exceptions_are_named_by_their_public_path(
    type_name: str, bases: tuple[str, ...], expression: str, imports: tuple[str, ...]
) -> None:
    facts: ModuleFacts = replace(cart_facts(), imports=(("Empty", "from .errors import Empty"),))

    found = name_of_type(type_name, bases, facts, ())

    assert (found.expression, found.imports) == (expression, imports)


def test_unequal_objects_are_told_through_eq_itself_where_ne_is_another_method() -> None:
    false = Observation("returned", value=Value("bool", "False"))
    finding = TrialFinding(trial("Cart.__eq__", "cart == 1", "cart = Cart('A')"), false)
    facts = cart_facts()
    cart = facts.classes[0]
    other = CallableFacts("Cart.__ne__", "method", (1, 2), owner="Cart")
    both = replace(facts, classes=(replace(cart, members=(*cart.members, other)), *facts.classes[1:]))

    (plain,) = Oracle(facts).judge(finding).expectations
    (exact,) = Oracle(both).judge(finding).expectations

    assert (plain.kind, plain.actual) == ("holds", "not result")
    assert (exact.kind, exact.value) == ("is", "False")


@pytest.mark.feature("B-02")
def test_that_a_result_is_an_object_is_never_demanded() -> None:
    mark = TrialFinding(trial("ratio", "ratio(1, 3)"), returned(Value("object")))

    verdict = Oracle(cart_facts()).judge(mark)

    assert verdict.expectations == ()
    assert verdict.reason.startswith("no oracle found")
    assert kinds(replace(mark, observation=returned(Value("object"), output="made\n"))) == [
        ("output", "result", repr("made\n"))
    ]


MARKS = '''
"""Marks."""

_seen = {}


def tag(name: str) -> object:
    """One mark for each name."""
    if name not in _seen:
        _seen[name] = object()
    return _seen[name]


def known() -> int:
    """How many kinds of marks there are."""
    return 3
'''


@pytest.mark.feature("B-02")
@pytest.mark.parametrize("act", ["tag('paul')", "isinstance(tag('paul'), object)"])
def test_a_callable_that_hands_out_mere_objects_gets_no_case(act: str, tmp_path: Path) -> None:
    trials = [replace(exploration.trial("tag('paul')"), act=act), exploration.trial("known()")]

    (found,) = exploration.explored(tmp_path, MARKS, trials)
    spec = compose_spec(found, framework="pytest")

    assert [case["subject"] for case in spec["cases"]] == ["known"]
    assert [one["subject"] for one in spec["not_reached"]] == ["tag"]
    assert spec["not_reached"][0]["reason"].startswith(("no oracle found", "no representative example"))


@pytest.mark.parametrize("called", ["hash", "id"])
def test_the_number_that_the_interpreter_gives_an_object_is_no_expectation(called: str) -> None:
    ratio = next(one for one in cart_facts().functions if one.name == "ratio")
    facts = replace(cart_facts(), functions=(replace(ratio, calls=(called,)),))
    finding = TrialFinding(trial("ratio", "ratio(1, 3)"), returned(number(133146708735736)))
    assert not Oracle(facts).judge(finding).expectations
    counted = TrialFinding(trial("ratio", "ratio(1, 3)"), returned(number(2)))
    assert Oracle(facts).judge(counted).expectations
    assert Oracle(cart_facts()).judge(finding).expectations


@pytest.mark.parametrize(
    ("held", "kind", "demanded"),
    [
        pytest.param("", "shop.cart.Cart", True, id="another_object"),
        pytest.param("cart", "shop.cart.Cart", False, id="the_same_object"),
        pytest.param("", "tuple", False, id="what_never_changes"),
    ],
)
def test_a_copy_is_expected_to_be_another_object(held: str, kind: str, demanded: bool) -> None:
    cart = Value(kind, "Cart('Ann')", ("from shop.cart import Cart",), held=held)
    finding = TrialFinding(trial("Cart.copy", "cart.copy()", "cart = Cart('Ann')"), returned(cart))
    assert (("holds", "result is not cart", None) in kinds(finding)) is demanded


@pytest.mark.feature("B-18")
def test_a_long_table_of_the_inside_is_not_asserted_beside_plain_attributes() -> None:
    table = Value("frozenset", "frozenset({" + ", ".join(f"'{number}'" for number in range(40)) + "})")
    attributes = (("cost", Value("int", "2")), ("letters", table))

    beside, _ = value_checks("result", Value("m.Rule", attributes=attributes))
    alone, _ = value_checks("result", Value("m.Rule", attributes=attributes[1:]))

    assert [check.actual for check in beside] == ["result.cost"]
    assert [check.actual for check in alone] == ["result.letters"]


def test_a_mapping_that_is_equal_to_a_plain_dictionary_is_told_by_its_type_as_well() -> None:
    imports = ("from collections import OrderedDict",)

    ordered, needed = value_checks("result", Value("collections.OrderedDict", "OrderedDict({'a': 1})", imports))
    plain, _ = value_checks("result", Value("dict", "{'a': 1}"))

    assert [(one.kind, one.value) for one in ordered] == [
        ("is_instance", "OrderedDict"),
        ("equals", "OrderedDict({'a': 1})"),
    ]
    assert tuple(needed) == imports
    assert [one.kind for one in plain] == ["equals"]


def test_what_setting_an_item_returns_is_seen_by_nobody() -> None:
    call = trial("Cart.__setitem__", "cart.__setitem__('a', 3)", "cart = Cart()")
    seen = returned(Value("Cart", "Cart({'a': 3})"), effects=(("len(cart)", Value("int", "1")),))

    found = normal_form(TrialFinding(call, seen), cart_facts())
    unchanged = normal_form(TrialFinding(call, returned(Value("int", "3"))), cart_facts())

    assert found is not None
    assert found.observation.value == Value("NoneType", "None")
    assert unchanged is not None
    assert unchanged.observation.value == Value("int", "3")
