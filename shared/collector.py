"""Python's collector of garbage in processes that stay."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time

COLLECTED_EVERY = 20_000
"""New objects between two looks. Python's 700 make it look several times a turn, in vain; a command's 200,000 let a
process that stays hold tens of megabytes of garbage."""
WHOLE_EVERY_S = 60.0
"""How often everything is looked at. What lived long dies in circles, too: a broken connection with its error and the
frames that saw it is half a megabyte, and Python would look for it after eight million new objects. What many threads
have freed between things that stay is given back to the system then; the C library would keep it.
"""


def spare_the_collector() -> None:
    """Take what was imported out of the collector's sight: it stays until the end, in children too.

    The rest is looked at as a whole once a minute, here and in children that are forked.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_EVERY, 20, 20)
    os.register_at_fork(after_in_child=_collect_regularly)
    _collect_regularly()


def _collect_regularly() -> None:
    threading.Thread(target=_collect_for_ever, name="collector", daemon=True).start()


def _collect_for_ever() -> None:
    # glibc has it, other C libraries do not.
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    while True:
        time.sleep(WHOLE_EVERY_S)
        gc.collect()
        if give_back is not None:
            give_back(0)
