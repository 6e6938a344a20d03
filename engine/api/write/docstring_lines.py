"""Lines of rendered test functions: titles in a docstring, and indentation."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 120


def docstring(title: str, case_id: str) -> list[str]:
    """The docstring of a test: on one line where that fits below a class.

    Args:
        case_id: ties the test to its case; empty where its name does.
    """
    title = docstring_text(title)
    if not case_id:
        return [f'"""{title}."""']
    line = f'"""{title} ({case_id})."""'
    return [line] if len(line) <= WIDTH - 8 else [f'"""{title}.', "", case_id, '"""']


def docstring_text(text: str) -> str:
    """A text as it may stand inside a docstring, on one line."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''").rstrip('."')


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one level deeper; empty ones stay empty."""
    return [f"    {line}" if line else "" for line in lines]
