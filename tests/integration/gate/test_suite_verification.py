"""All kept files of a run together."""

import pytest

from testwright.gate.verify.suite_verification import verify_suite
from testwright.tests.support.engine.targets import prepared

pytestmark = [pytest.mark.feature("B-11"), pytest.mark.asyncio]

PROJECT = {
    "src/plain.py": "def one():\n    return 1\n",
    "src/needy.py": "import package_that_nobody_has\n",
}
PLAIN = 'from plain import one\n\n\ndef test_one():\n    """Case tc_one."""\n    assert one() == 1\n'
NEEDY = 'import needy\n\n\ndef test_needy():\n    """Case tc_needy."""\n    assert needy.two() == 2\n'


async def test_a_file_that_cannot_be_loaded_costs_only_itself(tmp_path):
    files = {"tests/generated/test_needy.py": NEEDY, "tests/generated/test_plain.py": PLAIN}
    async with prepared(tmp_path, PROJECT) as target:
        verification = await verify_suite(target, files, framework="pytest")
    assert [verdict.case_id for verdict in verification.kept] == ["tc_one"]
    [dropped] = verification.dropped
    assert (dropped.nodeid, dropped.failure_class) == ("tests/generated/test_needy.py", "environment")
