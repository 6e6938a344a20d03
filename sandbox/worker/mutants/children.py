"""Runs tasks in forked children with limits, some at a time, and kills whatever a child leaves behind.

A child does one piece of work and writes down what it finds, line by line, in a file without a name that the parent
reads when the child has ended: whatever ends it leaves its last words, and no word wakes the parent. Processor time is
limited by a timer that no Python code can hold up, real time by the parent.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time

from ..observe.limits import starved_seconds

SUBREAPER = 36
LINE = 65536
LOOK_SECONDS = 0.02
LONGEST_WAIT = 5.0


class Task:
    """A piece of work.

    Args:
        work: called in the child with `say(kind, *facts)`.
        wall_seconds: real time before it is killed, without that in which it waits for a processor.
        done: called in the parent with (facts said, how it ended: "end", "died", or "time" when a limit of time ended
            it); may return another task, which is next.
    """

    def __init__(self, work, wall_seconds, done):
        self.work = work
        self.wall_seconds = wall_seconds
        self.done = done


class RunningChild:
    """A child at work; it writes to the file `words`, and `end`, where there is that, is readable when it ends."""

    def __init__(self, task, pid, words):
        self.task = task
        self.pid = pid
        self.words = words
        self.end = open_end(pid)
        self.until = time.monotonic() + task.wall_seconds
        self.starved = 0.0  # seconds that it was given for having waited
        self.ending = "died"


class Children:
    """Runs tasks in forked children.

    Args:
        jobs: how many at a time.
        memory_mib: address space of each child, and of whatever it starts.
        folder: where files without a name are made.
    """

    def __init__(self, jobs, memory_mib, folder):
        self.jobs = jobs
        self.memory = memory_mib * 1024 * 1024
        self.folder = folder
        self.peak_kib = 0
        adopt_orphans()

    def run(self, tasks, until):
        """Carry out all tasks; those not done at `until` (monotonic seconds) are left. Gives their number."""
        waiting = list(tasks)[::-1]
        running = []
        try:
            while waiting or running:
                if time.monotonic() > until:
                    break
                while waiting and len(running) < self.jobs:
                    running.append(self.start(waiting.pop()))
                self.wait(running, until)
                for child in [one for one in running if self.ended(one)]:
                    running.remove(child)
                    more = self.finish(child, running)
                    if more is not None:
                        waiting.append(more)
        finally:
            for child in running:
                self.end(child)
            end_orphans(set())
        return len(waiting) + len(running)

    def start(self, task):
        """Fork a child for a task."""
        sys.stdout.flush()
        sys.stderr.flush()
        words = open_words(self.folder)
        pid = os.fork()
        if pid == 0:
            try:
                self.be_a_child(task, words)
            finally:
                os._exit(1)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass  # it did so itself, or has ended
        return RunningChild(task, pid, words)

    def be_a_child(self, task, words):
        """The child's whole life."""
        os.setpgid(0, 0)
        limit_memory(self.memory)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)

        def say(kind, *facts):
            data = (json.dumps([kind, *facts], ensure_ascii=True) + "\n").encode("ascii")
            while data:
                data = data[os.write(words, data) :]

        me = os.getpid()
        say("begin")
        task.work(lambda kind, *facts: say(kind, *facts) if os.getpid() == me else None)
        if os.getpid() != me:  # what the work itself has forked, and let go on
            os._exit(0)
        say("end", time.process_time())
        os._exit(0)

    def wait(self, running, until):
        """Wait until one of them may have ended."""
        ends = [child.end for child in running if child.end is not None]
        longest = LONGEST_WAIT if len(ends) == len(running) else LOOK_SECONDS
        soonest = min([until, *(child.until for child in running)]) - time.monotonic()
        select.select(ends, [], [], max(0.0, min(soonest, longest)))

    def ended(self, child):
        """Whether a child has ended, or has to: then it is ended here."""
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            self.peak_kib = max(self.peak_kib, usage.ru_maxrss)
            child.pid = -child.pid
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGXCPU):
                child.ending = "time"
            return True
        if time.monotonic() > child.until:
            more = starved_seconds(child.pid) - child.starved
            child.until += more
            child.starved += more
        if time.monotonic() > child.until:
            child.ending = "time"
            return True
        return False

    def end(self, child):
        """Kill a child, its process group, and collect it; gives what it said."""
        group = abs(child.pid)
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass  # nothing is left of it
        if child.pid > 0:
            os.waitpid(child.pid, 0)
        if child.end is not None:
            os.close(child.end)
        os.lseek(child.words, 0, os.SEEK_SET)
        pieces = list(iter(lambda: os.read(child.words, LINE), b""))
        os.close(child.words)
        return b"".join(pieces)

    def finish(self, child, running):
        """See to it that nothing of the child is left, and hand on what it said."""
        said = self.end(child)
        end_orphans({one.pid for one in running})
        facts = [json.loads(line) for line in said.split(b"\n")[:-1]]
        ending = child.ending
        if facts and facts[-1][0] == "end":
            ending = "end"
        return child.task.done(facts, ending)


def open_words(folder):
    """A file without a name in a folder, to write to and to read from."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.dup(file.fileno())


def open_end(pid):
    """What select takes and is readable once a child has ended; None where the system has no such thing."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


def limit_processor_time(seconds):
    """From now on so many seconds of processor time; then the process ends, whatever it is at. 0 for no limit."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def limit_memory(size):
    """Lower the limit of the address space."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    lowest = size if hard == resource.RLIM_INFINITY else min(size, hard)
    if soft == resource.RLIM_INFINITY or soft > lowest:
        resource.setrlimit(resource.RLIMIT_AS, (lowest, hard))


def adopt_orphans():
    """Become the parent of whatever a child leaves behind, where the system can do that."""
    try:
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # process groups, and the sandbox's own end, remain


def end_orphans(mine):
    """Kill all children of this process but those in `mine`, and collect them."""
    for _ in range(100):
        left = [pid for pid in children() if pid not in mine]
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                continue


def children():
    """The process ids of this process's children; none where the system does not tell."""
    try:
        with open("/proc/self/task/{}/children".format(os.getpid())) as stream:
            return [int(part) for part in stream.read().split()]
    except OSError:
        return []
