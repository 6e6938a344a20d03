"""Renders an integration spec as a test file; the same spec gives the same bytes.

Each flow is one test function (pytest) or method (unittest). A service that needs code, such as a program to run, is a
small function at the top of the file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from ....core.errors import AgentFailure
from ....utils.generated_header import with_header
from ....utils.python_source import parse_python
from ...python.source.import_block import import_block
from ...python.source.polish import polish
from ...python.write.render import class_name, format_python
from ...python.write.render_pytest import PytestDialect, function_lines
from ...python.write.render_unittest import UnittestDialect, method_lines
from ..flows.loopback import FIXTURE, PYTEST_FIXTURE, UNITTEST_FIXTURE, needs_helper
from ..model.flow_case import FlowCase


def render_integration(spec: Mapping[str, Any], framework: str) -> str:
    """Renders the test file of an integration spec, header included.

    Args:
        spec: valid against the integration test schema.
        framework: pytest or unittest.

    Raises:
        AgentFailure: the spec's source does not make a Python file, or the framework is unknown.
        EnvironmentFault: ruff, which formats the file, cannot be run.
    """
    entry = spec["target"]["components"][0]
    if framework not in ("pytest", "unittest"):
        raise AgentFailure(
            f"integration tests cannot be written for {framework!r}", advice="ask for the framework pytest or unittest"
        )
    try:
        text = _source(spec, framework, entry)
        parse_python(text)
    except (SyntaxError, ValueError, KeyError) as error:
        raise AgentFailure(f"the spec for {entry['module']} does not render as Python: {error}") from error
    return with_header(format_python(text), target=str(entry["path"]))


def _source(spec: Mapping[str, Any], framework: str, entry: Mapping[str, Any]) -> str:
    flows = [FlowCase.from_json(case) for case in spec["cases"]]
    used = {name for flow in flows for name in flow.services}
    services = [service for service in spec.get("services") or () if service["name"] in used]
    helpers = [polish(statement) for service in services for statement in service.get("setup") or ()]
    after = [polish(statement) for service in services for statement in service.get("teardown") or ()]
    names = {flow.id: f"test_{flow.id.removeprefix('tc_')}" for flow in flows}
    if after:
        name = "teardown_module" if framework == "pytest" else "tearDownModule"
        helpers.append("\n".join([f"def {name}():", *(textwrap.indent(one, "    ") for one in after)]))
    if framework == "pytest":
        dialect = PytestDialect()
        if any(needs_helper(flow.fixtures) for flow in flows):
            helpers.append(PYTEST_FIXTURE)
        tests = ["\n".join(function_lines(flow.as_case(), names[flow.id], dialect)) for flow in flows]
    else:
        dialect = _Unittest()
        owner = f"{class_name(str(entry['name']))}Flows"
        methods = ["\n".join(method_lines(flow.as_case(), names[flow.id], dialect, owner=owner)) for flow in flows]
        inner = "\n\n".join(methods)
        head = f"class {owner}(unittest.TestCase):"
        tests = [head + "\n" + "\n".join(f"    {line}" if line else "" for line in inner.split("\n"))]
    code = "\n\n\n".join([*helpers, *tests])
    waiting = any(step.mode == "await" for flow in flows for step in flow.steps)
    imports = [*(spec.get("imports") or ()), *sorted(dialect.imports), *(["import asyncio"] if waiting else [])]
    block = import_block(imports, code=code, first_party=str(entry["module"]).partition(".")[0])
    return "\n\n".join(part for part in (f'"""{spec["title"]}."""', block, "\n" + code) if part.strip())


class _Unittest(UnittestDialect):
    """The dialect of unittest; clean-ups stop the servers that a flow starts."""

    def fixture(self, name: str) -> list[str]:
        """The statements for a fixture, as for unit tests, and for `running`."""
        return list(UNITTEST_FIXTURE) if name == FIXTURE else super().fixture(name)
