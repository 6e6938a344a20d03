"""Test tools for targets that lack them."""

from __future__ import annotations

import importlib.util
import struct
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import coverage
import pluggy
import pytest

from testwright.core.errors import InterpreterError, StorageError, ToolMissing
from testwright.core.exit_code import ExitCode
from testwright.sandbox import overlay
from testwright.sandbox.interpreter import Interpreter, find_interpreter
from testwright.sandbox.protocol import Program, Sandbox
from testwright.tests.support.engine.sandboxes import PATIENT

pytestmark = pytest.mark.feature("B-05")


@pytest.fixture
def bare(bare_venv: Path, tmp_path: Path) -> Interpreter:
    """An interpreter without packages; its site folder is the test's own."""
    site = tmp_path / "site"
    site.mkdir()
    return replace(find_interpreter(tmp_path, bare_venv, {}), site_paths=(site,), user_site=None)


def _install(site: Path, name: str, version: str) -> None:
    folder = site / f"{name}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def _wheel(folder: Path, name: str, version: str, requires: str = "") -> None:
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"__version__ = {version!r}\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def test_a_target_that_has_the_tools_needs_no_overlay(bare: Interpreter, tmp_path: Path) -> None:
    _install(bare.site_paths[0], "pytest", "8.3.0")
    _install(bare.site_paths[0], "coverage", "7.6.0")
    assert overlay.test_overlay(bare, [tmp_path / "cache"]) == ()
    assert not (tmp_path / "cache").exists()


async def test_a_bare_target_gets_tools_that_work_there(sandbox: Sandbox, bare: Interpreter, tmp_path: Path) -> None:
    (folder,) = overlay.test_overlay(bare, [tmp_path / "cache"])
    assert overlay.test_overlay(bare, [tmp_path / "cache"]) == (folder,)
    code = "import sys; sys.path.append(sys.argv[1]); import coverage, pytest; sys.exit(pytest.main(['--version']))"
    program = Program(
        (str(bare.path), "-c", code, str(folder)),
        tmp_path,
        readable=(*bare.prefix_paths, folder),
        writable=(tmp_path,),
        limits=PATIENT,
    )
    completed = await sandbox.run(program)
    assert completed.exit_code == 0, completed.stderr.decode()
    assert completed.stdout.startswith(b"pytest ")


def test_the_overlay_holds_what_is_lacking_and_no_more(bare: Interpreter, tmp_path: Path) -> None:
    _install(bare.site_paths[0], "pytest", "8.3.0")
    (folder,) = overlay.test_overlay(bare, [tmp_path / "cache"])
    names = {path.name for path in folder.iterdir()}
    assert "coverage" in names
    assert not names & {"pytest", "pluggy", "langgraph", "bin"}
    assert not list(folder.rglob("*.pth"))


@pytest.mark.parametrize("has_own", [True, False], ids=["of ours", "of none"])
def test_the_tools_come_with_bytecode_of_what_they_are(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_own: bool
) -> None:
    """No program in the sandbox may write any, and each would compile pytest anew."""
    if not has_own:
        monkeypatch.setattr(overlay, "cache_from_source", lambda source: str(tmp_path / "none"))
    (folder,) = overlay.test_overlay(bare, [tmp_path / "test" / "cache"])
    own = [Path(importlib.util.cache_from_source(module.__file__ or "")) for module in (coverage, pluggy)]
    compiled = [folder / path.parent.parent.name / "__pycache__" / path.name for path in own]
    for path in compiled:
        source = Path(importlib.util.source_from_cache(path)).stat()
        flags, modified, size = struct.unpack("<III", path.read_bytes()[4:16])
        assert (flags, modified, size) == (0, int(source.st_mtime), source.st_size)


def test_a_tool_too_old_is_an_error_that_says_what_to_install(bare: Interpreter, tmp_path: Path) -> None:
    _install(bare.site_paths[0], "pytest", "5.4.3")
    with pytest.raises(InterpreterError, match=r"pytest is 5\.4\.3") as raised:
        overlay.test_overlay(bare, [tmp_path / "cache"])
    assert f'{bare.path} -m pip install "pytest>=7"' in raised.value.advice


def test_a_part_of_the_targets_that_clashes_with_ours_is_an_error(bare: Interpreter, tmp_path: Path) -> None:
    _install(bare.site_paths[0], "pluggy", "0.13.1")
    with pytest.raises(InterpreterError, match=r"pluggy.* is met by 0\.13\.1 only"):
        overlay.test_overlay(bare, [tmp_path / "cache"])


def test_for_another_version_pip_fetches_what_suits_it(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    _wheel(wheels, "pytest", "7.4.0", requires="helper")
    _wheel(wheels, "coverage", "6.5.0")
    _wheel(wheels, "helper", "1.0")
    _only_from(monkeypatch, wheels)
    other = replace(bare, version=(3, 9, 0))
    (folder,) = overlay.test_overlay(other, [tmp_path / "tests" / "cache"])
    assert (folder / "pytest.py").read_text() == "__version__ = '7.4.0'\n"
    assert (folder / "helper.py").exists()
    assert (folder / "coverage.py").exists()
    assert len(list((folder / "__pycache__").iterdir())) == 3


def test_tools_that_cannot_be_compiled_are_used_without_bytecode(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay, "cache_from_source", lambda source: str(tmp_path / "none"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    (folder,) = overlay.test_overlay(bare, [tmp_path / "cache"])
    assert (folder / "coverage").is_dir()
    assert not list(folder.rglob("*.pyc"))


def test_when_nothing_can_be_had_the_error_says_what_to_install(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "wheels"
    empty.mkdir()
    _only_from(monkeypatch, empty)
    with pytest.raises(InterpreterError, match=r"Python 3\.9\.0 lacks pytest and coverage") as raised:
        overlay.test_overlay(replace(bare, version=(3, 9, 0)), [tmp_path / "cache"])
    assert '"pytest>=7" "coverage>=6"' in raised.value.advice
    assert list((tmp_path / "cache" / "overlay").iterdir()) == []


@pytest.mark.feature("T-20", "B-07")
def test_pytest_benchmark_is_provided_where_performance_tests_need_it(bare: Interpreter, tmp_path: Path) -> None:
    (folder,) = overlay.tools_overlay(overlay.BENCHMARK_TOOLS, bare, [tmp_path / "cache"])
    assert (folder / "pytest_benchmark" / "plugin.py").exists()


@pytest.mark.feature("T-20", "B-07")
def test_without_pytest_benchmark_the_error_says_what_to_install(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "wheels"
    empty.mkdir()
    _only_from(monkeypatch, empty)
    other = replace(bare, version=(3, 8, 0))  # ours does not suit it
    with pytest.raises(ToolMissing, match="lacks pytest-benchmark") as raised:
        overlay.tools_overlay(overlay.BENCHMARK_TOOLS, other, [tmp_path / "cache"])
    assert '"pytest-benchmark>=4"' in raised.value.advice


@pytest.mark.feature("T-20", "B-07")
def test_without_locust_the_error_says_what_to_install(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "wheels"
    empty.mkdir()
    _only_from(monkeypatch, empty)
    with pytest.raises(ToolMissing, match="lacks locust, and pip could not fetch") as raised:
        overlay.tools_overlay(overlay.LOAD_TOOLS, bare, [tmp_path / "cache"])
    assert '"locust>=2.20"' in raised.value.advice
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert overlay.load_tools_place(bare, [tmp_path / "cache"]) == ""


@pytest.mark.feature("T-20")
def test_locust_has_all_it_needs_whatever_the_target_has(
    bare: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    _install(own, "locust", "2.47.0")
    with (own / "locust-2.47.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write("Requires-Dist: pluggy\n")
    monkeypatch.syspath_prepend(str(own))
    _install(bare.site_paths[0], "pluggy", pluggy.__version__)
    (folder,) = overlay.tools_overlay(overlay.LOAD_TOOLS, bare, [tmp_path / "cache"])
    assert (folder / "pluggy").is_dir()


def test_a_cache_that_cannot_be_written_is_a_storage_error(bare: Interpreter, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(StorageError, match="There is no folder"):
        overlay.test_overlay(bare, [tmp_path / "cache"])


def _only_from(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """Have pip look into one folder and nowhere else."""
    if overlay._runner() is None:
        pytest.skip("this environment has no pip to run")
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


def test_our_own_interpreter_needs_no_overlay(tmp_path: Path) -> None:
    ours = find_interpreter(tmp_path, Path(sys.executable), {})
    assert overlay.test_overlay(ours, [tmp_path / "cache"]) == ()
