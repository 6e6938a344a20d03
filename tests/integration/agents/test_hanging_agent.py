"""An agent of others that never answers does not keep the process from ending."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, threading
from testwright.agents import AgentRequest, FunctionAgent, RequestMetadata

async def main():
    async with FunctionAgent("goal", lambda request: threading.Event().wait(), seconds=0.05) as agent:
        return await agent.process(AgentRequest("goal", "task", RequestMetadata("t")))

print(asyncio.run(main()).error.type)
"""


@pytest.mark.feature("C-06")
def test_a_process_ends_although_an_agent_in_it_blocks_for_ever() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "timeout", "")
