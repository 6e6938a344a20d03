"""ARCHITECTURE.md stays short, and every path in it and in the other maps of the code exists."""

import re

import pytest

from testwright.tests.support.projects.files import ROOT

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/design-notes.md")
PATH = re.compile(r"`((?:\w+/)+[\w.]*|\w+/\w+\.\w+)`")
NOT_HERE = ("tests/generated/", "package.module")


def test_it_fits_on_a_few_screens():
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES)
def test_each_path_it_names_exists(page):
    named = set(PATH.findall((ROOT / page).read_text("utf-8")))
    missing = [path for path in sorted(named) if not (ROOT / path).exists() and not _inside_a_package(path)]
    assert [path for path in missing if not path.startswith(NOT_HERE)] == []


def _inside_a_package(path: str) -> bool:
    """Whether it is given relative to a package named beside it, as `tools/` in the row of `mcp/`."""
    return any((package / path).exists() for package in ROOT.iterdir() if package.is_dir())
