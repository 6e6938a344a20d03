"""Loading what takes seconds to load, as quickly as that goes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (20_000, 20, 20)


@contextmanager
def fast_imports() -> Iterator[None]:
    """Import inside the block without looking for garbage: there is none, and what is imported stays.

    Afterwards the collector leaves all that alone for good, and looks more rarely: a command ends before long, and most
    of what it makes it keeps to its end.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()
