"""Finds folders that an environment only points to: editable installs and other path files.

They are read, never executed: a `.pth` line that begins with `import` is code and is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit


def linked_folders(sites: Iterable[Path]) -> tuple[Path, ...]:
    """Existing folders outside `sites` that path files and editable installs in them name, in a stable order."""
    places = tuple(sites)
    found: dict[Path, None] = {}
    for site in places:
        for folder in (*_path_files(site), *_editable_installs(site)):
            if folder.is_dir() and not any(folder.is_relative_to(place) for place in places):
                found[folder] = None
    return tuple(found)


def _path_files(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.pth")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            text = line.strip()
            if text and not text.startswith(("#", "import ", "import\t")) and "\0" not in text:
                yield site / text


def _editable_installs(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.dist-info/direct_url.json")):
        try:
            source = json.loads(file.read_text(encoding="utf-8"))
            url = urlsplit(source["url"])
            editable = source.get("dir_info", {}).get("editable") is True
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue  # somebody else's file in a form nobody promised
        if editable and url.scheme == "file":
            yield Path(unquote(url.path))
