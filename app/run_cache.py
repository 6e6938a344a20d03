"""Caches results of runs: an unchanged request is answered from its last run, without running anything.

A stale answer is worse than a slow one. All files of the project, this program, the interpreter and its installed
packages are compared, and only completed runs without a model, whose tests are in the project as written, are cached.

There are two kinds of keys: over the words of the command line, before anything heavy is imported, and over request and
settings, once these are loaded. This module must stay free of heavy imports.
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
from ..utils.untrusted_files import read_bytes
from ..utils.untrusted_folders import first_irregular
from ..utils.user_folders import unforeseeable_name

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..reports.model import Report
    from ..sandbox.interpreter import Interpreter

_DECIDING_VARIABLES = ("CI", "PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH")
_DECIDING_PREFIXES = ("TESTWRIGHT_", "OPENAI_", "PYENV_")
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_NOT_DECIDING = frozenset(
    {
        *("run_id", "jobs", "yes", "state_dir", "keep_runs"),
        *("cache", "cache_url", "cache_mib", "fresh", "prices", "stream"),
    }
)
_STATE_DEPTH = 3  # as `config.folders.STATE_DEPTH`, whose module is heavy
_ENVIRONMENTS = (".venv", "venv", "env")
_WRITTEN = ("added", "updated", "unchanged")
_CACHED_REASONS = frozenset({"completed", "product_defect"})
_STEP_TYPES = frozenset(
    {"generate_unit_tests", "generate_api_tests", "generate_integration_tests", "verify_suite", "accept_tests"}
)
_IRRELEVANT_OPTIONS = frozenset({"--json", "--quiet", "--debug", "--fresh"})
_UNCACHED_OPTIONS = ("--events", "--fresh", "--no-cache", "--run-id", "--dry-run", "--no-run", "--help", "-h")


@dataclass(frozen=True, slots=True)
class CacheKey:
    """Identifies a request and everything given with it.

    Attributes:
        key: a digest, equal for requests that must have equal results.
        state: the folder of all runs.
        cache: the folder of what is kept between runs.
        root: the project's folder.
    """

    key: str
    state: Path
    cache: Path
    root: Path


@dataclass(frozen=True, slots=True)
class CachedRun:
    """The stored result of an earlier run.

    Attributes:
        shown: the summary for people.
        report: the text of report.json.
    """

    shown: str
    report: str
    exit_code: int


def key_for_command_line(words: Sequence[str], environment: Mapping[str, str]) -> CacheKey | None:
    """The key of a command line whose first word is `run`; None where an option forbids a cached result.

    The key covers the words and the deciding environment variables, so only the place of the runs has to be parsed. A
    wrong guess of that place finds nothing.
    """
    if not words or words[0] != "run" or any(word.partition("=")[0] in _UNCACHED_OPTIONS for word in words):
        return None
    if environment.get("TESTWRIGHT_RUN_ID"):
        return None
    return _key_of_words(words, environment)


def _key_of_words(words: Sequence[str], environment: Mapping[str, str]) -> CacheKey:
    root = Path(_option(words, "--root") or environment.get("TESTWRIGHT_ROOT") or ".").resolve()
    state = _option(words, "--state-dir") or environment.get("TESTWRIGHT_STATE_DIR")
    folder = Path(state).absolute() if state else root / ".testwright"
    cache = folder / "cache" if state else folder / "cache" / unforeseeable_name(root)  # as `Settings.cache_dir`
    deciding = [word for word in _without_run_id(words) if word not in _IRRELEVANT_OPTIONS]
    return CacheKey(_key("words", deciding, str(Path.cwd()), _deciding_variables(environment)), folder, cache, root)


def key_for(request: str, settings: Settings, environment: Mapping[str, str]) -> CacheKey:
    """The key of a request under these settings."""
    deciding = {name: value for name, value in settings.stored().items() if name not in _NOT_DECIDING}
    outside = {
        name: value for name, value in _deciding_variables(environment).items() if not name.startswith("TESTWRIGHT_")
    }
    return CacheKey(_key("settings", request, deciding, outside), settings.state, settings.cache_dir, settings.root)


def lookup(key: CacheKey) -> CachedRun | None:
    """The cached result; None when there is none, or when anything it depends on has changed since."""
    if key.state.is_relative_to(key.root) and first_irregular(key.state, _STATE_DEPTH) is not None:
        return None  # it may have come with the project; loading the settings says what is wrong
    answers = StoredResults(key.state, key.cache)
    stored = answers.get(key.key)
    if stored is None:
        return None
    try:
        place = answers.report_of(stored)
        report = read_bytes(place.parent, place.name)
        if _is_valid(stored, key, report):
            return CachedRun(stored.shown, report.decode("utf-8"), stored.exit_code)
    except (OSError, TooLargeError, UnicodeDecodeError):
        return None  # the run itself reports what is wrong
    return None


def _is_valid(stored: StoredResult, key: CacheKey, report: bytes) -> bool:
    """Whether nothing the result depends on has changed; the cheapest comparison comes first."""
    return (
        stored.root == str(key.root)
        and stored.report == hashlib.sha256(report).hexdigest()
        and all(program_digest(Path(path)) == digest for path, digest in stored.programs.items())
        and all(installed_digest(Path(site)) == digest for site, digest in stored.installed.items())
        and stored.own == own_digest()
        and all(_linked_digest(Path(folder)) == digest for folder, digest in stored.linked.items())
        and stored.tree == digest_of_tree(tree_digests(key.root, [key.state]))
    )


class ProjectSnapshot:
    """The project before a run; stores the run's result if the run's own files are the only change.

    Earlier cached results of these keys are dropped first: if this run fails, they must not be used any more.

    Args:
        keys: all keys under which the same request may be made again.
    """

    def __init__(self, keys: Iterable[CacheKey]) -> None:
        self._keys = list({key.key: key for key in keys}.values())
        self._own = own_digest()
        self._before = self._tree()
        for key in self._keys:
            StoredResults(key.state, key.cache).drop(key.key)

    def store(self, settings: Settings, report: Report, interpreter: Interpreter | None, shown: str) -> bool:
        """Cache the run's result under all keys if it is reusable; returns whether it was stored.

        Args:
            shown: the summary for people, printed when the result is reused.
        """
        stored = None
        if interpreter is not None and is_reusable(settings, report):
            with suppress(OSError, TooLargeError):
                stored = self._result(settings, report, interpreter, shown)
        for key in self._keys:
            with suppress(OSError):  # a full disk: nothing is cached
                if stored is not None:
                    StoredResults(key.state, key.cache).put(key.key, stored)
        return stored is not None

    def _result(self, settings: Settings, report: Report, interpreter: Interpreter, shown: str) -> StoredResult | None:
        after = self._tree()
        # Files that a person has changed are compared like the rest of the project.
        added = {file.path for file in report.files if file.outcome in _WRITTEN}
        changed = added | {file.path for file in report.files if file.outcome == "removed"}
        if self._before is None or after is None or _without(self._before, changed) != _without(after, changed):
            return None
        run, root = settings.state / "runs" / report.run.id, settings.root
        if any((run / "staged" / path).read_bytes() != (root / path).read_bytes() for path in added):
            return None
        written = hashlib.sha256((run / "report.json").read_bytes()).hexdigest()
        linked = [folder for folder in interpreter.linked if not folder.resolve().is_relative_to(root.resolve())]
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
        key = self._keys[0]
        try:
            return tree_digests(key.root, [key.state])
        except (OSError, TooLargeError):
            return None


def is_reusable(settings: Settings, report: Report) -> bool:
    """Whether the result may be reused: the run completed, used no model, and its tests are in the project."""
    return (
        is_cacheable(settings)
        and report.exit_reason.value in _CACHED_REASONS
        and bool(report.files)
        and all(file.outcome in (*_WRITTEN, "removed", "edited") for file in report.files)
        and all(target.status in ("completed", "skipped") for target in report.targets)
        and all(step.type in _STEP_TYPES for step in report.plan)
        and not report.run.warnings
        and not report.run.resumed
        and not any(_was_cut(target) for target in report.targets)
        # A document at an address may change without a trace in the project.
        and all((settings.root / target.path).is_file() for target in report.targets)
    )


def is_cacheable(settings: Settings) -> bool:
    """Whether runs with these settings depend only on what can be compared.

    Models, agents and tool servers of others and what a command starts may give another answer tomorrow.
    """
    outside = (
        settings.models.names,
        settings.embeddings,
        settings.mcp_servers,
        settings.changed_since,
        settings.app_command,
        settings.app_url,
        settings.agents,
    )
    return settings.cache and settings.run and not settings.dry_run and not any(outside)


def _was_cut(target: Any) -> bool:
    """Whether a time limit cut work on a target short: another run may get further."""
    return bool(target.mutation and target.mutation.untried) or any(
        word in note for note in target.notes for word in (" stopped after ", " cut off ")
    )


def _linked_digest(folder: Path) -> str:
    """Digest of a folder outside the project that packages are linked to, including folders its links lead to."""
    digests = tree_digests(folder)
    for name in [name for name, digest in digests.items() if digest.startswith("link ")]:
        place = (folder / name).resolve()
        if place != OWN_FOLDER and place.is_dir():  # this program has its own digest
            digests[name] = digest_of_tree(tree_digests(place))
    return digest_of_tree(digests)


def _without(digests: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name not in names}


def _option(words: Sequence[str], name: str) -> str:
    """The last value given for an option; "" for none."""
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
    """Environment variables that may influence a run, without secrets and the run's own id."""
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
    """All keys under which the same request may be made again."""
    key = key_for(request, settings, os.environ)
    if words[:1] != ["run"] or not _is_explicit(settings, words):
        return [key]
    words_key = _key_of_words(words, os.environ)
    return [key, words_key] if words_key.state == key.state else [key]


def _is_explicit(settings: Settings, words: Sequence[str]) -> bool:
    """Whether --fresh and --run-id come from the command line, not from a file or variable the words do not show."""
    named = {word.partition("=")[0] for word in words}
    return (not settings.fresh or "--fresh" in named) and (not settings.run_id or "--run-id" in named)
