"""What the participants of a case are asked, as written down beside this test; and what a prompt must not show."""

from pathlib import Path

import pytest

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.templates import Templates
from orchestrator.settings import builtin_prompts
from orchestrator.workflows.case.chart_parts import ChartPart
from orchestrator.workflows.case.disclosure import Disclosure
from orchestrator.workflows.case.prompts import CasePrompts, CritiqueView
from orchestrator.workflows.case.result import SolutionEntry
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.routing import lens_cards
from orchestrator.workflows.case.state import GraphState, Preprocessing
from shared.models.case import (
    Case,
    CaseEvidence,
    ChartSpan,
    EvidenceSpans,
    LensResult,
    SourceText,
    StructuredChart,
)
from shared.models.findings import Finding, Severity
from shared.models.notices import notice, verbatim
from shared.models.steps import PromptPart
from tests.support.case_cast import lens_point, span
from tests.support.debates import member
from tests.support.snapshots import check_snapshot

SNAPSHOTS = Path(__file__).parent / "snapshots"
CHART, SIMILAR, MASKED = "0" * 64, "1" * 64, "2" * 64
CASE = Case(
    title="a case",
    chart=CHART,
    similar=(SourceText(name="similar/1", text=SIMILAR),),
    masked=MASKED,
)
STATE = GraphState(
    chart=StructuredChart(language="en"),
    evidence=CaseEvidence(weak=("sepsis bundle",)),
    preprocessing=Preprocessing(
        evidence=EvidenceSpans(spans=(ChartSpan.model_validate(span("BP 80/40", "E1")),))
    ),
    results={
        "lens_severity_risk": LensResult.model_validate(
            {"points": [lens_point("hypotension", "BP 80/40", "CRITICAL")]}
        )
    },
)
FINDING = Finding(
    id="F1",
    title="hypotension: BP 80/40",
    detail="",
    severity=Severity.CRITICAL,
    category="safety",
    raised_by=("lenses",),
    raised_in_round=1,
)
ISSUES = (
    notice("case_issue_unshown", finding="F2", who=("ada",), point="He is pregnant"),
    notice("case_issue_unsupported", finding="F3", severity="MAJOR"),
    notice("case_issue_contested", finding="F4"),
    notice("case_issue_unheard", finding="F1", who=("ada", "bob")),
    notice("case_issue_missing", who="cyd"),
    notice("case_issue_picked", finding="F5"),
    verbatim("say which antibiotic"),
)
PROPOSAL = SolutionEntry(
    finding="F1",
    issue=verbatim("hypotension"),
    severity=Severity.CRITICAL,
    category="safety",
    action=notice("give_fluids", drug="saline"),
    by="lenses",
)
SPAN = ChartSpan.model_validate(span("BP 80/40", "E1"))
ADA = member("ada", persona="an intensivist")


def prompts(language: str, identifiers: dict[str, str] | None = None) -> CasePrompts:
    templates = Templates(builtin_prompts.load("case", language))
    return CasePrompts(templates, CASE, Disclosure(CHART, MASKED, identifiers or {}), voices=3)


def view(number: int, **fields: object) -> CritiqueView:
    return CritiqueView(findings=(FINDING,), cycle=Cycle("iteration", number), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_prompts_are_as_they_were_written_down(language: str):
    asked = prompts(language)
    check_snapshot(
        SNAPSHOTS / f"case.{language}.md",
        {
            "diagnosis": asked.analysis(ADA, CaseRole.DIAGNOSIS, STATE),
            "treatment, again": asked.analysis(ADA, CaseRole.TREATMENT, STATE, ISSUES),
            "rewriting": asked.analysis(ADA, CaseRole.REWRITING, STATE),
            "routing": asked.routing(ADA, STATE, lens_cards(), 2),
            "critique": asked.critique(ADA, STATE, view(1)),
            "critique, sent back": asked.critique(
                ADA, STATE, view(1, feedback=1, instructions=ISSUES)
            ),
            "critique, revised": asked.critique(
                ADA, STATE, view(2, memory=ISSUES, note="look at the dose")
            ),
            "critique, a portion": asked.critique(ADA, STATE, view(1), ChartPart((SPAN,), 1, 2)),
            "critique, an excerpt": asked.critique(ADA, STATE, view(1), ChartPart((SPAN,))),
            "feedback": asked.feedback(ADA, STATE, (FINDING,), lens_cards(), 1),
            "verification": asked.verification(ADA, STATE, (FINDING,), (PROPOSAL,)),
        },
    )


def shown(parts: tuple[PromptPart, ...]) -> str:
    return "\n".join(part.text or str(part.document) for part in parts)


def test_whoever_is_elsewhere_reads_no_similar_case_and_the_masked_chart():
    far = member("far").model_copy(update={"provider": "openai"})
    asked = prompts("en", {"[NAME-1]": "BP 80/40"})
    here, elsewhere = (
        shown(asked.critique(each, STATE, view(1)).user) for each in (member("ada"), far)
    )
    assert SIMILAR in here
    assert CHART in here
    assert SIMILAR not in elsewhere
    assert CHART not in elsewhere
    assert MASKED in elsewhere
    assert "BP 80/40" not in elsewhere


def test_what_others_wrote_is_shown_elsewhere_without_identifiers_in_any_form():
    identifiers = {"[NAME-1]": "Martha Collins", "[BIRTHDATE-1]": "March 4, 1970", "[NAME-2]": "Al"}
    disclosure = Disclosure(CHART, MASKED, identifiers)
    far = member("far").model_copy(update={"provider": "openai"})
    text = disclosure.text_for(
        far, "Collins, born 1970-03-04, martha collins, Al, albumin, Dr. Wexler"
    )
    assert text == "[NAME], born [BIRTHDATE], [NAME], [NAME-2], albumin, Dr. [NAME]"
    assert disclosure.text_for(ADA, "Martha Collins") == "Martha Collins"


def test_an_identifier_is_masked_whatever_json_makes_of_it():
    identifiers = {"[ADDRESS-1]": 'the "Old Mill",\n12 Oak'}
    disclosure = Disclosure(CHART, MASKED, identifiers)
    far = member("far").model_copy(update={"provider": "openai"})
    content = disclosure.content_for(far, {"spans": [{"text": 'at the "Old Mill",\n12 Oak'}]})
    assert content == {"spans": [{"text": "at [ADDRESS-1]"}]}


def test_a_quotation_that_ends_within_an_identifier_shows_nothing_of_it():
    chart = "He lives at 12 Elm Street, Springfield. He coughs."
    words = "12 Elm Street, Springfield. He"
    start = chart.index(words)
    place = (start, start + len(words), "[ADDRESS-1]")
    disclosure = Disclosure(CHART, MASKED, {"[ADDRESS-1]": words}, (place,))
    far = member("far").model_copy(update={"provider": "openai"})

    def shown(first: int, last: int) -> str:
        content = disclosure.content_for(
            far, {"start": first, "end": last, "text": chart[first:last]}
        )
        assert isinstance(content, dict)
        return str(content["text"])

    assert shown(0, chart.index(" He coughs")) == "He lives at [ADDRESS-1]"
    assert shown(chart.index("Street"), len(chart)) == "[ADDRESS-1] coughs."
    assert shown(0, 8) == "He lives"
    assert disclosure.text_for(far, "of 12 Elm Street") == "of [ADDRESS]"
