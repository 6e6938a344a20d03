"""What the test runners write down, one JSON line per fact, and the pieces both runners share.

Plain standard library, Python 3.9 syntax: this runs in the target's interpreter, next to code nobody trusts. A line is
written at once, so that a test which hangs or kills the process leaves its name behind (B-07, B-11).
"""

import json
import os
import random
import re
import signal

CASE_ID = re.compile(r"\btc_[a-z0-9_]+")
MESSAGE_LIMIT = 2000
TRACE_LIMIT = 4000
FRAME_LIMIT = 40


class TestTimedOut(BaseException):
    """A test used up its time. Not an Exception, so that `except Exception` in the target does not swallow it."""

    __test__ = False


class Journal:
    """Appends JSON lines to a file, only from the process that opened it: a test may fork and go on running."""

    def __init__(self, path):
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.set_inheritable(self._descriptor, False)
        self._process = os.getpid()

    def write(self, kind, **fact):
        """Write one line; `kind` says what it is about."""
        if os.getpid() != self._process:
            return
        line = json.dumps(dict(fact, kind=kind), sort_keys=True, ensure_ascii=True)
        data = (line + "\n").encode("ascii")
        while data:
            data = data[os.write(self._descriptor, data) :]


class Alarm:
    """Ends one test from outside: SIGALRM first, and the whole process when the test does not react to it."""

    def __init__(self, seconds):
        self.seconds = seconds
        self._usable = hasattr(signal, "setitimer")

    def start(self):
        """Begin a test's time."""
        if self._usable:
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def stop(self):
        """The test is over."""
        if self._usable:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number, frame):
        raise TestTimedOut("the test ran longer than {:g} s".format(self.seconds))


def case_id_of(parameter_id, documentation):
    """The spec's case id that a test carries, or None: in the id of its parameter row, else in its docstring."""
    for text in (parameter_id, documentation):
        found = CASE_ID.search(text or "")
        if found:
            return found.group(0)
    return None


def describe(error, project):
    """An exception as plain data: type, message, and the frames that lie in the project, outermost first.

    `inside` says whether the innermost frame of all belongs to the project; else a library or the interpreter raised.
    """
    frames = []
    inside = False
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        path = relative_to(code.co_filename, project)
        inside = path is not None
        if path is not None:
            frames.append({"path": path, "line": trace.tb_lineno, "function": code.co_name})
        trace = trace.tb_next
    kind = type(error)
    return {
        "type": kind.__name__,
        "bases": [base.__name__ for base in kind.__mro__[1:] if base is not object],
        "message": cut(text_of(error), MESSAGE_LIMIT),
        "missing": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "frames": frames[-FRAME_LIMIT:],
        "inside": inside,
    }


def relative_to(path, project):
    """A file's POSIX path below the project, or None when it lies elsewhere or is no file (`<frozen …>`)."""
    if path.startswith("<"):
        return None
    real = os.path.realpath(path)
    root = project.rstrip(os.sep) + os.sep
    return real[len(root) :].replace(os.sep, "/") if real.startswith(root) else None


def place_of(function, project):
    """Where a test is written, as [path, first line]; None when it is not in the project."""
    for _ in range(20):  # Decorators stand around it.
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    path = relative_to(code.co_filename, project)
    return None if path is None else [path, code.co_firstlineno]


def text_of(error):
    """str() of an exception; a broken `__str__` must not break the run."""
    try:
        return str(error)
    except Exception as problem:
        return "<{} without readable text: {}>".format(type(error).__name__, type(problem).__name__)


def cut(text, limit):
    """The text, shortened in the middle."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + "\n[...]\n" + text[-half:]


def arrange(names, groups, order):
    """The positions of the tests in the order asked for.

    Args:
        names: node id of each collected test.
        groups: file of each collected test.
        order: {"select": [node ids] | null, "exclude": [node ids], "shuffle": seed | null, "level": "test" | "module",
            "backwards": bool}. With `select` the order is the selection's, whatever else is asked.
    """
    excluded = set(order.get("exclude") or ())
    positions = [index for index, name in enumerate(names) if name not in excluded]
    selected = order.get("select")
    if selected is not None:
        rank = {name: index for index, name in enumerate(selected)}
        positions = [index for index in positions if names[index] in rank]
        return sorted(positions, key=lambda index: rank[names[index]])
    if order.get("backwards"):
        return positions[::-1]
    seed = order.get("shuffle")
    if seed is None:
        return positions
    chance = random.Random(seed)
    if order.get("level") != "module":
        chance.shuffle(positions)
        return positions
    files = {}
    for index in positions:
        files.setdefault(groups[index], []).append(index)
    shuffled = list(files)
    chance.shuffle(shuffled)
    for name in shuffled:
        chance.shuffle(files[name])
    return [index for name in shuffled for index in files[name]]
