"""Says what depends on a changed file, schema or component: the dependency matrix, computed from the code."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ...core.errors import UsageError
from ...utils.own_source import OWN_FOLDER, packages
from ...utils.schema_registry import load_schema, schema_names
from .node_source import absolute, module_path
from .registry import ContractRegistry, contract_registry

_SCHEMA_USERS = "utils.schema_registry"
_SPEC_KEY = "spec_json"
_SPEC_ROLES = frozenset({"spec", "writer", "analyzer"})
_HIGH, _MEDIUM = 0.5, 0.1
_RELATIVE_IMPORT = re.compile(r"^[ \t]*(from \.[\w.]* import (?:\([^)]*\)|[\w, ]+))", re.MULTILINE)
"""A statement as the formatter leaves it: on one line, or in parentheses."""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change may break.

    Attributes:
        changed: the path or name asked for.
        level: HIGH where half of all components depend on it, MEDIUM for a tenth, else LOW.
        schemas: that refer to it, itself included. agents, tools, nodes: by name. files: modules and pages.
    """

    changed: str
    level: Literal["HIGH", "MEDIUM", "LOW"]
    schemas: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self)


def impact_of(changed: str) -> Impact:
    """Say what depends on a path of the repository, or on the name of an agent's role, a tool, a node or an event.

    Raises:
        UsageError: there is nothing of that name.
    """
    registry = contract_registry()
    path = changed.removeprefix("./")
    if path in schema_names():
        return _of_schema(path, registry)
    if path.endswith(".py") and (OWN_FOLDER / path).is_file():
        return _of_modules(changed, {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")}, registry)
    if path.startswith("agents/prompts/") and (OWN_FOLDER / path).is_file():
        return _of_prompt(changed, Path(path).stem, registry)
    return _of_component(changed, registry)


def _of_schema(path: str, registry: ContractRegistry) -> Impact:
    schemas = _referring(path)
    agents = {f"{row.role}: {row.name}" for row in registry.agents if {row.input, row.output} & schemas}
    nodes: set[str] = set()
    direct: set[str] = set()
    if any("_test_schema_" in name for name in schemas):
        # Specs are in the state under this key, and are checked by whoever asks the schema registry for a test type's.
        rows = [row for row in registry.nodes if _SPEC_KEY in (*row.reads, *row.writes)]
        nodes = {f"{row.graph}.{row.name}" for row in rows}
        roles = {role for row in rows for role in row.agents}
        agents |= {f"{row.role}: {row.name}" for row in registry.agents if row.role in roles & _SPEC_ROLES}
        direct = {name for name, imported in module_imports().items() if _SCHEMA_USERS in imported}
    pages = [
        f"docs/schemas/{name.removeprefix('schemas/').removesuffix('.json').replace('/', '-')}.md" for name in schemas
    ]
    files = [*(_file_of(name) for name in direct), *pages]
    return _impact(path, registry, agents=agents, nodes=nodes, modules=direct, schemas=schemas, files=sorted(files))


def _of_modules(changed: str, modules: set[str], registry: ContractRegistry) -> Impact:
    reached = _reached(modules)
    files = sorted(_file_of(name) for name in reached - modules)
    return _impact(changed, registry, modules=reached | modules, files=files)


def _of_prompt(changed: str, name: str, registry: ContractRegistry) -> Impact:
    found = {f"{row.role}: {row.name}" for row in registry.agents if row.name.startswith("Model") and row.role == name}
    every = {f"{row.role}: {row.name}" for row in registry.agents if row.name.startswith("Model")}
    return _impact(changed, registry, agents=found or every)


def _of_component(name: str, registry: ContractRegistry) -> Impact:
    roles = {row.role for row in registry.agents}
    tools = {row.name for row in registry.tools}
    nodes = {row.name for row in registry.nodes}
    events = {event for row in registry.nodes for event in row.events}
    if name not in roles | tools | nodes | events:
        raise UsageError(
            f"There is no file, schema or component {name!r}.",
            advice="Give a path of the repository, or a name from `testwright contracts`.",
        )
    using = {f"{row.graph}.{row.name}" for row in registry.nodes if name in (*row.agents, *row.tools, *row.events)}
    own = {f"{row.graph}.{row.name}" for row in registry.nodes if row.name == name}
    agents = {f"{row.role}: {row.name}" for row in registry.agents if row.role == name}
    return _impact(name, registry, agents=agents, nodes=using | own, tools={name} & tools)


def _impact(
    changed: str,
    registry: ContractRegistry,
    *,
    agents: Iterable[str] = (),
    tools: Iterable[str] = (),
    nodes: Iterable[str] = (),
    modules: Iterable[str] = (),
    schemas: Iterable[str] = (),
    files: Iterable[str] = (),
) -> Impact:
    """The impact on these components, and on those that these modules hold."""
    inside = set(modules)
    agents = {*agents, *(f"{row.role}: {row.name}" for row in registry.agents if row.module in inside)}
    tools = {*tools, *(row.name for row in registry.tools if row.module in inside)}
    nodes = {*nodes, *(f"{row.graph}.{row.name}" for row in registry.nodes if row.module in inside)}
    share = (len(agents) + len(tools) + len(nodes)) / (len(registry.agents) + len(registry.tools) + len(registry.nodes))
    level: Literal["HIGH", "MEDIUM", "LOW"] = "HIGH" if share >= _HIGH else "MEDIUM" if share >= _MEDIUM else "LOW"
    return Impact(
        changed,
        level,
        schemas=tuple(sorted(schemas)),
        agents=tuple(sorted(agents)),
        tools=tuple(sorted(tools)),
        nodes=tuple(sorted(nodes)),
        files=tuple(files),
    )


def _referring(path: str) -> set[str]:
    """The schema and all that refer to it, directly or not."""
    texts = {name: json.dumps(load_schema(name)) for name in schema_names()}
    found, waiting = {path}, [path]
    while waiting:
        known = load_schema(waiting.pop()).get("$id", "")
        more = {name for name, text in texts.items() if name not in found and known and f'"{known}' in text}
        found |= more
        waiting += more
    return found


def _reached(modules: set[str]) -> set[str]:
    """Modules that import any of these, directly or not."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, imported in module_imports().items():
        for other in imported:
            importers[other].add(name)
    found, waiting = set[str](), list(modules)
    while waiting:
        more = importers[waiting.pop()] - found
        found |= more
        waiting += more
    return found


@cache
def module_imports() -> Mapping[str, frozenset[str]]:
    """What each of our modules imports of our own, by names below the package."""
    # Only the product's folders are walked: a checkout's environment holds ten times as many files.
    files = [*OWN_FOLDER.glob("*.py"), *(path for name in packages() for path in (OWN_FOLDER / name).rglob("*.py"))]
    names = {".".join(_parts(path)): path for path in files}
    return {name: frozenset(_imported(name, path, names)) for name, path in names.items()}


def _file_of(module: str) -> str:
    path = module_path(module)
    return path.relative_to(OWN_FOLDER).as_posix() if path is not None else module


def _parts(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(OWN_FOLDER).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


def _imported(name: str, path: Path, names: Mapping[str, Path]) -> Iterable[str]:
    # Only the import statements are parsed: whole syntax trees of all modules take seconds.
    for statement in _RELATIVE_IMPORT.findall(path.read_text(encoding="utf-8")):
        for node in (one for one in ast.parse(statement).body if isinstance(one, ast.ImportFrom)):
            source = absolute(name, node, is_package=path.name == "__init__.py")
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield inner if inner in names else source
