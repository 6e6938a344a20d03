"""Builds the list of mounts that a program sees under bubblewrap."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..core.errors import SandboxFailure

_SYSTEM = ("/usr", "/nix/store", "/gnu/store")
_ROOT_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "mime.types")
_OWN = (Path("/proc"), Path("/dev"), Path("/sys"))
_HIDDEN = ("/proc/keys", "/proc/key-users")  # the keyrings of whoever started us
_ETC_FILES = {
    "passwd": "root:x:0:0:root:/:/bin/sh\ntester:x:1000:1000:tester:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
    "group": "root:x:0:\ntester:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def system_mounts(scratch_mib: int, *, sized: bool) -> tuple[list[str], tuple[bytes, ...]]:
    """The system's folders read-only, a minimal /etc, fresh /proc, /dev and /tmp.

    Args:
        scratch_mib: how much /tmp and /dev/shm may hold each.
        sized: whether this bubblewrap can bound them.

    Returns:
        The arguments, and the blobs that `@data:N@` in them refers to, counted from 1.
    """
    arguments: list[str] = []
    for folder in _SYSTEM:
        arguments += ["--ro-bind-try", folder, folder]
    for name in _ROOT_LINKS:
        link = Path(name)
        if link.is_symlink():
            arguments += ["--symlink", str(link.readlink()), name]
        elif link.is_dir():
            arguments += ["--ro-bind", name, name]
    for name in _ETC:
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    blobs = []
    for number, (name, contents) in enumerate(_ETC_FILES.items(), start=1):
        arguments += ["--perms", "0644", "--ro-bind-data", f"@data:{number}@", f"/etc/{name}"]
        blobs.append(contents.encode())
    bound = ["--size", str(scratch_mib * 1024 * 1024)] if sized else []
    # A root outside is still the owner of the kernel's settings inside: /proc is read-only for that reason.
    arguments += ["--proc", "/proc"]
    for name in _HIDDEN:
        arguments += ["--ro-bind", "/dev/null", name] if Path(name).exists() else []
    arguments += ["--remount-ro", "/proc", "--dev", "/dev", *bound, "--tmpfs", "/dev/shm"]
    arguments += ["--remount-ro", "/dev", *bound, "--tmpfs", "/tmp"]
    return arguments, tuple(blobs)


def project_mounts(readable: Sequence[Path], writable: Sequence[Path]) -> list[str]:
    """Binds for the program's own folders under the paths they have outside, outer folders first.

    Raises:
        SandboxFailure: a folder does not exist, or lies where the sandbox puts its own.
    """
    wanted: dict[Path, bool] = {}
    for path in _with_targets(readable):
        wanted[path] = False
    for path in _with_targets(writable):
        wanted[path] = True
    arguments = []
    for path in sorted(wanted, key=lambda one: one.parts):
        if not wanted[path] and _shown_already(path, wanted):
            continue
        if path == Path("/") or any(path.is_relative_to(own) for own in _OWN):
            raise SandboxFailure(f"{path} cannot be shown to a sandboxed program", advice="Choose another folder.")
        arguments += ["--bind" if wanted[path] else "--ro-bind", str(path), str(path)]
    return arguments


def _with_targets(paths: Iterable[Path]) -> Iterable[Path]:
    """Each path and what it really is: a program may use either."""
    for given in paths:
        path = Path(os.path.normpath(given))
        if not path.is_absolute() or not path.exists():
            raise SandboxFailure(f"{given} was to be shown to a sandboxed program but does not exist")
        yield path
        if path.resolve() != path:
            yield path.resolve()


def _shown_already(path: Path, wanted: dict[Path, bool]) -> bool:
    """Whether a read-only folder is part of one that is shown read-only anyway."""
    for parent in path.parents:
        if parent in wanted:
            return not wanted[parent]
    return any(path.is_relative_to(system) for system in (*_SYSTEM, *_ROOT_LINKS))
