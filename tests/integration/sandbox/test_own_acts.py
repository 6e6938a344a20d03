"""What a test does itself is heard, whatever it puts in the place of functions and methods that the hook might use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from testwright.tests.support.projects.files import ROOT

# Each test reads one file outside, in its own way; its name says which.
TESTS = """
import collections, os, pathlib, threading, weakref
from unittest.mock import patch
from pk.good import begin_of, hosts_of
from suites.act_paths import of_libraries

SECRET = "/etc/{}".format("hostname")

class Text(str):
    def startswith(self, *given):
        return True
    def partition(self, *given):
        return ("", "", "")
    def split(self, *given):
        return ["dev", "null"]

class Bytes(bytes):
    def decode(self, *given):
        return "/dev/null"

class Holder:
    @property
    def __dict__(self):
        open(SECRET).close()
        return {}

Pair = collections.namedtuple("Pair", "place other")

class Listed(list):
    def __iter__(self):
        return iter(())

class Place:
    def __fspath__(self):
        open(SECRET).close()
        return "/nowhere"

def test_plain():
    open(SECRET).close()

def test_process():
    with patch("os.getpid", return_value=1):
        open(SECRET).close()

def test_frames():
    with patch("sys._getframe", lambda depth=0: None):
        open(SECRET).close()

def test_real_path(tmp_path):
    with patch("os.path.realpath", lambda path, **kinds: str(tmp_path)):
        open(SECRET).close()

def test_decoding(tmp_path):
    with patch("os.fsdecode", lambda path: str(tmp_path)):
        open(SECRET).close()

def test_built_in():
    with patch("builtins.any", return_value=True), patch("builtins.isinstance", return_value=True):
        open(SECRET).close()

def test_links(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with patch("os.lstat", side_effect=OSError), patch("stat.S_ISLNK", return_value=False):
        open(tmp_path / "link" / ".." / ".." / "outside").close()

def test_text():
    open(Text(SECRET)).close()

def test_bytes():
    open(Bytes(SECRET.encode())).close()

def test_property():
    hosts_of(Holder())

def test_place():
    hosts_of(Place())

def test_named_tuple():
    hosts_of(Pair("/etc/hosts", 1))

def test_list():
    hosts_of(Listed(["/etc/hosts"]))

def test_good_paths(tmp_path, tmpdir):
    class Own(type(pathlib.Path())):
        def __fspath__(self):
            return "/etc/hosts"
    os.mkdir(tmpdir / "folder")
    os.listdir(tmpdir)
    assert of_libraries(type(tmpdir)) and not of_libraries(Own)

def test_good(tmp_path):
    (tmp_path / "a").write_text("1")
    with patch("os.getpid", return_value=1), open(pathlib.Path(tmp_path, "a")) as stream:
        assert stream.read() == "1"
    assert begin_of(None) == "1"
"""
LATE = """
import atexit, concurrent.futures, sys, threading, weakref

SECRET = "/etc/{}".format("hostname")
GO = threading.Event()
NEVER = threading.Event()
atexit.register(NEVER.wait)
POOL = concurrent.futures.ThreadPoolExecutor(8)

class Kept:
    pass

KEPT = Kept()

def read():
    open(SECRET).close()

def wait():
    GO.wait()
    read()

def test_end():
    weakref.finalize(KEPT, read)

def test_thread():
    threading.Thread(target=wait).start()

def test_exits():
    atexit.register(read)
    atexit.register(sys.exit)
    atexit.register(GO.set)

def test_pool():
    for _ in range(8):
        POOL.submit(NEVER.wait)
"""
GOOD = """
from pathlib import Path

def begin_of(anything):
    return Path(__file__).with_name("data.txt").read_text()[:1]

def hosts_of(anything):
    return Path("/etc/hosts").read_text()[:1]
"""
RUN = """
import http.client, json, os, sys
import pytest
sys.path.append(sys.argv[1])
from suites import own_acts
sys.path.remove(sys.argv[1])
project, own = sys.argv[2:]
sys.path.insert(0, project)
os.chdir(project)
watch = own_acts.ActWatch(project, own, ["test_x.py"])
found = {}

class Recorder:
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        watch.begin(item.nodeid)
        yield
        found[item.name] = watch.taken()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        assert report.passed, report.longreprtext

    def pytest_collection_modifyitems(self, items):
        found["collected"] = watch.at_collection()

watch.install()
code = pytest.main(["-q", "-p", "no:cacheprovider", "--basetemp", own + "/tmp", "test_x.py"], plugins=[Recorder()])
found["end"] = watch.at_end()
print(json.dumps([code, found]), flush=True)
os._exit(0)
"""


def _heard(folder: Path, tests: str) -> dict[str, list[str]]:
    """What the hook hears of each test in a file, in a process of its own: a hook cannot be taken away again."""
    project, own = folder / "project", folder / "own"
    files = {"pk/__init__.py": "", "pk/good.py": GOOD, "pk/data.txt": "1", "test_x.py": tests}
    for name, content in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    own.mkdir()
    (own / "outside").touch()
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(ROOT / "sandbox" / "worker"), str(project), str(own)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    code, found = json.loads(done.stdout.splitlines()[-1]) if done.stdout else (done.returncode, {})
    assert code == 0, done.stdout + done.stderr
    return found


def test_a_test_cannot_hide_what_it_does(tmp_path: Path) -> None:
    found = _heard(tmp_path.resolve(), TESTS)
    assert (found.pop("test_good"), found.pop("test_good_paths")) == ([], [])
    assert (found.pop("collected"), found.pop("end")) == ([], [])
    assert len(found) == TESTS.count("\ndef test_") - 2
    assert not [name for name, acts in found.items() if not any(act.startswith("open: ") for act in acts)]


def test_what_a_test_leaves_for_later_is_heard_once_it_is_over_though_threads_never_end(tmp_path: Path) -> None:
    found = _heard(tmp_path.resolve(), LATE)
    acts = found["test_thread"] + [act for _, _, act in found["end"]]
    assert [act.partition(": ")[2] for act in acts] == ["/etc/hostname"] * 3
