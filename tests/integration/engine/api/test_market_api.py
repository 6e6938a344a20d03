"""What a feed shows, whose things go together, what is taken, and what an update makes; everything is really run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.budget import ApiBudget
from testwright.engine.api.probe.explore import explore_api
from testwright.engine.api.write.compose import compose_spec
from testwright.engine.api.write.render import render_api
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.market import APP, DOCUMENT
from testwright.tests.support.projects.running import pytest_output

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.waits]
FILES = {"src/market.py": APP}


async def _explored(folder: Path) -> dict[str, Any]:
    launch = AppLaunch("market:app", import_roots=("src",))
    async with prepared(folder, FILES) as target:
        api = api_from_document(DOCUMENT, path="src/market.py")
        exploration = await explore_api(target, api, launch, budget=ApiBudget(pairs=60))
    return compose_spec(exploration, framework="pytest", target={"name": "Market"}, launch=launch, start="start it")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return asyncio.run(_explored(tmp_path_factory.mktemp("explored")))


def case(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return {one["id"]: one for one in spec["cases"]}[f"tc_{name}"]


def told(found: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Pointer, operator and value of what the case expects of the body."""
    return [
        (one.get("pointer", ""), one.get("operator", "equals"), one["value"])
        for one in found["expect"]
        if one["kind"] in ("body_value", "body_equals")
    ]


def statuses(found: dict[str, Any]) -> list[int]:
    return found["expect"][0]["statuses"]


def paths(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["path"], step.get("auth") or "") for step in found["arrange"]["requests"]]


def test_a_feed_is_shown_with_the_news_of_whom_the_user_follows(spec: dict[str, Any]) -> None:
    feed = case(spec, "feed_lists_theirs_after_follow")
    assert paths(feed)[-1] == ("/people/{username}/follow", "user")
    assert {("/news", "user"), ("/news", "other_user")} < set(paths(feed))
    assert ("/news/0/by", "equals", "{{OTHER_NAME}}") in told(feed)
    assert ("/news", "has_length", 2) in told(feed)
    assert told(case(spec, "feed_after_unfollow")) == [("", "equals", {"news": []})]
    # The empty feed of somebody who follows nobody is no test beside it.
    assert "tc_feed_succeeds" not in {one["id"] for one in spec["cases"]}


def test_a_tag_of_another_shop_is_put_on_no_item(spec: dict[str, Any]) -> None:
    link = case(spec, "link_tag_with_a_tag_of_another_shop")
    assert statuses(link) == [400]
    assert [path for path, _ in paths(link)].count("/shops/{shop_id}/tags") == 1


def test_of_what_a_sign_up_takes_each_name_is_taken_by_itself(spec: dict[str, Any]) -> None:
    assert told(case(spec, "sign_up_with_a_taken_username")) == [("", "equals", {"error": "the name is taken"})]
    # The address is what the same sign-up, sent twice, is refused for.
    assert told(case(spec, "sign_up_twice")) == [("", "equals", {"error": "the address is taken"})]
    assert "tc_sign_up_with_a_taken_email" not in {one["id"] for one in spec["cases"]}


def test_an_update_by_an_unknown_id_makes_the_thing(spec: dict[str, Any]) -> None:
    made = case(spec, "put_item_makes_what_was_not_there")
    assert (made["category"], statuses(made)) == ("success", [200])
    assert made["act"]["request"]["body"]["content"].keys() == {"name", "shop_id"}


def test_what_is_removed_leaves_the_others_in_their_list(spec: dict[str, Any]) -> None:
    left = case(spec, "list_shops_after_remove_shop")
    [(_, _, shops)] = told(left)
    assert [shop["id"] for shop in shops] == [2]


def test_a_refused_body_needs_nothing_that_its_ids_name(spec: dict[str, Any]) -> None:
    refused = [one for one in spec["cases"] if one["id"].startswith("tc_add_item_refuses_broken_bodies")]
    assert all("arrange" not in one for one in refused)


def test_a_further_login_takes_the_users_name_and_what_it_gives_is_sent_under_its_name(spec: dict[str, Any]) -> None:
    login, renewal = case(spec, "open_session_succeeds"), case(spec, "renew_succeeds")
    assert login["act"]["request"]["body"]["content"]["username"] == "{{USER_NAME}}"
    assert renewal["act"]["request"]["body"]["content"] == {"refresh_token": "{{issued_refresh_token}}"}
    assert statuses(renewal) == [200]


def test_its_tests_pass_in_a_project_of_their_own(spec: dict[str, Any], tmp_path: Path) -> None:
    written = render_api(spec, "pytest", "tests/test_market_api.py")
    root = make_project(tmp_path, {**FILES, **{file.path: file.contents for file in written}})
    assert " passed" in pytest_output(root, "tests")
