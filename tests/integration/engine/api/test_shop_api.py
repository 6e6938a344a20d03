"""The API of examples/shop, explored whole: each suspected defect is shown again by its own lines."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.analysis.openapi.tool_documents import ToolDocuments
from testwright.engine.api.write.render import render_api
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.waits]

ROOT = Path(__file__).resolve().parents[4]
SHOP = ROOT / "examples" / "shop"


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    files = {
        path.relative_to(SHOP).as_posix(): path.read_text(encoding="utf-8") for path in (SHOP / "src").rglob("*.py")
    }
    folder = tmp_path_factory.mktemp("shop")

    async def specify() -> dict[str, Any]:
        async with prepared(folder, files) as target:

            async def ready() -> PythonTarget:
                return target

            async def no_tools(name: str, _: Mapping[str, Any]) -> dict[str, Any]:
                raise AssertionError(f"nobody needs {name}")

            target_of_step = {"path": "src/shop/api.py", "application": {"import": "shop.api:app"}}
            agent = ApiSpecGenerator(ready, folder / "project-of-a-user", ToolDocuments(no_tools))
            return (await agent.generate({"target": target_of_step, "framework": "pytest"})).spec

    return asyncio.run(specify())


@contextmanager
def started(command: str, variables: str) -> Iterator[dict[str, str]]:
    """The environment for lines of curl, with the application up that the first of them says how to start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "API_BASE_URL": f"http://127.0.0.1:{port}",
        **dict.fromkeys(variables.split(" and ") if variables else [], "a value of my own"),
    }
    argv = command.replace("8000", str(port)).split()
    process = subprocess.Popen(argv, cwd=SHOP, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert process.poll() is None, f"{command} does not start it"
            assert time.monotonic() < until
            time.sleep(0.05)
        yield environment
    finally:
        process.kill()
        process.wait()


@pytest.mark.feature("B-02")
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="curl and bash show it")
def test_the_lines_of_every_defect_of_the_shop_show_it(spec: dict[str, Any]) -> None:
    defects = spec["suspected_defects"]
    assert {one["subject"] for one in defects} == {"POST /orders", "PATCH /orders/{number}"}
    for defect in defects:
        head, _, lines = defect["reproduce"].partition("\n")
        told = re.fullmatch(r"# started by `(.+)`(?:, with a value of your own in (.+))?:", head)
        assert told is not None, head
        with started(told[1], told[2] or "") as environment:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", lines], env=environment, capture_output=True, text=True, check=False
            )
        shown = re.findall(r"^HTTP/1\.1 (\d+)", done.stdout, re.MULTILINE)
        assert shown == [defect["observed"].split()[0]], f"{defect['reproduce']}\n{done.stdout}{done.stderr}"


def test_every_operation_of_the_shop_is_shown_with_what_it_documents(spec: dict[str, Any]) -> None:
    described = {
        (operation["method"], operation["path"]): set(operation["statuses"]) for operation in spec["operations"]
    }
    assert len(described) == 15
    shown: dict[tuple[str, str], set[str]] = {}
    for case in spec["cases"]:
        statuses = {str(one["statuses"][0]) for one in case["expect"] if one["kind"] == "status"}
        shown.setdefault((case["operation"]["method"], case["operation"]["path"]), set()).update(statuses)
    missing = {key: statuses - shown[key] for key, statuses in described.items() if statuses - shown[key]}
    assert missing == {}


def test_what_is_refused_needs_nothing_but_what_it_is_about_and_the_file_stays_short(spec: dict[str, Any]) -> None:
    refusals = [case for case in spec["cases"] if case["category"] in ("validation", "authentication")]
    assert refusals
    # Only a body that is refused for something that must be there has that made first.
    made = [refusal for refusal in refusals if refusal.get("arrange")]
    assert {refusal["category"] for refusal in made} <= {"validation"}
    assert {refusal["id"]: refusal["arrange"] for refusal in made if len(refusal["arrange"]) > 2} == {}
    text = render_api(spec, "pytest", "tests/generated/api/test_shop_api.py")[0].contents
    assert text.count("\n") <= 9 * len(spec["cases"])
