"""What lived long and died in a circle goes, in a process that stays and in what it forks."""

from __future__ import annotations

import subprocess
import sys

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


def test_old_garbage_goes_in_time_here_and_in_children() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
