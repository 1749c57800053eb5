"""What a run captures of the settings, in the run's own words."""

from __future__ import annotations

from orchestrator.configuration.schema import Settings
from orchestrator.subjects.request import MAY_BE_SENT, NEVER_SENT, Screen
from shared.models.findings import Severity
from shared.models.run import Budget, DecisionPolicy, ReviewOptions, Thresholds

DEFAULT_ROUNDS = 3


def review_options(settings: Settings) -> ReviewOptions:
    """The review's options; `review.max_rounds` counts before `settings.max_rounds`."""
    convergence, gate, review = settings.convergence, settings.gate, settings.review
    agreement_weight, stability_weight = convergence.weights
    return ReviewOptions(
        strategy=review.strategy,
        rounds=review.max_rounds or settings.settings.max_rounds or DEFAULT_ROUNDS,
        detector=convergence.detector,
        thresholds=Thresholds(
            agreement=convergence.agreement,
            stability=convergence.stability,
            stalled_stability=convergence.stalled_stability,
            agreement_weight=agreement_weight,
            stability_weight=stability_weight,
        ),
        quorum=gate.quorum,
        max_reviews=review.max_reviews,
        apply=review.apply,
        fail_on=gate.fail_on if isinstance(gate.fail_on, Severity) else None,
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


def decision_policy(settings: Settings) -> DecisionPolicy:
    """How the run asks."""
    policy = settings.decision
    return DecisionPolicy(mode=policy.mode, timeout_s=policy.timeout, on_timeout=policy.on_timeout)


def screen(settings: Settings) -> Screen:
    """Which files of a change stay on this machine."""
    privacy = settings.privacy
    return Screen(
        never_sent=(*NEVER_SENT, *privacy.never_send),
        may_be_sent=(*MAY_BE_SENT, *privacy.may_send),
        exclude=settings.review.exclude,
    )
