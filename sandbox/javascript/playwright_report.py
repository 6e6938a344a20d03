"""Reads files of Playwright Test: the name of a project's configuration, and what the JSON reporter wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...utils.generated_header import is_untouched
from ...utils.redact import REDACTED
from ...utils.untrusted_files import source_or_empty

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MOST_MESSAGE = 4000
_CONFIGS = tuple(f"playwright.config.{ending}" for ending in ("ts", "js", "mts", "mjs", "cts", "cjs"))
Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlaywrightTest:
    """One test: `name` is its title after those of its groups, `status` Playwright's word, `tags` without `@`."""

    path: str
    name: str
    status: str
    tags: tuple[str, ...] = ()
    seconds: float = 0.0
    message: str = ""

    @property
    def nodeid(self) -> str:
        """Its file and name."""
        return f"{self.path}::{self.name}"


def read_tests(report: Report, root: Path, secrets: Iterable[str] = ()) -> tuple[PlaywrightTest, ...]:
    """The tests of a report with their last results, in the order of the files.

    Args:
        root: of the project's copy; messages name files relative to it.
        secrets: texts that no message may hold.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: the report has another shape.
    """
    found: list[PlaywrightTest] = []
    secrets = tuple(secrets)
    # The outermost suites are files, which are no part of a test's name.
    waiting: list[tuple[Report, tuple[str, ...]]] = [(suite, ()) for suite in report["suites"]]
    while waiting:
        suite, titles = waiting.pop(0)
        found += [_test(spec, titles, root, secrets) for spec in suite.get("specs") or ()]
        waiting[:0] = [(one, (*titles, str(one["title"]))) for one in suite.get("suites") or ()]
    return tuple(found)


def _test(spec: Report, titles: tuple[str, ...], root: Path, secrets: tuple[str, ...]) -> PlaywrightTest:
    results = spec["tests"][0]["results"] or [{"status": "skipped", "duration": 0}]
    last = results[-1]
    errors = last.get("errors") or ([last["error"]] if last.get("error") else [])
    message = "\n".join(str(one.get("message") or one.get("value") or "") for one in errors)
    return PlaywrightTest(
        str(spec["file"]),
        " > ".join((*titles, str(spec["title"]))),
        str(last["status"]),
        tuple(str(tag).removeprefix("@") for tag in spec.get("tags") or ()),
        float(last["duration"]) / 1000,
        plain_text(message, root, secrets)[:_MOST_MESSAGE],
    )


def problems_of(report: Report, root: Path, secrets: Iterable[str] = ()) -> tuple[str, ...]:
    """What stands against whole files: one that does not load, say. Raises as `read_tests`."""
    found: list[str] = []
    secrets = tuple(secrets)
    for error in report.get("errors") or ():
        place = str((error.get("location") or {}).get("file") or "").removeprefix(f"{root}/")
        text = plain_text(str(error.get("message") or error.get("value") or ""), root, secrets)
        found.append((f"{place}: {text}" if place and place not in text else text)[:_MOST_MESSAGE])
    return tuple(found)


def plain_text(text: str, root: Path, secrets: Iterable[str] = ()) -> str:
    """A text without colours, with paths relative to the project, and `[redacted]` in place of each secret."""
    text = _COLOURS.sub("", text).replace(f"{root}/", "").strip()
    # A message quotes a value as JavaScript does, so that it may hold escapes.
    spelled = {one for secret in secrets if secret for one in (secret, json.dumps(secret, ensure_ascii=False)[1:-1])}
    if not spelled:
        return text
    longest_first = sorted(spelled, key=lambda one: (-len(one), one))
    return re.sub("|".join(map(re.escape, longest_first)), REDACTED, text)


def project_config(root: Path) -> str:
    """The name of a project's configuration of Playwright Test; empty without one."""
    return next((name for name in _CONFIGS if (root / name).is_file()), "")


def own_configuration(root: Path) -> dict[str, str]:
    """`config` for the target of a spec: the project's own configuration; empty without one.

    One that testwright wrote is written again, unless somebody has changed it.
    """
    config = project_config(root)
    is_own = config and is_untouched(source_or_empty(root, config)) is not True
    return {"config": config} if is_own else {}
