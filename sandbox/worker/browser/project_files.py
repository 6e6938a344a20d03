"""Tells which files of a project have changed: what a command starts works on them, and no restart puts them back."""

import os

LEFT_OUT = {"__pycache__", "node_modules", "venv"}


class ProjectFiles:
    """The files below a folder, as they were when `changed` was last asked.

    Files that are hidden, caches, installed packages and logs do not count.

    Args:
        root: the project's folder.
    """

    def __init__(self, root):
        self._root = root
        self._known = self._look()

    def changed(self):
        """The files that are new, gone or written since, sorted; POSIX, relative to the root."""
        before, self._known = self._known, self._look()
        return sorted(name for name in {*before, *self._known} if before.get(name) != self._known.get(name))

    def _look(self):
        found = {}
        for folder, folders, names in os.walk(self._root):
            folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith(".")]
            for name in names:
                if name.startswith(".") or name.endswith((".log", ".pyc")):
                    continue
                path = os.path.join(folder, name)
                try:
                    facts = os.lstat(path)
                except OSError:  # it is gone already
                    continue
                found[os.path.relpath(path, self._root).replace(os.sep, "/")] = (facts.st_mtime_ns, facts.st_size)
        return found
