"""Addresses in the params of a step: what is not surely this machine is another host."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.graph.planning_graph.addresses import host_of, is_this_machine, other_hosts

pytestmark = pytest.mark.feature("P-04")


@pytest.mark.parametrize(
    "address",
    [
        "localhost",
        "LOCALHOST.",
        "localhost:8000",
        "http://Localhost:8000/a//b?next=//shop.example",
        "https://user:secret@127.0.0.1:8443/",
        "127.8.9.1",
        "::1",
        "[::1]:80",
        "http://[::1]/x",
        "::ffff:127.0.0.1",
    ],
)
def test_this_machine_is_known_in_every_form(address: str) -> None:
    assert is_this_machine(host_of(address))


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://shop.example/api", "shop.example"),
        ("SHOP.example:80", "shop.example"),
        ("user:secret@shop.example:99999", "shop.example"),
        ("http://localhost@shop.example", "shop.example"),
        ("http://localhost:80@shop.example/", "shop.example"),
        ("shop.example/a//b", "shop.example"),
        ("shop.example?next=http://localhost", "shop.example"),
        ("shop.example#@localhost", "shop.example"),
        ("//shop.example/x", "shop.example"),
        ("http:///shop.example", "shop.example"),
        ("https:/shop.example", "shop.example"),
        ("localhost.shop.example", "localhost.shop.example"),
        ("127.0.0.1.shop.example", "127.0.0.1.shop.example"),
        ("shop.localhost", "shop.localhost"),
        ("2001:db8::1", "2001:db8::1"),
        ("http://[2001:db8::1]:80/", "2001:db8::1"),
        ("::ffff:10.0.0.7", "::ffff:10.0.0.7"),
        ("0x7f000001", "0x7f000001"),
        ("http://127.0.0.1\\@shop.example", "http://127.0.0.1\\@shop.example"),
        ("http://a@localhost@shop.example", "http://a@localhost@shop.example"),
        ("http://localhost\tx", "http://localhost\tx"),
        ("http://", "http://"),
    ],
)
def test_everything_else_is_another_host(address: str, host: str) -> None:
    found = host_of(address)
    assert (found, is_this_machine(found)) == (host, False)


@pytest.mark.parametrize(
    ("params", "hosts"),
    [
        ({"target": {"path": "shop/cart.py", "endpoint": "GET /orders"}}, []),
        ({"base_url": "http://localhost:8000", "port": 80}, []),
        ({"Base-URL": "shop.example"}, ["shop.example"]),
        ({"servers": [{"url": "http://127.0.0.1"}, {"url": "http://shop.example"}]}, ["shop.example"]),
        ({"target": {"launch": {"host": "10.0.0.7"}}}, ["10.0.0.7"]),
        ({"anything": "https://shop.example/openapi.json"}, ["shop.example"]),
        ({"host": 2130706433}, ["2130706433"]),
        ({"host": "shop.example", "url": "http://shop.example/x"}, ["shop.example"]),
        ({"host": "", "url": None}, []),
    ],
)
def test_addresses_are_found_by_their_key_at_any_depth_and_by_their_form(
    params: dict[str, Any], hosts: list[str]
) -> None:
    assert other_hosts(params) == hosts
