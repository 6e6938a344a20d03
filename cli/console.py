"""Writes to the terminal: whatever a project, a test or a peer put into a text arrives as visible characters."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from ..utils.outgoing_text import visible_text


class Console(RichConsole):
    """Rich's console, whose texts can hold no terminal escapes; its own colours and movements stay."""

    def __init__(self, **options: Any) -> None:
        super().__init__(soft_wrap=True, highlight=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yields the segments of a renderable, those of text encoded."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible_text(segment.text))


def write_text(text: str) -> None:
    """Writes text for a person to stdout, as it is but for characters that a terminal would obey."""
    sys.stdout.write(visible_text(text))
