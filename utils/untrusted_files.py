"""Opens files that code nobody trusts could have made, replaced or turned into something else.

Whatever a sandboxed program can write, and whatever a project holds, is read and written through this module only: an
open folder is the start, every step below it is taken without following links, only regular files are opened, and no
more than a bound is read. So a link, a pipe, a device or an endless file costs an error and never a wait, somebody
else's file, or the memory. Every error is an OSError.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

MIB = 1024 * 1024
MAX_RESULT_BYTES = 64 * MIB
"""The most that is read of a file which a sandboxed program wrote."""

MAX_SOURCE_BYTES = 16 * MIB
"""The most that is read of one of the project's own files."""

_ENCODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class UntrustedFileError(OSError):
    """A file is not what it should be: a link, no regular file, outside of its folder, or too large."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(errno.EINVAL, what, name)


def read_bytes(folder: Path, name: str, *, most: int = MAX_RESULT_BYTES) -> bytes:
    """Read a file that a sandboxed program could have touched; no link on the way is followed.

    Args:
        folder: where no such program can write, nor above it.
        name: POSIX path below it.
        most: bytes that the file may have.

    Raises:
        FileNotFoundError: it is not there.
        UntrustedFileError: it is no regular file, is reached by a link, or is larger than `most`.
    """
    with open_regular(folder, name) as reading:
        size = os.fstat(reading.fileno()).st_size
        content = reading.read(most + 1) if size <= most else b""
    # A file may grow while it is read, and some file systems report no size.
    if size > most or len(content) > most:
        raise UntrustedFileError(name, f"it is larger than {_in_words(most)}")
    return content


@contextmanager
def open_regular(folder: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of any size for reading, as `read_bytes` does, for the block. Raises as it does."""
    parts = _parts(name)
    with _opened(folder, parts[:-1], name) as parent:
        try:
            descriptor = os.open(parts[-1], _READ, dir_fd=parent)
        except OSError as fault:
            raise _explained(fault, name) from fault
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UntrustedFileError(name, "it is not a regular file")
        with open(descriptor, "rb", closefd=False) as reading:
            yield reading
    finally:
        os.close(descriptor)


def _in_words(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"


def read_json(folder: Path, name: str, *, most: int = MAX_RESULT_BYTES) -> Any:
    """Read and decode a JSON file like `read_bytes`. Raises also ValueError, for nesting too deep to decode as well."""
    return decoded_json(read_bytes(folder, name, most=most))


def decoded_json(text: bytes | str) -> Any:
    """Decode JSON that nobody vouches for. Raises ValueError, for nesting too deep to decode as well."""
    try:
        return json.loads(text)
    except RecursionError as fault:
        raise ValueError("the JSON is nested too deeply") from fault


def read_source_bytes(root: Path, name: str | Path, *, most: int = MAX_SOURCE_BYTES) -> bytes:
    """Read one of a project's own files; links are followed as long as they stay inside its root.

    Args:
        root: the project's folder, or a copy of it.
        name: path of the file, relative to the root or below it.

    Raises:
        FileNotFoundError: it is not there.
        UntrustedFileError: it is no regular file, lies outside of the root, or is larger than `most` bytes.
    """
    with suppress(UntrustedFileError):  # most paths have no link on them, which this is enough to know
        return read_bytes(root, _below(root, os.fspath(name)), most=most)
    base = root.resolve()
    try:
        real = (base / name).resolve()
    except RuntimeError as fault:  # a loop of links
        raise UntrustedFileError(str(name), "its links form a loop") from fault
    if not real.is_relative_to(base) or real == base:
        raise UntrustedFileError(str(name), "it lies outside of the project's folder")
    return read_bytes(base, real.relative_to(base).as_posix(), most=most)


def _below(root: Path, name: str) -> str:
    return name.removeprefix(f"{root}{os.sep}") if name.startswith(os.sep) else name


def read_source(root: Path, name: str | Path, *, errors: str = "strict", most: int = MAX_SOURCE_BYTES) -> str:
    """Read the text of one of a project's own files; line ends become newlines. Raises also UnicodeDecodeError.

    A text is UTF-8, unless it is a Python file that declares another encoding in its first two lines.

    Args:
        errors: what becomes of bytes that are not in the encoding, as in `bytes.decode`.
    """
    content = read_source_bytes(root, name, most=most)
    if str(name).endswith(".py"):
        return decoded_source(content, errors=errors)
    return content.decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def source_or_empty(root: Path, name: str | Path, *, errors: str = "strict", most: int = MAX_SOURCE_BYTES) -> str:
    """Read the text of one of a project's own files as `read_source` does; empty where that is not possible."""
    try:
        return read_source(root, name, errors=errors, most=most)
    except (OSError, UnicodeDecodeError):
        return ""


def decoded_source(content: bytes, *, errors: str = "strict") -> str:
    """The text of a Python file in the encoding that it declares; line ends become newlines, a byte order mark goes.

    Raises:
        UnicodeDecodeError: it is not in that encoding.
    """
    text = content.removeprefix(codecs.BOM_UTF8).decode(_declared_encoding(content), errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared_encoding(content: bytes) -> str:
    """The encoding that a Python file declares; UTF-8 where it declares none, or one that Python does not have."""
    if content.isascii() or content.startswith(codecs.BOM_UTF8):
        return "utf-8"
    for line in content.split(b"\n", 2)[:2]:
        found = _ENCODING.match(line)
        if found is not None:
            name = found.group(1).decode("ascii")
            try:
                return name if codecs.lookup(name)._is_text_encoding else "utf-8"
            except LookupError:
                return "utf-8"
        if line.split(b"#")[0].strip():
            break  # the second line counts only below an empty one or a comment
    return "utf-8"


def is_source_file(root: Path, path: Path) -> bool:
    """Whether a path below the root is a regular file, or a link that leads to one inside the root."""
    try:
        facts = path.lstat()
        if stat.S_ISREG(facts.st_mode):
            return True
        if not stat.S_ISLNK(facts.st_mode):
            return False
        real = path.resolve()
        return stat.S_ISREG(real.lstat().st_mode) and real.is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def write_file(folder: Path, name: str, content: str | bytes) -> None:
    """Write a file where a sandboxed program could have prepared the place; it is complete when it appears.

    Folders on the way are made. A link or file that already has the name is replaced, never written through.

    Args:
        folder, name: as for `read_bytes`.

    Raises:
        UntrustedFileError: a link or something that is no folder stands in the way.
    """
    parts = _parts(name)
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _opened(folder, parts[:-1], name, make=True) as parent:
        part = f".{secrets.token_hex(8)}.part"
        descriptor = os.open(part, _NEW, 0o644, dir_fd=parent)
        try:
            with open(descriptor, "wb") as writing:  # noqa: PTH123 - a descriptor
                writing.write(data)
            os.rename(part, parts[-1], src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with suppress(OSError):
                os.unlink(part, dir_fd=parent)
            raise


def _parts(name: str) -> Sequence[str]:
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in name:
        raise UntrustedFileError(name, "it leads out of its folder")
    return pure.parts


@contextmanager
def _opened(folder: Path, parts: Sequence[str], name: str, *, make: bool = False) -> Iterator[int]:
    """The descriptor of a folder, entered step by step from one that is trusted; links on the way are refused."""
    descriptor = os.open(folder, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=descriptor)
            try:
                inner = os.open(part, _FOLDER, dir_fd=descriptor)
            except OSError as fault:
                raise _explained(fault, name) from fault
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _explained(fault: OSError, name: str) -> OSError:
    """The error in words: the kernel calls a link ELOOP, a link to a folder ENOTDIR, and a socket ENXIO."""
    if fault.errno in (errno.ELOOP, errno.EMLINK):
        return UntrustedFileError(name, "it is a link")
    if fault.errno == errno.ENOTDIR:
        return UntrustedFileError(name, "a part of its path is a link or no folder")
    if fault.errno in (errno.ENXIO, errno.ENODEV):
        return UntrustedFileError(name, "it is not a regular file")
    return fault
