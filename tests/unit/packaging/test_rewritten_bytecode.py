"""The bytecode that `make` prepares for pytest is what pytest looks for, of its plugins as well as of tests."""

from __future__ import annotations

from pathlib import Path

import pytest_timeout
from _pytest.assertion import rewrite

from testwright.tests.support.rewritten_bytecode import rewritten_files, write_bytecode


def test_tests_and_the_packages_of_plugins_are_rewritten():
    files = set(rewritten_files())

    assert {Path(__file__).resolve(), Path(pytest_timeout.__file__).resolve()} <= files


def test_pytest_reads_what_was_written_until_the_source_changes(tmp_path):
    source = tmp_path / "test_sums.py"
    source.write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    compiled = rewrite.get_cache_dir(source) / (source.stem + rewrite.PYC_TAIL)

    write_bytecode(source)
    assert rewrite._read_pyc(source, compiled) is not None

    source.write_text("def test_sum():\n    assert 10 + 1 == 11\n")
    assert rewrite._read_pyc(source, compiled) is None
