"""Records which lines of several files run after which, including calls from one file into another.

Lines of the target itself are as in trace.py; those of the watched file number n (from 1) have n * OFFSET added.
An arc between two files is a call: from the line that calls to the first line of what is called, whatever code that is
not watched stands between them; to n * OFFSET where what is called was generated (the constructor of a dataclass).
"""

import sys
import threading

from .trace import RESUMABLE, _SettraceTracer

OFFSET = 1_000_000
DEEPEST = 40
MOST_WAITS = 100


MAKERS = ("__init__", "__new__", "__create_fn__")


class WideTracer(_SettraceTracer):
    """Traces the target and the watched files, in every thread that starts while it is active.

    Args:
        code: the target's module code.
        watched: absolute paths of the other files.
        modules: dotted names of all of them, the target's first.
    """

    def __init__(self, code, max_steps, watched, modules=()):
        super().__init__(code, max_steps)
        self.numbers = {self.filename: 0}
        for number, path in enumerate(watched, 1):
            self.numbers.setdefault(path, number)
        self.generated = {name: number for number, name in enumerate(modules)}

    def start(self):
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def stop(self):
        """Wait until no other thread is in a watched file: a server's thread may still be at the end of its answer."""
        for _ in range(MOST_WAITS):
            if not self.elsewhere():
                break
            threading.Event().wait(0.002)  # no clock of ours changes this
        super().stop()

    def elsewhere(self):
        """Whether another thread runs code of a watched file just now."""
        own = threading.get_ident()
        for ident, frame in sys._current_frames().items() if threading.active_count() > 1 else ():
            while ident != own and frame is not None:
                if frame.f_code.co_filename in self.numbers:
                    return True
                frame = frame.f_back
        return False

    def enter(self, frame, event, _argument):
        code = frame.f_code
        if event != "call":
            return None
        number = self.numbers.get(code.co_filename)
        if number is None:
            if code.co_filename.startswith("<") and code.co_name in MAKERS:
                self.made(frame)
            return None
        if code.co_name == "<module>":
            return None
        base = number * OFFSET
        first = base + code.co_firstlineno
        arcs = self.arcs
        last = -first
        resumable = code.co_flags & RESUMABLE
        if resumable and self.is_resumed(frame, code):
            last = base + frame.f_lineno
        else:
            caller = self.caller(frame.f_back)
            if caller is not None and caller // OFFSET != number:
                arcs.add((caller, first))

        def local(frame, event, _argument):  # pyrefly: ignore[non-convergent-recursion] - it returns itself
            nonlocal last
            if event == "line":
                line = base + frame.f_lineno
                arcs.add((last, line))
                last = line
                self.count()
            elif event == "return" and not (resumable and self.is_suspended(frame, code)):
                arcs.add((last, -first))
            return local

        return local

    def made(self, frame):
        """Note that a generated constructor of another file's class is called."""
        number = self.generated.get(frame.f_globals.get("__name__", ""))
        if number is None:
            return
        caller = self.caller(frame.f_back)
        if caller is not None and caller // OFFSET != number:
            self.arcs.add((caller, number * OFFSET))

    def caller(self, frame):
        """The line of the nearest watched frame, or None."""
        for _ in range(DEEPEST):
            if frame is None:
                return None
            number = self.numbers.get(frame.f_code.co_filename)
            if number is not None:
                return number * OFFSET + frame.f_lineno
            frame = frame.f_back
        return None
