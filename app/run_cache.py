"""Whether a request has been answered already, and nothing it rests on has changed since: then nothing is done (T-16).

A stale answer is worse than a slow one: every file of the project, this program, the interpreter and what is installed
in it are compared, and a run only counts as an answer when it came to its end, without a model, and its tests stand in
the project as it wrote them.

This module is quick to import, and asks in two ways: by the words of the command line, before anything heavy is loaded,
and by request and settings, once these are known.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sandbox.fingerprint import TooLargeError, digest_of_tree, installed_digest, program_digest, tree_digests
from ..store.cache.run_results import StoredResult, StoredResults
from ..utils.own_source import OWN_FOLDER, own_digest

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..reports.model import Report
    from ..sandbox.interpreter import Interpreter

_DECIDING_VARIABLES = ("PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH")
_DECIDING_PREFIXES = ("TESTWRIGHT_", "OPENAI_", "PYENV_")
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_NOT_DECIDING = frozenset(
    {*("run_id", "jobs", "state_dir", "keep_runs", "cache", "cache_url", "cache_mib", "fresh", "prices", "stream")}
)
_ENVIRONMENTS = (".venv", "venv", "env")
_ANSWERED = frozenset({"completed", "product_defect"})
_STEP_TYPES = frozenset({"generate_unit_tests", "verify_suite", "accept_tests"})
_NOT_ASKING = frozenset({"--json", "--debug", "--fresh"})
_ANEW = ("--fresh", "--no-cache", "--run-id", "--dry-run", "--no-run", "--help", "-h")


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What was asked.

    Attributes:
        key: the same for requests that must come to the same.
        state: the folder of all runs.
        root: the project.
    """

    key: str
    state: Path
    root: Path


@dataclass(frozen=True, slots=True)
class CachedRun:
    """What a run has answered already.

    Attributes:
        shown: for people.
        report: the text of report.json.
    """

    shown: str
    report: str
    exit_code: int


def key_for_command_line(words: Sequence[str], environment: Mapping[str, str]) -> CacheKey | None:
    """The question of a command line, `run` first; None where only its full reading can tell.

    The key is over the words themselves and the variables that may decide, so nothing has to be understood here but
    where the runs are kept. A wrong guess finds no answer.
    """
    if not words or words[0] != "run" or any(word.partition("=")[0] in _ANEW for word in words):
        return None
    if environment.get("TESTWRIGHT_RUN_ID"):
        return None
    return _key_of_words(words, environment)


def _key_of_words(words: Sequence[str], environment: Mapping[str, str]) -> CacheKey:
    root = Path(_option(words, "--root") or environment.get("TESTWRIGHT_ROOT") or ".").resolve()
    state = _option(words, "--state-dir") or environment.get("TESTWRIGHT_STATE_DIR")
    place = Path(state).absolute() if state else root / ".testwright"
    told = [word for word in _without_run_id(words) if word not in _NOT_ASKING]
    return CacheKey(_key("words", told, str(Path.cwd()), _deciding_variables(environment)), place, root)


def key_for(request: str, settings: Settings, environment: Mapping[str, str]) -> CacheKey:
    """The question of a request under settings."""
    deciding = {name: value for name, value in settings.stored().items() if name not in _NOT_DECIDING}
    outside = {
        name: value for name, value in _deciding_variables(environment).items() if not name.startswith("TESTWRIGHT_")
    }
    return CacheKey(_key("settings", request, deciding, outside), settings.state, settings.root)


def lookup(question: CacheKey) -> CachedRun | None:
    """The answer that stands; None when there is none, or when anything has changed since it was given."""
    answers = StoredResults(question.state)
    standing = answers.get(question.key)
    if standing is None:
        return None
    try:
        report = answers.report_of(standing).read_bytes()
        if _stands(standing, question, report):
            return CachedRun(standing.shown, report.decode("utf-8"), standing.exit_code)
    except (OSError, TooLargeError, UnicodeDecodeError):
        return None  # the run then says what is wrong
    return None


def _stands(standing: StoredResult, question: CacheKey, report: bytes) -> bool:
    """Cheapest first."""
    return (
        standing.root == str(question.root)
        and standing.report == hashlib.sha256(report).hexdigest()
        and all(program_digest(Path(path)) == digest for path, digest in standing.programs.items())
        and all(installed_digest(Path(site)) == digest for site, digest in standing.installed.items())
        and standing.own == own_digest()
        and all(_linked_digest(Path(folder)) == digest for folder, digest in standing.linked.items())
        and standing.tree == digest_of_tree(tree_digests(question.root, [question.state]))
    )


class ProjectSnapshot:
    """The project as it was before a run; what the run answered is kept when nothing else has changed meanwhile.

    What was answered before counts no longer: should this run fail, it must not seem to stand.

    Args:
        questions: all ways in which the same may be asked again.
    """

    def __init__(self, questions: Iterable[CacheKey]) -> None:
        self._questions = list({one.key: one for one in questions}.values())
        self._own = own_digest()
        self._before = self._tree()
        for question in self._questions:
            StoredResults(question.state).drop(question.key)

    def keep(self, settings: Settings, report: Report, interpreter: Interpreter | None, shown: str) -> bool:
        """Keep what the run has answered; whether it was of a kind that may be given again.

        Args:
            shown: what a person is told the next time.
        """
        standing = None
        if interpreter is not None and is_reusable(settings, report):
            with suppress(OSError, TooLargeError):
                standing = self._standing(settings, report, interpreter, shown)
        for question in self._questions:
            with suppress(OSError):  # a full disk: nothing is kept
                if standing is not None:
                    StoredResults(question.state).put(question.key, standing)
        return standing is not None

    def _standing(
        self, settings: Settings, report: Report, interpreter: Interpreter, shown: str
    ) -> StoredResult | None:
        after, added = self._tree(), {one.path for one in report.files}
        if self._before is None or after is None or _without(self._before, added) != _without(after, added):
            return None
        run, root = settings.state / "runs" / report.run.id, settings.root
        if any((run / "staged" / path).read_bytes() != (root / path).read_bytes() for path in added):
            return None
        written = hashlib.sha256((run / "report.json").read_bytes()).hexdigest()
        linked = [one for one in interpreter.linked if not one.resolve().is_relative_to(root.resolve())]
        programs = [interpreter.path, interpreter.base, *(root / name / "pyvenv.cfg" for name in _ENVIRONMENTS)]
        sites = [*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else [])]
        return StoredResult(
            run_id=report.run.id,
            exit_code=int(report.exit_code),
            shown=shown,
            report=written,
            own=self._own,
            root=str(root),
            tree=digest_of_tree(after),
            installed={str(site): installed_digest(site) for site in sites},
            programs={str(path): program_digest(path) for path in programs},
            linked={str(folder): _linked_digest(folder) for folder in linked},
        )

    def _tree(self) -> dict[str, str] | None:
        question = self._questions[0]
        try:
            return tree_digests(question.root, [question.state])
        except (OSError, TooLargeError):
            return None


def is_reusable(settings: Settings, report: Report) -> bool:
    """Whether a run may stand for later ones: whole, by the embedded engine alone, its tests in the project."""
    return (
        is_cacheable(settings)
        and report.exit_reason.value in _ANSWERED
        and bool(report.files)
        and all(one.outcome in ("added", "updated", "unchanged") for one in report.files)
        and all(one.status in ("completed", "skipped") for one in report.targets)
        and all(step.type in _STEP_TYPES for step in report.plan)
        and not report.run.warnings
        and not report.run.resumed
        and not any(_was_cut(one) for one in report.targets)
    )


def is_cacheable(settings: Settings) -> bool:
    """Whether runs of these settings rest on nothing that cannot be compared: models, servers of others, a ceiling."""
    outside = (
        settings.models.names,
        settings.embeddings,
        settings.mcp_servers,
        getattr(settings, "changed_since", None),
    )
    return settings.cache and settings.run and not settings.dry_run and not any(outside)


def _was_cut(target: Any) -> bool:
    """Whether a ceiling of time has ended work on a target early: another try may come further."""
    return bool(target.mutation and target.mutation.untried) or any(
        word in note for note in target.notes for word in (" stopped after ", " cut off ")
    )


def _linked_digest(folder: Path) -> str:
    """A folder outside the project that packages are linked to, and the folders that links in it lead to."""
    digests = tree_digests(folder)
    for name in [name for name, digest in digests.items() if digest.startswith("link ")]:
        place = (folder / name).resolve()
        if place != OWN_FOLDER and place.is_dir():  # we ourselves are compared anyway
            digests[name] = digest_of_tree(tree_digests(place))
    return digest_of_tree(digests)


def _without(digests: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name not in names}


def _option(words: Sequence[str], name: str) -> str:
    """The value of an option, the last time it was given; "" when it was not."""
    value = ""
    for number, word in enumerate(words):
        if word.startswith(f"{name}="):
            value = word.partition("=")[2]
        elif word == name and number + 1 < len(words):
            value = words[number + 1]
    return value


def _without_run_id(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and word != "--run-id" and not word.startswith("--run-id="):
            kept.append(word)
        skip = not skip and word == "--run-id"
    return kept


def _deciding_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the environment that may decide what a run does; neither secrets nor the run's own id."""
    return {
        name: value
        for name, value in environment.items()
        if (name in _DECIDING_VARIABLES or name.startswith(_DECIDING_PREFIXES))
        and name != "TESTWRIGHT_RUN_ID"
        and not any(word in name for word in _SECRET)
    }


def _key(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def all_keys(request: str, settings: Settings, words: Sequence[str] = ()) -> list[CacheKey]:
    """Every way in which the same may be asked again."""
    question = key_for(request, settings, os.environ)
    if words[:1] != ["run"] or not _said_here(settings, words):
        return [question]
    in_words = _key_of_words(words, os.environ)
    return [question, in_words] if in_words.state == question.state else [question]


def _said_here(settings: Settings, words: Sequence[str]) -> bool:
    """Whether what asks for work in any case was said in the words themselves, where the next one to ask sees it."""
    named = {word.partition("=")[0] for word in words}
    return (not settings.fresh or "--fresh" in named) and (not settings.run_id or "--run-id" in named)
