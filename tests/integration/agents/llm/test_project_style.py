"""A model that writes tests is shown how the project writes its own: counted conventions and one example (T-13)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.llm.project_style import LONGEST_STYLE, describe_style, project_style
from testwright.app.agent_factory import create_agents
from testwright.config.settings import load_settings
from testwright.tests.support.agents.fake_chat import FakeChat, asked
from testwright.tests.support.mcp.tool_session import no_target, no_tools, unit_spec, write_files
from testwright.tests.support.runs.model_runs import TEST_PATH, source_of, till
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("T-13")

FUNCTIONS = '''from __future__ import annotations

import pytest

from till.prices import discounted
from tests.helpers import assert_price


@pytest.mark.parametrize(("total", "price"), [(100, 90), (50, 50)])
def test_totals_of_a_hundred_are_reduced(shop, total, price):
    """As the price list says."""
    assert_price(discounted(total), price)
    assert shop.open


def test_nothing_costs_nothing(shop, tmp_path, notify):
    """As everybody expects."""
    assert discounted(0) == 0
    notify.assert_called_once_with(0)
'''
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef shop():\n    return object()\n"
METHODS = """import unittest

from till.prices import discounted


class DiscountedTest(unittest.TestCase):
    def test_reduced(self):
        self.assertEqual(discounted(200), 180)

    def test_not_reduced(self):
        self.assertEqual(discounted(50), 50)
"""


def test_conventions_are_counted_and_an_example_is_shown(tmp_path: Path) -> None:
    root = write_files(till(tmp_path), {"tests/conftest.py": CONFTEST, "tests/test_prices.py": FUNCTIONS})
    style = project_style(root, "till.prices")
    assert style == (
        "- 2 tests in 1 file, mostly functions\n"
        "- names: test_totals_of_a_hundred_are_reduced, test_nothing_costs_nothing\n"
        "- 1 with pytest.mark.parametrize\n"
        "- most have a docstring\n"
        "- fixtures: shop (tests/conftest.py), notify, tmp_path\n"
        "- helpers that assert: assert_price\n"
        "- assertions: plain assert\n"
        "\n"
        "From tests/test_prices.py:\n"
        "import pytest\n"
        "from till.prices import discounted\n"
        "from tests.helpers import assert_price\n"
        "\n"
        '@pytest.mark.parametrize(("total", "price"), [(100, 90), (50, 50)])\n'
        "def test_totals_of_a_hundred_are_reduced(shop, total, price):\n"
        '    """As the price list says."""\n'
        "    assert_price(discounted(total), price)\n"
        "    assert shop.open"
    )


def test_methods_are_told_from_functions() -> None:
    style = describe_style([("tests/test_prices.py", METHODS)])
    assert "2 tests in 1 file, mostly methods of classes of unittest.TestCase" in style
    assert "names: DiscountedTest.test_reduced, DiscountedTest.test_not_reduced" in style
    assert "assertions: methods and helpers, not plain assert" in style
    assert "class DiscountedTest(unittest.TestCase):\n    def test_reduced(self):" in style


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"tests/test_prices.py": "def test_broken(:\n"},
        {"tests/test_prices.py": with_header("def test_ours():\n    assert True\n", target="src/till/prices.py")},
        {"tests/test_prices.py": "x" * 300_000},
        {"tests/helpers.py": "def total():\n    return 1\n"},
    ],
    ids=["no tests", "one that does not parse", "one of ours", "one that is no test but data", "helpers only"],
)
def test_nothing_is_said_of_a_project_without_tests_of_its_own(tmp_path: Path, files: dict[str, str]) -> None:
    assert project_style(write_files(till(tmp_path), files), "till.prices") == ""


def test_the_example_is_from_the_file_that_names_the_module(tmp_path: Path) -> None:
    other = {"tests/test_a.py": METHODS, "tests/test_prices.py": FUNCTIONS}
    assert "From tests/test_prices.py:" in project_style(write_files(till(tmp_path), other), "till.prices")


def test_a_style_is_never_longer_than_it_may_be() -> None:
    body = f"    assert a == '{'1 + ' * 40}' + b\n" * 20
    long = "".join(f"def test_{'very_' * 30}{number}(a, b):\n{body}\n\n" for number in range(50))
    style = describe_style([(f"tests/test_{number}.py", long) for number in range(20)])
    assert len(style) <= LONGEST_STYLE
    assert style.startswith("- 1000 tests in 20 files")
    assert style.endswith("\n…")


@pytest.mark.parametrize("own", [True, False], ids=["a project with tests", "a project without"])
async def test_the_writer_of_a_run_is_shown_it(tmp_path: Path, own: bool) -> None:
    root = write_files(till(tmp_path), {"tests/test_prices.py": FUNCTIONS} if own else {})
    chat = FakeChat({"files": [{"path": TEST_PATH, "contents": source_of(200, 180)}]})
    agents = create_agents(load_settings({"root": root}), no_target, {"writer": chat}, no_tools())
    spec = unit_spec(
        target={"path": "src/till/prices.py", "module": "till.prices", "import_root": "src", "digest": "0" * 64}
    )
    inputs: dict[str, Any] = {"spec": spec, "framework": "pytest", "test_path": TEST_PATH}
    await asked(agents["writer"], inputs)
    told_style = json.loads(chat.calls[0].user).get("style", "")
    assert ("test_totals_of_a_hundred_are_reduced" in told_style) is own
    assert bool(told_style) is own
