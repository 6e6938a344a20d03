"""Finds databases of SQLite that lie in files, and copies them."""

import contextlib
import os
import sqlite3


def databases():
    """The files of SQLite in the working folder, relative to it."""
    found = []
    for folder, _, files in os.walk("."):
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as stream:
                if stream.read(16) == b"SQLite format 3\0":
                    found.append(os.path.relpath(path))
    return found


def copy_database(source, target):
    """Copy a database by SQLite's own means, so that whoever has the target open sees it."""
    with contextlib.ExitStack() as stack:
        opened = [
            stack.enter_context(contextlib.closing(sqlite3.connect(one))) if isinstance(one, str) else one
            for one in (source, target)
        ]
        opened[0].backup(opened[1])
