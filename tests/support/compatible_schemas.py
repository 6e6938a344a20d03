"""Checks that what an earlier version of a schema accepts is still accepted; part of `make check`.

    python -m testwright.tests.support.compatible_schemas [--since COMMIT]

Compares each schema with that of a commit, by default the last one. A schema that refuses more needs a version of its
own: another file, with another `$id`. Exits 1 when one does without.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from testwright.tests.support.schema_compatibility import compatible

ROOT = Path(__file__).resolve().parents[2]


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print what is not compatible, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="HEAD", metavar="COMMIT", help="the commit to compare with; default: HEAD")
    since = parser.parse_args(words).since
    found = list(incompatibilities(root, since))
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


def incompatibilities(root: Path, since: str) -> Iterator[str]:
    """Say where schemas of a checkout refuse what those of a commit accept; nothing outside of a repository.

    Raises:
        subprocess.CalledProcessError: there is no such commit.
    """
    if not (root / ".git").exists():
        return
    for path in _git(root, "ls-tree", "-r", "--name-only", since, "schemas/").splitlines():
        if not path.endswith(".json"):
            continue
        old: dict[str, Any] = json.loads(_git(root, "show", f"{since}:{path}"))
        file = root / path
        if not file.exists():
            yield f"{path}: it is gone, and what names it is not valid any more"
            continue
        new = json.loads(file.read_text(encoding="utf-8"))
        if new.get("$id") == old.get("$id"):
            yield from (f"{path}: {one.path}: {one.reason}" for one in compatible(old, new))


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
