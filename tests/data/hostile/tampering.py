"""Replaces what its tests, and those of others in the same process, rely on; all of it when it is imported."""

import builtins
import gc
import importlib
import json
import locale
import os
import random
import sys
import time
import warnings

import pytest

_REAL = builtins.open


class _Finder:
    """Finds another module for each name."""

    def find_spec(self, name, path=None, target=None):
        return None


builtins.open = lambda *args, **kwargs: _REAL(os.devnull)
builtins.__import__ = builtins.__import__
json.dumps = lambda *args, **kwargs: '{"kind": "forged"}'
time.time = lambda: 0.0
random.seed = lambda *args: None
sys.meta_path.insert(0, _Finder())
sys.path.insert(0, "/nonexistent")
sys.setrecursionlimit(80)
sys.exit = lambda *args: None
sys.settrace(None)
sys.stdout = None
os.environ.clear()
os.umask(0o777)
os.chdir("/")
gc.disable()
locale.setlocale(locale.LC_ALL, "C")
warnings.simplefilter("error")
pytest.fail = pytest.raises = lambda *args, **kwargs: None
importlib.reload = lambda module: module


def triple(n: int) -> int:
    """Three times.

    >>> triple(2)
    6
    """
    return n * 3
