"""`quorate keys`: keys in the operating system's keyring."""

from __future__ import annotations

import click

from orchestrator.cli.options import example, json_option


@click.group(epilog=example("quorate keys set claude", "quorate keys list"))
def keys() -> None:
    """Hold providers' keys in the keyring of this desktop, instead of in variables or files.

    An entry under `providers:` takes one with `api_key_keyring: NAME`. Needs the extra `keyring`.
    """


@keys.command(
    "set", epilog=example("quorate keys set claude", "pass show claude | quorate keys set claude")
)
@click.argument("name", metavar="NAME")
def set_(name: str) -> int:
    """Store a key: typed unseen at the terminal, or read from standard input. It is never shown again."""
    from orchestrator.cli.keeping_keys import run_set

    return run_set(name)


@keys.command("list", epilog=example("quorate keys list"))
@json_option
def list_(as_json: bool) -> int:
    """The names of the stored keys, never the keys."""
    from orchestrator.cli.keeping_keys import run_list

    return run_list(as_json=as_json)


@keys.command("rm", epilog=example("quorate keys rm claude"))
@click.argument("name", metavar="NAME")
def remove(name: str) -> int:
    """Forget a stored key."""
    from orchestrator.cli.keeping_keys import run_remove

    return run_remove(name)
