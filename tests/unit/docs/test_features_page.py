"""docs/features.md and the marks on tests name the same features."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MARK = re.compile(r"mark\.feature\(([^)]*)\)")
ID = re.compile(r"\"([A-Z]-\d\d)\"")


def test_every_feature_on_the_page_has_a_test_and_every_mark_is_on_the_page():
    listed = re.findall(r"^\| ([A-Z]-\d\d) \|", (ROOT / "docs" / "features.md").read_text(), re.MULTILINE)
    marked = {
        feature
        for path in (ROOT / "tests").rglob("*.py")
        for mark in MARK.findall(path.read_text())
        for feature in ID.findall(mark)
    }
    assert len(listed) == len(set(listed))
    assert sorted(listed) == sorted(marked)
