"""The gate's rules on plain data: orders, polluters, classes, evidence, pruning, what the tools answer."""

import json
from dataclasses import replace

import pytest

from testwright.gate.evidence.additions import additions_of, redundant_tests
from testwright.gate.evidence.evidence import EvidenceRecord, evidence_of
from testwright.gate.evidence.prune import prune, without_cases
from testwright.gate.evidence.summary import tool_result
from testwright.gate.model.classify import classify_case, classify_collection
from testwright.gate.model.coverage_data import CoverageData, FileCoverage, ReachedCode
from testwright.gate.model.mutant_results import MutantResult, MutationReport
from testwright.gate.model.options import RunOrder
from testwright.gate.model.results import CaseResult, CollectError, Failure, Frame
from testwright.gate.model.verdicts import CaseVerdict, Verification
from testwright.gate.verify.polluter import find_polluter
from testwright.mutation.model import Mutant

NAMES = tuple(f"tests/test_{file}.py::test_{number}" for file in "ab" for number in range(5))
PATH = "tests/generated/test_cart.py"


def case(case_id, *origins, **more):
    expect = [{"kind": "equals", "actual": "result", "value": str(n), "origin": o} for n, o in enumerate(origins)]
    return {"id": case_id, "title": case_id, "subject": "f", "act": {"expression": "f(1)"}, "expect": expect, **more}


@pytest.mark.feature("B-11")
def test_an_order_is_a_permutation_that_its_seed_decides():
    mixed, again, other = RunOrder(1).of(NAMES), RunOrder(1).of(NAMES), RunOrder(2).of(NAMES)
    assert mixed == again
    assert mixed != other
    assert sorted(mixed) == sorted(NAMES)
    files = [name.split("::")[0] for name in RunOrder(1, "module").of(NAMES)]
    assert len(set(files[:5])) == len(set(files[5:])) == 1
    assert RunOrder(1, "given").of(NAMES) == NAMES


@pytest.mark.feature("B-11")
@pytest.mark.parametrize("culprit", range(9))
async def test_the_one_polluter_among_the_tests_before_is_found_by_halving(culprit):
    before, victim, runs = NAMES[:9], NAMES[9], []

    async def run(nodeids):
        runs.append(nodeids)
        return frozenset({victim} if before[culprit] in nodeids else ())

    search = await find_polluter(run, victim, before)
    assert (search.relation, search.culprit) == ("polluted", before[culprit])
    assert victim.rpartition("/")[2] in search.reason(victim)
    assert len(runs) <= 10


@pytest.mark.parametrize(
    ("fails_when", "relation"),
    [
        (lambda ran: len(ran) == 1, "dependent"),
        (lambda ran: False, "unrepeatable"),
        (lambda ran: {NAMES[0], NAMES[8]} <= set(ran), "several"),
    ],
)
async def test_without_one_polluter_the_victim_itself_is_to_go(fails_when, relation):
    async def run(nodeids):
        return frozenset({NAMES[9]} if fails_when(nodeids) else ())

    search = await find_polluter(run, NAMES[9], NAMES[:9])
    assert (search.relation, search.culprit) == (relation, NAMES[9])


IN_TEST, IN_TARGET = Frame(PATH, 3, "test_x"), Frame("src/shop/cart.py", 9, "total")
ASSERTION = Failure("AssertionError", "assert 1 == 0", frames=(IN_TEST,), inside=True)
RAISED = Failure("KeyError", "'x'", ("LookupError",), frames=(IN_TEST, IN_TARGET), inside=True)


@pytest.mark.feature("B-07", "B-02")
@pytest.mark.parametrize(
    ("outcome", "phase", "failure", "origins", "expected"),
    [
        ("failed", "call", ASSERTION, ["documented"], "product_defect"),
        ("failed", "call", ASSERTION, ["observed"], "test_defect"),
        ("failed", "call", ASSERTION, ["inferred"], "test_defect"),
        ("failed", "call", ASSERTION, [], "test_defect"),
        ("failed", "call", RAISED, ["documented"], "product_defect"),
        ("failed", "call", RAISED, ["observed"], "test_defect"),
        ("failed", "call", Failure("NameError", "name 'x'", frames=(IN_TEST,)), ["documented"], "test_defect"),
        ("failed", "call", Failure("ModuleNotFoundError", "No", missing="yaml.x"), ["documented"], "environment"),
        ("failed", "call", Failure("ModuleNotFoundError", "No", missing="shop.x"), ["observed"], "test_defect"),
        ("failed", "call", Failure("ConnectionRefusedError", "", ("ConnectionError",)), ["observed"], "environment"),
        ("error", "setup", Failure("FixtureLookupError"), ["documented"], "test_defect"),
        ("error", "setup", Failure("OSError", "", frames=(Frame("tests/conftest.py", 1, "db"),)), [], "environment"),
        ("timeout", "call", Failure("TestTimedOut", "too long"), ["documented"], "timeout"),
        (
            "crashed",
            "call",
            Failure("ProcessEnded", "it ended the process (signal 11)"),
            ["observed"],
            "product_defect",
        ),
        ("crashed", "call", Failure("ProcessEnded", "it ended the process (exit code 3)"), ["observed"], "test_defect"),
        ("skipped", "call", Failure("Skipped", "not today"), ["documented"], "test_defect"),
    ],
)
def test_each_way_to_fail_has_its_class(outcome, phase, failure, origins, expected):
    result = CaseResult(f"{PATH}::test_x", PATH, "test_x", outcome, "tc_x", phase, failure=failure)
    judgement = classify_case(result, case("tc_x", *origins), own_modules={"shop"})
    assert judgement.failure_class == expected
    assert judgement.reason


def test_of_several_expectations_the_one_in_the_failing_line_decides():
    mixed = case("tc_x", "documented", "observed")
    mixed["expect"][0].update(actual="cart.total", value="10")
    mixed["expect"][1].update(actual="cart.count", value="3")
    result = CaseResult(f"{PATH}::test_x", PATH, "test_x", "failed", "tc_x", failure=ASSERTION)
    for line, expected in (("cart.total == 10", "product_defect"), ("cart.count == 3", "test_defect")):
        shown = replace(result, trace=f"    assert {line}")
        assert classify_case(shown, mixed).failure_class == expected


@pytest.mark.feature("B-07")
@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (Failure("ValueError", "bad", frames=(IN_TEST, IN_TARGET)), "environment"),
        (Failure("ModuleNotFoundError", "No", ("ImportError",), "numpy", (IN_TEST,)), "environment"),
        (Failure("ModuleNotFoundError", "No", ("ImportError",), "shop.basket", (IN_TEST,)), "test_defect"),
        (Failure("ImportError", "cannot import name 'x'", missing="shop.cart", frames=(IN_TEST,)), "test_defect"),
        (Failure("SyntaxError", "invalid syntax"), "test_defect"),
        (Failure("TestTimedOut", "no end"), "timeout"),
    ],
)
def test_a_file_that_does_not_load_is_the_environments_only_when_the_target_does_not(failure, expected):
    assert classify_collection(CollectError(PATH, failure), own_modules={"shop"}).failure_class == expected


def verification(*verdicts, by_test=None):
    executed = frozenset().union(*(reach.lines for reach in (by_test or {}).values()))
    taken = frozenset().union(*(reach.branches for reach in (by_test or {}).values()))
    branches = frozenset({(2, 3), (2, 4), (5, 6), (5, 7)})
    file = FileCoverage(frozenset(range(1, 8)), executed, branches, taken, by_test or {})
    return Verification("pytest", {PATH: ""}, verdicts, CoverageData({"src/f.py": file}), 3, sandbox="bubblewrap")


def verdict(name, case_id, kept=True, **more):
    return CaseVerdict(name, PATH, name, "kept" if kept else "failed", case_id, runs=4 if kept else 1, **more)


REACHED = {
    "": ReachedCode(frozenset({1}), frozenset()),
    "a": ReachedCode(frozenset({2, 3}), frozenset({(2, 3)})),
    "b": ReachedCode(frozenset({2, 3, 4}), frozenset({(2, 3), (2, 4)})),
    "c": ReachedCode(frozenset({2, 3}), frozenset({(2, 3)})),
    "d": ReachedCode(frozenset({5, 6}), frozenset({(5, 6)})),
}


@pytest.mark.feature("B-01")
def test_evidence_says_what_each_kept_test_adds_to_those_before_it():
    verified = verification(
        verdict("a", "tc_a"),
        verdict("b", "tc_b"),
        verdict("c", "tc_c"),
        verdict("d", "tc_d", kept=False),
        by_test=REACHED,
    )
    spec = {"cases": [case("tc_a", "observed"), case("tc_b", "observed", "documented"), case("tc_c", "observed")]}
    a, b, c = evidence_of(verified, spec=spec)
    assert a.lines == {"src/f.py": (2, 3)}
    assert a.new_branches == {"src/f.py": ((2, 3),)}
    assert a.own_branches == {}
    assert b.own_branches == {"src/f.py": ((2, 4),)}
    assert b.origins == ("documented", "observed")
    assert b.new_lines == 1
    assert not c.adds
    assert c.reruns == 3
    assert c.mutants_killed is None
    assert redundant_tests([a, b, c], None) == (a, c)
    spec["cases"][2]["priority"] = "critical"
    assert redundant_tests(evidence_of(verified, spec=spec), None) == (a,)
    before = CoverageData({"src/f.py": FileCoverage(executed=frozenset({2, 3}), executed_branches=frozenset({(2, 3)}))})
    assert not evidence_of(verified, spec=spec, before=before)[0].adds
    assert evidence_of(verified, spec=spec, before=before)[1].new_branches == {"src/f.py": ((2, 4),)}


@pytest.mark.feature("T-11")
def test_the_tools_answer_keeps_a_case_only_when_all_its_tests_are_kept():
    verified = verification(
        verdict("a", "tc_a"),
        verdict("b", "tc_b"),
        verdict("c", "tc_a", kept=False, failure_class="test_defect", reason="wrong", message="AssertionError"),
        by_test=REACHED,
    )
    answer = tool_result(verified, evidence=evidence_of(verified), target_path="src/f.py")
    assert answer["kept"] == ["tc_b"]
    assert (answer["passed"], answer["failed"], answer["repeats"]) == (2, 1, 3)
    assert answer["dropped"][0]["class"] == "test_defect"
    assert answer["tests"][0]["evidence"]["lines"] == [2, 3]
    assert answer["coverage"]["after"]["covered_branches"] == 2
    assert json.loads(json.dumps(answer)) == answer


@pytest.mark.feature("T-11")
def test_the_tools_answer_stays_within_its_size_and_says_what_is_missing():
    many = [
        verdict(f"t{n}", f"tc_{n}", kept=False, reason="r" * 500, message="m" * 500, trace="x" * 900) for n in range(90)
    ]
    answer = tool_result(verification(*many), limit_bytes=80_000)
    assert len(json.dumps(answer)) <= 81_000
    assert len(answer["dropped"]) == 90
    assert "tracebacks" in answer["notes"][-1]


@pytest.mark.feature("B-04")
def test_pruning_takes_a_case_and_the_imports_only_it_needed_out_of_spec_and_file():
    spec = {
        "imports": ["import datetime", "import shop.plugins", "from shop import f, g"],
        "cases": [
            case("tc_a", "observed", act={"expression": "f(datetime.date(2020, 1, 1))"}),
            case("tc_b", "observed", act={"expression": "g(1)"}),
        ],
    }
    before = json.dumps(spec)
    pruned = prune(
        spec,
        ["tc_a", "tc_gone"],
        framework="pytest",
        render=lambda spec, framework: f"{framework} {len(spec['cases'])}",
    )
    assert (pruned.removed, pruned.unknown, pruned.contents) == (("tc_a",), ("tc_gone",), "pytest 1")
    assert pruned.spec["imports"] == ["import shop.plugins", "from shop import f, g"]
    assert [one["id"] for one in pruned.spec["cases"]] == ["tc_b"]
    assert json.dumps(spec) == before
    assert without_cases(spec, []) == spec


def test_pruning_the_last_case_leaves_no_file():
    pruned = prune({"cases": [case("tc_a", "observed")]}, ["tc_a"], framework="pytest", render=lambda *_: "never")
    assert pruned.contents is None


def table_of(killed, *origins):
    """Records of tests that run the same line, and a measurement in which mutant number n has these killers."""
    names = sorted({name for part in killed for name in part} | {"test_idle"})
    mutant = Mutant("constant", "src/f.py", 2, (2,), 0, 1, "0", "1", "0")
    results = tuple(MutantResult(replace(mutant, start=at), "killed", tuple(part)) for at, part in enumerate(killed))
    records = [
        EvidenceRecord(name, PATH, f"tc_{name}", {"src/f.py": (2,)}, mutants_killed=sum(name in one for one in killed))
        for name in names
    ]
    return [replace(record, origins=origins if record.nodeid == "test_idle" else ()) for record in records], results


@pytest.mark.feature("B-11")
def test_a_function_adds_what_no_other_one_that_stays_notices_and_its_rows_count_together():
    killed = [("test_a[1]", "test_b"), ("test_a[2]", "test_c"), ("test_b", "test_c"), ("test_a[2]",)]
    records, results = table_of(killed)
    found = additions_of(records, MutationReport(results, found=9))
    idle = {name for name, one in found.items() if one.idle}
    # Any one of a[1], b and c could go; the two that stay have all of it.
    assert idle == {"test_c", "test_idle"}
    assert found["test_idle"].covered_by
    assert not any(one.idle and one.repeats for one in found.values())
    left_out = redundant_tests(records, MutationReport(results, found=9))
    assert {one.nodeid for one in left_out} == idle


@pytest.mark.feature("B-11")
def test_the_reason_why_a_test_adds_nothing_reads_well():
    records, results = table_of([("test_a", "test_idle")])
    begin = {0: "everything it runs and notices", 9: "everything it runs and notices of the mutants tried"}
    for found, words in begin.items():
        assert additions_of(records, MutationReport(results, found=found))["test_idle"].reason == (
            f"{words}, test_a does, too"
        )
    untried = MutationReport((*results, replace(results[0], status="untried", killed_by=())), found=2)
    assert additions_of(records, untried)["test_idle"].reason == f"{begin[9]}, test_a does, too"


@pytest.mark.feature("B-11")
def test_mutants_beyond_the_sample_and_documents_speak_for_a_test():
    records, results = table_of([("test_a",)])
    report = MutationReport(results, found=9)
    assert [test.nodeid for test in redundant_tests(records, report)] == ["test_idle"]
    assert redundant_tests(records, report, notices={"tc_test_idle": [7]}) == ()
    assert redundant_tests(records, report, notices={"tc_test_idle": [7], "tc_test_a": [7]}) == (records[1],)
    further = (replace(results[0], killed_by=("test_idle",)),)
    assert not additions_of(records, report, further)["test_idle"].idle
    documented, _ = table_of([("test_a",)], "documented")
    assert redundant_tests(documented, report) == ()
    assert redundant_tests([records[0], replace(records[1], critical=True)], report) == ()


@pytest.mark.feature("B-11")
def test_a_member_whose_refusals_stay_keeps_an_example_of_what_it_does():
    records, results = table_of([("test_a",)])
    refusal, example = (replace(one, subject="Shelf.put") for one in records)
    report = MutationReport(results, found=9)

    assert redundant_tests([replace(refusal, refuses=True), example], report) == ()
    assert redundant_tests([refusal, example], report) == (example,)
    assert redundant_tests([replace(refusal, refuses=True), replace(example, subject="Shelf.get")], report) != ()
