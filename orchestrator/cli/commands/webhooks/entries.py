"""What `quorate webhooks` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from orchestrator.application import webhooks
from orchestrator.application.backend import connected
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.reader import sentence_line
from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.webhooks import DeliveryState, WebhookEvent
from shared.sentences import Sentence
from shared.store.webhooks import Webhook, WebhookDelivery


def run_add(
    url: str,
    name: str | None,
    events: Sequence[str],
    environ: Mapping[str, str],
    *,
    as_json: bool,
) -> int:
    """Enter a webhook; the secret goes to standard output, once."""
    with connected(environ) as backend:
        chosen, secret = webhooks.add(backend, url, name, [WebhookEvent(each) for each in events])
    terminal = Terminal.of(environ)
    if as_json:
        added = {"name": chosen, "secret": secret}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "webhook": added}))
        return ExitCode.OK
    terminal.result([line(secret)])
    terminal.talk(
        [
            sentence_line(
                Sentence(
                    "{name} is added. The line above is its secret: it is not shown again.",
                    name=chosen,
                ),
                environ,
            ),
            sentence_line(
                Sentence("Try it with `quorate webhooks test {name}`.", name=chosen), environ
            ),
        ]
    )
    return ExitCode.OK


def run_list(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the webhooks; the exit code."""
    with connected(environ, workers=False) as backend:
        listed = webhooks.webhooks(backend)
    return show_list(WEBHOOKS, listed, environ, as_json=as_json)


def run_rm(name: str, environ: Mapping[str, str]) -> int:
    """Forget a webhook; the exit code."""
    with connected(environ, workers=False) as backend:
        webhooks.remove(backend, name)
    Terminal.of(environ).result([sentence_line(Sentence("{name} is removed", name=name), environ)])
    return ExitCode.OK


def run_resume(name: str, environ: Mapping[str, str]) -> int:
    """Let a disabled webhook go on; the exit code."""
    with connected(environ) as backend:
        waiting = webhooks.resume(backend, name)
    text = Sentence("{name} goes on; {n} messages wait for it", name=name, n=waiting)
    Terminal.of(environ).result([sentence_line(text, environ)])
    return ExitCode.OK


def run_test(name: str, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Send a test message; the exit code."""
    with connected(environ) as backend:
        delivery = webhooks.send_test(backend, name)
    terminal = Terminal.of(environ)
    delivered = delivery.state is DeliveryState.DELIVERED
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "delivery": asdict(delivery)}))
    else:
        text = Sentence("{id} was taken", id=delivery.id)
        if not delivered:
            why = delivery.last_error
            text = Sentence("{id} was not taken: {why}", id=delivery.id, why=why)
        terminal.result([sentence_line(text, environ)])
    return ExitCode.OK if delivered else ExitCode.UNREACHABLE


def run_deliveries(
    name: str | None,
    state: str | None,
    limit: int,
    environ: Mapping[str, str],
    *,
    as_json: bool,
) -> int:
    """Print the newest deliveries; the exit code."""
    wanted = None if state is None else DeliveryState(state)
    with connected(environ, workers=False) as backend:
        listed = webhooks.deliveries(backend, name, wanted, limit)
    return show_list(DELIVERIES, listed, environ, as_json=as_json)


def run_redeliver(messages: Sequence[str], dead: str | None, environ: Mapping[str, str]) -> int:
    """Send messages again; the exit code."""
    with connected(environ) as backend:
        count = webhooks.send_again(backend, messages, dead)
    Terminal.of(environ).result(
        [sentence_line(Sentence("{n} messages are sent again", n=count), environ)]
    )
    return ExitCode.OK


def _row(webhook: Webhook, words: Translator) -> tuple[str, ...]:
    state = Sentence("on")
    if webhook.disabled_at is not None:
        state = Sentence("disabled: {why}", why=webhook.disabled_reason)
    return (
        webhook.name,
        words.sentence(state),
        str(webhook.waiting),
        str(webhook.dead),
        ", ".join(webhook.events),
        webhook.url,
    )


def _delivery_row(delivery: WebhookDelivery, words: Translator) -> tuple[str, ...]:
    note = delivery.last_error or ""
    if delivery.state is DeliveryState.PENDING and delivery.attempts:
        again = Sentence("{why}; next attempt {at}", why=note, at=_moment(delivery.due_at))
        note = words.sentence(again)
    return (
        delivery.id,
        delivery.webhook,
        delivery.event,
        _moment(delivery.created_at),
        words.message(f"delivery_{delivery.state}"),
        str(delivery.attempts),
        note,
    )


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


WEBHOOKS = Listing(
    "webhooks",
    ("webhook", "state", "waiting", "dead", "events", "url"),
    _row,
    Sentence("There is no webhook: `quorate webhooks add` makes one."),
    spare=(4, 5),
)
DELIVERIES = Listing(
    "deliveries",
    ("message", "webhook", "event", "entered", "state", "attempts", "note"),
    _delivery_row,
    Sentence("There is no such delivery."),
    spare=(6,),
)
