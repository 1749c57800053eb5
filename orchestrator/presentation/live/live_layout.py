"""The live display below the lines that stay: who works on what, what they say, and the figures.

Pure: a snapshot and a size give lines, none wider and not more of them than the size allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.lines import Line, Span, Style, line, voice
from orchestrator.core.views.context import failure_of, took_s
from orchestrator.core.views.live import LiveView
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import cost_of
from orchestrator.presentation.wrapping import cut, head, tail, width_of
from orchestrator.workflows.display import display_of
from orchestrator.workflows.registry import is_conversation, workflow_named
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.rows import StepRow

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


def frame(snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """What is going on, and the footer. It fits: never wider than the terminal, and shorter by one line."""
    rows = max(size.rows - 1, 1)
    footer = _footer(snapshot, size.columns, words)[-rows:]
    room = Size(size.columns, rows - len(footer))
    view = display_of(workflow_named(snapshot.header.workflow)).live
    body = _workers(snapshot, room, words)
    if view.columns is not None:
        body = _side_by_side(view.columns, snapshot, room, words)
    elif view.spotlight is not None:
        body = _floor(view, snapshot, room, words)
    return [cut(shown, size.columns) for shown in (*body[: room.rows], *footer)]


# ---- the head, once -----------------------------------------------------------------------------


def opening(snapshot: RunSnapshot, columns: int, words: Translator) -> list[Line]:
    """The head of a conversation: what it is, who leads it, and the question."""
    header = snapshot.header
    if not is_conversation(header.workflow):
        return []
    right = words.message(header.leads, who=header.leader) if header.leads else ""
    name = display_of(workflow_named(header.workflow)).live.command or header.workflow
    left = line(Span(name, Style.STRONG), Span(f"  {snapshot.run}", Style.DIM))
    if width_of(left) + width_of(line(right)) + 2 > columns:
        left = left[:1]
    gap = max(2, columns - width_of(left) - width_of(line(right)))
    asked = line(Span(f"[{words.message('you')}] ", Style.STRONG), header.title)
    return [
        cut((*left, Span(" " * gap), Span(right, Style.DIM)), columns),
        _rule(columns),
        asked,
    ]


# ---- the footer ---------------------------------------------------------------------------------


def _footer(snapshot: RunSnapshot, columns: int, words: Translator) -> list[Line]:
    """Round, convergence, cost and time, as many of them as there is room for."""
    time = words.message("seconds", s=snapshot.elapsed_s)
    if snapshot.status is RunStatus.QUEUED:
        time = f"{words.message('status_queued')} · {time}"
    round_, answered = _stage(snapshot, words), _answered(snapshot, words)
    cost = cost_of(snapshot.usage, words)
    variants = (
        ("  ·  ", (round_, answered, _meter(snapshot, words, BAR), cost, time)),
        (" · ", (round_, answered, _meter(snapshot, words, 0), cost, time)),
        (" · ", (round_, answered, cost, time)),
        (" · ", (round_, answered, time)),
        (" · ", (time,)),
    )
    candidates = (sign.join(part for part in parts if part) for sign, parts in variants)
    fitting = next((text for text in candidates if width_of(line(text)) <= columns), time)
    return [_rule(columns), line(Span(fitting, Style.DIM))]


def _rule(columns: int) -> Line:
    return line(Span("─" * columns, Style.DIM))


def _stage(snapshot: RunSnapshot, words: Translator) -> str:
    """The phase, where the workflow has phases that say more than its rounds."""
    if snapshot.phase in display_of(workflow_named(snapshot.header.workflow)).live.phases:
        return words.word(f"phase_{snapshot.phase}", snapshot.phase)
    return _round(snapshot, words)


def _round(snapshot: RunSnapshot, words: Translator) -> str:
    """`review 2, round 1/3`; what is done instead, once the rounds are over."""
    most = snapshot.header.most_rounds
    if most is None or snapshot.round == 0 or snapshot.header.by_rules:
        return ""
    latest = max((cycle_at(step.key) for step in snapshot.steps), key=lambda cycle: cycle.number)
    numbers = [step.round for step in snapshot.steps if cycle_at(step.key) == latest]
    conversation = is_conversation(snapshot.header.workflow)
    if not conversation and snapshot.phase not in ("", *_IN_ROUNDS):
        return words.word(f"phase_{snapshot.phase}", snapshot.phase)
    position = words.message("round_of", n=min(max(numbers), most), most=most)
    if latest.number == 1:
        return position
    return f"{words.message(f'cycle_{latest.kind}', n=latest.number)}, {position}"


_IN_ROUNDS = ("Reviewing", "Debating")


def _answered(snapshot: RunSnapshot, words: Translator) -> str:
    """`2 of 3 answered`"""
    answers = [step for step in snapshot.steps if step.role == "answer"]
    if not answers:
        return ""
    came = sum(step.status == StepStatus.DONE for step in answers)
    return words.message("answered_of", answered=came, asked=len(answers))


def _meter(snapshot: RunSnapshot, words: Translator, width: int) -> str:
    """`Convergence ██████░░░░ 0.62`, with a bar of that width."""
    if not snapshot.assessments or snapshot.header.by_rules:
        return ""
    score = snapshot.assessments[-1].figures.metrics.overall_score
    full = round(max(0.0, min(score, 1.0)) * width)
    bar = f"{'█' * full}{'░' * (width - full)} " if width else ""
    return f"{words.message('convergence')} {bar}{score:.2f}"


# ---- one after another --------------------------------------------------------------------------


def _workers(snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """A line for everybody who works, and below it the end of what they say, as far as there is room."""
    steps = snapshot.open_steps
    shown, hidden = _that_fit(steps, size.rows)
    if not shown:
        return []
    spare = max(size.rows - len(shown) - bool(hidden), 0)
    speaking = sum(step.key in snapshot.live and step.status == StepStatus.LEASED for step in shown)
    held_up = [min(HELD_UP_ROWS, spare // len(shown)) for step in shown if _is_held_up(step)]
    each = min((spare - sum(held_up)) // max(speaking, 1), SPOKEN_ROWS)
    lines: list[Line] = []
    for step in shown:
        lines.append(_worker(step, snapshot, size.columns, words))
        rows = held_up[0] if _is_held_up(step) else each
        spoken = _words(step, snapshot, Size(size.columns - 2, rows), words)
        lines += [(Span("  "), *row) for row in spoken]
    return [*lines, *_others(hidden, words)]


def _is_held_up(step: StepRow) -> bool:
    return step.status == StepStatus.PENDING and bool(step.note)


def _that_fit(steps: Sequence[StepRow], rows: int) -> tuple[Sequence[StepRow], int]:
    """Those that there is room for, and how many are left out."""
    if len(steps) <= rows:
        return steps, 0
    return steps[: max(rows - 1, 0)], len(steps) - max(rows - 1, 0)


def _others(hidden: int, words: Translator) -> list[Line]:
    return [line(Span(words.message("more_participants", n=hidden), Style.DIM))] if hidden else []


def _worker(step: StepRow, snapshot: RunSnapshot, columns: int, words: Translator) -> Line:
    child = snapshot.child_of(step)
    if child is not None:
        state = words.message("status_waits") if child.status is RunStatus.WAITING else child.phase
        took = words.message("seconds", s=max(snapshot.elapsed_s - step.queued_at_s, 0.0))
        head = Span(f"⤷ {child.workflow} {child.id}", Style.STRONG)
        return line(head, Span(f"  {state} · {took}", Style.DIM))
    glyph = GLYPHS.get(StepStatus(step.status), "·")
    name = Span(f"{glyph} {step.participant}", voice(step.participant, snapshot.header.critics))
    role = "" if columns < LEAST_COLUMN * 2 else f"  {words.role(step.role)}"
    return line(name, Span(f"{role}  {_state(step, snapshot, words)}", Style.DIM))


def _state(step: StepRow, snapshot: RunSnapshot, words: Translator) -> str:
    """`3.2 s · 1,234 characters`"""
    if step.status == StepStatus.PENDING:
        again_s = (step.again_at_s or 0.0) - snapshot.elapsed_s
        if _is_held_up(step) and again_s > 0:
            return words.message("tried_again_in", s=again_s)
        return words.message("queued")
    waited = max(snapshot.elapsed_s - (step.leased_at_s or step.queued_at_s), 0.0)
    took = words.message("seconds", s=waited)
    so_far = snapshot.live.get(step.key)
    if so_far is None:
        return took
    return f"{took} · {words.message('characters', n=so_far.characters)}"


def _words(step: StepRow, snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """The end of what somebody says just now; of a turn that was handed back, what it waits for."""
    if step.status == StepStatus.PENDING:
        return _beginning(words.column(step.note), size, Style.WARNING)
    so_far = snapshot.live.get(step.key)
    return (
        [line(row) for row in tail(so_far.text, size.columns, size.rows)]
        if so_far and so_far.text
        else []
    )


# ---- side by side -------------------------------------------------------------------------------


def _side_by_side(role: str, snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """The answers in columns, as many as fit beside one another; later stages one after another."""
    answers = [step for step in snapshot.steps if step.role == role]
    if not any(step in snapshot.open_steps for step in answers):
        return _workers(snapshot, size, words)
    most = max(1, min(len(answers), (size.columns + len(GAP)) // (LEAST_COLUMN + len(GAP))))
    across = math.ceil(len(answers) / math.ceil(len(answers) / most))  # 8 are 4 and 4, not 5 and 3
    width = (size.columns - len(GAP) * (across - 1)) // across
    bands = [answers[at : at + across] for at in range(0, len(answers), across)]
    height = size.rows // len(bands)
    if height < 2:
        return _workers(replace(snapshot, live={}), size, words)
    return [row for band in bands for row in _band(band, snapshot, Size(width, height), words)]


def _band(
    band: Sequence[StepRow], snapshot: RunSnapshot, size: Size, words: Translator
) -> list[Line]:
    """Columns of that size with a rule between them; the band is as high as its longest column."""
    cells = [_cell(step, snapshot, size, words) for step in band]
    most = max(len(cell) for cell in cells)
    return [_beside(cells, row, size.columns) for row in range(most)]


def _beside(cells: Sequence[list[Line]], row: int, width: int) -> Line:
    parts: list[Span] = []
    for number, cell in enumerate(cells):
        if number:
            parts.append(Span(GAP, Style.DIM))
        part = cut(cell[row], width) if row < len(cell) else line("")
        parts += part
        if number < len(cells) - 1:
            parts.append(Span(" " * (width - width_of(part))))
    return tuple(parts)


def _cell(step: StepRow, snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """A participant's column: who and how far, and their words; finished ones can be read from the beginning."""
    name = Span(step.participant, voice(step.participant, snapshot.header.critics))
    room = Size(size.columns, size.rows - 1)
    if step.status == StepStatus.DONE:
        answer = str((step.reply or {}).get("answer") or "")
        took = words.message("seconds", s=took_s(step))
        top = line(Span("✓ ", Style.GOOD), name, Span(f"  {took}", Style.DIM))
        return [top, *_beginning(answer, room)]
    if step.status in GLYPHS:
        return [
            _top(step, name, snapshot, size.columns, words),
            *_unfinished(step, snapshot, room, words),
        ]
    reason = words.translate(failure_of(step))
    return [line(Span("⚠ ", Style.WARNING), name), *_beginning(reason, room, Style.WARNING)]


def _beginning(text: str, room: Size, style: Style = Style.PLAIN) -> list[Line]:
    return [line(Span(row, style)) for row in head(text, room.columns, room.rows)]


def _top(step: StepRow, name: Span, snapshot: RunSnapshot, columns: int, words: Translator) -> Line:
    """Who and how far; without the number of characters where the column is too narrow."""
    glyph = GLYPHS[StepStatus(step.status)]
    tops = (
        line(f"{glyph} ", name, Span(f"  {_state(step, at, words)}", Style.DIM))
        for at in (snapshot, replace(snapshot, live={}))
    )
    first = next(tops)
    return first if width_of(first) <= columns else next(tops)


def _unfinished(step: StepRow, snapshot: RunSnapshot, room: Size, words: Translator) -> list[Line]:
    text = _words(step, snapshot, room, words)
    if not text and step.status == StepStatus.LEASED:
        return [line(Span(words.message("thinks"), Style.DIM))]
    return text


# ---- one has the floor ----------------------------------------------------------------------------------


def _floor(view: LiveView, snapshot: RunSnapshot, size: Size, words: Translator) -> list[Line]:
    """Who asks for the floor as it comes, who speaks and what; anything else like any other work."""
    open_steps = snapshot.open_steps
    if not open_steps:
        return []
    role = open_steps[0].role
    if view.signs is not None and role == view.signs[0]:
        asking = line(f"    {view.signs[1](snapshot.steps)}")
        return [asking, *_held_up(open_steps, snapshot, size, words)]
    if role == view.spotlight:
        speaker = open_steps[0]
        top = line(
            Span(
                f"[{speaker.participant}] 🎤", voice(speaker.participant, snapshot.header.critics)
            ),
            Span(f"  {_state(speaker, snapshot, words)}", Style.DIM),
        )
        most = min(size.rows - 2, SPOKEN_ROWS)
        return [line(""), top, *_words(speaker, snapshot, Size(size.columns, most), words)]
    return _workers(snapshot, size, words)


def _held_up(
    steps: Sequence[StepRow], snapshot: RunSnapshot, size: Size, words: Translator
) -> list[Line]:
    """What the floor requests wait for that nobody works on."""
    waiting = [step for step in steps if _is_held_up(step)]
    room = Size(size.columns, HELD_UP_ROWS)
    return [row for step in waiting for row in _words(step, snapshot, room, words)]
