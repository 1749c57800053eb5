"""A turn's prompt as it is sent: the rendered parts, and how the reply has to look."""

from __future__ import annotations

import functools

from shared.models.steps import TurnRequest
from shared.text.rendering import RenderedPrompt, Resolve, render_parts
from workers.providers.calls import reply_instructions
from workers.turns.replies import schema_of


def render(
    request: TurnRequest, resolve: Resolve, *, structured: bool = False, planted: str = ""
) -> RenderedPrompt:
    """The parts (shared/text/rendering.py), and then the form of the reply.

    With `structured` the provider holds the reply to its schema and the prompt need not carry it. Raises as
    `render_parts` does.
    """
    parts = render_parts(request, resolve, planted)
    closing = _SHORT_INSTRUCTION if structured else _instructions(request.reply_model)
    user = f"{parts.user}\n\n{closing}".strip()
    # Where nothing else follows, what is stable ends with the blank line before the closing.
    alone = parts.stable > 0 and not parts.user[parts.stable :]
    stable = len(parts.user) + 2 if alone else parts.stable
    return RenderedPrompt(parts.system, user, min(stable, len(user)))


@functools.cache
def _instructions(reply_model: str) -> str:
    return reply_instructions(schema_of(reply_model))


_SHORT_INSTRUCTION = "Answer with exactly one JSON object of the given form and nothing else."
