"""The prompt of one step, as its participant was sent it: fences, trap and masked secrets included."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.core.lines import Line, Span, Style, block, line
from shared.models.steps import ToolRequest, TurnRequest
from shared.text.masking.mask import mask
from shared.text.rendering import Resolve, render_parts
from shared.text.trap import trap_of

_FORM = (
    "--- then how the reply has to look ({model}): its JSON schema in words, or as the provider's own "
    "structured output; a repair turn adds the unusable answer and the objection to it"
)
_MASKED = "--- {total} secret{s} masked: this participant is reached over the network"


def prompt(request: dict[str, Any], kind: str, resolve: Resolve, *, leaves: bool) -> list[Line]:
    """What a step asked of its worker. With `leaves` the text left this machine, so its secrets were masked."""
    if kind == "tool":
        asked = ToolRequest.model_validate(request)
        shown = json.dumps(asked.inputs, ensure_ascii=False, indent=2)
        return [line(Span(f"tool {asked.tool}", Style.STRONG)), *block(shown)]
    turn = TurnRequest.model_validate(request)
    lines = [line(Span(f"{turn.participant.name}: {turn.role} → {turn.reply_model}", Style.STRONG))]
    if turn.participant.rule_based:
        return [*lines, *_titled("brief", json.dumps(turn.brief, ensure_ascii=False, indent=2))]
    lines += _texts(turn, resolve, leaves=leaves)
    form = _FORM.format(model=turn.reply_model)
    return lines if turn.participant.is_person else [*lines, _note(form)]


def _texts(turn: TurnRequest, resolve: Resolve, *, leaves: bool) -> list[Line]:
    """Both texts, exactly as the worker makes them (workers/turns/steps.py)."""
    sent = render_parts(turn, resolve, trap_of(turn, resolve).sentence)
    if not leaves:
        return [*_titled("system", sent.system), *_titled("user", sent.user)]
    system, user = mask(sent.system), mask(sent.user)
    lines = [*_titled("system", system.text), *_titled("user", user.text)]
    total = system.total + user.total
    return (
        [*lines, _note(_MASKED.format(total=total, s="" if total == 1 else "s"))]
        if total
        else lines
    )


def _titled(title: str, text: str) -> list[Line]:
    return [_note(f"--- {title}"), *block(text)]


def _note(text: str) -> Line:
    return line(Span(text, Style.DIM))
