"""Which addresses are those of a site on this machine."""

import pytest

from testwright.config.site_address import local_origin


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("http://127.0.0.1:8000/shop?page=1", "http://127.0.0.1:8000"),
        ("localhost:5000", "http://localhost:5000"),
        ("https://LOCALHOST:8443/", "https://localhost:8443"),
        ("http://127.0.0.1", ""),
        ("http://localhost:80", ""),
        ("http://localhost:99999", ""),
        ("http://ada:secret@localhost:8000", ""),
        ("http://localhost.example.org:8000", ""),
        ("http://127.0.0.5:8000", ""),
        ("http://192.168.0.2:8000", ""),
        ("ftp://localhost:8000", ""),
        ("http://[::1", ""),
        ("", ""),
    ],
)
def test_an_address_is_one_of_this_machine_or_none(address, origin):
    assert local_origin(address) == origin
