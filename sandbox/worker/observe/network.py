"""Detects trials that need a network: their result depends on the machine."""

import os
import socket
import sys
import traceback

_REACHING = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
_RESOLVING = ("socket.getaddrinfo", "socket.getnameinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_HEARD = frozenset((*_REACHING, *_RESOLVING, "socket.__new__"))
# Code that does nothing but speak with others: what it raises says nothing of its callers.
_CLIENTS = frozenset(
    "urllib.request http.client ftplib smtplib poplib imaplib nntplib telnetlib xmlrpc.client ssl "
    "urllib3 requests httpx httpcore aiohttp websockets websocket paramiko grpc pycurl".split()
)
_BUNDLE = os.path.join("certifi", "cacert.pem")
_HERE = ("127.0.0.1", "localhost", "::1")
_ENDINGS = ("socket.gaierror", "socket.herror", "urllib.error.URLError", "urllib.error.HTTPError", "ConnectionError")


class Network:
    """Counts what a trial does with sockets.

    Args:
        module: the target; what its own package raises is its own.
        loopback: whether a trial may ask a server on this machine that it has started itself.
    """

    def __init__(self, module, loopback=False):
        self.package = module.partition(".")[0]
        self.loopback = loopback
        self.serves = False
        self.touched = ""
        self.made = False

    def install(self, guard=None):
        """Listen to the interpreter's audit events for the rest of the process; with the guard's ears where it does."""
        if guard is None:
            sys.addaudithook(self.heard)
            return
        for event in _HEARD:
            guard.tell(event, self.heard)

    def skip_bundled_certificates(self):
        """Have clients not read the certificates that come with them: without a network nothing is verified."""
        ssl = sys.modules.get("ssl")
        if ssl is None or self.loopback:
            return
        real = ssl.SSLContext.load_verify_locations

        def load_verify_locations(context, cafile=None, capath=None, cadata=None):
            if not (isinstance(cafile, str) and cafile.endswith(_BUNDLE)):
                real(context, cafile, capath, cadata)

        ssl.SSLContext.load_verify_locations = load_verify_locations

    def heard(self, event, arguments):
        """One audit event."""
        if event not in _HEARD:
            return
        if self.is_own(event, arguments):
            return
        if event in _RESOLVING:
            self.touched = self.touched or "looks names up"
        elif event in _REACHING:
            address = arguments[1] if len(arguments) > 1 else None
            if isinstance(address, tuple):
                self.touched = self.touched or "opens network connections"
        elif event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6):
            self.made = True

    def is_own(self, event, arguments):
        """Whether it is about a server of the trial's own; binding one on this machine is the beginning of that."""
        given = arguments[1] if event in _REACHING and len(arguments) > 1 else arguments[0] if arguments else None
        host = given[0] if isinstance(given, tuple) and given else given
        if not self.loopback or host not in _HERE:
            return False
        self.serves = self.serves or event == "socket.bind"
        return self.serves

    def forget(self):
        """A new trial begins."""
        self.touched, self.made, self.serves = "", False, False

    def needed(self, error):
        """What a trial that ended with `error` (None where it returned) wants of a network; empty for nothing."""
        if self.touched:
            return self.touched
        if error is None or self.serves:
            return ""
        if self.made or any("%s.%s" % (one.__module__, one.__qualname__) in _ENDINGS for one in type(error).__mro__):
            return "opens network connections"
        for frame, _line in traceback.walk_tb(error.__traceback__):
            name = frame.f_globals.get("__name__") or ""
            package = name.partition(".")[0]
            if package != self.package and (name in _CLIENTS or package in _CLIENTS):
                return "opens network connections"
        return ""
