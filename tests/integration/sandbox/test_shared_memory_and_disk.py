"""Memory that processes share, and what they write to disk, count for the program as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.sandbox.protocol import Limits, Sandbox
from testwright.tests.support.engine.sandboxes import python_program

pytestmark = pytest.mark.feature("B-05")

LITTLE = Limits(wall_seconds=240, memory_mib=256, disk_mib=64, file_mib=48)
# Each child holds a block that it has touched and then forgotten: it is resident in no process.
SHARES = """
import mmap, os, time
for number in range(8):
    if os.fork() == 0:
        block = mmap.mmap(-1, 150 << 20)
        for page in range(0, len(block), 4096):
            block[page] = 1
        block.madvise(mmap.MADV_DONTNEED)
        time.sleep(240)
time.sleep(240)
"""
WRITES = {
    "files": """
import os
for number in range(20):
    with open(str(number), "wb") as file:
        file.write(os.urandom(1 << 20) * 10)
""",
    "a file without a name": """
import os, tempfile
files = [tempfile.TemporaryFile(dir=".") for _ in range(20)]
for file in files:
    file.write(os.urandom(1 << 20) * 10)
    file.flush()
""",
    "files in folders that no path can name": """
import os
for number in range(40):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for number in range(20):
    with open(str(number), "wb") as file:
        file.write(os.urandom(1 << 20) * 10)
""",
}
ENDLESS = "\nimport time\ntime.sleep(240)\n"


async def test_shared_memory_that_no_process_holds_in_view_counts(sandbox: Sandbox, tmp_path: Path) -> None:
    completed = await sandbox.run(python_program(SHARES, tmp_path, limits=LITTLE))
    assert "memory" in completed.reason
    assert completed.seconds < 200


@pytest.mark.parametrize("kind", WRITES)
async def test_a_program_that_writes_more_than_its_share_is_ended(
    bubblewrap: Sandbox, tmp_path: Path, kind: str
) -> None:
    completed = await bubblewrap.run(python_program(WRITES[kind] + ENDLESS, tmp_path, limits=LITTLE))
    assert "wrote more than 64 MiB" in completed.reason
    assert completed.seconds < 200


async def test_what_was_there_before_does_not_count(bubblewrap: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (100 << 20))
    code = "import time\nopen('small', 'wb').write(b'y' * (30 << 20))\ntime.sleep(1.5)\nprint('done')"
    completed = await bubblewrap.run(python_program(code, tmp_path, limits=LITTLE))
    assert (completed.stdout, completed.reason) == (b"done\n", "")
