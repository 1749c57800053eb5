"""What the turns of a stage ask alike is made once, and nobody keeps it after the last of them."""

from __future__ import annotations

from orchestrator.core.discussion.templates import SharedPrompt, Templates
from orchestrator.core.replay.commands import Prompt
from shared.models.panel import Participant
from shared.models.steps import PromptPart


def test_a_prompt_is_made_for_the_first_turn_and_dropped_with_the_last() -> None:
    made: list[Prompt] = []

    def make() -> Prompt:
        made.append(Prompt((PromptPart(text="You review."),)))
        return made[-1]

    shared = SharedPrompt(make, turns=3)
    assert made == []
    prompts = [shared() for _ in range(3)]
    assert all(prompt is made[0] for prompt in prompts)
    assert (len(made), shared.made) == (1, None)
    # Who asks again (a replay that is compared) is given the same, made anew.
    assert shared() == made[0]
    assert (len(made), shared.made) == (2, None)


def test_each_is_told_its_own_persona() -> None:
    templates = Templates({"persona": "You are $persona."})
    common = Prompt((PromptPart(text="You review."),), (PromptPart(text="Look."),))
    one = templates.addressed(common, Participant(name="a", provider="openai", persona="a lawyer"))
    assert [part.text for part in one.system] == ["You review.", "You are a lawyer."]
    assert one.user is common.user
    assert templates.addressed(common, Participant(name="b", provider="openai")) is common
