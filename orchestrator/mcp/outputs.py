"""What the tools answer with, as structured content. Every list and text in it is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.application.participants import ParticipantListing
from orchestrator.core.findings.ranking import Ranked
from orchestrator.core.lines import plain
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats import markdown
from orchestrator.presentation.live.progress_events import held_up
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.positions import supporters
from orchestrator.presentation.report import RunReport
from shared.models.outcomes import RunStatus
from shared.models.panel import Participant
from shared.models.rows import DecisionRow, RunRow
from shared.store.waiting_turns import WaitingTurn

MAX_TEXT = 20_000
"""Characters of a result in one answer; `show` goes on where it ended. Assistants cut answers at 25,000 tokens."""
MAX_ROWS = 50
MAX_LINE = 500
RUN_URI = "quorate://runs/{run}"


class _Output(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FindingOutput(_Output):
    """A finding, the most important ones first; the text of the result has all that is known of it."""

    id: str
    severity: str
    title: str
    place: str | None = Field(description="path:line in the reviewed state")
    standing: bool = Field(description="whether it counts")
    supporters: list[str]
    suggestion: str | None


class DecisionOutput(_Output):
    """A question to a person. An answer is bound to `shown_sha256`, the hash of what was shown."""

    run: str
    title: str
    key: str
    state: str
    prompt: str
    options: list[str]
    selectable: list[str] = Field(description="findings that `only` may pick")
    shown_sha256: str
    deadline_at: datetime | None
    answer: str | None


class RunOutput(_Output):
    """A run as it stands."""

    run: str | None = Field(description="null: there was nothing to ask anybody about")
    workflow: str
    title: str
    status: str
    settled: bool = Field(description="false: it goes on by itself; call `wait` with this run")
    verdict: str | None
    ending: str | None
    exit_code: int = Field(description="0 passed, 1 gate tripped, 3 inconclusive, 8 pending")
    text: str = Field(description="the result as Markdown, or a part of it")
    next_offset: int | None = Field(description="where `show` goes on; null: nothing is left out")
    findings: list[FindingOutput]
    findings_total: int
    decision: DecisionOutput | None = Field(description="the open question to a person")
    waits_for: list[str] = Field(description="what holds turns up: limits, pauses, breakers")
    warnings: list[str]
    cost_usd: float | None
    uri: str | None


class RunEntry(_Output):
    """A run as lists have it."""

    run: str
    workflow: str
    title: str
    status: str
    verdict: str | None
    created_at: datetime
    uri: str


class RunPage(_Output):
    """The newest runs."""

    runs: list[RunEntry]
    has_more: bool


class TurnOutput(_Output):
    """A turn that waits for a person."""

    run: str
    step: str
    participant: str
    title: str
    answer_by: datetime | None


class InboxOutput(_Output):
    """Everything that is waiting for a person, oldest first."""

    decisions: list[DecisionOutput]
    turns: list[TurnOutput]
    has_more: bool


class ParticipantOutput(_Output):
    """Somebody who can take part. `state` is `ready`, or what holds calls up."""

    name: str
    provider: str
    model: str | None
    takes_part: bool = Field(description="whether a run asks them when nobody is named")
    state: str


class ParticipantPage(_Output):
    """Who can take part here, and what is missing."""

    participants: list[ParticipantOutput]
    missing: list[str]


class TextPart(_Output):
    """A part of a result in one of the formats."""

    run: str
    format: str
    media_type: str
    text: str
    next_offset: int | None


# ---- from rows and reports ----------------------------------------------------------------------


def part_of(text: str, offset: int) -> tuple[str, int | None]:
    """What one answer holds of a text from there on, and where the next one begins."""
    end = offset + MAX_TEXT
    return text[offset:end], end if end < len(text) else None


def run_output(report: RunReport, words: Translator, offset: int = 0) -> RunOutput:
    """The run, with a part of its text."""
    run, asked = report.run, report.open_decision
    text, next_offset = part_of(markdown.render(report, words), offset)
    standing = {finding.id for finding in report.standing}
    settled = run.status.final or run.status is RunStatus.BLOCKED or asked is not None
    waits = [] if settled else held_up(report.steps, words)
    warnings = dict.fromkeys(map(words.translate, report.every_warning))
    return RunOutput(
        run=run.id or None,
        workflow=run.workflow,
        title=_line(run.title),
        status=run.status.value,
        settled=settled,
        verdict=report.verdict,
        ending=report.ending,
        exit_code=int(exit_code(report)),
        text=text,
        next_offset=next_offset,
        findings=[
            _finding(report, ranked, words, standing=ranked.finding.id in standing)
            for ranked in report.ranking[:MAX_ROWS]
        ],
        findings_total=len(report.ranking),
        decision=None if asked is None else decision_output(asked),
        waits_for=list(map(_line, plain(waits[:MAX_ROWS]).splitlines())),
        warnings=[_line(warning) for warning in [*warnings][:MAX_ROWS]],
        cost_usd=report.usage.cost_usd,
        uri=RUN_URI.format(run=run.id) if run.id else None,
    )


def _finding(
    report: RunReport, ranked: Ranked, words: Translator, *, standing: bool
) -> FindingOutput:
    finding = words.finding(ranked.finding)
    return FindingOutput(
        id=finding.id,
        severity=finding.severity,
        title=_line(finding.title),
        place=None if finding.place is None else finding.place.shown,
        standing=standing,
        supporters=[critic.name for critic in supporters(report, finding)],
        suggestion=None if finding.suggestion is None else _line(finding.suggestion),
    )


def decision_output(row: DecisionRow) -> DecisionOutput:
    """The decision, without what it shows."""
    question, answer = row.question, row.answer or {}
    return DecisionOutput(
        run=row.run_id,
        title=_line(row.title),
        key=row.key,
        state=row.state,
        prompt=_line(str(question.get("prompt") or "")),
        options=list(question.get("options") or ()),
        selectable=list(question.get("selectable") or ())[:MAX_ROWS],
        shown_sha256=row.shown_sha256,
        deadline_at=row.deadline_at,
        answer=answer.get("choice"),
    )


def run_entry(row: RunRow) -> RunEntry:
    """The run as a list has it."""
    return RunEntry(
        run=row.id,
        workflow=row.workflow,
        title=_line(row.title),
        status=row.status.value,
        verdict=row.verdict,
        created_at=row.created_at,
        uri=RUN_URI.format(run=row.id),
    )


def inbox_output(decisions: Sequence[DecisionRow], turns: Sequence[WaitingTurn]) -> InboxOutput:
    """What waits for a person."""
    return InboxOutput(
        decisions=[decision_output(row) for row in decisions[:MAX_ROWS]],
        turns=[
            TurnOutput(
                run=turn.run_id,
                step=turn.step,
                participant=turn.participant,
                title=_line(turn.title),
                answer_by=turn.answer_by,
            )
            for turn in turns[:MAX_ROWS]
        ],
        has_more=max(len(decisions), len(turns)) > MAX_ROWS,
    )


def participant_page(listing: ParticipantListing) -> ParticipantPage:
    """Who takes part, then who else is here."""

    def entry(participant: Participant, *, takes_part: bool) -> ParticipantOutput:
        return ParticipantOutput(
            name=participant.name,
            provider=participant.provider,
            model=participant.model,
            takes_part=takes_part,
            state=_line(listing.held.state_of(participant)),
        )

    cast = [entry(member, takes_part=True) for member in listing.cast.everybody.values()]
    others = [entry(member, takes_part=False) for member, _ in listing.others]
    missing = [_line(f"{name}: {reason}") for name, reason in listing.missing]
    return ParticipantPage(participants=[*cast, *others], missing=missing[:MAX_ROWS])


def _line(text: str) -> str:
    return text if len(text) <= MAX_LINE else f"{text[: MAX_LINE - 1]}…"
