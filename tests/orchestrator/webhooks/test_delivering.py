"""Deliveries on a real database to real sockets: nothing lost, nothing twice without the same id, nobody delayed."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from orchestrator.webhooks.addresses import read_networks
from orchestrator.webhooks.delivering import PAUSES_S, WebhookDeliverer, judge, retry_in_s
from orchestrator.webhooks.sending import MOST_BYTES, DeliveryReceipt, MessageSender
from orchestrator.webhooks.signing import new_secret, sign
from shared.models.webhooks import SUBSCRIBABLE, DeliveryState, WebhookEvent
from shared.store.database import Database
from shared.store.outbox import announce_runs
from shared.store.webhooks import (
    LEASE_S,
    DeliveryAttempt,
    DeliveryClaim,
    WebhookDelivery,
    add_webhook,
    claim_delivery,
    due_webhooks,
    end_attempt,
    enter_test,
    forget_deliveries,
    list_deliveries,
    list_webhooks,
    redeliver,
    resume_webhook,
)
from tests.support.runs import execute, new_run
from tests.support.webhook_receiver import always, receiver

pytestmark = pytest.mark.component

SENDER = MessageSender(read_networks(["127.0.0.1"]))
SECRET = new_secret()


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC) + timedelta(seconds=1)

    def __call__(self) -> datetime:
        return self.now

    def tick(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def add(database: Database, url: str, name: str = "ci") -> None:
    database.run(partial(add_webhook, name=name, url=url, secret=SECRET, events=SUBSCRIBABLE))


def report(database: Database, runs: int = 1) -> list[str]:
    names = [new_run(database, "a") for _ in range(runs)]
    database.run(partial(announce_runs, runs=names), atomic=True)
    return names


def deliveries(database: Database) -> list[WebhookDelivery]:
    return database.run(partial(list_deliveries, limit=1000))


def only(database: Database) -> WebhookDelivery:
    [delivery] = deliveries(database)
    return delivery


@contextmanager
def raw_receiver(answer: bytes, pause_s: float = 0.0) -> Iterator[str]:
    """Sends bytes one at a time, or all at once without a pause, to whoever connects."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(client,), daemon=True).start()

    def drip(client: socket.socket) -> None:
        with client:
            client.settimeout(5)
            try:
                client.recv(65536)
                pieces = [answer] if not pause_s else [bytes([each]) for each in answer]
                for piece in pieces:
                    client.sendall(piece)
                    if stop.wait(pause_s):
                        return
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_a_message_arrives_signed_and_is_delivered_once(database: Database) -> None:
    deliverer = WebhookDeliverer(database, SENDER)
    with receiver() as listening:
        add(database, listening.url)
        [run] = report(database)

        assert deliverer.deliver("ci")
        assert not deliverer.deliver("ci")

    [message] = listening.received
    body = message.body.decode()
    assert run in body
    assert message.headers["webhook-signature"] == sign(
        SECRET, message.id, int(message.headers["webhook-timestamp"]), body
    )
    assert only(database).state is DeliveryState.DELIVERED


def test_an_endpoint_that_answers_500_for_an_hour_gets_the_message_afterwards(
    database: Database,
) -> None:
    clock = Clock()
    deliverer = WebhookDeliverer(database, SENDER, now=clock)
    with receiver(always(500)) as listening:
        add(database, listening.url)
        report(database)
        began = clock.now
        while clock.now < began + timedelta(hours=1):
            deliverer.deliver("ci")
            clock.tick(20)
        attempts = len(listening.received)
        assert 4 <= attempts <= 7
        assert only(database).last_error == "answered 500"

        listening.answer = always(200)
        clock.tick(3_600)
        assert deliverer.deliver("ci")

    assert only(database).state is DeliveryState.DELIVERED
    assert len({message.id for message in listening.received}) == 1
    assert len({message.body for message in listening.received}) == 1


def test_after_a_day_a_message_is_given_up_listed_and_can_be_sent_again(database: Database) -> None:
    clock = Clock()
    deliverer = WebhookDeliverer(database, SENDER, now=clock)
    with receiver(always(503)) as listening:
        add(database, listening.url)
        report(database)
        began = clock.now
        while only(database).state is DeliveryState.PENDING:
            deliverer.deliver("ci")
            clock.tick(600)
        assert clock.now - began > timedelta(days=1)
        assert len(listening.received) == len(PAUSES_S) + 1
        [webhook] = database.run(list_webhooks)
        assert (webhook.waiting, webhook.dead) == (0, 1)

        listening.answer = always(204)
        assert database.run(partial(redeliver, webhook="ci")) == 1
        assert deliverer.deliver("ci")

    assert only(database).state is DeliveryState.DELIVERED
    assert len({message.id for message in listening.received}) == 1


def test_410_disables_the_webhook_and_keeps_what_waits(database: Database) -> None:
    deliverer = WebhookDeliverer(database, SENDER)
    with receiver(always(410)) as listening:
        add(database, listening.url)
        report(database, 2)
        deliverer.deliver("ci")

        assert not deliverer.deliver("ci")
        [webhook] = database.run(list_webhooks)
        assert webhook.disabled_reason == "the receiver answered 410 Gone"
        report(database)
        assert len(deliveries(database)) == 2

        listening.answer = always(200)
        assert database.run(partial(resume_webhook, name="ci"), atomic=True) == 2
        assert deliverer.deliver("ci")
        assert deliverer.deliver("ci")
    assert {each.state for each in deliveries(database)} == {DeliveryState.DELIVERED}


def test_a_process_that_dies_in_the_middle_is_followed_by_another_with_the_same_id(
    database: Database,
) -> None:
    clock = Clock()
    add(database, "http://127.0.0.1:9/")
    report(database)
    dead = database.run(partial(claim_delivery, webhook="ci", now=clock.now))
    assert dead is not None

    assert database.run(partial(claim_delivery, webhook="ci", now=clock.now)) is None
    clock.tick(LEASE_S + 1)
    heir = database.run(partial(claim_delivery, webhook="ci", now=clock.now))
    assert heir is not None
    assert (heir.id, heir.token) == (dead.id, dead.token + 1)
    late = DeliveryAttempt(True, 200, None)
    assert not database.run(partial(end_attempt, claim=dead, attempt=late))
    assert database.run(partial(end_attempt, claim=heir, attempt=late))


def test_several_orchestrators_send_each_message_once(database: Database) -> None:
    deliverers = [WebhookDeliverer(database, SENDER) for _ in range(3)]
    with receiver() as listening:
        add(database, listening.url)
        report(database, 40)

        def drain(deliverer: WebhookDeliverer) -> None:
            while deliverer.deliver("ci"):
                pass

        threads = [threading.Thread(target=drain, args=(each,)) for each in deliverers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert set(Counter(message.id for message in listening.received).values()) == {1}
    assert len(listening.received) == 40


def test_a_receiver_that_hangs_delays_no_other(database: Database) -> None:
    held = threading.Event()

    def hang(_: object) -> tuple[int, dict[str, str]]:
        held.wait(30)
        return 200, {}

    deliverer = WebhookDeliverer(database, SENDER)
    with receiver(hang) as slow, receiver() as quick:
        add(database, slow.url, "slow")
        add(database, quick.url, "quick")
        report(database, 20)
        deliverer.poll()
        deadline = time.monotonic() + 20
        while len(quick.received) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(quick.received) == 20
        assert len(slow.received) <= 4
        deliverer.stop()
        held.set()


def test_redirects_are_not_followed(database: Database) -> None:
    with receiver() as inside, receiver(always(302, location=inside.url)) as listening:
        add(database, listening.url)
        report(database)
        WebhookDeliverer(database, SENDER).deliver("ci")

    assert inside.received == []
    assert only(database).last_error == "answered 302: redirects are not followed"


def test_the_address_that_was_checked_is_connected_to_whatever_the_name_means_later(
    database: Database,
) -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"]]
    sender = MessageSender(SENDER.allowed, resolver=lambda *_: answers.pop(0))
    with receiver() as listening:
        add(database, f"http://hooks.example.com:{listening.port}/")
        report(database)
        WebhookDeliverer(database, sender).deliver("ci")

    assert [message.headers["host"] for message in listening.received] == [
        f"hooks.example.com:{listening.port}"
    ]
    assert len(answers) == 1


def test_nothing_is_sent_to_an_address_that_became_private(database: Database) -> None:
    with receiver() as listening:
        add(database, listening.url)
        report(database)
        WebhookDeliverer(database, MessageSender()).deliver("ci")

    assert listening.received == []
    assert "not a public address" in (only(database).last_error or "")


def test_a_receiver_that_drips_is_left_in_time(database: Database) -> None:
    sender = MessageSender(SENDER.allowed, longest_s=0.5)
    with raw_receiver(b"HTTP/1.1 200 OK\r\n" + b"x-a: b\r\n" * 500, pause_s=0.05) as url:
        add(database, url)
        report(database)
        WebhookDeliverer(database, sender).deliver("ci")

    assert only(database).last_error == "no answer within 0.5 s"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * (2 * MOST_BYTES),
        b"HTTP/1.1 999999 OK\r\n\r\n",
    ],
)
def test_an_answer_that_is_none_is_a_failure_that_is_tried_again(
    database: Database, answer: bytes
) -> None:
    with raw_receiver(answer) as url:
        add(database, url)
        report(database)
        WebhookDeliverer(database, SENDER).deliver("ci")

    delivery = only(database)
    assert delivery.state is DeliveryState.PENDING
    assert delivery.last_error


def test_a_refused_connection_is_a_failure_that_is_tried_again(database: Database) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    add(database, f"http://127.0.0.1:{port}/")
    report(database)
    WebhookDeliverer(database, SENDER).deliver("ci")

    assert only(database).state is DeliveryState.PENDING
    assert "refused" in (only(database).last_error or "")


def test_a_test_message_is_tried_once(database: Database) -> None:
    with receiver(always(500)) as listening:
        add(database, listening.url)
        database.run(partial(enter_test, name="ci"))
        WebhookDeliverer(database, SENDER).deliver("ci")

    assert only(database).state is DeliveryState.DEAD


def test_what_was_delivered_long_ago_is_forgotten(database: Database) -> None:
    add(database, "http://127.0.0.1:9/")
    report(database, 3)
    execute(
        database,
        "UPDATE webhook_deliveries SET ended_at = now() - interval '8 days', state = CASE "
        "WHEN id = (SELECT min(id) FROM webhook_deliveries) THEN 'dead' ELSE 'delivered' END",
    )

    assert database.run(forget_deliveries) == 2
    assert only(database).state is DeliveryState.DEAD


def test_nothing_is_due_for_a_webhook_without_messages(database: Database) -> None:
    add(database, "http://127.0.0.1:9/")

    assert database.run(due_webhooks) == []


def test_pauses_grow_are_spread_and_end_after_a_day() -> None:
    assert sum(PAUSES_S) * 0.9 > 24 * 3_600
    assert list(PAUSES_S) == sorted(PAUSES_S)
    assert retry_in_s(1, 0.0) == pytest.approx(4.0)
    assert retry_in_s(1, 0.999) == pytest.approx(6.0, abs=0.01)
    assert retry_in_s(len(PAUSES_S), 0.5) == PAUSES_S[-1]
    assert retry_in_s(len(PAUSES_S) + 1, 0.5) is None


def test_a_receiver_may_ask_for_a_longer_pause_but_not_for_ever() -> None:
    claim = DeliveryClaim("m", "ci", WebhookEvent.RUN_FINISHED, "", "", "{}", 1, 1)

    assert judge(claim, DeliveryReceipt(429, "answered 429", 120), 0.5).retry_in_s == 120
    assert judge(claim, DeliveryReceipt(429, "answered 429", 1e9), 0.5).retry_in_s == PAUSES_S[-1]
