"""What waits, as rows of Flower: decisions, turns of people, child runs (docs/design/celery.md).

They have no task, so no worker tells of them. The process of `quorate flower` compares every two seconds what waits in
Postgres with the rows that Flower has, and corrects the rows. Nothing is published: no worker, no queue and no other
process sees any of it, and what Flower has forgotten or never heard comes back with the next look.
"""

from __future__ import annotations

import time
from ast import literal_eval
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.accounts import say
from shared.errors import EnvironmentFault
from shared.store.database import Database
from shared.store.waits import (
    Wait,
    WaitKey,
    WaitKind,
    WaitLater,
    Waits,
    WaitState,
    later,
    newest_waits,
)

EVERY_S = 2.0
MOST_SHARE = 0.05
"""Of the time at most this part is spent on looking: a look that takes longer is taken less often."""
MOST_ROWS = 1_000
ANSWER_S = 5.0
PREFIX = "quorate.waits."
REST = "quorate.waits.not-shown"
# Who tells, in Flower's words the client that has sent a task which no worker has yet: so there is no made-up worker.
TOLD_BY = "waiting@quorate"

_ENDS = {
    WaitState.ANSWERED: "succeeded",
    WaitState.FAILED: "failed",
    WaitState.CANCELLED: "revoked",
}


@dataclass(frozen=True)
class Look:
    """What Postgres says: the newest waits, and what became of the rows that are not among them."""

    waits: Waits
    others: tuple[WaitLater, ...]


@dataclass(frozen=True)
class Corrections:
    """What is wrong with Flower's rows: waits without a row, rows that ended, rows of what waits no more."""

    new: tuple[Wait, ...]
    ended: tuple[WaitLater, ...]
    gone: frozenset[str]


def task_id(key: WaitKey) -> str:
    """The row's id, from which `key_of` reads the wait again."""
    return f"{key.kind}:{key.answers}:{key.run}:{key.step}"


def key_of(task: str) -> WaitKey:
    """The wait of a row."""
    kind, answers, run, step = task.split(":", 3)
    return WaitKey(WaitKind(kind), run, step, int(answers))


def look(database: Database, shown: Iterable[str], most: int) -> Look:
    """Ask Postgres. Raises EnvironmentFault while it is away."""
    waits = database.run(lambda connection: newest_waits(connection, most))
    listed = {task_id(wait.key) for wait in waits.newest}
    others = [key_of(task) for task in shown if task not in listed]
    ends = database.run(lambda connection: later(connection, others)) if others else []
    return Look(waits, tuple(ends))


def corrections(shown: frozenset[str], seen: Look, most: int) -> Corrections:
    """What has to change. A row that still waits goes only where newer ones need its place."""
    listed = {task_id(wait.key): wait for wait in seen.waits.newest}
    ended = tuple(each for each in seen.others if each.state is not WaitState.OPEN)
    known = seen.others if len(listed) < most else ended
    return Corrections(
        new=tuple(wait for task, wait in reversed(listed.items()) if task not in shown),
        ended=ended,
        gone=shown - listed.keys() - {task_id(each.key) for each in known},
    )


def arguments(wait: Wait) -> dict[str, Any]:
    """What a row shows: who is asked and for what, then where. Names and declared words; never a text."""
    asked = {
        WaitKind.DECISION: "anyone who may decide",
        WaitKind.PERSON: wait.asked,
        WaitKind.CHILD: f"run {wait.asked}",
    }[wait.key.kind]
    offered = f" ({', '.join(wait.options)})" if wait.options else ""
    return {
        "asked": asked,
        "for": f"{wait.purpose}{offered}",
        **({"round": wait.round} if wait.round else {}),
        "workflow": wait.workflow,
        "step": wait.key.step,
        "run": wait.key.run,
    }


class WaitingRows:
    """Keeps the rows of one Flower true. Its state belongs to the thread of Flower's loop, and only that touches it."""

    def __init__(self, service: Any, database: Database) -> None:
        """`service` is Flower's application. Nothing is looked at before `start`."""
        from tornado.ioloop import PeriodicCallback

        self._service = service
        self._database = database
        self._most = min(MOST_ROWS, service.options.max_tasks // 2)
        self._timer = PeriodicCallback(self.follow, EVERY_S * 1000)
        self._away = False

    def start(self) -> None:
        """Look every two seconds for as long as Flower's loop runs."""
        self._timer.start()

    @property
    def _state(self) -> Any:
        return self._service.events.state

    async def follow(self) -> None:
        """Look once, and correct what is wrong. While Postgres is away the rows stay."""
        shown = frozenset(self._shown())
        loop, began = self._service.io_loop, time.monotonic()
        try:
            seen = await loop.run_in_executor(None, look, self._database, shown, self._most)
        except EnvironmentFault as error:
            self._warn(error)
            return
        self._away = False
        self._timer.callback_time = 1000 * pause_s(time.monotonic() - began)
        self.correct(corrections(shown, seen, self._most))
        self._show_rest(seen.waits.total - len(seen.waits.newest))

    def _shown(self) -> list[str]:
        """The rows that wait. Flower may have forgotten some for newer tasks, or read others from its own file."""
        known: Mapping[str, Any] = self._state.tasks.data
        by_type: Mapping[str, Iterable[Any]] = self._state.tasks_by_type
        # The index still has what was evicted, until its memory is collected.
        indexed = {task.uuid for kind in WaitKind for task in by_type[PREFIX + kind]}
        return [task for task in indexed if task in known and not known[task].ready]

    def _warn(self, error: EnvironmentFault) -> None:
        if not self._away:
            say(f"the rows of what waits stay as they are: {error}")
        self._away = True

    def correct(self, wrong: Corrections) -> None:
        """Bring Flower's rows in line."""
        for wait in wrong.new:
            self._open(wait)
        for each in wrong.ended:
            self._end(each)
        for task in wrong.gone:
            self._forget(task)

    def _open(self, wait: Wait) -> None:
        since = wait.since.timestamp()
        expires = {} if wait.until is None else {"expires": wait.until.isoformat()}
        name = PREFIX + wait.key.kind
        self._send(
            task_id(wait.key), name, since, arguments(wait), root_id=wait.root_task, **expires
        )

    def _send(
        self, task: str, name: str, since: float, shown: Mapping[str, Any], **more: Any
    ) -> None:
        self._state.event({
            "type": "task-sent", "uuid": task, "hostname": TOLD_BY, "clock": self._service.capp.clock.value,
            "timestamp": since, "local_received": None, "received": since, "name": name, "args": "()",
            "kwargs": repr(dict(shown)), **more,
        })  # fmt: skip

    def _end(self, ended: WaitLater) -> None:
        task = self._state.tasks.data.get(task_id(ended.key))
        if task is None:
            return
        at = ended.at.timestamp()
        field = "exception" if ended.state is WaitState.FAILED else "result"
        # First among the arguments, too: lists show those.
        shown = repr({"outcome": ended.word, **literal_eval(task.kwargs)})
        fields = {field: ended.word, "kwargs": shown, "runtime": max(0.0, at - task.received)}
        # Not by an event of the state's: that would make a worker of whoever tells it.
        task.event(_ENDS[ended.state], at, None, fields)
        self._state.search_engine.upsert(task)

    def _forget(self, task: str) -> None:
        self._state.tasks.pop(task, None)
        self._state.search_engine.remove(task)

    def _show_rest(self, rest: int) -> None:
        if rest <= 0:
            self._forget(REST)
            return
        shown = {
            "asked": f"{rest} more wait",
            "for": "quorate inbox shows all",
            "shown": self._most,
        }
        known = self._state.tasks.data.get(REST)
        if known is None or known.kwargs != repr(shown):
            self._send(REST, REST, time.time(), shown)


def pause_s(look_s: float) -> float:
    """How long after a look the next one is due."""
    return max(EVERY_S, look_s / MOST_SHARE)
