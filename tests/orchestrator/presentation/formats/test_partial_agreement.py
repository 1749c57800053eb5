"""A discussion that agreed on some findings and not on others says so in every format."""

import json
from dataclasses import replace
from pathlib import PurePath

import pytest

from orchestrator.core.formats import format_of
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.notices import notice
from shared.models.outcomes import Ending
from tests.support.reports import make_assessment, make_finding, make_report

FOUND = tuple(make_finding(f"F{number}") for number in range(1, 5))
SENTENCES = {
    "en": "agreed on 3 of 4, and positions have not changed; still disputed: F4",
    "ko": "4건 중 3건에 합의했고 입장이 바뀌지 않음. 여전히 이견이 있는 항목: F4",
}


def report(agreed: tuple[str, ...], left_open: tuple[str, ...]) -> RunReport:
    reason = notice("agreed_on_some", agreed=3, known=4, open=left_open) if left_open else None
    recorded = make_assessment(Ending.CONVERGED)
    figures = recorded.figures.model_copy(
        update={"agreed_findings": agreed, "open_findings": left_open, "reason": reason}
    )
    made = make_report(findings=FOUND, verdict="NEEDS_FIX")
    return replace(made, assessments=(replace(recorded, figures=figures),))


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_it_is_told_in_text_and_markdown(suffix: str, language: str) -> None:
    render = format_of(PurePath(f"run{suffix}")).render
    partly = render(report(("F1", "F2", "F3"), ("F4",)), Translator(language))
    wholly = render(report(("F1", "F2", "F3", "F4"), ()), Translator(language))

    assert SENTENCES[language] in " ".join(partly.split())
    assert "F4" in wholly
    assert SENTENCES[language][:8] not in wholly


def test_it_is_in_json() -> None:
    render = format_of(PurePath("run.json")).render
    shown = json.loads(render(report(("F1", "F2", "F3"), ("F4",)), Translator("en")))

    assert shown["convergence"]["agreed_findings"] == ["F1", "F2", "F3"]
    assert shown["convergence"]["open_findings"] == ["F4"]
    first_rules = make_report(findings=FOUND, verdict="NEEDS_FIX")
    assert "agreed_findings" not in json.loads(render(first_rules, Translator("en")))["convergence"]
