"""From a run on the example to a pull request, a rerun, and the run after a change, as GitHub saw it."""

import io
import json
from types import SimpleNamespace

import pytest

from testwright.cli.github.pull_request_step import pull_request_step
from testwright.core.exit_code import ExitCode
from testwright.tests.support.github.local_github import READER, WRITER, local_github
from testwright.tests.support.projects.files import copy_of_shop
from testwright.tests.support.projects.repositories import Repository
from testwright.tests.support.runs.action_runner import assignments
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("A-12")

REQUEST = "unit tests for src/shop/pricing.py"
PRICING = "src/shop/pricing.py"
TESTS = "tests/generated/shop/test_shop_pricing.py"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The example as a clone of acme/shop on a local GitHub, with one run, kept where the Action keeps it."""
    root = copy_of_shop(tmp_path_factory.mktemp("clone"))
    temporary = root.parent / "temporary"
    repository = Repository(root)
    repository.commit({".gitignore": ".testwright/\n__pycache__/\n"})
    repository.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    with local_github() as github:
        store = github.add("acme/shop", {PRICING: (root / PRICING).read_text(), "README.md": "A shop.\n"})
        about = {"GITHUB_API_URL": github.url, "GITHUB_TOKEN": WRITER, "CI": "true", "TESTWRIGHT_MUTANTS": "0"}

        def command(*words, **more):
            return invoke_command(
                *words, "--state-dir", str(temporary / "testwright" / "state"), cwd=root, environment={**about, **more}
            )

        ran = command("run", REQUEST)
        assert ran.code in (ExitCode.OK, ExitCode.PRODUCT_DEFECT), ran.err
        yield SimpleNamespace(
            root=root, repository=repository, github=github, store=store, command=command, temporary=temporary
        )


def step(shop, folder, **more):
    """The Action's step after the run, as its exit code, its outputs and its log."""
    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary"}
    environment = {
        **{name: str(path) for name, path in files.items()},
        **{"GITHUB_WORKSPACE": str(shop.root), "RUNNER_TEMP": str(shop.temporary), "INPUT_RUN_ID": "latest"},
        **{"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF": "refs/heads/main"},
        **{"GITHUB_EVENT_NAME": "push", "GITHUB_API_URL": shop.github.url, "GITHUB_TOKEN": WRITER},
        **more,
    }
    log = io.StringIO()
    code = pull_request_step(environment, log)
    return code, assignments(files["GITHUB_OUTPUT"]) if files["GITHUB_OUTPUT"].exists() else {}, log.getvalue()


def pulls(shop):
    return shop.github.repositories["acme/shop"].pulls


def test_a_dry_run_prints_what_would_be_sent_and_asks_github_nothing(shop):
    before = len(shop.github.seen)
    shown = shop.command("pull-request", "--dry-run", GITHUB_TOKEN="")
    assert shown.code == 0, shown.err
    assert "acme/shop" in shown.out
    assert f"{TESTS} (" in shown.out
    assert "title: Add tests for shop.pricing" in shown.out
    assert len(shop.github.seen) == before


def test_without_a_token_nothing_is_sent(shop):
    refused = shop.command("pull-request", GITHUB_TOKEN="")
    assert refused.code == ExitCode.ENVIRONMENT
    assert "GITHUB_TOKEN or GH_TOKEN" in refused.err


def test_a_run_becomes_a_pull_request_which_a_rerun_and_a_change_bring_up_to_date(shop):
    made = shop.command("pull-request")
    assert made.code == 0, made.err
    assert "Pull request created: https://github.example/acme/shop/pull/1" in made.out
    (pull,) = pulls(shop)
    branch = pull["head"]["ref"]
    assert branch.startswith("testwright/unit-tests-for-src-shop-pricing-py-")
    written = (shop.root / TESTS).read_text()
    assert shop.store.files(branch)[TESTS] == written
    body = pull["body"]
    assert body.index("## 1 suspected defect") < body.index("## What was tested") < body.index("## How it was judged")
    assert "bulk_discount" in body
    assert "observed expectation" in body.replace("*", "")

    assert "is up to date" in shop.command("pull-request").out
    assert [one.path for one in shop.github.asked("POST")] == [
        f"/repos/acme/shop/{path}" for path in ("git/blobs", "git/trees", "git/commits", "git/refs", "pulls")
    ]

    mended = (shop.root / PRICING).read_text().replace("quantity > 100", "quantity >= 100")
    shop.repository.commit({PRICING: mended}, "mend")
    assert shop.command("run", REQUEST).code == ExitCode.OK
    again = shop.command("pull-request", "--json")
    result = json.loads(again.out)["result"]
    assert (result["outcome"], result["number"], result["written"]) == ("updated", 1, [TESTS])
    assert shop.store.files(branch)[TESTS] == (shop.root / TESTS).read_text() != written
    assert "suspected defect" not in pulls(shop)[0]["body"]
    assert len(pulls(shop)) == 1
    assert shop.store.log(branch)[2] == "first"
    assert WRITER not in made.out + made.err + again.out + again.err


@pytest.mark.feature("T-18")
def test_the_action_finds_the_same_pull_request_from_its_detached_checkout(shop, tmp_path):
    number = len(pulls(shop)) or 1
    shop.repository.git("checkout", "-q", "--detach")
    code, outputs, log = step(shop, tmp_path)
    shop.repository.git("checkout", "-q", "main")
    assert code == 0, log
    assert outputs["pull-request-outcome"] in ("created", "unchanged")
    assert outputs["pull-request-url"] == f"https://github.example/acme/shop/pull/{number}"
    assert (tmp_path / "summary").read_text().strip().endswith(outputs["pull-request-url"])
    assert [line for line in log.splitlines() if WRITER in line] == [f"::add-mask::{WRITER}"]


@pytest.mark.feature("T-18")
def test_a_pull_request_from_a_fork_gets_none_and_says_why(shop, tmp_path):
    event = {"pull_request": {"head": {"repo": {"full_name": "else/shop"}}}, "repository": {"full_name": "acme/shop"}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    before = len(shop.github.seen)
    about = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    code, outputs, log = step(shop, tmp_path, **about)
    assert (code, outputs, len(shop.github.seen)) == (0, {"pull-request-outcome": "skipped"}, before)
    assert "::warning" in log
    assert "from a fork, whose token may not write" in log


@pytest.mark.feature("T-18")
def test_a_token_that_may_not_write_ends_the_step_in_plain_words(shop, tmp_path):
    code, outputs, log = step(shop, tmp_path, GITHUB_TOKEN=READER, INPUT_PULL_REQUEST_TITLE="Another title")
    assert (code, outputs) == (ExitCode.ENVIRONMENT, {})
    assert "::error" in log
    assert "permissions: contents: write" in log.replace("%3A", ":")
