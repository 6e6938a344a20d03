"""Reads what a module exports: functions and classes with parameters, documentation, and the errors they throw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tree_sitter import Node

from ...core.errors import TargetImportError
from ...sandbox.javascript.syntax import (
    FUNCTIONS,
    first_error,
    is_typescript,
    line_of,
    parse,
    string_value,
    text_of,
    walk,
)
from ...sandbox.javascript.syntax import field as child
from ...utils.untrusted_files import read_source_bytes
from .jsdoc import DocComment, read_comment
from .model import Class, Function, Module, Parameter
from .sources import name_of_file
from .throws import throws_of
from .wrappers import factory_of

_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_HIDDEN = frozenset({"private", "internal", "protected", "ignore"})


def read_module(root: Path, path: str, package: str = "") -> Module:
    """Read a module of a project.

    Args:
        path: POSIX, relative to the root.
        package: name of its package, which a nameless default export of an index file gets.

    Raises:
        TargetImportError: it does not parse; with the line.
        OSError: it cannot be read.
    """
    source = read_source_bytes(root, path)
    tree = parse(source, path)
    broken = first_error(tree)
    if broken is not None:
        what = "TypeScript" if is_typescript(path) else "JavaScript"
        near = text_of(broken).strip().split("\n")[0][:60] or f"{broken.type} is missing"
        raise TargetImportError(
            f"{path}:{line_of(broken)}: it is no {what} that can be read, near {near!r}",
            advice="make it compile first, then run again",
            details={"path": path, "line": line_of(broken)},
        )
    return _Reader(path, source, tree, package).module()


class _Reader:
    def __init__(self, path: str, source: bytes, tree: Node, package: str) -> None:
        self._package = package
        self._tree = tree
        self._functions: dict[str, Function] = {}
        self._classes: dict[str, Class] = {}
        self._types: dict[str, Node] = {}
        self._constants: dict[str, Node] = {}
        self._imports: dict[str, tuple[str, str]] = {}
        self._exports: dict[str, str] = {}
        self._commonjs = PurePosixPath(path).suffix == ".cjs"
        self._base = Module(path, source, tree)

    def module(self) -> Module:
        for statement in self._tree.named_children:
            self._statement(statement, statement)
        if not self._exports and (factory := factory_of(self._tree)) is not None:
            self._wrapped(factory)
        exported = set(self._exports.values())
        comments = [_doc(node) for node in walk(self._tree) if node.type == "comment"]
        return replace(
            self._base,
            commonjs=self._commonjs,
            exports=dict(self._exports),
            functions=tuple(one for name, one in self._functions.items() if name in exported and _is_public(one)),
            classes=tuple(one for name, one in self._classes.items() if name in exported),
            types=self._types,
            typedefs={one.typedef: one for one in comments if one.typedef},
            constants=self._constants,
            imports=self._imports,
            throws=tuple(throws_of(self._tree)),
            inner=dict(self._functions),
        )

    def _wrapped(self, factory: Node) -> None:
        """Read the function that makes the exports: what it returns, or what it assigns to `exports`."""
        body = child(factory, "body")
        for statement in body.named_children if body is not None else ():
            self._statement(statement, statement)
            returned = statement.type == "return_statement" and bool(statement.named_children)
            value = statement.named_children[0] if returned else None
            if value is not None and value.type == "object":
                self._object(value)
            elif value is not None:
                self._default(value, statement)
        for one in walk(body, into_functions=False):
            if one.type == "expression_statement" and not self._exports:
                self._assignment(one)
        self._commonjs = self._commonjs or bool(self._exports)
        self._rename_default()

    def _rename_default(self) -> None:
        """What the whole module is has the name by which others require it: inside of a wrapper it has any."""
        local = self._exports.get("default", "")
        name = name_of_file(self._base.path, self._package)
        if local in self._functions and name not in self._functions:
            self._functions[name] = replace(self._functions[local], name=name)
            self._exports["default"] = name

    def _statement(self, node: Node, outer: Node, exported: str = "") -> None:
        """Read one statement; `outer` is the one that a comment stands before."""
        kind = node.type
        if kind == "export_statement":
            self._export(node)
        elif kind in ("function_declaration", "generator_function_declaration"):
            self._function(text_of(child(node, "name")) or exported, node, outer)
        elif kind in ("class_declaration", "abstract_class_declaration", "class"):
            name = text_of(child(node, "name")) or exported
            self._classes[name] = _class(name, node, _doc_before(outer))
        elif kind in ("lexical_declaration", "variable_declaration"):
            for one in node.named_children:
                if one.type == "variable_declarator":
                    self._variable(one, outer)
        elif kind in ("interface_declaration", "type_alias_declaration", "enum_declaration"):
            self._types[text_of(child(node, "name"))] = node
        elif kind == "import_statement":
            self._import(node)
        elif kind == "expression_statement":
            self._assignment(node)

    def _function(self, name: str, node: Node, outer: Node) -> None:
        self._functions[name] = function_of(name, node, _doc_before(outer))

    def _variable(self, node: Node, outer: Node) -> None:
        name, value = child(node, "name"), child(node, "value")
        if name is None or value is None:
            return
        required = _required(value)
        if required:
            self._commonjs = True
            for local, imported in _bound(name):
                self._imports[local] = (required, imported)
        elif name.type != "identifier":
            return
        elif value.type in _VALUES:
            self._function(text_of(name), value, outer)
        elif value.type == "class":
            self._classes[text_of(name)] = _class(text_of(name), value, _doc_before(outer))
        else:
            self._constants[text_of(name)] = _bare(value)

    def _import(self, node: Node) -> None:
        source = string_value(child(node, "source")) or ""
        for one in walk(node):
            if one.type == "import_specifier":
                name = text_of(child(one, "name"))
                self._imports[text_of(child(one, "alias")) or name] = (source, name)
            elif one.type == "import_clause":
                for part in one.named_children:
                    if part.type == "identifier":
                        self._imports[text_of(part)] = (source, "default")

    def _export(self, node: Node) -> None:
        declaration, value = child(node, "declaration"), child(node, "value")
        is_default = any(one.type == "default" for one in node.children)
        if declaration is not None:
            self._statement(declaration, node)
            for name in _declared(declaration):
                self._exports["default" if is_default else name] = name
        elif value is not None:
            self._default(value, node)
        elif child(node, "source") is None:
            for one in walk(node):
                if one.type == "export_specifier":
                    name = text_of(child(one, "name"))
                    self._exports[text_of(child(one, "alias")) or name] = name

    def _default(self, value: Node, outer: Node) -> None:
        """`export default …` and `module.exports = …`: a name, or a value that gets the file's name."""
        if value.type == "identifier":
            self._exports["default"] = text_of(value)
            return
        name = text_of(child(value, "name")) or name_of_file(self._base.path, self._package)
        self._exports["default"] = name
        if value.type in FUNCTIONS:
            self._function(name, value, outer)
        elif value.type in ("class", "class_declaration"):
            self._classes[name] = _class(name, value, _doc_before(outer))

    def _assignment(self, node: Node) -> None:
        """`module.exports = …`, `exports.name = …`, `module.exports.name = …`."""
        one = node.named_children[0] if node.named_children else None
        if one is None or one.type != "assignment_expression":
            return
        left, value = text_of(child(one, "left")), child(one, "right")
        if value is None or not re.match(r"(?:module\.)?exports\b", left):
            return
        self._commonjs = True
        name = left.rpartition(".")[2]
        if left == "module.exports" and value.type == "object":
            self._object(value)
        elif left == "module.exports":
            self._default(value, node)
        elif left != "exports":
            if value.type in FUNCTIONS:
                self._function(name, value, node)
            elif value.type == "class":
                self._classes[name] = _class(name, value, _doc_before(node))
            self._exports[name] = text_of(value) if value.type == "identifier" else name

    def _object(self, value: Node) -> None:
        for one in value.named_children:
            if one.type == "shorthand_property_identifier":
                self._exports[text_of(one)] = text_of(one)
            elif one.type == "pair" and (inner := child(one, "value")) is not None:
                name = text_of(child(one, "key"))
                self._exports[name] = text_of(inner) if inner.type == "identifier" else name
                if inner.type in FUNCTIONS:
                    self._function(name, inner, one)
            elif one.type == "method_definition":
                name = text_of(child(one, "name"))
                self._exports[name] = name
                self._function(name, one, one)


def function_of(name: str, node: Node, doc: DocComment, owner: str = "", kind: str = "function") -> Function:
    """Read one function."""
    tokens = {one.type for one in node.children}
    parameters = child(node, "parameters") or child(node, "parameter")
    return Function(
        name,
        kind,
        tuple(_parameters(parameters, doc)),
        node,
        doc,
        owner,
        _bare_type(child(node, "return_type")),
        "async" in tokens,
        "*" in tokens or node.type.startswith("generator"),
    )


def _parameters(node: Node | None, doc: DocComment) -> Iterator[Parameter]:
    if node is None:
        return
    if node.type == "identifier":
        yield Parameter(text_of(node), pattern=node)
        return
    known = [one.name for one in doc.parameters if "." not in one.name]
    for at, one in enumerate(each for each in node.named_children if each.type != "comment"):
        pattern = child(one, "pattern") or one
        if text_of(pattern) == "this":
            continue
        value = child(one, "value")
        if pattern.type == "assignment_pattern":
            pattern, value = child(pattern, "left") or pattern, child(pattern, "right")
        rest = pattern.type == "rest_pattern"
        if rest:
            pattern = pattern.named_children[0]
        said = known[at] if at < len(known) else ""
        name = text_of(pattern) if pattern.type == "identifier" else said or "options"
        documented = doc.parameter(name)
        optional = one.type == "optional_parameter" or value is not None or bool(documented and documented.optional)
        yield Parameter(
            name,
            _bare_type(child(one, "type")),
            optional,
            text_of(value) or (documented.default if documented else ""),
            rest,
            tuple(_fields(pattern)) if pattern.type == "object_pattern" else (),
            pattern,
        )


def _fields(pattern: Node) -> Iterator[tuple[str, str]]:
    for one in pattern.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield text_of(one), ""
        elif one.type == "object_assignment_pattern":
            yield text_of(child(one, "left")), text_of(child(one, "right"))
        elif one.type == "pair_pattern":
            inner = child(one, "value")
            default = text_of(child(inner, "right")) if inner is not None and inner.type == "assignment_pattern" else ""
            yield text_of(child(one, "key")), default


def _class(name: str, node: Node, doc: DocComment) -> Class:
    members: list[Function] = []
    constructor = None
    body = child(node, "body")
    for one in body.named_children if body is not None else ():
        if one.type != "method_definition":
            continue
        own = text_of(child(one, "name"))
        tokens = {text_of(token) for token in one.children}
        if own == "constructor":
            constructor = function_of(name, one, _doc_before(one), kind="constructor")
        elif own[:1] in "#_[" or tokens & {"set", "private", "protected"}:
            continue
        else:
            kind = "static" if "static" in tokens else "getter" if "get" in tokens else "method"
            member = function_of(own, one, _doc_before(one), name, kind)
            if _is_public(member):
                members.append(member)
    heritage = next((one for one in node.children if one.type == "class_heritage"), None)
    base = re.sub(r"^extends\s+", "", text_of(heritage)).split()[0:1] if heritage is not None else []
    return Class(
        name, node, tuple(members), constructor, base[0] if base else "", doc, node.type.startswith("abstract")
    )


def _is_public(function: Function) -> bool:
    return not function.name.startswith("_") and not function.doc.tags & _HIDDEN


def _doc_before(node: Node) -> DocComment:
    before = node.prev_sibling
    while before is not None and before.type in ("decorator", "function_signature", "export"):
        before = before.prev_sibling
    if before is None or before.type != "comment" or not text_of(before).startswith("/**"):
        return DocComment()
    return read_comment(text_of(before), line_of(before))


def _doc(node: Node) -> DocComment:
    return read_comment(text_of(node), line_of(node)) if text_of(node).startswith("/**") else DocComment()


def _declared(node: Node) -> Iterator[str]:
    if node.type in ("lexical_declaration", "variable_declaration"):
        for one in node.named_children:
            if one.type == "variable_declarator":
                yield text_of(child(one, "name"))
    elif name := text_of(child(node, "name")):
        yield name


def _required(value: Node) -> str:
    """The module that a value requires; empty for another value."""
    if value.type != "call_expression" or text_of(child(value, "function")) != "require":
        return ""
    arguments = child(value, "arguments")
    return string_value(arguments.named_children[0] if arguments and arguments.named_children else None) or ""


def _bound(name: Node) -> Iterator[tuple[str, str]]:
    if name.type == "identifier":
        yield text_of(name), "default"
    for one in name.named_children if name.type == "object_pattern" else ():
        if one.type == "shorthand_property_identifier_pattern":
            yield text_of(one), text_of(one)
        elif one.type == "pair_pattern":
            yield text_of(child(one, "value")), text_of(child(one, "key"))


def _bare(value: Node) -> Node:
    """A value without `as const`, `satisfies …`, and what freezes it."""
    while value.type in ("as_expression", "satisfies_expression", "parenthesized_expression"):
        value = value.named_children[0]
    if value.type == "call_expression" and text_of(child(value, "function")) == "Object.freeze":
        arguments = child(value, "arguments")
        return arguments.named_children[0] if arguments and arguments.named_children else value
    return value


def _bare_type(node: Node | None) -> Node | None:
    """A type without its colon."""
    return node.named_children[0] if node is not None and node.named_children else None
