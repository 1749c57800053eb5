"""What a run of each workflow captures of the settings."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from orchestrator.settings.options import decision_policy, workflow_options
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import DecisionSection
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.strategies import STRATEGIES as DEBATES
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.strategies import STRATEGIES as PLANS
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.models.panel import Participant

SEED_001 = "settings:\n  max_rounds: 10\n  timeout: 300\n"


def test_without_settings_the_options_are_the_workflows_own_defaults() -> None:
    settings = Settings()
    assert workflow_options("ask", settings) == AskOptions()
    assert workflow_options("forum", settings) == ForumOptions()
    assert workflow_options("plan", settings, given=False) == PlanOptions()
    assert workflow_options("panel", settings, moderator=None) == PanelOptions()


@pytest.mark.parametrize(
    ("section", "options", "other"),
    [
        ("ask", AskOptions, {}),
        ("forum", ForumOptions, {"timeout": "timeout_s", "bid_timeout": "bid_timeout_s"}),
        ("plan", PlanOptions, {"max_rounds": "rounds"}),
        ("debate", PanelOptions, {}),
        ("review", ReviewOptions, {"max_rounds": "rounds"}),
    ],
)
def test_every_option_of_a_workflow_can_be_configured(
    section: str, options: Any, other: dict[str, str]
) -> None:
    keys = {other.get(key, key) for key in type(Settings().section(section)).model_fields}
    # Set otherwise: who moderates is a participant, rule and gate have sections, `given` is typed.
    elsewhere = {"moderator", "thresholds", "detector", "fail_on", "given"}
    elsewhere |= {"require_reviewer", "first_reviewer"} if section == "review" else set()
    elsewhere |= {"quorum", "rules"} if section == "review" else set()
    assert keys == set(options.model_fields) - elsewhere


def test_the_gate_is_for_reviews_and_plans(place: Any) -> None:
    place.user("gate: {fail_on: major}\n")
    settings = place.load().settings
    assert workflow_options("review", settings).fail_on is Severity.MAJOR
    assert workflow_options("plan", settings, given=True).fail_on is Severity.MAJOR
    place.user("gate: {fail_on: none}\n")
    assert workflow_options("plan", place.load().settings, given=True).fail_on is None


def test_every_strategy_of_the_workflows_can_be_named() -> None:
    assert set(strategies(type(Settings().section("debate")))) == set(DEBATES)
    assert set(strategies(type(Settings().section("plan")))) == set(PLANS)


def strategies(section: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = get_args(section.model_fields["strategy"].annotation)
    return names


def test_the_general_settings_hold_where_a_workflow_has_no_key_of_its_own(place: Any) -> None:
    place.user(SEED_001)
    settings = place.load().settings
    assert workflow_options("forum", settings).max_rounds == 10
    assert workflow_options("forum", settings).timeout_s == 300
    assert workflow_options("plan", settings, given=False).rounds == 10
    assert workflow_options("panel", settings, moderator=None).max_rounds == 10
    assert workflow_options("review", settings).rounds == 10
    place.user("settings: {max_rounds: 10, timeout: 300}\nforum: {max_rounds: 4, timeout: 15m}\n")
    settings = place.load().settings
    assert (
        workflow_options("forum", settings).max_rounds,
        workflow_options("forum", settings).timeout_s,
    ) == (4, 900.0)


def test_a_panel_takes_the_rounds_that_it_may_have(place: Any) -> None:
    place.user("settings: {max_rounds: 20}")
    assert workflow_options("panel", place.load().settings, moderator=None).max_rounds == 10
    assert workflow_options("forum", place.load().settings).max_rounds == 20


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("settings: {timeout: .inf}", "finite"),
        ("settings: {timeout: 99999999999999d}", "at most a hundred years"),
        ("budget: {per_run_time: .inf}", "finite"),
        ("budget: {per_run_tokens: 99999999999999999999}", "expected at most"),
        ("decision: {timeout: 100000000w}", "at most a hundred years"),
    ],
)
def test_what_the_store_cannot_hold_is_refused(place: Any, setting: str, said: str) -> None:
    place.user(f"{setting}\n")
    with pytest.raises(ConfigurationError, match=said):
        place.load()


def test_sections_become_options(place: Any) -> None:
    place.user(
        "ask: {ranking: true, synthesis: true, quorum: 2}\n"
        "forum: {bid_timeout: 90s, patience: 4, ballot: false, consensus: 0.9, quorum: 3}\n"
        "plan: {strategy: Perspectives, max_rounds: 5, max_revisions: 0, quorum: 2}\n"
        "debate: {strategy: delphi, max_rounds: 4, consensus_threshold: 0.6, opening_vote: false, ballot: false}\n"
        "convergence: {agreement: 0.9, detector: lexical}\n"
    )
    settings = place.load().settings
    assert workflow_options("ask", settings) == AskOptions(ranking=True, synthesis=True, quorum=2)
    forum = workflow_options("forum", settings)
    assert (forum.bid_timeout_s, forum.patience, forum.ballot) == (90.0, 4, False)
    assert (forum.consensus, forum.quorum) == (0.9, 3)
    plan = workflow_options("plan", settings, given=True)
    assert (plan.strategy, plan.rounds, plan.max_revisions) == ("perspectives", 5, 0)
    assert (plan.given, plan.detector, plan.thresholds.agreement) == (True, "lexical", 0.9)
    moderator = Participant(name="m", provider="scripted")
    panel = workflow_options("panel", settings, moderator=moderator)
    assert (panel.strategy, panel.max_rounds, panel.consensus_threshold) == ("delphi", 4, 0.6)
    assert (panel.opening_vote, panel.ballot, panel.moderator) == (False, False, moderator)
    assert panel.thresholds.agreement == 0.9


@pytest.mark.parametrize(
    ("mode", "review", "plan"),
    [
        ("ask", "ask", "ask"),
        ("skip", "skip", "ask"),
        ("apply_fix", "apply_fix", "ask"),
        ("accept", "ask", "accept"),
        ("revise", "ask", "revise"),
    ],
)
def test_a_word_decides_in_its_own_workflow_and_asks_in_the_other(
    place: Any, mode: str, review: str, plan: str
) -> None:
    place.user(f"decision: {{mode: {mode}, timeout: 1h}}")
    settings = place.load().settings
    assert decision_policy(settings, "review").mode == review
    assert decision_policy(settings, "plan").mode == plan
    assert decision_policy(settings, "plan").timeout_s == 3600


@pytest.mark.parametrize("word", get_args(DecisionSection.model_fields["on_timeout"].annotation))
def test_silence_leaves_things_as_they_are(place: Any, word: str) -> None:
    place.user(f"decision: {{on_timeout: {word}}}")
    settings = place.load().settings
    assert decision_policy(settings, "review").on_timeout == "skip"
    assert decision_policy(settings, "plan").on_timeout == "accept"


def test_no_silence_can_be_made_to_act(place: Any) -> None:
    for word in ("apply_fix", "revise"):
        assert "'" + word + "' is not known here" in place.refuse(
            f"decision: {{on_timeout: {word}}}"
        )
