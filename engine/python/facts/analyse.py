"""Reads `ModuleFacts` from a module's source without running it, in time linear in the size of the file."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ....core.errors import ProjectError
from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source_bytes
from ..model.model import CallableFacts, ClassFacts, ModuleFacts
from ..project.layout import Layout, ModulePlace, module_at
from .definitions import callable_facts, class_facts, is_overload
from .docstrings import documentation_of
from .made_by_others import with_makers
from .type_comments import parse_annotated

_MAXIMUM_CONSTANT = 400
# Dunder names that the interpreter calls and that no test calls; `__getattr__` only as a module's function.
_HOOKS = frozenset(
    "__init_subclass__ __class_getitem__ __set_name__ __del__ __dir__ __subclasshook__ __getnewargs__".split()
)


def analyse_module(root: Path, path: str | Path, layout: Layout) -> ModuleFacts:
    """Reads the facts of the module at `path`.

    Args:
        root: the project's root folder.
        path: the file, relative to `root` or absolute.

    Raises:
        ProjectError: no such file, or no name can import it.
        SyntaxError: the file is not Python; `filename` is the path relative to the root, `lineno` the line.
    """
    place = module_at(layout, path)
    try:
        contents = read_source_bytes(root, place.path)
    except OSError as error:
        raise ProjectError(f"{path} cannot be read: {error.strerror}.", advice="Check its permissions.") from error
    return facts_from_source(contents, place)


def facts_from_source(contents: bytes, place: ModulePlace) -> ModuleFacts:
    """Reads the facts of source text. Raises SyntaxError."""
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
        classes=tuple(with_makers(_with_bases_to_derive_from(classes), functions.values(), statements)),
        imports=tuple(imports_of(statements, package).items()),
        constants=_constants(statements),
        documentation=documentation_of(tree),
        line_count=contents.count(b"\n") + (not contents.endswith(b"\n") and bool(contents)),
        exported=_exported(statements),
    )


_TO_DERIVE_FROM = re.compile(r"(Base|Abstract)[A-Z]\w*|\w+(Base|Mixin)")


def _with_bases_to_derive_from(classes: Mapping[str, ClassFacts]) -> Iterator[ClassFacts]:
    """Generates the classes; what is there to be derived from counts as abstract.

    That is a base by its name whose members a public class of the module inherits, unless only private classes derive
    from it, or every heir overrides some of its public members; and a class that calls a method of its own that only
    its heirs define.
    """
    heirs: dict[str, list[ClassFacts]] = {}
    for owner in classes.values():
        for base in owner.bases:
            if not owner.name.startswith("_"):
                heirs.setdefault(base.partition("[")[0], []).append(owner)
    for owner in classes.values():
        own = {one.name for one in owner.members if one.public}
        inherited = {name for heir in heirs.get(owner.name, ()) for name in own - {one.name for one in heir.members}}
        is_base = owner.kind == "plain" and bool(own) and inherited == own and _TO_DERIVE_FROM.fullmatch(owner.name)
        incomplete = owner.kind == "plain" and _calls_of_heirs(owner, heirs.get(owner.name, ()))
        yield replace(owner, kind="abstract") if is_base or incomplete else owner


def _calls_of_heirs(owner: ClassFacts, heirs: Sequence[ClassFacts]) -> bool:
    """Whether a class without bases calls a method on itself that it does not have and each of its heirs defines."""
    if not heirs or any(base not in ("object", "Generic") for base in (one.partition("[")[0] for one in owner.bases)):
        return False
    members = (*owner.members, *([owner.constructor] if owner.constructor is not None else []))
    own = {one.name for one in owner.members} | {name for name, _ in owner.fields}
    own |= {what[7:] for one in members for _, what in one.uses if what.startswith("stored:")}
    called = {name[5:] for one in members for name in one.calls if name.startswith("self.") and name.count(".") == 1}
    defined = [{one.name for one in heir.members} for heir in heirs]
    return any(all(name in names for names in defined) for name in called - own)


def subjects(facts: ModuleFacts) -> tuple[CallableFacts, ...]:
    """The callables that get tests: public functions, public classes' constructors and members, within `__all__`."""
    return tuple(
        function
        for function in facts.callables()
        if function.public
        and (facts.exported is None or function.qualname.partition(".")[0] in facts.exported)
        and function.name not in _HOOKS
        and (function.name != "__getattr__" or function.owner is not None)
    )


def package_of(place: ModulePlace | ModuleFacts) -> str:
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
        return parse_annotated(contents, path)
    except SyntaxError as error:
        error.filename = path
        if error.lineno is None:
            error.lineno = 1
        raise
    except UnicodeDecodeError as error:
        raise SyntaxError(f"the file is not text in its declared encoding: {error.reason}", (path, 1, 1, "")) from error


def _reachable(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of the module's top level, including those under `if`, `try` and `with`, but not main guards."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            if "__name__" in test:
                continue
            # Imports for type checkers resolve annotations; the other branch is what runs.
            if test.rpartition(".")[2] == "TYPE_CHECKING":
                found.extend(statement for statement in node.body if isinstance(statement, ast.Import | ast.ImportFrom))
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
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                source = ast.unparse(node.value)
                if len(source) <= _MAXIMUM_CONSTANT:
                    found[target.id] = source
    return tuple(found.items())


def _exported(statements: list[ast.stmt]) -> tuple[str, ...] | None:
    """The names in `__all__`, also when it is extended; None where it is computed."""
    names: list[str] | None = None
    for node in statements:
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        elements = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [None]
        texts = [item.value for item in elements if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if len(texts) < len(elements):
            return None
        names = [*(names or ()), *texts]
    return tuple(names) if names is not None else None


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
    # Written as the class statement that it is equal to, at the line of the call.
    is_enum = maker.endswith("Enum")
    lines = [f"class {target.id}({'Enum' if is_enum else 'NamedTuple'}):"]
    lines += [f"    {name} = {at}" if is_enum else f"    {name}: object" for at, name in enumerate(names, 1)]
    made = parse_python("\n".join(lines)).body[0]
    assert isinstance(made, ast.ClassDef)
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
            for element in node.elts
            for inner in [element.elts[0] if isinstance(element, ast.Tuple) and element.elts else element]
            if isinstance(inner, ast.Constant)
        ]
    else:
        return []
    return names if all(name.isidentifier() for name in names) else []
