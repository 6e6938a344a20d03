"""The planner, limited to what has changed; what changed comes as plain data."""

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.app.service import plan
from testwright.config.settings import load_settings
from testwright.core.errors import HistoryError
from testwright.tests.support.projects.repositories import Repository
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("T-18")

CART = "class Cart:\n    def add(self, x):\n        return x\n\n    def drop(self):\n        return 1\n"
PRICING = "def total(n):\n    return n\n\n\ndef tax(n):\n    return n\n"
FILES = {"src/shop/__init__.py": "", "src/shop/cart.py": CART, "src/shop/pricing.py": PRICING}


@pytest.fixture
def project(tmp_path):
    """A repository with two modules."""
    repository = Repository(tmp_path / "shop")
    repository.commit(FILES)
    return repository


async def answer(project, text, files, left_out=()):
    changes = {"since": "main", "base": "abc123", "files": files, "left_out": list(left_out)}
    inputs = {"user_request": text, "root": str(project.folder), "changes": changes}
    async with EmbeddedPlannerAgent() as planner:
        return await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=inputs))


def targets(result):
    found = [step["params"]["target"] for step in result["steps"] if step["type"] == "generate_unit_tests"]
    return [(one["path"], one["symbols"]) for one in found]


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        ("unit tests", {"src/shop/pricing.py": ["tax"]}, [("src/shop/pricing.py", ["tax"])]),
        ("unit tests", {"src/shop/cart.py": None}, [("src/shop/cart.py", None)]),
        (
            "unit tests",
            {"src/shop/cart.py": ["Cart.add"], "src/shop/pricing.py": None, "tests/test_x.py": None},
            [("src/shop/cart.py", ["Cart.add"]), ("src/shop/pricing.py", None)],
        ),
        ("unit tests for Cart", {"src/shop/cart.py": ["Cart.drop"]}, [("src/shop/cart.py", ["Cart.drop"])]),
        ("shop.cart:Cart.add", {"src/shop/cart.py": ["Cart"]}, [("src/shop/cart.py", ["Cart.add"])]),
        ("shop.cart:Cart.add", {"src/shop/cart.py": ["Cart.add", "Cart.drop"]}, [("src/shop/cart.py", ["Cart.add"])]),
        ("everything except tax", {"src/shop/pricing.py": ["tax", "total"]}, [("src/shop/pricing.py", ["total"])]),
    ],
)
async def test_targets_are_what_is_asked_for_and_has_changed(project, text, files, expected):
    response = await answer(project, text, files)
    assert response.is_success(), response.error
    assert sorted(targets(response.result)) == expected


async def test_what_changed_in_a_module_with_a_generated_file_has_that_file_written_anew(project):
    body = "from shop.pricing import tax\n\n\ndef test_tax():\n    assert tax(1) == 1\n"
    project.write({"tests/generated/shop/test_shop_pricing.py": with_header(body, target="src/shop/pricing.py")})
    response = await answer(project, "unit tests", {"src/shop/pricing.py": ["tax"]})
    assert targets(response.result) == [("src/shop/pricing.py", None)]


@pytest.mark.parametrize("files", [{}, {"setup.py": None}, {"src/shop/pricing.py": ["gone"]}])
async def test_where_nothing_changed_there_is_nothing_to_do_and_no_fault(project, files):
    response = await answer(project, "unit tests for shop.pricing", files)
    assert response.is_success(), response.error
    assert response.result["steps"] == []
    [row] = response.result["skipped"]
    assert row == {"target": "1 module", "reason": "no change since main (abc123)"}
    assert "what changed since main: nothing" in response.result["understood"]


async def test_a_module_whose_functions_did_not_change_is_told_with_the_reason(project):
    rows = [{"target": "src/shop/cart.py", "reason": "only comments"}, {"target": "docs/x.py", "reason": "elsewhere"}]
    response = await answer(project, "unit tests", {"src/shop/pricing.py": ["tax"]}, rows)
    others = {"target": "1 module", "reason": "no change since main (abc123)"}
    assert response.result["skipped"] == [rows[0], others]


async def test_what_is_not_there_is_still_not_understood(project):
    response = await answer(project, "unit tests for nowhere.py", {})
    assert response.error is not None
    assert "nowhere.py" in response.error.message


async def test_a_plan_since_a_commit_is_read_from_git(project):
    project.write(
        {"src/shop/pricing.py": PRICING.replace("def tax(n):\n    return n", "def tax(n):\n    return 2 * n")}
    )
    made = await plan("unit tests", load_settings({"root": project.folder, "changed_since": "HEAD"}))
    assert targets(made) == [("src/shop/pricing.py", ["tax"])]
    with pytest.raises(HistoryError):
        await plan("unit tests", load_settings({"root": project.folder, "changed_since": "nowhere"}))


async def test_a_target_beside_the_request_is_planned_too(project):
    made = await plan("unit tests for shop.cart", load_settings({"root": project.folder, "target": "shop.pricing:tax"}))
    assert targets(made) == [("src/shop/cart.py", None), ("src/shop/pricing.py", ["tax"])]


async def test_a_request_about_the_whole_repository_says_that_it_is_not_limited(project):
    response = await answer(project, "Test this repository at depth standard", {})
    assert response.is_success(), response.error
    assert [row["text"] for row in response.result["not_understood"]] == ["only what has changed"]
