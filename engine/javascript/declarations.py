"""Reads what a declaration file (`index.d.ts` beside `index.js`) says that functions take and return."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from tree_sitter import Node

from ...sandbox.javascript.project import package_of
from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import is_typescript, parse, text_of, walk
from ...utils.untrusted_files import read_source_bytes
from .facts import function_of
from .jsdoc import DocComment
from .model import Class, Function, Module, Parameter

_ENDINGS = {".js": ".d.ts", ".jsx": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
_SIGNATURES = frozenset({"function_signature", "method_signature", "function_declaration", "method_definition"})
_TYPES = frozenset({"interface_declaration", "type_alias_declaration", "enum_declaration"})


def with_declarations(root: Path, module: Module) -> Module:
    """The module with the types that its declaration file gives; as it is where there is none, or it has types itself.

    Of overloads the one with most parameters counts.

    Args:
        root: of the project.
    """
    place = None if is_typescript(module.path) else _place(root, module.path)
    if place is None:
        return module
    try:
        tree = parse(read_source_bytes(root, place), place)
    except OSError:
        return module
    declared = _Declared(tree)
    default = module.exports.get("default", "")
    return replace(
        module,
        functions=tuple(
            _typed(one, declared.function(module.exported_as(one.name), default)) for one in module.functions
        ),
        classes=tuple(_typed_class(one, declared) for one in module.classes),
        inner={
            name: _typed(one, declared.function(module.exported_as(name), default))
            for name, one in module.inner.items()
        },
        types={**declared.types, **module.types},
    )


def _place(root: Path, path: str) -> str | None:
    """The declaration file of a module: of its name, or the package's for the package's main file."""
    module = PurePosixPath(path)
    stem = module.as_posix().removesuffix(module.suffix)
    names = [stem + ending for ending in dict.fromkeys((_ENDINGS.get(module.suffix, ".d.ts"), ".d.ts"))]
    package = package_of(root, path)
    main = PurePosixPath(package.folder, str(package.manifest.get("main") or "index.js"))
    said = package.manifest.get("types") or package.manifest.get("typings")
    if isinstance(said, str) and main.with_suffix("") == module.with_suffix("") and ".." not in said:
        names.append(PurePosixPath(package.folder, said).as_posix())
    return next((name for name in names if (root / name).is_file()), None)


class _Declared:
    """What a declaration file declares: signatures by qualified name, types by name, and what its default export is."""

    def __init__(self, tree: Node) -> None:
        self.types: dict[str, Node] = {}
        self._signatures: dict[str, list[Function]] = {}
        self._default = ""
        for node in walk(tree):
            name = text_of(child(node, "name"))
            if node.type in _TYPES:
                self.types.setdefault(name, node)
            elif node.type in _SIGNATURES:
                owner = _owner(node)
                qualified = f"{owner}.{name}" if owner else name or "default"
                self._signatures.setdefault(qualified, []).append(function_of(name, node, DocComment(), owner))
            elif node.type == "variable_declarator":
                self._variable(name, node)
            elif node.type == "export_statement":
                self._default = self._default or _default_name(node)

    def function(self, exported: str, default: str) -> Function | None:
        """The signature of an exported function.

        Args:
            exported: the name under which the module exports it.
            default: the local name of the default export.
        """
        names = [exported] if exported != "default" else [self._default, "default", default]
        found = next((self._signatures[name] for name in names if name in self._signatures), None)
        return max(found, key=lambda one: len(one.parameters)) if found else None

    def method(self, owner: str, name: str) -> Function | None:
        """The signature of a method, or of `constructor`."""
        found = self._signatures.get(f"{owner}.{name}")
        return max(found, key=lambda one: len(one.parameters)) if found else None

    def _variable(self, name: str, node: Node) -> None:
        """`declare const f: (a: string) => number`."""
        annotation = child(node, "type")
        typed = annotation.named_children[0] if annotation is not None and annotation.named_children else None
        if typed is not None and typed.type == "function_type":
            self._signatures.setdefault(name, []).append(function_of(name, typed, DocComment()))


def _owner(node: Node) -> str:
    above = node.parent
    while above is not None and above.type not in ("class_declaration", "abstract_class_declaration", "class"):
        above = above.parent
    return text_of(child(above, "name"))


def _default_name(node: Node) -> str:
    """What `export = name` and `export default name` name; empty for another export."""
    tokens = [text_of(one) for one in node.children]
    if "=" not in tokens and "default" not in tokens:
        return ""
    names = [text_of(one) for one in node.named_children if one.type == "identifier"]
    declared = child(node, "declaration")
    return names[0] if names else text_of(child(declared, "name"))


def _typed(one: Function, declared: Function | None) -> Function:
    """A function with the types of its declaration, where it has none itself and both have as many parameters."""
    if declared is None or len(declared.parameters) < len(one.parameters):
        return one
    return replace(
        one,
        parameters=tuple(map(_typed_parameter, one.parameters, declared.parameters)),
        returns=one.returns or declared.returns,
    )


def _typed_parameter(one: Parameter, declared: Parameter) -> Parameter:
    if one.type is not None:
        return one
    return replace(one, type=declared.type, optional=one.optional or declared.optional)


def _typed_class(one: Class, declared: _Declared) -> Class:
    constructor = one.constructor
    return replace(
        one,
        members=tuple(_typed(member, declared.method(one.name, member.name)) for member in one.members),
        constructor=_typed(constructor, declared.method(one.name, "constructor")) if constructor is not None else None,
    )
