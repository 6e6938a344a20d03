"""A pull request on the example, checked out on a runner: what the tests of the Action begin with."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from testwright.tests.support.projects.repositories import Repository
from testwright.tests.support.runs.action_runner import ActionRunner, Ran

ROOT = Path(__file__).resolve().parents[3]
PROJECT = "services/shop"
PRICING = f"{PROJECT}/src/shop/pricing.py"
SMALL_RUNS = ("TESTWRIGHT_TRIALS", "TESTWRIGHT_MUTANTS", "TESTWRIGHT_REPEATS")
"""Settings by which the tests' runs are small; see tests/conftest.py."""

KEY = "sk-test-0123456789abcdefghij"


class PullRequest:
    """A runner whose workspace is the merge of a pull request that changes one function of the example.

    Args:
        folder: the runner's folder.
        changed: what the pull request makes of the example's files, by path in the repository; None for the change to
            `bulk_discount` that brings its defect in.
        installed: whether the runner's cache has the installation.
        environment: variables that the workflow sets for the step, besides the key.
    """

    def __init__(
        self,
        folder: Path,
        changed: Mapping[str, str] | None = None,
        *,
        installed: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._installed = installed
        self.repository = Repository(folder / "work")
        shop = folder / "work" / PROJECT
        left_out = shutil.ignore_patterns(".testwright", "generated", "__pycache__")
        shutil.copytree(ROOT / "examples" / "shop", shop, ignore=left_out)
        pricing = (ROOT / "examples" / "shop" / "src" / "shop" / "pricing.py").read_text()
        assert "> 100" in pricing
        self.repository.commit({PRICING: pricing.replace("> 100", ">= 100"), ".gitignore": ".testwright/\n"})
        base = self.repository.git("rev-parse", "HEAD")
        self.repository.git("update-ref", "refs/remotes/origin/main", base)
        self.repository.git("checkout", "-q", "-b", "change")
        self.repository.commit({PRICING: pricing} if changed is None else dict(changed))
        head = self.repository.git("rev-parse", "HEAD")
        self.repository.git("checkout", "-q", "--detach", base)
        self.repository.git("merge", "-q", "--no-ff", "-m", "merge", "change")
        event = {
            "pull_request": {"base": {"sha": base}, "head": {"sha": head}},
            "repository": {"default_branch": "main"},
        }
        self.runner = ActionRunner(
            ROOT,
            folder,
            uses={
                "actions/setup-python": lambda given: {"python-path": sys.executable},
                "actions/cache/restore": self._restored,
                "actions/cache/save": _kept,
                "actions/upload-artifact": lambda given: {},
            },
            event=("pull_request", event),
            github={
                "ref": "refs/pull/7/merge",
                "base_ref": "main",
                "sha": self.repository.git("rev-parse", "HEAD"),
                "repository": "octo/whole",
                "server_url": "https://github.example",
            },
            environment={
                "TESTWRIGHT_API_KEY": KEY,
                "PATH": _with_python(os.environ["PATH"]),
                # What testwright needs is installed for the tests already, from the same constraints: see `_kept`.
                "PIP_NO_DEPS": "1",
                "PIP_NO_COMPILE": "1",  # most modules of an installation made for one short run are never imported
                **{name: os.environ[name] for name in SMALL_RUNS if name in os.environ},
                **(environment or {}),
            },
        )

    def run(self, **inputs: str) -> Ran:
        """Run the Action; `changed_only` is the input `changed-only`."""
        return self.runner.run({name.replace("_", "-"): value for name, value in inputs.items()})

    def _restored(self, given: dict[str, str]) -> dict[str, str]:
        """A cache that may have the installation: this environment, where the Action looks for its own."""
        place = Path(given["path"])
        if place.name != "environment" or not self._installed:
            return {"cache-hit": ""}
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.symlink_to(sys.prefix)
        return {"cache-hit": "true"}


def _kept(given: dict[str, str]) -> dict[str, str]:
    """A cache that is kept; a new installation in it gets this environment's packages, all but testwright itself."""
    for site in Path(given["path"]).glob("lib/python*/site-packages"):
        if not Path(given["path"]).is_symlink():
            (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return {}


def _with_python(path: str) -> str:
    """A path on which `python3` is the installation that this environment was made from."""
    return f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}{path}"
