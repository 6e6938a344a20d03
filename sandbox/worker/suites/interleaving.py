"""Records shared resources that tests use (files, ports, databases), and interleaves two runs at them.

Two runs at the same time disturb each other only through such things. They are noted under names that are the same in
every workspace; those that a test uses again in a second run (unlike `tempfile`'s, which differ) are fixed. For two
runs that take turns, the holder stops right after it has taken hold of a fixed thing, or right before it comes back to
it, while the visitor runs its own test through: what would else be a matter of luck shows each time.
"""

import contextlib
import os
import select
import socket
import sys
import time

from .own_acts import ActWatch
from .starvation import is_a_sibling_at_work

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
UNNAMED = getattr(os, "O_TMPFILE", 0)
RELATIVE = ("os.mkdir", "os.rmdir", "os.remove")
TWO_PATHS = ("os.rename", "os.link", "os.symlink")
NOTED = (*RELATIVE, *TWO_PATHS, "os.truncate", "sqlite3.connect", "socket.bind")
CHILDREN = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
SCANNED = 20_000
NOT_SCANNED = ("__pycache__", ".git", ".venv", "node_modules")
NAMES = 50
EVENTS_BEFORE_LISTENING = 500
# How long the holder waits for a visitor that is not at work, once and in all, and for one that is.
PATIENCE = 5.0
PATIENCE_OF_ALL = 20.0
LONGEST_WAIT = 60.0
LOOK = 0.1
# Bound here: a test may replace what these modules hold.
_read, _write, _wait, _clock, _realpath = os.read, os.write, select.select, time.monotonic, os.path.realpath


class ResourceWatch:
    """An audit hook that notes the shared things of each test.

    Args:
        project, scratch: real paths; what lies below them is named relative to them.
        own: the run's own folder, which no other run uses.
    """

    def __init__(self, project, scratch, own):
        folders = (("TMPDIR", "<tmp>"), ("HOME", "<home>"))
        named = [(_realpath(os.environ[variable]), name) for variable, name in folders if os.environ.get(variable)]
        places = [(own, None), *named, (project, "."), (scratch, "<scratch>")]
        self._places = sorted(places, key=lambda place: -len(place[0]))  # some lie in others
        self._scanned = [(project, "."), *((path, name) for path, name in named if name == "<home>")]
        self._tree = None
        self._found = {}
        self._process = os.getpid()
        self._busy = False
        self._stop_at = frozenset()
        self._moment = ""
        self._pause = _nothing

    def install(self):
        """From now on this process is watched."""
        sys.addaudithook(self._event)

    def stop(self, things, moment, pause):
        """Call `pause` when a test has `taken` one of the things, or when it is about to use it `again`."""
        self._stop_at, self._moment, self._pause = frozenset(things), moment, pause

    def taken(self):
        """The things of the test that has just ended, and what its class or module set up for it."""
        if self._tree is not None:
            # A server that an earlier test started may still be running, so every later test is looked at.
            before, self._tree = self._tree, self._scan()
            changed = {name for name in before.keys() | self._tree.keys() if before.get(name) != self._tree.get(name)}
            self._found.update(dict.fromkeys(changed, True))
        found = sorted(self._found)
        self._found.clear()
        return found[:NAMES]

    def _event(self, event, arguments):
        if self._busy or os.getpid() != self._process:
            return
        if event in CHILDREN and self._tree is None:
            # What other processes do cannot be heard: the files are compared instead, from before the first of them.
            self._busy = True
            try:
                self._tree = self._scan()
            finally:
                self._busy = False
        if event == "open":
            flags = arguments[2]
            writing = isinstance(flags, int) and bool(flags & WRITING)
            unnamed = writing and UNNAMED and flags & UNNAMED == UNNAMED
            if unnamed or not (writing or self._moment == "again"):
                return
        elif event in NOTED:
            writing = True
        else:
            return
        self._busy = True  # Naming a path asks the file system, which is an event, too.
        try:
            names = [self._name(event, path) for path in _paths(event, arguments)]
        except Exception:  # A test may pass anything as a path; what is no path is nothing shared.
            names = []
        finally:
            self._busy = False
        for name in names:
            if name is not None:
                self._note(name, event, arguments, writing)

    def _scan(self):
        """The files of the project and of the home folder by name: size and time of the last change."""
        found = {}
        for root, shown in self._scanned:
            for folder, folders, names in os.walk(root):
                folders[:] = sorted(name for name in folders if name not in NOT_SCANNED)
                for name in names:
                    path = os.path.join(folder, name)
                    with contextlib.suppress(OSError):  # it may be gone again
                        status = os.lstat(path)
                        found[shown + path[len(root) :]] = (status.st_size, status.st_mtime_ns)
                if len(found) > SCANNED:
                    return found
        return found

    def _note(self, name, event, arguments, writing):
        known = name in self._found
        if writing:
            self._found[name] = True
        if name not in self._stop_at:
            return
        if self._moment == "again" and known:
            self._stop_now()
        elif self._moment == "taken" and not known:
            stream = event == "socket.bind" and arguments[0].type == socket.SOCK_STREAM
            self._stop_soon("listen" if stream else None)

    def _stop_now(self):
        self._busy = True
        try:
            self._pause()
        finally:
            self._busy = False

    def _name(self, event, path):
        if event == "socket.bind":
            address = path[1]
            if isinstance(address, tuple):
                return None if len(address) < 2 or not address[1] else "port {}".format(address[1])
            if path[0].family != socket.AF_UNIX or not address:
                return None
            path = address
        if isinstance(path, int):
            return None
        text = os.fsdecode(path)
        if event == "sqlite3.connect":
            text, _, options = text[5:].partition("?") if text.startswith("file:") else (text, "", "")
            if text in ("", ":memory:") or "mode=memory" in options.split("&"):
                return None  # One in memory is this process's own: also the one that coverage keeps.
        if text.startswith("\0"):
            return "socket " + text[1:]
        full = _realpath(text)
        if full.startswith(("/dev/", "/proc/")) or "__pycache__" in full or full.endswith(".pyc"):
            return None
        if event == "open" and os.path.isdir(full):
            return None  # The first of two steps to a file without a name.
        for place, name in self._places:
            if full == place or full.startswith(place + os.sep):
                return None if name is None else name + full[len(place) :]
        return full

    def _stop_soon(self, function):
        """The event comes before the act: stop at the next thing that happens in this thread.

        Args:
            function: stop when this one has returned, or when it does not seem to come; None for at once.
        """
        before = sys.getprofile()
        left = EVENTS_BEFORE_LISTENING if function else 0

        def after(frame, event, argument):
            nonlocal left
            name = getattr(argument, "__name__", "")
            if frame.f_code.co_filename == __file__ or name == "setprofile":
                return
            left -= 1
            if left < 0 or (event == "c_return" and name == function):
                sys.setprofile(before)
                self._stop_now()

        sys.setprofile(after)


def _paths(event, arguments):
    """What an event is about."""
    if event == "socket.bind":
        return [arguments]
    if event in TWO_PATHS:
        folders = (*arguments[2:], -1, -1)
        return [_below(folders[0], arguments[0]), _below(folders[1], arguments[1])]
    return [_below(arguments[-1] if event in RELATIVE else -1, arguments[0])]


def _below(folder, path):
    """A path as it is meant where it is relative to an open folder."""
    if isinstance(folder, int) and folder >= 0 and not isinstance(path, int):
        return os.path.join(os.readlink("/proc/self/fd/{}".format(folder)), os.fsdecode(path))
    return path


class Turns:
    """One of two runs that go through their tests step by step, the visitor never before the holder.

    Args:
        role: holder or visitor.
        hear, tell: descriptors to and from the other.
    """

    def __init__(self, role, hear, tell):
        self._holds = role == "holder"
        self._hear = hear
        self._tell = tell
        self._heard = 0
        self._told = 0
        self._step = 0
        self._patience, self._longest = PATIENCE_OF_ALL, LONGEST_WAIT
        self._process = os.getpid()

    def begin(self):
        """A test is about to begin: the visitor waits for the holder, the holder for the visitor's test before."""
        self._step += 1
        self._await(self._step if not self._holds else self._step - 1, LONGEST_WAIT)

    def hold(self):
        """The holder has something in its hands: let the visitor go, and wait for its test, but not for ever.

        The visitor may be waiting for that very thing, which is as it should be. On a busy machine it may also not have
        come to its turn yet: then it is at work. One that asks for the thing again and again is at work, too: all such
        waits together take `LONGEST_WAIT`.
        """
        if self._told >= self._step or os.getpid() != self._process:
            return
        start, idle, most = _clock(), 0.0, min(PATIENCE, self._patience)
        self._say()
        while self._heard < self._step and idle < most and _clock() - start < self._longest:
            began = _clock()
            self._await(self._step, LOOK)
            idle += 0.0 if is_a_sibling_at_work() else _clock() - began
        self._longest -= _clock() - start
        self._patience = max(0.0, self._patience - (idle if self._heard >= self._step else most))

    def end(self):
        """The test is over."""
        if self._told < self._step:
            self._say()

    def _say(self):
        self._told = self._step
        try:
            _write(self._tell, b".")
        except OSError:
            self._heard = sys.maxsize  # The other one has ended: nobody to wait for.

    def _await(self, step, seconds):
        until = _clock() + seconds
        while self._heard < step:
            left = until - _clock()
            try:
                ready = left > 0 and _wait([self._hear], [], [], left)[0]
                got = _read(self._hear, 4096) if ready else None
            except (OSError, ValueError):
                got = b""
            if got is None:
                return
            self._heard = self._heard + len(got) if got else sys.maxsize


def pipes():
    """Two pipes for a pair: ((hear, tell) of the holder, (hear, tell) of the visitor)."""
    go_out, go_in = os.pipe()
    done_out, done_in = os.pipe()
    return (done_out, go_in), (go_out, done_in)


def _nothing():
    """Where nobody has asked to be called."""


class RunHooks:
    """What a recorder tells of its tests, for watching, taking turns and the clock; by itself it does nothing.

    Args:
        clock: one that is moved, see clock.py, or None.
        acts: see own_acts.py, or None; already installed.
    """

    def __init__(self, watch=None, turns=None, clock=None, acts=None):
        self._watch = watch
        self._turns = turns
        self._clock = clock
        self._acts = acts

    def collected(self):
        """The tests are about to run: what importing them changes is not watched, it would only take time.

        Returns what the test files themselves did while they were collected: [path, line, act] each.
        """
        if self._watch is not None:
            self._watch.install()
        return self._acts.at_collection() if self._acts is not None else []

    def begin(self, nodeid=""):
        """A test is about to begin; waits for its turn."""
        if self._acts is not None:
            self._acts.begin(nodeid)
        if self._turns is not None:
            self._turns.begin()
        if self._clock is not None:
            self._clock.begin()

    def act(self):
        """What the test needs has been set up."""
        if self._clock is not None:
            self._clock.act()

    def end(self):
        """A test is over; the shared things it used."""
        if self._clock is not None:
            self._clock.end()
        if self._turns is not None:
            self._turns.end()
        return self._watch.taken() if self._watch is not None else []

    def acts(self):
        """What the test that has just ended did by itself."""
        return self._acts.taken() if self._acts is not None else []

    def ended(self):
        """What test files do once their tests are over, as `collected` returns it."""
        return self._acts.at_end() if self._acts is not None else []


def hooks_for(request, folder, ends, clock=None):
    """What a request asks for, in place.

    Args:
        folder: the run's own.
        ends: (hear, tell) where the run is one of a pair.
        clock: see `RunHooks`.
    """
    pair = request.get("pair")
    own = _realpath(folder)
    acts = None
    if request.get("acts"):
        acts = ActWatch(_realpath(request["project"]), own, request["files"])
        acts.install()
    if not request.get("watch") and not pair:
        return RunHooks(clock=clock, acts=acts)
    watch = ResourceWatch(_realpath(request["project"]), os.path.dirname(own), own)
    if not pair or ends is None:
        return RunHooks(watch, clock=clock, acts=acts)
    turns = Turns(pair["role"], *ends)
    if pair["role"] == "holder":
        watch.stop(pair["things"], pair["moment"], turns.hold)
    return RunHooks(watch, turns, clock, acts)
