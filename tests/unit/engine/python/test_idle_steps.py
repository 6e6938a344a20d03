"""Calls whose result is thrown away are no steps of a test, and what compares with itself is none (B-16, B-18)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.idle_steps import CalledSteps, asking_methods, records_with_idle_steps
from testwright.engine.python.selection.tautologies import (
    changes_nothing,
    says_nothing,
    silent_methods,
    works_on_nothing,
)
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16", "B-18")


CODE = b"""
import itertools


class Url:
    def __init__(self, text):
        self._text = text

    def add(self, name):
        return Url(self._text + "?" + name)

    def to_text(self):
        return self._text


class Cart:
    def add(self, name): ...


class Temperature:
    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9


class Ids:
    def __init__(self):
        self._last = 0
        self._more = itertools.count(1)
        self._store = Store()

    def take(self):
        return len(str(id(self)))

    def count_up(self):
        self._last += 1
        return self._prefix()

    def take_up(self):
        return self.count_up()

    def next_one(self):
        return next(self._more)

    def stored(self):
        return self._store.next_id()

    def kept(self):
        return keep(self._last)

    def kept_whole(self):
        return keep(self)

    def logged(self):
        return LOG.append(1)

    def of_item(self):
        return self._store["a"].pop()

    def swap(self):
        self._last, self._more = self._more, self._last
        return 1

    def last_of_all(self):
        for self._last in range(3):
            pass
        return 1

    def counted_for_all(self):
        global COUNT
        COUNT += 1
        return COUNT

    def of_class(self):
        Ids.total += 1
        return 1

    def by_another_name(self):
        other = self
        other.total = 1
        return 1

    def put_deep(self):
        self._store.get("a").append(1)
        return 1

    def of_base(self):
        return super().take()

    def prefix(self): ...
"""
FACTS = facts_from_source(CODE, ModulePlace("m.py", "m", "."))


def asked(number: int, act: str, seen: Observation, *arrange: str, subject: str, source: str = "") -> TrialRecord:
    found = record(number, act, seen, arrange=arrange)
    return replace(found, trial=replace(found.trial, subject=subject, source=source or "sequence"))


def of_ids(act: str, source: str, *before: str) -> TrialRecord:
    """A call of a method of new `ids` after others."""
    steps = [f"ids.{one}()" for one in before]
    return asked(0, f"ids.{act}()", returned(source), "ids = Ids()", *steps, subject=f"Ids.{act}")


def held(kind: str, source: str) -> Observation:
    """A result that is the very object of a variable."""
    return Observation("returned", value=Value(kind, source=source, held="word"))


@pytest.mark.parametrize(
    ("written", "nothing"), [("keep(1, b=2)", True), ("keep(a=1, b=2)", True), ("keep(1, b=3)", False)]
)
def test_a_call_that_is_compared_with_itself_says_nothing_however_its_arguments_are_passed(
    written: str, nothing: bool
) -> None:
    facts = facts_from_source(b"def keep(a, b):\n    return (a, b)\n", ModulePlace("m.py", "m", "."))
    made = asked(0, "keep(1, 2)", Observation("returned", value=Value("m.Kept", source=written)), subject="keep")
    assert says_nothing(made, facts) is nothing


ADDING = asked(0, "url.add('x')", returned("Url('?x')"), "url = Url('')", subject="Url.add")


def test_a_call_that_leaves_its_object_as_it_was_is_no_step() -> None:
    thrown = asked(1, "url.to_text()", returned("''"), "url = Url('')", "url.add('x')", subject="Url.to_text")
    bound = asked(2, "url.to_text()", returned("'?x'"), "url = Url('').add('x')", subject="Url.to_text")
    written = replace(thrown, number=3, trial=replace(thrown.trial, source="doctest"))
    assert records_with_idle_steps([ADDING, thrown, bound, written], FACTS) == {1}


def test_a_step_that_a_person_wrote_goes_where_another_trial_does_the_same_without_it_and_no_result_is_told() -> None:
    lines = ("url = Url('')", "url.add('x')")
    shown = asked(1, "url.add('y')", returned("Url('?y')"), *lines, subject="Url.add", source="document")
    told = replace(shown, number=2, trial=replace(shown.trial, wanted="Url('?y')"))
    plain = asked(3, "url.add('y')", returned("Url('?y')"), lines[0], subject="Url.add")
    assert records_with_idle_steps([ADDING, shown, told, plain], FACTS) == {1}
    assert records_with_idle_steps([ADDING, shown, told], FACTS) == set()


def test_a_call_on_an_object_of_another_or_an_unknown_class_is_no_such_step() -> None:
    line = "url.add('x')"
    for made in ("url = Cart()", "url = fixture()"):
        other = asked(1, "url.to_text()", returned("''"), made, line, subject="Url.to_text")
        assert records_with_idle_steps([ADDING, other], FACTS) == set()


def test_a_call_that_changes_something_is_a_step() -> None:
    changes = (("len(cart)", Value("int", "1")),)
    adding = asked(0, "cart.add('x')", returned("True", effects=changes), "cart = Cart()", subject="Cart.add")
    assert asking_methods([adding], FACTS) == set()


def test_a_call_after_which_another_answer_comes_is_a_step_whatever_other_methods_answer() -> None:
    prefix = [of_ids("prefix", "'a'"), of_ids("prefix", "'a'", "take")]
    assert asking_methods([*prefix, of_ids("take", "1")], FACTS) == {"Ids.prefix", "Ids.take"}
    assert asking_methods([*prefix, of_ids("take", "1"), of_ids("take", "2", "take")], FACTS) == {"Ids.prefix"}


def test_a_text_that_comes_back_as_it_was_passed_is_no_object_that_a_call_may_have_changed() -> None:
    alike = [of_ids("take", "'a'"), of_ids("take", "'a'", "take")]
    text = replace(of_ids("take", "'b'"), seen=replace(ADDING.seen, observation=held("str", "'b'")))
    listed = replace(text, seen=replace(ADDING.seen, observation=held("list", "['b']")))
    assert asking_methods([*alike, text], FACTS) == {"Ids.take"}
    assert asking_methods([*alike, listed], FACTS) == set()


def test_two_calls_after_which_another_answer_comes_than_after_none_are_steps() -> None:
    counted = [of_ids("prefix", "0"), of_ids("prefix", "2", "take", "take")]
    assert asking_methods([of_ids("take", "1"), *counted], FACTS) == {"Ids.prefix"}
    assert asking_methods([of_ids("take", "1"), *counted[::-1]], FACTS) == {"Ids.prefix"}


@pytest.mark.parametrize("method", ["count_up", "take_up", "next_one", "swap", "last_of_all"])
def test_a_method_whose_code_changes_its_object_does_not_only_ask(method: str) -> None:
    assert asking_methods([of_ids(method, "'a'"), of_ids(method, "'a'", method)], FACTS) == set()


HANDING_ON = ["stored", "of_a_base_elsewhere", "kept", "kept_whole", "logged", "of_item", "of_base"]
HANDING_ON += ["counted_for_all", "of_class", "by_another_name", "put_deep"]


@pytest.mark.parametrize("method", HANDING_ON)
def test_a_method_that_hands_on_to_unknown_code_asks_if_a_second_call_gives_the_same(method: str) -> None:
    one, again, other = (of_ids(method, "1"), of_ids(method, "1", method), of_ids("prefix", "'a'", method))
    assert asking_methods([one, of_ids("prefix", "'a'"), other], FACTS) == {"Ids.prefix"}
    assert asking_methods([one, again], FACTS) == {f"Ids.{method}"}


def test_a_call_that_a_busy_machine_cut_short_says_nothing_of_a_step() -> None:
    plain = asked(1, "url.to_text()", returned("''"), "url = Url('')", subject="Url.to_text")
    late = asked(
        2, "url.to_text()", Observation("timed_out"), *plain.trial.arrange, "url.add('x')", subject="Url.to_text"
    )
    assert asking_methods([ADDING, plain, late], FACTS) == {"Url.add", "Url.to_text"}


@pytest.mark.parametrize(
    ("act", "source", "empty"),
    [
        ("Url.from_text('a')", "Url.from_text('a')", True),
        ("Url.from_text('A').lower()", "Url.from_text('a')", False),
        ("hash(Url('a')) != hash(Url('b'))", "True", True),
        ("hash(Url('a')) == hash(Url('a'))", "True", False),
    ],
)
def test_a_call_that_is_compared_with_itself_says_nothing(act: str, source: str, empty: bool) -> None:
    assert says_nothing(record(0, act, returned(source)), FACTS) is empty


@pytest.mark.parametrize(
    ("act", "source", "last", "empty"),
    [
        ("path.absolute", "True", "path.absolute = True", True),
        ("path.text", "'/a'", 'path.text = "/a"', True),
        ("path.text", "'/a'", "path.text = 'a'", False),
        ("path.absolute", "True", "setattr(path, 'absolute', True)", True),
        ("path.absolute", "True", "other.absolute = True", False),
        ("temperature.fahrenheit", "212", "temperature.fahrenheit = 212", False),
    ],
)
def test_reading_back_what_the_line_before_assigned_says_nothing(act: str, source: str, last: str, empty: bool) -> None:
    assert says_nothing(record(0, act, returned(source), arrange=("path = Path()", last)), FACTS) is empty


@pytest.mark.parametrize(
    ("act", "source", "wanted", "empty"),
    [
        ("deck[1:3]", "Deck([])", None, True),
        ("deck[1:3]", "[]", None, True),
        ("deck[slice(1, 3)]", "Deck([])", None, True),
        ("deck[1:3]", "[]", "[]", False),
        ("deck[1:3]", "[2]", None, False),
        ("deck[1:3]", "0", None, False),
        ("deck[1]", "[]", None, False),
    ],
)
def test_a_slice_of_nothing_says_nothing_but_where_a_document_shows_it(
    act: str, source: str, wanted: str | None, empty: bool
) -> None:
    taken = record(0, act, returned(source), arrange=("deck = Deck([1, 2])",), wanted=wanted)
    assert says_nothing(taken, FACTS) is empty


def test_what_a_method_gives_that_returns_nothing_is_no_object_to_compare() -> None:
    loads = asked(0, "part.load('a')", returned("None"), "part = Part()", subject="Part.load")
    opened = asked(1, "path.load('a')", returned("Path('a')"), "path = Path()", subject="Path.load")
    silent = silent_methods([loads, opened])
    compared = asked(2, "part != Part('b')", returned("True"), "part = Part().load('a')", subject="Part.__ne__")
    of_path = asked(3, "path != Path('b')", returned("True"), "path = Path().load('a')", subject="Path.__ne__")

    assert silent == {"Part.load"}
    assert works_on_nothing(compared.trial, silent)
    assert not works_on_nothing(of_path.trial, silent)


def test_a_call_that_always_makes_another_object_of_its_class_asks_though_its_code_hands_on() -> None:
    made = replace(of_ids("stored", "Ids()"), seen=replace(ADDING.seen, observation=held("m.Ids", "Ids()")))
    new = replace(made, seen=replace(made.seen, observation=returned_object("m.Ids", "Ids()")))

    assert asking_methods([new], FACTS) == {"Ids.stored"}
    assert asking_methods([new, made], FACTS) == set()


def test_a_call_that_changes_what_it_is_passed_leaves_its_object_as_it_was() -> None:
    changes = (("box", Value("dict", "{'a': 1}")),)
    adding = asked(0, "url.add(box)", returned("'x'", effects=changes), "url = Url('')", subject="Url.add")

    assert asking_methods([adding], FACTS) == set()
    assert asking_methods([adding], FACTS, leaves_arguments=False) == {"Url.add"}


def returned_object(kind: str, source: str) -> Observation:
    """A new object as a result."""
    return Observation("returned", value=Value(kind, source=source))


@pytest.mark.parametrize(
    ("leave", "source", "nothing"),
    [
        ("lambda *args: 1", "1", True),
        ("lambda *args: 1", "2", False),
        ("lambda *args: args[0]", "1", False),
        ("lambda node: 1", "1", False),
        ("lambda: 1", "1", False),
    ],
)
def test_a_result_that_a_function_for_anything_gives_says_nothing(leave: str, source: str, nothing: bool) -> None:
    made = asked(0, f"walk([3, 4], leave={leave})", returned(source), subject="walk")

    assert says_nothing(made, FACTS) is nothing


def test_a_method_that_changes_its_object_and_did_not_says_nothing_by_returning_nothing() -> None:
    idle = replace(
        asked(0, "ids.count_up(0)", returned("None"), "ids = Ids()", subject="Ids.count_up"), arcs=frozenset({(1, 2)})
    )
    changing = replace(idle, seen=replace(idle.seen, observation=returned("None", effects=(("len(ids)", idle),))))
    written = replace(idle, trial=replace(idle.trial, source="call_site"))
    ways = {"Ids.count_up": [frozenset({(1, 2), (2, 3)})]}

    assert changes_nothing(idle, ways)
    assert not changes_nothing(idle, {"Ids.take": ways["Ids.count_up"]})
    assert not changes_nothing(idle, {"Ids.count_up": [frozenset({(2, 3)})]})  # the way of an early return
    assert not changes_nothing(changing, ways)
    assert not changes_nothing(written, ways)


def test_a_method_that_always_gives_back_its_own_object_may_change_it() -> None:
    own = replace(of_ids("stored", "Ids()"), seen=replace(ADDING.seen, observation=held("m.Ids", "Ids()")))
    new = replace(own, seen=replace(own.seen, observation=returned_object("m.Ids", "Ids()")))
    at_ids = [replace(one, trial=replace(one.trial, arrange=("ids = Ids()",))) for one in (own, new)]

    assert asking_methods(at_ids[:1], FACTS, leaves_arguments=False) == set()
    assert asking_methods(at_ids, FACTS, leaves_arguments=False) == {"Ids.stored"}


def test_what_a_factory_made_is_of_the_class_that_it_is_a_maker_of() -> None:
    made = replace(
        FACTS, classes=tuple(replace(one, makers=("link",) if one.name == "Url" else None) for one in FACTS.classes)
    )

    assert CalledSteps(made).method(("url = link('x')",), "url.add('y')") == "Url.add"
    assert CalledSteps(FACTS).method(("url = link('x')",), "url.add('y')") == ""
