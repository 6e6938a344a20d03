"""Says in one sentence what a request was understood to ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...contract.protocol import JsonObject

_TITLES = {
    "unit": "unit tests",
    "api": "API tests",
    "integration": "integration tests",
    "e2e": "browser tests",
    "performance": "performance tests",
}
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of tests of a plan.

    Attributes:
        steps: its generate steps.
        whole: every module of the project was meant.
        why: why this kind was chosen where the request names none; "" where it does.
    """

    test_type: str
    steps: Sequence[JsonObject]
    whole: bool
    why: str = ""


def sentence(
    parts: Sequence[Part], framework: str, *, conditions: Sequence[str], left_out: Sequence[str], nothing: str = ""
) -> str:
    """Write the sentence: "Unit tests with pytest for 5 modules of invoicer; without invoicer.cli."

    Args:
        conditions: what limits the targets, such as "only what has no tests yet".
        left_out: what is not tested, as the request names it.
        nothing: why there is no step, where there is none.
    """
    words: list[str] = []
    for part in parts:
        if not part.steps:
            continue
        why = f", because {part.why}" if part.why else ""
        own = str(part.steps[0]["params"]["framework"])
        style = f" with {own}" if not words or own != framework else ""
        title = "load tests" if own == "locust" else _TITLES[part.test_type]
        words.append(f"{title}{style} for {_subject(part)}{why}")
    if not words:
        words.append(nothing or "nothing to test")
    text = "; ".join([", ".join([words[0], *conditions]), *words[1:]])
    text += f"; without {_listed(left_out)}" if left_out else ""
    return f"{text[:1].upper()}{text[1:]}."


def _subject(part: Part) -> str:
    targets = [step["params"]["target"] for step in part.steps]
    if part.test_type in ("api", "e2e") or part.steps[0]["params"]["framework"] == "locust":
        names = [_application(target) for target in targets]
        return _listed(names)
    names = [_module(target) for target in targets]
    if len(names) <= _SHOWN:
        return _listed(names)
    packages = sorted({str(target.get("module", "")).partition(".")[0] for target in targets})
    of = f" of {_listed(packages)}" if len(packages) <= _SHOWN and len(packages) < len(names) else ""
    return f"{len(names)} modules{of or ' of the project'}"


def _module(target: Mapping[str, object]) -> str:
    symbols = target.get("symbols")
    name = str(target.get("module") or target.get("path") or "")
    if not isinstance(symbols, list) or not symbols:
        return name
    return f"{name}:{', '.join(map(str, symbols[:_SHOWN]))}" + (" and more" if len(symbols) > _SHOWN else "")


def _application(target: Mapping[str, object]) -> str:
    application = target.get("application")
    label = application.get("import") if isinstance(application, Mapping) else None
    command = application.get("command") if isinstance(application, Mapping) else None
    url = application.get("url") if isinstance(application, Mapping) else None
    started = f"what `{' '.join(command)}` starts" if isinstance(command, list) else f"the site at {url}" if url else ""
    name = str(label or started or target.get("module") or target.get("path") or "the application")
    endpoint, operations = target.get("endpoint"), target.get("operations")
    name = f"{endpoint} with {name}" if endpoint and name != endpoint else name
    return f"{_listed(list(map(str, operations)))} of {name}" if isinstance(operations, list) else name


def _listed(names: Sequence[str]) -> str:
    kept = list(dict.fromkeys(names))
    return f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else "".join(kept)
