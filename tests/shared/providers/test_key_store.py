"""Keys in the keyring: stored, listed and forgotten; a keyring that is locked, silent or absent says so."""

import time
from collections.abc import Callable

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from shared.errors import EnvironmentFault
from shared.providers.key_store import KeyPlace, read_key, remove_key, stored_names, write_key
from tests.support.file_keyring import FileKeyring, LockedKeyring, SilentKeyring

KEY = "sk-" + "canary0123456789abcdefABCDEF"
Use = Callable[[type], None]


def test_a_stored_key_is_read_listed_and_forgotten(use_keyring: Use):
    use_keyring(FileKeyring)
    assert stored_names() == ()
    write_key("claude", KEY)
    write_key("gpt", "other-key")
    assert stored_names() == ("claude", "gpt")
    assert read_key(KeyPlace.of("claude")) == KEY
    assert remove_key("claude")
    assert not remove_key("claude")
    assert stored_names() == ("gpt",)
    assert read_key(KeyPlace.of("claude")) is None


def test_an_entry_of_another_program_is_read_by_its_service(use_keyring: Use):
    use_keyring(FileKeyring)
    keyring.set_password("https://llm.example/v1", "me", KEY)
    assert read_key(KeyPlace.of("https://llm.example/v1/me")) == KEY


@pytest.mark.parametrize("told", ["", "/me", "service/", " "])
def test_half_a_place_is_refused(told: str):
    with pytest.raises(ValueError, match="SERVICE/USERNAME"):
        KeyPlace.of(told)


def test_a_list_of_names_that_somebody_broke_does_not_hide_the_keys(use_keyring: Use):
    use_keyring(FileKeyring)
    write_key("claude", KEY)
    keyring.set_password("quorate-names", "names", "{")
    assert stored_names() == ()
    assert read_key(KeyPlace.of("claude")) == KEY


def test_a_locked_keyring_says_so_and_repeats_no_key(use_keyring: Use):
    use_keyring(LockedKeyring)
    with pytest.raises(EnvironmentFault, match="unlock") as raised:
        read_key(KeyPlace.of("claude"))
    assert raised.value.exit_code == 5
    with pytest.raises(EnvironmentFault) as raised:
        write_key("claude", KEY)
    assert KEY not in repr(raised.value)
    assert raised.value.__cause__ is None


def test_a_machine_without_a_keyring_is_told_what_to_do_instead(use_keyring: Use):
    use_keyring(NoKeyring)
    with pytest.raises(EnvironmentFault, match="api_key_env"):
        read_key(KeyPlace.of("claude"))


def test_a_keyring_that_waits_for_somebody_holds_nobody_up(use_keyring: Use):
    use_keyring(SilentKeyring)
    started = time.monotonic()
    with pytest.raises(EnvironmentFault, match="did not answer"):
        read_key(KeyPlace.of("claude"), patience_s=0.2)
    assert time.monotonic() - started < 30
