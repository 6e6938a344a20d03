"""Specs that were worked out before are not worked out again, as long as what they rest on is the same (T-16).

They are kept between runs in a bounded file; one that is damaged counts as none.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ....engine.python.project.exploration_digest import Foundations
from ....sandbox.fingerprint import TooLargeError, installed_digest, program_digest, tree_digests
from ....sandbox.target import PythonTarget
from ....store.cache.responses import ResponsesLost
from ....store.cache.sqlite_responses import SqliteResponses
from ....utils.canonical import digest_of
from ....utils.own_source import own_digest
from .spec_generator import Specified, Specifier

SPECS_FILE = "specs.sqlite"
_DECIDING = ("target", "test_type", "framework")


class RememberedSpecs:
    """A specifier in front of another one.

    The metadata of a spec that was worked out before has `remembered`. What a ceiling of time has cut short is not
    kept: another try may come further.

    Args:
        specifier: works specs out.
        python_target: the project made ready to run.
        folder: where specs are kept.
        budget: what else decides a spec, as plain data.
        most_bytes: what all specs together may have.
        fresh: whether everything is worked out anew, to be kept.
    """

    def __init__(
        self,
        specifier: Specifier,
        python_target: Callable[[], Awaitable[PythonTarget]],
        folder: Path,
        *,
        budget: Mapping[str, Any],
        most_bytes: int,
        fresh: bool = False,
    ) -> None:
        self._specifier = specifier
        self._python_target = python_target
        self._path = folder / SPECS_FILE
        self._budget = dict(budget)
        self._most = most_bytes
        self._fresh = fresh
        self._foundations: Foundations | None = None
        self._lock = asyncio.Lock()

    async def specify(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> Specified:
        """See `Specifier.specify`."""
        target = await self._python_target()
        if self._fresh or not self._path.exists():  # nothing to find: the key is only needed afterwards
            specifying = self._specifier.specify(inputs, seconds=seconds)
            key, done = await asyncio.gather(self._key(inputs, target), specifying)
        else:
            key = await self._key(inputs, target)
            found = await asyncio.to_thread(self._kept, key) if key is not None else None
            if found is not None:
                return found
            done = await self._specifier.specify(inputs, seconds=seconds)
        if key is not None and not _cut_short(done) and await asyncio.to_thread(_as_copied, target):
            await asyncio.to_thread(self._keep, key, done)
        return _as_kept(done)

    async def _key(self, inputs: Mapping[str, Any], target: PythonTarget) -> str | None:
        """Over all that a spec rests on, as the project was when it was copied; None where that cannot be read."""
        path = str(inputs["target"]["path"])
        async with self._lock:  # reads files once for all targets
            try:
                rests_on = await asyncio.to_thread(self._digest_of, path, target)
                machine = await asyncio.to_thread(_machine, target)
            except (OSError, UnicodeError, TooLargeError):
                return None  # working it out tells what is wrong; too much to read is not remembered
        asked = {name: inputs.get(name) for name in _DECIDING}
        return digest_of([own_digest(), rests_on, machine, asked, self._budget])

    def _digest_of(self, path: str, target: PythonTarget) -> str:
        if self._foundations is None:
            self._foundations = Foundations(target.snapshot.path, target.snapshot.files)
        return self._foundations.digest_of(path)

    def _kept(self, key: str) -> Specified | None:
        with suppress(ResponsesLost), closing(SqliteResponses(self._path, self._most)) as kept:
            body = kept.get(key)
            if body is not None:
                return _read(body)
        return None

    def _keep(self, key: str, done: Specified) -> None:
        with suppress(ResponsesLost), closing(SqliteResponses(self._path, self._most)) as kept:
            kept.put(key, _written(done))


def _machine(target: PythonTarget) -> list[Any]:
    """What runs the target's code, and what is installed there."""
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


def _as_copied(target: PythonTarget) -> bool:
    """Whether the project still is what was copied: parts of the engine read the project itself."""
    try:
        return all(
            (target.root / name).read_bytes() == (target.snapshot.path / name).read_bytes()
            for name in target.snapshot.files
            if not (target.snapshot.path / name).is_symlink()
        )
    except OSError:
        return False


def _cut_short(done: Specified) -> bool:
    return any(" stopped after " in str(note) for note in done.metadata.get("notes", ()))


def _written(done: Specified) -> bytes:
    return json.dumps([done.spec, done.metadata, done.trace]).encode("utf-8", "surrogatepass")


def _read(body: bytes) -> Specified | None:
    try:
        spec, metadata, trace = json.loads(body.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return Specified(spec, {**metadata, "remembered": True}, trace)


def _as_kept(done: Specified) -> Specified:
    """What a later run will read: the same, whichever run one looks at."""
    return Specified(*json.loads(_written(done).decode("utf-8", "surrogatepass")))
