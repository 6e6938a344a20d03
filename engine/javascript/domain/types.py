"""Reads the types and the documentation of parameters as shapes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path, PurePosixPath

from tree_sitter import Node

from ....core.errors import TargetImportError
from ....sandbox.javascript.syntax import field as child
from ....sandbox.javascript.syntax import parse, text_of
from ..facts import read_module
from ..jsdoc import ParameterDoc
from ..model import Function, Module
from .shapes import Shape, elements_of, keys_of

_DEPTH = 6
_PLAIN = {
    **{"number": "number", "Number": "number", "int": "number", "integer": "number", "float": "number"},
    **{"string": "string", "String": "string", "boolean": "boolean", "Boolean": "boolean", "bool": "boolean"},
    **{"bigint": "bigint", "BigInt": "bigint", "Date": "date", "RegExp": "regexp", "Function": "function"},
    **{"object": "object", "Object": "object", "null": "null", "undefined": "undefined", "void": "undefined"},
    **{"any": "any", "unknown": "any", "*": "any", "symbol": "symbol", "never": "never", "URL": "url"},
    **{"Error": "error", "Buffer": "buffer", "Uint8Array": "buffer"},
}
_LISTS = frozenset({"Array", "ReadonlyArray", "Iterable", "ArrayLike", "IterableIterator"})
_MAPS = frozenset({"Map", "ReadonlyMap", "Set", "ReadonlySet", "Record"})
_THROUGH = frozenset({"Readonly", "Partial", "Required", "NonNullable", "Promise", "Awaited", "DeepReadonly"})
_SUFFIXES = (".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js", "")


class TypeReader:
    """Reads types of one module, and of those that it imports types from.

    Args:
        root: the project.
        instances: modules of the project whose exported classes can be made, for parameters that take an instance.
    """

    def __init__(self, root: Path, module: Module, instances: Collection[str] = ()) -> None:
        self._root = root
        self._instances = frozenset(instances)
        self._module = module
        self._others: dict[str, Module | None] = {}

    def of_node(self, node: Node | None, depth: int = 0, module: Module | None = None) -> Shape:
        """The shape of a type; empty where there is none, or it is too deep."""
        module = module or self._module
        if node is None or depth > _DEPTH:
            return Shape()
        reader = _TYPES.get(node.type)
        return reader(self, node, depth + 1, module) if reader else Shape()

    def of_text(self, text: str) -> Shape:
        """The shape of a type in a documentation comment."""
        text = text.strip().replace("Array.<", "Array<").replace("Object.<", "Record<")
        nullable = text.startswith("?")
        text = text.lstrip("?!").removeprefix("...")
        if not text:
            return Shape()
        tree = parse(f"type T = {text};".encode(), "t.ts")
        alias = tree.named_children[0] if tree.named_children else None
        shape = Shape({"any"}) if text == "*" else self.of_node(child(alias, "value"))
        if nullable:
            shape.kinds.add("null")
        return shape

    def of_fields(self, fields: tuple[ParameterDoc, ...]) -> Shape:
        """The shape of an object by documented properties."""
        shape = Shape({"object"})
        for one in fields:
            shape.fields[one.name] = self.of_text(one.type)
            if one.optional:
                shape.optional.add(one.name)
        return shape

    def named(self, name: str, depth: int, module: Module) -> Shape:
        """The shape of a named type: an alias, an interface, an enum, a class, or one of another module."""
        if name in module.types:
            return self._defined(name, module.types[name], depth, module)
        if name in module.typedefs:
            doc = module.typedefs[name]
            return self.of_fields(doc.properties)
        if any(one.name == name for one in module.classes):
            return Shape({"class"}, class_name=name)
        if name in module.imports:
            source, original = module.imports[name]
            other = self._other(module, source)
            if other is not None:
                local = other.exports.get(original, original)
                shape = self.named(local, depth, other)
                # An instance of another module's class needs its import.
                return Shape({"foreign"}) if shape.class_name and other.path not in self._instances else shape
        return Shape({_PLAIN[name]}) if name in _PLAIN else Shape({"foreign"} if name[:1].isupper() else set())

    def _defined(self, name: str, node: Node, depth: int, module: Module) -> Shape:
        if node.type == "type_alias_declaration":
            return self.of_node(child(node, "value"), depth, module)
        body = child(node, "body")
        if node.type == "enum_declaration":
            members = [text_of(child(one, "name") or one) for one in (body.named_children if body else ())]
            exported = module is self._module and name in module.exports.values()
            return Shape({"literal"}, [f"{name}.{member}" for member in members]) if exported else Shape({"foreign"})
        shape = self.of_node(body, depth, module)
        for one in node.children:
            if one.type == "extends_type_clause":
                for base in one.named_children:
                    shape.fields = {**self.of_node(base, depth, module).fields, **shape.fields}
        return shape

    def _other(self, module: Module, source: str) -> Module | None:
        if not source.startswith("."):
            return None
        base = PurePosixPath(module.path).parent / source
        key = base.as_posix()
        if key not in self._others:
            self._others[key] = self._read_other(base)
        return self._others[key]

    def _read_other(self, base: PurePosixPath) -> Module | None:
        plain = base.with_suffix("") if base.suffix in (".js", ".mjs", ".cjs") else base
        for stem in dict.fromkeys((base.as_posix(), plain.as_posix())):
            for suffix in _SUFFIXES:
                path = Path(f"{self._root / stem}{suffix}").resolve()
                if path.is_file() and path.is_relative_to(self._root.resolve()):
                    try:
                        return read_module(self._root, path.relative_to(self._root.resolve()).as_posix())
                    except (TargetImportError, OSError):
                        return None
        return None


def _plain(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    return reader.named(text_of(node), depth, module)


def _nested(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    """`namespace.Options`: a type of a namespace of the module's own."""
    return reader.named(text_of(child(node, "name")), depth, module)


def _literal(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    text = text_of(node)
    if text in ("null", "undefined"):
        return Shape({text})
    return Shape({"literal"}, [text])


def _union(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    shape = Shape()
    for one in node.named_children:
        part = reader.of_node(one, depth, module)
        shape.kinds |= part.kinds
        shape.literals += part.literals
        shape.fields = {**part.fields, **shape.fields} if not shape.fields else shape.fields
        shape.optional |= part.optional
        for name in ("element", "key", "result"):
            if getattr(shape, name) is None:
                setattr(shape, name, getattr(part, name))
        shape.items = shape.items or part.items
        shape.class_name = shape.class_name or part.class_name
    return shape


def _intersection(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    shape = Shape({"object"})
    for one in node.named_children:
        part = reader.of_node(one, depth, module)
        shape.fields.update(part.fields)
        shape.optional |= part.optional
    return shape


def _array(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    return Shape({"array"}, element=reader.of_node(node.named_children[0], depth, module))


def _inner(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    return reader.of_node(node.named_children[-1], depth, module) if node.named_children else Shape()


def _tuple(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    return Shape({"tuple"}, items=[reader.of_node(one, depth, module) for one in node.named_children])


def _generic(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    name = text_of(child(node, "name"))
    arguments = child(node, "type_arguments")
    given = [reader.of_node(one, depth, module) for one in (arguments.named_children if arguments else ())]
    first = given[0] if given else Shape()
    if name in _LISTS:
        return Shape({"array"}, element=first)
    if name in ("Set", "ReadonlySet"):
        return Shape({"set"}, element=first)
    if name in _MAPS and len(given) > 1:
        return Shape({"record" if name == "Record" else "map"}, key=first, element=given[1])
    if name in _THROUGH:
        if name == "Partial":
            first.optional |= set(first.fields)
        return first
    return reader.named(name, depth, module)


def _object(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    shape = Shape({"object"})
    for one in node.named_children:
        if one.type == "property_signature":
            name = text_of(child(one, "name")).strip("'\"")
            annotation = child(one, "type")
            inner = annotation.named_children[0] if annotation is not None and annotation.named_children else None
            shape.fields[name] = reader.of_node(inner, depth, module)
            if any(token.type == "?" for token in one.children):
                shape.optional.add(name)
        elif one.type == "index_signature":
            annotation = child(one, "type")
            inner = annotation.named_children[0] if annotation is not None and annotation.named_children else None
            shape.kinds = {"record"}
            shape.key, shape.element = Shape({"string"}), reader.of_node(inner, depth, module)
        elif one.type == "method_signature":
            shape.fields[text_of(child(one, "name"))] = Shape({"function"})
    return shape


def _function(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    parameters = child(node, "parameters")
    arity = len(parameters.named_children) if parameters is not None else 0
    return Shape({"function"}, result=reader.of_node(child(node, "return_type"), depth, module), arity=arity)


def _keys(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    """`keyof typeof TABLE`: the keys of a constant of the module."""
    name = text_of(node).removeprefix("keyof").strip().removeprefix("typeof").strip()
    literals = [f"'{key}'" for key in keys_of(module.constants.get(name))]
    return Shape({"literal"} if literals else set(), literals)


def _lookup(reader: TypeReader, node: Node, depth: int, module: Module) -> Shape:
    """`(typeof LIST)[number]`: the elements of a constant of the module."""
    name = text_of(node).split("[")[0].strip("() ").removeprefix("typeof").strip()
    literals = list(elements_of(module.constants.get(name)))
    return Shape({"literal"} if literals else set(), literals)


_TYPES: Mapping[str, Callable[[TypeReader, Node, int, Module], Shape]] = {
    "predefined_type": _plain,
    "type_identifier": _plain,
    "identifier": _plain,
    "nested_type_identifier": _nested,
    "literal_type": _literal,
    "union_type": _union,
    "intersection_type": _intersection,
    "array_type": _array,
    "readonly_type": _inner,
    "parenthesized_type": _inner,
    "tuple_type": _tuple,
    "generic_type": _generic,
    "object_type": _object,
    "interface_body": _object,
    "function_type": _function,
    "index_type_query": _keys,
    "lookup_type": _lookup,
}


def shape_of(function: Function, at: int, reader: TypeReader, use: Shape) -> Shape:
    """What one parameter of a function takes.

    Args:
        at: its index.
        use: what the body does with it.
    """
    parameter = function.parameters[at]
    shape = reader.of_node(parameter.type)
    documented = function.doc.parameter(parameter.name)
    if not shape.known and documented is not None and documented.type:
        shape = reader.of_text(documented.type)
    inner = [
        one for one in function.doc.parameters if one.name.startswith((f"{parameter.name}.", f"{parameter.name}[]."))
    ]
    if inner and not shape.fields:
        holder = shape.of_element() if "[]." in inner[0].name else shape
        for one in inner:
            name = one.name.rpartition(".")[2]
            holder.kinds.add("object")
            holder.fields[name] = reader.of_text(one.type)
            if one.optional:
                holder.optional.add(name)
    for name, default in parameter.fields:
        shape.kinds.add("object")
        if name not in shape.fields:
            shape.fields[name] = _by_default(default)
        if default:
            shape.optional.add(name)
    if not shape.known and parameter.default:
        shape = _by_default(parameter.default)
    if parameter.rest and "array" not in shape.kinds:
        shape = Shape({"array"}, element=shape)
    shape.merge(use)
    return shape


def _by_default(default: str) -> Shape:
    if not default:
        return Shape()
    if default[0] in "'\"`":
        return Shape({"string"})
    if default in ("true", "false"):
        return Shape({"boolean"})
    if default[0].isdigit() or default[0] == "-":
        return Shape({"number"})
    if default.startswith("["):
        return Shape({"array"})
    if default.startswith("{"):
        return Shape({"object"})
    return Shape({"function"}) if "=>" in default else Shape()
