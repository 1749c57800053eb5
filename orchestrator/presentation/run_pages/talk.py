"""What was said in a run, round by round: a bubble for each turn, with what it came to and what it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.lines import VOICES, voice
from orchestrator.core.views.context import took_s, why_failed
from orchestrator.core.views.live import raised_in
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.lanes import Went, stretches
from orchestrator.presentation.stages import stage_of
from orchestrator.presentation.timeline import own_reply, section_lines
from shared.models.assessment import Assessment
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow
from shared.text.amounts import dollars

LEADS = (
    *("speech", "answer", "argument", "conclusion", "plan", "revised_plan", "summary"),
    *("refined_recommendation", "revised_solution", "feedback", "analysis", "reason", "note"),
)
"""The fields of replies that say the most: the first one that is there stands on top of its bubble."""
_VERDICTS = ("verdict", "position", "choice", "action")
_ELSEWHERE = ("findings", "coverage")
_LONGEST_VERDICT = 40


@dataclass(frozen=True)
class RaisedPoint:
    """A finding as it was raised."""

    severity: str
    where: str
    title: str


@dataclass(frozen=True)
class ReplySection:
    """A part of a reply under its name: entries, or one text."""

    name: str
    entries: tuple[str, ...]


@dataclass(frozen=True)
class Bubble:
    """A turn or a tool run. `lead` is Markdown; `state` is the status of its step, named by `wording`.

    `voice` is 1 to 5 for the panel's members and 0 for others; `author`: the other side of a review or of a plan;
    `is_open`: somebody works on it, or it waits for somebody.
    """

    key: str
    who: str
    role: str
    state: str
    wording: str
    voice: int
    author: bool
    verdict: str = ""
    lead: str = ""
    raised: tuple[RaisedPoint, ...] = ()
    sections: tuple[ReplySection, ...] = ()
    problem: str = ""
    held_up: str = ""
    figures: tuple[str, ...] = ()
    child: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class BubbleRow:
    """What was asked together, or one after another in the same role."""

    role: str
    bubbles: tuple[Bubble, ...]


@dataclass(frozen=True)
class Round:
    """A round, or what was done beside the rounds under its name; `figures` are what it was assessed with.

    `id` is its anchor. Its bubbles are made when they are asked for: of a long run most rounds stay folded.
    """

    id: str
    name: str
    steps: tuple[StepRow, ...]
    report: RunReport
    words: Translator
    figures: Assessment | None = None

    @cached_property
    def exchanges(self) -> tuple[BubbleRow, ...]:
        """What was said in it."""
        stages: dict[str, list[StepRow]] = {}
        for step in self.steps:
            stages.setdefault(stage_of(step.key, step.participant), []).append(step)
        return tuple(
            BubbleRow(
                self.words.role(group[0].role),
                tuple(bubble(step, self.report, self.words) for step in group),
            )
            for group in stages.values()
        )

    @property
    def summary(self) -> str:
        """What one reads while it is folded: who spoke, and how many findings came of it."""
        names = ", ".join(dict.fromkeys(step.participant for step in self.steps))
        raised = sum(len((step.reply or {}).get("findings") or ()) for step in self.steps)
        if not raised:
            return names
        return f"{names} · {self.words.message('finding_count', n=raised)}"

    @property
    def is_open(self) -> bool:
        """Whether something of it goes on."""
        return any(step.is_open for step in self.steps)


_Key = tuple[int, int, str]
"""The cycle, the round and, outside of rounds, the role."""


def rounds(report: RunReport, words: Translator) -> tuple[Round, ...]:
    """All that was said, in its order."""
    groups: dict[_Key, list[StepRow]] = {}
    for step in report.steps:
        groups.setdefault(_key(step), []).append(step)
    figures = {
        (cycle_at(recorded.key).number, recorded.figures.round): recorded.figures
        for recorded in report.assessments
        if recorded.is_of_round
    }
    return tuple(
        Round(
            id=f"part-{number}",
            name=_name(key, steps[0], words),
            steps=tuple(steps),
            report=report,
            words=words,
            figures=None if key[2] else figures.get(key[:2]),
        )
        for number, (key, steps) in enumerate(groups.items(), 1)
    )


def _key(step: StepRow) -> _Key:
    cycle = cycle_at(step.key).number
    return (cycle, step.round, "") if step.round > 0 else (cycle, 0, step.role)


def _name(key: _Key, first: StepRow, words: Translator) -> str:
    cycle, number, role = key
    name = words.role(role) if role else words.message("round_n", n=number)
    if cycle == 1:
        return name[:1].upper() + name[1:]
    kind = cycle_at(first.key).kind
    return f"{words.message(f'cycle_{kind}', n=cycle)}, {name}"


def bubble(step: StepRow, report: RunReport, words: Translator) -> Bubble:
    """A step as people read it."""
    reply = own_reply(step, step.reply or {})
    lead = next((name for name in LEADS if str(reply.get(name) or "").strip()), "")
    return Bubble(
        key=step.key,
        who=step.participant,
        role=words.role(step.role),
        state=step.status,
        wording=words.message(f"turn_{step.status}"),
        voice=_voice(step, report),
        author=step.participant == report.spec.panel.author.name,
        verdict=_verdict(reply, words),
        lead=str(reply.get(lead) or ""),
        raised=_raised(step),
        sections=tuple(_sections(reply, lead, words)),
        problem="" if (why := why_failed(step)) is None else words.translate(why),
        held_up=words.column(step.note) if step.status == StepStatus.PENDING else "",
        figures=_figures(step, report.run.elapsed_s, words),
        child=_child(step, report),
        is_open=step.is_open,
    )


def _voice(step: StepRow, report: RunReport) -> int:
    style = voice(step.participant, [critic.name for critic in report.critics])
    return VOICES.index(style) + 1 if style in VOICES else 0


def _verdict(reply: Mapping[str, Any], words: Translator) -> str:
    speaker = reply.get("speaker")
    if reply.get("action") == "SELECT" and _is_short(speaker):
        return f"→ {speaker}"
    stated = next((str(reply[name]) for name in _VERDICTS if _is_short(reply.get(name))), "")
    return words.word(f"position_{stated}", words.word(f"verdict_is_{stated}", stated))


def _raised(step: StepRow) -> tuple[RaisedPoint, ...]:
    return tuple(
        RaisedPoint(
            finding.severity.value, finding.place.shown if finding.place else "", finding.title
        )
        for finding in raised_in(step)
    )


def _sections(reply: Mapping[str, Any], lead: str, words: Translator) -> Iterator[ReplySection]:
    """What else a reply says, field by field; figures and what stands on top are not repeated."""
    for name, value in reply.items():
        on_top = name in (lead, *_ELSEWHERE) or (name in _VERDICTS and _is_short(value))
        if on_top or isinstance(value, bool | int | float):
            continue
        lines = (text.removeprefix("- ") for text in section_lines(value))
        if entries := tuple(filter(str.strip, lines)):
            yield ReplySection(words.field(name), entries)


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_VERDICT


def _figures(step: StepRow, now_s: float, words: Translator) -> tuple[str, ...]:
    """What it took: seconds of work, seconds that it was held back, tokens, money."""
    held_s = sum(part.length_s for part in stretches(step, now_s) if part.went is Went.HELD)
    spent_s = took_s(step)
    confidence = (step.reply or {}).get("confidence")
    parts = (
        "" if spent_s is None else words.message("seconds", s=spent_s),
        words.message("held_for", s=held_s) if held_s >= 1 else "",
        words.message("tokens_n", n=f"{step.tokens:,}") if step.tokens else "",
        dollars(step.cost_usd) if step.cost_usd else "",
        words.message("confidence", value=confidence) if isinstance(confidence, float) else "",
    )
    return tuple(filter(None, parts))


def _child(step: StepRow, report: RunReport) -> str:
    if step.kind != "run":
        return ""
    return next((c.run.id for c in report.children if c.run.parent_step == step.key), "")
