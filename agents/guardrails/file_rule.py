"""Decides which files a model-written test may touch: below tmp_path anything, beside the tests only reading."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...utils.python_names import last_name
from .module_allowlist import FILES
from .name_table import NameTable
from .path_reach import PathReach, path_reach
from .possible_values import possible_texts, possible_values

# Functions that take a path that they read or open; one that they write or delete; two.
_READ = frozenset(
    """os.listdir os.scandir os.walk os.stat os.lstat os.readlink os.access glob.glob glob.iglob shutil.which
    zipfile.is_zipfile tarfile.is_tarfile xml.etree.ElementTree.parse xml.dom.minidom.parse
    xml.etree.ElementTree.iterparse""".split()
)
_OPENED = frozenset(
    """open io.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile tarfile.TarFile gzip.GzipFile bz2.BZ2File
    lzma.LZMAFile tarfile.TarFile.open""".split()
)
_ONE_WRITTEN = frozenset(
    """os.mkdir os.makedirs os.remove os.unlink os.rmdir os.removedirs os.chmod os.utime os.truncate os.chdir
    shutil.rmtree os.open sqlite3.connect""".split()
)
_TWO_WRITTEN = frozenset(
    """os.rename os.renames os.replace os.symlink os.link shutil.copy shutil.copy2 shutil.copyfile shutil.copytree
    shutil.move""".split()
)
PATH_FUNCTIONS = _READ | _OPENED | _ONE_WRITTEN | _TWO_WRITTEN
"""Functions that may only be called where they stand, so that their paths can be read."""
_OUT = frozenset({"pathlib.Path.home", "pathlib.Path.cwd", "os.getcwd"})
CHANGING = frozenset(
    "unlink rmdir rmtree write_text write_bytes symlink_to hardlink_to link_to chmod lchmod expanduser".split()
)
"""Methods of paths that change files."""
_LOOKING = frozenset("read_text read_bytes iterdir glob rglob walk stat lstat readlink owner group".split())
_MAKING = frozenset("mkdir touch".split())
_MOVING = frozenset({"rename", "replace"})
_ASKED_OF_MOCKS = ("assert", "call", "called", "return_value", "side_effect", "await", "mock_")


class FileRule:
    """Finds calls in one file that touch forbidden files.

    Args:
        names: what the file's names stand for.
    """

    def __init__(self, names: NameTable) -> None:
        self._names = names

    def call(self, node: ast.Call) -> Iterator[str]:
        """Yields what a call reaches for, deferred calls (`addCleanup(f, x)`) included."""
        later = self._names.called(node.args[0]) if node.args else None
        if later is not None:
            yield from self.call(later)
        dotted = self._names.dotted(node.func) or [self._names.builtin(node.func)]
        for dotted_name in dotted:
            if not self._function(node, dotted_name):
                yield f"{FILES} with {dotted_name}"
        if isinstance(node.func, ast.Attribute) and not set(dotted) & PATH_FUNCTIONS:
            name = node.func.attr
            if not self._method(node, node.func.value, name):
                yield f"{FILES} with {name}"

    def attribute(self, node: ast.Attribute) -> Iterator[str]:
        """Yields a path method that is passed on instead of called, so that its path cannot be read."""
        around = self._names.parents.get(node)
        if node.attr not in CHANGING or self._names.called(node) is not None:
            return
        if isinstance(around, ast.Attribute) and around.attr.startswith(_ASKED_OF_MOCKS):
            return
        if isinstance(node.ctx, ast.Load):
            yield f"{FILES} with {node.attr}"

    def _function(self, node: ast.Call, dotted: str) -> bool:
        """Whether a function of the standard library is called with allowed paths."""
        given = [
            *node.args,
            *(keyword.value for keyword in node.keywords if keyword.arg in ("file", "path", "name", "filename")),
        ]
        if dotted in _OUT:
            return False
        # Temporary files are fine unless `dir=` leads out.
        if dotted.startswith("tempfile."):
            return path_reach(self._names, node) is not PathReach.OUTSIDE
        if dotted in _READ:
            return not given or path_reach(self._names, given[0]) <= PathReach.GIVEN
        if dotted in _OPENED:
            return not given or self._opened(node, given[0], at=1)
        if dotted in _ONE_WRITTEN | _TWO_WRITTEN:
            count = 2 if dotted in _TWO_WRITTEN else 1
            paths = [
                *given[:count],
                *(keyword.value for keyword in node.keywords if keyword.arg in ("src", "dst", "database")),
            ]
            # An in-memory database writes no file.
            if dotted == "sqlite3.connect" and paths and possible_texts(self._names, paths[0]) == {":memory:"}:
                return True
            return bool(paths) and all(self._may_write(path, node) for path in paths)
        return True

    def _method(self, node: ast.Call, receiver: ast.expr, name: str) -> bool:
        # Without a path an archive is unpacked into the working folder.
        if name == "extractall":
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "path")]
            return bool(given) and self._may_write(given[0], node)
        if name == "chdir":
            return bool(node.args) and path_reach(self._names, node.args[0]) is PathReach.INSIDE
        # A list or a mock may have methods of the same names.
        if name in CHANGING | _LOOKING | _MAKING | _MOVING | {"open"} and self._not_a_path(receiver):
            return True
        reach = path_reach(self._names, receiver)
        # It leads to the user's home, whatever the path.
        if name == "expanduser":
            return False
        if name in CHANGING:
            # A link is a way to its target, so both ends have to be allowed.
            targets = node.args[:1] if name in ("symlink_to", "hardlink_to", "link_to") else []
            return self._may_write(receiver, node) and all(self._may_write(target, node) for target in targets)
        if name in _LOOKING:
            return reach is not PathReach.OUTSIDE
        if name in _MAKING:
            return reach in (PathReach.INSIDE, PathReach.GIVEN, PathReach.UNKNOWN) or self._may_write(receiver, node)
        if name == "open":
            return reach is not PathReach.OUTSIDE and (
                reach in (PathReach.INSIDE, PathReach.UNKNOWN) or self._opened(node, receiver, at=0)
            )
        if name in _MOVING and len(node.args) == 1 and not node.keywords:
            target = path_reach(self._names, node.args[0])
            return reach is not PathReach.OUTSIDE and target is not PathReach.OUTSIDE
        return True

    def _opened(self, node: ast.Call, path: ast.expr, at: int) -> bool:
        """Whether a file may be opened with the mode of this call."""
        modes = [*node.args[at : at + 1], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        texts = possible_texts(self._names, modes[0]) if modes else {"r"}
        if texts is not None and not any(set(text) & set("wax+") for text in texts):
            return path_reach(self._names, path) <= PathReach.GIVEN or self._in_memory(path)
        return self._may_write(path, node) or self._in_memory(path)

    def _in_memory(self, node: ast.expr) -> bool:
        values = possible_values(self._names, node) if isinstance(node, ast.Name) else [node]
        makers = [self._names.dotted(value.func) for value in values if isinstance(value, ast.Call)]
        return len(makers) == len(values) and all(set(item) & {"io.BytesIO", "io.StringIO"} for item in makers)

    def _may_write(self, path: ast.expr, where: ast.AST) -> bool:
        reach = path_reach(self._names, path)
        return reach is PathReach.INSIDE or (reach is PathReach.RELATIVE and self._in_temporary_folder(where))

    def _in_temporary_folder(self, where: ast.AST) -> bool:
        """Whether the function around has changed into a folder below tmp_path before this line."""
        for scope in self._names.scopes(where):
            for node in ast.walk(scope) if not isinstance(scope, ast.Module) else ():
                if isinstance(node, ast.Call) and last_name(node.func) == "chdir" and node.lineno < where.lineno:  # pyrefly: ignore[missing-attribute]
                    return bool(node.args) and path_reach(self._names, node.args[0]) is PathReach.INSIDE
        return False

    def _not_a_path(self, receiver: ast.expr) -> bool:
        """Whether a value is an object of the code under test or a mock, whose methods are not those of a path."""
        values = possible_values(self._names, receiver) if isinstance(receiver, ast.Name) else [receiver]
        for value in values:
            makers = self._names.dotted(value.func) if isinstance(value, ast.Call) else []
            if not makers or any(each.startswith(("pathlib.", "os.", "tempfile.")) for each in makers):
                return False
            if not all(each.startswith("unittest.mock.") or last_is_class(each) for each in makers):
                return False
        return bool(values)


def last_is_class(dotted: str) -> bool:
    """Whether the last part of a dotted name is capitalized like a class."""
    return dotted.rpartition(".")[2][:1].isupper()
