"""From where a test imports a class that an observation names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("B-05")


@pytest.mark.parametrize(
    ("target", "statement"),
    [
        pytest.param("places._url", "from places._url import Url", id="the target itself, though it is private"),
        pytest.param("places.routes", "from places import Url", id="what exposes it publicly, for another target"),
    ],
)
def test_one_object_is_imported_from_one_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, statement: str
) -> None:
    package = tmp_path / "places"
    package.mkdir()
    (package / "__init__.py").write_text("from ._url import Url\n")
    (package / "_url.py").write_text("class Url:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("places", "places._url"):
        monkeypatch.setitem(sys.modules, name, importlib.import_module(name))
    imports: set[str] = set()
    namer = worker_module("observe.names").Namer({}, target)
    assert namer.name(sys.modules["places._url"].Url, imports, {}) == "Url"
    assert imports == {statement}
