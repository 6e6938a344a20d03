"""An audit hook that refuses what a program under test has no business doing.

Policy, a dictionary: writable (folders that may be changed), readable and hidden (below a hidden folder only readable
and writable paths are read), network ("none" or "loopback"). All optional: without `writable` nothing may be written.

`install(policy)` gives a Guard; `Guard.refusals` lists what was refused as (event, detail), also when the program
swallowed the error, which is a `Refused`, a PermissionError. A hook stays for the life of the process, forks included.
It binds Python code only: C extensions, and ctypes above all, are beyond it.
"""

import os
import resource
import sys

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdout", "/dev/stderr")
LOCAL = ("127.0.0.1", "::1", "localhost", "", "0.0.0.0", "::", None)


class Refused(PermissionError):
    """The guard stopped an act."""


class Guard:
    """The hook with its policy. What it calls is bound here, so that a program cannot replace it."""

    def __init__(self, policy):
        self.writable, readable, self.hidden = (
            tuple(os.path.realpath(path) for path in policy.get(name, ()))
            for name in ("writable", "readable", "hidden")
        )
        self.seen = self.writable + readable
        self.loopback = policy.get("network") == "loopback"
        self.refusals = []
        self.session = os.getsid(0)
        self.getsid = os.getsid
        self.getpid = os.getpid
        self.readlink = os.readlink
        self.limits = resource.getrlimit
        self.path_functions = (os.path.realpath, os.path.join, os.path.split, os.fsdecode)
        self.handlers = self.table()

    def table(self):
        """Audit event → method that looks at its arguments."""
        one, two = self.change_one, self.change_two
        handlers = {
            "open": self.opening,
            "sqlite3.connect": self.database,
            "socket.connect": self.connecting,
            "socket.bind": self.connecting,
            "socket.sendto": self.connecting,
            "socket.sendmsg": self.connecting,
            "socket.getaddrinfo": self.resolving,
            "socket.gethostbyname": self.resolving,
            "socket.gethostbyaddr": self.resolving,
            "os.kill": self.signalling,
            "os.killpg": self.signalling,
            "resource.setrlimit": self.raising_limit,
        }
        for event in ("remove", "rmdir", "mkdir", "truncate", "chmod", "chown", "utime", "setxattr", "removexattr"):
            handlers["os." + event] = one
        for event in ("chflags", "chroot"):
            handlers["os." + event] = one
        for event in ("rename", "link", "symlink"):
            handlers["os." + event] = two
        for event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"):
            handlers[event] = self.starting
        for event in ("pty.spawn", "resource.prlimit", "webbrowser.open"):
            handlers[event] = self.starting
        return handlers

    def hook(self):
        """What the interpreter calls for each event; there are many, reading a frame's code is one: the plainest call
        of all, and one for everybody who listens."""
        handler_of = self.handlers.get

        def heard(event, arguments):
            handler = handler_of(event)
            if handler is not None:
                handler(event, arguments)

        return heard

    def tell(self, event, listener):
        """Have a listener hear of an event, too, where it is not refused."""
        before = self.handlers.get(event)

        def both(event, arguments):
            if before is not None:
                before(event, arguments)
            listener(event, arguments)

        self.handlers[event] = both

    def refuse(self, event, detail):
        """Remember, and stop the act."""
        self.refusals.append((event, str(detail)[:200]))
        raise Refused(1, "refused by the sandbox: " + event, str(detail)[:200])

    def within(self, path, folders):
        """Whether a real path is one of the folders or below one."""
        return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)

    def real(self, path, folder_fd=-1, follow=True):
        """The real path an argument means, or None for a descriptor of something without one."""
        realpath, join, split, fsdecode = self.path_functions
        if isinstance(path, int):
            place = self.readlink("/proc/self/fd/%d" % path)
            return place if place.startswith("/") else None
        path = fsdecode(path)
        if isinstance(folder_fd, int) and folder_fd >= 0:
            path = join(self.readlink("/proc/self/fd/%d" % folder_fd), path)
        if follow:
            return realpath(path)
        head, tail = split(path.rstrip("/") or "/")
        return join(realpath(head or "."), tail) if tail not in ("", ".", "..") else realpath(path)

    def check_change(self, event, path, folder_fd=-1, follow=False):
        """Refuse a change outside the writable folders."""
        where = self.real(path, folder_fd, follow)
        if where is not None and not self.within(where, self.writable):
            self.refuse(event, where)

    def opening(self, event, arguments):
        """open(path, mode, flags)."""
        path, _, flags = arguments
        if isinstance(path, int):
            return
        where = self.real(path)
        if flags & WRITING:
            if where not in DEVICES and not self.within(where, self.writable) and not self.own_entry(where):
                self.refuse(event, where)
        elif self.within(where, self.hidden) and not self.within(where, self.seen):
            self.refuse(event, where)

    def own_entry(self, where):
        """Whether a path is this process's own place in /proc."""
        return where.startswith("/proc/%d/" % self.getpid())

    def database(self, event, arguments):
        """sqlite3.connect(database)."""
        name = arguments[0]
        if isinstance(name, (str, bytes)) or hasattr(name, "__fspath__"):
            text = os.fsdecode(name)
            if text.startswith("file:"):
                text = text[5:].partition("?")[0]
            if text and text != ":memory:":
                self.check_change(event, text, follow=True)

    def change_one(self, event, arguments):
        """An act on one path; an integer behind it, where there is one, is the folder it is relative to."""
        folder_fd = (
            arguments[-1] if event in ("os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.utime") else -1
        )
        self.check_change(event, arguments[0], folder_fd)

    def change_two(self, event, arguments):
        """rename, link and symlink: what is made must lie inside, and so must what is moved or linked."""
        source_fd, target_fd = (*arguments[2:], -1, -1)[:2]
        if event == "os.symlink":
            self.check_change(event, arguments[1], source_fd)
            return
        self.check_change(event, arguments[0], source_fd)
        self.check_change(event, arguments[1], target_fd)

    def connecting(self, event, arguments):
        """connect, bind, sendto, sendmsg (socket, address)."""
        address = arguments[1] if len(arguments) > 1 else None
        if address is None:
            return
        if isinstance(address, (str, bytes)):
            if address and os.fsdecode(address)[0] != "\0":
                self.check_change(event, address, follow=True)
            elif address:
                self.refuse(event, address)
            return
        host = address[0] if isinstance(address, tuple) and address else address
        if not (self.loopback and host in LOCAL):
            self.refuse(event, address)

    def resolving(self, event, arguments):
        """Name look-ups."""
        host = arguments[0].decode("ascii", "replace") if isinstance(arguments[0], bytes) else arguments[0]
        if host not in LOCAL:
            self.refuse(event, host)

    def signalling(self, event, arguments):
        """Signals may go to processes of the program's own session, and to its children, only."""
        target = arguments[0]
        if target == 0 and event == "os.kill":
            return
        if target > 0:
            try:
                if self.getsid(target) == self.session or self.parent(target) == self.getpid():
                    return
            except (ProcessLookupError, FileNotFoundError):
                return
        self.refuse(event, target)

    def parent(self, pid):
        """The parent of a process."""
        with open("/proc/%d/stat" % pid, "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])

    def raising_limit(self, event, arguments):
        """Limits may be lowered only."""
        kind, (soft, hard) = arguments[0], arguments[1]
        hardest = self.limits(kind)[1]
        if hardest != resource.RLIM_INFINITY and any(not 0 <= value <= hardest for value in (soft, hard)):
            self.refuse(event, arguments[1])

    def starting(self, event, arguments):
        """Programs of another kind would not be bound by this hook: none is started."""
        self.refuse(event, arguments[0] if arguments else "")


def install(policy):
    """Put the hook in place for the rest of the process; the answer is its Guard."""
    guard = Guard(policy)
    sys.addaudithook(guard.hook())
    return guard
