"""Load profiles for Locust: how many users come when, and the limits that the figures must keep.

A locustfile derives one class from `LoadProfiles`; `--load-profile NAME` chooses a profile. The run fails, with exit
code 1, where a limit is not kept. Latencies are limited in round trips: times of a plain request to a small server
that does nothing, sent all the while beside the load, so that a slow or busy machine does not fail a test. Neither
does one that was busy for a while: a profile that was only too slow is run again, and its last round counts. Nor
does one that stood still: time in which not even the plain requests came to their turn belongs to no figure.

Without `--host` the application is started here, on a free port. Load goes to this machine only, unless
LOAD_ALLOWED_HOSTS names the host.
"""

import json
import logging
import socket
import subprocess
import sys
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, List, Optional, Tuple

import gevent  # pyrefly: ignore[missing-import]
from load_traffic import CLOCK, PATIENCE_SECONDS, TRAFFIC, refusal
from locust import LoadTestShape, events  # pyrefly: ignore[missing-import]

FASTEST_ARRIVAL = 100.0
REFERENCE_PAUSE = 0.05
LOST_ROUND_TRIPS = 60.0
"""A request that has waited for fewer may be one that a slow machine has not come to."""
SHORTEST_ROUND_TRIP = 1.0
MOST_ROUNDS = 3
"""How often a profile is run, where nothing else is to do, that breaks limits of latency and throughput alone."""
BUSY_ROUND_TRIP = 10.0
"""Milliseconds of a slow plain request on a machine that has much else to do; an idle one needs less than one."""
BUSY_SECONDS = 40.0
"""For so long a profile is run again on such a machine, however often."""
_MOST_SHARE = 0.95
_REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
_SERVER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
while connection.recv(4096):
    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
"""
_LOG = logging.getLogger("load")
_PERCENTILES = {"latency_p50": 0.5, "latency_p90": 0.9, "latency_p95": 0.95, "latency_p99": 0.99}


@dataclass(frozen=True)
class Limit:
    """A limit on one figure: of all requests, or of those that Locust counts under one name.

    Args:
        metric: latency_p50, latency_p95, …, latency_mean, latency_max, error_rate or requests_per_second.
        unit: "round trips", "ms" or "s" for latencies.
        request: "GET /orders/{id}"; empty for all requests.
    """

    metric: str
    at_most: Optional[float] = None
    at_least: Optional[float] = None
    unit: str = ""
    request: str = ""

    def problem(self, value):
        """What is wrong with a figure; empty for nothing."""
        name = self.metric + (" of " + self.request if self.request else "")
        unit = " " + self.unit if self.unit else ""
        if value is None:
            return "{}: no such request was answered".format(name)
        if self.at_most is not None and value > self.at_most:
            return "{} is {:.4g}{}, at most {:g} is allowed".format(name, value, unit, self.at_most)
        if self.at_least is not None and value < self.at_least:
            return "{} is {:.4g}{}, at least {:g} is asked for".format(name, value, unit, self.at_least)
        return ""


@dataclass(frozen=True)
class Profile:
    """How the load comes.

    Args:
        case: the case of the spec that it belongs to.
        stages: (seconds, users at their end), one after the other; users come and go evenly within a stage.
        start: users at the beginning.
        warm_up: seconds at the beginning that no figure counts.
    """

    case: str
    stages: List[Tuple[float, int]]
    limits: List[Limit]
    start: int = 0
    warm_up: float = 1.0


@dataclass
class _Run:
    """What one run learns besides what Locust counts."""

    profile: Profile
    factor: float
    report: str
    reference: List[float] = field(default_factory=list)
    rounds: int = 1
    round_began: float = 0.0
    lost: float = 0.0
    began: float = 0.0
    counted_from: float = 0.0
    counted: float = 0.0
    server: Any = None
    application: Any = None
    processor: float = 0.0


class LoadProfiles(LoadTestShape):
    """Brings as many users as the chosen profile says; a locustfile derives its own class and names its profiles."""

    abstract = True
    profiles: Any = None
    application: Any = None

    def tick(self):
        """How many users there are to be now, and how fast they come; None when it is over."""
        run: Any = _STATE["run"]
        run.round_began = run.round_began or CLOCK.now()
        users = _users_at((CLOCK.now() - run.round_began) / run.factor, run.profile)
        if users is None and _may_run_again(run) and _is_only_slow(self.runner, run):
            run.rounds, run.round_began, run.lost = run.rounds + 1, CLOCK.now(), CLOCK.lost()
            run.reference.clear()
            _count_from_now(self.runner.stats, run)
            users = _users_at(0.0, run.profile)
        return None if users is None else (users, FASTEST_ARRIVAL)


def _users_at(passed, profile):
    """How many users there are after so many seconds of a profile; None behind its end."""
    users = profile.start
    for seconds, last in profile.stages:
        if passed < seconds:
            return max(1, round(users + (last - users) * passed / seconds))
        passed, users = passed - seconds, last
    return None


def _may_run_again(run):
    """Whether there may be a further round: a few in any case, and more where the machine was busy in this one."""
    is_busy = _round_trip(run, 0.9) > BUSY_ROUND_TRIP or CLOCK.lost() > run.lost
    return run.rounds < MOST_ROUNDS or (is_busy and time.perf_counter() - run.began < BUSY_SECONDS)


def _is_only_slow(runner, run):
    """Whether limits of time are all that a round breaks: its machine may have been busy with something else."""
    run.counted = CLOCK.now() - run.counted_from
    broken = _broken_limits(runner.stats, run)
    fails = TRAFFIC.refused or _mistakes(runner) or _unanswered(run) or not runner.stats.total.num_requests
    if not broken or "error_rate" in dict(broken) or fails:
        return False
    _LOG.info("too slow in round %d: %s", run.rounds, "; ".join(problem for _, problem in broken))
    return True


_STATE: Any = {"run": None}


@events.init_command_line_parser.add_listener
def _options(parser):
    parser.add_argument("--load-profile", default="", help="which profile of the locustfile is run; else its first")
    parser.add_argument("--load-seconds", type=float, default=0.0, help="press the profile into so many seconds")
    parser.add_argument("--load-report", default="", help="a file for the figures, as JSON")


@events.init.add_listener
def _begin(environment, **_):
    options, shape = environment.parsed_options, environment.shape_class
    name = options.load_profile or next(iter(shape.profiles))
    if name not in shape.profiles:
        _refuse("there is no profile {!r}: {}".format(name, ", ".join(shape.profiles)))
    profile = shape.profiles[name]
    whole = sum(seconds for seconds, _ in profile.stages)
    factor = min(1.0, options.load_seconds / whole) if options.load_seconds > 0 else 1.0
    run = _STATE["run"] = _Run(profile, factor, options.load_report)
    if not environment.host and shape.application is not None:
        run.application = shape.application
        run.application.settles = False  # waiting would be measured as well
        run.application.start()
        environment.host = run.application.base_url
    why = refusal(urllib.parse.urlsplit(environment.host or "").hostname)
    if why:
        _end(run)
        _refuse(why)


def _refuse(why):
    print("load test: " + why, file=sys.stderr)
    sys.exit(2)


@events.test_start.add_listener
def _start(environment, **_):
    run: Any = _STATE["run"]
    command = [sys.executable, "-I", "-S", "-c", _SERVER]
    run.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert run.server.stdout is not None
    port = int(run.server.stdout.readline())
    run.began, run.round_began = time.perf_counter(), CLOCK.now()
    run.counted_from = run.round_began
    run.processor = time.process_time()
    gevent.spawn(_measure_reference, run, port)
    gevent.spawn_later(run.profile.warm_up, _count_from_now, environment.runner.stats, run)


def _count_from_now(stats, run):
    stats.reset_all()
    run.counted_from = CLOCK.now()


def _measure_reference(run, port):
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            answered = True
            while answered:
                CLOCK.beat()
                began = time.perf_counter()
                connection.sendall(_REQUEST)
                answered = bool(connection.recv(4096))
                run.reference.append(time.perf_counter() - began)
                CLOCK.beat()
                gevent.sleep(REFERENCE_PAUSE)
    finally:
        CLOCK.stop_beating()


@events.test_stop.add_listener
def _judge(environment, **_):
    run = _STATE["run"]
    seconds, run.counted = time.perf_counter() - run.began, CLOCK.now() - run.counted_from
    share = (time.process_time() - run.processor) / seconds
    unanswered = _unanswered(run)
    problems = [_waited(*one) for one in unanswered.items()]
    problems += [problem for _, problem in _broken_limits(environment.runner.stats, run)]
    problems += TRAFFIC.refused.values() or _mistakes(environment.runner)
    for one in problems:
        _LOG.error(one)
    _LOG.info("Locust used %.0f %% of a processor core", 100 * share)
    environment.process_exit_code = 2 if TRAFFIC.refused else 1 if problems else 0
    if run.report:
        entries = _entries(environment, run, unanswered)
        figures = {"problems": problems, "processor": share, "seconds": seconds, "entries": entries}
        with open(run.report, "w", encoding="utf-8") as file:
            json.dump(figures, file)


def _broken_limits(stats, run):
    """(metric, what is wrong) of each limit that the figures counted so far do not keep."""
    found = ((one.metric, one.problem(_figure(stats, one, run))) for one in run.profile.limits)
    return [(metric, problem) for metric, problem in found if problem]


def _unanswered(run):
    """Requests that nobody answered although an idle machine would have done so long ago; see `Traffic.unanswered`."""
    patience = LOST_ROUND_TRIPS * _round_trip(run, _MOST_SHARE) / 1000
    return TRAFFIC.unanswered(max(PATIENCE_SECONDS, patience))


def _waited(label, waits):
    many = "1 request waited" if len(waits) == 1 else "{} requests waited".format(len(waits))
    return "{} was not answered any more: {} in vain for up to {:.1f} s".format(label, many, waits[0])


def _mistakes(runner):
    """What tasks raised although every request was answered well: answers that lack what a later request needs."""
    if runner.stats.total.num_failures:
        return []
    return ["a task raised {} ({} times)".format(one["msg"], one["count"]) for one in runner.exceptions.values()]


@events.quitting.add_listener
def _quit(environment, **_):
    if _STATE["run"] is not None:
        _end(_STATE["run"])


def _end(run):
    """End what was started here."""
    if run.server is not None:
        run.server.kill()
        run.server.wait()
    if run.application is not None:
        run.application.stop()


def _round_trip(run, share):
    """Milliseconds of the plain request that this share of all plain ones was faster than, at least one.

    Locust counts whole milliseconds; and a single slow one of a few hundred would stand for the slowest hundredth.
    """
    found = sorted(run.reference) or [0.0]
    return max(SHORTEST_ROUND_TRIP, 1000 * found[min(len(found) - 1, int(min(share, _MOST_SHARE) * len(found)))])


def _figure(stats, limit, run):
    """The figure that a limit is for; None where no such request was answered."""
    method, _, name = limit.request.partition(" ")
    entry = stats.entries.get((name, method)) if limit.request else stats.total
    if entry is None or not entry.num_requests:
        return None
    return _figure_of(entry, limit.metric, limit.unit, run)


def _figure_of(entry, metric, unit, run):
    if metric == "error_rate":
        return 100 * entry.fail_ratio
    if metric == "requests_per_second":
        # Locust counts until the last answer, so that an application that stops answering seems as quick as before.
        return entry.num_requests / run.counted
    share = _PERCENTILES.get(metric, 0.5)
    if metric in _PERCENTILES:
        value = entry.get_response_time_percentile(share)
    else:
        value = entry.avg_response_time if metric == "latency_mean" else entry.max_response_time
    return value / {"round trips": _round_trip(run, share), "s": 1000}.get(unit, 1)


def _entries(environment, run, unanswered):
    """All figures by request: {"GET /orders": {"latency_p50": …}}; those of all requests stand under "".

    One that was never answered has no figures of its own but how many of it waited in vain.
    """
    stats = environment.runner.stats
    errors: dict = {}
    for one in stats.errors.values():
        errors.setdefault("{} {}".format(one.method, one.name), []).append(one.error)
    entries = [("", stats.total)] + [(method + " " + name, entry) for (name, method), entry in stats.entries.items()]
    metrics = [*_PERCENTILES, "latency_mean", "latency_max"]
    found = {
        name: {
            "requests": entry.num_requests,
            "error_rate": 100 * entry.fail_ratio,
            "requests_per_second": _figure_of(entry, "requests_per_second", "", run),
            "errors": [str(error) for error in errors.get(name, [])[:3]],
            "server_failed": any(_is_of_server(error) for error in errors.get(name, [])),
            "unanswered": 0,
            "milliseconds": {metric: _figure_of(entry, metric, "ms", run) for metric in metrics},
            "round_trips": {metric: _figure_of(entry, metric, "round trips", run) for metric in metrics},
        }
        for name, entry in entries
        if entry.num_requests
    }
    for name, waits in unanswered.items():
        entry = found.setdefault(name, {"requests": 0, "error_rate": 0.0, "errors": []})
        entry.update(unanswered=len(waits), server_failed=True)
        entry["errors"].insert(0, _waited(name, waits))
    return found


def _is_of_server(error):
    """Whether an error is a server's failure, or no answer at all; its text holds any number of the path."""
    code = getattr(error, "code", 0)
    return not code or code >= 500
