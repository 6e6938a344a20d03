"""Translates settings of black and isort into options of ruff, as those tools read it themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Table = Mapping[str, Any]

_BLACK_LENGTH = 88
_ISORT_LENGTH = 79
_LONGEST = 320  # what ruff takes as a line length
_PREFIX = "lint.isort."
_FLAGS = (
    "case_sensitive",
    "combine_as_imports",
    "force_single_line",
    "force_sort_within_sections",
    "from_first",
    "length_sort",
    "length_sort_straight",
    "no_sections",
    "order_by_type",
)
_NAMES = (
    "extra_standard_library",
    "force_to_top",
    "known_first_party",
    "known_local_folder",
    "known_third_party",
    "single_line_exclusions",
)
_NUMBERS = ("lines_after_imports", "lines_between_types")
_OTHER_NAMES = {"add_imports": "required-imports"}
_PROFILES: Mapping[str, Table] = {
    "black": {"line_length": 88},
    "django": {"combine_as_imports": True},
    "pycharm": {"lines_after_imports": 2},
    "google": {
        "force_single_line": True,
        "force_sort_within_sections": True,
        "line_length": 1000,
        "single_line_exclusions": ["collections.abc", "six.moves", "typing", "typing_extensions"],
        "order_by_type": False,
    },
    "open_stack": {"force_single_line": True, "force_sort_within_sections": True, "order_by_type": False},
    "plone": {"line_length": 88, "force_alphabetical_sort": True, "force_single_line": True},
    "attrs": {"lines_after_imports": 2, "lines_between_types": 1},
    "hug": {"line_length": 100},
    "wemake": {"line_length": 80},
    "appnexus": {"line_length": 88, "force_sort_within_sections": True, "order_by_type": False},
}
"""What the profiles of isort 8 set, of that which ruff knows."""

_ALPHABETICAL: Table = {
    "force_sort_within_sections": True,
    "no_sections": True,
    "lines_between_types": 1,
    "from_first": True,
}


def black_options(black: Table) -> dict[str, Any]:
    """Options of `ruff format` for `[tool.black]`; black takes its settings with either kind of dash."""
    said = _spelled(black)
    return {
        "line-length": _length(said.get("line_length"), _BLACK_LENGTH),
        "format.quote-style": "preserve" if _flag(said.get("skip_string_normalization")) else "double",
        "format.skip-magic-trailing-comma": _flag(said.get("skip_magic_trailing_comma")),
    }


def isort_options(isort: Table) -> dict[str, Any]:
    """Options of ruff's rule for imports for settings of isort, its profile included."""
    own = _spelled(isort)
    said = {**_PROFILES.get(str(own.get("profile")).strip().lower(), {}), **own}
    if _flag(said.get("force_alphabetical_sort")):
        said |= _ALPHABETICAL
    options: dict[str, Any] = {"line-length": _length(said.get("line_length"), _ISORT_LENGTH)}
    options |= {_option(key): _flag(said[key]) for key in _FLAGS if key in said}
    options |= {_option(key): as_names(said[key]) for key in (*_NAMES, *_OTHER_NAMES) if key in said}
    for key in _NUMBERS:
        number = _number(said.get(key))
        if number is not None:
            options[_option(key)] = number
    return options


def isort_sets_length(isort: Table) -> bool:
    """Whether isort is given a line length, rather than having its own."""
    return "line_length" in _spelled(isort)


def as_names(value: object) -> list[str]:
    """A list of names; isort takes one text as well, its names separated by commas or lines."""
    rows: Sequence[object] = value if isinstance(value, list) else str(value).replace("\n", ",").split(",")
    return [name for row in rows if (name := str(row).strip())]


def _spelled(table: Table) -> dict[str, Any]:
    return {key.removeprefix("--").replace("-", "_"): value for key, value in table.items()}


def _option(key: str) -> str:
    return _PREFIX + _OTHER_NAMES.get(key, key.replace("_", "-"))


def _flag(value: object) -> bool:
    return value is True or str(value).strip().lower() in ("1", "true", "yes", "on", "t", "y")


def _number(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


def _length(value: object, default: int) -> int:
    number = _number(value)
    return default if number is None else max(1, min(number, _LONGEST))
