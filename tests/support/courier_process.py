"""A courier in a process of its own, which a fault test kills: one tick.

python -m tests.support.courier_process DATABASE_URL
"""

from __future__ import annotations

import sys

from shared.store.database import Database
from tests.support.batched_turns import courier

if __name__ == "__main__":
    courier(Database(sys.argv[1], pool_size=2, patience_s=20)).tick()
