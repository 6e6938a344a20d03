"""Records what code of the project passes to functions and methods of the target while a program of it runs."""

import inspect
import io
import sys

MAX_CALLS = 150
MAX_EACH = 12
MAX_HELD = 200
_GENERATING = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


class PassedArguments:
    """Calls of code of one file, in the order in which they begin.

    Args:
        path: the file's name, as its code objects have it.
        renderer: writes the arguments.
    """

    def __init__(self, path, renderer):
        self.told = []
        self._path = path
        self._renderer = renderer
        self._counts = {}
        self._generators = []

    def start(self):
        """Begin to record, in this thread."""
        sys.setprofile(self._notice)

    def stop(self):
        """End to record."""
        sys.setprofile(None)

    def _notice(self, frame, event, _):
        code = frame.f_code
        if event != "call" or code.co_filename != self._path or code.co_name.startswith("<"):
            return
        if len(self.told) >= MAX_CALLS or self._counts.get(code, 0) >= MAX_EACH:
            return
        if code.co_flags & _GENERATING:
            # A generator is entered again for each of its items.
            if any(one is frame for one in self._generators):
                return
            self._generators.append(frame)
        self._counts[code] = self._counts.get(code, 0) + 1
        self.told.append([code.co_name, code.co_firstlineno, self._arguments(frame)])

    def _arguments(self, frame):
        """Pairs of a parameter and what it was given; what a star takes is under its name with the star."""
        code, given = frame.f_code, frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        names = [name for at, name in enumerate(code.co_varnames[:count]) if at or name not in ("self", "cls")]
        told = [[name, self._value(given[name])] for name in names if name in given]
        for flag, star in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if code.co_flags & flag:
                name = code.co_varnames[count]
                count += 1
                if given.get(name):
                    told.append([star + name, self._value(given[name])])
        return told

    def _value(self, thing):
        """What was passed; a small file in memory by what it holds, wherever it was read to."""
        told = self._renderer.value(thing, depth=0)
        if type(thing) in (io.StringIO, io.BytesIO) and not thing.closed:
            place = thing.tell()
            size = thing.seek(0, io.SEEK_END)
            thing.seek(place)
            source = "io.%s(%r)" % (type(thing).__name__, thing.getvalue()) if size <= MAX_HELD else ""
            told.pop("s", None)
            if source and not self._renderer.tells_place(source):
                told["s"], told["i"] = source, ["import io"]
        return told
