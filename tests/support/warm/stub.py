"""Stands for a command that `server.py` runs: with its streams, its signals and its exit code.

python -I -S stub.py SOCKET WORDS…

It imports little, so that it starts at once.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

_RELAYED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_BROKEN = 70


def main() -> int:
    """Have the command run, and end as it does."""
    place, *words = sys.argv[1:]
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to import as all of this takes to run
    request = {"words": words, "folder": folder, "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        # The command may run, and be sent a signal, before `send_fds` returns; a signal must not precede the request.
        signal.pthread_sigmask(signal.SIG_BLOCK, _RELAYED)
        for number in _RELAYED:
            signal.signal(number, lambda number, frame: server.send(str(number).encode()))
        server.connect(place)
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _RELAYED)
        answer = server.recv(64)
    if not answer:
        sys.stderr.write("the server of warm commands is gone\n")
        return _BROKEN
    code = int(answer)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
