"""What a case knows: its run, its options and its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from orchestrator.workflows.case.chart_parts import (
    ChartPart,
    excerpt,
    expected_parts,
    holds_whole,
    part_tokens,
    portions,
)
from orchestrator.workflows.case.disclosure import Disclosure
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.prompts import CasePrompts
from shared.models.case import Case
from shared.models.findings import Finding
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.text.tokens import estimated_tokens

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
        return tuple(critic for critic in self.readers if self._reads(critic))

    @cached_property
    def analyst(self) -> Participant | None:
        """The model that analyses, or nobody."""
        analyst = self.options.analyst
        return analyst if analyst is not None and self._reads(analyst) else None

    @cached_property
    def verifier(self) -> Participant | None:
        """The model that makes solutions, or nobody."""
        verifier = self.options.verifier
        return verifier if verifier is not None and self._reads(verifier) else None

    @cached_property
    def too_small(self) -> tuple[Participant, ...]:
        """Who is not asked: the chart is too long for it, and it could be shown too little of it at once."""
        parts = (*self.readers, self.options.analyst, self.options.verifier)
        left_out = {part.name: part for part in parts if part is not None and not self._reads(part)}
        return tuple(left_out.values())

    @cached_property
    def chart_tokens(self) -> int:
        """How long the chart is."""
        return estimated_tokens(self.text)

    def _reads(self, participant: Participant) -> bool:
        return expected_parts(participant, self.chart_tokens) > 0

    def portions(self, participant: Participant) -> tuple[ChartPart | None, ...]:
        """What it reads turn by turn; None is the whole chart, in one turn."""
        if holds_whole(participant, self.chart_tokens):
            return (None,)
        tokens = part_tokens(participant)
        return portions(self.text, tokens) if tokens else ()

    def excerpt(
        self, participant: Participant, findings: Sequence[Finding] = ()
    ) -> ChartPart | None:
        """What a turn about these findings is shown of a chart that is read in portions; None: the whole."""
        if holds_whole(participant, self.chart_tokens):
            return None
        return excerpt(self.text, part_tokens(participant), findings)

    def unmasked(self, participant: Participant, reply: ReplyT) -> ReplyT:
        """A reply with the identifiers put back, from one that was shown placeholders."""
        if not (self.disclosure.identifiers and self.disclosure.hides_from(participant)):
            return reply
        content = _put_back(reply.model_dump(mode="json"), self.disclosure.unmasked)
        return type(reply).model_validate_json(json.dumps(content))


def _put_back(content: JsonValue, unmask: Callable[[str], str]) -> JsonValue:
    match content:
        case str():
            return unmask(content)
        case list():
            return [_put_back(each, unmask) for each in content]
        case dict():
            return {name: _put_back(each, unmask) for name, each in content.items()}
    return content
