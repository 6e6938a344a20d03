"""Starts tool servers in a process namespace of their own, where bubblewrap can make one.

Inside they see neither testwright nor their guard, so they can end neither and read the environment of neither; when
the namespace's first process ends, the kernel ends all others. Files, network and rights stay the user's own: a tool
server is a program of the user's.
"""

from __future__ import annotations

import functools
import os

from ....core.errors import SandboxUnavailable
from ....sandbox.bubblewrap import bubblewrap_that

_OPTIONS = ("--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent")
_RIGHTS = (
    *("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID"),
    *("CAP_SETPCAP", "CAP_SETFCAP", "CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SYS_CHROOT", "CAP_AUDIT_WRITE"),
)
"""What root's servers keep of root's rights: those of a usual container, with which nothing is mounted or traced."""


@functools.cache
def namespace_command() -> tuple[str, ...]:
    """What to put before a command so that it has processes of its own; empty where that cannot be. Blocks briefly."""
    rights = [part for right in _RIGHTS for part in ("--cap-add", right)] if os.geteuid() == 0 else []
    options = (*(("--cap-drop", "ALL", *rights) if rights else ()), *_OPTIONS)
    try:
        return (str(bubblewrap_that(*options)), *options, "--")
    except SandboxUnavailable:
        return ()
