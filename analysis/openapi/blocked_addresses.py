"""Decides which network addresses are never contacted."""

from __future__ import annotations

import ipaddress

_METADATA = frozenset(
    ipaddress.ip_address(item)
    for item in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def block_reason(address: str) -> str:
    """Explains why an IP address is never contacted; empty when it may be.

    Link-local addresses and those where clouds serve the credentials of a machine, however they are spelled, and what
    names no single host.
    """
    try:
        ip = _plain(ipaddress.ip_address(address.partition("%")[0]))
    except ValueError:
        return "it is no IP address"
    if ip in _METADATA:
        return "it is where a cloud serves the secrets of a machine"
    if ip.is_link_local:
        return "it is a link-local address"
    if ip.is_multicast or ip.is_unspecified or ip == ipaddress.ip_address("255.255.255.255"):
        return "it names no single host"
    return ""


def _plain(ip: Address) -> Address:
    """The IPv4 address embedded in an IPv6 one, else the address itself."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip
