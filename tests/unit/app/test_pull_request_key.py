"""Which runs share a pull request."""

import pytest

from testwright.app.github.pull_request import pull_request_key

pytestmark = pytest.mark.feature("A-12")

PLACE = ("acme/shop", "main", "")


def key(request="unit tests", place=PLACE, **settings):
    return pull_request_key(place, request, settings)


def test_the_same_ask_is_the_same_pull_request_whatever_else_a_run_was_given():
    assert key(target="src/a.py", jobs=2, run_id="1") == key(target="src/a.py", jobs=8, run_id="2")
    assert key() == key(tests_dir="tests/generated", target=None)


@pytest.mark.parametrize(
    "other",
    [
        {"target": "src/b.py"},
        {"test_type": "api"},
        {"framework": "unittest"},
        {"changed_since": "main"},
        {"tests_dir": "tests/more"},
        {"request": "api tests"},
        {"place": ("acme/shop", "develop", "")},
    ],
)
def test_another_ask_or_place_is_another_pull_request(other):
    assert key(**{"target": "src/a.py", **other}) != key(target="src/a.py")


def test_the_pushes_of_a_workflow_that_each_name_the_commit_before_share_one():
    assert key(changed_since="0a" * 20) == key(changed_since="1b" * 20)
