"""How far an answer has come: only while somebody watches, only its end, and never stored."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

import pytest
import redis

from shared.delivery.live import (
    EXPECTED_S,
    LONGEST_READ,
    LONGEST_TAIL,
    LOOK_EVERY_S,
    MOST_STEPS,
    REPORT_EVERY_S,
    WATCHED_RUNS,
    WATCHED_S,
    Listener,
    Live,
    Watcher,
)
from shared.instance import Endpoints
from shared.text.unfinished import ANEW, SoFar

STEP = "answer/a"


class Noted(Live):
    """Keeps what it is to report, and says that somebody listened."""

    def __init__(self, redis_url: str) -> None:
        super().__init__(redis_url)
        self.told: list[SoFar] = []

    def report(self, run: str, step: str, so_far: SoFar) -> bool:
        self.told.append(so_far)
        return True


@pytest.fixture
def live(servers: Endpoints) -> Iterator[Live]:
    speaking = Live(servers.redis_url)
    yield speaking
    speaking.close()


def watching(servers: Endpoints, run: str) -> Watcher:
    watcher = Watcher(servers.redis_url, run)
    assert watcher.look() == {}
    return watcher


def heard(watcher: Watcher, step: str = STEP) -> SoFar:
    """What was said about a step, once it is there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found: Mapping[str, SoFar] = watcher.look()
        if step in found:
            return found[step]
        time.sleep(0.01)
    raise AssertionError("nothing was heard")


def test_a_turn_streams_only_while_its_run_is_watched(servers: Endpoints, live: Live) -> None:
    assert live.listener("r-unwatched", STEP) is None
    watching(servers, "r-watched").close()
    assert live.listener("r-watched", STEP) is not None
    live.announce("r-announced")
    assert live.listener("r-announced", STEP) is not None


def test_one_look_serves_all_steps_that_were_asked_for_before_it(servers: Endpoints) -> None:
    live = Live(servers.redis_url, look_every_s=600.0)
    with redis.Redis.from_url(servers.redis_url) as client:
        assert live.listener("r-busy", STEP) is None
        before = client.info("commandstats")["cmdstat_zrevrange"]["calls"]
        live.announce("r-busy")
        assert [live.listener("r-busy", STEP, age_s=300.0) for _ in range(50)] == [None] * 50
        assert client.info("commandstats")["cmdstat_zrevrange"]["calls"] == before
    assert live.listener("r-busy", STEP) is not None, "asked for after the look"
    live.close()


def test_nobody_watches_for_longer_than_was_said(servers: Endpoints, live: Live) -> None:
    with redis.Redis.from_url(servers.redis_url) as client:
        client.zadd(WATCHED_RUNS, {"r-gone": client.time()[0]})
        assert live.listener("r-gone", STEP) is None
        live.announce("r-other")
        assert client.zscore(WATCHED_RUNS, "r-gone") is None


def test_the_watcher_sees_the_words_of_an_unfinished_reply(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r1")
    listener = live.listener("r1", STEP)
    assert listener is not None
    listener('{"answer": "Half an ans')
    assert heard(watcher) == SoFar(23, "Half an ans")
    watcher.close()


def test_a_piece_that_ends_within_a_character_is_said(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r-half")
    listener = live.listener("r-half", STEP)
    assert listener is not None
    listener("half \ud83d")
    assert heard(watcher) == SoFar(6, "half ?")
    watcher.close()


def test_what_is_said_is_bounded_and_stored_nowhere(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r2")
    listener = live.listener("r2", STEP)
    assert listener is not None
    listener("x" * 3 * LONGEST_TAIL)
    assert heard(watcher) == SoFar(3 * LONGEST_TAIL, "x" * LONGEST_TAIL)
    with redis.Redis.from_url(servers.redis_url) as client:
        assert [name for name in client.keys("quorate:*") if b"r2" in name] == []
        now, _ = client.time()
        assert 0 < (client.zscore(WATCHED_RUNS, "r2") or 0) - now <= WATCHED_S
        assert 0 < client.ttl(WATCHED_RUNS) <= EXPECTED_S
    watcher.close()


def test_who_comes_later_is_given_what_was_said_before(servers: Endpoints) -> None:
    live = Live(servers.redis_url, look_every_s=0.01)
    listener = live.listener("r6", STEP, always=True)
    assert listener is not None
    listener("Half ")
    watcher = watching(servers, "r6")
    deadline = time.monotonic() + 30
    while STEP not in watcher.look():
        listener("")  # nothing new: only time passes
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert watcher.look()[STEP] == SoFar(5, "Half")
    watcher.close()
    live.close()


def test_nothing_is_said_while_nobody_listens_and_few_looks_are_taken(servers: Endpoints) -> None:
    noted = Noted(servers.redis_url)
    with redis.Redis.from_url(servers.redis_url) as client:
        began = time.monotonic()
        before = client.info("commandstats").get("cmdstat_pubsub|channels", {"calls": 0})["calls"]
        listeners = [noted.listener("r7", f"answer/{n}", always=True) for n in range(50)]
        for listener in listeners:
            assert listener is not None
            for _ in range(100):
                listener("word ")
        after = client.info("commandstats")["cmdstat_pubsub|channels"]["calls"]
    assert noted.told == []
    took_s = time.monotonic() - began
    assert 1 <= after - before <= 2 + took_s / LOOK_EVERY_S  # for all turns of a process together
    noted.close()


def test_another_answer_takes_the_place_of_the_first(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r8")
    listener = live.listener("r8", STEP)
    assert listener is not None
    listener('{"answer": "no')
    assert heard(watcher).text == "no"
    listener(ANEW)
    listener('{"answer": "yes')
    deadline = time.monotonic() + 30
    while watcher.look()[STEP].text != "yes":
        listener("")
        assert time.monotonic() < deadline
        time.sleep(0.02)
    watcher.close()


def test_a_long_text_is_shown_to_its_end_and_its_lines_stand_still(servers: Endpoints) -> None:
    noted = Noted(servers.redis_url)
    told = noted.told
    listener = Listener(noted, "r9", STEP, heard=True)
    whole = "".join(f"{number:07} " for number in range(LONGEST_READ // 4))
    for at in range(0, len(whole), 100_000):
        listener(whole[at : at + 100_000])
        deadline = time.monotonic() + 30
        while told[-1].characters < at + 100_000:
            listener("")
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert told[-1].characters == len(whole)
    assert all(LONGEST_TAIL // 2 < len(one.text) <= LONGEST_TAIL for one in told)
    assert all(whole.index(one.text) % 1000 == 0 for one in told)
    noted.close()


def test_the_words_after_long_thoughts_are_shown_from_the_first_one_on() -> None:
    noted = Noted("redis://127.0.0.1:1/0")
    told = noted.told
    words = "".join(f"{number:07} " for number in range(312))
    Listener(noted, "r11", STEP, heard=True)(f"<think>{'x' * LONGEST_READ}</think>{words}")
    assert told[0].text == words
    noted.close()


def test_who_comes_late_to_a_long_text_sees_its_end(servers: Endpoints) -> None:
    class Late(Noted):
        def has_listeners(self, run: str) -> bool:
            return finished

    finished = False
    noted = Late(servers.redis_url)
    told = noted.told
    listener = Listener(noted, "r10", STEP)
    whole = "".join(f"{number:07} " for number in range(LONGEST_READ // 3))
    for at in range(0, len(whole), 1000):
        listener(whole[at : at + 1000])
    finished = True
    deadline = time.monotonic() + 30
    while not told:
        listener("")
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert told[0].characters == len(whole)
    assert whole.endswith(told[0].text)
    noted.close()


def test_turns_are_told_apart_and_the_latest_word_counts(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r3")
    live.report("r3", STEP, SoFar(1, "a"))
    live.report("r3", "answer/b", SoFar(1, "b"))
    live.report("r3", STEP, SoFar(2, "aa"))
    heard(watcher, "answer/b")
    deadline = time.monotonic() + 30
    while watcher.look().get(STEP) != SoFar(2, "aa"):
        assert time.monotonic() < deadline
    assert watcher.look() == {STEP: SoFar(2, "aa"), "answer/b": SoFar(1, "b")}
    watcher.close()


def test_many_small_pieces_are_few_reports(servers: Endpoints) -> None:
    noted = Noted(servers.redis_url)
    told = noted.told
    listener = Listener(noted, "r4", STEP, heard=True)
    began = time.monotonic()
    for piece in json.dumps({"answer": "word " * 200}):
        listener(piece)
    assert 1 <= len(told) <= 2 + (time.monotonic() - began) / REPORT_EVERY_S
    noted.close()


def test_a_message_that_is_none_of_ours_is_no_error(servers: Endpoints, live: Live) -> None:
    watcher = watching(servers, "r5")
    with redis.Redis.from_url(servers.redis_url) as client:
        for message in ("", "[]", "{}", '["a"]', '[1, "x", 2]', '["a", Infinity, "x"]'):
            client.publish("quorate:live:r5", message)
    live.report("r5", STEP, SoFar(1, "a"))
    assert heard(watcher) == SoFar(1, "a")
    assert watcher.look() == {STEP: SoFar(1, "a")}
    watcher.close()


def test_a_redis_that_is_away_only_spoils_the_picture() -> None:
    live = Live("redis://127.0.0.1:1/0")
    live.announce("r1")
    assert live.listener("r1", STEP) is None
    live.report("r1", STEP, SoFar(3, "abc"))
    live.close()
    watcher = Watcher("redis://127.0.0.1:1/0", "r1")
    assert watcher.look() == {}
    watcher.close()


@pytest.mark.parametrize(
    "message",
    [
        b"[" * 50_000,
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b"null",
        b'["s", 1]',
        b'["s", -1, "x"]',
        b'["s", "many", "x"]',
        b'["s", 1e999, "x"]',
        b'["s", %s, "x"]' % (b"9" * 5_000),
        b'["s", 1, {}]',
        b'["", 1, "x"]',
    ],
)
def test_what_others_publish_ends_no_watcher(servers: Endpoints, message: bytes) -> None:
    watcher = watching(servers, "hostile")
    with redis.Redis.from_url(servers.redis_url) as client:
        client.publish("quorate:live:hostile", message)
        seen: Mapping[str, SoFar] = {}
        end = time.monotonic() + 30
        while STEP not in seen and time.monotonic() < end:
            seen = watcher.look()
            client.publish("quorate:live:hostile", json.dumps([STEP, 5, "words"]))
    watcher.close()
    assert seen == {STEP: SoFar(5, "words")}


def test_a_watcher_keeps_no_more_steps_than_a_run_can_have(servers: Endpoints) -> None:
    watcher = watching(servers, "flooded")
    with redis.Redis.from_url(servers.redis_url) as client, client.pipeline() as pipeline:
        for number in range(MOST_STEPS + 100):
            pipeline.publish("quorate:live:flooded", json.dumps([f"s{number}", 1, "x"]))
        pipeline.execute()
    assert len(watcher.look()) <= MOST_STEPS
    watcher.close()
