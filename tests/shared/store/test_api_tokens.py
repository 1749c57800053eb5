"""Tokens of the HTTP service as rows: found by their hash while they are valid."""

import pytest

from shared.models.roles import Role
from shared.store.api_tokens import (
    add_api_token,
    find_api_token,
    list_api_tokens,
    remove_api_token,
)
from shared.store.database import Database
from tests.support.runs import execute

pytestmark = pytest.mark.component


def test_a_token_is_found_until_it_is_removed(database: Database):
    with database.transaction() as connection:
        assert add_api_token(connection, "ci", "f" * 64, Role.SUBMITTER, None)
        assert not add_api_token(connection, "ci", "e" * 64, Role.VIEWER, None)
        assert find_api_token(connection, "e" * 64) is None
        found = find_api_token(connection, "f" * 64)
        assert found is not None
        assert (found.name, found.role, found.expired) == ("ci", Role.SUBMITTER, False)
        assert list_api_tokens(connection)[0].last_used_at is not None
        assert remove_api_token(connection, "ci")
        assert not remove_api_token(connection, "ci")
        assert find_api_token(connection, "f" * 64) is None


def test_an_expired_token_is_listed_and_not_found(database: Database):
    with database.transaction() as connection:
        add_api_token(connection, "ci", "f" * 64, Role.VIEWER, 3600.0)
        assert find_api_token(connection, "f" * 64) is not None
    execute(database, "UPDATE api_tokens SET expires_at = now()")
    with database.transaction() as connection:
        assert find_api_token(connection, "f" * 64) is None
        assert [token.expired for token in list_api_tokens(connection)] == [True]


def test_a_use_is_written_once_a_minute(database: Database):
    with database.transaction() as connection:
        add_api_token(connection, "ci", "f" * 64, Role.VIEWER, None)
        find_api_token(connection, "f" * 64)
    for age, renewed in ((30, False), (90, True)):
        execute(database, "UPDATE api_tokens SET last_used_at = now() - %s * interval '1 s'", age)
        before = database.run(list_api_tokens)[0].last_used_at
        database.run(lambda connection: find_api_token(connection, "f" * 64))
        assert (database.run(list_api_tokens)[0].last_used_at != before) is renewed
