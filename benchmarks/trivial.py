"""The least that a panel does: rounds of turns with a fact after each, then a synthesis. And an orchestrator for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, cast

from pydantic import JsonValue

from benchmarks.peers.load import SIZES
from orchestrator.core.replay.commands import (
    Outcome,
    Prompt,
    RecordBody,
    Turn,
    Workflow,
    record,
    single,
    together,
)
from orchestrator.core.replay.materials import Materials
from orchestrator.engine.service import main
from orchestrator.workflows.descriptor import SubjectKind, WorkflowLogic, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import Verdict
from shared.models.panel import Panel, Participant
from shared.models.run import RunSpec
from shared.models.steps import PromptPart
from shared.models.wire import ForeignWire
from shared.settings import ServiceSettings
from shared.store.documents import address

REPLY: dict[str, JsonValue] = {"verdict": "APPROVED", "summary": "Fine as it is."}


class Tally(RecordBody):
    """How many answered in a round."""

    kind: ClassVar[str] = "tally"

    answered: int


class NoOptions(ForeignWire):
    """Nothing can be chosen."""


def trivial(spec: RunSpec, _materials: Materials) -> Workflow:
    """Rounds of `labels["rounds"]` turns each."""
    speaker = spec.panel.critics[0]
    for number, size in enumerate(cast("list[int]", spec.labels["rounds"]), 1):
        results = yield from together(
            turn(f"{number}/{place}", speaker, "critique", number) for place in range(size)
        )
        answered = sum(result.failure is None for result in results)
        yield from record(f"tally/{number}", Tally, partial(Tally, answered=answered))
    yield from single(turn("synthesis", speaker, "synthesis", 0))
    return Outcome(Verdict.DONE, None, "")


def turn(key: str, participant: Participant, role: str, number: int) -> Turn:
    """A turn with a prompt of one line."""
    prompt = Prompt(user=(PromptPart(text="Is this right?"),))
    return Turn(key, participant, role, number, "critique.review", lambda: prompt)


def trivial_spec(
    latency_s: float = 0.0, *, synthesis_s: float | None = None, rounds: Sequence[int] = SIZES[:-1]
) -> tuple[RunSpec, dict[str, bytes]]:
    """A run of it by one scripted participant, with its documents; without `synthesis_s` all turns take the same."""
    last_s = latency_s if synthesis_s is None else synthesis_s
    replies: list[JsonValue] = [
        {"when": {"role": "synthesis"}, "latency_s": last_s, "reply": REPLY},
        {"when": {}, "latency_s": latency_s, "reply": REPLY},
    ]
    speaker = Participant(name="speaker", provider="scripted", options={"replies": replies})
    nothing = b"{}"
    spec = RunSpec(
        workflow="trivial",
        workflow_version=1,
        subject=address(nothing),
        prompts=address(nothing),
        panel=Panel(critics=(speaker,), author=speaker, chair=speaker),
        seed="benchmark",
        labels={"rounds": list(rounds)},
    )
    return spec, {address(nothing): nothing}


TRIVIAL = WorkflowType(
    name="trivial",
    version=1,
    options=NoOptions,
    logic=WorkflowLogic(trivial),
    subject=SubjectKind.CHANGE,
    parts=(),
    record_types=(Tally,),
)
WITH_TRIVIAL = {**WORKFLOWS, "trivial": TRIVIAL}

if __name__ == "__main__":
    sys.exit(main(ServiceSettings.from_environment(os.environ), WITH_TRIVIAL))
