"""Generates specs of unit tests: analyses one Python module, explores it in the sandbox, and caches the spec.

The same project and request give the same spec, so a spec is cached between runs, keyed by everything that decides it.
The cache is a bounded file in the state folder; a damaged one counts as empty.
"""

from __future__ import annotations

import asyncio
import filecmp
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from ....core.outcome import NOTHING_PUBLIC
from ....engine.python.explore.explore import ExplorationBudget, explore
from ....engine.python.explore.package_usage import with_examples_run
from ....engine.python.facts.analyse import analyse_module
from ....engine.python.judge.prose_edges import edge_questions
from ....engine.python.model.model import Arc, CallableFacts, Exploration, ModuleFacts, Trial
from ....engine.python.project.exploration_digest import Foundations
from ....engine.python.project.layout import Layout, find_layout
from ....engine.python.search.background_context import background_context
from ....engine.python.search.parallel_observers import ObserverPair, open_observer_pair
from ....engine.python.search.source_proposer import SourceProposer
from ....engine.python.source.documents import documents_of
from ....engine.python.usage.package_examples import package_examples
from ....engine.python.usage.project_index import ProjectIndex
from ....engine.python.usage.usage import ProjectUsage, find_usage
from ....engine.python.write.compose import compose_spec
from ....sandbox.fingerprint import TooLargeError, installed_digest, program_digest, tree_digests
from ....sandbox.target import ProvideTarget, PythonTarget
from ....store.cache.responses import ResponsesLost
from ....store.cache.sqlite_responses import SqliteResponses
from ....utils.canonical import digest_of
from ....utils.own_source import own_digest
from ....utils.untrusted_files import source_or_empty
from ...contract.protocol import JsonObject
from .first_tests import FirstTests
from .spec_agent import SpecGenerator, SpecResult

SPECS_FILE = "specs.sqlite"
_MOST_GAPS = 30
_KEY_INPUTS = ("target", "test_type", "framework")


@dataclass(frozen=True, slots=True)
class UnitSpecGenerator:
    """Generates unit test specs for one Python module.

    The metadata holds `trials`, `branches` (reached and possible), in `gaps` branches that were not reached, `notes`,
    and in `notices` which mutants each case kills.

    Attributes:
        python_target: prepares the project; called at the first exploration.
        root: the project's root.
        budget: limits on what is tried for one module; by default the engine's.
        first: writes the first tests of the run from an early exploration; None for no preview.
        examples: values that a person gave in the settings, by `module:function` or parameter name.
    """

    python_target: ProvideTarget
    root: Path
    _: KW_ONLY
    budget: ExplorationBudget = field(default_factory=ExplorationBudget)
    first: FirstTests | None = None
    examples: Mapping[str, str] = field(default_factory=dict)

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path, and `symbols` or null). Raises as `explore` and `analyse_module` do."""
        target: Mapping[str, Any] = inputs["target"]
        layout = await asyncio.to_thread(find_layout, self.root)
        facts = await asyncio.to_thread(analyse_module, self.root, str(target["path"]), layout)
        wanted = target.get("symbols")

        def preview(partial: Exploration) -> None:
            if self.first is not None:
                self.first.take(lambda: self._composed(limit_to_symbols(partial, wanted), layout, inputs))

        early = preview if self.first is not None and self.first.wanted else None
        async with background_context(lambda: self._workers(facts)) as workers:
            workers.start()  # they start while the proposer reads the sources
            narrowed = narrowed_facts(facts, wanted)
            usage, examples = await asyncio.to_thread(_read_usage, self.root, layout, narrowed)
            async with workers.use() as observers:
                usage = await with_examples_run(usage, narrowed, examples, observers)
                proposer = await asyncio.to_thread(
                    SourceProposer, self.root, layout, narrowed, usage, examples=self.examples
                )
                facts = replace(facts, domains=proposer.context.domains)
                exploration = await explore(
                    await self.python_target(),
                    facts,
                    proposer,
                    self.budget.within(seconds),
                    early=early,
                    opened=lambda: nullcontext(observers),
                )
        exploration = limit_to_symbols(exploration, wanted)
        notices: dict[str, list[int]] = {}
        spec = await asyncio.to_thread(self._composed, exploration, layout, inputs, notices)
        metadata: JsonObject = {**_metadata(exploration), "notices": notices}
        metadata["notes"] += proposer.examples.notes()
        asked = await asyncio.to_thread(lambda: edge_questions(source_or_empty(self.root, facts.path), facts.path))
        metadata["notes"] += [text for name, text in asked if wanted is None or is_wanted(name, list(map(str, wanted)))]
        # A spec without cases is valid only if it says why there are none.
        if not (spec["cases"] or spec["suspected_defects"] or spec["not_reached"]):
            spec["not_reached"] = [{"subject": facts.module, "reason": NOTHING_PUBLIC, "line": 1}]
        trace: list[JsonObject] = [
            {"event": "explored", "target": facts.path, "trials": exploration.trials, "cases": len(spec["cases"])}
        ]
        return SpecResult(spec, metadata, trace)

    def _composed(
        self,
        exploration: Exploration,
        layout: Layout,
        inputs: Mapping[str, Any],
        notices: dict[str, list[int]] | None = None,
    ) -> JsonObject:
        return compose_spec(
            exploration,
            framework=str(inputs.get("framework") or "pytest"),
            request=str(inputs.get("user_request") or ""),
            import_roots=layout.import_roots,
            notices=notices,
            documents=documents_of(self.root, [exploration.facts.path]),
        )

    @asynccontextmanager
    async def _workers(self, facts: ModuleFacts) -> AsyncGenerator[ObserverPair]:
        async with open_observer_pair(await self.python_target(), facts) as workers:
            yield workers


def limit_to_symbols(exploration: Exploration, symbols: Any) -> Exploration:
    """Limit an exploration to findings about some symbols: `Cart` includes its members; None means all."""
    if symbols is None:
        return exploration
    wanted = [str(symbol) for symbol in symbols]
    return replace(
        exploration,
        findings=tuple(finding for finding in exploration.findings if is_wanted(finding.trial.subject, wanted)),
        unreached=tuple(symbol for symbol in exploration.unreached if is_wanted(symbol.qualname, wanted)),
    )


def is_wanted(subject: str, symbols: list[str]) -> bool:
    """Whether a qualified name is one of the symbols or a member of one."""
    return any(subject == symbol or subject.startswith(f"{symbol}.") for symbol in symbols)


def narrowed_facts(facts: ModuleFacts, symbols: Any) -> ModuleFacts:
    """Limit a module's facts to the wanted symbols and the other members of their classes; None means all.

    What fills an object decides what a method of it does: alone, a lookup would only ever miss.
    """
    if symbols is None:
        return facts
    wanted = [str(symbol) for symbol in symbols]

    def kept(function: CallableFacts) -> bool:
        return is_wanted(function.qualname, wanted)

    return replace(
        facts,
        functions=tuple(function for function in facts.functions if kept(function)),
        classes=tuple(
            cls for cls in facts.classes if is_wanted(cls.name, wanted) or any(kept(member) for member in cls.members)
        ),
    )


def _read_usage(root: Path, layout: Layout, facts: ModuleFacts) -> tuple[ProjectUsage, tuple[Trial, ...]]:
    """How the project uses a module, as its code and documents say, and the examples of its package to run."""
    index = ProjectIndex(root, layout, (facts,))
    return find_usage(root, layout, facts, index), package_examples(root, layout, facts, index)


def _metadata(exploration: Exploration) -> JsonObject:
    possible = exploration.possible_arcs
    return {
        "trials": exploration.trials,
        "branches": {"reached": len(exploration.reached_arcs & possible), "possible": len(possible)},
        "gaps": _gaps(sorted(possible - exploration.reached_arcs)[:_MOST_GAPS]),
        "notes": list(exploration.notes),
    }


def _gaps(arcs: Sequence[Arc]) -> list[str]:
    """The arcs that no trial took, in one line; negative numbers are ends of a function."""
    chains: list[list[str]] = []
    for begin, end in arcs:
        to = str(end) if end > 0 else "end"
        # Arcs that follow each other are one way through the code: in a row, they cost half of the words.
        if chains and chains[-1][-1] == str(abs(begin)):
            chains[-1].append(to)
        else:
            chains.append([str(abs(begin)), to])
    return [f"from line to line: {'; '.join('-'.join(chain) for chain in chains)}"] if chains else []


_MORE_TIME = 1.5
_GIVEN = "seconds_given"


@dataclass(frozen=True, slots=True)
class _Shortened:
    """A spec that a time ceiling cut short, and the seconds that it was given; None for those of `step_seconds`."""

    result: SpecResult
    seconds: float | None

    def leaves_time(self, seconds: float | None) -> bool:
        """Whether an attempt with so many seconds may get further."""
        return seconds is None or (self.seconds is not None and seconds > _MORE_TIME * self.seconds)


def _shortened_key(key: str) -> str:
    return digest_of([key, "shortened"])


def _reach(result: SpecResult) -> tuple[int, int]:
    """How far an attempt got: branches that its trials took, and cases."""
    branches = result.metadata.get("branches") or {}
    return int(branches.get("reached") or 0), len(result.spec.get("cases") or ())


class CachedSpecGenerator:
    """A spec generator in front of another one that caches its results.

    The metadata of a spec from the cache has `remembered`. A spec that a time ceiling cut short is kept apart with the
    seconds that it was given: it stands for an attempt that gets no more than `_MORE_TIME` times as many, and for a
    longer one that gets no further, so that asking again makes no suite worse.

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
                return _of_current_text(cached, inputs)
            shortened = await asyncio.to_thread(self._shortened, key) if key is not None else None
            if shortened is not None and not shortened.leaves_time(seconds):
                return _of_current_text(shortened.result, inputs)
            result = await self._generator.generate(inputs, seconds=seconds)
            if shortened is not None and _cut_short(result) and _reach(shortened.result) > _reach(result):
                return _of_current_text(shortened.result, inputs)
        # A spec of a project that was edited meanwhile would be found by the digest of the old state.
        if key is not None and await asyncio.to_thread(_is_unchanged, target):
            await asyncio.to_thread(self._keep, key, result, seconds)
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
        # The digest of its bytes also counts comments.
        wanted = {name: value for name, value in inputs["target"].items() if name != "digest"}
        request = {**{name: inputs.get(name) for name in _KEY_INPUTS}, "target": wanted}
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

    def _shortened(self, key: str) -> _Shortened | None:
        """The furthest attempt that a ceiling cut short."""
        found = self._cached(_shortened_key(key))
        if found is None:
            return None
        given = found.metadata.get(_GIVEN)
        metadata = {name: value for name, value in found.metadata.items() if name != _GIVEN}
        return _Shortened(replace(found, metadata=metadata), given if isinstance(given, int | float) else None)

    def _keep(self, key: str, result: SpecResult, seconds: float | None) -> None:
        if not _cut_short(result):
            self._store(key, result)
        elif result.spec.get("cases"):
            kept = replace(result, metadata={**result.metadata, _GIVEN: seconds})
            self._store(_shortened_key(key), kept)

    def _store(self, key: str, result: SpecResult) -> None:
        with suppress(ResponsesLost), closing(SqliteResponses(self._path, self._most)) as cache:
            cache.put(key, _serialized(result))


def _of_current_text(cached: SpecResult, inputs: Mapping[str, Any]) -> SpecResult:
    """A cached result for the text that the module has: comments may have changed since it was explored."""
    current = inputs["target"].get("digest")
    if current is None or "target" not in cached.spec:
        return cached
    return replace(cached, spec={**cached.spec, "target": {**cached.spec["target"], "digest": current}})


def _machine(target: PythonTarget) -> list[Any]:
    """The interpreter that runs the target's code, and what is installed there."""
    interpreter = target.interpreter
    sites = [*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else [])]
    outside = [folder for folder in interpreter.linked if not folder.resolve().is_relative_to(target.root.resolve())]
    return [
        [
            str(interpreter.path),
            list(interpreter.version),
            interpreter.implementation,
            program_digest(interpreter.path),
        ],
        {str(site): installed_digest(site) for site in sites},
        {str(folder): sorted(tree_digests(folder).items()) for folder in outside},
        [folder.name for folder in target.overlay],
        list(target.import_roots),
        target.sandbox.kind,
    ]


def _is_unchanged(target: PythonTarget) -> bool:
    """Whether the project still equals its copy: parts of the engine read the project itself."""
    try:
        return all(
            filecmp.cmp(target.root / name, target.snapshot.path / name, shallow=False)
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
