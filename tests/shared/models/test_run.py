"""Who takes part in a run, and which gate it has."""

from typing import Any

import pytest

from shared.models.findings import Severity
from shared.models.panel import Panel, Participant
from shared.models.run import (
    AskOptions,
    ForumOptions,
    PanelOptions,
    PlanOptions,
    ReviewOptions,
    RunSpec,
)

ADA, EVE, JAY, MOD = (Participant(name=one, provider="scripted") for one in ("a", "e", "j", "m"))


def spec(workflow: str, **options: Any) -> RunSpec:
    return RunSpec(
        workflow=workflow,
        workflow_version=1,
        subject="0" * 64,
        prompts="1" * 64,
        panel=Panel(critics=(ADA,), author=EVE, chair=JAY),
        seed="seed",
        **options,
    )


@pytest.mark.parametrize(
    ("made", "parts"),
    [
        (spec("ask", ask=AskOptions()), ["critic"]),
        (spec("ask"), ["critic"]),
        (spec("ask", ask=AskOptions(synthesis=True)), ["critic", "chair"]),
        (spec("forum", forum=ForumOptions()), ["critic", "chair"]),
        (spec("plan", plan=PlanOptions()), ["critic", "author", "chair"]),
        (spec("review", review=ReviewOptions()), ["critic", "author", "chair"]),
        (spec("panel", panel_options=PanelOptions()), ["critic", "chair"]),
        (
            spec("panel", panel_options=PanelOptions(moderator=MOD)),
            ["critic", "chair", "moderator"],
        ),
    ],
)
def test_only_who_may_have_a_turn_has_a_seat(made: RunSpec, parts: list[str]) -> None:
    assert [part for part, _ in made.seats] == parts


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (spec("review", review=ReviewOptions(fail_on=Severity.MINOR)), Severity.MINOR),
        (spec("plan", plan=PlanOptions(fail_on=Severity.MAJOR)), Severity.MAJOR),
        (spec("plan", plan=PlanOptions()), None),
        (spec("ask", ask=AskOptions()), None),
    ],
)
def test_the_gate_is_the_workflows(made: RunSpec, expected: Severity | None) -> None:
    assert made.fail_on is expected
