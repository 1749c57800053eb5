"""A batch of the stand-in's reviews, and somebody who counts its items all the time."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping
from functools import partial
from uuid import uuid4

from orchestrator.engine.children import new_run_id
from shared.errors import EnvironmentFault
from shared.models.batches import ENDED, BatchLimits, ItemState
from shared.store.batch_items import NewItem, add_items, items_after
from shared.store.batches import count_items, create_batch, open_batch
from shared.store.database import Connection
from tests.chaos.cluster import Cluster
from tests.chaos.workload import make_spec

_numbers = itertools.count(1)
PORTION = 100


class StoredBatch:
    """Reviews that are submitted together; `seen` are the counts of every look."""

    def __init__(
        self, cluster: Cluster, count: int, *, rounds: int, at_once: int | None = None
    ) -> None:
        """Stores all of it, and opens it."""
        self.cluster = cluster
        self.total = count
        self.name = f"batch-{next(_numbers)}-{uuid4().hex[:6]}"
        self.seen: list[Mapping[ItemState, int]] = []
        self.wrong: list[Mapping[ItemState, int]] = []
        self._stop = threading.Event()
        self._counter = threading.Thread(target=self._count, daemon=True)
        self._store(rounds, BatchLimits(max_running=at_once))

    def _store(self, rounds: int, limits: BatchLimits) -> None:
        subject = self.cluster.subject
        spec = make_spec(subject, self.cluster.models.base_url, rounds=rounds)
        items = [
            NewItem(
                position=number,
                custom_id=f"c{number}",
                key=f"batch:{self.name}:{number}",
                run=new_run_id(),
                title=f"c{number}",
                root_task=str(uuid4()),
                spec=spec.model_copy(
                    update={"seed": f"{self.name}-{number}", "labels": {"batch": self.name}}
                ),
                body={},
            )
            for number in range(1, self.total + 1)
        ]

        def create(connection: Connection) -> None:
            create_batch(
                connection,
                name=self.name,
                source="-",
                fingerprint="-",
                total=self.total,
                limits=limits,
            )

        self.cluster.database.run(create, atomic=True)
        for first in range(0, self.total, PORTION):
            portion = items[first : first + PORTION]
            write = partial(add_items, batch=self.name, items=portion, documents=subject.documents)
            self.cluster.database.run(write, atomic=True)
        opened = self.cluster.database.run(lambda c: open_batch(c, self.name), atomic=True)
        assert opened

    @property
    def runs(self) -> list[str]:
        """The runs of its items."""
        rows = self.cluster.database.run(lambda c: items_after(c, self.name, 0, self.total))
        return [row.run for row in rows]

    def counts(self) -> Mapping[ItemState, int]:
        """How its items stand now."""
        return self.cluster.database.run(lambda c: count_items(c, [self.name]))[self.name]

    def watch(self) -> None:
        """Count from now on."""
        self._counter.start()

    def stop(self) -> None:
        """Count no more."""
        self._stop.set()
        self._counter.join()

    def _count(self) -> None:
        ended = 0
        while not self._stop.wait(0.1):
            try:
                counts = self.counts()
            except EnvironmentFault:
                continue
            now = sum(counts[state] for state in ENDED)
            if sum(counts.values()) != self.total or now < ended:
                self.wrong.append(counts)
            self.seen.append(counts)
            ended = now

    def drain(self, within_s: float) -> float:
        """Wait until every item has ended; how long that took."""
        began = time.monotonic()
        self.cluster.wait_for(
            lambda: sum(self.counts()[state] for state in ENDED) == self.total,
            f"the end of {self.name}",
            within_s,
        )
        return time.monotonic() - began
