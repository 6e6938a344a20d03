"""git configuration that a cloned repository brings along: nothing that it names is executed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from testwright.analysis.repository import Checkout
from testwright.core.errors import HistoryError
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.projects.repositories import Repository
from testwright.tests.support.runs.command_line import invoke_command
from testwright.utils.untrusted_files import MAX_SOURCE_BYTES
from testwright.vcs import git
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


def _pipe(place: str) -> Callable[[Repository, Path], Path]:
    def plant(clone: Repository, beside: Path) -> Path:
        path = clone.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return path

    return plant


def _named_pipe(setting: str) -> Callable[[Repository, Path], Path]:
    def plant(clone: Repository, beside: Path) -> Path:
        os.mkfifo(clone.folder / "pipe")
        clone.git("config", setting, str(clone.folder / "pipe"))
        return clone.folder / "pipe"

    return plant


def _link_to_a_device(clone: Repository, beside: Path) -> Path:
    path = clone.folder / ".git" / "packed-refs"
    path.symlink_to("/dev/zero")
    return path


def _included_twice(clone: Repository, beside: Path) -> Path:
    os.mkfifo(clone.folder / "pipe")
    clone.write({"more.config": "[include]\n\tpath = pipe\n"})
    clone.git("config", "include.path", "../more.config")
    return clone.folder / "pipe"


def _objects_elsewhere(clone: Repository, beside: Path) -> Path:
    pipe = beside / "objects" / "pack" / "pack-1.idx"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    (clone.folder / ".git" / "objects" / "info" / "alternates").write_text(f"{beside / 'objects'}\n")
    return pipe


def _git_folder_elsewhere(clone: Repository, beside: Path) -> Path:
    (clone.folder / ".git").rename(clone.folder / "own")
    (clone.folder / ".git").write_text("gitdir: own\n")
    return _pipe("own/HEAD")(clone, beside)


WAITS = {
    "config": _pipe(".git/config"),
    "head": _pipe(".git/HEAD"),
    "references": _pipe(".git/packed-refs"),
    "branch": _pipe(".git/refs/heads/main"),
    "index": _pipe(".git/index"),
    "excluded": _pipe(".git/info/exclude"),
    "object": _pipe(".git/objects/pack/pack-1.idx"),
    "ignored": _pipe(".gitignore"),
    "ignored below": _pipe("src/pk/.gitignore"),
    "git itself": lambda clone, beside: (shutil.rmtree(clone.folder / ".git"), _pipe(".git")(clone, beside))[1],
    "git elsewhere": _git_folder_elsewhere,
    "objects elsewhere": _objects_elsewhere,
    "device": _link_to_a_device,
    "included": _included_twice,
    "patterns": _named_pipe("core.excludesFile"),
}


@pytest.mark.parametrize("waits", WAITS.values(), ids=WAITS)
def test_a_pipe_or_device_that_git_would_wait_for_is_named_at_once(
    waits: Callable[[Repository, Path], Path], clone: Repository, tmp_path: Path
) -> None:
    planted = waits(clone, tmp_path / "beside")
    with pytest.raises(HistoryError, match="is a pipe or a device") as raised:
        changed_code(clone.folder, "HEAD")
    assert planted.name in raised.value.message


@pytest.mark.parametrize("waits", WAITS.values(), ids=WAITS)
def test_reading_the_name_and_branch_of_a_clone_waits_for_nothing(
    waits: Callable[[Repository, Path], Path], clone: Repository, tmp_path: Path
) -> None:
    waits(clone, tmp_path / "beside")
    checkout = Checkout(clone.folder)
    assert checkout.full_name() == "local/clone"
    assert checkout.head().ref
    assert MODULE in dict(checkout.stamps())


def test_settings_that_name_no_program_and_no_pipe_do_no_harm(clone: Repository) -> None:
    clone.git("config", "core.hooksPath", os.devnull)
    clone.git("config", "core.excludesFile", "~/missing")
    clone.git("config", "include.path", "../missing\\0")
    assert changed_code(clone.folder, "HEAD").files[MODULE] == ("double",)


def test_a_commit_that_unpacks_to_more_than_there_is_room_for_costs_an_error(
    clone: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few trees that name each other name as many files as one likes."""
    entry = f"100644 blob {clone.git('hash-object', '-w', MODULE)}\tlong-name.py\n"
    tree = clone.git("mktree", given=entry)
    for _ in range(4):
        tree = clone.git("mktree", given="".join(f"040000 tree {tree}\t{name}\n" for name in "abcdefghij"))
    bomb = clone.git("commit-tree", "-m", "x", tree)
    head = clone.git("commit-tree", "-m", "y", "-p", bomb, "HEAD^{tree}")
    clone.git("update-ref", "HEAD", head)
    monkeypatch.setattr(git, "_MOST_OUTPUT", 1024 * 1024)
    with pytest.raises(HistoryError, match="prints more than 1 MiB"):
        changed_code(clone.folder, bomb)


def test_a_file_that_unpacks_to_gigabytes_is_not_read(clone: Repository) -> None:
    big = clone.folder / "src/pk/big.py"
    big.write_bytes(b"#" * (MAX_SOURCE_BYTES + 1))
    clone.commit()
    big.write_text("def small() -> int:\n    return 1\n")
    assert changed_code(clone.folder, "HEAD").files["src/pk/big.py"] is None


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
        outcome = invoke_command(
            "plan", "unit tests", "--root", str(clone.folder), "--changed-since", "HEAD", cwd=tmp_path
        )
    assert outcome.code == 0, outcome.err
    assert "good.py" in outcome.out
