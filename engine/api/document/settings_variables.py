"""Reads from the source of pydantic's settings which environment variable each of their fields takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ....utils.python_names import last_name
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import find_layout

_NAMED = ("validation_alias", "alias", "env")
_DEFAULTS = ("default", "default_factory")


@dataclass(frozen=True, slots=True)
class SettingsVariable:
    """The variable of one field; `required`: it has no default."""

    field: str
    variable: str
    required: bool


def settings_variables(tree: ast.Module) -> Iterator[SettingsVariable]:
    """Yield the variables of the classes in a module that take their values from the environment.

    A prefix is read where the class says it: `model_config`, `class Config`, or an argument of the class.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not any("BaseSettings" in ast.unparse(base) for base in node.bases):
            continue
        config = _configuration(node)
        prefix = config.get("env_prefix") or ""
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            field, value = statement.target.id, statement.value
            if field == "model_config" or field.startswith("_"):
                continue
            name = _named(value) or f"{prefix}{field}"
            variable = name if config.get("case_sensitive") is True else name.upper()
            yield SettingsVariable(field, variable, _is_required(value))


def _configuration(owner: ast.ClassDef) -> dict[str, object]:
    """The constants of a class's configuration by name."""
    found: dict[str, object] = {}
    pairs: list[tuple[str | None, ast.expr]] = [(one.arg, one.value) for one in owner.keywords]
    for statement in owner.body:
        if isinstance(statement, ast.ClassDef) and statement.name == "Config":
            pairs += [pair for inner in statement.body for pair in _assigned(inner)]
        for name, value in _assigned(statement):
            if name == "model_config" and isinstance(value, ast.Call):
                pairs += [(one.arg, one.value) for one in value.keywords]
            elif name == "model_config" and isinstance(value, ast.Dict):
                keys = zip(value.keys, value.values, strict=True)
                pairs += [(str(key.value), entry) for key, entry in keys if isinstance(key, ast.Constant)]
    for name, value in pairs:
        if name is not None and isinstance(value, ast.Constant):
            found[name] = value.value
    return found


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    for target in targets:
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, value


def _named(value: ast.expr | None) -> str:
    """The name that `Field(alias=…)` gives, or the first of `AliasChoices`; empty without one."""
    for keyword in value.keywords if isinstance(value, ast.Call) else ():
        given = keyword.value.args[0] if isinstance(keyword.value, ast.Call) and keyword.value.args else keyword.value
        if keyword.arg in _NAMED and isinstance(given, ast.Constant) and isinstance(given.value, str):
            return given.value
    return ""


def _is_required(value: ast.expr | None) -> bool:
    """Whether a field has no default, as with `...`, or a `Field` that names none."""
    if isinstance(value, ast.Call) and last_name(value.func) == "Field":
        named = [keyword.arg for keyword in value.keywords if keyword.arg in _DEFAULTS]
        return not named and (not value.args or _is_required(value.args[0]))
    return value is None or (isinstance(value, ast.Constant) and value.value is ...)


def variables_of_fields(root: Path) -> dict[str, str]:
    """The variable of each field of all settings in a project, by the field and by the variable itself. Blocks."""
    texts = (source_or_empty(root, place.path) for place in find_layout(root).modules)
    trees = (parse_or_none(text) for text in texts if "BaseSettings" in text)
    known = [one for tree in trees if tree is not None for one in settings_variables(tree)]
    return {name: one.variable for one in known for name in (one.field, one.variable)}
