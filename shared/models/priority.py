"""Which messages go first: three priorities, higher first as in AMQP, and whose turn it is so that none starves."""

from __future__ import annotations

# First stages of runs that nobody waits for; their later stages; all of runs that somebody waits for.
ORDINARY, SOON, WATCHED = 0, 6, 9
PRIORITIES = (WATCHED, SOON, ORDINARY)

# In every so many takes, one asks the ordinary messages first, and one those that go soon.
TURN_EVERY = 8
_TURNS = {0: (ORDINARY, WATCHED, SOON), TURN_EVERY // 2: (SOON, WATCHED, ORDINARY)}


def order_of_take(number: int) -> tuple[int, ...]:
    """The priorities in the order in which a process's take of this number (from 1) asks for them."""
    return _TURNS.get(number % TURN_EVERY, PRIORITIES)


def priority_of(*, is_watched: bool, has_begun: bool) -> int:
    """The priority of a run's messages."""
    if is_watched:
        return WATCHED
    return SOON if has_begun else ORDINARY
