"""What the harness in Node says of values and calls."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from testwright.engine.javascript.compose import compose_spec
from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.jsdoc import Example
from testwright.engine.javascript.observation_file import HARNESS
from testwright.engine.javascript.observations import Observations, Seen
from testwright.engine.javascript.selection import select
from testwright.engine.javascript.trials import Proposer
from testwright.sandbox.javascript.node import find_node

pytestmark = pytest.mark.feature("T-10", "B-04")


def in_node(script: str, tmp_path: Any) -> list[Any]:
    results = tmp_path / "results.jsonl"
    head = f"const {{ compare, observe }} = require({json.dumps(str(HARNESS))}); const to = {json.dumps(str(results))};"
    subprocess.run([str(find_node().path), "-e", head + script], check=True, capture_output=True)
    return [json.loads(line) for line in results.read_text().splitlines()]


ALIKE = (
    ("{ b: 1, a: [2] }", "{ a: [2], b: 1 }", True),
    ("{ a: 1 }", "{ a: 2 }", False),
    ("0.33", "0.3333333333333333", True),
    ("0.34", "0.3333333333333333", False),
    ("0.3", "0.30000000000000004", True),
    ("0.1", "0.12", False),
    ("[0.67]", "[0.6666666666666666]", True),
    ("new Set([2, 1])", "new Set([1, 2])", True),
    ("nowhere", "1", None),
    ("1", "", False),
)


def test_documented_values_are_compared_as_values(tmp_path):
    pairs = ", ".join(f"[() => ({said}), {f'() => ({seen})' if seen else 'null'}]" for said, seen, _ in ALIKE)
    found = {row["at"]: row["alike"] for row in in_node(f"compare([{pairs}], to);", tmp_path)}
    assert [found.get(at) for at in range(len(ALIKE))] == [wanted for *_, wanted in ALIKE]


def test_refused_promises_and_instances_with_fields_of_their_own_are_told(tmp_path):
    calls = (
        "() => Promise.reject(new Error('no'))",
        "() => { throw new Error('no'); }",
        "() => new (class Box { _inner = 1; size = 2; })()",
    )
    trials = ", ".join(f"{{ id: {at}, args: () => [], call: {call} }}" for at, call in enumerate(calls))
    options = "{ results: to, files: [], journal: '/dev/null', skip: [] }"
    rows = in_node(f"observe(() => ({{}}), () => [{trials}], {options});", tmp_path)
    seen = {row["id"]: row for row in rows if "id" in row}
    assert (seen[0]["isAsync"], seen[1]["isAsync"]) == (True, False)
    assert (seen[2]["kind"], seen[2]["exact"]) == ("object", False)


def test_a_method_counts_as_returning_its_object_only_where_it_does(tmp_path):
    made = (
        "receiver: async () => ({ basket: { add() { return this; }, clear() {} }, add() { return this; }, clear() {} })"
    )
    named = f"self: 'basket', {made}"
    trials = (
        f"{made}, call: (it) => it.clear()",
        f"{made}, call: (it) => it.add()",
        f"{named}, call: (it) => it.basket.clear()",
        f"{named}, call: (it) => it.basket.add()",
        "self: 'basket', receiver: async () => null, call: () => null",
    )
    listed = ", ".join(f"{{ id: {at}, args: () => [], {trial} }}" for at, trial in enumerate(trials))
    options = "{ results: to, files: [], journal: '/dev/null', skip: [] }"
    rows = in_node(f"observe(() => ({{}}), () => [{listed}], {options});", tmp_path)
    seen = [(row["outcome"], row["self"]) for row in rows if "id" in row]
    assert seen == [("value", returns_itself) for returns_itself in (False, True, False, True, False)]


def test_mutants_that_do_not_compile_are_noticed_by_nobody_and_long_loops_of_the_original_are_allowed(tmp_path):
    loops = "(n) => ({ f: () => { for (let i = 0; i < n; i += 1) globalThis.__testwrightTick(); return 1; } })"
    broken = "() => { throw new SyntaxError('odd') }"
    known = json.dumps([[1, json.dumps(["value", "1", [], {}], separators=(",", ":"))]])
    mutants = (
        f"[[-1, () => make(150000), [1]], [0, () => make(160000), [1]], [1, () => make(1e9), [1]], [2, {broken}, [1]]]"
    )
    options = f"{{ results: to, journal: '/dev/null', skip: [], known: {known}, mutants: {mutants} }}"
    trials = "(m) => [{ id: 1, args: () => [], call: () => m.f() }]"
    rows = in_node(
        f"const make = {loops}; observe(() => ({{}}), {trials.replace('m.f()', 'm.f()')}, {options});", tmp_path
    )
    assert [(row["mutant"], row["noticed"]) for row in rows] == [(0, []), (1, [1]), (2, [])]


MODULE = """/**
 * @example half(4) // => 2
 */
export function half(n) { throw new RangeError('no half'); }
export function later(n) { return Promise.reject(new RangeError('no')); }
"""


@pytest.fixture
def read(tmp_path):
    (tmp_path / "m.js").write_text(MODULE)
    return read_module(tmp_path, "m.js")


@pytest.mark.parametrize("outcome", [{"outcome": "throws", "error": ("RangeError", "no half")}, None])
def test_a_documented_value_that_is_not_given_is_suspected_and_never_a_test(read, tmp_path, outcome):
    examples = [("m.js", Example("half(4)", "2", line=2))]
    trials = [one for one in Proposer(tmp_path, read, examples).propose(["half"]) if one.example]
    found = Observations({trials[0].id: Seen(**outcome)} if outcome else {}, hung=[] if outcome else [trials[0].id])
    spec = compose_spec(read, select(read, trials, found, {trials[0].id: False}), {})
    assert not spec["cases"]
    assert [one["documented"] for one in spec["suspected_defects"]] == ["2"]


def test_a_function_whose_calls_all_hang_is_missing_for_that_reason(read, tmp_path):
    trials = Proposer(tmp_path, read, []).propose(["half"])
    selection = select(read, trials, Observations(hung=[one.id for one in trials]), {})
    assert [why for function, why in selection.not_reached if function.qualname == "half"] == [
        "calls of it do not come to an end, or end the process"
    ]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "(function (root, make) { if (typeof exports === 'object') module.exports = make(); })(this, () => 1);",
            "UMD",
        ),
        ("export { total } from './cart.js';\nexport * from './tax.js';\n", "only passes on"),
        ("console.log('hello');", "exports nothing"),
        ("export const LIMIT = 3;", "values alone"),
    ],
)
def test_a_module_without_functions_is_refused_with_the_true_reason(tmp_path, source, reason):
    (tmp_path / "m.js").write_text(source)
    found = read_module(tmp_path, "m.js")
    [row] = compose_spec(found, select(found, [], Observations(), {}), {})["not_reached"]
    assert reason in row["reason"]
