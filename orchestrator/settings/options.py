"""What a run captures of the settings, in the run's own words."""

from __future__ import annotations

from orchestrator.settings.schema import Settings
from orchestrator.subjects.request import MAY_BE_SENT, NEVER_SENT, Screen
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.descriptor import ASK
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Severity
from shared.models.panel import Participant
from shared.models.run import Budget, DecisionPolicy, Thresholds

DEFAULT_ROUNDS = 3
DEFAULT_TURN_S = 300.0
FORUM_ROUNDS = 10
FORUM_S = 300.0
MOST_PANEL_ROUNDS = 10


def review_options(settings: Settings) -> ReviewOptions:
    """The review's options; `review.max_rounds` counts before `settings.max_rounds`."""
    convergence, gate, review = settings.convergence, settings.gate, settings.review
    return ReviewOptions(
        strategy=review.strategy,
        rounds=review.max_rounds or settings.settings.max_rounds or DEFAULT_ROUNDS,
        detector=convergence.detector,
        thresholds=thresholds(settings),
        quorum=gate.quorum,
        max_reviews=review.max_reviews,
        apply=review.apply,
        fail_on=_fail_on(settings),
    )


def ask_options(settings: Settings) -> AskOptions:
    """The options of ask."""
    ask = settings.ask
    return AskOptions(ranking=ask.ranking, synthesis=ask.synthesis, quorum=ask.quorum)


def forum_options(settings: Settings) -> ForumOptions:
    """The forum's options; `settings.timeout` is for the whole discussion, where the forum has no own."""
    forum, general = settings.forum, settings.settings
    return ForumOptions(
        max_rounds=forum.max_rounds or general.max_rounds or FORUM_ROUNDS,
        timeout_s=forum.timeout or general.timeout or FORUM_S,
        bid_timeout_s=forum.bid_timeout,
        patience=forum.patience,
        blind_opening=forum.blind_opening,
        anonymous=forum.anonymous,
        ballot=forum.ballot,
        consensus=forum.consensus,
        quorum=forum.quorum,
    )


def plan_options(settings: Settings, given: bool) -> PlanOptions:
    """The plan's options; with `given` the subject's text is the plan itself."""
    plan = settings.plan
    return PlanOptions(
        strategy=plan.strategy,
        given=given,
        rounds=plan.max_rounds or settings.settings.max_rounds or DEFAULT_ROUNDS,
        detector=settings.convergence.detector,
        thresholds=thresholds(settings),
        quorum=plan.quorum,
        max_revisions=plan.max_revisions,
        fail_on=_fail_on(settings),
    )


def panel_options(settings: Settings, moderator: Participant | None) -> PanelOptions:
    """The panel's options; `settings.max_rounds` holds up to what a panel may have."""
    debate = settings.debate
    rounds = debate.max_rounds or settings.settings.max_rounds or DEFAULT_ROUNDS
    return PanelOptions(
        strategy=debate.strategy,
        max_rounds=min(rounds, MOST_PANEL_ROUNDS),
        consensus_threshold=debate.consensus_threshold,
        moderator=moderator,
        opening_vote=debate.opening_vote,
        ballot=debate.ballot,
        thresholds=thresholds(settings),
        quorum=debate.quorum,
        require_consensus=debate.require_consensus,
    )


def _fail_on(settings: Settings) -> Severity | None:
    wanted = settings.gate.fail_on
    return wanted if isinstance(wanted, Severity) else None


def thresholds(settings: Settings) -> Thresholds:
    """The convergence rule's numbers."""
    convergence = settings.convergence
    agreement_weight, stability_weight = convergence.weights
    return Thresholds(
        agreement=convergence.agreement,
        stability=convergence.stability,
        stalled_stability=convergence.stalled_stability,
        agreement_weight=agreement_weight,
        stability_weight=stability_weight,
    )


def budget(settings: Settings) -> Budget:
    """The limits of one run."""
    limits = settings.budget
    return Budget(
        max_calls=limits.per_run_calls,
        max_tokens=limits.per_run_tokens,
        max_usd=limits.per_run_usd,
        max_seconds=limits.per_run_time,
    )


def decision_policy(settings: Settings, workflow: str) -> DecisionPolicy:
    """How a run of that workflow asks. The words of another workflow decide nothing here: a person is asked."""
    policy, decisions = settings.decision, WORKFLOWS[workflow].decisions
    known = [word for decision in decisions for word in decision.words]
    silence = {"on_timeout": decisions[0].on_timeout} if decisions else {}
    return DecisionPolicy(
        mode=policy.mode if policy.mode in known else ASK, timeout_s=policy.timeout, **silence
    )


def screen(settings: Settings) -> Screen:
    """Which files of a change stay on this machine."""
    privacy = settings.privacy
    return Screen(
        never_sent=(*NEVER_SENT, *privacy.never_send),
        may_be_sent=(*MAY_BE_SENT, *privacy.may_send),
        exclude=settings.review.exclude,
    )
