"""From a module's source to `ModuleFacts`, without running it (B-05, B-06). Linear in the size of the file."""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path

from ....core.errors import ProjectError
from ....utils.python_source import parse_python
from ..model.model import CallableFacts, ClassFacts, ModuleFacts
from ..project.layout import Layout, ModulePlace, module_at
from .callables import callable_facts, is_overload
from .class_facts import class_facts
from .docstrings import documentation_of

_MAXIMUM_CONSTANT = 400
_CLOCK = re.compile(rb"\b(now|utcnow|today|localtime|gmtime|time\.time)\(")


def analyse_module(root: Path, path: str | Path, layout: Layout) -> ModuleFacts:
    """Everything the module at `path` says.

    Args:
        root: the project's root folder.
        path: the file, relative to `root` or absolute.

    Raises:
        ProjectError: no such file, or no name can import it.
        SyntaxError: the file is not Python; `filename` is the path relative to the root, `lineno` the line.
    """
    place = module_at(layout, path)
    try:
        contents = (root / place.path).read_bytes()
    except OSError as error:
        raise ProjectError(
            f"{place.path} cannot be read: {error.strerror}.", advice="Check its permissions."
        ) from error
    return facts_from_source(contents, place)


def facts_from_source(contents: bytes, place: ModulePlace) -> ModuleFacts:
    """The facts of source that is at hand. Raises SyntaxError."""
    tree = _parse(contents, place.path)
    statements = _reachable(tree.body)
    functions: dict[str, CallableFacts] = {}
    classes: dict[str, ClassFacts] = {}
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not is_overload(node) and node.name not in functions:
                functions[node.name] = callable_facts(node, None)
        elif isinstance(node, ast.ClassDef) and node.name not in classes:
            classes[node.name] = class_facts(node)
        elif isinstance(node, ast.Assign):
            made = _functional_class(node)
            if made is not None:
                classes.setdefault(made.name, made)
    package = package_of(place)
    return ModuleFacts(
        path=place.path,
        module=place.module,
        import_root=place.import_root,
        digest=hashlib.sha256(contents).hexdigest(),
        functions=tuple(functions.values()),
        classes=tuple(classes.values()),
        imports=tuple(imports_of(statements, package).items()),
        constants=_constants(statements),
        documentation=documentation_of(tree),
        line_count=contents.count(b"\n") + (not contents.endswith(b"\n") and bool(contents)),
        exported=_exported(statements),
        reads_clock=_CLOCK.search(contents) is not None,
    )


def subjects(facts: ModuleFacts) -> tuple[CallableFacts, ...]:
    """The callables that get tests: public functions, public classes' constructors and members, within `__all__`."""
    return tuple(one for one in facts.callables() if one.public and _is_exported(facts, one) and not _is_hook(one))


def _is_exported(facts: ModuleFacts, one: CallableFacts) -> bool:
    if facts.exported is None:
        return True
    return one.qualname.partition(".")[0] in facts.exported


def _is_hook(one: CallableFacts) -> bool:
    """Dunder names that the interpreter calls and that no test calls."""
    return one.name in (
        "__init_subclass__",
        "__class_getitem__",
        "__set_name__",
        "__del__",
        "__getattr__",
        "__dir__",
        "__subclasshook__",
        "__getnewargs__",
    ) and (one.owner is None or one.name != "__getattr__")


def package_of(place: ModulePlace) -> str:
    """The package that a module's relative imports start from."""
    return place.module if place.path.endswith("__init__.py") else place.module.rpartition(".")[0]


def imports_of(statements: list[ast.stmt], package: str) -> dict[str, str]:
    """Names bound by imports, each with an absolute statement that binds it."""
    found: dict[str, str] = {}
    for node in statements:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    found[alias.asname] = f"import {alias.name} as {alias.asname}"
                else:
                    found[alias.name.partition(".")[0]] = f"import {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            source = absolute_module(node, package)
            for alias in node.names:
                if source and alias.name != "*":
                    suffix = f" as {alias.asname}" if alias.asname and alias.asname != alias.name else ""
                    found[alias.asname or alias.name] = f"from {source} import {alias.name}{suffix}"
    return found


def absolute_module(node: ast.ImportFrom, package: str) -> str:
    """The module an import names, with leading dots resolved; empty when they lead out of every package."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)]
    if not kept or node.level - 1 > len(parts):
        return ""
    return ".".join([*kept, node.module] if node.module else kept)


def _parse(contents: bytes, path: str) -> ast.Module:
    try:
        return parse_python(contents, path)
    except SyntaxError as error:
        error.filename = path
        if error.lineno is None:
            error.lineno = 1
        raise
    except UnicodeDecodeError as error:
        raise SyntaxError(f"the file is not text in its declared encoding: {error.reason}", (path, 1, 1, "")) from error


def _reachable(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of the module's top level, those under `if`, `try` and `with` included, main guards left out."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            if "__name__" in test:
                continue
            if test.rpartition(".")[2] == "TYPE_CHECKING":
                found.extend(one for one in node.body if isinstance(one, ast.Import | ast.ImportFrom))
                found.extend(_reachable(node.orelse))
                continue
            found.extend(_reachable(node.body))
            found.extend(_reachable(node.orelse))
        elif isinstance(node, ast.Try):
            found.extend(_reachable([*node.body, *node.orelse]))
            for handler in node.handlers:
                found.extend(_reachable(handler.body))
        elif isinstance(node, ast.With):
            found.extend(_reachable(node.body))
        else:
            found.append(node)
    return found


def _constants(statements: list[ast.stmt]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for node in statements:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is None:
            continue
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                source = ast.unparse(value)
                if len(source) <= _MAXIMUM_CONSTANT:
                    found[target.id] = source
    return tuple(found.items())


def _exported(statements: list[ast.stmt]) -> tuple[str, ...] | None:
    """The names in `__all__`, also when it is extended; None where it is computed."""
    names: list[str] = []
    seen = False
    for node in statements:
        value = _all_value(node)
        if value is None:
            continue
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in value.elts):
            return None
        seen = True
        names.extend(str(one.value) for one in value.elts if isinstance(one, ast.Constant))
    return tuple(names) if seen else None


def _all_value(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets):
        return node.value
    if (
        isinstance(node, ast.AnnAssign | ast.AugAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "__all__"
    ):
        return node.value
    return None


def _functional_class(node: ast.Assign) -> ClassFacts | None:
    """`Point = namedtuple("Point", "x y")` and `Colour = Enum("Colour", "RED BLUE")`."""
    call, target = node.value, node.targets[0]
    if not (isinstance(call, ast.Call) and isinstance(target, ast.Name) and len(call.args) >= 2):
        return None
    maker = ast.unparse(call.func).rpartition(".")[2]
    if maker not in ("namedtuple", "NamedTuple", "Enum", "IntEnum", "StrEnum"):
        return None
    names = _field_names(call.args[1])
    if not names:
        return None
    text = "\n".join(
        [f"class {target.id}({'Enum' if maker.endswith('Enum') else 'NamedTuple'}):"]
        + [
            f"    {name} = {index}" if maker.endswith("Enum") else f"    {name}: object"
            for index, name in enumerate(names, 1)
        ]
    )
    made = parse_python(text).body[0]
    if not isinstance(made, ast.ClassDef):
        return None
    for one in ast.walk(made):
        if isinstance(one, ast.expr | ast.stmt):
            one.lineno = one.end_lineno = node.lineno
    return class_facts(made)


def _field_names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        names = node.value.replace(",", " ").split()
    elif isinstance(node, ast.List | ast.Tuple):
        names = [
            str(inner.value)
            for one in node.elts
            for inner in [one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one]
            if isinstance(inner, ast.Constant)
        ]
    else:
        return []
    return names if all(name.isidentifier() for name in names) else []
