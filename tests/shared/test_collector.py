"""What lived long and died in a circle goes, in a process that stays and in what it forks."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import gc, os, time, weakref
from shared import collector

class Node:
    pass

def is_collected():
    node = Node()
    node.itself, seen = node, weakref.ref(node)
    gc.collect()  # it is old now: no look at what is young finds it
    del node
    end = time.monotonic() + 20
    while seen() is not None and time.monotonic() < end:
        time.sleep(0.01)
    return seen() is None

collector.WHOLE_EVERY_S = 0.05
collector.spare_the_collector()
assert is_collected()
child = os.fork()
if child == 0:
    os._exit(0 if is_collected() else 1)
assert os.waitpid(child, 0)[1] == 0
"""


FREED = """
import gc, os, time
from shared import collector

def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

blocks = [bytearray(3000) for _ in range(20_000)]
stay = blocks[::50]
del blocks
gc.collect()
freed_mb = resident_mb()
collector.WHOLE_EVERY_S = 0.05
collector.spare_the_collector()
end = time.monotonic() + 20
while resident_mb() > freed_mb - 40 and time.monotonic() < end:
    time.sleep(0.01)
assert resident_mb() <= freed_mb - 40, (freed_mb, resident_mb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked to give back")
def test_what_was_freed_between_things_that_stay_is_given_back() -> None:
    _run(FREED)


def test_old_garbage_goes_in_time_here_and_in_children() -> None:
    _run(SCRIPT)


def _run(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
