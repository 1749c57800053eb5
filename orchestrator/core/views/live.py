"""What is shown to people who watch when steps begin and end. A workflow says it by role; the rest is common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pydantic import ValidationError

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.document import SEVERITY_STYLES, beside_rules
from orchestrator.core.lines import Line, Span, Style, line, voice
from orchestrator.core.replay.commands import ChildOutcome
from orchestrator.core.views.context import Vocabulary, shortened, took_s, why_failed
from shared.models.findings import RaisedFinding
from shared.models.notices import Notice, of_column
from shared.models.rows import StepRow

SHORT = 100
INDENT = "    "


class OutputMode(Enum):
    """`LINES` stand alone, in a log; `LIVE` ones stand above a picture that shows the rest."""

    LINES = "lines"
    LIVE = "live"


@dataclass(frozen=True)
class RenderContext:
    """A run at the moment that is shown. `most_rounds` is None without rounds; `by_rules`: nobody debates."""

    most_rounds: int | None
    steps: tuple[StepRow, ...]
    words: Vocabulary
    mode: OutputMode
    critics: tuple[str, ...] = ()
    by_rules: bool = False

    def message(self, code: str, **params: object) -> str:
        """The sentence in the reader's language."""
        return self.words.message(code, **params)

    def role(self, role: str) -> str:
        """What somebody does in a role; the role's own name where there is no word for it."""
        return self.words.word(f"role_{role}", role)

    def translate(self, stored: object) -> str:
        """A notice, or what was stored as one, as a sentence."""
        return self.words.translate(stored)

    def voice(self, step: StepRow) -> Style:
        """The style of the name of the step's participant."""
        return voice(step.participant, self.critics)

    @property
    def live(self) -> bool:
        """Whether a picture shows the rest."""
        return self.mode is OutputMode.LIVE


@dataclass(frozen=True)
class Station:
    """A station on a run's way: the phases that are it, and the roles whose steps show that the run was there.

    Where a person `decides`, a decision shows it.
    """

    phases: tuple[str, ...]
    roles: tuple[str, ...] = ()
    decides: bool = False


Reply = Mapping[str, Any]
Beginning = Callable[[Sequence[StepRow], str, RenderContext], Sequence[Line]]
"""A stage begins: its steps, who takes part, the context."""
Ending = Callable[[StepRow, Reply, RenderContext], Sequence[Line]]
"""A step has ended with a reply."""


@dataclass(frozen=True)
class LiveView:
    """How a workflow is followed.

    `begins` and `ends` are shown by role; of roles in `rounds` also the number of the round, those in `silent` begin
    without a word, those in `announced` are shown when they start although their stage has begun. `lone` are roles
    whose failure ends a run in which nobody else was asked. Of a role in `gathered` the live picture has one line a
    round. `command` is what its head is called (None: the workflow's name). Turns in the role `columns` are side by
    side, one in the role `spotlight` has the floor, and while that is given `signs` tells who asks for it. The picture
    names the `phases` instead of rounds. `course` are the stations on the way of every run, in their order.
    """

    begins: Mapping[str, Beginning] = field(default_factory=dict)
    ends: Mapping[str, Ending] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    rounds: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    announced: frozenset[str] = frozenset()
    lone: frozenset[str] = frozenset()
    gathered: Mapping[str, Callable[[int, RenderContext], Sequence[Line]]] = field(
        default_factory=dict
    )
    command: str | None = None
    columns: str | None = None
    spotlight: str | None = None
    signs: tuple[str, Callable[[Sequence[StepRow]], str]] | None = None
    phases: frozenset[str] = frozenset()
    course: tuple[Station, ...] = ()


# ---- beginnings and ends ------------------------------------------------------------------------


def render_started(view: LiveView, group: Sequence[StepRow], context: RenderContext) -> list[Line]:
    """A stage begins; `group` are its steps."""
    first = group[0]
    if first.role in view.silent:
        return []
    turns = Counter(step.participant for step in group)  # a large change is read in portions
    names = ", ".join(f"{name} ({n})" if n > 1 else name for name, n in turns.items())
    if first.role in view.begins:
        return list(view.begins[first.role](group, names, context))
    role = context.role(first.role)
    if first.role in view.rounds and context.by_rules:
        return headed(context.message("checks_by", who=names))
    if first.role in view.rounds:
        text = context.message("round_starts", n=first.round, role=role, who=names)
        return headed(in_cycle(first.key, text, context))
    return headed(context.message("starts", role=role, who=names))


def render_finished(view: LiveView, step: StepRow, context: RenderContext) -> list[Line]:
    """A step has ended."""
    missing = why_failed(step)
    if missing is not None:
        return [line(Span(f"⚠ {_failure(view, step, missing, context)}", Style.WARNING))]
    render = view.ends.get(step.role, child_ended if step.kind == "run" else answered)
    return list(render(step, step.reply or {}, context))


def in_cycle(key: str, text: str, context: RenderContext) -> str:
    """`review 2, round 1: ...`: what goes on in a later cycle says in which."""
    cycle = cycle_at(key)
    if cycle.number == 1:
        return text
    return f"{context.message(f'cycle_{cycle.kind}', n=cycle.number)}, {text}"


def _failure(view: LiveView, step: StepRow, why: Notice, context: RenderContext) -> str:
    if step.role in view.failures:
        return context.message(view.failures[step.role], who=step.participant, why=why)
    work = in_cycle(step.key, _work(view, step, context), context)
    # Where nobody else is asked, a failure ends the run: its result follows at once, and says the whole reason.
    if context.critics == (step.participant,) and step.role in view.lone and step.failure_kind:
        return context.message("step_failed", work=work, why=step.failure_kind)
    earlier = (before for before in context.steps if _precedes(before, step))
    if why in map(why_failed, earlier):
        return context.message("step_failed_again", work=work)
    return context.message("step_failed", work=work, why=why)


def _work(view: LiveView, step: StepRow, context: RenderContext) -> str:
    """What a step was for, in words: its key is for those who type it."""
    role = context.role(step.role)
    if step.role in view.rounds and not context.by_rules:
        return context.message("work_in_round", role=role, who=step.participant, n=step.round)
    return context.message("work_by", role=role, who=step.participant)


def _precedes(before: StepRow, step: StepRow) -> bool:
    same = (before.participant, before.role) == (step.participant, step.role)
    return same and (before.finished_at_s or 0.0) < (step.finished_at_s or 0.0)


def begins_with(word: str) -> Beginning:
    """The sentence of that code, which names who takes part."""
    return lambda _group, names, context: headed(context.message(word, who=names))


# ---- parts --------------------------------------------------------------------------------------


def headed(text: str) -> list[Line]:
    """One strong line."""
    return [line(Span(text, Style.STRONG))]


def answered(step: StepRow, _reply: Reply, context: RenderContext) -> list[Line]:
    """A contribution that raises findings, or any other one."""
    raised = raised_in(step)
    what = context.message("with_findings", n=len(raised)) if raised else ""
    came = context.message("answered", who=step.participant, what=what, s=took_s(step) or 0.0)
    shown = () if context.by_rules else raised  # the result follows at once, and is a list of them
    return [
        line(came, note(step, context)),
        *(raised_line(finding, step.participant) for finding in shown),
    ]


def child_ended(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """A run that this run started has ended, or goes no further."""
    child = ChildOutcome.model_validate(reply)
    text = context.message(
        "child_ended",
        run=child.run,
        workflow=step.participant,
        outcome=child.verdict or child.status,
    )
    took = context.message("seconds", s=took_s(step) or 0.0)
    return [line(text, Span(f" ({took})", Style.DIM), because(reply))]


def objections(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """A verdict on something that is debated, and what is held against it."""
    raised = raised_in(step)
    what = f", {context.message('objections', n=len(raised))}" if raised else ""
    took = context.message("seconds", s=took_s(step) or 0.0)
    head = line(f"{step.participant}: {reply.get('verdict')}{what}", Span(f" ({took})", Style.DIM))
    return [
        head,
        *(
            line(
                INDENT,
                Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
                f" {finding.title}",
            )
            for finding in raised
        ),
    ]


def position(step: StepRow, reply: Reply, context: RenderContext) -> Line:
    """Who holds what, how surely."""
    return line(
        Span(step.participant, context.voice(step)),
        f": {reply.get('position') or '-'}",
        Span(stated(reply, context), Style.DIM),
        note(step, context),
    )


def ballot(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """A vote; one before the first round is an opening position."""
    if step.round == 0:
        return [position(step, reply, context)]
    vote = reply.get("position")
    what = context.message(f"position_{vote}") if vote else str(reply.get("choice") or "-")
    came = context.message("ballot_came", who=step.participant, what=what)
    return [line(came, Span(f"{stated(reply, context)}{because(reply)}", Style.DIM))]


def ballots_begin(group: Sequence[StepRow], names: str, context: RenderContext) -> list[Line]:
    """Everybody is asked for a vote, or for an opening position."""
    return headed(
        context.message("asks_opening" if group[0].round == 0 else "asks_ballots", who=names)
    )


def note(step: StepRow, context: RenderContext) -> Span:
    """What a worker noted of a turn."""
    noted = of_column(step.note)
    return Span(f" ({context.words.translate(noted)})" if noted else "", Style.DIM)


def stated(reply: Reply, context: RenderContext) -> str:
    """A stated confidence."""
    value = reply.get("confidence")
    return "" if value is None else f" ({context.message('confidence', value=value)})"


def because(reply: Reply, name: str = "reason") -> str:
    """The beginning of a reason."""
    return f" — {shortened(str(reply[name]), SHORT)}" if reply.get(name) else ""


def raised_in(step: StepRow) -> list[RaisedFinding]:
    """The findings of a contribution."""
    try:
        findings = (step.reply or {}).get("findings") or []
        return [RaisedFinding.model_validate(body) for body in findings]
    except ValidationError:
        return []


def raised_line(finding: RaisedFinding, participant: str) -> Line:
    """A finding as one participant raised it, before the panel has judged it."""
    place = finding.place
    return line(
        "  ",
        Span(place.shown if place else "-", Style.PLACE),
        ": ",
        Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
        f" {finding.rule} " if finding.rule else " ",
        beside_rules(finding.title, (finding.rule,) if finding.rule else ()),
        Span(f" — {participant}", Style.DIM),
    )


PLAIN = LiveView()
"""A workflow that says nothing of its own about its steps."""
