"""`quorate keys`: keys in the operating system's keyring."""

from __future__ import annotations

import getpass
import sys

import click

from orchestrator.cli.options import example, json_option
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import clean
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from shared.errors import UserError
from shared.patterns import regex
from shared.providers.key_store import remove_key, stored_names, write_key
from shared.providers.written_keys import looks_like_a_key
from shared.sentences import Sentence

_NAME = regex(r"[\w.@-]{1,64}")
_LONGEST_KEY = 16_384


@click.group(epilog=example("quorate keys set claude", "quorate keys list"))
def keys() -> None:
    """Keep providers' keys in this desktop's keyring instead of in variables or files.

    An entry under `providers:` takes one with `api_key_keyring: NAME`. Needs the extra `keyring`.
    """


@keys.command(
    "set", epilog=example("quorate keys set claude", "pass show claude | quorate keys set claude")
)
@click.argument("name", metavar="NAME")
def set_(name: str) -> int:
    """Store a key, typed without echo at the terminal or read from standard input. It is never shown again."""
    _check(name)
    write_key(name, _read_key(name))
    _say(
        Sentence(
            "Stored. `api_key_keyring: {name}` under `providers:` takes it; running workers see it within a minute.",
            name=name,
        )
    )
    return 0


@keys.command("list", epilog=example("quorate keys list"))
@json_option
def list_(as_json: bool) -> int:
    """The names of the stored keys, never the keys."""
    names = stored_names()
    if as_json:
        listed = [{"name": name} for name in names]
        sys.stdout.write(dumps({"schema_version": SCHEMA_VERSION, "keys": listed}) + "\n")
        return 0
    sys.stdout.write("".join(f"{clean(name)}\n" for name in names))
    if not names:
        _say(Sentence("No key is stored: `quorate keys set NAME`."))
    return 0


@keys.command("rm", epilog=example("quorate keys rm claude"))
@click.argument("name", metavar="NAME")
def remove(name: str) -> int:
    """Forget a stored key."""
    _check(name)
    if not remove_key(name):
        known = ", ".join(stored_names()) or "none"
        raise UserError(
            "There is no stored key '{name}' (stored: {known}).", name=name, known=known
        )
    _say(Sentence("Forgotten; running workers may hold it for another minute."))
    return 0


def _say(sentence: Sentence) -> None:
    sys.stderr.write(f"{words_in().sentence(sentence)}\n")


def _check(name: str) -> None:
    # What is no name may be a key that was typed in its place: it is not repeated.
    if not _NAME.fullmatch(name):
        raise UserError("A key's name has up to 64 letters, digits, '.', '_', '@' and '-'.")
    if looks_like_a_key(name):
        raise UserError(
            "That looks like a key, and the command line is no place for one: other users see it, and your shell "
            "remembers it. Give a name; you will be asked for the key."
        )


def _read_key(name: str) -> str:
    if sys.stdin.isatty():
        prompt = words_in().sentence(Sentence("Key for {name} (not shown): ", name=name))
        key = getpass.getpass(prompt, stream=sys.stderr)
    else:
        key = sys.stdin.read(_LONGEST_KEY + 1)
    key = key.strip()
    if not key:
        raise UserError("No key was given: type it, or pipe it into standard input.")
    if len(key) > _LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise UserError(
            "That is not a key: it has blanks, line breaks or non-ASCII characters, or is too long."
        )
    return key
