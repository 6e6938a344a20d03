"""Records what tests themselves do beyond calling their target: open, start, connect, compile, import, read secrets.

A hook of the interpreter (`sys.addaudithook`) hears every such act from collection on; the frames say whose it is: the
test's when no code of the project stands between its file and the act. What libraries do for themselves
(`unittest.mock` compiles, imports read files) is none of the test's. Variables with made-up secrets are in the
environment, as in a user's CI, and their readers are noted, too. Plain standard library, Python 3.9.

A test may replace any function that it can name, and give objects whose methods are its own. So this module uses copies
of the functions that it needs, takes texts without asking their methods, and hears what is done while it looks.
"""

import ast
import atexit
import contextlib
import sys
import tempfile
import threading

from .act_paths import BUILTINS, TWO_PATHS, below, mentions, os, paths, text_of
from .starvation import Patience

__builtins__ = BUILTINS
frame_at = sys._getframe

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
SOCKETS = ("connect", "bind", "getaddrinfo", "gethostbyname", "gethostbyaddr", "getnameinfo", "sendto", "sendmsg")
NEVER = frozenset(
    (
        *("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "subprocess.Popen"),
        *("pty.spawn", *("socket." + name for name in SOCKETS)),
        *("urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect", "webbrowser.open"),
        *("marshal.loads", "code.__new__", "sys.addaudithook", "sqlite3.load_extension", "gc.get_objects"),
        *("sqlite3.enable_load_extension", "gc.get_referrers", "gc.get_referents", "sys._current_frames"),
    )
)
"""What no test needs, whoever does it for the test."""
OF_IMPORTS = ("marshal.loads", "code.__new__")
LISTING = ("os.listdir", "os.scandir")
CHANGING = ("os.mkdir", "os.rmdir", "os.remove", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr")
TEMPORARY = ("tempfile.mkstemp", "tempfile.mkdtemp")
FILES = frozenset(("open", "sqlite3.connect", "os.chdir", *LISTING, *CHANGING, *TWO_PATHS, *TEMPORARY))
CONDITIONS = ("<skipif condition>", "<xfail condition>")
MACHINERY = ("<frozen importlib", "<frozen zipimport", "_pytest/assertion/rewrite.py")
# Parts of the standard library that compile what they wrote themselves, or only read the syntax.
# They read what they replace, to put it back.
_REPLACERS = ("unittest/mock.py", "_pytest/monkeypatch.py")
COMPILING = ("unittest/mock.py", "/dataclasses.py", "collections/__init__.py", "/ast.py", "/linecache.py")
READING = ("/linecache.py", "/tokenize.py")
DEVICES = ("/dev/null", "/dev/urandom", "/usr/share/zoneinfo")
SECRETS = ("GITHUB_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN", "PYPI_TOKEN", "DATABASE_PASSWORD")
CI = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "owner/name"}
CANARY = "a-made-up-secret-that-nothing-may-read"
MOST = 20
LONGEST = 120
LEFT_SECONDS = 1


class Variables(dict):
    """The process's variables, which say when a made-up secret is read."""

    def __init__(self, known, heard):
        """Hold what is known, and call `heard` with the name of each secret that is read."""
        super().__init__(known)
        self._heard = heard

    def __getitem__(self, key):
        """As a dictionary does."""
        value = dict.__getitem__(self, key)
        if value == CANARY.encode():
            self._heard(os.fsdecode(key))
        return value


class ActWatch:
    """The hook, and what it noted.

    Args:
        project, own: real paths of the project, and of the run's folder, where pytest's temporary folders are.
        files: test files, relative to the project.
    """

    def __init__(self, project, own, files):
        self._project = project
        self._own = own
        self._temporary = os.path.join(own, "tmp")
        self._system = os.path.realpath(tempfile.gettempdir())
        self._tests = {os.path.realpath(os.path.join(project, path)): path for path in files}
        trees = {path: parsed(full) for full, path in self._tests.items()}
        self._imports = {path: imported_in(tree) for path, tree in trees.items()}
        self._defined = {path: defined_in(tree) for path, tree in trees.items()}
        self._libraries = tuple({os.path.realpath(path) for path in (*sys.path, sys.prefix, sys.base_prefix) if path})
        self._libraries = tuple(path for path in self._libraries if not below(path, (project,)) and path != "/")
        self._made = []
        self._kinds = {}
        self._busy = threading.local()
        self._process = os.getpid()
        self._running = None
        self._found = {}
        self._collected = []
        self._reported = 0

    def install(self):
        """From now on this process is watched."""
        variables = Variables(os.environ._data, self._secret)  # where both mappings keep them
        os.environ._data = variables
        os.environb._data = variables
        sys.addaudithook(self._hear)

    def begin(self, nodeid):
        """A test is about to be set up."""
        self._running = nodeid
        self._found = {}

    def taken(self):
        """What the test that has ended did."""
        self._running = None
        found, self._found = list(self._found), {}
        return found[:MOST]

    def at_collection(self):
        """What was done while files were collected: [path, test function or class or "", what] each."""
        self._reported = len(self._collected)
        return self._collected[: MOST * MOST]

    def at_end(self):
        """What is done outside of tests since then, also by threads that are left and at the interpreter's end."""
        patience = Patience(LEFT_SECONDS)  # of all together: idle pools wait for ever, and so do children's parents
        left = [thread for thread in threading.enumerate()[:MOST] if not thread.daemon]
        exits = threading.Thread(target=run_exit_functions, daemon=True)
        with contextlib.suppress(RuntimeError):  # where a test's limits allow no other thread
            exits.start()
            left.append(exits)
        for thread in left:
            while thread is not threading.current_thread() and threading.Thread.is_alive(thread):
                seconds = patience.left()
                if not seconds:
                    break
                threading.Thread.join(thread, seconds)
        return self._collected[self._reported :][: MOST * MOST]

    def _hear(self, event, arguments):
        known = event in NEVER or event in FILES or event in ("compile", "import") or event.startswith("ctypes.")
        if not known or os.getpid() != self._process:
            return
        if getattr(self._busy, "now", False):
            self._hear_meanwhile(event, arguments, frame_at(1))
            return
        self._busy.now = True  # naming a path, or looking at frames, is an event, too
        try:
            self._judge(event, arguments, frame_at(1))
        except Exception:  # whatever a test passes must not make the act fail in another way than without the hook
            self._note(event, "what cannot be read", None)
        finally:
            self._busy.now = False

    def _hear_meanwhile(self, event, arguments, frame):
        """An act while this looks: its own, or that of a method of the test or the target that looking has called."""
        while frame is not None and frame.f_code not in LOOKING:
            if self._kind(frame.f_code.co_filename) != "library":
                self._note(event, shown(arguments), frame)
                return
            frame = frame.f_back

    def _secret(self, name):
        if os.getpid() != self._process or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            owner, between, _ = self._owner(frame_at(2))
            if owner is not None and not any(path.endswith(_REPLACERS) for path in between):
                self._note("os.environ", name, owner)
        finally:
            self._busy.now = False

    def _judge(self, event, arguments, frame):
        owner, between, target = self._owner(frame)
        near = between[0] if between else ""
        if near.startswith(os.path.dirname(__file__)):
            return  # our own doing
        if event == "import":
            self._import(arguments[0], owner, between)
        elif event == "compile":
            self._compile(arguments, owner, near)
        elif event in FILES:
            self._file(event, arguments, owner, between, target)
        elif event in OF_IMPORTS and near:
            return  # a library does it: so are modules loaded
        elif owner is not None or (target is None and self._running is not None):
            self._note(event, shown(arguments), owner)

    def _owner(self, frame):
        """Whose act it is: the test's frame or None, the libraries between, and the project's frame the test called."""
        between, target = [], None
        while frame is not None:
            kind = self._kind(frame.f_code.co_filename)
            if kind == "test":
                return (None if target is not None else frame), between, target
            if kind == "target":
                target = frame
            elif target is None:
                between.append(frame.f_code.co_filename)
            frame = frame.f_back
        return None, between, target

    def _kind(self, name):
        found = self._kinds.get(name)
        if found is None:
            full = os.path.realpath(name)
            found = "test" if full in self._tests or name in CONDITIONS else "library"
            if found == "library" and not name.startswith("<") and below(full, (self._project,)):
                found = "library" if "site-packages" in full.split(os.sep) else "target"
            self._kinds[name] = found
        return found

    def _import(self, module, owner, between):
        if owner is None or any(not path.endswith("importlib/__init__.py") for path in between):
            return
        path = self._tests.get(os.path.realpath(owner.f_code.co_filename))
        known = self._imports.get(path, ())
        if not any(module == name or name.startswith(module + ".") for name in known):
            self._note("import", module, owner)

    def _compile(self, arguments, owner, near):
        filename = text_of(arguments[1]) if len(arguments) > 1 and arguments[1] is not None else ""
        if filename in CONDITIONS:
            self._note("compile", "a condition that is text", owner)
        elif owner is not None and not near.startswith(MACHINERY) and not near.endswith((*COMPILING, *MACHINERY)):
            # Libraries of others make code of their own; pytest does it for conditions and frames.
            if "site-packages" not in near or "/_pytest/" in near:
                self._note("compile", "text as code", owner)

    def _file(self, event, arguments, owner, between, target):
        writing = event in CHANGING or event in TWO_PATHS or event in TEMPORARY or event == "sqlite3.connect"
        if event == "open":
            flags = arguments[2]
            writing = isinstance(flags, int) and bool(flags & WRITING)
        for path in paths(event, arguments):
            full = os.path.realpath(path)
            if event in TEMPORARY:
                if os.path.dirname(full) == self._system or below(full, (self._temporary, *self._made)):
                    self._made.append(full)
                    continue
            elif event == "open" and between and between[0].endswith("/tempfile.py") and os.path.isdir(full):
                continue  # the name of the file in it follows as an event of its own
            elif self._may(full, writing, between):
                continue
            if owner is not None:
                self._note(event, self._named(full), owner)
            elif target is not None:
                if not below(full, (self._project,)) and mentions(dict(target.f_locals), full):
                    self._note(event, self._named(full) + " by its target, which it gave that path", None)
            elif writing and self._running is not None and not full.endswith(".pyc"):
                self._note(event, self._named(full), None)

    def _may(self, full, writing, between):
        """Whether a test may touch a file: below its temporary folders, and data and libraries to read."""
        if below(full, (self._temporary, *self._made)):
            return True
        machinery = any(path.startswith(MACHINERY) or path.endswith(MACHINERY) for path in between)
        if writing:
            return full in DEVICES or (machinery and "__pycache__" in full)
        if below(full, DEVICES) or below(full, self._libraries):
            return True
        if not below(full, (self._project,)):
            return False
        inside = full[len(self._project) :].split(os.sep)
        if any(part.startswith(".") for part in inside):
            return False
        return not full.endswith(".py") or machinery or (between[:1] and between[0].endswith(READING))

    def _named(self, full):
        for place, name in ((self._own, "<scratch>"), (self._project, ".")):
            if below(full, (place,)):
                return name + full[len(place) :]
        return full

    def _note(self, event, what, frame):
        text = "{}: {}".format(event, what)[:LONGEST]
        if self._running is not None:
            self._found[text] = True
            return
        if frame is not None:
            path = self._tests.get(os.path.realpath(frame.f_code.co_filename))
            line = frame.f_lineno
            holders = [name for first, last, name in self._defined.get(path, ()) if first <= line <= last]
            self._collected.append([path, holders[0] if holders else "", text])


LOOKING = (ActWatch._hear.__code__, ActWatch._secret.__code__)


def parsed(path):
    """A file's syntax tree, an empty one where it does not parse."""
    try:
        with open(path, "rb") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return ast.parse("")


def defined_in(tree):
    """Tests, by what pytest collects: (first line, decorators included, last line, name) each."""
    found = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name.lower()[:4] == "test":
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append((first, node.end_lineno, node.name))
    return found


def imported_in(tree):
    """Modules that a file's import statements name, and names from them, which may be modules."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update("{}.{}".format(node.module, alias.name) for alias in node.names)
    return found


def run_exit_functions():
    """Run what is left for the interpreter's end, whatever it raises."""
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()


def shown(arguments):
    """The first arguments of an event, for people."""
    return ", ".join(str(one)[:60] for one in arguments[:2] if type(one) in (str, bytes, int, tuple, list))


def enter_ci(request):
    """Bring made-up secrets into the environment and, where a request asks for it, what CI services set."""
    for name in SECRETS:
        os.environ.setdefault(name, CANARY)
    if request.get("ci"):
        os.environ.update(CI)
