"""Lists the distributions in folders of packages that a project may have brought along: nothing is waited for."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection, Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from ..utils.untrusted_files import MAX_SOURCE_BYTES

_READ = (".", "METADATA", "PKG-INFO")
_PLACE = re.compile(r"([^-]+)(?:-.*)?\.(?:dist|egg)-info", re.IGNORECASE)
_NAME = re.compile(r"^name:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)


def plain_distributions(sites: Iterable[Path], names: Collection[str] = ()) -> Iterator[Distribution]:
    """The distributions in folders whose metadata are regular files of a plausible size; all others are passed over.

    Args:
        names: normalised; only distributions whose metadata lie where those of one of these do, and all without any.
    """
    for distribution in distributions(path=[str(site) for site in sites]):
        if names and _name_of_place(distribution) not in ("", *names):
            continue
        if all(is_plain(place) for place in _places(distribution)):
            yield distribution


def declared_name(distribution: Distribution) -> str:
    """The name in a distribution's metadata; empty where there is none.

    Only that line is read: a parse of the whole metadata, description included, takes a hundred times as long, and an
    environment has hundreds of distributions.
    """
    # The order in which the standard library looks for them; "" is an `.egg-info` that is itself the file.
    text = next((found for name in ("METADATA", "PKG-INFO", "") if (found := distribution.read_text(name))), "")
    headers = text.partition("\n\n")[0]
    found = _NAME.search(headers)
    return found[1] if found else ""


def is_plain(path: Path) -> bool:
    """Whether reading a path ends: a missing one, a folder, or a regular file that is not endless."""
    try:
        facts = path.stat()
    except OSError:
        return True
    return stat.S_ISDIR(facts.st_mode) or (stat.S_ISREG(facts.st_mode) and facts.st_size <= MAX_SOURCE_BYTES)


def _name_of_place(distribution: Distribution) -> str:
    """The normalised name in what the metadata's folder or file is called, `name-version.dist-info`; empty for none."""
    folder = _folder(distribution)
    named = _PLACE.match(folder.name) if folder is not None else None
    return canonicalize_name(named[1]) if named else ""


def _places(distribution: Distribution) -> list[Path]:
    folder = _folder(distribution)
    return [folder / name for name in _READ] if folder is not None else []


def _folder(distribution: Distribution) -> Path | None:
    # The standard library gives no public way to a distribution's folder; without one it is no folder on disk.
    folder = getattr(distribution, "_path", None)
    return folder if isinstance(folder, Path) else None
