"""The wheel, installed in a clean environment, does the main job from another folder."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.feature("T-19")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the committed and new files, so that no build folder appears in the checkout."""
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A virtual environment with the wheel in it; its dependencies are those already installed for the tests.

    The path file names our site-packages, whose own path files are not read there: the checkout stays invisible.
    """
    folder = tmp_path_factory.mktemp("environment")
    uv, python = Path(sysconfig.get_path("scripts")) / "uv", folder / "bin" / "python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--compile-bytecode", "--no-deps", "--python", str(python), str(wheel)],
        check=True,
    )
    site = next((folder / "lib").glob("python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_holds_code_schemas_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "testwright/py.typed" in names
    assert "testwright/mcp/tool_client/tool_client.py" in names
    chain = {"package.json", "package-lock.json", ".npmrc", "check.mjs", "config.mjs", "rules/index.mjs"}
    assert {f"testwright/analysis/javascript/chain/{name}" for name in chain} <= set(names)
    assert "testwright/mcp/__init__.py" not in names
    assert "testwright/schemas/unit_test_schema_v1.json" in names
    assert "testwright/schemas/planner/output.json" in names
    assert not [name for name in names if name.startswith(("testwright/tests", "testwright/examples", "tests/"))]


def test_every_python_file_of_the_checkout_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    left_out = {"tests", "examples", "benchmarks"}
    tops = [top for top in ROOT.iterdir() if top.is_dir() and top.name[0] != "." and top.name not in left_out]
    sources = [path.relative_to(ROOT) for top in tops for path in top.rglob("*.py")]
    sources += [path.relative_to(ROOT) for path in ROOT.glob("*.py")]
    assert len(sources) > 100
    assert [
        path for path in sources if f"testwright/{path.as_posix()}" not in names and "build" not in path.parts
    ] == []


def test_the_main_job_runs_from_another_folder(environment, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "words.py").write_text("def shout(text):\n    return text.upper() + '!'\n")
    command = [str(environment.parent / "testwright"), "run", "unit tests for words", "--root", str(project), "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["totals"]["kept"] >= 1
    where = subprocess.run(
        [str(environment), "-c", "import testwright; print(testwright.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert str(environment.parent.parent) in where.stdout
