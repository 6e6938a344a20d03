"""Hooks of the documentation's build: links to files of the repository that are no pages become plain text."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[([^\]\[]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Keep the words of links that leave `docs/`; the built site has nothing that they could lead to.

    A link that leads nowhere in the repository either stays, so that the strict build fails on it.
    """
    folder = posixpath.dirname(page.file.src_uri)

    def plain(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, found.group(2)))
        is_outside = not target.startswith("docs/") or files.get_file_from_path(target.removeprefix("docs/")) is None
        is_there = (Path(config.config_file_path).parent / target).exists()
        return found.group(1) if is_outside and is_there else found.group()

    return _LINK.sub(plain, markdown)
