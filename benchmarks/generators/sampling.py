"""Which mutants of a module are tried: the same for every generator."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

_CATALOGS = ("testwright.mutation.catalog", "testwright.gate.mutation.catalog")


def sample_digest(root: Path, path: str, size: int) -> str:
    """A digest of the sample that `testwright assess` draws for a file: what is changed to what, what is set aside."""
    catalog = _catalog()
    drawn = catalog.sample(catalog.mutants_of((root / path).read_bytes(), path), size)
    whole = hashlib.sha256()
    for one in drawn:
        whole.update(f"{one.operator}\0{one.start}\0{one.end}\0{one.replacement}\0{one.rule}\n".encode())
    return whole.hexdigest()


def _catalog():
    for name in _CATALOGS:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not name.startswith(error.name or "-"):
                raise
    raise ModuleNotFoundError(f"none of {', '.join(_CATALOGS)}")
