"""An API that has what plain ones lack, from document to tests that pass in any order; everything is really run."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.explore import ApiExploration, explore_api
from testwright.engine.api.probe.sign_in.prepare import CredentialSources
from testwright.engine.api.write.compose import compose_spec
from testwright.engine.api.write.render import render_api
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.odd_api import APP, DOCUMENT, KEY
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.utils.schema_registry import validator

pytestmark = pytest.mark.feature("T-20")
FILES = {"src/odds.py": APP}
SECRETS = {"VAULT_KEY": "test-vault-key", "VAULT_TOKEN": "test-vault-token"}
LAUNCH = AppLaunch("odds:app", import_roots=("src",), environment=SECRETS)
BACKWARDS = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"


async def explored(folder: Path) -> ApiExploration:
    async with prepared(folder, FILES) as target:
        return await explore_api(
            target, api_from_document(DOCUMENT, path="src/odds.py"), LAUNCH, sources=CredentialSources(list(SECRETS))
        )


@pytest.fixture(scope="module")
def exploration(tmp_path_factory: pytest.TempPathFactory) -> ApiExploration:
    return asyncio.run(explored(tmp_path_factory.mktemp("explored")))


def spec_of(exploration: ApiExploration, framework: str = "pytest") -> dict[str, Any]:
    return compose_spec(exploration, framework=framework, target={"name": "Odds"}, launch=LAUNCH, start="start it")


@pytest.fixture(scope="module")
def spec(exploration: ApiExploration) -> dict[str, Any]:
    return spec_of(exploration)


def cases(spec: dict[str, Any], start: str) -> dict[str, dict[str, Any]]:
    """The cases of an operation by what their ids say beside it and the table they stand in."""
    names = {case["id"].removeprefix("tc_"): case for case in spec["cases"]}
    own = {name.removeprefix(start): case for name, case in names.items() if name.startswith(start)}
    return {re.sub(r"^refuses_(broken|other)_[a-z]+_", "", name): case for name, case in own.items()}


def test_the_spec_is_valid_and_names_no_defect(spec: dict[str, Any]) -> None:
    assert [error.message for error in validator("schemas/api_test_schema_v2.json").iter_errors(spec)] == []
    assert list(quality_issues(spec, "api")) == []
    assert spec["suspected_defects"] == []


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_secrets_of_answers_and_examples_stand_nowhere(exploration: ApiExploration, framework: str) -> None:
    made = spec_of(exploration, framework)
    written = json.dumps(made) + "".join(one.contents for one in render_api(made, framework, "tests/test_odds_api.py"))
    assert KEY not in written
    assert "hunter22" not in written
    parts = {one["pointer"]: one["operator"] for one in cases(made, "read_config_succeeds")[""]["expect"][2:]}
    assert parts == {"/name": "equals", "/key": "has_type", "/db": "has_type"}
    assert any("what looks like a secret" in one["reason"] for one in made["not_reached"])


def test_a_reading_that_counts_is_kept_and_refusals_that_count_ask_for_a_fresh_state(spec: dict[str, Any]) -> None:
    assert cases(spec, "count_visit_succeeds")[""]["expect"][-1]["value"] == {"visits": 1}
    refused = cases(spec, "sign_in_")
    assert refused["username_too_long"]["fresh"]
    assert all(one["expect"][0]["statuses"] != [423] for one in refused.values())
    assert not any("fresh" in case for case in cases(spec, "create_order_").values())


def test_what_no_call_opens_is_tested_by_what_it_refuses(spec: dict[str, Any]) -> None:
    found = {name: case["expect"][0]["statuses"] for name, case in cases(spec, "sign_in_").items()}
    assert found["made_up_values"] == [403]
    assert {"username_missing", "username_too_long", "password_missing", "password_too_short"} <= set(found)
    assert found["password_missing"] == [422]
    reasons = [one["reason"] for one in spec["not_reached"] if one["subject"] == "POST /login"]
    assert len(reasons) == 1
    assert "what it refuses is tested" in reasons[0]


def test_lists_forms_and_cookies_are_broken_too(spec: dict[str, Any]) -> None:
    orders = cases(spec, "create_order_")
    assert {"lines_with_too_few_items", "lines_with_an_item_twice", "lines_0_quantity_below_its_minimum"} <= set(orders)
    many = orders["lines_with_too_many_items"]["act"]["request"]["body"]["content"]["lines"]
    assert len(many) == 4
    assert all(set(one) == {"sku", "quantity"} for one in many)
    assert {"succeeds", "title_missing", "file_missing"} <= set(cases(spec, "store_file_"))
    assert {"without_theme", "theme_outside_its_values"} <= set(cases(spec, "read_theme_"))


def test_keys_that_are_needed_together_are_sent_together_and_each_is_left_out(spec: dict[str, Any]) -> None:
    vault = cases(spec, "open_vault_")
    assert vault["succeeds"]["act"]["request"]["auth"] == ["token", "key"]
    assert vault["without_token"]["act"]["request"]["auth"] == "key"
    assert {"without_credentials", "with_wrong_credentials", "without_key"} <= set(vault)


def test_the_richest_answer_is_held_to_its_values_and_content_type(spec: dict[str, Any]) -> None:
    lists = cases(spec, "list_orders_")
    kinds = {name: [one["kind"] for one in case["expect"]] for name, case in lists.items()}
    assert "succeeds" not in kinds  # an empty list shows nothing beside a filled one
    assert kinds["lists_what_was_made"][1:3] == ["header", "body_equals"]
    refused = [one["kind"] for case in cases(spec, "create_order_").values() for one in case["expect"]]
    assert {"body_equals", "body_schema"} & set(refused)
    content_type = lists["lists_what_was_made"]["expect"][1]
    assert (content_type["value"], content_type["origin"]) == ("application/json", "documented")


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_rendered_tests_pass_in_both_orders(exploration: ApiExploration, framework: str, tmp_path: Path) -> None:
    files = {
        one.path: one.contents
        for one in render_api(spec_of(exploration, framework), framework, "tests/generated/api/test_odds_api.py")
    }
    root = make_project(tmp_path / "p", {**FILES, **files})
    options, environment = ["-q", "-p", "no:cacheprovider"], {**os.environ, **WITHOUT_PLUGINS}
    for conftest in ("", BACKWARDS):
        (root / "conftest.py").write_text(conftest, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "tests", *options]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:]
