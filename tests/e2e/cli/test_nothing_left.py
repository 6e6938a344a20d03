"""A request for what is tested already ends well, through the command line."""

import json

import pytest
from typer.testing import CliRunner

from testwright.cli.app import app

SOURCE = "def price(count: int) -> int:\n    return 2 * count\n"
TESTS = "from shop import price\n\n\ndef test_price():\n    assert price(2) == 4\n"


@pytest.mark.feature("B-16")
def test_a_request_for_what_has_tests_already_ends_with_exit_code_0_and_says_so(tmp_path):
    (tmp_path / "shop.py").write_text(SOURCE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_shop.py").write_text(TESTS)

    done = CliRunner().invoke(app, ["run", "what has no tests yet", "--root", str(tmp_path), "--run-id", "a"])

    assert done.exit_code == 0, done.output
    assert "nothing to do" in done.output
    report = json.loads((tmp_path / ".testwright/runs/a/report.json").read_text())
    assert (report["exit_reason"], report["exit_code"], report["status"]) == ("nothing_to_do", 0, "completed")
    assert sorted(path.name for path in (tmp_path / "tests").iterdir()) == ["test_shop.py"]
