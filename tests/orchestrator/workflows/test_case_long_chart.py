"""A chart that is longer than what a model can read at once: that model is not asked, and it is told why."""

from orchestrator.core.discussion.estimate import SHORT_ANSWER_TOKENS
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.workflows.case.context import READINGS, can_hold
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import Ending, Verdict
from shared.models.panel import Participant
from shared.text.tokens import estimated_tokens
from tests.support.case_cast import CHART, THE_LENSES, CaseCast, hold_case, sha, submitted_case
from tests.support.debates import member
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation

LONG = CHART + "She slept well and had no complaint.\n" * 2000
NEEDED = READINGS * estimated_tokens(LONG) + SHORT_ANSWER_TOKENS


def reader(name: str, context_tokens: int | None) -> Participant:
    return member(name).model_copy(update={"context_tokens": context_tokens})


SMALL, LARGE, UNKNOWN = (
    reader("small", NEEDED - 1),
    reader("large", NEEDED),
    reader("unknown", None),
)


def long_case(*critics: Participant, options: CaseOptions | None = None) -> Submission:
    """The long chart before these critics."""
    return submitted_case(
        options, critics=(*critics, THE_LENSES), case={"chart": sha(LONG)}, texts=(LONG,)
    )


def asked(run: Simulation) -> set[str]:
    return {step.participant.name for step in run.commands.values() if isinstance(step, Turn)}


def told(outcome: Outcome) -> list[str]:
    return [
        ENGLISH.translate(each) for each in outcome.warnings if each.code == "case_chart_too_long"
    ]


def test_a_model_that_cannot_hold_the_chart_is_not_asked_and_the_others_are():
    outcome, run = hold_case(long_case(SMALL, LARGE, UNKNOWN))
    assert asked(run) == {"large", "unknown"}
    (warning,) = told(outcome)
    assert "small" in warning
    assert "large" not in warning


def test_where_no_reader_can_hold_it_nothing_is_called_and_nothing_is_approved():
    class Clean(CaseCast):
        lenses = {}  # noqa: RUF012

    options = CaseOptions(analyst=SMALL, verifier=SMALL, router="llm")
    outcome, run = hold_case(long_case(SMALL, options=options), Clean())
    assert asked(run) == set()
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert len(told(outcome)) == 1


def test_what_lenses_find_in_it_stands_nevertheless():
    outcome, _ = hold_case(long_case(SMALL))
    assert (outcome.verdict, outcome.ending) == (Verdict.NEEDS_FIX, Ending.DEGRADED)


def test_nobody_is_left_out_of_a_chart_that_fits():
    outcome, run = hold_case(submitted_case(critics=(SMALL, THE_LENSES)))
    assert asked(run) == {"small"}
    assert told(outcome) == []


def test_rules_and_people_have_no_room_to_fill():
    person = SMALL.model_copy(update={"provider": "person"})
    assert can_hold(person, 10**6)
    assert can_hold(THE_LENSES.model_copy(update={"context_tokens": 1}), 10**6)


def test_no_call_is_expected_of_who_cannot_hold_it():
    options = CaseOptions(analyst=SMALL, verifier=SMALL)
    run = long_case(SMALL, LARGE, options=options)
    calls = WORKFLOWS["case"].calls_of(run.spec, estimated_tokens(LONG))
    assert calls is not None
    assert {call.participant.name for call in calls} == {"large"}
