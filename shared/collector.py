"""Python's collector of garbage in processes that stay."""

from __future__ import annotations

import gc

COLLECTED_EVERY = 20_000
"""New objects between two looks. Python's 700 make it look several times a turn, in vain; a command's 200,000 let a
process that stays hold tens of megabytes of garbage."""


def spare_the_collector() -> None:
    """Take what was imported out of the collector's sight: it stays until the end, in children too."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_EVERY, 20, 20)
