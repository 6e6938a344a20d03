"""Prepared targets made from a dict of files, for tests that run code of a project in the sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from testwright.sandbox.protocol import SandboxKind
from testwright.sandbox.target import PythonTarget, prepare_target
from testwright.tests.support.engine.sandboxes import needed_sandbox
from testwright.tests.support.projects.files import make_project


@asynccontextmanager
async def prepared(
    folder: Path,
    files: Mapping[str, str],
    *,
    import_roots: Sequence[str] = ("src",),
    kind: SandboxKind = "bubblewrap",
    variables: Mapping[str, str] | None = None,
    caches: Sequence[Path] = (),
    python: Path | None = None,
) -> AsyncIterator[PythonTarget]:
    """A target of a project written below `folder`; discarded on leaving. Fails where there is no such sandbox.

    Args:
        caches: folders of test tools that are kept; one below `folder` without any.
        python: its interpreter; ours when None.
    """
    root = make_project(folder / "project-of-a-user", files)
    target = await prepare_target(
        root,
        sandbox=needed_sandbox(kind),
        python=python,
        state=folder / "state",
        caches=caches or (folder / "cache",),
        import_roots=import_roots,
        variables=variables,
    )
    try:
        yield target
    finally:
        await target.discard()
