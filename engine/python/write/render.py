"""Renders a unit test spec as a test file; the same spec gives the same bytes.

Functions are tested by functions, members of a class in a class `Test…`. Cases of one table become a parametrised test
(pytest) or a method each (unittest). `ruff format` formats the file.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from ....core.errors import AgentFailure, EnvironmentFault
from ....utils.generated_header import with_header
from ....utils.names.case_names import snake_case
from ....utils.python_names import assigned_names, unique_name
from ....utils.python_source import parse_python
from ..facts.optional_imports import missing_import_slug
from ..judge.case_tables import merge_tables, read_group, tabulate
from ..judge.finding_selection import free_names
from ..model.spec_case import Case
from ..source.import_block import import_block
from ..source.polish import with_visible_marks
from .render_pytest import PytestDialect, function_lines, table_lines
from .render_unittest import UnittestDialect, method_lines

_RUFF_ARGUMENTS = (
    "format",
    "--isolated",
    "--config",
    "line-length = 88",
    "--config",
    "target-version = 'py39'",
    "--stdin-filename",
    "test_generated.py",
    "-",
)
_FORMAT_SECONDS = 60


@dataclass(slots=True)
class Section:
    """The tests of one class's members (`owner`), or of the module's functions."""

    owner: str | None
    blocks: list[list[Case]] = field(default_factory=list)


def render(spec: Mapping[str, Any], framework: str) -> str:
    """Renders the test file of a unit spec, header included.

    Args:
        spec: valid against the unit test schema.
        framework: pytest or unittest.

    Raises:
        AgentFailure: the spec does not render as Python, or the framework is unknown.
        EnvironmentFault: ruff, which formats the file, cannot be run.
    """
    cases = [Case.from_json(case) for case in spec["cases"]]
    target = spec["target"]
    body = render_cases(cases, framework, imports=spec.get("imports") or (), module=str(target["module"]))
    return with_header(body, target=str(target["path"]))


def render_cases(cases: Sequence[Case], framework: str, *, imports: Iterable[str], module: str) -> str:
    """Renders the formatted file without its header. Raises like `render`."""
    return format_python(file_source(cases, framework, imports=imports, module=module))


def file_source(cases: Sequence[Case], framework: str, *, imports: Iterable[str], module: str) -> str:
    """Renders the file before formatting; it parses. Raises AgentFailure."""
    if framework not in ("pytest", "unittest"):
        raise AgentFailure(
            f"unit tests cannot be written for {framework!r}", advice="ask for the framework pytest or unittest"
        )
    dialect = PytestDialect() if framework == "pytest" else UnittestDialect()
    taken: set[str] = set()
    try:
        parts, cases = extract_shared_helpers(cases)
        for section in sections(cases, split_functions=framework == "unittest"):
            if isinstance(dialect, PytestDialect):
                parts.append(_pytest_section(section, dialect, taken))
            else:
                parts.append(_unittest_section(section, dialect, taken))
        code = "\n\n\n".join(parts)
        block = import_block([*imports, *sorted(dialect.imports)], code=code, first_party=module.partition(".")[0])
        text = "\n\n".join(part for part in (_file_docstring(module, cases), block, "\n" + code) if part.strip())
        parse_python(text)
        text = with_visible_marks(text)
    except (SyntaxError, ValueError, KeyError) as error:
        raise AgentFailure(f"the spec for {module} does not render as Python: {error}") from error
    return text


def _file_docstring(module: str, cases: Sequence[Case]) -> str:
    """What the file is about, and where the expectations come from that no document is named for."""
    origins = {case.origin for case in cases}
    if origins <= {"documented"}:
        return f'"""Unit tests for {module}."""'
    inferred = ", or what a model inferred" if "inferred" in origins else ""
    pinned = f"Tests that name no document pin what the code did when they were written{inferred}."
    return f'"""Unit tests for {module}.\n\n{pinned}\n"""'


def sections(cases: Sequence[Case], *, split_functions: bool) -> list[Section]:
    """Groups cases by class (for unittest also by function), in order of appearance, rows of one group together."""
    owners = {case.subject.partition(".")[0] for case in cases if "." in case.subject}
    found: dict[str | None, Section] = {}
    groups: dict[tuple[str | None, str], list[Case]] = {}
    for case in cases:
        first = case.subject.partition(".")[0]
        owner = first if split_functions or first in owners or first[:1].isupper() else None
        section = found.setdefault(owner, Section(owner))
        key = (owner, case.group or "")
        if case.group and key in groups:
            groups[key].append(case)
            continue
        block = [case]
        if case.group:
            groups[key] = block
        section.blocks.append(block)
    if not split_functions:
        for section in found.values():
            section.blocks = merge_tables(section.blocks)
    return list(found.values())


def format_python(text: str, *, width: int | None = None) -> str:
    """Formats text with `ruff format`, ignoring configuration files; `width`: line length instead of 88.

    Raises:
        AgentFailure: the text is not Python.
        EnvironmentFault: ruff cannot be run.
    """
    more = [f"--line-length={width}"] if width else []
    try:
        done = subprocess.run(
            [find_ruff_bin(), *_RUFF_ARGUMENTS, *more],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=_FORMAT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFault(f"ruff could not format a test file: {error}", advice="pip install ruff") from error
    if done.returncode != 0:
        raise AgentFailure(f"a test file could not be formatted: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "surrogatepass")


def _pytest_section(section: Section, dialect: PytestDialect, taken: set[str]) -> str:
    owner = _owner(section, taken)
    names = _Names(section.owner)
    functions: list[str] = []
    for block in section.blocks:
        group = read_group(block[0].group) if block[0].group else None
        table = tabulate(block, group.columns) if group is not None else None
        if table is not None and group is not None:
            lines = table_lines(table, names.of(group.name), dialect, owner=owner)
            functions.append("\n".join(lines))
            continue
        for case in block:
            lines = function_lines(case, names.of(case.id.removeprefix("tc_")), dialect, owner=owner)
            functions.append("\n".join(lines))
    return "\n\n\n".join(functions) if owner is None else _class(f"class {owner}:", functions)


def _unittest_section(section: Section, dialect: UnittestDialect, taken: set[str]) -> str:
    owner = _owner(section, taken)
    names = _Names(section.owner)
    methods = [
        "\n".join(method_lines(case, names.of(case.id.removeprefix("tc_")), dialect, owner=owner))
        for block in section.blocks
        for case in block
    ]
    return _class(f"class {owner}(unittest.TestCase):", methods)


def _owner(section: Section, taken: set[str]) -> str | None:
    """Returns a distinct name for the section's test class; None for functions."""
    if section.owner is None:
        return None
    name = class_name(section.owner)
    if name in taken:
        # A function and a class whose names differ in spelling only.
        name += "Function"
    taken.add(name)
    return name


def _class(head: str, functions: list[str]) -> str:
    inner = "\n\n".join(functions)
    return head + "\n" + "\n".join(f"    {line}" if line else "" for line in inner.split("\n"))


def class_name(owner: str) -> str:
    """Returns `TestCart` for Cart, `TestNaturalSize` for natural_size."""
    words = [part[:1].upper() + part[1:] for part in re.split(r"_+", owner) if part]
    return "Test" + "".join(words)


class _Names:
    """Assigns distinct test names in one section, without repeating the class's name."""

    def __init__(self, owner: str | None) -> None:
        self._prefix = f"{snake_case(owner)}_" if owner else ""
        self._used: set[str] = set()

    def of(self, text: str) -> str:
        """Returns `test_…` for the words of an id or a group."""
        words = text.removeprefix(self._prefix) if self._prefix else text
        name = unique_name(f"test_{words}" if words else "test_it", self._used)
        self._used.add(name)
        return name


def extract_shared_helpers(cases: Sequence[Case]) -> tuple[list[str], list[Case]]:
    """Moves functions that several tests define alike to the top of the file.

    A function in a single test, or one that reads other arranged names, stays in its test. A function that loads the
    module without an optional import, or that has a docstring as stand-ins have, is always moved.

    Returns:
        The functions' sources, and the cases without them.

    Raises:
        SyntaxError: a statement is not Python.
    """
    alike = Counter(text for case in cases for text in dict.fromkeys(case.statements) if _is_self_contained(text, case))
    names: dict[str, str] = {}
    for text, count in alike.items():
        if count > 1 or missing_import_slug([text]) or '"""' in text.partition("\n")[2].partition("\n")[0]:
            names.setdefault(_function_name(text) or "", text)
    shared = set(names.values())
    return list(names.values()), [
        replace(case, statements=tuple(text for text in case.statements if text not in shared)) for case in cases
    ]


def _function_name(statement: str) -> str | None:
    """Returns the name of the function that a statement defines, else None."""
    if not statement.startswith("def "):
        return None
    node = parse_python(statement).body[0]
    return node.name if isinstance(node, ast.FunctionDef) else None


def _is_self_contained(statement: str, case: Case) -> bool:
    if _function_name(statement) is None:
        return False
    others = [text for text in case.statements if text != statement]
    return free_names(statement).isdisjoint(assigned_names(others) | set(case.fixtures))
