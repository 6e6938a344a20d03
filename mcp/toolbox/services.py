"""Holds the services that tools for graphs work with, one set per run or project."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...analysis.code_search.index import CodebaseIndex
from ...analysis.javascript.checks import JavaScriptChecks
from ...analysis.openapi.document_analysis import AnalysisCache
from ...core.errors import ToolFailure
from ...utils.confined_paths import first_inside, inside, read_text
from .content_cache import ContentCache

if TYPE_CHECKING:
    from ...analysis.code_search.vectors import PassageVectors
    from ...analysis.github_repository import GitHubRepository
    from ...gate.runner.baseline import CoverageBaseline
    from ...sandbox.target import PythonTarget
    from ...store.files.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class ToolServices:
    """The services of the tools of one run.

    Attributes:
        root: the project.
        run_folder: the run's own files; file tools are confined to it.
        python_target: returns the prepared target; may be called any number of times.
        cache_dir: folder for data that is kept between runs, such as the search index.
        repeats: default for the shuffled repeats that a test has to pass.
        mutants: default for the number of mutants that kept tests are measured by; 0 for none.
        model_writes: whether a model writes test files.
        build_command: the configured build command, if any.
        cache: results of this toolbox, by the hash of their inputs.
        repository: the repository on GitHub that `repo.tree` and `repo.read_file` read; None for the checkout.
        vectors: embeddings of passages, where an embeddings model is set.
        index: the search over the project's code and documents.
        baselines: coverage before the tests of this run.
        openapi: cache of parsed OpenAPI documents.
        javascript: parsers and linters for JavaScript and TypeScript, started on first use.
    """

    root: Path
    run_folder: RunFolder
    python_target: Callable[[], Awaitable[PythonTarget]]
    cache_dir: Path
    repeats: int = 3
    mutants: int = 0
    model_writes: bool = False
    build_command: str | None = None
    cache: ContentCache = field(default_factory=ContentCache)
    repository: GitHubRepository | None = None
    vectors: PassageVectors | None = None
    index: CodebaseIndex = field(init=False)
    baselines: Baselines = field(init=False)
    openapi: AnalysisCache = field(init=False)
    javascript: JavaScriptChecks = field(init=False)

    def __post_init__(self) -> None:
        index = CodebaseIndex(self.root, self.cache_dir / "codebase-index.sqlite", self.vectors)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "baselines", Baselines(self.root))
        object.__setattr__(self, "openapi", AnalysisCache())
        object.__setattr__(self, "javascript", JavaScriptChecks(self.root))

    def run_file(self, path: str) -> Path:
        """Resolves a path in the run's folder; the file need not exist. Raises ToolFailure."""
        return inside(self.run_folder.path, path)

    def project_file(self, path: str) -> Path:
        """Finds an existing file of the project. Raises ToolFailure."""
        file = first_inside((self.root,), path)
        if file is None:
            raise ToolFailure(f"the project has no file {path!r}", advice="give a path relative to the project's root")
        return file

    def any_file(self, path: str) -> Path:
        """Finds an existing file: among the staged files, else in the run's folder, else in the project.

        Raises:
            ToolFailure: there is none.
        """
        file = first_inside((self.run_folder.staged, self.run_folder.path, self.root), path)
        if file is None:
            raise ToolFailure(
                f"there is no file {path!r} in the run's folder or the project",
                advice="give a path relative to either; staged test files go by their path in the project",
            )
        return file

    def text_of(self, path: str) -> str:
        """Reads the file that `any_file` finds. Raises ToolFailure."""
        return read_text(self.any_file(path), path, (self.run_folder.staged, self.run_folder.path, self.root))

    def test_path(self, path: str) -> str:
        """Returns the path in the project of a staged test file, given by that path or as `staged/…`.

        Raises:
            ToolFailure: nothing is staged there.
        """
        file = self.any_file(path).resolve()
        staged = self.run_folder.staged.resolve()
        if not file.is_relative_to(staged):
            raise ToolFailure(f"{path!r} is not a staged test file", advice="write it below staged/ first")
        return file.relative_to(staged).as_posix()


class Baselines:
    """Measures on first use and caches; one measurement at a time.

    Args:
        root: the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = asyncio.Lock()
        self._own_tests: CoverageBaseline | None = None
        self._by_import: dict[tuple[str, ...], CoverageBaseline] = {}

    async def of(self, target: PythonTarget, modules: Mapping[str, str]) -> CoverageBaseline:
        """Returns the coverage of files by the project's own tests, or by importing them where no own test covers them.

        Args:
            modules: import names by POSIX path relative to the project; a `__main__` module is not imported.

        Raises:
            SandboxFailure: the sandbox itself failed.
        """
        from ...gate.runner.baseline import measure_baseline

        own = await self.of_project(target)
        paths = tuple(modules)
        # One run of the project's own tests serves every target it covers.
        if own.source == "own_tests" and all(path in own.coverage.files for path in paths):
            return replace(own, coverage=own.coverage.only(paths))
        async with self._lock:
            if paths not in self._by_import:
                # Importing a `__main__` module would run the program.
                imported = [name for name in modules.values() if name.rpartition(".")[2] != "__main__"]
                found = await measure_baseline(target, paths, modules=imported, tests=())
                self._by_import[paths] = replace(found, notes=(*own.notes, *found.notes))
            return self._by_import[paths]

    async def of_project(self, target: PythonTarget) -> CoverageBaseline:
        """Returns the coverage of all modules by the project's own tests; without passing ones `source` differs.

        Raises:
            SandboxFailure: the sandbox itself failed.
        """
        from ...engine.python.project.layout import find_layout
        from ...gate.model.coverage_data import CoverageData
        from ...gate.runner.baseline import CoverageBaseline, measure_baseline, own_test_files

        async with self._lock:
            if self._own_tests is None:
                tests = await asyncio.to_thread(own_test_files, target.snapshot.path)
                if tests:
                    layout = await asyncio.to_thread(find_layout, self._root)
                    measured = [module.path for module in layout.modules]
                    self._own_tests = await measure_baseline(target, measured, tests=tests)
                else:
                    self._own_tests = CoverageBaseline(CoverageData(), "nothing")
            return self._own_tests
