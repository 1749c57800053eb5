"""A cache bounded by bytes: the least recently used values go first, and a text is worked on once."""

from __future__ import annotations

from shared.text.bounded_cache import BoundedCache, kept_by_texts


def test_what_was_used_least_recently_goes_first() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(10)
    cache.keep("a", b"aaaa", 4)
    cache.keep("b", b"bbbb", 4)
    assert cache.get("a") == b"aaaa"
    assert cache.keep("c", b"cccc", 4) == b"cccc"
    assert cache.get("b") is None
    assert (cache.get("a"), cache.get("c")) == (b"aaaa", b"cccc")


def test_a_value_that_is_too_large_is_given_back_and_drives_nothing_out() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(10)
    cache.keep("a", b"aaaa", 4)
    assert cache.keep("large", b"l" * 11, 11) == b"l" * 11
    assert cache.get("large") is None
    assert cache.get("a") == b"aaaa"


def test_what_was_kept_too_long_goes_with_the_next_that_is_kept() -> None:
    now, dropped = 0.0, list[bytes]()
    cache: BoundedCache[str, bytes] = BoundedCache(10, dropped.append, most_s=60, clock=lambda: now)
    cache.keep("a", b"a", 1)
    cache.keep("b", b"b", 1)
    now = 61
    cache.keep("c", b"c", 1)
    assert (dropped, cache.get("a"), cache.get("c")) == ([b"a", b"b"], None, b"c")
    for number in range(9):
        cache.keep(str(number), b"x", 1)
    assert cache.get("c") == b"c", "the room of what went is free again"


def test_keeping_a_value_twice_counts_it_once() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(10)
    for _ in range(5):
        cache.keep("a", b"aaaa", 4)
    cache.keep("b", b"bbbb", 4)
    assert cache.get("a") == b"aaaa"


def test_the_same_texts_are_worked_on_once() -> None:
    worked: list[tuple[str, str]] = []

    @kept_by_texts(100_000)
    def joined(text: str, other: str) -> str:
        worked.append((text, other))
        return f"{text}/{other}"

    answers = [joined("x", "1"), joined("x", "2"), joined("x", "1"), joined("y", "1")]
    assert answers == ["x/1", "x/2", "x/1", "y/1"]
    assert worked == [("x", "1"), ("x", "2"), ("y", "1")]


def test_long_texts_leave_room_for_few() -> None:
    worked: list[str] = []

    @kept_by_texts(10_000)
    def length(text: str) -> int:
        worked.append(text[0])
        return len(text)

    for letter in "abca":
        length(letter * 2_000)
    assert worked == ["a", "b", "c", "a"]
    length("c" * 2_000)
    assert worked == ["a", "b", "c", "a"]
