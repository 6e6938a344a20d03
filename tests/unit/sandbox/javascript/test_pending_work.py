"""How long work of a JavaScript function that does not end is waited for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from testwright.engine.javascript.observation_file import HARNESS

pytestmark = pytest.mark.feature("T-05")

DRIVER = """
let now = 0, timers = 0;
const RealDate = { now: () => now };
const setTimeout = (run, delay) => { timers += 1; now += delay + late; Promise.resolve().then(run); };
const clearTimeout = () => {};
settled(new Promise(() => {})).then((answer) => console.log(JSON.stringify([answer, timers])));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize(("late", "timers"), [(0, 1), (1500, 6)])
def test_work_that_never_ends_is_given_up_even_where_the_code_itself_makes_every_timer_late(late, timers):
    source = HARNESS.read_text(encoding="utf-8")
    waiting = re.search(r"^async function settled.*?^}$", source, re.DOTALL | re.MULTILINE)
    limits = re.findall(r"^const [A-Z]+_(?:MS|LATE) = .*;$", source, re.MULTILINE)
    assert waiting is not None
    script = "\n".join((*limits, waiting[0], f"const late = {late};", DRIVER))
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == ["pending", timers]
