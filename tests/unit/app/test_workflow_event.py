"""The branch that a workflow's event stands for."""

import json

import pytest

from testwright.app.github.workflow_event import base_branch
from testwright.core.errors import UsageError

pytestmark = pytest.mark.feature("A-12")


@pytest.fixture
def environment(tmp_path):
    def made(name, payload, **more):
        (tmp_path / "event.json").write_text(json.dumps(payload))
        about = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
        return about | more

    return made


def pull_from(repository):
    return {"pull_request": {"head": {"repo": {"full_name": repository}}}, "repository": {"full_name": "acme/shop"}}


def test_a_push_stands_for_its_branch_and_a_tag_for_none(environment):
    assert base_branch(environment("push", {}, GITHUB_REF="refs/heads/feature/x")) == "feature/x"
    assert base_branch(environment("push", {}, GITHUB_REF="refs/tags/v1")) == ""


def test_a_merge_queue_stands_for_the_branch_that_it_merges_into(environment):
    queue = "refs/heads/gh-readonly-queue/release/2/pr-12-0a1b"
    payload = {"merge_group": {"base_ref": "refs/heads/release/2"}}
    assert base_branch(environment("merge_group", payload, GITHUB_REF=queue)) == "release/2"


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_stands_for_its_own_branch_and_one_from_a_fork_is_refused(environment, name):
    about = {"GITHUB_HEAD_REF": "main", "GITHUB_REF": "refs/heads/main"}
    assert base_branch(environment(name, pull_from("acme/shop"), **about)) == "main"
    with pytest.raises(UsageError, match="from a fork") as raised:
        base_branch(environment(name, pull_from("else/shop"), **about))
    assert "--base" in raised.value.advice


def test_outside_of_a_workflow_the_checkout_says_it():
    assert base_branch({"GITHUB_REF": "refs/heads/main"}) == ""
