"""The rule-based speaker: the author's side, the later rounds and the chair of a panel without a model.

It computes from the turn's `brief` and from nothing else. The rules are stated in
docs/design/rules.md; every text it writes says that a rule wrote it.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, Field, ValidationError

from shared.errors import ProviderError
from shared.models.counted_synthesis import SynthesisBrief, counted_synthesis
from shared.models.findings import Finding, FindingStatus, Position, Severity, StatedStance
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.replies import REPLY_MODELS
from shared.models.review_replies import FixProposal, ProposedFix, Synthesis
from shared.models.sections import DefendedPoint
from shared.models.steps import Usage
from shared.models.wire import ForeignWire
from workers.providers.calls import Cancelled, Completion, ProviderCall
from workers.providers.defences import Defence, Evidence, defence_of

MODEL = "rule-based"
_FREE = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)


class RebuttalBrief(ForeignWire):
    """The author's side answers these findings; `changed` and `sources` are its evidence."""

    findings: tuple[Finding, ...]
    changed: dict[str, tuple[tuple[int, int], ...]] | None = None
    sources: dict[str, str] | None = None


class CitedDefence(ForeignWire):
    """What the author's side said for a finding: its words, and the rule that they cite.

    Without `rule` the word in brackets at the start of `reason` is the rule.
    """

    rule: str = ""
    reason: str = ""

    @property
    def cited(self) -> str:
        """The rule's name, in brackets or not; empty when none is cited."""
        opening, bracket, _ = self.reason.partition("]")
        return self.rule or (f"{opening}{bracket}" if bracket and opening[:1] == "[" else "")


class CritiqueBrief(RebuttalBrief):
    """A critic of a later round: `own` are the findings that it raised."""

    own: tuple[str, ...] = ()
    defences: dict[str, CitedDefence] = Field(default_factory=dict)


class FixBrief(ForeignWire):
    """Findings that are to be fixed."""

    findings: tuple[Finding, ...]


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """What the rules say for this turn. Raises ProviderError (bad_request) for a role without rules."""
    del cancel
    speaker = _SPEAKERS.get(call.role)
    if speaker is None:
        raise _unable(call, f"there are no rules for the role {call.role}")
    try:
        reply = speaker(call)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _unable(call, f"its brief does not fit ({place}: {first['msg']})") from error
    return Completion(text=reply.model_dump_json(exclude_none=True), usage=_FREE, model=MODEL)


def structured(participant: Participant) -> bool:
    """The reply is built from its model: nothing need be asked for."""
    del participant
    return True


def _unable(call: ProviderCall, why: str) -> ProviderError:
    return ProviderError(
        FailureKind.BAD_REQUEST,
        f"The rule-based participant {call.participant.name} cannot speak: {why}.",
    )


def _rebuttal(call: ProviderCall) -> ForeignWire:
    brief = RebuttalBrief.model_validate(dict(call.brief))
    evidence = Evidence(brief.changed, brief.sources)
    judged = [(finding, defence_of(finding, evidence)) for finding in brief.findings]
    conceded = tuple(f"{finding.id}: {finding.title}" for finding, defence in judged if not defence)
    defended = tuple(
        DefendedPoint(point=f"{finding.id}: {finding.title}", reason=defence.stated)
        for finding, defence in judged
        if defence
    )
    fields: dict[str, object] = {
        "stances": tuple(_answer(finding, defence) for finding, defence in judged)
    }
    text = (
        f"Rule-based: {len(conceded)} of {len(judged)} findings are conceded and to be fixed, "
        f"{len(defended)} are defended."
    )
    names = _REBUTTAL_FIELDS.get(call.reply_model)
    if names is None:
        raise _unable(call, f"there are no rules for the reply {call.reply_model}")
    fields |= dict(zip(names, (conceded, defended, text), strict=True))
    return REPLY_MODELS[call.reply_model].model_validate(fields)


# What each strategy calls the conceded points, the defended points and the resulting proposal.
_REBUTTAL_FIELDS = {
    "rebuttal.review": ("conceded_points", "defended_points", "refined_recommendation"),
    "rebuttal.red-team": ("accepted_challenges", "rejected_challenges", "revised_solution"),
}


def _answer(finding: Finding, defence: Defence | None) -> StatedStance:
    if defence is not None:
        return StatedStance(
            finding=finding.id,
            position=Position.DISAGREE,
            reason=defence.stated,
            quote=defence.quote,
        )
    return StatedStance(
        finding=finding.id, position=Position.AGREE, reason="[conceded] No rule defends this place."
    )


def _critique(call: ProviderCall) -> ForeignWire:
    brief = CritiqueBrief.model_validate(dict(call.brief))
    stances = tuple(_second_look(finding, brief) for finding in brief.findings)
    agreed = {stance.finding for stance in stances if stance.position is Position.AGREE}
    blocking = [
        finding
        for finding in brief.findings
        if finding.id in agreed and finding.severity.rank <= Severity.MINOR.rank
    ]
    withdrawn = sum(stance.position is Position.WITHDRAW for stance in stances)
    return REPLY_MODELS[call.reply_model].model_validate(
        {
            "verdict": "NEEDS_FIX" if blocking else "APPROVED",
            "summary": (
                f"Rule-based: of {len(brief.own)} own findings {len(agreed)} are held and "
                f"{withdrawn} withdrawn; those of others are not judged."
            ),
            "stances": stances,
        }
    )


def _second_look(finding: Finding, brief: CritiqueBrief) -> StatedStance:
    if finding.id not in brief.own:
        return StatedStance(
            finding=finding.id,
            position=Position.ABSTAIN,
            reason="[not-mine] An analyser judges only what it found itself.",
        )
    cited = brief.defences.get(finding.id)
    if cited is None:
        return _upheld(finding, "nobody defended the place")
    defence = defence_of(finding, Evidence(brief.changed, brief.sources), cited.cited)
    if defence is None:
        return _upheld(finding, "the defence cites no rule that holds here")
    return StatedStance(
        finding=finding.id, position=Position.WITHDRAW, reason=defence.stated, quote=defence.quote
    )


def _upheld(finding: Finding, why: str) -> StatedStance:
    return StatedStance(
        finding=finding.id, position=Position.AGREE, reason=f"[held] The finding stands: {why}."
    )


def _synthesis(call: ProviderCall) -> Synthesis:
    return counted_synthesis(SynthesisBrief.model_validate(dict(call.brief)))


def _fix(call: ProviderCall) -> FixProposal:
    brief = FixBrief.model_validate(dict(call.brief))
    return FixProposal(
        fixes=tuple(
            ProposedFix(
                findings=(finding.id,),
                patch=finding.patch,
                explanation=f"Rule-based: the analyser's own fix ({finding.rule or 'no rule id'}).",
            )
            for finding in brief.findings
            if finding.patch and finding.status is not FindingStatus.REJECTED
        )
    )


_SPEAKERS: dict[str, Callable[[ProviderCall], BaseModel]] = {
    "critique": _critique,
    "rebuttal": _rebuttal,
    "synthesis": _synthesis,
    "fix": _fix,
}
