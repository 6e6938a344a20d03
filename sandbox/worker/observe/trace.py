"""Records which lines of the target file run after which: settrace before Python 3.12, sys.monitoring from there on.

Arcs follow coverage.py: (-first line, line) enters a code object, (line, -first line) leaves it. A generator that
yields neither leaves nor enters again.
"""

import os
import sys
import threading
from opcode import opmap
from types import CodeType

RESUMABLE = 0x20 | 0x80 | 0x200  # inspect.CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


class TooManySteps(BaseException):
    """The trial ran more lines than it may; the same on every machine, unlike a time limit."""


def open_tracer(code, max_steps):
    """The tracer that suits this interpreter, for the module whose code object is given."""
    kind = _MonitoringTracer if hasattr(sys, "monitoring") else _SettraceTracer
    return kind(code, max_steps)


def open_counter(code, max_steps):
    """As `open_tracer`, where only the number of lines matters: arcs may be missing."""
    if hasattr(sys, "monitoring"):
        return _MonitoringTracer(code, max_steps)
    return _SettraceCounter(code, max_steps)


def code_objects(code):
    """The code object and all those nested in it."""
    found = [code]
    for code in found:
        found.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return found


class _Tracer:
    def __init__(self, code, max_steps):
        self.code = code
        self.arcs = set()
        self.steps = 0
        self.max_steps = max_steps
        self.active = False

    def __enter__(self):
        self.arcs = set()
        self.steps = 0
        self.active = True
        self.start()
        return self

    def __exit__(self, *_):
        self.active = False
        self.stop()

    def close(self):
        """No more use of it."""

    def start(self):
        raise NotImplementedError

    def stop(self):
        raise NotImplementedError

    def count(self):
        self.steps += 1
        if self.steps > self.max_steps:
            self.steps = 0
            raise TooManySteps


class _Settrace(_Tracer):
    """What the tracers before Python 3.12 share. They run at every call of any function, so that what they do there
    counts: reading a frame's code is an audit event, its globals are not and tell other files' functions at once.
    """

    def __init__(self, code, max_steps):
        super().__init__(code, max_steps)
        self.filename = code.co_filename
        self.ending = os.path.basename(code.co_filename)
        self.others = set()

    def stop(self):
        sys.settrace(None)
        threading.settrace(None)

    def trace(self, enter, counted):
        """Trace until it is stopped; the lines counted by then are the steps."""

        def stop():
            sys.settrace(None)
            threading.settrace(None)
            self.steps = counted()

        self.stop = stop
        threading.settrace(enter)
        sys.settrace(enter)

    def is_other(self, file):
        """Whether a module that says it is of this file, which is not the target's, holds none of the target's code."""
        if type(file) is not str or os.path.basename(file) == self.ending:
            return False
        self.others.add(file)
        return True


class _SettraceTracer(_Settrace):
    def __init__(self, code, max_steps):
        super().__init__(code, max_steps)
        self.resume = opmap.get("RESUME")
        self.yield_from = opmap.get("YIELD_FROM")
        self.yield_value = opmap.get("YIELD_VALUE")

    def start(self):
        filename, others, is_other = self.filename, self.others, self.is_other
        add, most, steps = self.arcs.add, self.max_steps, self.steps

        def enter(frame, _event, _argument):
            file = frame.f_globals.get("__file__")
            if type(file) is str and file in others:
                return None
            code = frame.f_code
            if code.co_filename != filename:
                is_other(file)
                return None
            first = code.co_firstlineno
            resumable = code.co_flags & RESUMABLE
            last = frame.f_lineno if resumable and self.is_resumed(frame, code) else -first

            def local(frame, event, _argument):  # pyrefly: ignore[non-convergent-recursion] - it returns itself
                nonlocal last, steps
                if event == "line":
                    line = frame.f_lineno
                    add((last, line))
                    last = line
                    steps += 1
                    if steps > most:
                        steps = 0
                        raise TooManySteps
                elif event == "return" and not (resumable and self.is_suspended(frame, code)):
                    add((last, -first))
                return local

            return local

        self.trace(enter, lambda: steps)

    def is_resumed(self, frame, code):
        """Whether a call of resumable code goes on where it stopped."""
        if self.resume is not None:
            return code.co_code[frame.f_lasti + 1] != 0
        return frame.f_lasti >= 0

    def is_suspended(self, frame, code):
        """Whether a return from resumable code is a stop in between."""
        instructions, last = code.co_code, frame.f_lasti
        if self.resume is not None:
            return last + 2 < len(instructions) and instructions[last + 2] == self.resume
        if instructions[last] == self.yield_value:
            return True
        return last + 2 < len(instructions) and instructions[last + 2] == self.yield_from


class _SettraceCounter(_Settrace):
    """Counts the lines of the target file that run, at less than half of the cost."""

    def start(self):
        filename, others, is_other = self.filename, self.others, self.is_other
        most, steps = self.max_steps, self.steps

        def local(_frame, event, _argument):  # pyrefly: ignore[non-convergent-recursion] - it returns itself
            nonlocal steps
            if event == "line":
                steps += 1
                if steps > most:
                    steps = 0
                    raise TooManySteps
            return local

        def enter(frame, _event, _argument):
            file = frame.f_globals.get("__file__")
            if type(file) is str and file in others:
                return None
            if frame.f_code.co_filename == filename:
                return local
            is_other(file)
            return None

        self.trace(enter, lambda: steps)


class _MonitoringTracer(_Tracer):
    """Only the target's own code objects report, so that everything else runs at full speed."""

    def __init__(self, code, max_steps):
        super().__init__(code, max_steps)
        self.local = threading.local()
        self.on = False
        monitoring = sys.monitoring  # pyrefly: ignore[missing-attribute]
        self.tool = next(number for number in (3, 4, 2, 1, 0) if monitoring.get_tool(number) is None)
        monitoring.use_tool_id(self.tool, "observe")
        events = monitoring.events
        self.events = events
        handlers = {
            events.PY_START: self.py_start,
            events.PY_RESUME: self.py_resume,
            events.PY_THROW: self.py_throw,
            events.LINE: self.line,
            events.PY_RETURN: self.py_return,
            events.PY_YIELD: self.py_yield,
            events.PY_UNWIND: self.py_unwind,
        }
        for event, handler in handlers.items():
            monitoring.register_callback(self.tool, event, handler)
        self.mine = set(code_objects(code))
        per_code = events.PY_START | events.PY_RESUME | events.LINE | events.PY_RETURN | events.PY_YIELD
        for code in self.mine:
            monitoring.set_local_events(self.tool, code, per_code)

    def start(self):
        self.local = threading.local()
        self.on = True
        # Unwinding and throwing cannot be watched per code object.
        sys.monitoring.set_events(self.tool, self.events.PY_UNWIND | self.events.PY_THROW)  # pyrefly: ignore[missing-attribute]

    def stop(self):
        self.on = False
        sys.monitoring.set_events(self.tool, 0)  # pyrefly: ignore[missing-attribute]

    def close(self):
        self.stop()
        for code in self.mine:
            sys.monitoring.set_local_events(self.tool, code, 0)  # pyrefly: ignore[missing-attribute]
        sys.monitoring.free_tool_id(self.tool)  # pyrefly: ignore[missing-attribute]

    def stack(self):
        try:
            return self.local.stack
        except AttributeError:
            stack = self.local.stack = []
            return stack

    def py_start(self, code, _offset):
        if self.on:
            self.stack().append(-code.co_firstlineno)

    def py_resume(self, _code, _offset):
        if self.on:
            self.stack().append(sys._getframe(1).f_lineno)

    def py_throw(self, code, _offset, _exception):
        if self.on and code in self.mine:
            self.stack().append(sys._getframe(1).f_lineno)

    def line(self, _code, line):
        if not self.on:
            return
        stack = self.stack()
        if stack:
            self.arcs.add((stack[-1], line))
            stack[-1] = line
        self.count()

    def py_return(self, code, _offset, _value):
        if self.on:
            stack = self.stack()
            if stack:
                self.arcs.add((stack.pop(), -code.co_firstlineno))

    def py_yield(self, _code, _offset, _value):
        if self.on:
            stack = self.stack()
            if stack:
                stack.pop()

    def py_unwind(self, code, offset, _exception):
        if self.on and code in self.mine:
            self.py_return(code, offset, None)
