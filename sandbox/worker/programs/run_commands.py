"""Runs programs of the project as a user would, in folders of their own, and records what they did.

Reads one JSON object from standard input: scratch, watched (paths, the entry first), modules (their names), start (`-m
MODULE` or `-c CODE`), seconds (for one command), outside (folders that no program may change), runs. A run has files
(text by name), commands (lists of arguments, one after the other in the same folder), hash_seed, shift, traced.
Answers one line a run, in order. Plain standard library, Python 3.9 or newer.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from ..bootstrap import command_for
from ..observe.limits import starved_seconds

MOST_OUTPUT = 20_000
MOST_FILE = 4_000
MOST_FILES = 20
MOST_ROWS = 20
MOST_WALKED = 20_000
SHORTEST_WAIT = 0.05


def main():
    """Run all that is asked for."""
    request = json.loads(sys.stdin.buffer.read())
    for number, run in enumerate(request["runs"]):
        folder = os.path.join(request["scratch"], "program%d" % number)
        os.makedirs(os.path.join(folder, "work"))
        try:
            told = one_run(request, run, folder)
        except OSError as error:
            told = {"failed": str(error)}
        print(json.dumps(told), flush=True)
        shutil.rmtree(folder, ignore_errors=True)


def one_run(request, run, folder):
    """What one run did: each command's ending, and the folder before and after the last one."""
    work = os.path.join(folder, "work")
    for name, contents in run["files"].items():
        place = os.path.join(work, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="") as file:
            file.write(contents)
    outside = changes_outside(request["outside"])
    endings, before = [], {}
    for number, arguments in enumerate(run["commands"]):
        before = look(work)
        ending = one_command(request, run, arguments, work, os.path.join(folder, "trace%d" % number))
        endings.append(ending)
        if ending["ended"] != "exited":
            break
    changed = sorted(changes_outside(request["outside"]) ^ outside)
    return {
        "commands": endings,
        "before": before,
        "after": look(work),
        "outside": [place for place, _ in changed][:5],
    }


def one_command(request, run, arguments, work, trace):
    """Run one command to its end, with all its children."""
    if run["traced"] or run["shift"]:
        config = {"out": trace if run["traced"] else "", "watched": request["watched"], "shift": run["shift"]}
        config["modules"] = request["modules"]
        command = command_for("programs.trace_program", json.dumps(config))
    else:
        command = [sys.executable]
    command += [*request["start"], *arguments]
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(run["hash_seed"]),
        "TZ": "UTC",
        "PYTHONUTF8": "1",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    ended = "exited"
    with (
        open(os.path.join(os.path.dirname(work), "out"), "w+b") as out,
        open(os.path.join(os.path.dirname(work), "err"), "w+b") as err,
    ):
        process = subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        if not has_ended(process, request["seconds"]):
            ended = "timed out"
        left = kill_group(process)
        if ended == "exited" and left:
            ended = "left a process running"
        texts = [cut(one) for one in (out, err)]
    if ended == "exited" and process.returncode < 0:
        ended = "killed by signal %d" % -process.returncode
    return {"code": process.returncode, "out": texts[0], "err": texts[1], "ended": ended, "arcs": arcs(trace)}


def has_ended(process, seconds):
    """Wait for a program; whether it has ended in its time, to which waiting for a processor does not belong."""
    began, left = time.monotonic(), seconds
    while left > 0:
        try:
            process.wait(max(left, SHORTEST_WAIT))
            return True
        except subprocess.TimeoutExpired:
            left = seconds - (time.monotonic() - began - starved_seconds(process.pid))
    return False


def kill_group(process):
    """End what is left of a command; whether there was anything besides it."""
    running = process.poll() is None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    else:
        process.wait()
        return not running
    process.wait()
    return False


def cut(file):
    """The beginning of what was printed, as text; None for what is no text or too long."""
    file.seek(0)
    contents = file.read(MOST_OUTPUT + 1)
    try:
        return None if len(contents) > MOST_OUTPUT else contents.decode("utf-8")
    except UnicodeDecodeError:
        return None


def arcs(trace):
    """The traced arcs; none when the program was not traced or was killed."""
    try:
        with open(trace, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return []


def look(work):
    """Every file below a folder: its text, the rows of each table of an SQLite file, or its size only."""
    found = {}
    for place, folders, names in os.walk(work):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if len(found) >= MOST_FILES or os.path.islink(path) or not os.path.isfile(path):
                continue
            found[os.path.relpath(path, work)] = contents_of(path)
    return found


def contents_of(path):
    """One file as plain data."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        beginning = file.read(MOST_FILE + 1)
    if beginning.startswith(b"SQLite format 3\0"):
        return tables(path)
    try:
        text = beginning.decode("utf-8")
    except UnicodeDecodeError:
        return {"size": size}
    return {"text": text} if size <= MOST_FILE and "\r" not in text else {"size": size}


def tables(path):
    """The rows of small tables, in the order in which they were put in, their columns and those of primary keys."""
    found = {"tables": {}, "columns": {}, "keys": {}}
    try:
        database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    except sqlite3.Error:
        return found
    try:
        names = [
            row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        for name in names:
            if name.startswith("sqlite_") or not name.isidentifier():
                continue
            query = database.execute("SELECT * FROM %s" % name)
            rows = query.fetchmany(MOST_ROWS + 1)
            plain = all(isinstance(cell, (str, int, float, type(None))) for row in rows for cell in row)
            if len(rows) <= MOST_ROWS and plain:
                found["tables"][name] = [list(row) for row in rows]
                found["columns"][name] = [column[0] for column in query.description]
                columns = database.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (name,))
                found["keys"][name] = [row[0] for row in columns]
    except sqlite3.Error:
        return {"tables": {}, "columns": {}, "keys": {}}
    finally:
        database.close()
    return found


def changes_outside(folders):
    """Files below some folders with the time of their last change."""
    found = set()
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                try:
                    found.add((path, os.lstat(path).st_mtime_ns))
                except OSError:
                    continue
                if len(found) > MOST_WALKED:
                    return found
    return found
