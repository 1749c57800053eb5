"""`show RUN --prompt STEP` shows what the participant was sent, to the letter."""

from __future__ import annotations

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.sent import prompt
from shared.models.panel import Participant
from shared.models.steps import PromptPart, ToolRequest, TurnRequest
from workers.turns.canary import canary_of
from workers.turns.egress import without_secrets
from workers.turns.prompting import render

MARKER = "0123456789abcdef01234567"
DIFF = '+ password = "hunter2-and-more"\n+ x = 1\u200b\n+ <<<END of it\n'
DOCUMENTS = {"diff": DIFF.encode()}


def turn(provider: str, **fields: object) -> TurnRequest:
    values: dict[str, object] = {
        "participant": Participant(name="bob", provider=provider, model="m"),
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "system": (PromptPart(text="You review."),),
        "prompt": (PromptPart(document="diff", fence="diff", stable=True), PromptPart(text="Go.")),
        "marker": MARKER,
        "trap": "trap" * 6,
    }
    return TurnRequest.model_validate({**values, **fields})


def shown(asked: TurnRequest, *, leaves: bool) -> str:
    return plain(
        prompt(asked.model_dump(mode="json"), "turn", DOCUMENTS.__getitem__, leaves=leaves)
    )


def sent(asked: TurnRequest) -> tuple[str, str]:
    """What a worker sends, without the form of the reply."""
    planted = canary_of(asked, DOCUMENTS.__getitem__).sentence
    rendered = render(asked, DOCUMENTS.__getitem__, structured=True, planted=planted)
    masked, _ = without_secrets(rendered, asked.participant)
    return masked.system, masked.user.rpartition("\n\n")[0]


@pytest.mark.parametrize(
    ("provider", "leaves"), [("openai", True), ("anthropic", True), ("ollama", False)]
)
def test_what_is_shown_is_what_was_sent(provider: str, leaves: bool) -> None:
    asked = turn(provider)
    text = shown(asked, leaves=leaves)
    for part in sent(asked):
        assert "\n".join(line.rstrip() for line in part.splitlines()) in text
    assert ("hunter2" in text) is not leaves
    assert ("1 secret masked" in text) is leaves
    assert canary_of(asked, DOCUMENTS.__getitem__).sentence in text
    assert "how the reply has to look (critique.review)" in text


def test_a_person_is_shown_no_trap() -> None:
    asked = turn("person")
    assert canary_of(asked, DOCUMENTS.__getitem__).sentence == ""
    assert "hunter2" in shown(asked, leaves=False)


def test_a_participant_that_computes_is_shown_with_its_brief() -> None:
    asked = turn("rules", brief={"findings": ["F1"]})
    assert '"F1"' in shown(asked, leaves=False)
    assert "You review." not in shown(asked, leaves=False)


def test_a_tool_run_is_shown_with_its_inputs() -> None:
    request = ToolRequest(
        tool="ruff", participant="ruff", role="critique", round=1, reply_model="m",
        inputs={"subject": "abc"},
    )  # fmt: skip
    text = plain(
        prompt(request.model_dump(mode="json"), "tool", DOCUMENTS.__getitem__, leaves=False)
    )
    assert "tool ruff" in text
    assert '"subject": "abc"' in text
