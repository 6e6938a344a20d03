"""Records the state of a project's modules and restores it after code has run that may have changed it.

One level deep: the names of modules and of their classes, the attributes of objects they hold, and what plain
containers among all these hold. Caches of `functools` are emptied. Plain standard library, Python 3.9.
"""

import collections
import functools
import operator
import types

MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
CONTAINERS = (*MAPPINGS, list, set, collections.deque, bytearray)
CACHE = type(functools.lru_cache()(lambda: None))


class State:
    """What some modules hold at the time this is made."""

    def __init__(self, modules):
        self.namespaces = []
        self.classes = []
        self.contents = []
        self.caches = []
        self.seen = set()
        self.names = {module.__name__ for module in modules}
        for module in modules:
            self.note_namespace(vars(module))

    def put_back(self):
        """Have them hold again what they held."""
        for cache in self.caches:
            cache.cache_clear()
        for namespace, before in self.namespaces:
            if not alike(namespace, before):
                restore_namespace(namespace, before)
        for kind, before in self.classes:
            if not alike(vars(kind), before):
                restore_class(kind, before)
        for container, before in self.contents:
            restore_contents(container, before)

    def note_namespace(self, namespace):
        """Remember a dictionary of names, and what its values hold."""
        before = dict(namespace)
        self.namespaces.append((namespace, before))
        for value in before.values():
            self.note(value)

    def note(self, value):
        """Remember what one value holds, where it is the project's own or a container."""
        if id(value) in self.seen:
            return
        if type(value) in CONTAINERS:
            self.seen.add(id(value))
            self.contents.append((value, copied(value)))
        elif type(value) is CACHE:
            self.seen.add(id(value))
            self.caches.append(value)
        elif isinstance(value, type):
            if getattr(value, "__module__", None) in self.names:
                self.seen.add(id(value))
                before = dict(vars(value))
                self.classes.append((value, before))
                for member in before.values():
                    self.note(member.__func__ if isinstance(member, (staticmethod, classmethod)) else member)
        elif isinstance(value, types.FunctionType):
            for default in value.__defaults__ or ():
                self.note(default)
        elif getattr(type(value), "__module__", None) in self.names:
            self.seen.add(id(value))
            held = attributes(value)
            if held is not None:
                self.note_namespace(held)


def attributes(value):
    """The dictionary of an object's attributes, without asking its class; None where it has none."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict else None


def copied(container):
    """What a container holds, in its order."""
    if type(container) in MAPPINGS:
        return dict(container)
    return bytes(container) if type(container) is bytearray else list(container)


def same_objects(now, before):
    """Whether two iterables give the very same objects, in the same order; none of them is asked for equality."""
    return all(map(operator.is_, now, before))


def alike(now, before):
    """Whether a mapping holds the very same keys and values, in the same order."""
    return len(now) == len(before) and same_objects(now, before) and same_objects(now.values(), before.values())


def restore_namespace(namespace, before):
    """Give a dictionary of names its values and its order back, one by one: it is never without what it needs."""
    for name in [name for name in namespace if name not in before]:
        del namespace[name]
    for name, value in before.items():
        namespace.pop(name, None)
        namespace[name] = value


def restore_contents(container, before):
    """Give a container back what it held."""
    if type(container) is bytearray:
        if container != before:
            restore_bytes(container, before)
    elif type(container) in MAPPINGS:
        if not alike(container, before):
            container.clear()
            container.update(before)
    elif len(container) != len(before) or not same_objects(container, before):
        container.clear()
        container.update(before) if type(container) is set else container.extend(before)


def restore_bytes(container, before):
    """Give a bytearray its bytes back, unless somebody looks into its memory, so that its length is fixed."""
    try:
        container[:] = before
    except BufferError:
        pass


def restore_class(kind, before):
    """Give a class its attributes back."""
    now = dict(vars(kind))
    for name in now:
        if name not in before:
            quietly(delattr, kind, name)
    for name, value in before.items():
        if now.get(name, kind) is not value:
            quietly(setattr, kind, name, value)


def quietly(change, kind, *given):
    """Change a class, unless what it is forbids that."""
    try:
        change(kind, *given)
    except (AttributeError, TypeError):
        pass
