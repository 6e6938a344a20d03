"""Every file that is given to Jest gets a verdict."""

from __future__ import annotations

import pytest

from testwright.gate.runner.jest import ScriptRun
from testwright.gate.verify.scripts import _first_verdicts, _with_missing
from testwright.sandbox.javascript.jest import JestTest

pytestmark = pytest.mark.feature("T-20")


def test_a_file_without_a_result_is_an_error():
    run = ScriptRun((JestTest("a.test.js", "a works", "passed"),), lost={})
    found = _first_verdicts(_with_missing(run, ["a.test.js", "b.test.js"]), {}, frozenset())
    assert [(one.path, one.verdict) for one in found.values()] == [("a.test.js", "kept"), ("b.test.js", "error")]
