"""Notes what of its surroundings a trial looked at: environment variables, the working folder.

Only looks of the target or the trial count, directly or through the functions of the standard library that are there
for it (`os.getenv`, `os.path.expanduser`, `pathlib`). Plain standard library, Python 3.9.
"""

import os
import sys

from ..bootstrap import FOLDER
from .clock import is_own

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

_THROUGH = ("os.py", "_collections_abc.py", "posixpath.py", "genericpath.py", "pathlib.py", "_local.py", "_os.py")
_DEEPEST = 8


class AmbientReads:
    """What the act looked at so far; nothing is noted while `on` is false."""

    def __init__(self):
        self.on = False
        self.seen = set()

    def install(self):
        """Listen at the environment and at the working folder, for the rest of the process."""
        environment: Any = type(os.environ)
        getcwd = os.getcwd
        read = environment.__getitem__

        def noted(mapping, name):
            if self.on and mapping is os.environ and isinstance(name, str) and _is_asked_by_target():
                self.seen.add("env:" + name)
            return read(mapping, name)

        def where():
            if self.on and _is_asked_by_target():
                self.seen.add("cwd")
            return getcwd()

        environment.__getitem__ = noted
        os.getcwd = where

    def begin(self):
        """Forget what was noted, and note from now on."""
        self.seen.clear()
        self.on = True

    def end(self):
        """Note nothing any more; returns what was noted, sorted.

        Whatever copies or lists the whole environment asks for none of its variables.
        """
        self.on = False
        everything = {"env:" + name for name in os.environ}
        return sorted(self.seen - everything if len(everything) > 1 and everything <= self.seen else self.seen)


def _is_asked_by_target():
    frame = sys._getframe(2)
    for _ in range(_DEEPEST):
        if frame is None:
            return False
        if is_own(frame):
            return True
        path = frame.f_globals.get("__file__") or ""
        if path.startswith(FOLDER):  # a comparison of the target's that is recorded
            frame = frame.f_back
            continue
        if os.path.basename(path) not in _THROUGH:
            return False
        frame = frame.f_back
    return False
