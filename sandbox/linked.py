"""Finds folders that an environment only points to: editable installs and other path files.

They are read, never executed: a `.pth` line that begins with `import` is code and is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..utils.untrusted_files import read_json, read_source
from .executable import exposes_home, is_private

_MOST_BYTES = 1024 * 1024


def linked_folders(sites: Iterable[Path]) -> tuple[Path, ...]:
    """Existing folders outside `sites` that path files and editable installs in them name, in a stable order.

    Homes and private folders are never among them: no package is developed there.
    """
    places = tuple(sites)
    found: dict[Path, None] = {}
    for site in places:
        for folder in (*_path_files(site), *_editable_installs(site)):
            if (
                folder.is_dir()
                and not any(folder.is_relative_to(place) for place in places)
                and not _shows_too_much(folder)
            ):
                found[folder] = None
    return tuple(found)


def _shows_too_much(folder: Path) -> bool:
    return exposes_home(folder) or exposes_home(folder.resolve()) or is_private(folder)


def _path_files(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.pth")):
        try:
            lines = read_source(site, file.name, errors="replace", most=_MOST_BYTES).splitlines()
        except OSError:
            continue  # a link, a pipe, or endless: no path file
        for line in lines:
            text = line.strip()
            if text and not text.startswith(("#", "import ", "import\t")) and "\0" not in text:
                yield site / text


def _editable_installs(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.dist-info/direct_url.json")):
        try:
            source = read_json(site, file.relative_to(site).as_posix(), most=_MOST_BYTES)
            url = urlsplit(source["url"])
            editable = source.get("dir_info", {}).get("editable") is True
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue  # somebody else's file in a form nobody promised
        if editable and url.scheme == "file":
            yield Path(unquote(url.path))
