"""What a case knows: its run, its options and its texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from orchestrator.core.discussion.estimate import SHORT_ANSWER_TOKENS
from orchestrator.workflows.case.disclosure import Disclosure
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.prompts import CasePrompts
from shared.models.case import Case
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.text.tokens import estimated_tokens

READINGS = 2
"""How often a turn shows the chart: as it is, and as the sentences that code read out of it."""
ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True)
class CaseContext:
    """One case. `document` gives a stored text by its hash, `disclosure` says who may see what."""

    spec: RunSpec
    options: CaseOptions
    prompts: CasePrompts
    case: Case
    disclosure: Disclosure
    document: Callable[[str], str] = field(compare=False, repr=False)

    @cached_property
    def text(self) -> str:
        """The chart."""
        return self.document(self.case.chart)

    @cached_property
    def readers(self) -> tuple[Participant, ...]:
        """The critics that are to read."""
        return tuple(critic for critic in self.spec.panel.critics if not critic.rule_based)

    @cached_property
    def models(self) -> tuple[Participant, ...]:
        """Those of them that are asked."""
        return tuple(critic for critic in self.readers if self._can_hold(critic))

    @cached_property
    def analyst(self) -> Participant | None:
        """The model that analyses, or nobody."""
        analyst = self.options.analyst
        return analyst if analyst is not None and self._can_hold(analyst) else None

    @cached_property
    def verifier(self) -> Participant | None:
        """The model that makes solutions, or nobody."""
        verifier = self.options.verifier
        return verifier if verifier is not None and self._can_hold(verifier) else None

    @cached_property
    def too_small(self) -> tuple[Participant, ...]:
        """Who is not asked, for the chart is too long for it."""
        parts = (*self.readers, self.options.analyst, self.options.verifier)
        left_out = {
            part.name: part for part in parts if part is not None and not self._can_hold(part)
        }
        return tuple(left_out.values())

    @cached_property
    def chart_tokens(self) -> int:
        """How long the chart is."""
        return estimated_tokens(self.text)

    def _can_hold(self, participant: Participant) -> bool:
        return can_hold(participant, self.chart_tokens)

    def unmasked(self, participant: Participant, reply: ReplyT) -> ReplyT:
        """A reply with the identifiers put back, from one that was shown placeholders."""
        if not (self.disclosure.identifiers and self.disclosure.hides_from(participant)):
            return reply
        content = _put_back(reply.model_dump(mode="json"), self.disclosure.unmasked)
        return type(reply).model_validate_json(json.dumps(content))


def can_hold(participant: Participant, chart_tokens: int) -> bool:
    """Whether a model may hold what every turn shows: the chart, its sentences with their ids, and a short answer.

    What needs more than that may still fail in its turn, and is told there. Whose limits nobody knows is asked.
    """
    room = participant.context_tokens
    needed = READINGS * chart_tokens + SHORT_ANSWER_TOKENS
    return room is None or not participant.is_model or needed <= room


def _put_back(content: JsonValue, unmask: Callable[[str], str]) -> JsonValue:
    match content:
        case str():
            return unmask(content)
        case list():
            return [_put_back(each, unmask) for each in content]
        case dict():
            return {name: _put_back(each, unmask) for name, each in content.items()}
    return content
