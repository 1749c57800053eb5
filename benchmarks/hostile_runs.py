"""A run in this process whose participants are scripts: real workflow, real prompts, real parsing, real traps."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.hostile import Planted, Said
from orchestrator.core.findings.verdict import GateOutcome, gate_of
from orchestrator.core.replay.commands import Outcome, ToolRun, Turn
from orchestrator.core.replay.recomputation import rounds_of
from orchestrator.workflows.registry import start_workflow, workflow_of
from shared.errors import ProviderError
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepResult, TurnRequest, Usage
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation
from workers.providers.calls import Completion
from workers.turns.canary import Canary, canary_of
from workers.turns.prompting import render
from workers.turns.replies import ReplyProblem, parse

Script = Callable[[Said], dict[str, Any] | None]  # None: nothing comes
SKIP = DecisionAnswer(choice="skip", actor="nobody", channel="bench")


@dataclass(frozen=True)
class Scene:
    """A run as it is submitted, and what was planted in it."""

    submission: Submission
    planted: Planted


@dataclass(frozen=True)
class Ended:
    """What came of a run; `patches` are the names under which patches were tried."""

    outcome: Outcome
    gate: GateOutcome
    patches: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """The same run with everybody honest and with the `captured` ones."""

    scene: Scene
    calm: Ended
    ended: Ended
    captured: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """A workflow under attack.

    `seats` are, by group of runs and by the number of captured participants, the seats that they take by turns. `pairs`
    are behaviours of two that help one another, beside those of `alone`, which two show alike. `changes` names what
    became otherwise: `approval`, `stopped`, `withheld`, `moved`, `broken` (docs in benchmarks/injections.py).
    """

    places: tuple[str, ...]
    seats: Mapping[str, Mapping[int, tuple[tuple[str, ...], ...]]]
    voices: tuple[Script, ...]
    alone: Mapping[str, Script]
    pairs: Mapping[str, tuple[Script, Script]]
    scene: Callable[[str, str, bool, str], Scene]  # text, place, defective, group
    changes: Callable[[Comparison], list[str]]


@dataclass
class Seen:
    """What happened in the runs of one configuration."""

    verdicts: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    runs_changed: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    lowered: int = 0
    denials: int = 0
    outside: Counter[str] = field(default_factory=Counter)


@dataclass
class Table:
    """One run: who is captured and does what, and whether the defences are on."""

    scene: Scene
    honest: Script
    captured: Mapping[str, Script]
    echoes: bool
    guarded: bool
    seen: Seen

    def hold(self) -> Ended:
        """How the run ends."""
        spec = self.scene.submission.spec
        self.documents = self.scene.submission.documents
        self.patches: list[str] = []
        start = start_workflow(spec, self.scene.submission.materials)
        self.simulation = Simulation(start, self.act, lambda _: SKIP)
        outcome = self.simulation.run()
        gate = gate_of(
            workflow_of(spec).gate_of(spec), outcome.findings, outcome.ending, outcome.result
        )
        return Ended(outcome, gate.outcome, tuple(self.patches))

    def act(self, step: Turn | ToolRun) -> StepResult:
        """One step as a worker does it, but for the call itself."""
        if isinstance(step, ToolRun):
            fixes: Any = step.stored_inputs().get("fixes", [])
            self.patches += [fix["source"] for fix in fixes]
            return StepResult(reply={})
        who = step.participant.name
        request, canary = self._request(step)
        prompt = render(request, self._get, planted=canary.sentence)
        self._check_fences(prompt.user, request.marker)
        said = Said(
            step.role,
            step.round,
            step.reply_model,
            step.brief() or {"findings": self._recorded()},
            self.scene.planted,
            who,
            prompt.user,
        )
        fields = self.captured.get(who, self.honest)(said)
        if fields is None:
            return StepResult(failure=Failure(kind=FailureKind.TIMEOUT, message="nothing came"))
        if who in self.captured and self.echoes and canary.sentence:
            first, second = canary.words
            fields = {
                **fields,
                "summary": f"{second}{first}",
                "refined_recommendation": f"{second}{first}",
            }
        return self._heard(step, who, json.dumps(fields), canary)

    def _recorded(self) -> list[dict[str, Any]]:
        """What stood after the last round, for scripts whose turns have no brief."""
        records = list(rounds_of(self.simulation.records).values())
        return [one.model_dump(mode="json") for one in records[-1].findings] if records else []

    def _get(self, name: str) -> bytes:
        return self.documents[name]

    def _request(self, step: Turn) -> tuple[TurnRequest, Canary]:
        prompt = step.prompt()
        request = TurnRequest(
            participant=step.participant,
            role=step.role,
            round=step.round,
            reply_model=step.reply_model,
            system=prompt.system,
            prompt=prompt.user,
            marker=_unguessable("fences"),
            trap=_unguessable(f"trap/{step.participant.name}"),
        )
        return request, canary_of(request, self._get) if self.guarded else Canary()

    def _check_fences(self, user: str, marker: str) -> None:
        """Count planted texts that a model would see outside the fences."""
        outside = "".join(
            piece.partition(f"<<<END {marker}")[2] if number else piece
            for number, piece in enumerate(user.split(f"<<<BEGIN {marker}"))
        )
        if self.scene.planted.needle in outside:
            self.seen.outside[self.scene.planted.place] += 1

    def _heard(self, step: Turn, who: str, text: str, canary: Canary) -> StepResult:
        kept: list[Completion] = []
        try:
            canary.listening(who, kept.append)(Completion(text=text, usage=Usage()))
        except ProviderError as error:
            self.seen.quarantined += 1
            return StepResult(failure=Failure(kind=error.kind, message=str(error)))
        reply = parse(text, step.reply_model)
        assert not isinstance(reply, ReplyProblem), reply.message
        return StepResult(reply=json.loads(reply.model_dump_json(exclude_defaults=True)))


def _unguessable(name: str) -> str:
    """As a run's seed gives them (orchestrator/engine/staging.py): a marker a run, a trap a participant."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]
