"""What the built-in tools work with; given once, when the toolbox is built."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...analysis.code_search.index import CodebaseIndex
from ...analysis.javascript.checks import JavaScriptChecks
from ...analysis.openapi.analysis_cache import AnalysisCache
from ...core.errors import ToolFailure
from ...utils.confined_paths import first_inside, inside
from .baselines import Baselines
from .cache import ResultCache

if TYPE_CHECKING:
    from ...analysis.code_search.vectors import PassageVectors
    from ...sandbox.target import PythonTarget
    from ...store.files.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class ToolServices:
    """The live things behind the tools of one run.

    Attributes:
        root: the project.
        run_folder: where the run keeps its files; file tools are confined to it.
        python_target: gives the prepared target; called by the tools that run code, as often as they like.
        cache_dir: folder for what may be kept between runs (the search index).
        repeats: shuffled repeats a test has to pass, where a call does not say.
        mutants: mutants that kept tests are measured by, where a call does not say; 0 for none.
        build_command: what builds the project, when a setting says it.
        cache: results of this toolbox, by the hash of their inputs.
        vectors: meanings of passages, where an embeddings model is set.
        index: the search over the project's code and documents.
        baselines: coverage there was before the tests of this run.
        openapi: OpenAPI documents that were read before.
        javascript: parsers and linters for JavaScript and TypeScript; costs nothing until it is asked.
    """

    root: Path
    run_folder: RunFolder
    python_target: Callable[[], Awaitable[PythonTarget]]
    cache_dir: Path
    repeats: int = 3
    mutants: int = 0
    build_command: str | None = None
    cache: ResultCache = field(default_factory=ResultCache)
    vectors: PassageVectors | None = None
    index: CodebaseIndex = field(init=False)
    baselines: Baselines = field(init=False)
    openapi: AnalysisCache = field(init=False)
    javascript: JavaScriptChecks = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "index", CodebaseIndex(self.root, self.cache_dir / "codebase-index.sqlite", self.vectors)
        )
        object.__setattr__(self, "baselines", Baselines(self.root))
        object.__setattr__(self, "openapi", AnalysisCache())
        object.__setattr__(self, "javascript", JavaScriptChecks(self.cache_dir))

    def run_file(self, given: str) -> Path:
        """A place in the run's folder; it need not exist. Raises ToolFailure."""
        return inside(self.run_folder.path, given)

    def project_file(self, given: str) -> Path:
        """An existing file of the project. Raises ToolFailure."""
        place = first_inside((self.root,), given)
        if place is None:
            raise ToolFailure(f"the project has no file {given!r}", advice="give a path relative to the project's root")
        return place

    def any_file(self, given: str) -> Path:
        """An existing file, looked for among the staged files, in the run's folder, then in the project.

        Raises:
            ToolFailure: there is none.
        """
        place = first_inside((self.run_folder.staged, self.run_folder.path, self.root), given)
        if place is None:
            raise ToolFailure(
                f"there is no file {given!r} in the run's folder or the project",
                advice="give a path relative to either; staged test files go by their path in the project",
            )
        return place

    def test_path(self, given: str) -> str:
        """The path in the project of a staged test file, however it was named (`staged/…` or as in the project).

        Raises:
            ToolFailure: nothing is staged there.
        """
        place = self.any_file(given)
        staged = self.run_folder.staged.resolve()
        if not place.resolve().is_relative_to(staged):
            raise ToolFailure(f"{given!r} is not a staged test file", advice="write it below staged/ first")
        return place.resolve().relative_to(staged).as_posix()
