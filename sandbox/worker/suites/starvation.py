"""Tells how long threads have waited for a processor, and which are at work, from Linux's `/proc`.

On a busy machine waiting for a processor is nobody's fault, and what is at work has not come to its turn yet.

Plain standard library, Python 3.9. Where the system does not tell, nothing has waited and nothing is at work.
"""

# Bound here: a test may replace what this module holds, and a run moves the clock.
from os import O_CLOEXEC, O_RDONLY, close, getpid, getppid, listdir, read
from os import open as open_file
from time import monotonic

# States of a thread that runs or is ready to run, or that waits for a disk: a busy machine lets it wait for long.
AT_WORK = (b"R", b"D")
SELF = "/proc/self"
MOST = 4096


def starved_seconds(place=SELF):
    """How long a thread has waited for a processor so far.

    Args:
        place: its folder; that of a process stands for its main thread.
    """
    parts = _contents(place + "/schedstat").split()
    return int(parts[1]) / 1e9 if len(parts) > 1 else 0.0


def starved_threads():
    """How long each thread of this process has waited for a processor, by its number."""
    return {number: starved_seconds("{}/task/{}".format(SELF, number)) for number in _numbers(SELF + "/task")}


class Patience:
    """Some seconds of waiting for other threads of this process; those that a thread is starved do not count."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._began = monotonic()
        self._before = starved_threads()

    def left(self):
        """Seconds that are left; 0.0 for none."""
        starved = max([0.0, *(now - self._before.get(number, 0.0) for number, now in starved_threads().items())])
        return max(0.0, self._seconds - (monotonic() - self._began - starved))


def is_a_sibling_at_work():
    """Whether another child of this process's parent runs, or is ready to run."""
    parent = getppid()
    return any(_is_at_work(sibling) for sibling in _children(parent, parent) if sibling != str(getpid()))


def is_tree_at_work(process):
    """Whether a process, or one that it or those started, runs or is ready to run; None has ended."""
    waiting = [] if process is None else [str(process)]
    for one in waiting:  # grows while it is read
        if _is_at_work(one):
            return True
        waiting += [child for number in _numbers("/proc/{}/task".format(one)) for child in _children(one, number)]
    return False


def _children(process, thread):
    return _contents("/proc/{}/task/{}/children".format(process, thread)).decode("ascii").split()


def _is_at_work(process):
    folder = "/proc/{}/task".format(process)
    return any(_state("{}/{}/stat".format(folder, number)) in AT_WORK for number in _numbers(folder))


def _state(place):
    """The letter behind the name, which may hold anything; empty for a thread that has ended."""
    return b"".join(_contents(place).rpartition(b")")[2].split()[:1])


def _numbers(folder):
    try:
        return [name for name in listdir(folder) if name.isdecimal()]
    except OSError:  # it has ended
        return []


def _contents(path):
    try:
        descriptor = open_file(path, O_RDONLY | O_CLOEXEC)
    except OSError:
        return b""
    try:
        return read(descriptor, MOST)
    except OSError:
        return b""
    finally:
        close(descriptor)
