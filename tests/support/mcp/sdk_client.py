"""Drives the TypeScript SDKs, 1.x and 2.x, as clients of a server over stdio."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from testwright.tests.support.mcp.npm_tools import node_environment, node_program, npm_folder

_SCRIPT = Path(__file__).with_name("sdk_client.mjs")


def sdk_answers(
    version: str, calls: Sequence[Sequence[Any]], command: Sequence[str], *, limit_seconds: float = 60.0
) -> list[dict[str, Any]]:
    """What a user of the SDK gets for each call: the answer, or `{"thrown": …}`.

    Args:
        version: "1" or "2".
        calls: tool, arguments (`run_id` may be "LAST": that of the last answer), and whether to repeat it while the
            answer has status running.
        limit_seconds: the client's own limit of a request.
    """
    code = _SCRIPT.read_text("utf-8")
    given = [version, str(int(limit_seconds * 1000)), json.dumps(calls), *command]
    done = subprocess.run(
        # Code without a file finds packages from the working folder on.
        [str(node_program()), "--input-type=module", "--eval", code, "--", *given],
        cwd=npm_folder(),
        env=node_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
