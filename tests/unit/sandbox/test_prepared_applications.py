"""What an application does once is done before it is forked, unless it fails or leaves a thread."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from testwright.sandbox.worker.http import api_serving

STARTED = """
import sys, threading, types

sys.path.insert(0, {folder!r})
import api_serving

done = []

class Mapping(types.ModuleType):
    def configure_mappers(self):
        done.append("tried")
        {act}

sys.modules["sqlalchemy.orm"] = Mapping("sqlalchemy.orm")
api_serving.prepare(object())
print(done, threading.active_count())
"""


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("pass", "['tried'] 1"),
        ("raise LookupError('a class that is mapped later')", "[] 1"),
        ("sys.exit(3)", "[] 1"),
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", "[] 1"),
    ],
)
def test_what_fails_or_starts_a_thread_is_left_to_the_answers(act: str, expected: str) -> None:
    code = textwrap.dedent(STARTED).format(folder=str(Path(api_serving.__file__).parent), act=act)

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert (ended.stdout.strip(), ended.returncode) == (expected, 0)
