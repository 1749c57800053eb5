"""`quorate tokens`: made, listed, withdrawn."""

import json

import pytest

from shared.instance import Endpoints
from tests.fixtures.instance import CommandLine, make_command_line

pytestmark = pytest.mark.acceptance


@pytest.fixture
def quorate(servers: Endpoints, database_url: str, tmp_path) -> CommandLine:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return make_command_line(tmp_path, **urls)


def test_a_token_is_printed_once_and_listed_without_it(quorate: CommandLine):
    added = quorate("tokens", "add", "ci", "--role", "submitter", "--expires", "90d")
    token = added.stdout.strip()
    listed = quorate("tokens", "list", "--json")
    (row,) = json.loads(listed.stdout)["tokens"]
    assert (added.returncode, token[:4], len(token)) == (0, "qrt_", 47)
    assert (row["name"], row["role"], row["expired"]) == ("ci", "submitter", False)
    assert row["expires_at"] is not None
    assert token not in listed.stdout + added.stderr
    assert "never" in quorate("tokens", "list").stdout
    assert quorate("tokens", "rm", "ci").returncode == 0
    assert json.loads(quorate("tokens", "list", "--json").stdout)["tokens"] == []


@pytest.mark.parametrize(
    "typed",
    [
        ("add", "a b", "--role", "viewer"),
        ("add", "ci", "--role", "king"),
        ("add", "ci"),
        ("add", "ci", "--role", "viewer", "--expires", "soon"),
        ("rm", "nobody"),
    ],
)
def test_what_makes_no_token_is_refused(quorate: CommandLine, typed: tuple[str, ...]):
    refused = quorate("tokens", *typed)
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_name_is_given_once(quorate: CommandLine):
    again = [quorate("tokens", "add", "ci", "--role", "viewer") for _ in range(2)]
    assert [done.returncode for done in again] == [0, 2]
    assert "quorate tokens rm ci" in again[1].stderr


def test_without_tokens_nobody_else_is_served(quorate: CommandLine):
    refused = quorate("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "quorate tokens add" in refused.stderr
