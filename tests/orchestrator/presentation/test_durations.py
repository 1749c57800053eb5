"""How long a run took, as people read it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.durations import duration
from orchestrator.presentation.formats.markdown import render as markdown
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.decision import DecisionState
from shared.models.outcomes import RunStatus, Verdict
from tests.support.reports import MOMENT, make_decision, make_finding, make_report


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(3.24, "3.2 s"), (843.5, "14 min 4 s"), (3599.7, "1 h 0 min"), (604_800, "168 h 0 min")],
)
def test_long_times_are_minutes_and_hours(seconds: float, shown: str) -> None:
    assert duration(seconds, ENGLISH) == shown
    assert duration(843.5, Translator("ko")) == "14분 4초"


def test_the_headline_does_not_count_waiting_for_a_person() -> None:
    opened = MOMENT + timedelta(seconds=3.2)
    answered = opened + timedelta(seconds=800)
    asked = replace(make_decision(), opened_at=opened)
    told = replace(asked, state=DecisionState.ANSWERED, answered_at=answered)
    done = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), decisions=(told,))
    waits = make_report(RunStatus.WAITING, findings=(make_finding(),), decisions=(asked,))
    for report, waited, shown in ((done, 800.0, "6.2 s"), (waits, 803.0, "3.2 s")):
        late = replace(report, run=replace(report.run, elapsed_s=806.2, waited_s=waited))
        first = plain(result_lines(late, words=ENGLISH, max_findings=5)).split("\n")[0]
        assert first.endswith(f" · {shown}")
        assert f"· {shown}*" in markdown(late, ENGLISH).split("\n\n")[1]
