"""Where a path may lead, as far as the file tells: below tmp_path, beside the test, out, or nobody can say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum

from ...utils.python_names import last_name
from .name_table import UNKNOWN, Names, returned, root
from .possible_values import bound_to, given_by_pytest, texts_of

_DEEPEST = 24


class Place(IntEnum):
    """Where a path may lead; the greater, the worse."""

    INSIDE = 0
    """Below tmp_path or a temporary folder."""
    RELATIVE = 1
    """A literal relative to the working folder, or no path at all (a number, a harmless text)."""
    GIVEN = 2
    """Below tmp_path by parts that are not literal, or what a fixture of the project gives."""
    UNKNOWN = 3
    """Nobody can say, nor whether it is a path."""
    OUTSIDE = 4
    """Out: absolute, `..`, the home folder, above tmp_path."""


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
    """Whether a literal path is absolute, begins at home, or climbs."""
    return text.startswith(("/", "~", "\\")) or ".." in re.split(r"[/\\]", text) or text[1:2] == ":"


def place_of(names: Names, node: ast.expr, depth: int = 0) -> Place:
    """Where an expression leads as a path."""
    if depth > _DEEPEST or node is UNKNOWN:
        return Place.UNKNOWN
    # A name bound to something made of itself (`path = path / "a"`) leads where the rest of it leads.
    circle, lost = Place.INSIDE, Place.UNKNOWN
    return names.once("place", node, lambda: _place(names, node, depth), circle=circle, lost=lost)


def _place(names: Names, node: ast.expr, depth: int) -> Place:
    if isinstance(node, ast.Constant):
        text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        return Place.OUTSIDE if isinstance(text, str) and leads_out(text) else Place.RELATIVE
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
        return place_of(names, node.value, depth + 1) if _is_list(names, node) else Place.UNKNOWN
    parts = _parts(node)
    return _worst(names, parts, depth) if parts else Place.UNKNOWN


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


def _is_list(names: Names, node: ast.Subscript) -> bool:
    """Whether one of several is taken, not a piece of a text."""
    if isinstance(node.slice, ast.Slice):
        return False
    values = bound_to(names, node.value) if isinstance(node.value, ast.Name) else [node.value]
    return all(
        isinstance(one, ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(one, ast.Call) and last_name(one.func) in ("list", "sorted", "tuple", *_TEMPORARY))
        for one in values
    )


def _worst(names: Names, nodes: Iterable[ast.expr], depth: int) -> Place:
    return max((place_of(names, one, depth + 1) for one in nodes), default=Place.RELATIVE)


def _name(names: Names, node: ast.Name, depth: int) -> Place:
    if names.dotted(node):
        return Place.UNKNOWN
    if node.id == "__file__":
        return Place.GIVEN
    values = bound_to(names, node)
    if given_by_pytest(names, node):
        return Place.INSIDE if node.id in _INSIDE_FIXTURES else Place.GIVEN
    return max(place_of(names, one, depth + 1) for one in values)


def _attribute(names: Names, node: ast.Attribute, depth: int) -> Place:
    values = names.values(node)
    if values:
        return max(place_of(names, one, depth + 1) for one in values)
    texts = texts_of(names, node) if names.dotted(node) else None
    if texts is not None:
        return Place.OUTSIDE if any(leads_out(one) for one in texts) else Place.RELATIVE
    if names.dotted(node):
        return Place.UNKNOWN
    if node.attr == "param" and last_name(node.value) == "request":
        return _worst(names, _fixture_params(names, node) or [UNKNOWN], depth)
    if node.attr == "parent":
        return _parent(names, node.value, depth)
    held = place_of(names, node.value, depth + 1)
    if node.attr in _ABOVE:
        return Place.OUTSIDE if held in (Place.INSIDE, Place.GIVEN) else held
    return held if held in (Place.INSIDE, Place.GIVEN, Place.OUTSIDE) else Place.UNKNOWN


def _fixture_params(names: Names, node: ast.expr) -> list[ast.expr]:
    marks = [
        mark
        for scope in names.scopes(node)
        for mark in getattr(scope, "decorator_list", ())
        if isinstance(mark, ast.Call)
    ]
    given = [one.value for mark in marks for one in mark.keywords if one.arg == "params"]
    return [each for one in given for each in (one.elts if isinstance(one, ast.List | ast.Tuple) else [UNKNOWN])]


def _parent(names: Names, node: ast.expr, depth: int) -> Place:
    """The folder of a path: inside where the path has a literal part below tmp_path; else nobody can say."""
    if isinstance(node, ast.Name) and depth < _DEEPEST:
        values = bound_to(names, node)

        def worst() -> Place:
            return max((_parent(names, one, depth + 1) for one in values), default=Place.UNKNOWN)

        return names.once("parent", node, worst, circle=Place.OUTSIDE, lost=Place.OUTSIDE)
    held = place_of(names, node, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and held is Place.INSIDE:
        part = texts_of(names, node.right)
        return Place.INSIDE if part and all(one.strip("./") for one in part) else Place.OUTSIDE
    if (
        isinstance(node, ast.Call)
        and last_name(node.func) in _PATHS
        and [last_name(one) for one in node.args] == ["__file__"]
    ):
        return Place.GIVEN
    return Place.OUTSIDE if held in (Place.INSIDE, Place.GIVEN) else held


def joined(base: Place, parts: Iterable[Place]) -> Place:
    """Where a path leads that is a base and what is put below it."""
    worst = max(parts, default=Place.RELATIVE)
    if Place.OUTSIDE in (base, worst):
        return Place.OUTSIDE
    if base is Place.INSIDE:
        return Place.INSIDE if worst <= Place.RELATIVE else Place.GIVEN
    return max(base, worst)


def _operation(names: Names, node: ast.BinOp, depth: int) -> Place:
    left = place_of(names, node.left, depth + 1)
    if isinstance(node.op, ast.Div):
        return joined(left, [place_of(names, node.right, depth + 1)])
    if isinstance(node.op, ast.Add):
        return _text(names, [node.left, node.right], depth)
    if isinstance(node.op, ast.Mod):
        return joined(left, [_worst(names, _parts(node.right) or [node.right], depth)])
    return max(left, place_of(names, node.right, depth + 1))


def _text(names: Names, parts: Sequence[ast.expr], depth: int) -> Place:
    """Texts put together: after the first part a slash only separates."""
    whole = [texts_of(names, one) for one in parts]
    if parts and all(whole):
        first = [one for texts in whole[:1] for one in texts or ()]
        every = [one for texts in whole for one in texts or ()]
        dots = any(set(one) <= set("./") and "." in one for one in every)
        if dots or any(leads_out(one) for one in first) or any(".." in one for one in every):
            return Place.OUTSIDE
        return Place.RELATIVE
    places = [place_of(names, one, depth + 1) for one in parts[:1]]
    for one in parts[1:]:
        texts = texts_of(names, one)
        if texts is not None:
            places.append(
                Place.OUTSIDE if any(".." in text or text in (".", "./") for text in texts) else Place.RELATIVE
            )
        else:
            places.append(place_of(names, one, depth + 1))
    return joined(places[0], places[1:]) if places else Place.RELATIVE


def _call(names: Names, node: ast.Call, depth: int) -> Place:
    name, dotted = last_name(node.func), names.dotted(node.func)
    given = [*node.args, *(one.value for one in node.keywords if one.arg != "exist_ok")]
    arguments = [place_of(names, one, depth + 1) for one in given]
    stdlib = any(one.partition(".")[0] in ("pathlib", "os", "tempfile", "io", "py", "shutil") for one in dotted)
    if name in _OUT:
        return Place.OUTSIDE
    if name in _TEMPORARY and any(one.startswith("tempfile.") for one in dotted):
        folders = [one.value for one in node.keywords if one.arg == "dir"]
        return Place.INSIDE if _worst(names, folders, depth) <= Place.RELATIVE else Place.OUTSIDE
    if name in _ABOVE and dotted:
        return _parent(names, node.args[0], depth) if node.args else Place.UNKNOWN
    if (name in _PATHS and stdlib) or (name == "join" and stdlib):
        return joined(arguments[0], arguments[1:]) if arguments else Place.RELATIVE
    if name in ("cwd", "getcwd"):
        return Place.GIVEN
    if stdlib or (isinstance(node.func, ast.Name) and names.values(node.func) is None and not dotted):
        return _builtin(name, arguments)
    if isinstance(node.func, ast.Attribute) and not dotted:
        return _method(names, node, arguments, depth)
    local = [one for one in names.functions.get(name, ()) if not dotted]
    if local:
        ways = [value for one in local for value in returned(one)]
        return _worst(names, ways, depth) if ways else Place.UNKNOWN
    return _derived(arguments)


def _builtin(name: str, arguments: Sequence[Place]) -> Place:
    if name in _NUMBERS:
        return Place.RELATIVE
    return max(arguments, default=Place.UNKNOWN) if name in _SAME else Place.UNKNOWN


def _method(names: Names, node: ast.Call, arguments: Sequence[Place], depth: int) -> Place:
    assert isinstance(node.func, ast.Attribute)
    name, receiver = node.func.attr, node.func.value
    if last_name(receiver) == "tmp_path_factory" and name == "mktemp" and isinstance(receiver, ast.Name):
        if not given_by_pytest(names, receiver):
            return Place.UNKNOWN
        return joined(Place.INSIDE, arguments)
    held = place_of(names, receiver, depth + 1)
    if name == "join" and isinstance(receiver, ast.Constant):
        return _text(names, _parts(node.args[0]), depth) if node.args and _parts(node.args[0]) else Place.UNKNOWN
    if name in _JOINING:
        return joined(held, arguments)
    if name in _SAME:
        return held if name not in ("enter_context", "enterContext") else max(arguments, default=Place.UNKNOWN)
    if held is Place.INSIDE and not isinstance(root(receiver), ast.Constant):
        return joined(held, arguments) if _is_object(names, receiver) else Place.GIVEN
    return _derived(arguments) if held is Place.UNKNOWN else max(held, Place.GIVEN)


def _is_object(names: Names, receiver: ast.expr) -> bool:
    """Whether a value was made by a call of the code under test, so that its methods are that code's."""
    values = bound_to(names, receiver) if isinstance(receiver, ast.Name) else [receiver]
    return all(isinstance(one, ast.Call) and bool(names.dotted(one.func)) for one in values)


def _derived(arguments: Sequence[Place]) -> Place:
    """What code under test makes of paths lies where they lie."""
    if Place.INSIDE in arguments and Place.OUTSIDE not in arguments:
        return Place.INSIDE
    return Place.UNKNOWN
