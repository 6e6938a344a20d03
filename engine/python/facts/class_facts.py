"""Reads the facts of one class: its kind, its constructor, its members."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....utils.python_names import dotted_name
from ..model.model import CallableFacts, ClassFacts, ClassKind, Parameter
from .callables import callable_facts, is_overload, is_setter, line_range
from .docstrings import documentation_of

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_ATTRS = frozenset(
    {"attr.s", "attr.attrs", "attr.dataclass", "attrs.define", "attrs.frozen", "attrs.mutable", "attr.define"}
)
_ATTRS_BARE = frozenset({"define", "frozen", "mutable", "attrs"})
_PYDANTIC = frozenset({"BaseModel", "BaseSettings", "RootModel", "pydantic.BaseModel"})
_FACTORIES = frozenset({"field", "Field", "attrib", "ib"})


def class_facts(node: ast.ClassDef) -> ClassFacts:
    """Reads the facts of a class; members in order of definition, the last definition of a name wins."""
    bases = tuple(ast.unparse(base) for base in node.bases)
    decorators = [
        dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        for decorator in node.decorator_list
    ]
    members = _members(node)
    kind = _kind(node, bases, decorators, members)
    fields = _enum_members(node) if kind == "enum" else _fields(node)
    maker = members.pop("__new__", None)
    constructor = members.pop("__init__", None) or maker
    if constructor is None and kind in ("dataclass", "pydantic", "attrs", "namedtuple", "typeddict"):
        constructor = _from_fields(node, kind, bases)
    if constructor is not None:
        constructor = replace(constructor, qualname=node.name, kind="constructor", owner=node.name)
    return ClassFacts(
        name=node.name,
        kind=kind,
        lines=line_range(node),
        bases=bases,
        constructor=constructor,
        members=tuple(members.values()),
        fields=fields,
        documentation=documentation_of(node),
    )


def _members(node: ast.ClassDef) -> dict[str, CallableFacts]:
    found: dict[str, CallableFacts] = {}
    for statement in _statements(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_overload(statement):
                continue
            if is_setter(statement) and statement.name in found:
                found[statement.name] = _with_setter(found[statement.name], callable_facts(statement, node.name))
                continue
            facts = callable_facts(statement, node.name)
            if statement.name == "__new__":
                # The first parameter of __new__ is the class, whether decorated or not.
                facts = replace(facts, kind="constructor")
            found[statement.name] = facts
        elif (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and dotted_name(statement.value.func) == "property"
        ):
            _old_property(node.name, statement, statement.value, found)
    return found


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a class body, those under `if` and `try` included."""
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.If):
            found.extend(_statements([*statement.body, *statement.orelse]))
        elif isinstance(statement, ast.Try):
            found.extend(_statements(statement.body))
        else:
            found.append(statement)
    return found


def _with_setter(reader: CallableFacts, setter: CallableFacts) -> CallableFacts:
    """Merges a property's setter into it: the setter's parameter is the value that may be assigned."""
    return replace(
        reader,
        has_setter=True,
        parameters=setter.parameters or reader.parameters,
        comparisons=(*reader.comparisons, *setter.comparisons),
        constants=tuple(dict.fromkeys((*reader.constants, *setter.constants))),
        raises=(*reader.raises, *setter.raises),
        branch_lines=tuple(sorted({*reader.branch_lines, *setter.branch_lines})),
        uses=tuple(dict.fromkeys((*reader.uses, *setter.uses))),
    )


def _old_property(owner: str, node: ast.Assign, call: ast.Call, found: dict[str, CallableFacts]) -> None:
    """`total = property(_get_total)`."""
    target = node.targets[0]
    reader = call.args[0] if call.args else None
    if isinstance(target, ast.Name) and isinstance(reader, ast.Name) and reader.id in found:
        getter = found[reader.id]
        found[target.id] = replace(getter, qualname=f"{owner}.{target.id}", kind="property", parameters=())


def _kind(
    node: ast.ClassDef, bases: tuple[str, ...], decorators: list[str], members: dict[str, CallableFacts]
) -> ClassKind:
    last = [base.partition("[")[0].rpartition(".")[2] for base in bases]
    if any(decorator.rpartition(".")[2] == "dataclass" for decorator in decorators):
        return "dataclass"
    if any(decorator in _ATTRS or decorator in _ATTRS_BARE for decorator in decorators):
        return "attrs"
    by_base: tuple[tuple[ClassKind, bool], ...] = (
        ("enum", any(one in _ENUMS or one.endswith("Enum") for one in last)),
        ("pydantic", any(one in _PYDANTIC for one in last)),
        ("namedtuple", "NamedTuple" in last),
        ("typeddict", "TypedDict" in last),
        ("protocol", "Protocol" in last),
        ("exception", any(one.endswith(("Error", "Exception", "Warning")) for one in last)),
    )
    for kind, holds in by_base:
        if holds:
            return kind
    abstract = any(
        "abstractmethod" in text or "abstractproperty" in text
        for member in members.values()
        for text in member.decorators
    )
    if abstract and ("ABC" in last or any("ABCMeta" in ast.unparse(keyword.value) for keyword in node.keywords)):
        return "abstract"
    return "plain"


def _enum_members(node: ast.ClassDef) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for statement in node.body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and not statement.targets[0].id.startswith("_")
        ):
            found[statement.targets[0].id] = ast.unparse(statement.value)
    return tuple(found.items())


def _fields(node: ast.ClassDef) -> tuple[tuple[str, str], ...]:
    return tuple(
        (statement.target.id, ast.unparse(statement.annotation))
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    )


def _from_fields(node: ast.ClassDef, kind: ClassKind, bases: tuple[str, ...]) -> CallableFacts | None:
    """The constructor a dataclass, model or named tuple gets from its fields."""
    parameters: list[Parameter] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            annotation = ast.unparse(statement.annotation)
            if "ClassVar" in annotation or (statement.target.id.startswith("_") and kind != "dataclass"):
                continue
            given, default = _field_default(statement.value)
            if given:
                passed = "keyword_only" if kind in ("pydantic", "typeddict") else "positional_or_keyword"
                parameters.append(Parameter(statement.target.id, passed, annotation, default))
    if not parameters and bases:
        # Only the bases have fields: the project index finds their constructor.
        return None
    return CallableFacts(
        qualname=node.name,
        kind="constructor",
        lines=(node.lineno, node.lineno),
        parameters=tuple(parameters),
        owner=node.name,
    )


def _field_default(value: ast.expr | None) -> tuple[bool, str | None]:
    """Whether the constructor takes the field, and its default."""
    if value is None:
        return True, None
    if isinstance(value, ast.Call) and dotted_name(value.func).rpartition(".")[2] in _FACTORIES:
        named = {keyword.arg: keyword.value for keyword in value.keywords}
        init = named.get("init")
        if isinstance(init, ast.Constant) and init.value is False:
            return False, None
        if "default" in named:
            return True, ast.unparse(named["default"])
        factory = named.get("default_factory") or named.get("factory")
        if factory is not None:
            name = dotted_name(factory)
            return True, f"{name}()" if name else "None"
        if value.args and not (isinstance(value.args[0], ast.Constant) and value.args[0].value is Ellipsis):
            return True, ast.unparse(value.args[0])
        return True, None
    return True, ast.unparse(value)
