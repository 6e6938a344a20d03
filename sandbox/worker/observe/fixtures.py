"""The fixtures that trials may ask for by the names that pytest gives them, with the same effects.

pytest itself need not be installed where the target runs. Plain standard library, Python 3.9.
"""

import contextlib
import importlib
import os
import sys

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

MISSING: "Any" = object()


class MonkeyPatch:
    """pytest's `monkeypatch`, as far as tests of ours use it: changes that `undo` takes back, the last one first."""

    def __init__(self):
        self._undo: list = []

    def setattr(self, target, name, value=MISSING, raising=True):
        """Set an attribute; `target` may be its dotted name, `name` then is the value."""
        if isinstance(target, str):
            if value is not MISSING:
                raise TypeError("a dotted name takes no further name")
            target, name, value = (*_resolved(target), name)
        before = getattr(target, name, MISSING)
        if raising and before is MISSING:
            raise AttributeError("%r has no attribute %r" % (target, name))
        if isinstance(target, type):
            before = target.__dict__.get(name, MISSING)  # a static or class method is put back as such
        self._undo.append(lambda: _put_back(target, name, before))
        setattr(target, name, value)

    def delattr(self, target, name=MISSING, raising=True):
        """Delete an attribute; `target` may be its dotted name."""
        if isinstance(target, str):
            target, name = _resolved(target)
        before = getattr(target, name, MISSING)
        if before is MISSING:
            if raising:
                raise AttributeError(name)
            return
        self._undo.append(lambda: setattr(target, name, before))
        delattr(target, name)

    def setitem(self, mapping, name, value):
        """Set an item of a mapping."""
        before = mapping.get(name, MISSING)
        self._undo.append(lambda: _put_item_back(mapping, name, before))
        mapping[name] = value

    def delitem(self, mapping, name, raising=True):
        """Delete an item of a mapping."""
        if name not in mapping:
            if raising:
                raise KeyError(name)
            return
        before = mapping[name]
        self._undo.append(lambda: _put_item_back(mapping, name, before))
        del mapping[name]

    def setenv(self, name, value, prepend=None):
        """Set an environment variable; with `prepend` in front of its former value."""
        if prepend and name in os.environ:
            value = value + prepend + os.environ[name]
        self.setitem(os.environ, name, str(value))

    def delenv(self, name, raising=True):
        """Delete an environment variable."""
        self.delitem(os.environ, name, raising=raising)

    def chdir(self, path):
        """Change the working folder."""
        before = os.getcwd()
        self._undo.append(lambda: os.chdir(before))
        os.chdir(path)

    def syspath_prepend(self, path):
        """Put a folder first on `sys.path`."""
        before = sys.path[:]
        self._undo.append(lambda: sys.path.__setitem__(slice(None), before))
        sys.path.insert(0, str(path))
        importlib.invalidate_caches()

    def undo(self):
        """Take everything back."""
        while self._undo:
            self._undo.pop()()


class Request:
    """pytest's `request`, as far as tests of ours use it: what is to be done at the end, the last one first."""

    def __init__(self):
        self._endings: list = []

    def addfinalizer(self, ending):
        """Have a function called at the end."""
        self._endings.append(ending)

    def undo(self):
        """Call all of them, whatever fails."""
        while self._endings:
            with contextlib.suppress(Exception):
                self._endings.pop()()


def _resolved(path):
    """The object and the attribute that a dotted name means."""
    owner, _, name = path.rpartition(".")
    if not owner:
        raise TypeError("must be absolute import path string, not %r" % path)
    parts = owner.split(".")
    found = importlib.import_module(parts[0])
    for at, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:at]))
        found = getattr(found, part)
    return found, name


def _put_back(target, name, before):
    if before is MISSING:
        delattr(target, name)
    else:
        setattr(target, name, before)


def _put_item_back(mapping, name, before):
    if before is MISSING:
        mapping.pop(name, None)
    else:
        mapping[name] = before
