"""Names under which the service is reached."""

import pytest

from orchestrator.web.sites import ServedSite, is_loopback
from shared.errors import UserError


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:80", True),
        ("[::1]:80", True),
        ("localhost:80", True),
        ("localhost", True),
        ("localhost:8080", False),
        ("quorate.example.com", True),
        ("Quorate.Example.com:443", True),
        ("quorate.example.com:", False),
        ("quorate.example.com:evil", False),
        ("x.quorate.example.com", False),
        ("quorate.example.com.evil.example", False),
        ("", False),
    ],
)
def test_a_host_is_ours_by_its_whole_name(host: str, ours: bool):
    assert ServedSite.of("127.0.0.1", 80, ["Quorate.example.com "]).is_host(host) is ours


def test_a_host_without_a_port_is_ours_only_at_the_port_that_is_not_sent():
    assert not ServedSite.of("127.0.0.1", 8765).is_host("localhost")


def test_a_proxy_adds_tls_to_its_own_name_only():
    site = ServedSite.of("0.0.0.0", 80, ["quorate.example.com"])
    assert site.is_origin("https://quorate.example.com")
    assert site.is_origin("http://quorate.example.com:8080")
    assert not site.is_origin("https://127.0.0.1:80")
    assert not site.is_origin("ftp://quorate.example.com")


def test_an_address_that_is_listened_on_is_a_name_but_not_every_address():
    assert ServedSite.of("192.168.7.5", 80).is_host("192.168.7.5:80")
    assert ServedSite.of("fd00::5", 80).is_host("[fd00::5]:80")
    assert not ServedSite.of("0.0.0.0", 80).is_host("0.0.0.0:80")


@pytest.mark.parametrize("name", ["", "*", "https://a.example", "a.example:80", "a b", "a/b"])
def test_what_is_no_name_is_refused(name: str):
    with pytest.raises(UserError, match="no host name"):
        ServedSite.of("127.0.0.1", 80, [name])


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *((host, True) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost")),
        *((host, False) for host in ("0.0.0.0", "::", "192.168.7.5", "box.lan")),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, loopback: bool):
    assert is_loopback(host) is loopback
