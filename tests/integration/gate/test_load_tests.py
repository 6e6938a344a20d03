"""Load tests in the gate: an application is measured, its locustfile passes, and slowness fails it (T-20)."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.agents.embedded.specs.load_specs import LoadSpecGenerator
from testwright.engine.performance.load.render import render_load
from testwright.gate.model.options import SuiteOptions
from testwright.gate.model.results import SuiteResult
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.runner.suite import run_suite
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.hostile.host import processes_with
from testwright.tests.support.projects.notes_app import NOTES, NoDocuments
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.anyio, pytest.mark.waits]

PATH = "tests/generated/load/locustfile_notes.py"
SECONDS = 2.0
NOWHERE = Path("/nowhere")
NAMED = {"path": "src/notes.py", "application": {"import": "notes:app"}, "profiles": ["smoke"]}


def shop(text: str = NOTES) -> dict[str, str]:
    return {"src/notes.py": text}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def target(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path_factory.mktemp("load"), shop(), caches=cache_folders(NOWHERE)) as found:
        yield found


def generator(target: PythonTarget, seconds: float = SECONDS) -> LoadSpecGenerator:
    async def ready() -> PythonTarget:
        return target

    return LoadSpecGenerator(ApiSpecGenerator(ready, target.root, NoDocuments()), seconds)


@pytest.fixture(scope="module")
async def spec(target: PythonTarget) -> Mapping[str, Any]:
    return (await generator(target).generate({"target": NAMED})).spec


def files_of(spec: Mapping[str, Any]) -> dict[str, str]:
    return {file.path: file.contents for file in render_load(spec, "locust", PATH)}


def without_latency(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The same load without its limits of latency, which another process on the machine can break at any time."""
    [case] = spec["cases"]
    kept = [limit for limit in case["expect"] if not limit["metric"].startswith("latency")]
    return {**spec, "cases": [{**case, "expect": kept}]}


async def run(folder: Path, text: str, spec: Mapping[str, Any], seconds: float = SECONDS) -> SuiteResult:
    """One run of the load tests on the application with another source."""
    async with prepared(folder, shop(text), caches=cache_folders(NOWHERE)) as target:
        options = SuiteOptions(test_seconds=60, load_seconds=seconds)
        result = await run_suite(target, files_of(spec), framework="locust", options=options)
    assert processes_with(str(folder)) == [], "something is left running"
    return result


async def test_the_load_tests_of_a_healthy_application_pass_three_times(target: PythonTarget, spec: Any) -> None:
    options = VerifyOptions(repeats=2, test_seconds=60, load_seconds=SECONDS, beside=False)
    steady = without_latency(spec)
    found = await verify_files(target, files_of(steady), framework="locust", spec=steady, options=options)
    assert [(verdict.case_id, verdict.verdict, verdict.runs) for verdict in found.verdicts] == [
        ("tc_notes_app_smoke", "kept", 3)
    ]


async def test_a_handler_that_sleeps_fails_them_and_the_figure_is_named(tmp_path: Path, spec: Any) -> None:
    slow = NOTES.replace("    return jsonify(list", "    time.sleep(0.4)\n    return jsonify(list")
    [case] = spec["cases"]
    in_seconds = {"kind": "threshold", "metric": "latency_max", "operator": "at_most", "value": 0.1, "unit": "seconds"}
    strict = {**spec, "cases": [{**case, "expect": [*case["expect"], in_seconds]}]}
    [test] = (await run(tmp_path, slow, strict, seconds=4.0)).tests
    assert test.outcome == "failed"
    assert "round trips, at most" in test.message
    assert re.search(r"latency_max is \d+\.\d+ s, at most 0\.1 is allowed", test.message)


async def test_slowness_that_passes_does_not_fail_them(tmp_path: Path, spec: Any) -> None:
    # As where the machine has something else to do: the whole first round of the profile is slow.
    at_first = NOTES.replace("app = Flask(__name__)", "app = Flask(__name__)\nSLOW_UNTIL = []").replace(
        "    return jsonify(list",
        "    SLOW_UNTIL or SLOW_UNTIL.append(time.monotonic() + 2.5)\n"
        "    time.monotonic() < SLOW_UNTIL[0] and time.sleep(0.2)\n    return jsonify(list",
    )
    [test] = (await run(tmp_path, at_first, spec)).tests
    assert (test.outcome, test.message) == ("passed", "")


async def test_a_handler_that_fails_now_and_then_fails_them(tmp_path: Path, spec: Any) -> None:
    # Of its own requests each second one fails, whatever the others are asked meanwhile.
    counted = NOTES.replace("app = Flask(__name__)", "app = Flask(__name__)\nASKED = itertools.count()")
    broken = counted.replace("    return jsonify(list", "    1 / (next(ASKED) % 2)\n    return jsonify(list")
    [test] = (await run(tmp_path, broken, spec)).tests
    assert test.outcome == "failed"
    assert "error_rate is" in test.message


async def test_an_answer_that_names_another_host_takes_no_load_there(tmp_path: Path, spec: Any) -> None:
    # Nobody listens at the place it names: who goes there fails.
    leading = NOTES.replace(
        "    return jsonify(list", "    return '', 307, {'Location': 'http://127.0.0.1:9/'}\n    return (list"
    )
    [test] = (await run(tmp_path, leading, without_latency(spec))).tests
    assert (test.outcome, test.message) == ("passed", "")


async def test_a_server_that_dies_is_named_and_nothing_waits_for_it(tmp_path: Path, spec: Any) -> None:
    dying = NOTES.replace("    return jsonify(list", "    __import__('os')._exit(3)\n    return jsonify(list")
    [test] = (await run(tmp_path, dying, spec)).tests
    assert test.outcome == "failed"
    assert "error_rate is" in test.message


async def test_a_server_that_never_answers_fails_them_in_the_time_of_the_profile(tmp_path: Path, spec: Any) -> None:
    hanging = NOTES.replace(
        "app = Flask(__name__)", "app = Flask(__name__)\napp.before_request(lambda: time.sleep(900))"
    )
    [test] = (await run(tmp_path, hanging, spec)).tests
    assert test.outcome == "failed"
    assert "no such request was answered" in test.message


async def test_an_application_that_hangs_while_it_is_loaded_fails_them(tmp_path: Path, spec: Any) -> None:
    # It answers as it should all through the warm-up.
    hanging = NOTES.replace(
        "app = Flask(__name__)",
        "app = Flask(__name__)\nBEGAN = []\n\n\n@app.before_request\ndef hang():\n"
        "    BEGAN.append(time.monotonic())\n    BEGAN[-1] - BEGAN[0] > 1.4 and time.sleep(900)\n",
    )
    [test] = (await run(tmp_path, hanging, spec, seconds=8.0)).tests
    assert test.outcome == "failed"
    assert "was not answered any more" in test.message


async def test_what_hangs_in_company_is_left_out_and_suspected(tmp_path: Path) -> None:
    # Whoever asks while another is served waits for ever; alone, everybody is answered.
    alone = "LOCK = __import__('threading').Lock()"
    hanging = NOTES.replace("app = Flask(__name__)", f"app = Flask(__name__)\n{alone}").replace(
        "    return jsonify(list",
        "    LOCK.acquire(blocking=False) or time.sleep(900)\n"
        "    time.sleep(0.3)\n    LOCK.release()\n    return jsonify(list",
    )
    async with prepared(tmp_path, shop(hanging), caches=cache_folders(NOWHERE)) as target:
        found = await generator(target, 4.0).generate({"target": {**NAMED, "operations": ["GET /notes"]}})
    assert found.spec["cases"] == []
    [defect] = found.spec["suspected_defects"]
    assert defect["title"] == "GET /notes is not answered any more when several users ask at once"
    assert "waited in vain" in defect["observed"]
    reasons = {one["subject"]: one["reason"] for one in found.spec["not_reached"]}
    assert "was not answered any more" in reasons["GET /notes"]


async def test_an_application_that_does_not_start_is_an_error_with_its_last_words(tmp_path: Path, spec: Any) -> None:
    [test] = (await run(tmp_path, "raise SystemExit('no settings')", spec)).tests
    assert test.outcome == "error"
    assert "no settings" in test.message


LATER = """

from locust import events


@events.test_start.add_listener
def elsewhere(environment, **_):
    environment.host = "http://192.0.2.1"
"""


@pytest.mark.parametrize(("host", "more"), [("http://192.0.2.1", ""), ("http://127.0.0.1:9", LATER)])
async def test_load_on_another_machine_is_refused_before_any_request(
    tmp_path: Path, target: PythonTarget, spec: Any, host: str, more: str
) -> None:
    tools = (await target.with_load_tools()).overlay[-1]
    for path, contents in files_of(spec).items():
        place = tmp_path / Path(path).name
        place.write_text(contents + (more if Path(path).name.startswith("locustfile") else ""))
    start = f"import sys; sys.path.insert(0, {str(tools)!r}); from locust.main import main; main()"
    command = [sys.executable, "-I", "-S", "-c", start, "-f", str(tmp_path / "locustfile_notes.py"), "--headless"]
    done = await asyncio.to_thread(
        subprocess.run,
        [*command, "--host", host, "--load-seconds", "2"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 2
    assert "load on 192.0.2.1 is not allowed: name the host in LOAD_ALLOWED_HOSTS" in done.stderr
