"""mkdocs.yml: its navigation leads to every page, so that the strict build of the documentation passes."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]


def test_the_navigation_leads_to_every_page_and_to_no_other():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = list(_pages(yaml.safe_load(text)["nav"]))
    present = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(listed) == sorted(present)


def _pages(entry: Any):
    """The paths below an entry of the navigation, in their order."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(part)
