"""Requests for unit tests of scripts become steps for Jest, and what cannot be done is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import RequestError

pytestmark = pytest.mark.feature("T-02", "T-10")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    files = ("src/pricing.ts", "src/cart/basket.js", "src/pricing.test.ts", "jest.config.js", "src/types.d.ts")
    for name in (*files, "packages/money/src/cents.js", "packages/money/package.json", "tool.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}" if name.endswith("json") else "")
    return root


def plan(root: Path, request: str, **inputs: Any) -> dict[str, Any]:
    return EmbeddedPlannerAgent().plan({"user_request": request, "root": str(root), **inputs})


def targets(planned: dict[str, Any]) -> list[str]:
    return [step["params"]["target"]["path"] for step in planned["steps"] if step["type"].startswith("generate")]


def test_a_script_that_is_named_gets_a_step_for_jest(project):
    planned = plan(project, "unit tests for src/pricing.ts")
    assert planned["understood"] == ["Unit tests with jest for src/pricing.ts."]
    assert [step["type"] for step in planned["steps"]] == ["generate_unit_tests", "verify_suite", "accept_tests"]
    params = planned["steps"][0]["params"]
    assert (params["framework"], params["test_path"]) == ("jest", "tests/generated/pricing.test.ts")


def test_symbols_limit_a_step_and_name_its_file(project):
    [step, *_] = plan(project, "unit tests for src/pricing.ts:total")["steps"]
    assert step["params"]["target"]["symbols"] == ["total"]
    assert step["params"]["test_path"] == "tests/generated/pricing.total.test.ts"


@pytest.mark.parametrize("request_text", ["jest tests for the basket", "unit tests for src/cart with jest"])
def test_modules_are_found_by_their_names_and_folders(project, request_text):
    assert targets(plan(project, request_text)) == ["src/cart/basket.js"]


def test_all_scripts_are_meant_where_none_is_named_but_no_tests_settings_or_declarations(project):
    assert targets(plan(project, "unit tests", framework="jest")) == [
        "packages/money/src/cents.js",
        "src/cart/basket.js",
        "src/pricing.ts",
    ]


def test_tests_of_a_package_stand_inside_of_it(project):
    [step, *_] = plan(project, "jest tests for cents")["steps"]
    assert step["params"]["test_path"] == "packages/money/tests/generated/cents.test.js"


@pytest.mark.parametrize(
    ("request_text", "says"),
    [
        ("jest tests for tool.py", "this is Python"),
        ("unit tests for src/pricing.ts with pytest", "does not test JavaScript"),
        ("browser tests with jest", "unit and integration tests are"),
        ("unit tests for src/prizing.ts", "there is no such file"),
        ("unit tests for src/pricing.test.ts", "it is a test already"),
    ],
)
def test_what_jest_does_not_test_is_refused_in_words(project, request_text, says):
    with pytest.raises(RequestError, match=says):
        plan(project, request_text)


@pytest.mark.parametrize("rest", [", which talks to Node.js", " and src/pricing.ts"])
def test_a_request_for_python_that_mentions_scripts_is_planned_for_python(tmp_path, rest):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "pricing.ts").write_text("export const total = (a: number) => a;\n")
    (tmp_path / "client.py").write_text("def f(a):\n    return a\n")
    planned = plan(tmp_path, f"unit tests for client.py{rest}")
    assert [step["params"]["framework"] for step in planned["steps"][:1]] == ["pytest"]
    assert rest.split()[-1] in {row["text"] for row in planned["not_understood"]}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkout")
    (root / "src").mkdir()
    (root / "bin").mkdir()
    (root / "package.json").write_text('{"name": "checkout", "bin": "bin/checkout.js"}')
    (root / "bin" / "checkout.js").write_text("const { quote } = require('../src/quote');\nconsole.log(quote(1));\n")
    (root / "src" / "quote.js").write_text(
        "const { rate } = require('./rates');\nexports.quote = (weight) => weight * rate('DE');\n"
    )
    (root / "src" / "rates.js").write_text("exports.rate = (country) => country.length;\n")
    return root


def test_integration_tests_with_jest_get_a_step_for_each_module_that_uses_another_one_and_each_program(checkout):
    planned = plan(checkout, "integration tests with jest")
    steps = [step for step in planned["steps"] if step["type"] == "generate_integration_tests"]
    assert sorted((step["params"]["target"]["path"], step["params"]["test_path"]) for step in steps) == [
        ("bin/checkout.js", "tests/generated/integration/bin/checkout.test.js"),
        ("src/quote.js", "tests/generated/integration/quote.test.js"),
    ]
    assert planned["understood"] == ["Integration tests with jest for bin/checkout.js, src/quote.js."]


def test_unit_and_integration_tests_of_one_request_go_to_files_of_their_own(checkout):
    planned = plan(checkout, "unit tests and integration tests for src/quote.js")
    paths = [step["params"]["test_path"] for step in planned["steps"] if step["type"].startswith("generate")]
    assert paths == ["tests/generated/quote.test.js", "tests/generated/integration/quote.test.js"]


@pytest.mark.parametrize("kind", ["unit", "integration"])
def test_modules_whose_tests_would_share_a_path_each_get_a_step_and_a_file(tmp_path, kind):
    for folder in ("src/x", "lib/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.js").write_text("const { b } = require('./b');\nexports.a = () => b();\n")
        (tmp_path / folder / "b.js").write_text("exports.b = () => 1;\n")
    planned = plan(tmp_path, f"{kind} tests for src/x/a.js and lib/x/a.js with jest")
    assert sorted(targets(planned)) == ["lib/x/a.js", "src/x/a.js"]
    generate = [step for step in planned["steps"] if step["type"] == f"generate_{kind}_tests"]
    assert len({step["params"]["test_path"] for step in generate}) == len(generate) == 2
    known = {step["id"] for step in planned["steps"]}
    assert {one for step in planned["steps"] for one in step["params"].get("depends_on", ())} <= known


@pytest.mark.parametrize("request_text", ["unit tests with jest", "unit tests for src/a/b.js:f and src/a.b.js:f"])
def test_modules_whose_paths_differ_in_a_sign_only_each_get_a_step_a_spec_and_a_file(tmp_path, request_text):
    for path in ("src/a/b.js", "src/a.b.js", "src/a-b.js"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("exports.f = (n) => n + 1;\n")
    generate = [step for step in plan(tmp_path, request_text)["steps"] if step["type"].startswith("generate")]
    count = 3 if "with jest" in request_text else 2
    assert len({step["id"] for step in generate}) == len(generate) == count
    assert len({step["params"]["spec_path"] for step in generate}) == count
    assert len({step["params"]["test_path"] for step in generate}) == count


@pytest.mark.parametrize("request_text", ["integration tests with jest", "integration tests for src with jest"])
def test_modules_beyond_the_most_that_are_integrated_are_named_with_the_true_reason(tmp_path, request_text):
    (tmp_path / "src").mkdir()
    (tmp_path / "other.js").write_text("exports.other = () => 2;\n")
    (tmp_path / "src" / "base.js").write_text("exports.base = () => 1;\n")
    for at in range(14):
        (tmp_path / "src" / f"m{at:02}.js").write_text(
            "const { base } = require('./base');\nexports.f = () => base();\n"
        )
    planned = plan(tmp_path, request_text)
    assert len(targets(planned)) == 12
    skipped = {row["target"]: row["reason"] for row in planned["skipped"]}
    reason = "beyond the 12 that reach most others"
    assert [path for path, said in skipped.items() if said == reason] == ["src/m12.js", "src/m13.js"]
    assert skipped.get("src/base.js", "it uses no other module").startswith("it uses no other module")


def test_a_module_that_uses_nothing_else_has_no_integration_tests_and_the_refusal_says_why(checkout):
    with pytest.raises(RequestError, match=r"it uses no other module of the project, no file and no service"):
        plan(checkout, "integration tests for src/rates.js")
