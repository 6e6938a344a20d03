"""The project's own `pytest`, as its users type it, on tests that are about to be added."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from testwright.core.errors import InterpreterError
from testwright.gate.verify.earlier_tests import EarlierFile, earlier_test_files
from testwright.gate.verify.own_pytest import OwnPytest, run_own_pytest
from testwright.gate.verify.variables_conftest import variables_conftest
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.utils.generated_header import with_header

pytestmark = [pytest.mark.feature("T-06"), pytest.mark.asyncio]

MODULE = "def one():\n    return 1\n"
TEST = 'from shop.prices import one\n\n\ndef test_one():\n    """Case tc_one."""\n    assert one() == 1\n'
PLACE = "tests/generated/shop/test_shop_prices.py"
FLAT = {"shop/__init__.py": "", "shop/prices.py": MODULE}
SRC = {"src/shop/__init__.py": "", "src/shop/prices.py": MODULE}
INI = "[tool.pytest.ini_options]\n"


Prepare = Callable[..., AbstractAsyncContextManager[PythonTarget]]


@pytest.fixture(scope="module")
def plain(plain_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """`prepared` with an environment without plugins."""
    return partial(prepared, python=plain_python, caches=(tmp_path_factory.mktemp("cache"),))


@pytest.fixture
def judged(plain: Prepare) -> Callable[..., Awaitable[OwnPytest]]:
    """What a bare pytest makes of the test, or of `tests`, in a project of `files`."""

    async def judge(folder: Path, files: dict[str, str], root: str, tests: dict[str, str] | None = None) -> OwnPytest:
        async with plain(folder, files, import_roots=(root,)) as target:
            return await run_own_pytest(target, tests or {PLACE: TEST}, [root])

    return judge


async def test_a_folder_of_any_name_is_found(tmp_path, judged):
    found = await judged(tmp_path / "Große Läden 店", SRC, "src")
    assert (found.outcome, found.passed) == ("needs_setting", 1)


NEEDY = {
    **FLAT,
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "shop/prices.py": f"import os\nKEY = os.environ['SHOP_KEY']\n{MODULE}",
}
CONFTEST = "tests/generated/conftest.py"


async def test_a_module_that_needs_a_variable_at_import_passes_only_with_a_conftest_that_sets_it(tmp_path, plain):
    variables = {"SHOP_KEY": "of-the-setting"}
    async with plain(tmp_path, NEEDY, import_roots=(".",), variables=variables) as target:
        bare = await run_own_pytest(target, {PLACE: TEST}, ["."])
        found = await run_own_pytest(target, {PLACE: TEST}, ["."], None, (CONFTEST, variables_conftest(variables)))
    assert (bare.outcome, "SHOP_KEY" in bare.reason) == ("failed", True)
    assert (found.outcome, found.passed, found.needs_conftest) == ("passed", 1, True)


async def test_a_conftest_that_no_test_needs_stays_away(tmp_path, plain):
    async with plain(tmp_path, FLAT, import_roots=(".",), variables={"SHOP_KEY": "x"}) as target:
        found = await run_own_pytest(target, {PLACE: TEST}, ["."], None, (CONFTEST, variables_conftest({"A": "b"})))
    assert (found.outcome, found.needs_conftest) == ("needs_setting", False)


def lines(found: OwnPytest) -> list[tuple[str, str, str]]:
    return [(setting.file, setting.section, setting.line) for setting in found.settings]


async def test_a_project_that_finds_itself_needs_nothing(tmp_path, judged):
    found = await judged(tmp_path, {**SRC, "pyproject.toml": f'{INI}pythonpath = ["src"]\n'}, "src")
    assert (found.outcome, found.passed, lines(found)) == ("passed", 1, [])


async def test_the_line_that_an_uninstalled_src_layout_lacks_is_tried_and_named(tmp_path, judged):
    found = await judged(tmp_path, {**SRC, "pyproject.toml": "[project]\nname = 'shop'\n"}, "src")
    assert (found.outcome, found.passed) == ("needs_setting", 1)
    assert lines(found) == [("pyproject.toml", "tool.pytest.ini_options", 'pythonpath = ["src"]')]


async def test_a_flat_layout_without_any_settings_gets_a_file_of_its_own(tmp_path, judged):
    found = await judged(tmp_path, FLAT, ".")
    assert (found.outcome, lines(found)) == ("needs_setting", [("pytest.ini", "pytest", "pythonpath = .")])


async def test_a_conftest_in_the_root_is_enough_under_the_default_import_mode_only(tmp_path, judged):
    flat = {**FLAT, "conftest.py": ""}
    assert (await judged(tmp_path / "a", flat, ".")).outcome == "passed"
    flat["pytest.ini"] = "[pytest]\naddopts = --import-mode=importlib\n"
    assert (await judged(tmp_path / "b", flat, ".")).outcome == "needs_setting"


async def test_settings_that_are_there_stay_in_the_line(tmp_path, judged):
    found = await judged(tmp_path, {**SRC, "lib/a.py": "", "pytest.ini": "[pytest]\npythonpath = lib\n"}, "src")
    assert lines(found) == [("pytest.ini", "pytest", "pythonpath = lib src")]


async def test_test_paths_that_leave_the_tests_out_are_found(tmp_path, judged):
    settings = f'{INI}testpaths = ["checks", "test.py"]\npythonpath = ["src"]\n'
    files = {**SRC, "checks/x.txt": "", "test.py": "def test_own():\n    pass\n", "pyproject.toml": settings}
    found = await judged(tmp_path, files, "src")
    assert (found.outcome, found.passed) == ("needs_setting", 1)
    assert lines(found) == [
        ("pyproject.toml", "tool.pytest.ini_options", 'testpaths = ["checks", "test.py", "tests/generated/shop"]')
    ]


async def test_test_files_that_the_project_names_otherwise_are_not_collected(tmp_path, judged):
    files = {**SRC, "pyproject.toml": f'{INI}python_files = "check_*.py"\npythonpath = ["src"]\n'}
    found = await judged(tmp_path, files, "src")
    assert (found.outcome, found.passed) == ("not_collected", 0)
    assert PLACE in found.reason


async def test_a_test_that_fails_under_the_projects_settings_is_named_and_the_others_are_proven(tmp_path, judged):
    strict = (
        "import os\n\n\ndef pytest_runtest_setup(item):\n    if item.name == 'test_two':\n        raise OSError('no')\n"
    )
    files = {**SRC, "conftest.py": strict, "pyproject.toml": f'{INI}pythonpath = ["src"]\naddopts = "-x"\n'}
    two = TEST.replace("def test_one", "def test_two")
    tests = {"tests/generated/test_a_two.py": two, "tests/generated/test_b.py": TEST.replace("1\n", "2\n"), PLACE: TEST}
    found = await judged(tmp_path, files, "src", tests)
    assert (found.outcome, found.passed) == ("passed", 1)
    assert found.failing == (
        {"nodeid": "tests/generated/test_a_two.py::test_two", "message": "OSError: no"},
        {"nodeid": "tests/generated/test_b.py::test_one", "message": "AssertionError: assert 1 == 2"},
    )


async def test_options_that_its_pytest_does_not_know_keep_it_from_starting(tmp_path, judged):
    found = await judged(tmp_path, {**SRC, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"}, "src")
    assert found.outcome == "not_started"
    assert "--no-such-option" in found.reason


async def test_the_projects_own_tests_are_not_run(tmp_path, judged):
    files = {
        **SRC,
        "tests/test_own.py": "def test_own():\n    assert False\n",
        "pytest.ini": "[pytest]\npythonpath=src\n",
    }
    found = await judged(tmp_path, files, "src")
    assert (found.outcome, found.passed, found.failing) == ("passed", 1, ())


async def test_settings_above_the_project_count_in_a_repository(tmp_path, judged):
    (tmp_path / ".git").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = project-of-a-user/src\n")
    assert (await judged(tmp_path, SRC, "src")).outcome == "passed"
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    # The same folder again: nothing of an earlier run is in the project.
    found = await judged(tmp_path, SRC, "src")
    assert lines(found) == [("../pytest.ini", "pytest", "pythonpath = project-of-a-user/src")]


async def test_two_packages_of_one_repository_need_both_roots(tmp_path, plain):
    files = {"packages/a/src/apples/__init__.py": MODULE, "packages/b/src/pears/__init__.py": MODULE}
    tests = {
        "tests/generated/apples/test_apples.py": TEST.replace("shop.prices", "apples"),
        "tests/generated/pears/test_pears.py": TEST.replace("shop.prices", "pears"),
    }
    roots = ["packages/a/src", "packages/b/src"]
    async with plain(tmp_path, files, import_roots=roots) as target:
        found = await run_own_pytest(target, tests, roots)
    assert lines(found) == [("pytest.ini", "pytest", "pythonpath = packages/a/src packages/b/src")]
    assert found.passed == 2


EARLIER = "tests/generated/shop/test_shop_prices__one.py"
PRICES = "src/shop/prices.py"


@pytest.fixture
def judged_with_earlier(tmp_path: Path, plain: Prepare) -> Callable[[str], Awaitable[OwnPytest]]:
    """The new test, and a file that an earlier run wrote, in a project that needs a line of settings."""

    async def judge(text: str) -> OwnPytest:
        async with plain(tmp_path, {**SRC, EARLIER: with_header(text, target=PRICES)}) as target:
            return await run_own_pytest(target, {PLACE: TEST}, ["src"], {EARLIER: EarlierFile(PRICES)})

    return judge


async def test_tests_of_an_earlier_run_that_fail_now_are_named_and_leave_the_new_ones_as_they_are(judged_with_earlier):
    stale = TEST.replace("== 1", "== 2").replace("def test_one", "def test_old") + "\n\n" + TEST
    found = await judged_with_earlier(stale)
    assert (found.outcome, found.passed, found.failing) == ("needs_setting", 1, ())
    assert found.earlier is not None
    assert (found.earlier.files, found.earlier.passed, found.earlier.reason) == ((EARLIER,), 1, "")
    assert [(row["nodeid"], row["module"]) for row in found.earlier.failing] == [(f"{EARLIER}::test_old", PRICES)]


async def test_a_file_of_an_earlier_run_that_cannot_be_loaded_any_more_is_named(judged_with_earlier):
    found = await judged_with_earlier(TEST.replace("import one", "import gone"))
    assert found.earlier is not None
    assert [row["nodeid"] for row in found.earlier.failing] == [EARLIER]


async def test_tests_of_an_earlier_run_that_end_the_process_say_nothing_about_the_new_ones(judged_with_earlier):
    found = await judged_with_earlier("import os\n\n\ndef test_end():\n    os._exit(3)\n")
    assert (found.outcome, found.passed) == ("needs_setting", 1)
    assert found.earlier is not None
    assert "did not come to an end" in found.earlier.reason


TIMED = "tests/generated/performance/test_shop_prices_performance.py"
TIMING = """from shop.prices import one


def test_time(benchmark):
    assert benchmark(one) == 1
"""
PLUGIN = """import pytest


@pytest.fixture
def benchmark():
    return lambda function: function()
"""


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("there", [True, False])
async def test_earlier_performance_tests_are_lent_their_plugin_or_left_out_and_never_called_changed_code(
    tmp_path, plain, monkeypatch, there
):
    lent = {
        "lent_plugin.py": PLUGIN,
        "lent-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: lent\nVersion: 1\n",
        "lent-1.dist-info/entry_points.txt": "[pytest11]\nlent = lent_plugin\n",
    }
    make_project(tmp_path / "lent", lent)

    async def lend(target):
        if not there:
            raise InterpreterError("the environment lacks pytest-benchmark")
        return replace(target, overlay=(*target.overlay, tmp_path / "lent"))

    monkeypatch.setattr(PythonTarget, "with_benchmark_tools", lend)
    old = {EARLIER: with_header(TEST, target=PRICES), TIMED: with_header(TIMING, target=PRICES)}
    async with plain(tmp_path, {**SRC, **old}) as target:
        earlier = {path: EarlierFile(PRICES) for path in old}
        found = (await run_own_pytest(target, {PLACE: TEST}, ["src"], earlier)).earlier
    assert found is not None
    assert (found.failing, found.outdated, found.lacking, found.lent) == ((), (), (TIMED,), there)
    assert found.passed == (2 if there else 1)


async def test_earlier_tests_are_those_written_for_the_module_that_nobody_has_changed(tmp_path):
    whole = with_header(TEST, target=PRICES)
    files = {
        PLACE: whole,
        EARLIER: whole,
        "tests/generated/test_flows.py": whole,
        "tests/generated/test_gone.py": whole,
        "tests/generated/test_edited.py": whole + "\n# mine\n",
        "tests/generated/test_other.py": with_header(TEST, target="src/shop/other.py"),
        "tests/test_own.py": TEST,
    }
    root = make_project(tmp_path / "p", files)
    flows, gone = "tests/generated/test_flows.py", "tests/generated/test_gone.py"
    found = earlier_test_files(root, {PRICES}, written={PLACE: whole, flows: "new"}, replaced={gone})
    assert found == {EARLIER: EarlierFile(PRICES), flows: EarlierFile(PRICES, whole), gone: EarlierFile(PRICES, whole)}


async def test_tests_that_are_written_anew_run_once_more_as_they_were(tmp_path, plain):
    old = with_header(TEST.replace("== 1", "== 2") + "\n\n" + TEST.replace("test_one", "test_same"), target=PRICES)
    async with plain(tmp_path, {**SRC, PLACE: old}) as target:
        found = await run_own_pytest(target, {PLACE: TEST}, ["src"], {PLACE: EarlierFile(PRICES, old)})
    assert (found.outcome, found.passed) == ("needs_setting", 1)
    assert found.earlier is not None
    assert [row["nodeid"] for row in found.earlier.outdated] == [f"{PLACE}::test_one"]
    assert (found.earlier.files, found.earlier.passed, found.earlier.failing) == ((), 0, ())
