"""Nothing is sent to an address inside, however it is spelled."""

import socket

import pytest

from orchestrator.presentation.locale.translator import Translator
from orchestrator.webhooks.addresses import RefusedAddress, addresses_of, read_networks, read_url
from shared.errors import UserError


def spelled(host: str, port: int) -> list[str]:
    """What a resolver makes of addresses; the tests' own tripwire keeps all but loopback from the real one."""
    if host == "localhost" or ":" in host:
        return ["127.0.0.1" if host == "localhost" else host]
    return [socket.inet_ntoa(socket.inet_aton(host))]


def test_a_name_with_one_address_inside_is_refused_as_a_whole() -> None:
    with pytest.raises(RefusedAddress, match="is not a public address"):
        addresses_of(
            read_url("https://rebind.example.com/"), (), lambda *_: ["1.1.1.1", "127.0.0.1"]
        )


def test_the_real_resolver_is_asked_unless_another_is_given() -> None:
    allowed = read_networks(["127.0.0.0/8", "::1"])

    assert set(addresses_of(read_url("http://localhost/"), allowed)) <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "172.16.5.4",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "2130706433",
        "0x7f.1",
        "127.1",
        "[::1]",
        "[::]",
        "[fe80::1]",
        "[fc00::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[ff02::1]",
    ],
)
def test_addresses_inside_are_refused(host: str) -> None:
    with pytest.raises(RefusedAddress):
        addresses_of(read_url(f"https://{host}/hook"), (), spelled)


def test_a_public_address_is_taken_by_https_only() -> None:
    assert addresses_of(read_url("https://1.1.1.1/"), (), spelled) == ["1.1.1.1"]
    with pytest.raises(RefusedAddress, match="https"):
        addresses_of(read_url("http://1.1.1.1/"), (), spelled)


def test_the_configuration_allows_a_network_and_nothing_beside_it() -> None:
    allowed = read_networks(["127.0.0.0/30"])

    assert addresses_of(read_url("http://127.0.0.1:8000/"), allowed) == ["127.0.0.1"]
    with pytest.raises(RefusedAddress, match="QUORATE_WEBHOOK_NETWORKS"):
        addresses_of(read_url("http://127.0.0.9:8000/"), allowed)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "https://example.com:99999/",
        "https://example.com/#part",
        "https://example.com/a b",
        "https://example.com/\r\nx: y",
        "https://[::1/",
        "https://example.com/" + "a" * 2_000,
    ],
)
def test_what_is_no_url_of_a_webhook_is_refused(url: str) -> None:
    with pytest.raises(UserError):
        read_url(url)


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(UserError, match="password") as refusal:
        read_url("https://me:geheim@example.com/")
    assert "geheim" not in str(refusal.value)


def test_the_parts_of_a_url_are_kept() -> None:
    url = read_url("https://Hooks.Example.com:8443/a%20b?c=d")

    assert (url.host, url.port, url.path) == ("hooks.example.com", 8443, "/a%20b?c=d")


def test_why_an_address_is_refused_is_told_in_korean() -> None:
    with pytest.raises(RefusedAddress) as refusal:
        addresses_of(read_url("https://localhost/"), (), spelled)

    assert "공개 주소가 아닙니다" in Translator("ko").sentence(refusal.value.args[0])
