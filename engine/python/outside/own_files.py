"""Files that a trial writes by a name alone go into the runner's folder, as a person would write them in a test.

Documents show `Store("notes.db")`; the sandbox lets no trial write that into the project, and a test must not either.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from posixpath import basename, normpath, splitext

from ..model.model import Observation, Trial
from ..source.literals import LiteralSpan, is_in_runners_folder, literal_places, with_sources

_HIDDEN_FOLDER = "…/"
"""What the worker writes for the folders above a path."""


class OwnFiles:
    """Moves files that trials were not allowed to write, and remembers their names for the trials to come."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def after_refusal(self, trial: Trial, observation: Observation) -> Trial | None:
        """Returns a refused trial with its file in the runner's folder; None where no literal of it names the file."""
        path = _refused_path(observation)
        places = _places_of(trial, {path}) if path else []
        if splitext(path)[1]:
            self._names.add(path)  # another word may mean anything elsewhere
        return _with_files_moved(trial, places) if places else None

    def moved(self, trial: Trial) -> Trial:
        """Returns the trial with the files moved whose names were refused before."""
        places = _places_of(trial, self._names) if self._names else []
        return _with_files_moved(trial, places) if places else trial


def _refused_path(observation: Observation) -> str:
    """Returns the path below the working folder that a trial was not allowed to write; empty for another outcome."""
    if observation.outcome != "refused" or observation.raised is None or "cwd" not in observation.consulted:
        return ""
    _, hidden, path = observation.raised.message.rpartition(_HIDDEN_FOLDER)
    return path if hidden else ""


def _places_of(trial: Trial, paths: Container[str]) -> list[LiteralSpan]:
    return [
        place
        for place in literal_places(trial)
        if isinstance(place.value, str)
        and place.value
        and normpath(place.value) in paths
        and not is_in_runners_folder(trial, place)
    ]


def _with_files_moved(trial: Trial, places: Iterable[LiteralSpan]) -> Trial:
    in_folder = {place: f"str(tmp_path / {basename(normpath(place.value))!r})" for place in places}
    moved = with_sources(trial, in_folder)
    fixtures = tuple(sorted({*trial.fixtures, "tmp_path"}))
    return replace(trial, arrange=moved.arrange, act=moved.act, fixtures=fixtures)
