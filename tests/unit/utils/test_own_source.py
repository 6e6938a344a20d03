"""The digest of what testwright itself consists of (T-16)."""

import subprocess
import sys
import tomllib

import pytest

from testwright.tests.support.projects.files import ROOT
from testwright.utils.own_source import OWN_FOLDER, own_digest, packages

pytestmark = pytest.mark.feature("T-16")


def test_every_folder_of_the_package_counts():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    assert sorted({name.split(".")[1] for name in listed if "." in name}) == packages()


def test_it_is_the_same_in_another_process():
    code = "from testwright.utils.own_source import own_digest; print(own_digest())"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stdout.strip()) == len(own_digest()) == 64
    again = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert again.stdout == done.stdout


def test_asking_whether_anything_has_changed_loads_nothing_heavy():
    code = "import sys, testwright.app.run_cache; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    heavy = ("pydantic", "typer", "rich", "langgraph", "mcp_types", "sqlalchemy", "asyncio")
    assert [name for name in heavy if f"'{name}'" in done.stdout] == []
    assert OWN_FOLDER.is_dir()
