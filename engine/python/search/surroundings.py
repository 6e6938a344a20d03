"""Fixes what a trial looked at of its surroundings, as a person would: environment variables, working folder, chance.

A call whose outcome depends on a variable that the test does not set passes on one machine and fails on another. Each
variable that the act looked at is therefore set, or known to be unset, before the act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..model.model import Observation, Trial

_ENVIRONMENT = "env:"
_FOLDERS = re.compile(r"XDG_\w+|(\w+_)?(HOME|DIRS?|PATHS?|ROOT|FOLDER|CACHE|PREFIX)")
_FILES = re.compile(r"(\w+_)?(FILE|FILENAME|CONFIG|LOG|DATABASE|DB)")
_VALUES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"(\w+_)?({names})(_\w+)?"), values)
    for names, values in (
        ("PORT", ("8080",)),
        ("TIMEOUT|SECONDS|RETRIES|LIMIT|SIZE|COUNT|COLUMNS|LINES|WORKERS|THREADS|JOBS|MAX|MIN|TTL", ("30",)),
        ("DEBUG|VERBOSE|QUIET|ENABLED?|DISABLED?|NO|FORCE|USE|SKIP|ALLOW|CI", ("1", "0", "true")),
        ("URL|URI|ENDPOINT", ("https://example.org/api",)),
        ("HOST|HOSTNAME|SERVER", ("localhost",)),
        ("USER|USERNAME|LOGNAME|NAME", ("ann",)),
        ("LEVEL", ("DEBUG",)),
        ("LANG|LANGUAGE|LC|LOCALE", ("de_DE.UTF-8",)),
        ("TERM", ("xterm-256color", "dumb")),
        ("EDITOR|PAGER|SHELL|BROWSER", ("nano",)),
        ("TOKEN|KEY|SECRET|PASSWORD", ("token-123",)),
    )
)
_OTHERWISE = ("value", "")


def is_fixed(trial: Trial, observation: Observation) -> bool:
    """Whether the trial itself decides all that its act looked at."""
    undecided = _open_names(trial, observation) or _is_folder_open(trial, observation)
    return not (undecided or _is_unseeded(trial, observation))


def fixed_surroundings(trial: Trial, observation: Observation) -> Iterator[Trial]:
    """Generates the trial with all that it looked at decided: everything unset, then one variable set at a time."""
    names = _open_names(trial, observation)
    moved = ("monkeypatch.chdir(tmp_path)",) if _is_folder_open(trial, observation) else ()
    if _is_unseeded(trial, observation):
        trial = replace(
            trial,
            arrange=("random.seed(1)", *trial.arrange),
            imports=tuple(sorted({*trial.imports, "import random"})),
        )
        if not names and not moved:
            yield trial
    if not names and not moved:
        return
    usual = [_usual(name) for name in names]
    yield _with(trial, (*moved, *usual), documented=True)
    for at, name in enumerate(names):
        for value in _values_of(name):
            statement = f"monkeypatch.setenv({name!r}, {value})"
            others = (*usual[:at], *usual[at + 1 :])
            if statement not in usual:
                yield _with(trial, (*moved, *others, statement), documented=False)


def _open_names(trial: Trial, observation: Observation) -> list[str]:
    """Returns the variables that the act looked at and the trial does not decide, in order."""
    said = "\n".join(trial.arrange)
    names = [one.removeprefix(_ENVIRONMENT) for one in observation.consulted if one.startswith(_ENVIRONMENT)]
    return [name for name in names if f"env({name!r}" not in said]


def _is_folder_open(trial: Trial, observation: Observation) -> bool:
    return "cwd" in observation.consulted and not any(".chdir(" in statement for statement in trial.arrange)


def _is_unseeded(trial: Trial, observation: Observation) -> bool:
    return "random" in observation.consulted and not any("random.seed(" in statement for statement in trial.arrange)


def _usual(name: str) -> str:
    """Returns the statement for a variable that the test is not about; a home folder is there in any case."""
    if name == "HOME":
        return "monkeypatch.setenv('HOME', str(tmp_path))"
    return f"monkeypatch.delenv({name!r}, raising=False)"


def _values_of(name: str) -> Iterator[str]:
    """Generates sources of values for a variable, by the words of its name."""
    upper = name.upper()
    word = upper.strip("_").rpartition("_")[2].lower()
    if upper == "HOME":
        yield "str(tmp_path)"
    elif _FOLDERS.fullmatch(upper):
        yield f"str(tmp_path / {word!r})"
    elif _FILES.fullmatch(upper):
        yield f"str(tmp_path / {word + '.txt'!r})"
    else:
        yield from (
            repr(value) for value in next((v for pattern, v in _VALUES if pattern.fullmatch(upper)), _OTHERWISE)
        )


def _with(trial: Trial, statements: tuple[str, ...], *, documented: bool) -> Trial:
    """Returns the trial with statements first; a documented result holds where nothing unusual is set."""
    folder = {"tmp_path"} if any("tmp_path" in statement for statement in statements) else set()
    changed = replace(
        trial,
        arrange=(*statements, *trial.arrange),
        fixtures=tuple(sorted({*trial.fixtures, "monkeypatch", *folder})),
    )
    return changed if documented else replace(changed, source="sequence", wanted=None, wanted_line=0)
