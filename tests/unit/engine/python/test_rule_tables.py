"""Each rule of a table of regular expressions that no documented word takes has a row with a word of its own (B-16)."""

from __future__ import annotations

import asyncio
import re

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.judge.case_tables import MOST_ROWS
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.rule_tables import WORDS, show_rule_tables
from testwright.engine.python.scenarios.scenario import is_further_row
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

SOURCE = r"""
import re

RULES = [
    (r"(?i)(quiz)$", r"\1zes"),
    (r"(x|ch|ss|sh)$", r"\1es"),
    (r"([^aeiouy])y$", r"\1ies"),
    (r"[0-9]zq$", "never"),
    (r"s$", "s"),
    (r"$", "s"),
]

def register(one, many):
    RULES.insert(0, (one + "$", many))

register("person", "people")
register("child", "children")

def plural(word):
    for rule, replacement in RULES:
        if re.search(rule, word):
            return re.sub(rule, replacement, word)
    return word

def shout(word):
    return word.upper()
"""


def rows(documented: str, source: str = SOURCE) -> list[str]:
    """The calls that become rows beside a documented one."""
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    search, here = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(source)

    async def run() -> None:
        trial = Trial(documented.partition("(")[0], documented, source="doctest", wanted="'?'")
        search.learn(trial, (await here.watch([trial]))[0])
        await show_rule_tables(facts, search, here, source)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return [one.trial.act for one in search.records if is_further_row(one)]


def test_each_rule_that_no_documented_word_takes_has_an_english_word_that_no_earlier_rule_takes() -> None:
    found = rows("plural('cat')")

    assert {"plural('quiz')", "plural('box')", "plural('city')"} <= set(found)
    assert "plural('dog')" not in found  # the documented word shows that rule


def test_a_rule_that_no_word_is_known_for_has_no_row() -> None:
    assert not any("zq" in act for act in rows("plural('cat')"))


def test_words_that_the_module_registers_are_shown_where_they_change() -> None:
    found = rows("plural('cat')")

    assert {"plural('person')", "plural('child')"} <= set(found)


def test_a_function_that_reads_no_table_has_no_rows() -> None:
    assert rows("shout('cat')") == []


def test_a_table_with_a_pattern_that_may_take_long_is_not_read() -> None:
    assert rows("plural('cat')", SOURCE.replace('r"[0-9]zq$"', r'r"^(\w+\s?)*!$"')) == []


def test_a_long_documented_word_takes_no_rule() -> None:
    assert "plural('day')" in rows("plural('incomprehensibilidad')")
    assert "plural('day')" not in rows("plural('cat')")


def test_a_long_table_of_rules_leaves_place_for_other_rows() -> None:
    many = "\n".join(f"    (r'^{word}$', 'plain{at}')," for at, word in enumerate(WORDS[:40]))
    source = f"import re\nRULES = [\n{many}\n]\ndef plain(word):\n    return dict(RULES).get('^' + word + '$', word)\n"

    assert len(rows("plain('kitten')", source)) == MOST_ROWS - 3


def test_the_words_are_plain_english_ones() -> None:
    assert len(set(WORDS)) == len(WORDS)
    assert all(re.fullmatch("[a-z]{2,}", word) for word in WORDS)
