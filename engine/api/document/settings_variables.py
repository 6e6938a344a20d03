"""Reads from the source of pydantic's settings which environment variable each of their fields takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....utils.python_names import assigned_values, dotted_name, imported_module, last_name
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import ModulePlace, find_layout

_NAMED = ("validation_alias", "alias", "env")
_DEFAULTS = ("default", "default_factory")


@dataclass(frozen=True, slots=True)
class SettingsVariable:
    """The variable of one field of the settings `owner`; `required`: it has no default."""

    owner: str
    field: str
    variable: str
    required: bool


def settings_variables(modules: Iterable[tuple[ModulePlace, ast.Module]]) -> Iterator[SettingsVariable]:
    """Yield the variables of the classes in modules that take their values from the environment.

    A prefix is read where a class or one that it inherits from says it: in `model_config`, in `class Config`, or as an
    argument of the class. A class has the fields that it inherits, too, under its own prefix.
    """
    read = [_read_module(place, tree) for place, tree in modules]
    named: dict[str, list[_Class]] = {}
    for one in (one for module in read for one in module.classes):
        named.setdefault(one.node.name, []).append(one)
    for owner in (one for module in read for one in module.classes):
        line = [one.node for one in _with_ancestors(owner, named)]
        if not any("BaseSettings" in ast.unparse(base) for one in line for base in one.bases):
            continue
        config: dict[str, object] = {}
        fields: dict[str, list[ast.expr]] = {}
        for one in reversed(line):
            config |= _configuration(one)
            fields |= _fields(one)
        prefix = config.get("env_prefix") or ""
        for name, declared in fields.items():
            variable = next(filter(None, map(_named, declared)), "") or f"{prefix}{name}"
            variable = variable if config.get("case_sensitive") is True else variable.upper()
            yield SettingsVariable(owner.node.name, name, variable, all(map(_is_required, declared)))


@dataclass(slots=True)
class _Module:
    """The classes of a module, and the dotted names of what it imports: by name, and of modules with all they have."""

    name: str
    classes: list[_Class] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    whole: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    node: ast.ClassDef
    module: _Module


def _read_module(place: ModulePlace, tree: ast.Module) -> _Module:
    module = _Module(place.module)
    package = place.module.split(".")
    if Path(place.path).name != "__init__.py":
        package.pop()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            module.classes.append(_Class(node, module))
        elif isinstance(node, ast.Import):
            module.imports |= {one.asname: one.name for one in node.names if one.asname}
        elif isinstance(node, ast.ImportFrom):
            source = imported_module(node, package)
            module.imports |= {one.asname or one.name: f"{source}.{one.name}" for one in node.names}
            module.whole += [source for one in node.names if one.name == "*"]
    return module


def _with_ancestors(owner: _Class, named: Mapping[str, Sequence[_Class]]) -> list[_Class]:
    """Return a class and those that it inherits from, the nearest first."""
    line = [owner]
    for one in line:
        bases = (_base(base, one, named) for base in one.node.bases)
        line += [base for base in bases if base is not None and base not in line]
    return line


def _base(base: ast.expr, owner: _Class, named: Mapping[str, Sequence[_Class]]) -> _Class | None:
    """Return the class that a base names: of the same module, else of that which it is imported from."""
    first, _, rest = dotted_name(base).partition(".")
    module = owner.module
    if not rest:
        beside = [one for one in named.get(first, ()) if one.module is module and one is not owner]
        if beside:
            return beside[-1]
    imported = module.imports.get(first, first if rest else "")
    full = [f"{imported}.{rest}".strip(".")] if imported else [f"{source}.{first}" for source in module.whole]
    for source, _, name in (one.rpartition(".") for one in full):
        there = [one for one in named.get(name, ()) if one.module.name == source]
        if there:
            return there[-1]
        # Packages hand on classes of their modules, and names of modules may begin at another folder.
        near = [one for one in named.get(name, ()) if one is not owner and _is_near(one.module.name, source)]
        if len(near) == 1:
            return near[0]
    return None


def _is_near(module: str, source: str) -> bool:
    """Whether a module may be meant by what an import names: it lies below that, or one name is the other's end."""
    return f".{source}." in f".{module}." or f".{source}".endswith(f".{module}")


def _fields(owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """What a class says of each of its own fields: its value, and the calls in `Annotated`."""
    found: dict[str, list[ast.expr]] = {}
    for statement in owner.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name, kind = statement.target.id, statement.annotation
        parts = kind.slice.elts[1:] if isinstance(kind, ast.Subscript) and isinstance(kind.slice, ast.Tuple) else []
        subscripted = last_name(kind.value) if isinstance(kind, ast.Subscript) else last_name(kind)
        if name == "model_config" or name.startswith("_") or subscripted == "ClassVar":
            continue
        value = [statement.value] if statement.value is not None else []
        found[name] = [*value, *(part for part in parts if subscripted == "Annotated" and _is_field(part))]
    return found


def _configuration(owner: ast.ClassDef) -> dict[str, object]:
    """The constants of a class's configuration by name."""
    found: dict[str, object] = {}
    pairs: list[tuple[str | None, ast.expr]] = [(one.arg, one.value) for one in owner.keywords]
    for statement in owner.body:
        if isinstance(statement, ast.ClassDef) and statement.name == "Config":
            pairs += [pair for inner in statement.body for pair in assigned_values(inner)]
        for name, value in assigned_values(statement):
            if name == "model_config" and isinstance(value, ast.Call):
                pairs += [(one.arg, one.value) for one in value.keywords]
            elif name == "model_config" and isinstance(value, ast.Dict):
                keys = zip(value.keys, value.values, strict=True)
                pairs += [(str(key.value), entry) for key, entry in keys if isinstance(key, ast.Constant)]
    for name, value in pairs:
        if name is not None and isinstance(value, ast.Constant):
            found[name] = value.value
    return found


def _named(value: ast.expr) -> str:
    """The name that `Field(validation_alias=…)` gives, else `alias`; of `AliasChoices` the first. Empty without one."""
    keywords = {keyword.arg: keyword.value for keyword in value.keywords} if isinstance(value, ast.Call) else {}
    for name in _NAMED:
        given = keywords.get(name)
        given = given.args[0] if isinstance(given, ast.Call) and given.args else given
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            return given.value
    return ""


def _is_field(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "Field"


def _is_required(value: ast.expr) -> bool:
    """Whether a field's value is no default: `...`, or a `Field` that names none."""
    if isinstance(value, ast.Call) and _is_field(value):
        named = [keyword.arg for keyword in value.keywords if keyword.arg in _DEFAULTS]
        return not named and all(map(_is_required, value.args[:1]))
    return isinstance(value, ast.Constant) and value.value is ...


def variables_of_fields(root: Path) -> list[SettingsVariable]:
    """The variable of each field of all settings in a project. Blocks."""
    texts = [(place, source_or_empty(root, place.path)) for place in find_layout(root).modules]
    if not any("BaseSettings" in text for _, text in texts):
        return []
    # A class may inherit from settings of another module.
    trees = [(place, parse_or_none(text)) for place, text in texts if "class " in text]
    return list(settings_variables((place, tree) for place, tree in trees if tree is not None))
