"""Performance tests through the tools that other agents call: spec, tests, a run in the project, its analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.mcp.serving import data, real_client
from testwright.tests.support.projects.files import make_project

SOURCE = '''def running_total(amounts):
    """The sum of all amounts up to each one.

    >>> running_total([100, 250, 50])
    [100, 350, 400]
    """
    totals = []
    for amount in amounts:
        totals.append(amount + (totals[-1] if totals else 0))
    return totals
'''


@pytest.mark.feature("T-11", "T-20", "T-08")
async def test_a_module_is_timed_from_a_spec_to_the_analysis_of_a_run(tmp_path: Path) -> None:
    root = make_project(tmp_path / "sales", {"src/report.py": SOURCE})
    async with real_client(root) as client:
        asked = {"test_type": "performance", "target": "src/report.py"}
        made = data(await client.call_tool("generate_test_spec", asked))
        checked = {"spec_json": made["spec_json"], "schema_type": "performance"}
        assert data(await client.call_tool("validate_test_spec", checked))["valid"]
        done = data(await client.call_tool("generate_tests_from_spec", {"spec_path": made["spec_path"]}))
        await client.call_tool("apply_tests", {"run_id": done["run_id"]})
        ran = data(await client.call_tool("run_tests", {"test_path": made["test_path"]}))
        analysis = data(await client.call_tool("analyze_test_results", {"results_path": ran["results_path"]}))
    assert made["test_path"] == "tests/generated/performance/test_report_performance.py"
    assert done["counts"]["kept"] == made["counts"]["cases"] > 0
    assert ran["passed"] == done["counts"]["kept"]
    assert ran["failed"] == 0
    assert analysis["findings"] == []
