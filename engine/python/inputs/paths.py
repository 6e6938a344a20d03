"""Paths to try, in the runner's temporary folder: what the working folder holds is no test's own (B-06)."""

from __future__ import annotations

from ..model.candidates import Candidate

_WRITTEN = "(tmp_path / 'notes.txt').write_text('first line\\nsecond line\\n')"
_EMPTY = "(tmp_path / 'empty.json').write_text('[]')"


def file_candidates() -> list[Candidate]:
    """Path objects: a file that is there, one that is not, a path that is only looked at, a folder, a file of data."""
    return [
        Candidate("tmp_path / 'notes.txt'", arrange=(_WRITTEN,), fixtures=("tmp_path",)),
        Candidate("tmp_path / 'missing.txt'", fixtures=("tmp_path",)),
        Candidate("Path('folder/file.txt')", ("from pathlib import Path",)),
        Candidate("tmp_path", arrange=(_WRITTEN,), fixtures=("tmp_path",)),
        Candidate("tmp_path / 'empty.json'", arrange=(_EMPTY,), fixtures=("tmp_path",)),
    ]


def path_candidates() -> list[Candidate]:
    """Paths as text, and a real file and folder."""
    return [
        Candidate("'folder/file.txt'"),
        Candidate("tmp_path / 'notes.txt'", arrange=(_WRITTEN,), fixtures=("tmp_path",)),
        Candidate("str(tmp_path / 'notes.txt')", arrange=(_WRITTEN,), fixtures=("tmp_path",)),
        Candidate("tmp_path", arrange=(_WRITTEN,), fixtures=("tmp_path",)),
        Candidate("''"),
        Candidate("tmp_path / 'missing.txt'", fixtures=("tmp_path",)),
        Candidate("str(tmp_path)", fixtures=("tmp_path",)),
    ]
