"""The repository agents on a repository that is on GitHub only."""

import json
import time

import pytest

from testwright.tests.support.github.local_github import READER, local_github
from testwright.tests.support.projects.web_shop import SHOP
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("A-10", "A-01")


@pytest.fixture
def github():
    with local_github() as served:
        served.add("acme/shop", SHOP)
        yield served


@pytest.fixture
def crawl(github, tmp_path):
    """Crawl from an empty folder."""
    (tmp_path / "empty").mkdir()
    environment = {"GITHUB_API_URL": github.url, "GITHUB_TOKEN": READER, "CI": "true"}

    def called(*words):
        return invoke_command("crawl", *words, "--json", cwd=tmp_path / "empty", environment=environment)

    return called


def test_a_repository_is_mapped_without_a_checkout_and_a_second_time_by_what_is_known(github, crawl):
    first = crawl("--repository", "acme/shop@main")
    assert first.code == 0, first.err
    found = json.loads(first.out)
    assert (found["repo_full_name"], found["ref"]) == ("acme/shop", "main")
    assert any(one["kind"] == "api_route" for one in found["entry_points"])
    asked = len(github.seen)

    second = json.loads(crawl("--repository", "acme/shop@main").out)
    assert [one.status for one in github.seen[asked:]] == [304, 304, 304]
    assert {**second, "run_id": ""} == {**found, "run_id": ""}


def test_files_that_are_not_read_and_a_list_that_is_cut_are_told_to_the_user(github, tmp_path):
    github.add("acme/large", {**SHOP, "app/logo.py": b"\x89PNG\0\xff", "package.json": " " * 600_000})
    github.truncated = True
    environment = {"GITHUB_API_URL": github.url, "GITHUB_TOKEN": READER, "CI": "true"}
    ended = invoke_command("crawl", "--repository", "acme/large", cwd=tmp_path, environment=environment)
    assert ended.code == 0, ended.err
    told = [line for line in ended.out.splitlines() if line.startswith("Left out: ")]
    assert [line.split(": ")[1] for line in told] == ["app/logo.py", "further files", "package.json"]
    assert "larger than 512 KiB" in told[2]


def test_a_rate_limit_in_the_middle_ends_the_step_and_the_next_crawl_goes_on(github, crawl):
    github.remaining, github.reset = 5, time.time() + 1200
    ended = crawl("--repository", "acme/shop")
    assert ended.code != 0
    assert "GitHub takes no more requests" in ended.out
    read = len(github.asked("GET", "/git/blobs/"))
    assert read > 0

    github.remaining = 5000
    assert crawl("--repository", "acme/shop").code == 0
    blobs = [one.path for one in github.asked("GET", "/git/blobs/")]
    assert len(blobs) == len(set(blobs)) > read


@pytest.mark.parametrize(
    ("name", "says"), [("acme", "names no repository"), ("acme/none", "404"), ("acme/shop@x", "'x'")]
)
def test_a_repository_or_ref_that_is_not_there_is_said(crawl, name, says):
    ended = crawl("--repository", name)
    assert ended.code != 0
    assert says in ended.out + ended.err
