"""Where it was measured: figures of time mean nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

BUSY = 0.5


def machine() -> dict[str, Any]:
    """Processors, memory, system and load. `load` counts processes that wanted a processor in the last minute."""
    return {
        "processors": os.cpu_count(),
        "model": _first("/proc/cpuinfo", "model name"),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }


def _first(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "unknown")
