"""What must hold after any fault, read from three witnesses: the journal, the trigger's audit, the stand-in's log.

I2  a step is accepted once, its reply belongs to a stored response     I6  nothing is written under a stale token
I3  rounds are assessed once and in order, events have no gaps          I7  an answered decision is applied once
I4  a step is held by one process at a time                             I8  nothing starts after a cancellation
I5  calls <= steps + holders lost in mid-call                           I9  the counters add up
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.embedded.processes import wait_until
from shared.store.events import list_events
from shared.store.requests import REQUEST
from tests.chaos.audit import Change, Story
from tests.chaos.cluster import Cluster
from tests.chaos.witness import Call, calls_of

FINAL = ("done", "failed", "cancelled")
CHILD = {("pending", "done"), ("pending", "failed"), ("pending", "cancelled")}
"""A step that waits for a child run is held by nobody."""
LEGAL = {
    ("pending", "leased"),
    ("leased", "pending"),
    ("leased", "done"),
    ("leased", "failed"),
    ("pending", "failed"),
    ("leased", "cancelled"),
    ("pending", "cancelled"),
}
TAKE_OVER_S = 20.0
CLOCK_S = 0.1
"""How far the moments of a death, a call and a commit may be apart, as three processes note them."""
CANCEL_S = 12.0
"""A holder notices a cancellation with its next heartbeat, two seconds later on a machine that does not stand still."""


@dataclass
class Figures:
    """What a fault test measured."""

    runs: int = 0
    steps: int = 0
    calls: int = 0
    extra_calls: int = 0
    lost_in_call: int = 0
    kills: int = 0
    adopted: int = 0
    take_over_s: list[float] = field(default_factory=list)
    settle_s: float = 0.0

    def told(self) -> dict[str, object]:
        """For the table at the end."""
        return {
            "runs": self.runs,
            "steps": self.steps,
            "calls": self.calls,
            "extra": self.extra_calls,
            "kills": self.kills,
            "adopted": self.adopted,
            "take-over s": round(max(self.take_over_s), 1) if self.take_over_s else "",
            "settle s": round(self.settle_s, 1),
        }


@dataclass
class Examination:
    """One look at a set of runs that have come to rest; `problems` gathers every violation."""

    cluster: Cluster
    runs: list[str]
    story: Story
    calls: list[Call]
    problems: list[str] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)

    def require(self, holds: object, problem: str) -> None:
        """Note a violation."""
        if not holds:
            self.problems.append(problem)


def examine(
    cluster: Cluster,
    runs: Sequence[str],
    *,
    settle_s: float = 0.0,
    steps: frozenset[str] | None = None,
    failures_allowed: bool = False,
) -> Figures:
    """Check every invariant; the figures. `steps` are the keys that each completed run must have done.

    Fails with all violations at once.
    """
    look = Examination(cluster, list(runs), cluster.stories(runs), calls_of(cluster, runs))
    look.figures.runs = len(look.runs)
    look.figures.settle_s = settle_s
    look.figures.kills = cluster.kills()
    _steps(look, steps, failures_allowed)
    _transitions(look)
    _events(look)
    _decisions(look)
    _calls(look)
    _cancelled(look)
    _take_overs(look)
    _drained(look)
    look.require(look.figures.steps and look.calls, "nothing was executed at all")
    assert not look.problems, "\n".join([*look.problems, *_story_lines(look)])
    return look.figures


def _steps(look: Examination, wanted: frozenset[str] | None, failures_allowed: bool) -> None:
    """I2 and I9: the journal's rows, their responses, the run's counters."""
    rows = look.cluster.ask(
        "SELECT s.run_id, s.key, s.kind, s.status, s.token, s.note, s.reply, s.failure_message, r.status AS run_status,"
        f" {REQUEST.format(step='s')}->'participant'->>'family' = 'rules' AS is_free,"
        " array_remove(array_agg(u.token ORDER BY u.id), NULL) AS tokens FROM steps s JOIN runs r ON r.id = s.run_id "
        "LEFT JOIN usage u ON u.run_id = s.run_id AND u.step = s.key WHERE s.run_id = ANY(%s) "
        "GROUP BY s.run_id, s.key, r.status",
        look.runs,
    )
    look.figures.steps = len(rows)
    done: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        name = f"{row.run_id}/{row.key}"
        look.require(
            row.status in FINAL or row.run_status == "waiting", f"I9 {name} is left {row.status}"
        )
        if row.status == "failed" and not failures_allowed:
            look.require(False, f"I2 {name} failed: {row.failure_message}")
        if row.status == "done":
            done[row.run_id].add(row.key)
            look.require(row.reply is not None, f"I2 {name} is done without a reply")
            if row.kind == "turn" and not row.is_free:
                adopted = row.token not in row.tokens
                look.figures.adopted += "adopted" in row.note
                look.require(row.tokens, f"I2 {name} was accepted without a stored response")
                look.require(
                    not adopted or "adopted" in row.note,
                    f"I2 {name}: accepted under token {row.token}, responses are of {row.tokens}, not adopted",
                )
    for row in look.cluster.ask(
        "SELECT id, status, open_steps, noted_steps FROM runs WHERE id = ANY(%s)", look.runs
    ):
        look.require(row.open_steps == 0, f"I9 run {row.id} counts {row.open_steps} open steps")
        if wanted is not None and row.status == "completed":
            look.require(
                done[row.id] == wanted,
                f"I9 run {row.id}: done {sorted(done[row.id] ^ wanted)} is not what was asked for",
            )


def _transitions(look: Examination) -> None:
    """I4 and I6: legal changes only, each claim under a new token, nothing after the end."""
    rows = look.cluster.ask(
        "SELECT run_id, key FROM steps WHERE run_id = ANY(%s) AND kind = 'run'", look.runs
    )
    waiting = {(row.run_id, row.key) for row in rows}
    for (run, key), changes in look.story.items():
        name = f"{run}/{key}"
        legal = CHILD if (run, key) in waiting else LEGAL
        token = attempts = 0
        ended = False
        for change in changes:
            step = (change.was, change.became)
            look.require(not ended, f"I6 {name} was written after its end: {step}")
            look.require(step in legal, f"I6 {name}: {step} is no transition")
            if change.is_claim:
                look.require(
                    change.token == token + 1, f"I4 {name}: token {token} -> {change.token}"
                )
                look.require(
                    change.attempts == attempts + 1, f"I4 {name}: attempts {change.attempts}"
                )
                token, attempts = change.token, change.attempts
            # Giving a step up takes the next token, so that its last holder is stale.
            allowed = (token, token + 1) if change.became == "failed" else (token,)
            look.require(
                change.token in allowed, f"I6 {name} was written under token {change.token}"
            )
            ended = change.became in FINAL


def _events(look: Examination) -> None:
    """I3: gapless numbers, every round assessed once and in order, every step scheduled and ended once."""
    for run in look.runs:
        log = look.cluster.database.run(lambda c, run=run: list_events(c, run))
        [(logged,)] = look.cluster.ask("SELECT logged FROM runs WHERE id = %s", run)
        numbers = [number for number, _, _ in log]
        look.require(
            numbers == list(range(1, logged + 1)), f"I3 {run}: events {numbers} of {logged}"
        )
        rounds = [body["key"] for _, kind, body in log if kind == "round.assessed"]
        expected = [f"round/{number}" for number in range(1, len(rounds) + 1)]
        look.require(rounds == expected, f"I3 {run}: rounds were assessed as {rounds}")
        for kind in ("step.scheduled", "step.done", "decision.opened", "decision.answered"):
            counted = Counter(body["key"] for _, told, body in log if told == kind)
            twice = [key for key, count in counted.items() if count > 1]
            look.require(not twice, f"I3 {run}: {kind} twice for {twice}")
        ends = [kind for _, kind, _ in log if kind in ("run.completed", "run.cancelled")]
        look.require(len(ends) <= 1, f"I3 {run} ended {ends}")


def _decisions(look: Examination) -> None:
    """I7: what was answered was consumed, and a fix applied once where it said so."""
    for row in look.cluster.ask(
        "SELECT d.run_id, d.state, d.answer, d.consumed_at, r.status, r.workflow, "
        "(SELECT count(*) FROM steps s WHERE s.run_id = d.run_id AND s.task = 'quorate.apply.patch') AS applied "
        "FROM decisions d JOIN runs r ON r.id = d.run_id WHERE d.run_id = ANY(%s)",
        look.runs,
    ):
        if row.state in ("answered", "expired") and row.status == "completed":
            look.require(row.consumed_at is not None, f"I7 {row.run_id}: the answer was never used")
            wanted = int(row.answer["choice"] == "apply_fix")
            look.require(
                row.workflow != "review" or row.applied == wanted,
                f"I7 {row.run_id}: {row.answer} applied {row.applied} times",
            )


def _calls(look: Examination) -> None:
    """I5: a second call needs a holder that was lost in the middle of the first one, one for one."""
    by_step: dict[tuple[str, str], list[Call]] = defaultdict(list)
    for call in look.calls:
        if call.number == 1:
            by_step[(call.run, call.key)].append(call)
    look.figures.calls = len(look.calls)
    for (run, key), calls in by_step.items():
        claims = [change for change in look.story[(run, key)] if change.is_claim]
        look.figures.extra_calls += len(calls) - 1
        for earlier, later in itertools.pairwise(calls):
            lost = _holder_lost(look, claims, earlier)
            look.figures.lost_in_call += lost
            look.require(
                lost,
                f"I5 {run}/{key}: attempt {later.attempt} paid again although the holder of attempt "
                f"{earlier.attempt} was not lost",
            )
    for (run, key), calls in by_step.items():
        _accepted_after_its_answer(look, look.story[(run, key)], calls)
    stored = look.cluster.ask("SELECT count(*) AS n FROM usage WHERE run_id = ANY(%s)", look.runs)[
        0
    ].n
    look.require(
        stored <= look.figures.calls,
        f"I5 {stored} responses are stored, {look.figures.calls} calls were made",
    )


def _accepted_after_its_answer(look: Examination, changes: list[Change], calls: list[Call]) -> None:
    """I6: what an attempt is credited with came after the answer to that attempt's own call."""
    done = next((change for change in changes if change.became == "done"), None)
    if done is None:
        return
    for call in calls:
        if call.attempt == done.attempts:
            in_time = call.ended is not None and call.ended <= done.at + CLOCK_S
            look.require(
                call.answered and in_time,
                f"I6 {call.run}/{call.key} was accepted under token {done.token} before its call was answered",
            )


def _holder_lost(look: Examination, claims: list[Change], call: Call) -> bool:
    """Whether the process that made a call died, or was stopped for longer than its lease, while it held the step."""
    held = next((claim for claim in claims if claim.attempts == call.attempt), None)
    after = next((claim for claim in claims if claim.attempts == call.attempt + 1), None)
    if held is None or after is None:
        return False
    died = look.cluster.keeper.deaths.get(held.pid)
    if died is not None and call.began - CLOCK_S <= died <= after.at + CLOCK_S:
        return True
    return any(
        fault.kind == "stop"
        and held.at - 10 <= fault.at <= after.at
        and (fault.pid == held.pid or fault.target == "postgres")
        for fault in look.cluster.faults
    )


def _cancelled(look: Examination) -> None:
    """I8: no claim after the commit of a cancellation, and every call ends with the next heartbeat."""
    for row in look.cluster.ask(
        "SELECT run_id, max(at) AS at FROM (SELECT run_id, extract(epoch FROM at)::float AS at FROM events "
        "WHERE type = 'run.cancelled' AND run_id = ANY(%s)) AS e GROUP BY run_id",
        look.runs,
    ):
        changes = [
            c for (run, _), changes in look.story.items() if run == row.run_id for c in changes
        ]
        commit = max((c.at for c in changes if c.became == "cancelled"), default=row.at)
        late = [c.key for c in changes if c.is_claim and c.at > commit]
        look.require(not late, f"I8 {row.run_id}: {late} were claimed after the cancellation")
        for call in look.calls:
            if call.run == row.run_id:
                look.require(
                    call.began <= commit + CANCEL_S,
                    f"I8 {row.run_id}/{call.key} was called {call.began - commit:.2f} s after the cancellation",
                )
                look.require(
                    call.ended is not None and call.ended <= commit + CANCEL_S,
                    f"I8 the call of {row.run_id}/{call.key} went on after the cancellation",
                )


def _take_overs(look: Examination) -> None:
    """From a holder's death until its step may be claimed again; how long it then waits for a slot is the queue's.

    What the take-over itself needs (servers, an orchestrator) may be killed meanwhile: then from the last such fault.
    """
    for changes in look.story.values():
        for held, after in itertools.pairwise(changes):
            died = look.cluster.keeper.deaths.get(held.pid) if held.is_claim else None
            if died is None or not held.at - CLOCK_S <= died <= after.at:
                continue
            faults = [
                fault.at
                for fault in look.cluster.faults
                if died < fault.at < after.at and not fault.target.startswith(("turns", "tools"))
            ]
            took = after.at - max([died, *faults])
            look.figures.take_over_s.append(took)
            look.require(
                took <= TAKE_OVER_S, f"{held.run}/{held.key} was taken over after {took:.1f} s"
            )


def _drained(look: Examination) -> None:
    """I11: every queue runs empty, and no message waits for an acknowledgement."""
    cluster = look.cluster
    wait_until(lambda: not any(cluster.queues().values()), 60, 0.1)
    left = {name: size for name, size in cluster.queues().items() if size}
    look.require(not left, f"I11 the queues are not empty: {left}")
    unacked = [str(key) for key in cluster.redis.scan_iter("*unacked*")]
    look.require(not unacked, f"I11 messages wait for an acknowledgement: {unacked}")


def _story_lines(look: Examination) -> list[str]:
    lines = ["", "faults:"]
    lines += [f"  {f.at:.2f} {f.kind} {f.target} {f.pid}" for f in look.cluster.faults]
    lines += [f"  {at:.2f} death {pid}" for pid, at in look.cluster.keeper.deaths.items()]
    for name, changes in look.story.items():
        if any("/".join(name) in problem for problem in look.problems):
            lines.append("/".join(name))
            lines += [
                f"  {c.at:.2f} {c.was}->{c.became} token {c.token} {c.owner}" for c in changes
            ]
            lines += [
                f"  {json.dumps(call.__dict__)}"
                for call in look.calls
                if (call.run, call.key) == name
            ]
    return lines
