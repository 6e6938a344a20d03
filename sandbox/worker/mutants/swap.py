"""Replaces a file's code by its mutated source, at import or in loaded functions; writes no file.

Whatever loads a module from its source asks `SourceFileLoader.get_code`, in any layout: packages, single modules,
namespace packages, `spec_from_file_location`, runpy. Bytecode of the original is neither read nor written.
"""

import __future__

import ast
import gc
import importlib.machinery
import importlib.util
import os
import sys
import types

FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


class Sources:
    """The original files, decoded as the interpreter would, with their compiled code."""

    def __init__(self, project, paths):
        self._kept = {}
        for path in paths:
            full = os.path.realpath(os.path.join(project, path))
            with open(full, "rb") as stream:
                data = importlib.util.decode_source(stream.read()).encode("utf-8")
            code = compile_text(data, full)
            self._kept[path] = (full, data, code, Parts(data, code, full))

    def place(self, path):
        """The real path of a file."""
        return self._kept[path][0]

    def changed(self, path, start, end, replacement):
        """The compiled code of a file with a part of it replaced; None when it does the same as the original's.

        Raises SyntaxError when it does not compile.
        """
        full, data, original, parts = self._kept[path]
        code = parts.changed(start, end, replacement.encode("utf-8"))
        if code is None:
            code = compile_text(data[:start] + replacement.encode("utf-8") + data[end:], full)
        return None if same(code, original) else code

    def original(self, path):
        """The compiled code of the file as it is."""
        return self._kept[path][2]


class Parts:
    """The functions and classes of a file, which can be compiled one at a time: a mutant changes only one of them.

    Where it changes none, all that stands around them is compiled, with nothing in them, and they are put in.
    """

    def __init__(self, data, code, full):
        self._data = data
        self._code = code
        self._full = full
        self._parts = []
        starts = [0]
        for line in data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        tree = ast.parse(data, full)
        # The compiler writes calls of imported names in another way, so it has to know which names are imported.
        names = sorted(imported(tree))
        self._head = ("import " + ", ".join("a as " + name for name in names)).encode("utf-8") if names else b""
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = first_line(node)
                body = starts[first_line(node.body[0]) - 1] + node.body[0].col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset  # pyrefly: ignore[unsupported-operation] - the parser sets both
                self._parts.append((first, starts[first - 1], body, end, node.name))

    def changed(self, start, end, replacement):
        """The code of the whole file with a part of it replaced; None where it has to be compiled as a whole.

        Raises SyntaxError when it does not compile.
        """
        for first, begin, body, close, name in self._parts:
            if not (body <= start and end <= close):
                continue
            if first == 1:
                return None
            text = (
                self._head + b"\n" * (first - 1) + self._data[begin:start] + replacement + self._data[end:close] + b"\n"
            )
            flags = self._code.co_flags & FUTURES
            code = compile_text(text, self._full, flags)
            new = [part for part in codes(code) if part.co_name == name]
            old = [part for part in codes(self._code) if part.co_name == name and part.co_firstlineno == first]
            if len(new) != 1 or len(old) != 1 or new[0].co_firstlineno != first:
                return None
            consts = tuple(new[0] if co_const is old[0] else co_const for co_const in self._code.co_consts)
            return self._code.replace(co_consts=consts)
        return self._around(start, end, replacement)

    def _around(self, start, end, replacement):
        """As `changed`, for a change outside of all bodies. Raises SyntaxError when it does not compile."""
        text, at = b"", 0
        for _, _, body, close, _ in self._parts:
            # The change reaches into a body: only a compilation of the whole file is right.
            if start < close and body < end:
                return None
            if body >= end and at <= start:
                text, at = text + self._data[at:start] + replacement, end
            text += self._data[at:body] + b"pass" + b"\n" * self._data.count(b"\n", body, close)
            at = close
        if at <= start:
            text, at = text + self._data[at:start] + replacement, end
        code = compile_text(text + self._data[at:], self._full)
        old, new = codes(self._code), codes(code)
        # Other functions or classes came of it: the old bodies no longer correspond to the new ones.
        if [part.co_name for part in old] != [part.co_name for part in new]:
            return None
        bodies = {(name, first) for first, _, _, _, name in self._parts}
        known = [before if (before.co_name, before.co_firstlineno) in bodies else None for before in old]
        # Two definitions share a name and a line, so bodies cannot be told apart.
        if len(self._parts) != sum(before is not None for before in known):
            return None
        following = iter(known)
        consts = [
            (next(following) or co_const) if isinstance(co_const, types.CodeType) else co_const
            for co_const in code.co_consts
        ]
        return code.replace(co_consts=tuple(consts))


def first_line(node):
    """The line on which a statement begins, decorators included."""
    return min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", ())])


def imported(tree):
    """The names that a module imports, wherever outside of functions and classes."""
    found = set()
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update((alias.asname or alias.name).split(".")[0] for alias in node.names if alias.name != "*")
            elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
                waiting.append(node)
    return found


class Live:
    """The functions of the files that are loaded already, whose code can be changed in place.

    Made when the project has been imported with the code of `Sources`: a function is known by its code object.
    """

    def __init__(self, sources):
        self._sources = sources
        self._functions = {}
        self._changed = []
        self._loading = None
        for object_ in gc.get_objects():
            if type(object_) is types.FunctionType:
                self._functions.setdefault(id(object_.__code__), []).append(object_)
        places = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        self._loaded = {os.path.realpath(place) for place in places if place}

    def change(self, path, code):
        """Put the functions of a changed file in the place of the loaded ones; False where that cannot be done."""
        place = self._sources.place(path)
        found = 0
        pairs = different(self._sources.original(path), code)
        if pairs is None:
            return False
        for before, after in pairs:
            for function in self._functions.get(id(before), ()):
                try:
                    function.__code__ = after
                except ValueError:  # it shares other variables with the functions around it than before
                    return False
                self._changed.append((function, before))
                found += 1
        self._loading = importlib.machinery.SourceFileLoader.get_code
        put_in_place(place, code)
        return found > 0 or place not in self._loaded

    def functions(self, path, line, name):
        """The loaded functions of a file's code that begins at a line, of its first decorator, and has that name."""
        waiting = [self._sources.original(path)]
        while waiting:
            code = waiting.pop()
            waiting += codes(code)
            if (code.co_firstlineno, code.co_name) == (line, name):
                return self._functions.get(id(code), [])
        return []

    def functions_in(self, places):
        """The loaded functions of some files, by path.

        Args:
            places: real paths of files, by path.
        """
        wanted = {place: path for path, place in places.items()}
        found, known = {path: [] for path in places}, {}
        for functions in self._functions.values():
            name = functions[0].__code__.co_filename
            if name not in known:
                known[name] = wanted.get(os.path.realpath(name))
            if known[name] is not None:
                found[known[name]] += functions
        return found

    def restore(self):
        """Take back what was changed."""
        for function, before in self._changed:
            function.__code__ = before
        self._changed = []
        if self._loading is not None:
            importlib.machinery.SourceFileLoader.get_code = self._loading
            self._loading = None


def different(code, other):
    """The pairs of code objects, of two that hold functions, that differ; None when what holds them differs."""
    mine, its = codes(code), codes(other)
    if [part.co_name for part in mine] != [part.co_name for part in its]:
        return None
    pairs = []
    for before, after in zip(mine, its):
        if not same(before, after):
            pairs.append((before, after))
            pairs += different(before, after) or []
    return pairs


def codes(code):
    """The code objects among a code object's constants, in order."""
    return [co_const for co_const in code.co_consts if isinstance(co_const, types.CodeType)]


def compile_text(data, path, flags=0):
    """Compile the text of a module; null characters count as a syntax error, as they do in newer interpreters."""
    try:
        return compile(data.decode("utf-8"), path, "exec", flags, True)
    except ValueError as error:
        raise SyntaxError(str(error)) from error


def put_in_place(place, code):
    """From now on this process loads `code` where it would load the file."""
    real = importlib.machinery.SourceFileLoader.get_code
    file = os.path.basename(place)

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        if os.path.basename(path) == file and os.path.realpath(path) == place:
            return code
        return real(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code


def remember():
    """From now on this process, and those forked from it, compile a file they load only once."""
    real = importlib.machinery.SourceFileLoader.get_code
    kept = {}

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        if path not in kept:
            kept[path] = real(self, fullname)
        return kept[path]

    importlib.machinery.SourceFileLoader.get_code = get_code


def same(code, other):
    """Whether two code objects do the same: instructions, names and constants, without lines and columns."""
    if code is other:
        return True
    if (code.co_code, code.co_names, code.co_varnames) != (other.co_code, other.co_names, other.co_varnames):
        return False
    if len(code.co_consts) != len(other.co_consts):
        return False
    for mine, its in zip(code.co_consts, other.co_consts):
        if isinstance(mine, types.CodeType) and isinstance(its, types.CodeType):
            if not same(mine, its):
                return False
        elif type(mine) is not type(its) or repr(mine) != repr(its):
            return False
    # Where an exception is caught is part of what a function does, and stands beside its instructions since 3.11.
    return getattr(code, "co_exceptiontable", b"") == getattr(other, "co_exceptiontable", b"")
