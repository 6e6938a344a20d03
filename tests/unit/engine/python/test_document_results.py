"""What a document shows below its prompts is the documented result of the call, where the call has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.explore.shown_results import without_other_results
from testwright.engine.python.model.model import PRINTS, Observation, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.candidates import candidates_of
from testwright.engine.python.selection.documented import plainest_of_each_line
from testwright.engine.python.usage.usage import find_usage
from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SHOP = """
def price(amount, rate=0.0):
    return amount + amount * rate


def label(amount):
    return f"{amount} EUR"
"""
README = """# Shop

>>> import shop as S

## Prices

>>> S.price(4, rate=0.5)
6.0
>>> rate = 0.25
>>> S.price(8, rate=rate)
10.0
>>> print(S.label(3))
3 EUR
>>> S.price(2)
>>> total = S.price(12)
>>> total
12.0
"""


@pytest.fixture(name="documented")
def documented_fixture(tmp_path: Path) -> dict[str, Trial]:
    project = write_project(tmp_path, {"shop.py": SHOP, "README.md": README})
    layout = find_layout(project)
    used = find_usage(project, layout, facts_of(project, "shop.py"))
    return {one.act: one for one in used.trials}


def test_the_result_below_a_prompt_is_wanted_of_its_call(documented: dict[str, Trial]) -> None:
    found = documented["price(4, rate=0.5)"]
    assert (found.wanted, found.wanted_line, found.wanted_path) == ("6.0\n", 7, "README.md")


def test_a_call_needs_only_the_statements_that_it_reads(documented: dict[str, Trial]) -> None:
    found = documented["price(8, rate=rate)"]
    assert (found.arrange, found.wanted) == (("rate = 0.25",), "10.0\n")


def test_what_is_printed_is_wanted_of_what_prints_it(documented: dict[str, Trial]) -> None:
    assert documented["label(3)"].wanted == f"{PRINTS}3 EUR\n"


def test_what_a_variable_is_asked_for_is_wanted_of_the_call_that_it_was_assigned(documented: dict[str, Trial]) -> None:
    assert (documented["price(12)"].wanted, documented["price(12)"].wanted_line) == ("12.0\n", 16)


def test_a_method_of_a_class_of_another_module_is_no_example_of_one_of_its_name(tmp_path: Path) -> None:
    shop = "class Cart:\n    def add(self, name):\n        return name\n"
    desk = "class Desk:\n    def add(self, name):\n        return [name]\n"
    page = (
        ">>> from shop import Cart\n>>> from desk import Desk\n>>> Desk().add('a')\n['a']\n>>> Cart().add('b')\n'b'\n"
    )
    project = write_project(tmp_path, {"shop.py": shop, "desk.py": desk, "README.md": page})
    used = find_usage(project, find_layout(project), facts_of(project, "shop.py"))
    assert [(one.subject, one.act) for one in used.trials] == [("Cart.add", "Cart().add('b')")]


def test_a_call_without_a_result_below_it_wants_none(documented: dict[str, Trial]) -> None:
    assert documented["price(2)"].wanted is None


def record(number: int, trial: Trial, source: str) -> TrialRecord:
    value = Value("float", source, text=source)
    return TrialRecord(
        number, trial, ObservedTrial(Observation("returned", value), shown=source), frozenset(), frozenset()
    )


def test_a_result_that_the_call_does_not_have_contradicts_nothing(documented: dict[str, Trial]) -> None:
    trial = documented["price(8, rate=rate)"]
    right, wrong = without_other_results([record(0, trial, "10.0"), record(1, trial, "8.0")])
    assert right.trial.wanted == "10.0\n"
    assert (wrong.trial.wanted, wrong.trial.source) == (None, "document")


def test_of_one_line_after_more_and_fewer_steps_the_fewest_stay(tmp_path: Path, documented: dict[str, Trial]) -> None:
    short = documented["price(8, rate=rate)"]
    long = replace(short, arrange=("rate = 0.25", "S.label(3)"))
    facts = facts_of(tmp_path, "shop.py")
    candidates = candidates_of([record(0, long, "10.0"), record(1, short, "10.0")], facts)
    assert [one.record.number for one in plainest_of_each_line(candidates)] == [1]


def test_what_a_document_lists_of_an_object_is_an_example_of_what_it_asks(tmp_path: Path) -> None:
    rates = (
        "class Rates:\n    def __init__(self, held):\n        self.held = held\n\n"
        "    def items(self):\n        return self.held.items()\n\n"
        "    def __iter__(self):\n        return iter(self.held)\n"
    )
    page = (
        ">>> from rates import Rates\n>>> rates = Rates({'a': 1})\n"
        ">>> list(rates.items())\n[('a', 1)]\n>>> list(rates)\n['a']\n"
    )
    project = write_project(tmp_path, {"rates.py": rates, "README.md": page})
    used = find_usage(project, find_layout(project), facts_of(project, "rates.py"))
    subjects = {one.act: one.subject for one in used.trials}
    assert subjects["list(rates.items())"] == "Rates.items"
    assert subjects["list(rates)"] == "Rates.__iter__"


def test_what_is_asked_of_the_object_that_a_member_makes_is_an_example_of_it(tmp_path: Path) -> None:
    spans = (
        "class Span:\n    def __init__(self, end):\n        self.end = end\n\n"
        "    def wider(self, by):\n        return Span(self.end + by)\n\n"
        "    def __getitem__(self, at):\n        return at < self.end\n\n"
        "    def last(self):\n        return self.end - 1\n"
    )
    page = ">>> from spans import Span\n>>> span = Span(3)\n>>> wide = span.wider(2)\n>>> wide[span.last()]\nTrue\n"
    project = write_project(tmp_path, {"spans.py": spans, "README.md": page})
    used = find_usage(project, find_layout(project), facts_of(project, "spans.py"))
    assert {one.act: one.subject for one in used.trials}["wide[span.last()]"] == "Span.__getitem__"
