"""git configuration that a cloned repository brings along: nothing that it names is executed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from testwright.core.errors import HistoryError
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.projects.files import run_command
from testwright.tests.support.projects.repositories import Repository
from testwright.vcs.changed_code import changed_code

MODULE = "src/pk/good.py"


@pytest.fixture
def clone(tmp_path: Path) -> Repository:
    """A repository with one commit and an edited file."""
    repository = Repository(hostile_project(tmp_path / "clone"))
    repository.commit()
    path = repository.folder / MODULE
    path.write_text(path.read_text().replace("return n * 2", "return 2 * n"))
    return repository


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program beside the repository that leaves the mark `ran` and passes its input on."""
    path = tmp_path / "trap"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    path.chmod(0o755)
    return path


def _settings(**values: str) -> Callable[[Repository, Path], None]:
    def apply(clone: Repository, trap: Path) -> None:
        for name, value in values.items():
            clone.git("config", name.replace("__", "."), value.format(trap=trap))

    return apply


def _filter(clone: Repository, trap: Path) -> None:
    clone.write({".gitattributes": "*.py filter=evil diff=evil merge=evil\n"})
    for name in ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"):
        clone.git("config", name, str(trap))
    clone.git("config", "filter.evil.required", "true")


def _hooks(clone: Repository, trap: Path) -> None:
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"):
        shutil.copy(trap, clone.folder / ".git" / "hooks" / name)
    shutil.copytree(clone.folder / ".git" / "hooks", clone.folder / "hooks")
    clone.git("config", "core.hooksPath", str(clone.folder / "hooks"))
    clone.git("config", "core.fsmonitor", ".git/hooks/fsmonitor-watchman")


def _included(clone: Repository, trap: Path) -> None:
    """Configuration elsewhere in the repository, and the work tree's own."""
    clone.write({".gitattributes": "*.py filter=evil\n", "more.config": f'[filter "evil"]\nclean = {trap}\n'})
    clone.git("config", "include.path", "../more.config")
    clone.git("config", "extensions.worktreeConfig", "true")
    clone.git("config", "--worktree", "core.fsmonitor", str(trap))


TRICKS = {
    "filter": _filter,
    "hooks": _hooks,
    "included": _included,
    "pager": _settings(core__pager="{trap}", pager__diff="{trap}", core__editor="{trap}"),
    "difference": _settings(diff__external="{trap}", diff__tool="evil"),
    "alias": _settings(**{"alias__rev-parse": "!{trap}", "alias__diff-index": "!{trap}", "alias__ls-files": "!{trap}"}),
    "signature": _settings(gpg__program="{trap}", log__showSignature="true"),
    "transport": _settings(core__sshCommand="{trap}", core__gitProxy="{trap}", credential__helper="!{trap}"),
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_nothing_of_the_repositorys_configuration_is_executed(
    trick: Callable[[Repository, Path], None], clone: Repository, trap: Path, tmp_path: Path
) -> None:
    trick(clone, trap)
    (tmp_path / "ran").unlink(missing_ok=True)  # git itself, as the attacker used it, may have run the trap
    found = changed_code(clone.folder, "HEAD")
    assert found.files[MODULE] == ("double",)
    assert not (tmp_path / "ran").exists()


def test_objects_that_a_partial_clone_lacks_are_not_fetched_by_a_program(
    clone: Repository, trap: Path, tmp_path: Path
) -> None:
    blob = clone.git("rev-parse", f"HEAD:{MODULE}")
    (clone.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{trap}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(trap),
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }.items():
        clone.git("config", name, value)
    with pytest.raises(HistoryError):
        changed_code(clone.folder, "HEAD")
    assert not (tmp_path / "ran").exists()


def test_a_run_of_what_has_changed_executes_no_filter(clone: Repository, trap: Path, tmp_path: Path) -> None:
    _filter(clone, trap)
    (tmp_path / "ran").unlink(missing_ok=True)
    with unharmed(tmp_path, marker=str(clone.folder)):
        outcome = run_command(
            "plan", "unit tests", "--root", str(clone.folder), "--changed-since", "HEAD", cwd=tmp_path
        )
    assert outcome.code == 0, outcome.err
    assert "good.py" in outcome.out
