"""Reads the facts of functions, methods, properties and classes from their syntax trees."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....utils.python_names import Function, dotted_name
from ..model.model import (
    GENERATED_CONSTRUCTORS,
    CallableFacts,
    CallableKind,
    ClassFacts,
    ClassKind,
    Documentation,
    Parameter,
    ParameterKind,
)
from .bodies import read_body
from .docstrings import documentation_of
from .lineage import lineage

_CONTEXT_DECORATORS = ("contextmanager", "asynccontextmanager")
_PROPERTY_DECORATORS = ("property", "cached_property", "abstractproperty", "functools.cached_property")
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_ATTRS = frozenset(
    {"attr.s", "attr.attrs", "attr.dataclass", "attrs.define", "attrs.frozen", "attrs.mutable", "attr.define"}
)
_ATTRS_BARE = frozenset({"define", "frozen", "mutable", "attrs"})
_PYDANTIC = frozenset({"BaseModel", "BaseSettings", "RootModel", "pydantic.BaseModel"})
_FACTORIES = frozenset({"field", "Field", "attrib", "ib"})


def callable_facts(node: Function, owner: str | None, *, nested_in: str = "") -> CallableFacts:
    """Reads the facts of a function; with `owner` those of a member of that class, without its `self` or `cls`."""
    decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
    kind = _callable_kind(node, owner, decorators)
    parameters = parameters_of(node.args)
    bound = owner is not None and kind in ("method", "property", "classmethod", "constructor")
    if bound and parameters and parameters[0].kind in ("positional_only", "positional_or_keyword"):
        parameters = parameters[1:]
    body, returned = read_body(node, tuple(parameter.name for parameter in parameters)), list(_returned(node))
    is_context = any(one.rpartition(".")[2] in _CONTEXT_DECORATORS for one in decorators)
    qualname = f"{owner}.{node.name}" if owner else node.name
    return CallableFacts(
        qualname=nested_in + qualname,
        kind=kind,
        lines=line_range(node),
        parameters=parameters,
        returns=ast.unparse(node.returns) if node.returns else None,
        owner=owner,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=body.yields and not is_context,
        is_context_manager=is_context,
        decorators=decorators,
        constants=tuple(body.constants),
        read_constants=tuple(body.read),
        comparisons=tuple(body.comparisons),
        raises=tuple(body.raises),
        branch_lines=tuple(sorted(body.branch_lines)),
        uses=tuple(body.uses),
        calls=tuple(body.calls),
        returned_calls=_returned_calls(returned),
        returned_parameters=_returned_parameters(node),
        returns_self=kind == "method" and _returns_self(node, returned),
        documentation=documentation_of(node),
    )


def _returned_parameters(node: Function) -> tuple[str, ...]:
    """Names of the parameters of the function that a body defines and returns; none where it returns something else."""
    inner = {one.name: one.args for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    returned = [one.value for one in node.body if isinstance(one, ast.Return)]
    last = returned[-1] if returned else None
    arguments = (
        last.args if isinstance(last, ast.Lambda) else inner.get(last.id) if isinstance(last, ast.Name) else None
    )
    return tuple(one.name for one in parameters_of(arguments) if one.required) if arguments is not None else ()


def _returned_calls(returned: Sequence[ast.expr | None]) -> tuple[str, ...]:
    """Dotted names of what each `return` calls; none where one returns something else, or there is no `return`."""
    found = [dotted_name(one.func) if isinstance(one, ast.Call) else "" for one in returned]
    return tuple(found) if all(found) else ()


def _returns_self(node: Function, returned: Sequence[ast.expr | None]) -> bool:
    """Whether each `return` of a method returns the object that it is called on."""
    first = next((one.arg for one in (*node.args.posonlyargs, *node.args.args)), None)
    return bool(returned) and all(isinstance(one, ast.Name) and one.id == first for one in returned)


def _returned(node: Function) -> Iterator[ast.expr | None]:
    """What each `return` of a body returns, without those of the functions that it defines."""
    pending: list[ast.AST] = [*node.body]
    while pending:
        one = pending.pop(0)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(one, ast.Return):
            yield one.value
        pending.extend(ast.iter_child_nodes(one))


def parameters_of(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a signature in order of declaration."""
    found: list[Parameter] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults.extend(arguments.defaults)
    for index, (one, default) in enumerate(zip(positional, defaults, strict=True)):
        kind: ParameterKind = "positional_only" if index < len(arguments.posonlyargs) else "positional_or_keyword"
        found.append(_parameter(one, kind, default))
    if arguments.vararg:
        found.append(_parameter(arguments.vararg, "var_positional", None))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(one, "keyword_only", default))
    if arguments.kwarg:
        found.append(_parameter(arguments.kwarg, "var_keyword", None))
    return tuple(found)


def _parameter(node: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    annotation = ast.unparse(node.annotation) if node.annotation else None
    return Parameter(node.arg, kind, annotation, ast.unparse(default) if default is not None else None)


def _callable_kind(node: Function, owner: str | None, decorators: tuple[str, ...]) -> CallableKind:
    if owner is None:
        return "function"
    if any(text in _PROPERTY_DECORATORS or text.endswith((".getter", "property")) for text in decorators):
        return "property"
    if "staticmethod" in decorators:
        return "staticmethod"
    if "classmethod" in decorators or node.name in ("__init_subclass__", "__class_getitem__"):
        return "classmethod"
    return "method"


def line_range(node: Function | ast.ClassDef) -> tuple[int, int]:
    """First and last line of a definition, decorators included."""
    return min([node.lineno, *(item.lineno for item in node.decorator_list)]), node.end_lineno or node.lineno


def is_overload(node: Function) -> bool:
    """Whether this is a signature for type checkers only."""
    return any(dotted_name(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def is_setter(node: Function) -> bool:
    """Whether this is the setter or deleter of a property defined before."""
    return any(isinstance(item, ast.Attribute) and item.attr in ("setter", "deleter") for item in node.decorator_list)


def class_facts(node: ast.ClassDef) -> ClassFacts:
    """Reads the facts of a class; members in order of definition, the last definition of a name wins."""
    bases = tuple(ast.unparse(base) for base in node.bases)
    decorators = [dotted_name(item.func if isinstance(item, ast.Call) else item) for item in node.decorator_list]
    members = _members(node)
    kind = _class_kind(node, bases, decorators, members)
    fields = _enum_members(node) if kind == "enum" else _fields(node)
    maker = members.pop("__new__", None)
    constructor = members.pop("__init__", None)
    constructor = _with_parameters_of(constructor, maker) if constructor is not None else maker
    if constructor is None and (kind in GENERATED_CONSTRUCTORS or kind == "typeddict"):
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


def _with_parameters_of(constructor: CallableFacts, maker: CallableFacts | None) -> CallableFacts:
    """A constructor with what the docstring of `__new__` says of the parameters that its own says nothing of."""
    told = {name for name, _ in constructor.documentation.parameters}
    more = [one for one in maker.documentation.parameters if one[0] not in told] if maker is not None else []
    own = constructor.documentation
    return replace(constructor, documentation=replace(own, parameters=(*own.parameters, *more)))


def _members(node: ast.ClassDef) -> dict[str, CallableFacts]:
    found: dict[str, CallableFacts] = {}
    for statement in _statements(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_overload(statement):
                continue
            facts = callable_facts(statement, node.name)
            if is_setter(statement) and statement.name in found:
                facts = _with_setter(found[statement.name], facts)
            elif statement.name == "__new__":
                # The first parameter of __new__ is the class, whether decorated or not.
                facts = replace(facts, kind="constructor")
            found[statement.name] = facts
        elif (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and dotted_name(statement.value.func).lower().endswith("property")
        ):
            _old_property(node.name, statement, statement.value, found)
        elif isinstance(statement, ast.Assign):
            _assigned_operator(node, statement, found)
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
        read_constants=tuple(dict.fromkeys((*reader.read_constants, *setter.read_constants))),
        raises=(*reader.raises, *setter.raises),
        branch_lines=tuple(sorted({*reader.branch_lines, *setter.branch_lines})),
        uses=tuple(dict.fromkeys((*reader.uses, *setter.uses))),
        calls=tuple(dict.fromkeys((*reader.calls, *setter.calls))),
    )


def _old_property(owner: str, node: ast.Assign, call: ast.Call, found: dict[str, CallableFacts]) -> None:
    """`total = property(_get_total)`, or with a descriptor of another name such as `LazyProperty("total", _total)`."""
    target = node.targets[0]
    readers = [one.id for one in call.args if isinstance(one, ast.Name) and one.id in found]
    if isinstance(target, ast.Name) and readers:
        getter = found[readers[0]]
        found[target.id] = replace(getter, qualname=f"{owner}.{target.id}", kind="property", parameters=())


_OPERATORS = frozenset(f"__{name}__" for name in "eq ne lt le gt ge and or xor sub add mul contains".split())


def _assigned_operator(owner: ast.ClassDef, node: ast.Assign, found: dict[str, CallableFacts]) -> None:
    """`__and__ = intersection`, or `__lt__ = _comparing(lt)` with a function of the class that makes methods."""
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Name) or target.id not in _OPERATORS:
        return
    method: CallableFacts | None = None
    if isinstance(value, ast.Name):
        method = found.get(value.id)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        makers = (one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == value.func.id)
        made = [one for maker in makers for one in maker.body if isinstance(one, ast.FunctionDef)]
        method = callable_facts(made[0], owner.name) if len(made) == 1 else None
    operands = [one for one in method.parameters if one.required or one.kind == "var_positional"] if method else []
    if method is not None and method.kind == "method" and len(operands) == 1:
        operand = replace(operands[0], kind="positional_only")
        name = f"{owner.name}.{target.id}"
        # What documents the method shows calls of it, and a maker's function is documented for no operator alone.
        found[target.id] = replace(method, qualname=name, parameters=(operand,), documentation=Documentation())


def _class_kind(
    node: ast.ClassDef, bases: tuple[str, ...], decorators: list[str], members: dict[str, CallableFacts]
) -> ClassKind:
    last = [base.partition("[")[0].rpartition(".")[2] for base in bases]
    if any(decorator.rpartition(".")[2] == "dataclass" for decorator in decorators):
        return "dataclass"
    if any(decorator in _ATTRS or decorator in _ATTRS_BARE for decorator in decorators):
        return "attrs"
    by_base: dict[ClassKind, bool] = {
        "enum": any(name in _ENUMS or name.endswith("Enum") for name in last),
        "pydantic": not _PYDANTIC.isdisjoint(last),
        "namedtuple": "NamedTuple" in last,
        "typeddict": "TypedDict" in last,
        "protocol": "Protocol" in last,
        "exception": any(name.endswith(("Error", "Exception", "Warning")) for name in last),
    }
    for kind, holds in by_base.items():
        if holds:
            return kind
    texts = [text for member in members.values() for text in member.decorators]
    abstract = any("abstractmethod" in text or "abstractproperty" in text for text in texts)
    if abstract and ("ABC" in last or any("ABCMeta" in ast.unparse(keyword.value) for keyword in node.keywords)):
        return "abstract"
    return "plain"


def _enum_members(node: ast.ClassDef) -> tuple[tuple[str, str], ...]:
    assigned = [(item.targets[0], item.value) for item in node.body if isinstance(item, ast.Assign)]
    named = {target.id: ast.unparse(value) for target, value in assigned if isinstance(target, ast.Name)}
    return tuple((name, source) for name, source in named.items() if not name.startswith("_"))


def _fields(node: ast.ClassDef) -> tuple[tuple[str, str], ...]:
    declared = [(item.target, ast.unparse(item.annotation)) for item in node.body if isinstance(item, ast.AnnAssign)]
    return tuple((name.id, kind) for name, kind in declared if isinstance(name, ast.Name) and "ClassVar" not in kind)


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


def is_exception(owner: ClassFacts, classes: Sequence[ClassFacts]) -> bool:
    """Whether a class is an exception, by its own bases, those of its bases in the module, and their names."""
    bases = {one.name: [text.partition("[")[0].rpartition(".")[2] for text in one.bases] for one in classes}
    return any(_names_exception(base) for one in lineage(owner.name, bases) for base in bases[one])


def _names_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    known = isinstance(found, type) and issubclass(found, BaseException)
    return known or name.endswith(("Error", "Exception"))
