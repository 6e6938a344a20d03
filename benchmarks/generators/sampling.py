"""Which mutants of a module are tried: the same for every generator."""

from __future__ import annotations

import hashlib
from pathlib import Path

from testwright.mutation.catalog import mutants_of, sample


def sample_digest(root: Path, path: str, size: int) -> str:
    """A digest of the sample that `testwright assess` draws for a file: what is changed to what, what is set aside."""
    drawn = sample(mutants_of((root / path).read_bytes(), path), size)
    whole = hashlib.sha256()
    for one in drawn:
        whole.update(f"{one.operator}\0{one.start}\0{one.end}\0{one.replacement}\0{one.rule}\n".encode())
    return whole.hexdigest()
