"""Talks to a server on the host's loopback, in each way there is; the server must hear nothing."""

import ctypes
import http.client
import os
import socket
import struct
import urllib.request

from pk.place import HOST, PORT, _reached as reached


def tcp(n: int) -> str:
    socket.create_connection(("127.0.0.1", PORT), 0.5).sendall(b"GET /tcp HTTP/1.0\r\n\r\n")
    return reached("tcp")


def udp(n: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"udp", ("127.0.0.1", PORT))
    return "sent"


def http_request(n: int) -> str:
    http.client.HTTPConnection("127.0.0.1", PORT, timeout=0.5).request("GET", "/http_request")
    return reached("http_request")


def url(n: int) -> str:
    return reached("url") + str(urllib.request.urlopen(f"http://127.0.0.1:{PORT}/url", timeout=0.5).status)


def tcp_by_ctypes(n: int) -> str:
    libc = ctypes.CDLL(None)
    made = libc.socket(2, 1, 0)
    address = struct.pack("=HH4s8x", 2, socket.htons(PORT), bytes([127, 0, 0, 1]))
    joined = libc.connect(made, address, 16)
    libc.write(made, b"GET /tcp_by_ctypes HTTP/1.0\r\n\r\n", 31)
    return reached("tcp_by_ctypes") if joined == 0 else "refused"


def socket_with_a_path(n: int) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(HOST + "/socket")
    return reached("socket_with_a_path")


def socket_without_a_path(n: int) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0testwright-hostile" + HOST)
    return reached("socket_without_a_path")


def raw_packets(n: int) -> str:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return reached("raw_packets")


def link_layer(n: int) -> str:
    socket.socket(17, socket.SOCK_RAW, 3)
    return reached("link_layer")


def virtual_machines(n: int) -> str:
    socket.socket(40, socket.SOCK_STREAM)
    return reached("virtual_machines")


def devices(n: int) -> str:
    return str([reached(name) for _, name in socket.if_nameindex() if name != "lo"])


def listener(n: int) -> str:
    """It listens in its own network, whatever the address says."""
    server = socket.create_server(("0.0.0.0", 47113), reuse_port=True)
    if os.fork() == 0:
        server.accept()
    return "listening"
