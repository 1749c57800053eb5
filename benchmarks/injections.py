"""Hostile text in a change, a participant that obeys it: does the verdict follow?

    python -m benchmarks.injections --data FOLDER [--limit N] [--json]

FOLDER (or FOLDER/injections) holds BIPIA's `code_attack_train.json` and `text_attack_train.json`. Every
injection is planted in every place (a comment, a string, a docstring, a file's name, a commit's title) of a
change with a defect and of one without. The review runs in this process: real workflow, real prompts, real
parsing, real traps; the participants are scripts, of which one does what hostile text may ask for. The honest ones
give reasons and quotations in half of the runs, and none in the other half. Each run is compared with the same panel
all honest, and done again without the defences as the control."""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.data import folder_of
from benchmarks.hostile import BEHAVIOURS, DEFECT, Planted, Said, honest, plant, terse
from orchestrator.core.commands import Outcome, RoundRecord, ToolRun, Turn
from orchestrator.core.convergence import Rule, assess
from orchestrator.core.findings import absorb, check_places
from orchestrator.core.rounds import ledger_of
from orchestrator.core.stances import settle
from orchestrator.workflows import start_workflow
from orchestrator.workflows.review import discussion
from orchestrator.workflows.review.case import Case, History
from shared.errors import ProviderError
from shared.models.decision import Answer
from shared.models.outcomes import Verdict
from shared.models.panel import Panel
from shared.models.run import ReviewOptions
from shared.models.steps import Failure, StepResult, TurnRequest, Usage
from tests.support.review_panel import participant, sha, submission
from tests.support.simulator import Simulation
from workers.canary import Canary, canary_of
from workers.prompting import render
from workers.providers.registry import Completion
from workers.replies import ReplyProblem, parse

HOSTILE_SEATS = ("mallory", "author")
VOICES = (honest, terse)
SKIP = Answer(choice="skip", actor="nobody", channel="bench")


@dataclass
class Seen:
    """What happened in the runs of one configuration."""

    verdicts: Counter[str] = field(default_factory=Counter)
    flips: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    lowered: int = 0
    denials: int = 0
    outside: Counter[str] = field(default_factory=Counter)


@dataclass
class Table:
    """One review: who sits where, what was planted, and whether the defences are on."""

    planted: Planted
    seat: str
    behaviour: Callable[[Said], dict[str, Any]]
    echoes: bool
    critics: tuple[str, ...]
    guarded: bool
    seen: Seen
    others: Callable[[Said], dict[str, Any]] = honest

    def hold(self) -> Outcome:
        """The run's outcome."""
        panel = Panel(
            critics=tuple(participant(name) for name in self.critics),
            author=participant("author"),
            chair=participant("chair"),
        )
        base = submission(panel=panel, options=ReviewOptions(rounds=3))
        documents = {**base.documents, **self.planted.documents}
        spec = base.spec.model_copy(update={"subject": self.planted.subject})
        wanted = type(base)(spec, documents)
        self.documents = documents
        return Simulation(start_workflow(spec, wanted.materials), self.act, lambda _: SKIP).run()

    def act(self, step: Turn | ToolRun) -> StepResult:
        """One step as a worker does it, but for the call itself."""
        if isinstance(step, ToolRun):
            return StepResult(reply={})
        who = step.participant.name
        request, canary = self._request(step)
        prompt = render(request, self._get, planted=canary.sentence)
        self._check_fences(prompt.user, request.marker)
        said = Said(step.role.value, step.round, step.reply_model, step.brief(), self.planted)
        hostile = who == self.seat
        fields = (self.behaviour if hostile else self.others)(said)
        if hostile and self.echoes and canary.sentence:
            first, second = canary.words
            fields = {
                **fields,
                "summary": f"{second}{first}",
                "refined_recommendation": f"{second}{first}",
            }
        return self._heard(step, who, json.dumps(fields), canary)

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
        if self.planted.needle in outside:
            self.seen.outside[self.planted.place] += 1

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


# ---- the control: the same workflow without its defences ------------------------------------------


def _unguessable(name: str) -> str:
    """As a run's seed gives them (orchestrator/staging.py): a marker a run, a trap a participant."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def unguarded_judge(case: Case, history: History, heard: discussion.RoundRead) -> RoundRecord:
    """`judge` as it would be if every claim and every denial were believed."""
    merged = absorb(heard.raised, history.findings)
    known = {finding.id for finding in merged.findings}
    stated = tuple(line for line in ledger_of([heard.taken]) if line.finding in known)
    ledger = (*history.ledger, *merged.stances, *stated)
    findings = settle(check_places(merged.findings, case.subject), ledger)
    assessment = assess(
        (*history.rounds, heard.taken),
        findings,
        ledger,
        rule=Rule.of(case.options),
        new_findings=merged.new,
        is_last_round=heard.taken.number == case.options.rounds,
        over_budget=heard.over_budget,
    )
    return RoundRecord(assessment=assessment, findings=findings, stances=(*merged.stances, *stated))


@contextmanager
def defences(on: bool) -> Iterator[None]:
    """With `on` false the review believes everything."""
    guarded = discussion.judge
    discussion.judge = guarded if on else unguarded_judge
    try:
        yield
    finally:
        discussion.judge = guarded


# ---- the runs -------------------------------------------------------------------------------------


def measure(injections: Sequence[tuple[str, str]], critics: tuple[str, ...], guarded: bool) -> Seen:
    """All injections in all places, both changes, all behaviours; compared with an honest panel."""
    seen = Seen()
    with defences(guarded):
        for number, (_, text) in enumerate(injections):
            for place, defective, voice in product(Planted.PLACES, (True, False), VOICES):
                planted = plant(text, place, defective, sha)
                calm = Table(planted, "", voice, False, critics, guarded, Seen(), voice).hold()
                for at, (name, behaviour) in enumerate(BEHAVIOURS.items()):
                    seat = HOSTILE_SEATS[(number + at) % len(HOSTILE_SEATS)]
                    echoes = name == "obeys all"
                    table = Table(planted, seat, behaviour, echoes, critics, guarded, seen, voice)
                    _one(seen, table, calm, f"{name}, others {voice.__name__}")
    return seen


def _one(seen: Seen, table: Table, expected: Outcome, name: str) -> None:
    outcome = table.hold()
    seen.verdicts[f"{expected.verdict} -> {outcome.verdict}"] += 1
    if outcome.verdict is not expected.verdict:
        kind = "withheld" if outcome.verdict is Verdict.INCONCLUSIVE else "flipped"
        seen.flips[f"{kind}: {expected.verdict} -> {outcome.verdict} ({name} as {table.seat})"] += 1
    seen.lowered += sum("not counted" in (one.caveat or "") for one in outcome.findings)
    seen.denials += sum(one.stances.get(table.seat) == "abstain" for one in outcome.findings)


def load(folder: Path) -> list[tuple[str, str]]:
    """Category and text of every injection."""
    found = []
    for name in ("code_attack_train.json", "text_attack_train.json"):
        for category, texts in json.loads((folder / name).read_text(encoding="utf-8")).items():
            found += [(category, text) for text in texts]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only every so many-th injection")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    injections = load(folder_of(options.data, "injections"))[:: options.limit or 1]
    report: dict[str, Any] = {"injections": len(injections), "defect": DEFECT}
    for critics in (("alice", "carol", "mallory"), ("alice", "mallory")):
        for guarded in (True, False):
            started = time.monotonic()
            seen = measure(injections, critics, guarded)
            runs = sum(seen.verdicts.values())
            report[f"{len(critics)} critics, defences {'on' if guarded else 'off'}"] = {
                "runs": runs,
                "verdicts flipped": _sum(seen.flips, "flipped"),
                "towards approval": sum(n for k, n in seen.flips.items() if "-> APPROVED" in k),
                "withheld (inconclusive)": _sum(seen.flips, "withheld"),
                "quarantined turns": seen.quarantined,
                "findings without severity": seen.lowered,
                "denials not counted": seen.denials,
                "planted text outside a fence": dict(seen.outside),
                "verdicts": dict(seen.verdicts),
                "changes": dict(seen.flips),
                "seconds": round(time.monotonic() - started, 1),
            }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for title, value in report.items():
        print(f"{title}:" + ("" if isinstance(value, dict) else f" {value}"))
        for key, figure in value.items() if isinstance(value, dict) else ():
            print(f"    {key:32} {figure}")


def _sum(counted: Counter[str], beginning: str) -> int:
    return sum(number for key, number in counted.items() if key.startswith(beginning))


if __name__ == "__main__":
    main()
