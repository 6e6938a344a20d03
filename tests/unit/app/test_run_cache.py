"""Which results of runs may answer the same request again."""

import pytest

from testwright.app.run_cache import is_reusable
from testwright.config.settings import load_settings
from testwright.reports.build import build_report
from testwright.tests.support.runs.report_data import accept_step, executed, facts, generate_step, outcomes


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("kind", "reusable"),
    [
        ("generate_unit_tests", True),
        ("generate_api_tests", True),
        ("generate_integration_tests", True),
        ("crawl_repository", False),
    ],
)
def test_completed_runs_of_tests_for_code_are_reused_and_those_over_a_repository_are_not(tmp_path, kind, reusable):
    tested = tmp_path / "src/shop/cart1.py"
    tested.parent.mkdir(parents=True)
    tested.write_text("")
    step = {**generate_step(**executed(["tc_a"])), "type": kind}
    plan = [step] if reusable else [generate_step(**executed(["tc_a"])), step]
    added = accept_step({"path": "tests/generated/shop/test_cart1.py", "outcome": "added", "reason": ""})
    report = build_report(facts(), outcomes(*plan, added))
    assert is_reusable(load_settings({"root": tmp_path}), report) is reusable
