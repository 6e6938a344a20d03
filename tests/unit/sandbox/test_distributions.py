"""The names of what is installed are those that the standard library reads, without a parse of all the metadata."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from testwright.sandbox.distributions import declared_name, plain_distributions


def test_names_of_everything_that_is_installed_here_are_those_that_the_standard_library_reads() -> None:
    found = list(plain_distributions(Path(entry) for entry in sys.path if entry))
    assert found
    assert [declared_name(one) for one in found] == [one.metadata["Name"] for one in found]


@pytest.mark.parametrize(
    ("place", "text", "name"),
    [
        ("tool-1.dist-info/METADATA", "Metadata-Version: 2.1\nname:  Tool\nVersion: 1\n\nName: none of it\n", "Tool"),
        ("tool-1.egg-info/PKG-INFO", "Metadata-Version: 1.0\r\nName: tool\r\nVersion: 1\r\n", "tool"),
        ("tool-1.egg-info", "Name: tool\nVersion: 1\n", "tool"),
        ("tool-1.dist-info/METADATA", "Version: 1\n\nName: only described\n", ""),
        ("tool-1.dist-info/RECORD", "", ""),
    ],
)
def test_a_name_is_read_from_the_headers_of_each_form_of_metadata(
    tmp_path: Path, place: str, text: str, name: str
) -> None:
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    assert [declared_name(one) for one in plain_distributions([tmp_path])] == [name]
