"""Caches generated specs between runs, keyed by everything that decides them.

The cache is a bounded file in the state folder; a damaged one counts as empty.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ....engine.python.project.exploration_digest import Foundations
from ....sandbox.fingerprint import TooLargeError, installed_digest, program_digest, tree_digests
from ....sandbox.target import ProvideTarget, PythonTarget
from ....store.cache.responses import ResponsesLost
from ....store.cache.sqlite_responses import SqliteResponses
from ....utils.canonical import digest_of
from ....utils.own_source import own_digest
from .spec_generator import SpecGenerator, SpecResult

SPECS_FILE = "specs.sqlite"
_KEY_INPUTS = ("target", "test_type", "framework")


class CachedSpecGenerator:
    """A spec generator in front of another one that caches its results.

    The metadata of a spec from the cache has `remembered`. A spec that a time ceiling cut short is not cached, because
    another attempt may get further.

    Args:
        generator: generates specs.
        python_target: prepares the project.
        folder: where the cache file is.
        budget: further settings that decide a spec, as plain data.
        most_bytes: limit on the size of all cached specs together.
        fresh: ignore cached specs and replace them.
    """

    def __init__(
        self,
        generator: SpecGenerator,
        python_target: ProvideTarget,
        folder: Path,
        *,
        budget: Mapping[str, Any],
        most_bytes: int,
        fresh: bool = False,
    ) -> None:
        self._generator = generator
        self._python_target = python_target
        self._path = folder / SPECS_FILE
        self._budget = dict(budget)
        self._most = most_bytes
        self._fresh = fresh
        self._foundations: Foundations | None = None
        self._lock = asyncio.Lock()

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """See `SpecGenerator.generate`."""
        target = await self._python_target()
        if self._fresh or not self._path.exists():  # nothing to look up: the key is computed beside the spec
            generated = self._generator.generate(inputs, seconds=seconds)
            key, result = await asyncio.gather(self._key(inputs, target), generated)
        else:
            key = await self._key(inputs, target)
            cached = await asyncio.to_thread(self._cached, key) if key is not None else None
            if cached is not None:
                return cached
            result = await self._generator.generate(inputs, seconds=seconds)
        if key is not None and not _cut_short(result) and await asyncio.to_thread(_is_unchanged, target):
            await asyncio.to_thread(self._store, key, result)
        # The first run gets what later runs read from the cache: the value after a round trip through JSON.
        return SpecResult(*json.loads(_serialized(result).decode("utf-8", "surrogatepass")))

    async def _key(self, inputs: Mapping[str, Any], target: PythonTarget) -> str | None:
        """Digest of everything that decides a spec, of the project as it was copied; None where it cannot be read."""
        path = str(inputs["target"]["path"])
        async with self._lock:  # files are hashed once for all targets
            try:
                foundations = await asyncio.to_thread(self._digest_of, path, target)
                machine = await asyncio.to_thread(_machine, target)
            except (OSError, UnicodeError, TooLargeError):
                return None  # generating reports what is wrong; a project too large to hash is not cached
        request = {name: inputs.get(name) for name in _KEY_INPUTS}
        return digest_of([own_digest(), foundations, machine, request, self._budget])

    def _digest_of(self, path: str, target: PythonTarget) -> str:
        if self._foundations is None:
            self._foundations = Foundations(target.snapshot.path, target.snapshot.files)
        return self._foundations.digest_of(path)

    def _cached(self, key: str) -> SpecResult | None:
        with suppress(ResponsesLost), closing(SqliteResponses(self._path, self._most)) as cache:
            body = cache.get(key)
            if body is not None:
                return _deserialized(body)
        return None

    def _store(self, key: str, result: SpecResult) -> None:
        with suppress(ResponsesLost), closing(SqliteResponses(self._path, self._most)) as cache:
            cache.put(key, _serialized(result))


def _machine(target: PythonTarget) -> list[Any]:
    """The interpreter that runs the target's code, and what is installed there."""
    interpreter = target.interpreter
    sites = [*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else [])]
    outside = [one for one in interpreter.linked if not one.resolve().is_relative_to(target.root.resolve())]
    return [
        [
            str(interpreter.path),
            list(interpreter.version),
            interpreter.implementation,
            program_digest(interpreter.path),
        ],
        {str(site): installed_digest(site) for site in sites},
        {str(folder): sorted(tree_digests(folder).items()) for folder in outside},
        [one.name for one in target.overlay],
        list(target.import_roots),
        target.sandbox.kind,
    ]


def _is_unchanged(target: PythonTarget) -> bool:
    """Whether the project still equals its copy: parts of the engine read the project itself."""
    try:
        return all(
            (target.root / name).read_bytes() == (target.snapshot.path / name).read_bytes()
            for name in target.snapshot.files
            if not (target.snapshot.path / name).is_symlink()
        )
    except OSError:
        return False


def _cut_short(result: SpecResult) -> bool:
    return any(" stopped after " in str(note) for note in result.metadata.get("notes", ()))


def _serialized(result: SpecResult) -> bytes:
    return json.dumps([result.spec, result.metadata, result.trace]).encode("utf-8", "surrogatepass")


def _deserialized(body: bytes) -> SpecResult | None:
    try:
        spec, metadata, trace = json.loads(body.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return SpecResult(spec, {**metadata, "remembered": True}, trace)
