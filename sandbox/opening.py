"""Opens the sandbox of the requested kind."""

from __future__ import annotations

from typing import Literal

from .bubblewrap import open_bubblewrap
from .protocol import Sandbox
from .weak import open_weak


def open_sandbox(kind: Literal["auto", "bubblewrap", "weak"] = "auto") -> Sandbox:
    """The sandbox that was asked for; `auto` is bubblewrap, never the weak one. Blocks for some tens of milliseconds.

    Raises:
        SandboxUnavailable: this machine cannot give it; the advice says how it could.
    """
    return open_weak() if kind == "weak" else open_bubblewrap()
