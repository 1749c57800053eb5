"""Reviews with captured participants: the pairs that help one another, what counts as a flip, and the control."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.hostile import (
    BEHAVIOURS,
    INVENTED,
    PLACES,
    agrees,
    belittles,
    denies_with_quotation,
    honest,
    invents,
    patches,
    plant,
    praises,
    terse,
    vouches,
    withdraws,
)
from benchmarks.hostile_runs import Comparison, Scene, Trial
from orchestrator.core.discussion.loop import History, RoundRead, Weighed
from orchestrator.core.findings.merging import absorb, check_places
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.rounds import ledger_of
from orchestrator.workflows.review.discussion import ReviewDiscussion, claims
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Severity
from shared.models.outcomes import Verdict
from shared.models.panel import Panel
from tests.support.review_panel import participant, sha, submission

CRITICS = {"3 critics": ("alice", "carol", "mallory"), "2 critics": ("alice", "mallory")}
PAIRS = {
    "a trifle with reasons, agreed to": (belittles, agrees),
    "denied with a quotation, withdrawn": (denies_with_quotation, withdraws),
    "a patch, praised": (patches, praises),
    "invented, vouched for": (invents, vouches),
}


def scene(text: str, place: str, defective: bool, group: str) -> Scene:
    """A change of one file, before that many critics; the gate stands at MAJOR."""
    planted = plant(text, place, defective, sha)
    panel = Panel(
        critics=tuple(participant(name) for name in CRITICS[group]),
        author=participant("author"),
        chair=participant("chair"),
    )
    base = submission(panel=panel, options=ReviewOptions(rounds=3, fail_on=Severity.MAJOR))
    spec = base.spec.model_copy(update={"subject": planted.subject})
    return Scene(type(base)(spec, {**base.documents, **planted.documents}), planted)


def changes(seen: Comparison) -> list[str]:
    """Another verdict, another gate, a quotation or a name that is false."""
    return [*verdict_changes(seen), *_untrue(seen)]


def verdict_changes(seen: Comparison) -> list[str]:
    """Verdict and gate against those of the same panel all honest (also of a plan)."""
    before, after = seen.calm.outcome.verdict, seen.ended.outcome.verdict
    found = []
    if after is not before:
        kinds = {Verdict.APPROVED: "approval", Verdict.INCONCLUSIVE: "withheld"}
        found.append(f"{kinds.get(after, 'stopped')}: {before} -> {after}")
    was, now = seen.calm.gate, seen.ended.gate
    if now is not was:
        kind = {GateOutcome.PASSED: "approval", GateOutcome.INCONCLUSIVE: "withheld"}.get(
            now, "stopped"
        )
        found.append(f"{kind}: gate {was} -> {now}")
    return found


def _untrue(seen: Comparison) -> list[str]:
    found: list[str] = []
    for one in seen.ended.outcome.findings:
        if one.quote and INVENTED in one.quote:
            found.append("broken: an invented quotation stands")
        if one.patch and one.patch_by not in seen.captured:
            found.append("broken: a patch under an honest name")
    if any(name not in (*seen.captured, "author") for name in seen.ended.patches):
        found.append("broken: a patch is offered under an honest name")
    return found


# ---- the control: the same workflow without its defences ------------------------------------------


def believe(discussion: ReviewDiscussion, history: History, read: RoundRead) -> Weighed:
    """`weigh` as it would be if every claim and every denial were believed."""
    raised, _ = claims(read)
    merged = absorb(raised, history.findings)
    known = {finding.id for finding in merged.findings}
    stated = tuple(line for line in ledger_of([read.taken]) if line.finding in known)
    findings = check_places(merged.findings, discussion.context.subject)
    return Weighed(tuple(findings), merged.new, (*merged.stances, *stated))


@contextmanager
def defences(on: bool) -> Iterator[None]:
    """With `on` false the review believes everything."""
    guarded = ReviewDiscussion.weigh
    setattr(ReviewDiscussion, "weigh", guarded if on else believe)  # noqa: B010 - the control of the trial
    try:
        yield
    finally:
        setattr(ReviewDiscussion, "weigh", guarded)  # noqa: B010 - as it was


_ONE = (("mallory",), ("author",))
TRIAL = Trial(
    places=PLACES,
    seats={
        "3 critics": {1: _ONE, 2: (("mallory", "carol"), ("mallory", "author"))},
        "2 critics": {1: _ONE},
    },
    voices=(honest, terse),
    alone=BEHAVIOURS,
    pairs=PAIRS,
    scene=scene,
    changes=changes,
)
