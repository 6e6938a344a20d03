"""Source and names read as a person would write them (B-06)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.judge.assertable_finding import AssertableFinding
from testwright.engine.python.judge.normal_form import normal_form, plain_expression, plain_statement
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.judge.repeats import without_repeats
from testwright.engine.python.judge.value_checks import value_checks
from testwright.engine.python.model.model import ModuleFacts, Observation, Trial, TrialFinding, Value
from testwright.engine.python.model.spec_case import SpecExpectation
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.unreached import unreached_callables
from testwright.engine.python.source.titles import describe
from testwright.tests.support.engine.exploration import PATH, trial
from testwright.utils.python_source import parse_expression

pytestmark = pytest.mark.feature("B-06")


def facts_from(folder: Path, source: str) -> ModuleFacts:
    path = folder / PATH
    path.parent.mkdir(parents=True)
    path.write_text(source)
    return analyse_module(folder, PATH, find_layout(folder))


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("x.__setitem__(1, 2)", "x[1] = 2"),
        ("x.__setitem__(slice(1, 3), [2])", "x[1:3] = [2]"),
        ("x.__delitem__('a')", "del x['a']"),
        ("x.__ior__({3})", "x |= {3}"),
        ("x.__iadd__(1, 2)", "x.__iadd__(1, 2)"),
        ("setattr(x, 'limit', 3)", "x.limit = 3"),
        ("setattr(x, name, 3)", "setattr(x, name, 3)"),
        ("x.add(  1 )", "x.add(  1 )"),
        ("y = x[slice(None, 2)]", "y = x[:2]"),
    ],
)
def test_special_methods_are_written_as_statements(source: str, plain: str) -> None:
    assert plain_statement(source) == plain


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("x[slice(1, 3)]", "x[1:3]"),
        ("x[slice(3)]", "x[:3]"),
        ("x[slice(1, None, 2)]", "x[1::2]"),
        ("x[slice(1, 2), 3]", "x[1:2, 3]"),
        ("f(float(float('inf')))", "f(float('inf'))"),
        ("f(slice(1, 3))", "f(slice(1, 3))"),
        ("f(float('NaN'), float('1E3'))", "f(float('nan'), float('1E3'))"),
    ],
)
def test_slices_and_doubled_conversions_are_written_plainly(source: str, plain: str) -> None:
    assert plain_expression(source) == plain


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("float('-inf')", "minus_infinity"),
        ("float('inf')", "infinity"),
        ("float(1 / 3)", "1_over_3"),
        ("10 ** 10", "10_to_the_10"),
        ("0.3333333333333333", "0_3333"),
        ("datetime.date.today()", "today"),
        ("datetime.date.today() - datetime.timedelta(days=1)", "yesterday"),
        ("date.today() + timedelta(1)", "tomorrow"),
        ("tmp_path / 'notes.txt'", "notes_txt"),
    ],
)
def test_values_are_called_what_they_are(source: str, words: str) -> None:
    assert describe(parse_expression(source)) == words


@pytest.mark.parametrize(
    ("printed", "output", "act"),
    [
        ('print(3, plural("Wish"))', "3 Wishes\n", "plural('Wish')"),
        ('print(plural("a"), plural("b"))', "as bs\n", 'print(plural("a"), plural("b"))'),
        ('print("x", plural("a"))', "unlike\n", 'print("x", plural("a"))'),
    ],
)
def test_what_is_printed_beside_constants_is_told_by_itself(
    tmp_path: Path, printed: str, output: str, act: str
) -> None:
    facts = facts_from(tmp_path, "def plural(noun: str) -> str:\n    return noun\n")
    none = Value("NoneType", "None")
    found = normal_form(
        TrialFinding(trial(printed, subject="plural"), Observation("returned", none, output=output)), facts
    )
    assert found is not None
    assert found.trial.act == act


def test_methods_that_only_pickling_calls_are_said_to_be_that(tmp_path: Path) -> None:
    facts = facts_from(tmp_path, "class A:\n    def __getstate__(self):\n        return {}\n")
    reasons = {
        callable_.qualname: callable_.reason for callable_ in unreached_callables(facts, {}, (), {}, frozenset())
    }
    assert reasons["A.__getstate__"] == "no call was tried: __getstate__ is there for copying and pickling to call"


def test_calls_that_differ_in_quotes_only_are_one() -> None:
    said = Observation("returned", Value("str", "'bs'"))
    calls = [trial("plural('b')"), trial('plural("b")'), trial("plural('c')")]
    found = [
        AssertableFinding(TrialFinding(call, said), OracleVerdict((SpecExpectation("equals", "result", "'bs'"),)))
        for call in calls
    ]
    assert [repeat.finding.trial.act for repeat in without_repeats(found)] == ["plural('b')", "plural('c')"]


@pytest.mark.parametrize(
    ("act", "imports"),
    [("pp(table())", "from pprint import pprint as pp"), ("pprint.pprint(table())", "import pprint")],
)
def test_what_a_document_pretty_prints_is_compared_as_a_value(act: str, imports: str) -> None:
    shown = Trial("table", act, (imports,))
    finding = TrialFinding(shown, Observation("returned", output="{'a': 3,\n 'b': 2}\n"), agrees=True)
    found = normal_form(finding, ModuleFacts("m.py", "m", ".", ""))
    assert found is not None
    assert (found.trial.act, found.observation.output) == ("table()", "")
    assert found.observation.value is not None
    assert found.observation.value.source == "{'a': 3, 'b': 2}"


@pytest.mark.parametrize(
    ("act", "value", "stays"),
    [
        pytest.param("bag.__ior__({3})", "Bag()", True, id="one_operand"),
        pytest.param("bag.__ior__({3}, {4})", "Bag()", False, id="two_operands"),
        pytest.param("bag.__ior__(3)", "NotImplemented", False, id="declined"),
    ],
)
def test_an_operator_in_place_is_asserted_by_what_it_changes_or_not_at_all(act: str, value: str, stays: bool) -> None:
    changed = (("len(bag)", Value("int", "3")),)
    called = Trial("Bag.__ior__", act, ("from m import Bag",), ("bag = Bag()",))
    finding = TrialFinding(called, Observation("returned", value=Value("Bag", value), effects=changed))

    found = normal_form(finding, ModuleFacts("m.py", "m", ".", ""))

    assert (found is not None) is stays
    assert found is None or (found.observation.value, found.observation.effects) == (Value("NoneType", "None"), changed)


def test_calls_that_only_a_value_of_their_set_up_tells_apart_are_one() -> None:
    said = Observation("returned", Value("int", "4"))
    calls = [trial("writer.bits()", f"writer = Writer({text!r})") for text in ("first", "second")]
    calls.append(trial("writer.bits()", "writer = Writer()"))
    found = [
        AssertableFinding(TrialFinding(call, said), OracleVerdict((SpecExpectation("equals", "result", "4"),)))
        for call in calls
    ]
    kept = [one.finding.trial.arrange for one in without_repeats(found)]
    assert kept == [("writer = Writer('first')",), ("writer = Writer()",)]


def test_an_operator_in_place_that_makes_a_new_object_is_asserted_by_the_variable() -> None:
    called = Trial("Bag.__imul__", "bag.__imul__(2)", ("from m import Bag",), ("bag = Bag()",))
    made = Value("Bag", "Bag([1, 1])")

    found = normal_form(TrialFinding(called, Observation("returned", value=made)), ModuleFacts("m.py", "m", ".", ""))

    assert found is not None
    assert (found.trial.arrange, found.trial.act) == (("bag = Bag()", "bag *= 2"), "bag")
    assert found.observation.value == made


@pytest.mark.parametrize(
    ("other", "imports"),
    [("(None, 'here.org')", ()), ("Place('here.org')", ("from shop._places import Place",))],
)
def test_an_example_that_compares_asserts_its_other_side_also_in_a_private_module(
    other: str, imports: tuple[str, ...]
) -> None:
    needed = ("from shop._places import Place", "from shop._places import place_of")
    shown = Trial("place_of", f"place_of('here.org') == {other}", needed, wanted="True")
    finding = TrialFinding(shown, Observation("returned", value=Value("bool", "True")), agrees=True)
    found = normal_form(finding, ModuleFacts("shop/_places.py", "shop._places", ".", ""))
    assert found is not None
    assert found.observation.value is not None
    checks, also = value_checks("result", found.observation.value, own="shop._places")
    assert [(one.kind, one.actual, one.value) for one in checks] == [("equals", "result", other)]
    assert also == list(imports)
