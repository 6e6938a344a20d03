"""The names of what is installed are those that the standard library reads, without a parse of all the metadata."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from testwright.sandbox.distributions import declared_name, plain_distributions


def test_names_of_everything_that_is_installed_here_are_those_that_the_standard_library_reads() -> None:
    found = list(plain_distributions(Path(entry) for entry in sys.path if entry))
    assert found
    assert [declared_name(one) for one in found] == [one.metadata["Name"] for one in found]


def test_some_are_found_by_their_names_as_among_all() -> None:
    sites = [Path(entry) for entry in sys.path if entry]
    everything = {canonicalize_name(declared_name(one)): one.version for one in plain_distributions(sites)}
    for name, version in everything.items():
        assert version in [one.version for one in plain_distributions(sites, [name]) if declared_name(one)], name


@pytest.mark.parametrize(
    "place", ["My.Tool-1.0.dist-info/METADATA", "my_tool.egg-info/PKG-INFO", "My_Tool-1-py3.egg-info"]
)
def test_one_is_found_by_its_name_in_each_form_of_a_place_and_others_are_left_out(tmp_path: Path, place: str) -> None:
    for path in (tmp_path / place, tmp_path / "other-1.dist-info" / "METADATA"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("Name: my-tool\nVersion: 1\n")
    assert [one.version for one in plain_distributions([tmp_path], ["my-tool"])] == ["1"]


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
