"""Classifies where a path expression may lead: below tmp_path, beside the test, outside, or unknown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum

from ...utils.python_names import last_name
from .name_table import UNKNOWN, NameTable, returned, root
from .possible_values import is_foreign_fixture, possible_texts, possible_values

_DEEPEST = 24


class PathReach(IntEnum):
    """Where a path may lead; greater values are worse."""

    INSIDE = 0
    """Below tmp_path or a temporary folder."""
    RELATIVE = 1
    """A literal relative to the working folder, or no path at all (a number, a harmless text)."""
    GIVEN = 2
    """Below tmp_path by parts that are not literal, or the value of a fixture of the project."""
    UNKNOWN = 3
    """Unknown, and perhaps not a path at all."""
    OUTSIDE = 4
    """Outside: absolute, `..`, the home folder, above tmp_path."""


_INSIDE_FIXTURES = frozenset({"tmp_path", "tmpdir"})
_TEMPORARY = frozenset({"TemporaryDirectory", "NamedTemporaryFile", "mkdtemp", "mkstemp", "TemporaryFile"})
_OUT = frozenset({"home", "expanduser", "getbasetemp", "gettempdir"})
_PATHS = frozenset({"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath", "local"})
_SAME = frozenset(
    """str repr list tuple sorted set iter next reversed enumerate min max open fspath abspath normpath realpath resolve
    absolute as_posix strip lower upper encode decode with_suffix iterdir rstrip lstrip __enter__ enter_context
    enterContext bytes makedir mkdir ensure""".split()
)
_JOINING = frozenset(
    {"joinpath", "join", "with_name", "with_stem", "glob", "rglob", "mktemp", "format", "copy", "copyfile"}
)
_ABOVE = frozenset({"parent", "parents", "root", "anchor", "drive", "parts", "dirname", "dirpath"})
_NUMBERS = frozenset({"len", "int", "range", "float", "bool", "hash", "id", "ord", "round", "abs", "sum"})


def leads_out(text: str) -> bool:
    """Whether a literal path is absolute, begins at the home folder, or climbs with `..`."""
    return text.startswith(("/", "~", "\\")) or ".." in re.split(r"[/\\]", text) or text[1:2] == ":"


def path_reach(names: NameTable, node: ast.expr, depth: int = 0) -> PathReach:
    """Classifies an expression as a path."""
    if depth > _DEEPEST or node is UNKNOWN:
        return PathReach.UNKNOWN
    # A name bound to an expression of itself (`path = path / "a"`) leads where the rest of the expression leads.
    circle, lost = PathReach.INSIDE, PathReach.UNKNOWN
    return names.once("place", node, lambda: _reach_of_expression(names, node, depth), circle=circle, lost=lost)


def _reach_of_expression(names: NameTable, node: ast.expr, depth: int) -> PathReach:
    if isinstance(node, ast.Constant):
        text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        return PathReach.OUTSIDE if isinstance(text, str) and leads_out(text) else PathReach.RELATIVE
    if isinstance(node, ast.Name):
        return _name(names, node, depth)
    if isinstance(node, ast.Attribute):
        return _attribute(names, node, depth)
    if isinstance(node, ast.JoinedStr):
        return _text(names, node.values, depth)
    if isinstance(node, ast.BinOp):
        return _operation(names, node, depth)
    if isinstance(node, ast.Call):
        return _call(names, node, depth)
    if isinstance(node, ast.Subscript):
        return path_reach(names, node.value, depth + 1) if _is_list(names, node) else PathReach.UNKNOWN
    parts = _parts(node)
    return _worst(names, parts, depth) if parts else PathReach.UNKNOWN


def _parts(node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return [node.elt]
    if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr | ast.FormattedValue):
        return [node.value]
    return [node.operand] if isinstance(node, ast.UnaryOp) else []


def _is_list(names: NameTable, node: ast.Subscript) -> bool:
    """Whether a subscript takes an item of a list, not a piece of a text."""
    if isinstance(node.slice, ast.Slice):
        return False
    values = possible_values(names, node.value) if isinstance(node.value, ast.Name) else [node.value]
    return all(
        isinstance(value, ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(value, ast.Call) and last_name(value.func) in ("list", "sorted", "tuple", *_TEMPORARY))
        for value in values
    )


def _worst(names: NameTable, nodes: Iterable[ast.expr], depth: int) -> PathReach:
    return max((path_reach(names, node, depth + 1) for node in nodes), default=PathReach.RELATIVE)


def _name(names: NameTable, node: ast.Name, depth: int) -> PathReach:
    if names.dotted(node):
        return PathReach.UNKNOWN
    if node.id == "__file__":
        return PathReach.GIVEN
    values = possible_values(names, node)
    if is_foreign_fixture(names, node):
        return PathReach.INSIDE if node.id in _INSIDE_FIXTURES else PathReach.GIVEN
    return max(path_reach(names, value, depth + 1) for value in values)


def _attribute(names: NameTable, node: ast.Attribute, depth: int) -> PathReach:
    values = names.values(node)
    if values:
        return max(path_reach(names, value, depth + 1) for value in values)
    texts = possible_texts(names, node) if names.dotted(node) else None
    if texts is not None:
        return PathReach.OUTSIDE if any(leads_out(text) for text in texts) else PathReach.RELATIVE
    if names.dotted(node):
        return PathReach.UNKNOWN
    if node.attr == "param" and last_name(node.value) == "request":
        return _worst(names, _fixture_params(names, node) or [UNKNOWN], depth)
    if node.attr == "parent":
        return _parent(names, node.value, depth)
    reach = path_reach(names, node.value, depth + 1)
    if node.attr in _ABOVE:
        return PathReach.OUTSIDE if reach in (PathReach.INSIDE, PathReach.GIVEN) else reach
    return reach if reach in (PathReach.INSIDE, PathReach.GIVEN, PathReach.OUTSIDE) else PathReach.UNKNOWN


def _fixture_params(names: NameTable, node: ast.expr) -> list[ast.expr]:
    marks = [
        mark
        for scope in names.scopes(node)
        for mark in getattr(scope, "decorator_list", ())
        if isinstance(mark, ast.Call)
    ]
    given = [keyword.value for mark in marks for keyword in mark.keywords if keyword.arg == "params"]
    return [
        each
        for given_value in given
        for each in (given_value.elts if isinstance(given_value, ast.List | ast.Tuple) else [UNKNOWN])
    ]


def _parent(names: NameTable, node: ast.expr, depth: int) -> PathReach:
    """Classifies the parent folder of a path: INSIDE only if the path has a literal part below tmp_path."""
    if isinstance(node, ast.Name) and depth < _DEEPEST:
        values = possible_values(names, node)

        def worst() -> PathReach:
            return max((_parent(names, value, depth + 1) for value in values), default=PathReach.UNKNOWN)

        return names.once("parent", node, worst, circle=PathReach.OUTSIDE, lost=PathReach.OUTSIDE)
    reach = path_reach(names, node, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and reach is PathReach.INSIDE:
        part = possible_texts(names, node.right)
        return PathReach.INSIDE if part and all(item.strip("./") for item in part) else PathReach.OUTSIDE
    if (
        isinstance(node, ast.Call)
        and last_name(node.func) in _PATHS
        and [last_name(argument) for argument in node.args] == ["__file__"]
    ):
        return PathReach.GIVEN
    return PathReach.OUTSIDE if reach in (PathReach.INSIDE, PathReach.GIVEN) else reach


def joined_reach(base: PathReach, parts: Iterable[PathReach]) -> PathReach:
    """Classifies a path made of a base and the parts below it."""
    worst = max(parts, default=PathReach.RELATIVE)
    if PathReach.OUTSIDE in (base, worst):
        return PathReach.OUTSIDE
    if base is PathReach.INSIDE:
        return PathReach.INSIDE if worst <= PathReach.RELATIVE else PathReach.GIVEN
    return max(base, worst)


def _operation(names: NameTable, node: ast.BinOp, depth: int) -> PathReach:
    left = path_reach(names, node.left, depth + 1)
    if isinstance(node.op, ast.Div):
        return joined_reach(left, [path_reach(names, node.right, depth + 1)])
    if isinstance(node.op, ast.Add):
        return _text(names, [node.left, node.right], depth)
    if isinstance(node.op, ast.Mod):
        return joined_reach(left, [_worst(names, _parts(node.right) or [node.right], depth)])
    return max(left, path_reach(names, node.right, depth + 1))


def _text(names: NameTable, parts: Sequence[ast.expr], depth: int) -> PathReach:
    """Classifies concatenated texts; after the first part a slash only separates."""
    whole = [possible_texts(names, part) for part in parts]
    if parts and all(whole):
        first = [text for texts in whole[:1] for text in texts or ()]
        every = [text for texts in whole for text in texts or ()]
        dots = any(set(item) <= set("./") and "." in item for item in every)
        if dots or any(leads_out(item) for item in first) or any(".." in item for item in every):
            return PathReach.OUTSIDE
        return PathReach.RELATIVE
    # Only the first part can make the text absolute; later ones can still climb with `..`.
    places = [path_reach(names, part, depth + 1) for part in parts[:1]]
    for part in parts[1:]:
        texts = possible_texts(names, part)
        if texts is not None:
            places.append(
                PathReach.OUTSIDE if any(".." in text or text in (".", "./") for text in texts) else PathReach.RELATIVE
            )
        else:
            places.append(path_reach(names, part, depth + 1))
    return joined_reach(places[0], places[1:]) if places else PathReach.RELATIVE


def _call(names: NameTable, node: ast.Call, depth: int) -> PathReach:
    name, dotted = last_name(node.func), names.dotted(node.func)
    # `exist_ok` is the only common keyword whose value is not a part of the path.
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "exist_ok")]
    arguments = [path_reach(names, given_value, depth + 1) for given_value in given]
    stdlib = any(
        dotted_name.partition(".")[0] in ("pathlib", "os", "tempfile", "io", "py", "shutil") for dotted_name in dotted
    )
    if name in _OUT:
        return PathReach.OUTSIDE
    if name in _TEMPORARY and any(dotted_name.startswith("tempfile.") for dotted_name in dotted):
        # Temporary folders are inside by default; `dir=` may place them elsewhere.
        folders = [keyword.value for keyword in node.keywords if keyword.arg == "dir"]
        return PathReach.INSIDE if _worst(names, folders, depth) <= PathReach.RELATIVE else PathReach.OUTSIDE
    if name in _ABOVE and dotted:
        return _parent(names, node.args[0], depth) if node.args else PathReach.UNKNOWN
    if (name in _PATHS and stdlib) or (name == "join" and stdlib):
        return joined_reach(arguments[0], arguments[1:]) if arguments else PathReach.RELATIVE
    # The working folder is the project, or below tmp_path after monkeypatch.chdir.
    if name in ("cwd", "getcwd"):
        return PathReach.GIVEN
    # A name that the file neither binds nor imports is a builtin.
    if stdlib or (isinstance(node.func, ast.Name) and names.values(node.func) is None and not dotted):
        return _builtin(name, arguments)
    if isinstance(node.func, ast.Attribute) and not dotted:
        return _method(names, node, arguments, depth)
    # A function of the file leads where its worst return value leads.
    local = [item for item in names.functions.get(name, ()) if not dotted]
    if local:
        ways = [value for item in local for value in returned(item)]
        return _worst(names, ways, depth) if ways else PathReach.UNKNOWN
    return _derived(arguments)


def _builtin(name: str, arguments: Sequence[PathReach]) -> PathReach:
    if name in _NUMBERS:
        return PathReach.RELATIVE
    return max(arguments, default=PathReach.UNKNOWN) if name in _SAME else PathReach.UNKNOWN


def _method(names: NameTable, node: ast.Call, arguments: Sequence[PathReach], depth: int) -> PathReach:
    assert isinstance(node.func, ast.Attribute)
    name, receiver = node.func.attr, node.func.value
    if last_name(receiver) == "tmp_path_factory" and name == "mktemp" and isinstance(receiver, ast.Name):
        if not is_foreign_fixture(names, receiver):
            return PathReach.UNKNOWN
        return joined_reach(PathReach.INSIDE, arguments)
    reach = path_reach(names, receiver, depth + 1)
    if name == "join" and isinstance(receiver, ast.Constant):
        return _text(names, _parts(node.args[0]), depth) if node.args and _parts(node.args[0]) else PathReach.UNKNOWN
    if name in _JOINING:
        return joined_reach(reach, arguments)
    if name in _SAME:
        return reach if name not in ("enter_context", "enterContext") else max(arguments, default=PathReach.UNKNOWN)
    if reach is PathReach.INSIDE and not isinstance(root(receiver), ast.Constant):
        return joined_reach(reach, arguments) if _is_object(names, receiver) else PathReach.GIVEN
    return _derived(arguments) if reach is PathReach.UNKNOWN else max(reach, PathReach.GIVEN)


def _is_object(names: NameTable, receiver: ast.expr) -> bool:
    """Whether a value was returned by the code under test, so that its methods are that code's."""
    values = possible_values(names, receiver) if isinstance(receiver, ast.Name) else [receiver]
    return all(isinstance(value, ast.Call) and bool(names.dotted(value.func)) for value in values)


def _derived(arguments: Sequence[PathReach]) -> PathReach:
    """Classifies a path that the code under test derives from its arguments."""
    if PathReach.INSIDE in arguments and PathReach.OUTSIDE not in arguments:
        return PathReach.INSIDE
    return PathReach.UNKNOWN
