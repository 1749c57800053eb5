"""A chart that is longer than what a model can be shown at once is read in portions, and it is told who read what."""

from itertools import pairwise

import pytest

from orchestrator.core.discussion.estimate import INSTRUCTIONS_TOKENS
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.workflows.case.chart_parts import (
    READINGS,
    excerpt,
    expected_parts,
    holds_whole,
    part_tokens,
    portions,
)
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.result import ChartReading
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.findings import Finding, Place, Severity
from shared.models.outcomes import Ending, Verdict
from shared.models.panel import Participant
from shared.models.steps import StepResult
from shared.text.tokens import estimated_tokens
from tests.support.case_cast import (
    CHART,
    THE_LENSES,
    Agreeing,
    CaseCast,
    hold_case,
    reply,
    result_of,
    sha,
    span,
    stances,
    submitted_case,
)
from tests.support.debates import fail, member, shown
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation

QUIET = "She slept well and had no complaint.\n"
LATE = "On the last day her potassium was 7.1 and nobody was called.\n"
LONG = CHART + "\n" + QUIET * 2000 + LATE
LINES = LONG.count("\n")
OUTPUT = member("ada").max_output_tokens
NEEDED = INSTRUCTIONS_TOKENS + READINGS * estimated_tokens(LONG) + OUTPUT


def reader(name: str, context_tokens: int | None) -> Participant:
    return member(name).model_copy(update={"context_tokens": context_tokens})


TINY, SMALL, LARGE, UNKNOWN = (
    reader("tiny", OUTPUT),
    reader("small", NEEDED - 1),
    reader("large", NEEDED),
    reader("unknown", None),
)


def long_case(*critics: Participant, options: CaseOptions | None = None) -> Submission:
    """The long chart before these critics."""
    return submitted_case(
        options, critics=(*critics, THE_LENSES), case={"chart": sha(LONG)}, texts=(LONG,)
    )


class Cast(Agreeing):
    """The sentence at the chart's end is one of its evidence spans."""

    def tool(self, step):
        if step.tool == "preprocess.evidence":
            late = span(LATE.strip(), "E9", LONG)
            return reply(step, spans=[span("BP 80/40, HR 128", "E2"), late])
        return super().tool(step)

    def critique(self, step: Turn) -> StepResult:
        text = shown(step)
        known = [name for name in ("F1", "F2") if f"{name} [" in text]
        points = [{"point": "A high potassium", "spans": ["E9"]}] if LATE.strip() in text else []
        return reply(
            step,
            critique_points=[{**each, "severity": "MAJOR", "quote": LATE} for each in points],
            stances=stances("agree", *known),
            analysis=step.key,
        )


def turns(run: Simulation, name: str, role: str = "critique") -> list[Turn]:
    return [
        step
        for step in run.commands.values()
        if isinstance(step, Turn) and step.participant.name == name and step.role == role
    ]


def told(outcome: Outcome) -> list[str]:
    return [
        ENGLISH.translate(each) for each in outcome.warnings if each.code == "case_chart_too_long"
    ]


# ---- who is shown what --------------------------------------------------------------------------


def test_who_can_be_shown_the_chart_at_once_reads_it_so_and_the_others_in_portions():
    outcome, run = hold_case(long_case(SMALL, LARGE, UNKNOWN), Cast())
    assert [step.key for step in turns(run, "large")] == ["critique/1/large"]
    assert [step.key for step in turns(run, "unknown")] == ["critique/1/unknown"]
    count = expected_parts(SMALL, estimated_tokens(LONG))
    keys = [step.key for step in turns(run, "small")]
    assert keys == [f"critique/1/small/{number}" for number in range(1, count + 1)]
    assert count > 1
    assert [(each.by, each.portions, each.unread) for each in result_of(outcome).readings] == [
        ("small", count, ()),
        ("large", 1, ()),
        ("unknown", 1, ()),
    ]


def test_every_line_is_shown_in_one_of_the_portions_with_what_was_read_out_of_it():
    outcome, run = hold_case(long_case(SMALL), Cast())
    texts = [shown(step) for step in turns(run, "small")]
    assert sum(text.count(QUIET.strip()) for text in texts) == 2000
    assert ["E9" in text for text in texts] == [False] * (len(texts) - 1) + [True]
    assert ["F1 [CRITICAL]" in text for text in texts] == [True] + [False] * (len(texts) - 1)
    assert all(f"part {at} of {len(texts)}" in text for at, text in enumerate(texts, start=1))
    lines = [entry.lines for entry in result_of(outcome).trace if entry.node == "critic"]
    assert lines[0][0][0] == 1
    assert lines[-1][0][1] == LINES
    assert all(after[0][0] <= before[0][1] + 1 for before, after in pairwise(lines))


def test_the_portions_of_a_critic_are_one_critique():
    outcome, _ = hold_case(long_case(SMALL), Cast())
    own = [each for each in outcome.findings if each.raised_by == ("small",)]
    assert [each.quote for each in own] == [LATE.strip()]
    assert own[0].place == Place(path="chart", line=LINES)
    assert (outcome.verdict, outcome.ending) == (Verdict.NEEDS_FIX, Ending.CONVERGED)
    assert "critique/1/small/1\n\ncritique/1/small/2" in result_of(outcome).analysis


def test_a_portion_that_brought_nothing_is_read_again_and_else_named():
    class Failing(Cast):
        def critique(self, step: Turn) -> StepResult:
            return fail() if step.key.endswith("/2") else super().critique(step)

    options = CaseOptions(max_iterations=2, feedback_rounds=0, confidence=1.0)
    outcome, run = hold_case(long_case(SMALL, options=options), Failing())
    again = [step.key for step in turns(run, "small") if step.key.startswith("iteration2/")]
    assert again == ["iteration2/critique/1/small/2"]
    (reading,) = result_of(outcome).readings
    assert len(reading.unread) == 1
    assert outcome.ending is Ending.DEGRADED


def test_what_was_read_completely_is_shown_again_only_where_points_stand():
    class Unsure(Cast):
        def critique(self, step: Turn) -> StepResult:
            return super().critique(step) if step.round == 1 else reply(step, analysis="as before")

    options = CaseOptions(max_iterations=2, feedback_rounds=0, confidence=1.0)
    _, run = hold_case(long_case(SMALL, options=options), Unsure())
    (later,) = [step for step in turns(run, "small") if step.key.startswith("iteration2/")]
    text = shown(later)
    assert "BP 80/40" in text
    assert LATE.strip() in text
    assert text.count(QUIET.strip()) < 1500
    assert "only the parts where the points in question stand" in text


def test_the_analyst_reads_all_of_it_and_is_asked_about_a_part_and_so_is_the_verifier():
    options = CaseOptions(analyst=SMALL, verifier=SMALL, router="llm")
    outcome, run = hold_case(long_case(SMALL, options=options), Cast())
    count = expected_parts(SMALL, estimated_tokens(LONG))
    for role in ("diagnosis", "treatment"):
        assert len(turns(run, "small", role)) == count
    for role in ("routing", "feedback", "verification"):
        (step, *_) = turns(run, "small", role)
        assert shown(step).count(QUIET.strip()) < 2000
    assert result_of(outcome).diagnosis_analysis.analysis.count("sepsis fits") == count


def test_whoever_is_elsewhere_is_shown_portions_without_identifiers():
    masked, mapping = LONG.replace("Mrs. Kim", "[NAME-1]"), '{"[NAME-1]": "Mrs. Kim"}'
    away = SMALL.model_copy(update={"provider": "anthropic"})
    case = {"chart": sha(LONG), "masked": sha(masked), "identifiers": sha(mapping)}
    run = submitted_case(critics=(away, THE_LENSES), case=case, texts=(LONG, masked, mapping))
    _, simulation = hold_case(run, Cast())
    texts = "".join(shown(step) for step in turns(simulation, "small"))
    assert "[NAME-1], 72 years old" in texts
    assert "Kim" not in texts


# ---- who is not asked ---------------------------------------------------------------------------


def test_who_could_be_shown_too_little_at_once_is_not_asked_and_the_others_are():
    outcome, run = hold_case(long_case(TINY, LARGE), Cast())
    assert turns(run, "tiny") == []
    (warning,) = told(outcome)
    assert "tiny" in warning
    assert "large" not in warning
    assert result_of(outcome).readings[0] == ChartReading(
        by="tiny", portions=0, unread=((1, LINES),)
    )


def test_where_nobody_can_be_asked_nothing_is_called_and_nothing_is_approved():
    class Clean(CaseCast):
        lenses = {}  # noqa: RUF012

    options = CaseOptions(analyst=TINY, verifier=TINY, router="llm")
    outcome, run = hold_case(long_case(TINY, options=options), Clean())
    assert not any(isinstance(step, Turn) for step in run.commands.values())
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert len(told(outcome)) == 1


def test_what_lenses_find_in_it_stands_nevertheless():
    outcome, _ = hold_case(long_case(TINY))
    assert (outcome.verdict, outcome.ending) == (Verdict.NEEDS_FIX, Ending.DEGRADED)


def test_nobody_is_left_out_of_a_chart_that_fits():
    outcome, run = hold_case(submitted_case(critics=(SMALL, THE_LENSES)))
    assert [step.key for step in turns(run, "small")][:1] == ["critique/1/small"]
    assert told(outcome) == []


def test_rules_and_people_have_no_room_to_fill():
    person = TINY.model_copy(update={"provider": "person"})
    assert holds_whole(person, 10**6)
    assert holds_whole(THE_LENSES.model_copy(update={"context_tokens": 1}), 10**6)


def test_as_many_calls_are_expected_as_there_are_portions():
    options = CaseOptions(analyst=TINY, verifier=TINY, max_iterations=1, feedback_rounds=0)
    run = long_case(TINY, SMALL, LARGE, options=options)
    calls = WORKFLOWS["case"].calls_of(run.spec, estimated_tokens(LONG))
    assert calls is not None
    names = [call.participant.name for call in calls]
    _, simulation = hold_case(run, Cast())
    assert {name: names.count(name) for name in set(names)} == {
        name: len(turns(simulation, name)) for name in ("small", "large")
    }
    assert all(
        call.input_tokens + OUTPUT <= (call.participant.context_tokens or 0) for call in calls
    )


# ---- cutting ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "one line " * 5000,
        "한" * 9000,
        "a" * 20000,
        "A paragraph.\n\n" * 3000,
        "x\f\n\x85y\n" * 2000,
    ],
)
def test_portions_hold_the_whole_text_once_and_none_is_too_large(text: str):
    parts = portions(text, 1000)
    assert "".join(piece.text for part in parts for piece in part.pieces) == text
    assert len(parts) > 1
    for part in parts:
        (piece,) = part.pieces
        assert estimated_tokens(piece.text) <= 1000
        assert text[piece.start : piece.end] == piece.text
        assert piece.line == text.count("\n", 0, piece.start) + 1


def test_an_excerpt_holds_the_places_of_the_gravest_points_as_far_as_they_fit():
    lines = "".join(f"line {number}{' word' * 180}\n" for number in range(1, 2000))
    findings = [
        Finding(
            id=f"F{number}",
            title="a point",
            detail="",
            category="safety",
            severity=severity,
            raised_by=("ada",),
            raised_in_round=1,
            place=Place(path="chart", line=line),
        )
        for number, (line, severity) in enumerate(
            [(3, Severity.MINOR), (1501, Severity.CRITICAL)], start=1
        )
    ]
    part = excerpt(lines, part_tokens(reader("ada", OUTPUT + 4000 + 4 * 300)), findings)
    assert part.holds(findings[1])
    assert not part.holds(findings[0])
