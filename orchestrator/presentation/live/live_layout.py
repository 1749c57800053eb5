"""The live display below the lines that stay: who works on what, what they say, and the figures.

Pure: a look and a size give lines, none wider and not more of them than the size allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.core.document import Line, Span, Style, line, voice
from orchestrator.core.views.context import dollars, failure_of
from orchestrator.core.views.live import LiveView
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.locale.words import column, count, role_word, say, told
from orchestrator.presentation.wrapping import cut, head, tail, width_of
from orchestrator.workflows.registry import is_conversation, workflow_named
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow, UsageRow

LEAST_COLUMN = 24
GAP = " │ "
BAR = 10
GLYPHS = {StepStatus.PENDING: "💤", StepStatus.LEASED: "🎤"}
SPOKEN_ROWS = 12
HELD_UP_ROWS = 2


@dataclass(frozen=True)
class Size:
    """What a terminal has room for."""

    columns: int
    rows: int


def frame(look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """What is going on, and the footer. It fits: never wider than the terminal, and shorter by one line."""
    rows = max(size.rows - 1, 1)
    footer = _footer(look, size.columns, language)[-rows:]
    room = Size(size.columns, rows - len(footer))
    view = workflow_named(look.setting.workflow).live
    body = _workers(look, room, language)
    if view.columns is not None:
        body = _side_by_side(view.columns, look, room, language)
    elif view.spotlight is not None:
        body = _floor(view, look, room, language)
    return [cut(shown, size.columns) for shown in (*body[: room.rows], *footer)]


# ---- the head, once -----------------------------------------------------------------------------


def opening(look: RunSnapshot, columns: int, language: str) -> list[Line]:
    """The head of a conversation: what it is, who leads it, and the question."""
    setting = look.setting
    if not is_conversation(setting.workflow):
        return []
    right = say(setting.leads, language, who=setting.leader) if setting.leads else ""
    name = workflow_named(setting.workflow).live.command or setting.workflow
    left = line(Span(name, Style.STRONG), Span(f"  {look.run}", Style.DIM))
    if width_of(left) + width_of(line(right)) + 2 > columns:
        left = left[:1]
    gap = max(2, columns - width_of(left) - width_of(line(right)))
    asked = line(Span(f"[{say('you', language)}] ", Style.STRONG), setting.title)
    return [
        cut((*left, Span(" " * gap), Span(right, Style.DIM)), columns),
        _rule(columns),
        asked,
    ]


# ---- the footer ---------------------------------------------------------------------------------


def _footer(look: RunSnapshot, columns: int, language: str) -> list[Line]:
    """Round, convergence, cost and time, as many of them as there is room for."""
    time = say("seconds", language, s=look.elapsed_s)
    round_, answered = _round(look, language), _answered(look, language)
    cost = _cost(look.usage, language)
    variants = (
        ("  ·  ", (round_, answered, _meter(look, language, BAR), cost, time)),
        (" · ", (round_, answered, _meter(look, language, 0), cost, time)),
        (" · ", (round_, answered, cost, time)),
        (" · ", (round_, answered, time)),
        (" · ", (time,)),
    )
    told = (sign.join(part for part in parts if part) for sign, parts in variants)
    fitting = next((one for one in told if width_of(line(one)) <= columns), time)
    return [_rule(columns), line(Span(fitting, Style.DIM))]


def _rule(columns: int) -> Line:
    return line(Span("─" * columns, Style.DIM))


def _round(look: RunSnapshot, language: str) -> str:
    most = look.setting.most_rounds
    if most is None or look.round == 0:
        return ""
    return say("round_of", language, n=look.round, most=most)


def _answered(look: RunSnapshot, language: str) -> str:
    """`2 of 3 answered`"""
    answers = [step for step in look.steps if step.role == "answer"]
    if not answers:
        return ""
    came = sum(step.status == StepStatus.DONE for step in answers)
    return say("answered_of", language, answered=came, asked=len(answers))


def _meter(look: RunSnapshot, language: str, width: int) -> str:
    """`Convergence ██████░░░░ 0.62`, with a bar of that width."""
    if not look.assessments:
        return ""
    score = look.assessments[-1].figures.metrics.overall_score
    full = round(max(0.0, min(score, 1.0)) * width)
    bar = f"{'█' * full}{'░' * (width - full)} " if width else ""
    return f"{say('convergence', language)} {bar}{score:.2f}"


def _cost(usage: UsageRow | None, language: str) -> str:
    if usage is None or not usage.calls:
        return ""
    if usage.unknown_costs == usage.calls:
        return say("cost_unknown", language)
    known = dollars(usage.cost_usd or 0.0)
    return say("cost_at_least", language, cost=known) if usage.unknown_costs else known


# ---- one after another --------------------------------------------------------------------------


def _workers(look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """A line for everybody who works, and below it the end of what they say, as far as there is room."""
    steps = look.open_steps
    shown, hidden = _that_fit(steps, size.rows)
    if not shown:
        return []
    spare = max(size.rows - len(shown) - bool(hidden), 0)
    speaking = sum(step.key in look.live and step.status == StepStatus.LEASED for step in shown)
    held_up = [min(HELD_UP_ROWS, spare // len(shown)) for step in shown if _is_held_up(step)]
    each = min((spare - sum(held_up)) // max(speaking, 1), SPOKEN_ROWS)
    lines: list[Line] = []
    for step in shown:
        lines.append(_worker(step, look, size.columns, language))
        rows = held_up[0] if _is_held_up(step) else each
        spoken = _words(step, look, Size(size.columns - 2, rows), language)
        lines += [(Span("  "), *one) for one in spoken]
    return [*lines, *_others(hidden, language)]


def _is_held_up(step: StepRow) -> bool:
    return step.status == StepStatus.PENDING and bool(step.note)


def _that_fit(steps: Sequence[StepRow], rows: int) -> tuple[Sequence[StepRow], int]:
    """Those that there is room for, and how many are left out."""
    if len(steps) <= rows:
        return steps, 0
    return steps[: max(rows - 1, 0)], len(steps) - max(rows - 1, 0)


def _others(hidden: int, language: str) -> list[Line]:
    return [line(Span(count("more_participants", language, hidden), Style.DIM))] if hidden else []


def _worker(step: StepRow, look: RunSnapshot, columns: int, language: str) -> Line:
    glyph = GLYPHS.get(StepStatus(step.status), "·")
    name = Span(f"{glyph} {step.participant}", voice(step.participant, look.setting.critics))
    role = "" if columns < LEAST_COLUMN * 2 else f"  {role_word(step.role, language)}"
    return line(name, Span(f"{role}  {_state(step, look, language)}", Style.DIM))


def _state(step: StepRow, look: RunSnapshot, language: str) -> str:
    """`3.2 s · 1,234 characters`"""
    if step.status == StepStatus.PENDING:
        return say("queued", language)
    waited = max(look.elapsed_s - (step.leased_at_s or step.queued_at_s), 0.0)
    took = say("seconds", language, s=waited)
    so_far = look.live.get(step.key)
    if so_far is None:
        return took
    return f"{took} · {say('characters', language, n=so_far.characters)}"


def _words(step: StepRow, look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """The end of what somebody says just now; of a turn that was handed back, what it waits for."""
    if step.status == StepStatus.PENDING:
        why = head(column(step.note, language), size.columns, size.rows)
        return [line(Span(one, Style.WARNING)) for one in why]
    so_far = look.live.get(step.key)
    return (
        [line(one) for one in tail(so_far.text, size.columns, size.rows)]
        if so_far and so_far.text
        else []
    )


# ---- side by side -------------------------------------------------------------------------------


def _side_by_side(role: str, look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """The answers in columns, as many as fit beside one another; later stages one after another."""
    answers = [step for step in look.steps if step.role == role]
    if not any(step in look.open_steps for step in answers):
        return _workers(look, size, language)
    most = max(1, min(len(answers), (size.columns + len(GAP)) // (LEAST_COLUMN + len(GAP))))
    across = math.ceil(len(answers) / math.ceil(len(answers) / most))  # 8 are 4 and 4, not 5 and 3
    width = (size.columns - len(GAP) * (across - 1)) // across
    bands = [answers[at : at + across] for at in range(0, len(answers), across)]
    height = size.rows // len(bands)
    if height < 2:
        return _workers(replace(look, live={}), size, language)
    return [row for band in bands for row in _band(band, look, Size(width, height), language)]


def _band(band: Sequence[StepRow], look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """Columns of that size with a rule between them; the band is as high as its longest column."""
    cells = [_cell(step, look, size, language) for step in band]
    most = max(len(cell) for cell in cells)
    return [_beside(cells, row, size.columns) for row in range(most)]


def _beside(cells: Sequence[list[Line]], row: int, width: int) -> Line:
    parts: list[Span] = []
    for number, cell in enumerate(cells):
        if number:
            parts.append(Span(GAP, Style.DIM))
        found = cut(cell[row], width) if row < len(cell) else line("")
        parts += found
        if number < len(cells) - 1:
            parts.append(Span(" " * (width - width_of(found))))
    return tuple(parts)


def _cell(step: StepRow, look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """A participant's column: who and how far, and their words; finished ones can be read from the beginning."""
    name = Span(step.participant, voice(step.participant, look.setting.critics))
    if step.status == StepStatus.DONE:
        said = str((step.reply or {}).get("answer") or "")
        took = say("seconds", language, s=(step.finished_at_s or 0.0) - (step.leased_at_s or 0.0))
        top = line(Span("✓ ", Style.GOOD), name, Span(f"  {took}", Style.DIM))
        return [top, *(line(one) for one in head(said, size.columns, size.rows - 1))]
    if step.status not in (StepStatus.PENDING, StepStatus.LEASED):
        why = failure_of(step)
        whole = head(told(why, language), size.columns, size.rows - 1)
        return [
            line(Span("⚠ ", Style.WARNING), name),
            *(line(Span(one, Style.WARNING)) for one in whole),
        ]
    glyph = GLYPHS[StepStatus(step.status)]
    top = line(f"{glyph} ", name, Span(f"  {_state(step, look, language)}", Style.DIM))
    if width_of(top) > size.columns:
        short = _state(step, replace(look, live={}), language)
        top = line(f"{glyph} ", name, Span(f"  {short}", Style.DIM))
    words = _words(step, look, Size(size.columns, size.rows - 1), language)
    if not words and step.status == StepStatus.LEASED:
        return [top, line(Span(say("thinks", language), Style.DIM))]
    return [top, *words]


# ---- one has the floor ----------------------------------------------------------------------------------


def _floor(view: LiveView, look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """Who asks for the floor as it comes, who speaks and what; anything else like any other work."""
    open_steps = look.open_steps
    if not open_steps:
        return []
    role = open_steps[0].role
    if view.signs is not None and role == view.signs[0]:
        asking = line(f"    {view.signs[1](look.steps)}")
        return [asking, *_held_up(open_steps, look, size, language)]
    if role == view.spotlight:
        speaker = open_steps[0]
        top = line(
            Span(f"[{speaker.participant}] 🎤", voice(speaker.participant, look.setting.critics)),
            Span(f"  {_state(speaker, look, language)}", Style.DIM),
        )
        most = min(size.rows - 2, SPOKEN_ROWS)
        return [line(""), top, *_words(speaker, look, Size(size.columns, most), language)]
    return _workers(look, size, language)


def _held_up(steps: Sequence[StepRow], look: RunSnapshot, size: Size, language: str) -> list[Line]:
    """What the floor requests wait for that nobody works on."""
    waiting = [step for step in steps if _is_held_up(step)]
    room = Size(size.columns, HELD_UP_ROWS)
    return [one for step in waiting for one in _words(step, look, room, language)]
