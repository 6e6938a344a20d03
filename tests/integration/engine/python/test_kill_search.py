"""Mutants guide exploring: what notices them, what is tried for those that nothing notices, and what is kept (B-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.judge.assertable_finding import AssertableFinding
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.judge.suite_size import BuiltCases, SizeLimits, fit_to_limits
from testwright.engine.python.model.model import Exploration, Observation, Trial, TrialFinding, Value
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.model.spec_case import MESSAGE, Case, SpecExpectation
from testwright.engine.python.mutants import mutant_worker_client
from testwright.engine.python.mutants.asserted_facets import facets_of
from testwright.engine.python.mutants.kill_search import SEED
from testwright.engine.python.mutants.mutant_lines import ImportTimeUses
from testwright.engine.python.mutants.mutant_values import MutantValues, with_explicit_defaults, with_values
from testwright.engine.python.mutants.mutant_worker_client import Difference, MutantRequest, open_mutant_worker
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.write.compose import compose_spec
from testwright.mutation.catalog import mutants_of, sample
from testwright.tests.support.engine.exploration import PATH, explored, facts_of, files, trial
from testwright.tests.support.engine.targets import prepared
from testwright.utils.regex_examples import is_pattern, samples

FARES = '''
"""Fares."""

RATES = {"child": 3, "adult": 7, "senior": 5}
FREE = 4


def fare(kind, age=30):
    """What a ticket costs."""
    if age < FREE:
        return 0
    return RATES.get(kind, 9)


def spin(count):
    """Counts down."""
    while count > 0:
        count -= 1
    return count
'''


def explored_fares(folder: Path, mutants: int, **further: Any) -> Exploration:
    async def run() -> Exploration:
        async with prepared(folder, files(FARES)) as target:
            root = target.snapshot.path
            layout = find_layout(root)
            facts = analyse_module(root, PATH, layout)
            budget = ExplorationBudget(
                trials=300, quiet=120, mutant_search=MutantSearchLimits(mutants=mutants, **further)
            )
            return await explore(target, facts, SourceProposer(root, layout, facts), budget)

    return asyncio.run(run())


@pytest.mark.feature("B-11")
def test_words_of_a_table_and_the_boundary_of_a_comparison_become_tests_because_mutants_ask_for_them(
    tmp_path: Path,
) -> None:
    found = explored_fares(tmp_path, 200)
    acts = {" ".join((*finding.trial.arrange, finding.trial.act)) for finding in found.findings}
    for word in ("child", "adult", "senior"):
        assert any(repr(word) in act for act in acts), word
    assert any(", 4)" in act or "age=4" in act for act in acts)
    assert any(", 3)" in act or "age=3" in act for act in acts)
    assert all(
        finding.kills or finding.new_arcs or finding.agrees
        for finding in found.findings
        if finding.trial.subject == "fare"
    )


def test_two_explorations_that_go_by_mutants_are_the_same(tmp_path: Path) -> None:
    one, other = explored_fares(tmp_path / "one", 60), explored_fares(tmp_path / "other", 60)
    specs = [compose_spec(found, framework="pytest") for found in (one, other)]
    assert specs[0] == specs[1]


def test_how_many_trials_are_learned_at_a_time_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = explored_fares(tmp_path / "one", 60)
    monkeypatch.setattr(mutant_worker_client, "PORTION", 7)
    other = explored_fares(tmp_path / "other", 60)
    specs = [compose_spec(found, framework="pytest") for found in (one, other)]
    assert specs[0] == specs[1]


def test_lines_that_run_at_import_have_their_own_share_of_trials(tmp_path: Path) -> None:
    found = explored_fares(tmp_path, 60, at_import=(0,))
    table = next(number for number, text in enumerate(FARES.splitlines(), 1) if text.startswith("RATES"))
    mutants = sample([one for one in mutants_of(FARES.encode(), PATH) if one.rule is None], 60, seed=SEED)
    killed = {number for finding in found.findings for number in finding.kills if number < len(mutants)}
    noticed = {mutants[number].line for number in killed}
    assert noticed
    assert table not in noticed


def test_without_mutants_exploring_goes_by_branches_alone(tmp_path: Path) -> None:
    budget = ExplorationBudget(mutant_search=MutantSearchLimits(mutants=0))
    found = explored(tmp_path, FARES, [trial("fare('child')"), trial("fare('child', 2)")], budget=budget)[0]
    assert not any(finding.kills for finding in found.findings)


@pytest.mark.feature("B-11")
def test_trials_run_in_lockstep_on_mutants_of_functions_of_tables_and_of_endless_loops(tmp_path: Path) -> None:
    trials = [trial("fare('child')"), trial("fare('child', 4)"), trial("spin(3)")]
    mutants = {(one.line, one.before, one.after): one for one in mutants_of(FARES.encode(), PATH)}

    def mutant(text: str):
        return next(one for (_, _, after), one in mutants.items() if after == text)

    asked = [
        MutantRequest(0, mutant("if age <= FREE:"), False, (0, 1, 2), 9),
        MutantRequest(1, mutant('RATES = {"child": 4, "adult": 7, "senior": 5}'), True, (0, 1, 2), 9),
        MutantRequest(2, mutant("count += 1"), False, (2,), 9),
        MutantRequest(3, mutant("while count >= 0:"), False, (2,), 9),
        MutantRequest(4, mutant("FREE = 5"), True, (0, 1), 1),
    ]

    async def run():
        async with prepared(tmp_path, files(FARES)) as target, open_mutant_worker(target, facts_of(target)) as lockstep:
            seen = await lockstep.learn(trials)
            return seen, await lockstep.run(asked)

    seen, answers = asyncio.run(run())
    assert [one and one.observation.value and one.observation.value.source for one in seen] == ["3", "3", "0"]
    differing = {answer.number: {each.trial for each in answer.differences} for answer in answers}
    assert differing == {0: {1}, 1: {0, 1}, 2: {2}, 3: {2}, 4: {1}}
    endless = next(answer for answer in answers if answer.number == 2)
    assert endless.differences[0].facets == {"ends"}
    assert {answer.status for answer in answers} == {"tried"}


def test_a_test_notices_only_what_its_expectations_look_at() -> None:
    weak = facets_of([SpecExpectation("is_instance", "result", "Cart")])
    assert weak.weak
    assert not weak.detects(Difference(0, frozenset({"result", "result.length"})))
    assert weak.detects(Difference(0, frozenset({"ends"})))
    state = facets_of([SpecExpectation("equals", "cart.total", "3")])
    assert state.detects(Difference(0, frozenset({"effect:cart.total"})))
    assert not state.detects(Difference(0, frozenset({"effect:cart.items", "output"})))
    refusal = facets_of([SpecExpectation("raises", exception="ValueError", match="no such kind")])
    assert not refusal.detects(Difference(0, frozenset({"message"}), "XXno such kindXX"))
    assert refusal.detects(Difference(0, frozenset({"message"}), "something else"))
    exact = facets_of([SpecExpectation("raises", MESSAGE, exception="ValueError", match="no such kind")])
    assert exact.detects(Difference(0, frozenset({"message"}), "XXno such kindXX"))


def test_patterns_are_told_from_words_and_met_by_samples() -> None:
    assert is_pattern(r"(?i)(m|l)ice$")
    assert not is_pattern("children")
    assert not is_pattern("broken (")
    assert "mice" in samples(r"(?i)(m|l)ice$")
    assert samples(r"^\d{3}-[a-f]+\s?$")
    assert samples("(unbalanced") == []
    assert samples(r"x(?!y)(?P<tail>[^z])(?P=tail)")


def test_values_for_a_mutant_stand_beside_it_in_its_table_or_in_the_calls_of_its_function() -> None:
    source = b"A = {'jeans': 0x2019}\nP = (('a', 1), ('b', 2), ('c', 3))\n\n\ndef add(x):\n    A[x[1:]] = 0\n"
    source += b"\n\nadd('cow')\n"
    words = MutantValues(source)

    def near(line: int, after: str) -> Sequence[object]:
        mutant = next(one for one in mutants_of(source, "m.py") if one.line == line and after in one.after)
        return words.near(mutant, early=True)

    assert near(1, "XXjeansXX")[:2] == ["jeans", "Jeans"]
    assert "a\u2019" in near(1, "8218")
    assert {"b", 2, 1, 3} <= set(near(2, "XXbXX"))
    assert "cow" in near(6, "x[2:]")
    assert [value.act for value in with_values(Trial("add", "add('x', 1)"), ["cow", 3])] == [
        "add('cow', 1)",
        "add('x', 3)",
    ]
    assert [value.act for value in with_values(Trial("add", "add(1)"), ["cow"])] == ["add('cow')"]


def test_for_a_table_of_letters_all_of_them_are_asked_for_in_one_text() -> None:
    words = MutantValues("A = {0xe4: 'ae', 0xf6: 'oe', 'ß': 'ss'}\nB = {'x': 1, 'yes': 2, 'z': 3}\n".encode())
    mutants = mutants_of("A = {0xe4: 'ae', 0xf6: 'oe', 'ß': 'ss'}\nB = {'x': 1, 'yes': 2, 'z': 3}\n".encode(), "m.py")

    first = {one.line: words.near(one, early=True)[0] for one in reversed(mutants) if one.operator == "string"}

    assert first == {1: "äöß", 2: "x"}


def test_what_uses_a_line_that_runs_at_import_is_found_through_names_and_calls() -> None:
    source = b"T = []\nU = T\n\n\ndef add(x):\n    T.append(x)\n\n\nadd(1)\n\n\ndef use():\n    return U\n"
    source += b"\n\ndef none(a=2):\n    return a\n"
    used = ImportTimeUses(source)
    assert 13 in used.lines(1)
    assert 13 in used.lines(9)
    assert used.lines(16) == {17}
    assert 17 not in used.lines(1)


def test_calls_are_given_what_they_left_to_defaults(tmp_path: Path) -> None:
    source = "class Span:\n    def __init__(self, days=0, years=0, name='x'):\n        self.days = days + years\n"

    async def run():
        async with prepared(tmp_path, files(source)) as target:
            return facts_of(target)

    found = with_explicit_defaults(Trial("Span", "Span(1) == Span()"), asyncio.run(run()))
    assert found[0].act == "Span(1, years=3) == Span(days=5, years=6)"
    assert "Span(1, years=3) == Span()" in {one.act for one in found}
    assert "Span(1) == Span(days=2, years=3)" in {one.act for one in found}


def judged(number: int, kills: set[int], arcs: set[tuple[int, int]]) -> AssertableFinding:
    value = Value("int", str(number))
    seen = Observation("returned", value=value, arcs=frozenset(arcs))
    finding = TrialFinding(Trial("fare", f"fare({number})"), seen, kills=frozenset(kills))
    return AssertableFinding(finding, OracleVerdict((SpecExpectation("equals", "result", str(number)),)))


def test_a_file_that_is_too_long_loses_what_adds_least_and_keeps_what_alone_takes_a_branch() -> None:
    everything = [
        judged(0, set(), {(1, 2)}),
        *(judged(number, {1}, set()) for number in range(1, 9)),
        judged(9, {7, 8}, set()),
    ]

    def build(left):
        cases = tuple(
            Case(
                f"tc_{one.finding.trial.act[5:-1]}", "t", "fare", one.finding.trial.act, expect=one.verdict.expectations
            )
            for one in left
        )
        return BuiltCases(tuple(case.id for case in cases), cases)

    def written(cases):
        return "\n".join(f"def test_{case.id}():\n    assert {case.expression} == 1\n" for case in cases)

    built = fit_to_limits(everything, build, written, SizeLimits(functions=80, rows=300, lines=6))
    ids = {case.id for case in built.cases}
    assert {"tc_0", "tc_9"} <= ids
    assert len(ids) <= 3
    few = fit_to_limits(everything, build, written, SizeLimits(functions=4, rows=300))
    assert len(few.cases) == 4
    assert len(fit_to_limits(everything, build, written, SizeLimits()).cases) == 10
