"""Arguments are made ready first: objects filled by their own methods, files written by the module itself."""

from __future__ import annotations

import pytest

from testwright.engine.python.search.initial_trials import initial_trials
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = """
import json
from pathlib import Path

class Stock:
    def __init__(self) -> None:
        self.pieces: dict[str, int] = {}

    def put(self, article: str, pieces: int = 1) -> None:
        self.pieces[article] = pieces

    def merge(self, other: "Stock") -> int:
        return len(other.pieces)

def place(number: int, stock: Stock) -> bool:
    return bool(stock.pieces)

def both(left: Stock, right: Stock) -> int:
    return len(left.pieces) + len(right.pieces)

def save_numbers(numbers: list[int], path: Path) -> None:
    path.write_text(json.dumps(numbers))

def load_numbers(path: Path) -> list[int]:
    return json.loads(path.read_text())

def load_other(file_path: str) -> str:
    return open(file_path).read()
"""


@pytest.fixture
def trials(tmp_path):
    facts, context = context_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")
    return list(initial_trials(facts, context))


def of(trials, subject):
    return [trial for trial in trials if trial.subject == subject]


def test_an_object_is_filled_before_it_is_passed(trials):
    filled = next(one for one in of(trials, "place") if one.arrange)

    assert filled.arrange == ("stock = Stock()", "stock.put('apple')")
    assert filled.act == "place(6, stock)"
    assert filled.imports == ("from m import Stock", "from m import place")


def test_two_variables_never_bear_one_name(trials):
    for one in (*of(trials, "both"), *of(trials, "Stock.merge")):
        assert sum(text.startswith("stock = ") for text in one.arrange) <= 1
        assert "both(stock, stock)" not in one.act


def test_what_reads_a_file_is_given_the_one_its_counterpart_wrote(trials):
    round_trip = next(one for one in of(trials, "load_numbers") if "save_numbers" in " ".join(one.arrange))

    assert round_trip.act == "load_numbers(tmp_path / 'numbers.json')"
    assert round_trip.arrange == ("save_numbers([3, 1, 8, 2], tmp_path / 'numbers.json')",)
    assert round_trip.imports == ("from m import load_numbers", "from m import save_numbers")
    assert round_trip.fixtures == ("tmp_path",)
    assert not any("save" in " ".join(one.arrange) for one in of(trials, "load_other"))


def test_what_writes_a_file_is_given_the_path_of_a_new_one(trials):
    first = of(trials, "save_numbers")[0]

    assert (first.act, first.arrange) == ("save_numbers([3, 1, 8, 2], tmp_path / 'numbers.json')", ())


def test_no_path_leads_into_the_working_folder(trials):
    acts = [one.act for one in (*of(trials, "load_numbers"), *of(trials, "load_other"))]

    assert "load_numbers(tmp_path / 'missing.txt')" in acts
    assert not [one for one in acts if "'.'" in one]


def test_a_file_that_is_written_gets_a_name_of_its_own(tmp_path):
    source = (
        "def pack(file_in_name, file_out_name):\n"
        "    with open(file_in_name, 'rb') as source, open(file_out_name, 'wb') as target:\n"
        "        target.write(source.read())\n"
    )
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")

    first = next(one for one in initial_trials(facts, context) if one.subject == "pack")

    assert "tmp_path / 'output.txt'" in first.act
