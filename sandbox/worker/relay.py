"""Gives a program one address outside of its sandbox: `relay.py PORT SOCKET COMMAND...`.

What is sent to the port of this machine goes to the socket of the file system, behind which
`sandbox/browsers/relayed.py` asks the address. COMMAND then takes the place of this process.
"""

import os
import socket
import sys
import threading

_CHUNK = 65536


def serve(listener, place):
    """Take connections for ever."""
    while True:
        inside, _ = listener.accept()
        outside = socket.socket(socket.AF_UNIX)
        try:
            outside.connect(place)
        except OSError:  # it has ended outside
            inside.close()
            outside.close()
            continue
        for source, sink in ((inside, outside), (outside, inside)):
            threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source, sink):
    try:
        while True:
            chunk = source.recv(_CHUNK)
            if not chunk:
                break
            sink.sendall(chunk)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # the other side has gone: it is told so
        for one in (source, sink):
            one.close()


def main():
    """Start the relay beside the command."""
    port, place, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    if os.fork() == 0:
        # The command's pipes end with the command.
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        serve(listener, place)
    listener.close()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
