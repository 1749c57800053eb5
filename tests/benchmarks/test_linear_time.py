"""Every reader of strangers' texts takes time and memory in proportion to their length, whatever they say.

`python -m benchmarks.parsers` tries all hostile texts with all readers and prints figures; here each reader gets every
fifth, another fifth than the reader before it, and those that were once slow somewhere.
"""

from __future__ import annotations

import tracemalloc
from functools import partial

import pytest

from benchmarks.hostile_texts import hostile_texts
from benchmarks.parsers_table import READERS, SMALLER, read_quietly
from tests.support.linear import assert_linear, processor_s

SIZE = 12_000
SHARE = 5
# Measured: 0.15 s at most, and 300 bytes a character.
SUSPICIOUS_S = 0.25
BYTES_A_CHARACTER = 1_500
ONCE_SLOW = frozenset(
    {
        "'' '\\\\\"'",
        "'' '_'",
        "'' '0'",
        "'' ' '",
        "'' 'a.'",
        "'' '{\"'",
        "words that all differ",
        "prose",
    }
)
TEXTS = list(hostile_texts(("",)))
NAMES = list(READERS)


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_takes_linear_time(name: str) -> None:
    read = partial(read_quietly, READERS[name])
    size = SMALLER.get(name, SIZE)
    for number, (label, make) in enumerate(TEXTS):
        if number % SHARE != NAMES.index(name) % SHARE and label not in ONCE_SLOW:
            continue
        if processor_s(partial(read, make(size))) > SUSPICIOUS_S:
            assert_linear(read, make, most=4 * size)


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_takes_linear_memory(name: str) -> None:
    size = SMALLER.get(name, SIZE) // 2
    for label, make in TEXTS:
        if label in ONCE_SLOW:
            text = make(size)
            tracemalloc.start()
            read_quietly(READERS[name], text)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < BYTES_A_CHARACTER * size + 2_000_000, label
