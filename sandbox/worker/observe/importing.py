"""Imports the target module from its file, compiled here so that its code objects are known and may be instrumented."""

import ast
import builtins
import importlib
import importlib.machinery
import importlib.util
import os
import sys

COMPARE = "__testwright_compare_%s__"
BEGINS = "__testwright_begins__"
MAX_OPERANDS = 40
MAX_TABLE = 400
SOME = 4


class Operands(list):
    """Comparisons met while `on`, as (line, left, right) source texts."""

    on = False


class WrongFileError(ImportError):
    """The name belongs to another file than the one asked for."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the target itself: a cached .pyc would hide the code objects. It does so once: whoever loads the module
    again gets the same code objects."""

    def __init__(self, name, path, instrument, compiled):
        super().__init__(name, path)
        self.instrument = instrument
        self.compiled = compiled
        self.code = None

    def get_code(self, fullname):
        if self.code is None:
            self.code = self._compile(fullname)
        return self.code

    def _compile(self, fullname):
        path = self.get_filename(fullname)
        source = self.get_data(path)
        tree = ast.parse(source, path)
        if self.instrument:
            tree = ast.fix_missing_locations(_Comparisons().visit(tree))
        code = compile(tree, path, "exec", dont_inherit=True)
        self.compiled(code)
        return code


class Finder:
    """A meta path finder for one module name; every other import goes its usual way."""

    def __init__(self, name, path, instrument, compiled):
        self.name = name
        self.path = path
        self.instrument = instrument
        self.compiled = compiled
        self.loader = None

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not spec.origin:
            return spec
        if not os.path.exists(spec.origin) or not os.path.samefile(spec.origin, self.path):
            raise WrongFileError("%s is imported from %s, not from the project" % (fullname, spec.origin))
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            if self.loader is None:
                self.loader = _Loader(fullname, self.path, self.instrument, self.compiled)
            spec.loader = self.loader
        return spec


def import_target(name, path, instrument, operands, compiled):
    """Import module `name`, which must be the file at `path`.

    `compiled` is called with the module's code object before it runs. Comparisons between plain values are appended
    to `operands` when `instrument` is true.
    """
    loaded = getattr(sys.modules.get(name), "__file__", path)
    if not loaded or not os.path.exists(loaded) or not os.path.samefile(loaded, path):
        raise WrongFileError("%s is a module that the test tools use, %s, not one of the project" % (name, loaded))
    for operator, compare in _comparers(operands).items():
        setattr(builtins, COMPARE % operator, compare)
    setattr(builtins, BEGINS, _beginner(operands))
    sys.meta_path.insert(0, Finder(name, path, instrument, compiled))
    return importlib.import_module(name)


def import_without(name, missing):
    """Load the imported module `name` anew while modules are missing, which they are for nothing else."""
    before = {name: sys.modules.get(name) for name in missing}
    del sys.modules[name]
    sys.modules.update(dict.fromkeys(missing))
    try:
        importlib.import_module(name)
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module


class _Comparisons(ast.NodeTransformer):
    """Turns `a < b` and `a.startswith(b)` into calls that note both sides and answer the same; longer chains of
    comparisons stay as they are."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        arguments = [ast.Constant(node.lineno), node.left, node.comparators[0]]
        call = ast.Call(ast.Name(COMPARE % type(node.ops[0]).__name__, ast.Load()), arguments, [])
        for new in (call, call.func, arguments[0]):
            ast.copy_location(new, node)
        return call

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        plain = not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args)
        if not isinstance(function, ast.Attribute) or function.attr not in _BEGINNINGS or not plain or not node.args:
            return node
        arguments = [ast.Constant(node.lineno), ast.Constant(function.attr), function.value, *node.args]
        call = ast.Call(ast.Name(BEGINS, ast.Load()), arguments, [])
        for new in (call, call.func, arguments[0], arguments[1]):
            ast.copy_location(new, node)
        return call


_BEGINNINGS = ("startswith", "endswith")


def _note(operands, line, left, right):
    first = _plain(left)
    second = _plain(right) if first is not None else None
    if second is not None:
        entry = (line, first, second)
        if entry not in operands:
            operands.append(entry)
            if len(operands) >= MAX_OPERANDS:
                operands.on = False  # for the rest of this trial


def _beginner(operands):
    def begins(line, name, text, *arguments):
        wanted = arguments[0]
        if type(text) in (str, bytes) and type(wanted) is type(text) and operands.on:
            part = text[arguments[1] :] if len(arguments) == 2 and type(arguments[1]) is int else text
            size = len(wanted)
            _note(operands, line, part[:size] if name == "startswith" else part[len(part) - size :], wanted)
        return getattr(text, name)(*arguments)

    return begins


def _comparers(operands):
    """By the name of its node, what stands for each operator. They run at every comparison of the target."""
    return {**_equalities(operands), **_orders(operands), **_memberships(operands)}


def _equalities(operands):
    def equal(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left == right

    def unequal(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left != right

    return {"Eq": equal, "NotEq": unequal}


def _orders(operands):
    def less(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left < right

    def at_most(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left <= right

    def more(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left > right

    def at_least(line, left, right):
        if operands.on:
            _note(operands, line, left, right)
        return left >= right

    return {"Lt": less, "LtE": at_most, "Gt": more, "GtE": at_least}


def _memberships(operands):
    def within(line, left, right):
        if operands.on:
            _note(operands, line, left, _some_of(right))
        return left in right

    def without(line, left, right):
        if operands.on:
            _note(operands, line, left, _some_of(right))
        return left not in right

    return {"In": within, "NotIn": without}


def _some_of(container):
    """The first few of a large table's keys, in an order that does not depend on hashes; what is small, as it is."""
    kind = type(container)
    if kind not in (list, tuple, set, frozenset, dict) or not 10 < len(container) <= MAX_TABLE:
        return container
    if not all(type(item) in (str, bytes, int) for item in container):
        return container
    return sorted(container, key=repr)[:SOME]


_SCALARS = (int, float, bool, complex, type(None))


def _plain(value, depth=1):
    """Source of a small plain value, else None. Never runs code of the target."""
    kind = type(value)
    if kind in _SCALARS:
        return repr(value) if kind is not int or value.bit_length() < 200 else None
    if kind in (str, bytes):
        return repr(value) if len(value) <= 80 else None
    if depth and kind in (list, tuple, set, frozenset, dict) and len(value) <= 10:
        items: list = [_plain(item, depth - 1) for item in value]
        if any(item is None for item in items):
            return None
        if kind in (set, frozenset):
            items.sort()
        return "(%s,)" % ", ".join(items) if items else "()"
    return None
