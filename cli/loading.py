"""Loading what takes seconds to load, as quickly as that goes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import inside the block without looking for garbage: there is none, and what is imported stays.

    Afterwards the collector leaves all that alone for good.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
