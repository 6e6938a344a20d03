"""The list of real faults, and how tests are attributed to them."""

import ast

import pytest

from testwright.benchmarks.real_faults.functions import body_lines, with_bodies_of
from testwright.benchmarks.real_faults.missing_names import tolerant
from testwright.benchmarks.real_faults.pairs import chosen, read_pairs
from testwright.benchmarks.real_faults.proof import Proof
from testwright.benchmarks.real_faults.report import markdown, summary
from testwright.benchmarks.real_faults.suite import Suite

PAIRS = read_pairs()


def test_the_list_has_at_least_forty_pairs_of_ten_packages():
    assert len(PAIRS) >= 40
    assert len({pair.package for pair in PAIRS}) >= 10


def test_no_pair_is_listed_twice():
    assert len({(pair.package, pair.fixed, pair.functions, pair.fault) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_pair_says_what_was_wrong_and_has_a_proof_that_ends_in_an_expression(pair):
    assert pair.faulty != pair.fixed
    assert pair.functions
    assert pair.fault
    assert "\n" not in pair.fault
    assert pair.right
    assert isinstance(ast.parse(pair.proof).body[-1], ast.Expr)


def test_pairs_are_chosen_by_their_packages():
    assert {pair.package for pair in chosen(PAIRS, ["semver"])} == {"semver"}
    assert chosen(PAIRS, []) == PAIRS
    with pytest.raises(ValueError, match="flask: no pair of this package is listed"):
        chosen(PAIRS, ["flask"])


def test_a_quick_run_is_of_one_module_of_each_package():
    quick = chosen(PAIRS, [], quick=True)
    assert {pair.package for pair in quick} == {pair.package for pair in PAIRS}
    assert len({pair.later for pair in quick}) == len({pair.package for pair in PAIRS})


def test_an_entry_with_a_missing_field_is_refused(tmp_path):
    place = tmp_path / "pairs.toml"
    place.write_text('[[pair]]\npackage = "words"\nfixed = "1.1"\n')
    with pytest.raises(ValueError, match=r"words 1\.1: .*'faulty'"):
        read_pairs(place)


def test_requirements_go_to_all_pairs(tmp_path):
    place = tmp_path / "pairs.toml"
    entry = 'faulty = "1"\nfixed = "2"\nmodule = "w"\nfunctions = ["f"]\nfault = "wrong"\nproof = "1"\nright = "1"\n'
    place.write_text(f'requires = ["six"]\n[[pair]]\npackage = "words"\n{entry}')
    [pair] = read_pairs(place)
    assert pair.later.requires == ("six",)
    assert (pair.earlier.version, pair.later.version) == ("1", "2")


SOURCE = '''\
import functools


@functools.cache
def first(text):
    """Say it."""
    return text[0]


class Words:
    def add(self, word):
        return [word]

    def __len__(self):
        return 0


if functools:

    def second(text):
        return text[1]
'''


def test_the_lines_of_a_function_are_those_of_its_body():
    found = body_lines(SOURCE, ["first", "Words.add", "second", "third"])
    assert found == {
        "first": {6, 7},
        "Words.add": {12},
        "second": {21},
        "third": frozenset(),
    }


def test_the_name_of_a_class_stands_for_its_methods():
    assert body_lines(SOURCE, ["Words"]) == {"Words": {12, 15}}


def test_a_function_takes_its_text_from_another_version():
    earlier = "class Words:\n    def add(self, word):\n        self.last = word\n        return []"
    mixed = with_bodies_of(SOURCE, earlier, ["Words.add"])
    assert mixed is not None
    names: dict = {}
    exec(compile(mixed, "mixed.py", "exec"), names)
    assert names["Words"]().add("a") == []
    assert names["second"]("ab") == "b"


def test_a_decorator_goes_with_the_text_of_its_function():
    mixed = with_bodies_of(SOURCE, "def first(text):\n    return text\n", ["first"])
    assert mixed is not None
    assert "@functools.cache" not in mixed
    assert with_bodies_of("def first(text):\n    return text\n", SOURCE, ["first"]) is not None


@pytest.mark.parametrize("other", ["", "def first(a): pass\ndef first(b): pass\n"], ids=["absent", "twice"])
def test_a_function_that_the_other_version_has_not_exactly_once_is_not_taken(other):
    assert with_bodies_of(SOURCE, other, ["first"]) is None


def test_a_file_can_be_collected_where_a_name_it_imports_is_missing():
    text = "from __future__ import annotations\nfrom math import sqrt, no_such_name as other\n\nroot = sqrt(4)\n"
    names: dict = {}
    exec(compile(tolerant(text), "test_names.py", "exec"), names)
    assert (names["root"], names["other"]) == (2.0, None)


def test_a_proof_counts_when_the_outcomes_differ_and_the_later_is_right():
    assert Proof("1", "2", "2").complaint == ""
    assert Proof("2", "2", "2").complaint == "both versions come to 2"
    assert Proof("1", "raises KeyError", "2").complaint == "the later version comes to raises KeyError, not to 2"


def test_a_test_is_of_a_function_when_it_passes_and_runs_a_line_of_it():
    suite = Suite({}, frozenset({"a", "b", "c"}), {"a": {1, 7}, "b": {9}, "left out": {7}}, "", 1.0)
    assert suite.tests_of(frozenset({6, 7})) == {"a"}


def row(verdict, failing=(), others=()):
    pair = {"package": "words", "faulty": "1", "fixed": "2", "module": "words", "functions": ["f"], "fault": "a | b"}
    told = {"verdict": verdict, "note": "", "tests": 2, "isolated": True, "seconds": 3.0}
    return {**pair, **told, "failing": list(failing), "others": list(others)}


def test_the_share_caught_is_of_functions_that_have_tests():
    rows = [row("caught", ["t"]), row("missed", [], ["u"]), row("no test", [], ["u"]), row("no suite")]
    told = summary([*rows, row("not proven")])
    assert "4 pairs of 1 packages, 1 more do not count" in told
    assert "caught: 1 of 2 faults in functions that have tests, 50 % (at least 70 %: **no**)" in told
    assert "no test runs the function: 1; no suite at all: 1" in told
    assert "of this function or another: 3 of 4" in told


def test_seventy_percent_is_enough():
    rows = [row("caught", ["t"])] * 7 + [row("missed")] * 3
    assert "70 % (at least 70 %: yes)" in summary(rows)


def test_the_page_has_a_line_for_each_pair():
    page = markdown({"testwright": "1", "made_at": "now", "pairs": [row("caught", ["t"])]})
    assert "| words | 1 → 2 | words | f | a \\| b | caught | 2 | 1 (alone) | 0 |" in page
