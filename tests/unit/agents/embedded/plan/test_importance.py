"""The order of a plan's targets: public, complex, changed lately and untested code first."""

from dataclasses import replace

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.plan.order.importance import ModuleFacts
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.tests.support.projects.repositories import Repository

pytestmark = pytest.mark.feature("B-19")

USUAL = ModuleFacts(public=4, branches=6, untested=2, changes=2, commits=50)
SIMPLE = "def name(n):\n    return n\n"
BRANCHES = "".join(f"    if n == {number}:\n        return {number}\n" for number in range(6))
COMPLEX = f"def choose(n):\n{BRANCHES}    return n\n"


@pytest.mark.parametrize(
    "more",
    [
        {"public": 5, "untested": 3},
        {"branches": 7},
        {"untested": 3},
        {"changes": 3},
    ],
)
def test_each_fact_raises_a_score(more):
    assert replace(USUAL, **more).score > USUAL.score


def test_a_private_module_counts_half_and_a_tested_one_a_quarter():
    facts = ModuleFacts(public=2, branches=6, untested=2)
    assert facts.score == 8
    assert ModuleFacts(public=2, branches=6, untested=2, is_private=True).score == 4
    assert ModuleFacts(public=2, branches=6, untested=0).score == 2


def test_more_than_ten_changes_count_as_ten():
    few, many = (ModuleFacts(public=1, branches=0, untested=1, changes=n, commits=99) for n in (10, 40))
    assert few.score == many.score == 2


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (
            ModuleFacts(public=4, branches=1, untested=2, changes=3, commits=50),
            "4 public names, 2 not named in tests, 1 branch, changed in 3 of the last 50 commits",
        ),
        (ModuleFacts(public=1, branches=0, untested=1), "1 public name, none named in tests, 0 branches"),
        (
            ModuleFacts(public=2, branches=2, untested=0, is_private=True),
            "private module, 2 public names, all named in tests, 2 branches",
        ),
        (ModuleFacts(public=0, branches=2, untested=0), "2 branches"),
    ],
)
def test_the_reason_says_what_a_score_comes_from(facts, reason):
    assert facts.reason == reason


@pytest.fixture
def project(tmp_path):
    """Six modules, of which alphabet and importance give opposite orders; `sixth` has the commits."""
    repository = Repository(tmp_path / "shop")
    files = {
        "shop/__init__.py": "",
        "shop/_a_private.py": COMPLEX,
        "shop/b_tested.py": COMPLEX.replace("choose", "pick"),
        "shop/c_simple.py": SIMPLE,
        "shop/d_complex.py": COMPLEX,
        "shop/e_changed.py": COMPLEX,
        "tests/test_b.py": "from shop.b_tested import pick\n\n\ndef test_it():\n    assert pick(1) == 1\n",
    }
    repository.commit(files)
    repository.commit({"shop/e_changed.py": f"{COMPLEX}\n"})
    repository.commit({"shop/e_changed.py": COMPLEX})
    return repository.folder


async def planned(root, text, target=None):
    inputs = {"user_request": text, "root": str(root), **({"target": target} if target else {})}
    async with EmbeddedPlannerAgent() as planner:
        answer = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=inputs))
    assert answer.result is not None, answer.error
    return answer.result["steps"]


def generated(steps):
    return [step["params"] for step in steps if step["type"] == "generate_unit_tests"]


async def test_a_plan_begins_with_the_most_important_module(project):
    steps = await planned(project, "unit tests for everything")
    order = [params["target"]["module"] for params in generated(steps)]
    assert order == ["shop.e_changed", "shop.d_complex", "shop._a_private", "shop.b_tested", "shop.c_simple"]
    first = generated(steps)[0]["importance"]
    assert first["reason"] == "1 public name, none named in tests, 6 branches, changed in 3 of the last 3 commits"
    scores = [params["importance"]["score"] for params in generated(steps)]
    assert scores == sorted(scores, reverse=True)


async def test_files_are_named_verified_and_accepted_as_in_the_order_of_paths(project):
    steps = await planned(project, "unit tests for everything")
    paths = sorted(params["test_path"] for params in generated(steps))
    by_type = {step["type"]: step["params"] for step in steps}
    assert by_type["verify_suite"]["test_paths"] == by_type["accept_tests"]["test_paths"]
    assert sorted(by_type["verify_suite"]["test_paths"]) == paths
    assert by_type["verify_suite"]["test_paths"][0].endswith("test_shop__a_private.py")
    assert by_type["verify_suite"]["depends_on"][0] == "generate_unit_shop__a_private"


async def test_branches_and_tests_of_the_named_symbols_alone_count(project):
    (project / "shop/d_complex.py").write_text(f"{COMPLEX}\n\n{SIMPLE}")
    steps = await planned(project, "unit tests for shop.c_simple and shop.d_complex:name")
    reasons = [params["importance"]["reason"] for params in generated(steps)]
    assert [reason.rpartition(", changed")[0] or reason for reason in reasons] == [
        "named in the request, 1 public name, none named in tests, 0 branches"
    ] * 2


@pytest.mark.parametrize(
    ("request_text", "target", "first"),
    [
        ("unit tests for shop/c_simple.py and the folder shop/", None, ["c_simple"]),
        ("unit tests for shop/ and shop/b_tested.py and shop/c_simple.py", None, ["b_tested", "c_simple"]),
        ("unit tests for shop/ and shop.c_simple:name", None, ["c_simple"]),
        ("unit tests for shop/", "shop/c_simple.py", ["c_simple"]),
    ],
)
async def test_what_is_named_by_itself_comes_before_what_a_folder_brings_in(project, request_text, target, first):
    order = [params["target"]["module"] for params in generated(await planned(project, request_text, target))]
    rest = ["e_changed", "d_complex", "_a_private", "b_tested", "c_simple"]
    assert order == [f"shop.{name}" for name in (*first, *(one for one in rest if one not in first))]


async def test_a_single_target_has_no_order_to_explain(project):
    (only,) = generated(await planned(project, "unit tests for shop.d_complex"))
    assert "importance" not in only


async def test_without_history_two_plans_are_the_same_and_equal_scores_keep_the_order_of_paths(tmp_path):
    for name in ("b", "a", "c"):
        (tmp_path / "shop").mkdir(exist_ok=True)
        (tmp_path / "shop" / f"{name}.py").write_text(SIMPLE)
    first = await planned(tmp_path, "unit tests for everything")
    assert [params["target"]["module"] for params in generated(first)] == ["shop.a", "shop.b", "shop.c"]
    assert first == await planned(tmp_path, "unit tests for everything")


async def test_scripts_come_in_the_order_of_their_importance_too(tmp_path):
    branches = "".join(f"  if (n === {number}) return {number};\n" for number in range(6))
    complex_ = f"export function NAME(n) {{\n{branches}  return n && n;\n}}\n"
    repository = Repository(tmp_path / "shop")
    repository.commit(
        {
            "package.json": '{"name": "shop", "type": "module"}',
            "src/a_broken.js": "export function (",
            "src/b_tested.js": complex_.replace("NAME", "pick"),
            "src/c_simple.js": "export function name(n) {\n  return n;\n}\n",
            "src/d_complex.js": complex_.replace("NAME", "choose"),
            "src/e_changed.js": complex_.replace("NAME", "change"),
            "tests/b.test.js": "import { pick } from '../src/b_tested.js';\ntest('it', () => pick(1));\n",
        }
    )
    for text in ("// one\n", ""):
        repository.commit({"src/e_changed.js": text + complex_.replace("NAME", "change")})
    steps = generated(await planned(repository.folder, "unit tests with jest for everything"))
    order = [params["target"]["path"] for params in steps]
    assert order == [f"src/{name}.js" for name in ("e_changed", "d_complex", "b_tested", "c_simple", "a_broken")]
    assert steps[0]["importance"]["reason"] == (
        "1 public name, none named in tests, 7 branches, changed in 3 of the last 3 commits"
    )
    steps = generated(await planned(repository.folder, "unit tests with jest for src/ and src/c_simple.js"))
    assert steps[0]["target"]["path"] == "src/c_simple.js"
