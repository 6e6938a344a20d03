"""The TypeScript SDKs, 1.x and 2.x: errors arrive with their text, and a client with a short limit ends a long run."""

import json

import pytest

from testwright.tests.support.mcp.sdk_client import sdk_answers
from testwright.tests.support.mcp.serving import quick_project
from testwright.tests.support.warm.commands import warm_command

pytestmark = [pytest.mark.feature("T-11"), pytest.mark.waits]
SLOW_TEST = "import time\n\n\ndef test_slow():\n    time.sleep(5)\n"
WRONG = [
    ("check_syntax", {"file_path": "src/small/nmbers.py"}, "'language' is missing"),
    ("check_syntax", {"file_path": "src/small/nmbers.py", "language": "python"}, "did you mean src/small/numbers.py"),
    ("run_tests", {"test_path": "tests/nope.py"}, "there is no test file"),
    ("generate_tests_from_spec", {"spec_path": "nope.json"}, "there is no spec"),
    ("get_report", {"run_id": "nope"}, "there is no run 'nope'"),
    ("validate_test_code", {"code_path": "../x.py", "framework": "pytest"}, "climbs out"),
    ("generate_test_spec", {"test_type": "unit", "target": "src/small/nmbers.py"}, "numbers"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = quick_project(tmp_path_factory.mktemp("sdk") / "small")
    (root / "tests").mkdir(exist_ok=True)
    (root / "tests" / "test_slow.py").write_text(SLOW_TEST)
    return warm_command("mcp", "serve", "--root", str(root))


@pytest.mark.parametrize("version", ["1", "2"])
def test_errors_arrive_with_the_text_that_says_what_to_do(server, version):
    answers = sdk_answers(version, [(tool, given) for tool, given, _ in WRONG], server)
    for answer, (tool, given, words) in zip(answers, WRONG, strict=True):
        assert answer.get("isError"), (tool, given, answer)
        assert words in answer["content"][0]["text"]
        assert "What to do: " in answer["content"][0]["text"]


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_client_with_a_limit_of_twelve_seconds_finishes_a_run_that_takes_longer(server, version):
    options = {"repeats": 2, "baseline": False, "test_seconds": 60}
    calls = [
        ("run_tests", {"test_path": "tests/test_slow.py", "options": options, "wait_seconds": 2}),
        ("run_status", {"run_id": "LAST", "wait_seconds": 2}, True),
        ("list_runs", {}),
    ]
    begun, *waited, listed = sdk_answers(version, calls, server, limit_seconds=12)
    assert begun["structuredContent"]["status"] == "running"
    assert len(waited) > 1
    assert not any("thrown" in answer for answer in waited)
    ended = waited[-1]["structuredContent"]
    assert (ended["status"], ended["answer"]["passed"]) == ("completed", 1)
    assert json.loads(listed["content"][0]["text"])["runs"][0]["run_id"] == ended["run_id"]
