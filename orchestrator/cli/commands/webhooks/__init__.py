"""`quorate webhooks`: what happened is reported to other systems."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option
from shared.models.webhooks import SUBSCRIBABLE, DeliveryState
from shared.sentences import Sentence

ADD = "quorate webhooks add https://ci.example.com/hooks/quorate"
name_argument = click.argument("name", metavar="NAME")


@click.group(
    epilog=example(
        ADD, "quorate webhooks test ci.example.com", "quorate webhooks deliveries --state dead"
    )
)
def webhooks() -> None:
    """Report what happened to other systems: runs that finish, decisions that wait or are answered, finished batches.

    Messages are signed, and sent again for a day until the receiver has taken them (`quorate docs webhooks`).
    """


@webhooks.command(
    "add", epilog=example(ADD, f"{ADD} --name ci --event run.finished --event decision.asked")
)
@click.argument("url", metavar="URL")
@click.option("--name", metavar="NAME", help="What it is called (the URL's host).")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice([event.value for event in SUBSCRIBABLE]),
    help="Report this; can be given more than once (everything).",
)
@json_option
def add(url: str, name: str | None, events: tuple[str, ...], as_json: bool) -> int:
    """Report to URL from now on, and print the secret that signs the messages. It is never shown again.

    URL is https:// at a public address; QUORATE_WEBHOOK_NETWORKS allows private networks, and http:// there. Exit
    code 2 for another URL, and for a name that is taken.
    """
    from orchestrator.cli.commands.webhooks.entries import run_add

    return run_add(url, name, events, os.environ, as_json=as_json)


@webhooks.command("list", epilog=example("quorate webhooks list --json"))
@json_option
def list_(as_json: bool) -> int:
    """The webhooks, what they report, and how much waits for them."""
    from orchestrator.cli.commands.webhooks.entries import run_list

    return run_list(os.environ, as_json=as_json)


@webhooks.command("rm", epilog=example("quorate webhooks rm ci.example.com"))
@name_argument
def rm(name: str) -> int:
    """Forget a webhook, its secret and its deliveries."""
    from orchestrator.cli.commands.webhooks.entries import run_rm

    return run_rm(name, os.environ)


@webhooks.command("resume", epilog=example("quorate webhooks resume ci.example.com"))
@name_argument
def resume(name: str) -> int:
    """Let a webhook go on that was disabled because its receiver answered 410 Gone."""
    from orchestrator.cli.commands.webhooks.entries import run_resume

    return run_resume(name, os.environ)


@webhooks.command("test", epilog=example("quorate webhooks test ci.example.com"))
@name_argument
@json_option
def test(name: str, as_json: bool) -> int:
    """Send a test message as all messages are sent, once, and say what the receiver answered.

    Exit code 5 when the receiver did not take it, or no orchestrator runs that sends it.
    """
    from orchestrator.cli.commands.webhooks.entries import run_test

    return run_test(name, os.environ, as_json=as_json)


@webhooks.command(
    "deliveries",
    epilog=example(
        "quorate webhooks deliveries ci.example.com", "quorate webhooks deliveries --state dead"
    ),
)
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--state", type=click.Choice([state.value for state in DeliveryState]), help="Only these."
)
@click.option(
    "-n", "limit", type=click.IntRange(1, 1000), default=20, metavar="N", help="How many (20)."
)
@json_option
def deliveries(name: str | None, state: str | None, limit: int, as_json: bool) -> int:
    """The newest messages, and what came of them; with --json their text, too."""
    from orchestrator.cli.commands.webhooks.entries import run_deliveries

    return run_deliveries(name, state, limit, os.environ, as_json=as_json)


@webhooks.command(
    "redeliver",
    epilog=example(
        "quorate webhooks redeliver msg_3f0c…", "quorate webhooks redeliver --dead ci.example.com"
    ),
)
@click.argument("messages", metavar="[MESSAGE]...", nargs=-1)
@click.option("--dead", metavar="NAME", help="All messages that this webhook gave up.")
def redeliver(messages: tuple[str, ...], dead: str | None) -> int:
    """Send messages again, with the ids that they had."""
    from orchestrator.cli.commands.webhooks.entries import run_redeliver

    if not messages and dead is None:
        raise click.UsageError(Sentence("name messages, or a webhook with --dead"))
    return run_redeliver(messages, dead, os.environ)
