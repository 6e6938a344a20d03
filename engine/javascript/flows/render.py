"""Renders a spec of integration tests as a test file for Jest: its imports, helpers, and the tests as of unit tests."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ....utils.generated_header import with_header
from ..render import described_cases, import_lines, wrapped_names
from .helpers import Helper, helpers_of, needed_helpers, node_imports
from .seams import Program

Spec = Mapping[str, Any]


def render_flows(spec: Spec, test_path: str) -> str:
    """The test file of a spec; the same spec gives the same bytes.

    Args:
        test_path: POSIX, relative to the project, as the paths of the spec's components.
    """
    tests = list(described_cases(spec))
    sources = [source for case in spec.get("cases") or () for source in _sources(case)]
    helpers = needed_helpers(_helpers(spec, test_path), sources)
    used = [*sources, *(one.source for one in helpers)]
    commonjs = spec["target"]["system"] == "commonjs"
    lines: list[str] = []
    if spec["target"].get("unchecked"):
        lines.append("// @ts-nocheck: values in tables have wider types than the parameters that take them")
    for module, names in node_imports(used).items():
        lines.append(wrapped_names(commonjs, ", ".join(names), f"'{module}'"))
    if spec["target"].get("import"):
        names = ["afterEach"] if any("afterEach(" in one.source for one in helpers) else []
        lines += ["", f"import {{ {', '.join([*names, 'describe', 'expect', 'test'])} }} from '@jest/globals';"]
    modules = list(_modules(spec, test_path))
    lines += ["", *modules] if lines and modules else modules
    for one in helpers:
        lines += ["", *one.source.split("\n")]
    return with_header("\n".join([*lines, *tests]), target=str(spec["target"]["path"]), comment="//")


def _modules(spec: Spec, test_path: str) -> Iterator[str]:
    """Imports of the components, of each what the tests use."""
    commonjs = spec["target"]["system"] == "commonjs"
    for one in sorted(spec["target"]["components"], key=lambda one: posixpath.relpath(str(one["path"]), test_path)):
        target = {"path": one["path"], "exports": one["exports"], "system": "commonjs" if commonjs else "esm"}
        typed = PurePosixPath(str(one["path"])).suffix in (".ts", ".tsx", ".mts", ".cts")
        language = "typescript" if typed else "javascript"
        yield from import_lines({**spec, "language": language, "target": target}, test_path)


def _helpers(spec: Spec, test_path: str) -> list[Helper]:
    programs: Mapping[str, str] = spec["target"].get("programs") or {}
    return helpers_of([Program(name, path) for name, path in programs.items()], test_path)


def _sources(case: Mapping[str, Any]) -> Sequence[str]:
    act = case["act"]
    found = [*((case.get("arrange") or {}).get("statements") or ()), act["callee"], *act["arguments"]]
    return [*found, *(str(one.get("actual") or "") for one in case["expect"])]
