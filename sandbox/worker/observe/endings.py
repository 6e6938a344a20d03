"""Describes the exception that ended a trial, and detects threads it left running."""

import threading
import traceback

from .names import type_name

MAX_MESSAGE = 500


def raised(error, renderer, path):
    """An exception for the host; `path` is the target file, whose last line on the way is told."""
    message = _message(error)
    if renderer is not None and renderer.clean(message) != message:
        message = ""
    frames = [frame for frame in traceback.walk_tb(error.__traceback__) if frame[0].f_code.co_filename == path]
    told = {
        "t": type_name(type(error)),
        "m": message[:MAX_MESSAGE],
        "l": frames[-1][1] if frames else 0,
        "b": [type_name(base) for base in type(error).__mro__[1:-1]],
    }
    if isinstance(error, SystemExit) and renderer is not None:
        told["c"] = renderer.value(error.code).get("s")
    return told


def leaves_threads():
    """Whether a thread goes on for long after the trial."""
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(0.2)
            if thread.is_alive():
                return True
    return False


def _message(error):
    try:
        return str(error)
    except Exception:
        return ""
