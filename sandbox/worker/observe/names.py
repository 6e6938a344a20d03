"""Finds the import statement and the expression by which a test reaches a class, function or module."""

import builtins
import sys
import types
from collections import abc

MODULE_STYLE = {"datetime", "re", "math", "operator", "string", "json", "os", "sys", "asyncio", "collections.abc"}


class NoSourceError(Exception):
    """No expression for this object."""


class Namer:
    """Finds names within one namespace.

    Args:
        namespace: what the trial's own imports bound: their names win, and must not be bound to anything else.
        home: dotted name of the target module.
    """

    def __init__(self, namespace, home):
        self.namespace = namespace
        self.home = home
        self.by_identity = {
            id(value): name
            for name, value in namespace.items()
            if not name.startswith("_") and isinstance(getattr(value, "__name__", None), str)
        }

    def name(self, thing, imports, scope):
        """An expression for `thing`. Adds what must be imported to the set `imports` and binds it in `scope`.

        Raises:
            NoSourceError: when no import reaches this very object.
        """
        module = getattr(thing, "__module__", None)
        path = getattr(thing, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(path, str) or "<" in path:
            raise NoSourceError(repr(type(thing)))
        if module == "builtins" and getattr(builtins, path, None) is thing and path not in self.namespace:
            return path
        if id(thing) in self.by_identity:
            return self.by_identity[id(thing)]
        first, _, rest = path.partition(".")
        module, owner = self.public_module(module, first)
        if self.walk(owner, rest) is not thing:
            raise NoSourceError(path)
        return self.bind(module, first, rest, owner, imports, scope)

    def bind(self, module, first, rest, owner, imports, scope):
        """An expression for the part `rest` of what `module` names `first`; `imports` and `scope` as for `name`.

        Raises:
            NoSourceError: when each name for it means something else already.
        """
        tail = "." + rest if rest else ""
        if id(owner) in self.by_identity:
            return self.by_identity[id(owner)] + tail
        exposed = self._exposed(first, owner)
        if exposed:
            return exposed + tail
        loaded = sys.modules[module]
        if id(loaded) in self.by_identity:
            return "%s.%s%s" % (self.by_identity[id(loaded)], first, tail)
        direct = ("from %s import %s" % (module, first), first, owner, first + tail)
        top = module.partition(".")[0]
        whole = ("import %s" % module, top, sys.modules.get(top), "%s.%s%s" % (module, first, tail))
        choices = [whole, direct] if module in MODULE_STYLE else [direct, whole]
        for statement, bound, value, expression in choices:
            taken = scope.get(bound, self.namespace.get(bound, value))
            if taken is value and value is not None:
                imports.add(statement)
                scope[bound] = value
                return expression
        raise NoSourceError(first)

    def _exposed(self, name, thing):
        """`module.name` for a module that the trial imports and that offers this very object; "" for none."""
        if name.startswith("_"):
            return ""
        for bound, module in self.namespace.items():
            offers = isinstance(module, types.ModuleType) and getattr(module, "__dict__", {}).get(name) is thing
            if offers and not bound.startswith("_"):
                return "%s.%s" % (bound, name)
        return ""

    def public_module(self, module, name):
        """The module to import `name` from: a public one if any exposes the very same object.

        The tests of a private module import from it anyway; one object must not come from two modules.
        """
        loaded = sys.modules.get(module)
        owner = getattr(loaded, name, None)
        if loaded is None or owner is None:
            raise NoSourceError(name)
        if module == self.home or (not _is_private(module) and module != "__main__"):
            return module, owner
        parts = module.split(".")
        parents = [".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
        for candidate in [self.home, *parents, module.lstrip("_")]:
            exposed = candidate == self.home or not _is_private(candidate)
            if exposed and getattr(sys.modules.get(candidate), name, None) is owner:
                return candidate, owner
        return module, owner

    @staticmethod
    def walk(owner, path):
        for part in path.split(".") if path else ():
            owner = getattr(owner, part, None)
        return owner


def _is_private(module):
    return any(part.startswith("_") for part in module.split("."))


def type_name(kind):
    """`module.QualName`, or just the name for builtins; builtin types without a name by one that isinstance takes."""
    module, path = getattr(kind, "__module__", ""), getattr(kind, "__qualname__", kind.__name__)
    if module != "builtins" and isinstance(module, str):
        return "%s.%s" % (module, path)
    if hasattr(builtins, path) or kind is type(None):
        return path
    for name in types.__all__:
        if getattr(types, name) is kind:
            return "types." + name
    for general in (abc.KeysView, abc.ItemsView, abc.ValuesView, abc.Iterator):
        if issubclass(kind, general):
            return "collections.abc." + general.__name__
    return path
