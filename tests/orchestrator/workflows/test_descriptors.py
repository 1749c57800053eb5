"""What a workflow says of itself: who takes part in a run, which gate it has, what its decisions' words mean."""

from graphlib import TopologicalSorter

import pytest

from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS, checked, workflow_of
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Severity
from shared.models.panel import Panel, Participant
from shared.models.run import DecisionPolicy, RunSpec
from shared.models.wire import Wire

ADA, EVE, JAY, MOD = (Participant(name=one, provider="scripted") for one in ("a", "e", "j", "m"))
PANEL = {"critics": [ADA], "author": EVE, "chair": JAY}


def spec(workflow: str, options: Wire | None = None) -> RunSpec:
    return RunSpec(
        workflow=workflow,
        workflow_version=1,
        subject="0" * 64,
        prompts="1" * 64,
        panel=Panel(critics=(ADA,), author=EVE, chair=JAY),
        options={} if options is None else options.model_dump(mode="json"),
        seed="seed",
    )


@pytest.mark.parametrize(
    ("made", "parts"),
    [
        (spec("ask", AskOptions()), ["critic"]),
        (spec("ask"), ["critic"]),
        (spec("ask", AskOptions(synthesis=True)), ["critic", "chair"]),
        (spec("forum", ForumOptions()), ["critic", "chair"]),
        (spec("plan", PlanOptions()), ["critic", "author", "chair"]),
        (spec("review", ReviewOptions()), ["critic", "author", "chair"]),
        (spec("panel", PanelOptions()), ["critic", "chair"]),
        (spec("panel", PanelOptions(moderator=MOD)), ["critic", "chair", "moderator"]),
        (spec("another version's"), []),
    ],
)
def test_only_who_may_have_a_turn_has_a_part(made: RunSpec, parts: list[str]) -> None:
    assert [part.name for part, _ in workflow_of(made).parts_of(made)] == parts


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (spec("review", ReviewOptions(fail_on=Severity.MINOR)), Severity.MINOR),
        (spec("plan", PlanOptions(fail_on=Severity.MAJOR)), Severity.MAJOR),
        (spec("plan", PlanOptions()), None),
        (spec("ask", AskOptions()), None),
    ],
)
def test_the_gate_is_the_workflows(made: RunSpec, expected: Severity | None) -> None:
    assert workflow_of(made).gate_of(made).fail_on is expected


def test_who_debates_can_neither_judge_nor_moderate() -> None:
    moderated = spec("panel", PanelOptions(moderator=ADA))
    with pytest.raises(ValueError, match="a takes part in the debate and cannot be its moderator"):
        checked(moderated)
    judging = spec("panel").model_copy(
        update={"panel": Panel(critics=(ADA,), author=ADA, chair=ADA)}
    )
    with pytest.raises(ValueError, match="cannot be its judge"):
        checked(judging)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_silence_is_one_of_the_answers_and_changes_nothing_for_good(name: str) -> None:
    for decision in WORKFLOWS[name].decisions:
        assert decision.on_timeout in decision.words
        assert decision.silence(DecisionPolicy(on_timeout="nonsense")) == decision.on_timeout
        assert not WORKFLOWS[name].writes(decision.on_timeout)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_row_and_its_descriptor_have_one_name(name: str) -> None:
    assert WORKFLOWS[name].name == name


@pytest.mark.parametrize(
    ("field", "workflow", "options"),
    [
        ("review", "review", {"rounds": 5}),
        ("panel_options", "panel", {"max_rounds": 2}),
        ("ask", "ask", {"ranking": True}),
    ],
)
def test_options_that_an_earlier_version_stored_in_a_field_of_their_own_are_read(
    field: str, workflow: str, options: dict[str, object]
) -> None:
    content = spec(workflow).model_dump(mode="json")
    del content["options"]
    earlier = dict.fromkeys(("review", "ask", "forum", "plan", "panel_options")) | {field: options}
    assert RunSpec.model_validate({**content, **earlier}).options == options


def test_no_workflow_starts_itself_whatever_it_starts_first():
    """Prompts of child runs are captured with their parent's, one level for each `starts`."""
    graph = {name: WORKFLOWS[name].starts for name in WORKFLOWS}
    TopologicalSorter(graph).prepare()
