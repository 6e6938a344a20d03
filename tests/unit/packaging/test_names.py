"""The names that keep the checkout and the SDK of the same name apart."""

import re
import subprocess
import sys
import tomllib

from testwright.tests.support.source_files import ROOT, python_files


def test_the_mcp_folder_never_hides_the_sdk():
    assert not (ROOT / "mcp" / "__init__.py").exists()
    found = subprocess.run(
        [sys.executable, "-c", "import mcp; print(mcp.__file__)"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "site-packages" in found.stdout


def test_no_source_file_is_named_like_a_test():
    named = (path for path in python_files() if path.name.startswith("test_"))
    assert [path for path in named if "tests" not in path.relative_to(ROOT).parts] == []


def test_the_tests_folder_is_no_package():
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_every_package_folder_is_listed():
    listed = set(_project()["tool"]["setuptools"]["packages"])
    folders = {
        ".".join(("testwright", *path.parent.relative_to(ROOT).parts))
        for path in python_files()
        if path.relative_to(ROOT).parts[0] not in {"tests", "examples", "benchmarks"}
    }
    assert folders <= listed


def test_requirements_name_the_same_packages_as_the_project():
    project = _project()["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["sandbox"] + extras["dev"]
    assert (ROOT / "requirements.txt").read_text().split("\n") == [*wanted, ""]


def test_every_dependency_is_used_and_explained():
    architecture = (ROOT / "ARCHITECTURE.md").read_text()
    sources = "".join(path.read_text() for path in python_files() if "tests" not in path.relative_to(ROOT).parts)
    by_command = {"ruff", "pytest"}
    for line in _project()["project"]["dependencies"]:
        [name] = re.findall(r"^[\w-]+", line)
        assert name in architecture, name
        module = {"langgraph-checkpoint-sqlite": "langgraph.checkpoint.sqlite", "pyyaml": "yaml"}.get(
            name, name.replace("-", "_")
        )
        assert name in by_command or re.search(rf"^\s*(from|import) {module}\b", sources, re.MULTILINE), name


def test_the_project_names_no_registry_and_no_machine():
    hosts = ("index-url", "artifactory", "file:///")
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml", "Makefile", ".ci/run"):
        text = (ROOT / name).read_text()
        assert not [host for host in hosts if host in text], name


def _project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())
