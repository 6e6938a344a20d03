"""Watches what Locust's users send: it goes to allowed hosts only, and what is never answered is told.

Locust counts a request when it ends. One that waits for an application that hangs never ends: the users are ended
before it, and no figure knows of it.
"""

import ipaddress
import os
import time
import urllib.parse
from typing import Any

import gevent  # pyrefly: ignore[missing-import]
from locust.contrib.fasthttp import FastHttpSession, LocustUserAgent  # pyrefly: ignore[missing-import]

# A redirect is an answer like any other: what it names may be another host.
LocustUserAgent.redirect_response_codes = frozenset()
PATIENCE_SECONDS = 1.0
LONGEST_BEAT = 0.25
"""Seconds between two signs of life of a machine that is merely busy; what goes beyond is a standstill."""
TIMES_THE_LONGEST = 3.0
"""A request that is slow each time is answered late; one that waits so much longer than before is not answered."""
_SENT_AS_THEY_ARE = "/%:@!$&'()*+,;=~-._?#[]"
_ALLOWED = frozenset(os.environ.get("LOAD_ALLOWED_HOSTS", "").lower().split())


class MachineClock:
    """Seconds that pass while this machine works: a standstill of all of it is nobody's time.

    Where other programs take the whole machine for seconds, neither the users nor the application come to their turn.
    What should always go on `beat`s; without beats this is a plain clock.
    """

    def __init__(self, clock=time.perf_counter):
        self._clock = clock
        self._lost = 0.0  # seconds of standstills
        self._beaten: Any = None

    def beat(self):
        """What should always go on has come to its turn."""
        now = self._clock()
        self._lost += self._standstill(now)
        self._beaten = now

    def stop_beating(self):
        """No further beats come: from now on all time counts."""
        self.beat()
        self._beaten = None

    def now(self):
        """Seconds since some moment, without the standstills, also one that has just ended."""
        now = self._clock()
        return now - self._lost - self._standstill(now)

    def lost(self):
        """Seconds of all standstills so far."""
        return self._lost + self._standstill(self._clock())

    def _standstill(self, now):
        return 0.0 if self._beaten is None else max(0.0, now - self._beaten - LONGEST_BEAT)


CLOCK = MachineClock()


class HostRefused(Exception):
    """A request names a host that no load may go to."""


def refusal(host):
    """Why no load goes to a host; empty where it may go."""
    name = (host or "").lower()
    if name == "localhost" or name in _ALLOWED or _is_loopback(name):
        return ""
    return "load on {} is not allowed: name the host in LOAD_ALLOWED_HOSTS".format(name or "no host")


def _is_loopback(name):
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Traffic:
    """The requests of one run: those that wait, the longest that any waited for its answer, those that got none.

    Attributes:
        refused: hosts that requests named and that no load may go to, with the reason.
    """

    def __init__(self):
        self.refused: dict = {}
        self._waiting: dict = {}
        self._longest: dict = {}
        self._ended: list = []

    def send(self, label, send):
        """Send a request, and remember how long it took, or that its user was ended before the answer."""
        key, began = object(), CLOCK.now()
        self._waiting[key] = label, began
        try:
            answer = send()
        except gevent.GreenletExit:
            self._ended.append((label, CLOCK.now() - began))
            raise
        finally:
            del self._waiting[key]
        self._longest[label] = max(self._longest.get(label, 0.0), CLOCK.now() - began)
        return answer

    def unanswered(self, patience=PATIENCE_SECONDS):
        """{request: seconds that each waited in vain, longest first}.

        Args:
            patience: seconds that any request may have waited when the run ends.
        """
        now = CLOCK.now()
        found: dict = {}
        for label, seconds in [*self._ended, *((label, now - began) for label, began in self._waiting.values())]:
            if seconds > max(patience, TIMES_THE_LONGEST * self._longest.get(label, 0.0)):
                found.setdefault(label, []).append(seconds)
        return {label: sorted(waits, reverse=True) for label, waits in sorted(found.items())}


TRAFFIC = Traffic()
_REQUEST: Any = FastHttpSession.request
_OPEN: Any = LocustUserAgent._urlopen


def _request(session, method, url, *args, **more):
    """`FastHttpSession.request`, watched."""
    name = more.get("name") or (args[0] if args else "") or url
    # What an answer gave may hold spaces and letters that no request line may.
    url = urllib.parse.quote(url, safe=_SENT_AS_THEY_ARE)
    return TRAFFIC.send("{} {}".format(method, name), lambda: _REQUEST(session, method, url, *args, **more))


def _open(agent, request):
    """`LocustUserAgent._urlopen`, for allowed hosts: the place where each request has its last address."""
    host = request.url_split.host
    why = refusal(host)
    if why:
        TRAFFIC.refused[host] = why
        raise HostRefused(why)
    return _OPEN(agent, request)


FastHttpSession.request = _request
LocustUserAgent._urlopen = _open
