"""A test that changes files outside its temporary folder is not kept, whoever does the changing."""

from __future__ import annotations

import textwrap

import pytest

from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget

pytestmark = pytest.mark.feature("B-17")

PATH = "tests/generated/test_cart.py"
HEAD = "import os, pathlib, sqlite3, subprocess, sys, tempfile\nfrom shop.cart import total\n\n\n"
ONCE = VerifyOptions(repeats=0)
LEFT_ALONE = "changes files outside its temporary folder: "
# What a test does, and what is said of it.
CHANGING = {
    "writes_home": (
        "pathlib.Path.home().joinpath('invoices.csv').write_text('1')",
        "invoices.csv in the home folder",
    ),
    "removes_source": ("os.remove(ROOT / 'src/shop/__init__.py')", "src/shop/__init__.py"),
    "renames_source": ("os.rename(ROOT / 'src/shop/cart.py', ROOT / 'src/shop/old.py')", "src/shop/cart.py"),
    "opens_database": ("sqlite3.connect(ROOT / 'shop.db').execute('create table a (b)')", "shop.db"),
    "writes_by_a_child": (
        "subprocess.run([sys.executable, '-c', 'open(\"child.txt\", \"w\").close()'], cwd=ROOT, check=True)",
        "child.txt",
    ),
}
HARMLESS = {
    "calls": "pass",
    "writes_temporary": "pathlib.Path(tempfile.mkdtemp(), 'a.txt').write_text('1')",
    "keeps_in_memory": "sqlite3.connect(':memory:').execute('create table a (b)')",
    "runs_a_child": "subprocess.run([sys.executable, '-c', 'pass'], check=True)",
    "reads_source": "assert (ROOT / 'src/shop/cart.py').read_text()",
}


def source(bodies: dict[str, str]) -> str:
    tests = [
        f"def test_{name}():\n{textwrap.indent(body, '    ')}\n    assert total(3, 2) == 6\n"
        for name, body in bodies.items()
    ]
    return HEAD + "ROOT = pathlib.Path(__file__).parents[2]\n\n\n" + "\n\n".join(tests)


@pytest.mark.parametrize("name", CHANGING)
async def test_a_test_that_changes_files_of_the_user_is_not_kept_and_says_which(shop: PythonTarget, name: str) -> None:
    body, said = CHANGING[name]
    found = await verify_files(shop, {PATH: source({name: body})}, framework="pytest", options=ONCE)
    (dropped,) = found.dropped
    assert not found.kept
    assert (dropped.verdict, dropped.failure_class) == ("failed", "test_defect")
    assert LEFT_ALONE in dropped.reason
    assert said in dropped.reason


async def test_tests_that_stay_in_their_temporary_folder_are_kept(shop: PythonTarget) -> None:
    found = await verify_files(shop, {PATH: source(HARMLESS)}, framework="pytest", options=ONCE)
    assert [case.reason for case in found.dropped] == []
    assert len(found.kept) == len(HARMLESS)


async def test_a_test_that_follows_the_one_that_changed_something_is_not_blamed(shop: PythonTarget) -> None:
    bodies = {"a_child": CHANGING["writes_by_a_child"][0], "b_harmless": "pass"}
    found = await verify_files(shop, {PATH: source(bodies)}, framework="pytest", options=ONCE)
    assert [case.name for case in found.dropped] == ["test_a_child"]
    assert [case.name for case in found.kept] == ["test_b_harmless"]
