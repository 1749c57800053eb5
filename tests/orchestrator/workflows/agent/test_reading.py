"""Where the rules are not sure what a request asks for, a participant says it, and nothing hangs on its answer."""

from __future__ import annotations

import pytest

from orchestrator.settings import builtin_prompts
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.options import AgentOptions, IntentReader
from orchestrator.workflows.agent.records import IntentRecord
from orchestrator.workflows.agent.roles import AgentRole
from shared.models.agent import RequestReading
from shared.models.outcomes import FailureKind, Verdict
from shared.models.workspace import OwnChange, WorkspaceFile
from tests.support.agent_cast import (
    ADDED,
    RULES,
    AgentCast,
    hold_task,
    modes_of,
    replied,
    result_of,
    submitted_task,
    turns_of,
)
from tests.support.debates import fail, member
from tests.support.review_panel import sha

SURE, UNSURE = "where is the login?", "the thing with the invoices from Tuesday"
OWN = OwnChange(
    subject="5" * 64,
    title="my change",
    paths=("shop/user.py",),
    files=(WorkspaceFile(path="shop/user.py", document=sha(b"x")),),
)


def reads(mode, *, changes=False):
    cast = AgentCast()
    cast.reads_as = (mode, changes)
    return cast


def asked(run):
    return [turn for turn in turns_of(run) if turn.role == AgentRole.INTENT]


def codes(notices):
    return [each.code for each in notices]


def test_a_request_that_the_rules_are_sure_of_costs_no_call():
    _, run = hold_task(submitted_task(SURE), reads("test"))
    assert not asked(run)
    assert modes_of(run)[0] == "context_navigation"


def test_where_the_rules_are_not_sure_the_coder_says_what_is_asked_for():
    outcome, run = hold_task(submitted_task(UNSURE), reads("verification"))
    assert [turn.participant.name for turn in asked(run)] == ["ada"]
    assert modes_of(run)[0] == "verification"
    result = result_of(outcome)
    assert result.goal is AgentMode.VERIFICATION
    assert "agent_intent_read" in codes(result.facts)
    last = run.records["intent/read"]
    assert isinstance(last, IntentRecord)
    assert (last.read_by, last.rules_goal) == ("ada", AgentMode.CONTEXT_NAV)


def test_what_is_to_be_changed_is_looked_for_and_written():
    _, run = hold_task(submitted_task(UNSURE), reads("implementation", changes=True))
    assert modes_of(run)[:3] == ["context_navigation", "implementation", "test"]


def test_without_a_coder_a_model_of_the_panel_is_asked_and_never_a_person():
    person = member("eve").model_copy(update={"provider": "person"})
    there = (RULES, person, member("bob"))
    _, run = hold_task(submitted_task(UNSURE, coder=False, critics=there), reads("verification"))
    assert [turn.participant.name for turn in asked(run)] == ["bob"]
    _, run = hold_task(submitted_task(UNSURE, coder=False, critics=there[:2]))
    assert not asked(run)


@pytest.mark.parametrize(
    ("options", "request_text", "calls"),
    [
        ({"intent": "rules"}, UNSURE, 0),
        ({"intent": "always"}, SURE, 1),
        ({"mode": "verification"}, UNSURE, 0),
        ({"mode": "verification", "intent": "always"}, UNSURE, 0),
    ],
)
def test_who_reads_is_an_option_and_a_typed_mode_stands_above_it(options, request_text, calls):
    _, run = hold_task(submitted_task(request_text, AgentOptions(**options)), reads("test"))
    assert len(asked(run)) == calls
    if "mode" in options:
        assert modes_of(run)[0] == "verification"


@pytest.mark.parametrize(
    "kind",
    [
        *(FailureKind.UNPARSEABLE, FailureKind.TIMEOUT, FailureKind.UNREACHABLE),
        *(FailureKind.OVER_BUDGET, FailureKind.RATE_LIMITED),
    ],
)
def test_without_a_usable_answer_the_rules_reading_counts_and_the_run_says_so(kind):
    class Silent(AgentCast):
        def intent(self, step):
            return fail(kind)

    outcome, run = hold_task(submitted_task(UNSURE), Silent())
    assert modes_of(run)[0] == "context_navigation"
    assert "agent_intent_unread" in codes(outcome.warnings)
    assert outcome.verdict is Verdict.DONE
    assert result_of(outcome).hits


def test_the_turn_is_short_in_time_and_tokens_and_shows_the_request_as_data():
    _, run = hold_task(submitted_task(UNSURE), reads("test"))
    (turn,) = asked(run)
    assert turn.participant.timeout_s <= 60
    assert turn.participant.max_output_tokens <= 2048
    prompt = turn.prompt()
    assert [part.fence for part in prompt.user] == ["request", None]
    assert UNSURE not in "".join(part.text or "" for part in prompt.system)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_mode_stands_in_the_question(language):
    words = builtin_prompts.load("agent", language)["intent"]
    assert [mode for mode in AgentMode if f"`{mode}`" not in words] == []


@pytest.mark.parametrize(
    "word", ["Multi-file editing", " multi_file_editing ", "MULTI_FILE_EDITING"]
)
def test_a_mode_is_understood_however_it_is_spelled(word):
    assert RequestReading(mode=word).mode is AgentMode.MULTI_FILE


class Committing(AgentCast):
    """Somebody who reads everything as a commit, and the author's change that is there for one."""

    reads_as = ("git_workflow", False)

    def agent_change(self, step):
        return replied(step, subject="5" * 64, files=self.paths(), whole=ADDED)


@pytest.mark.parametrize("text", [UNSURE, "commit my work", "it says: commit my work"])
@pytest.mark.parametrize("reader", list(IntentReader))
def test_no_reading_of_a_text_commits_anything_unasked(text, reader):
    low = AgentOptions(approval="low", auto_commit=True, intent=reader)
    outcome, run = hold_task(submitted_task(text, low, own=OWN), Committing())
    assert result_of(outcome).commits == ()
    if modes_of(run)[0] == "git_workflow":
        assert "agent_commit_only_read" in codes(outcome.warnings)
    medium = AgentOptions(approval="medium", auto_commit=True, intent=reader)
    outcome, run = hold_task(submitted_task(text, medium, own=OWN), Committing())
    assert len(result_of(outcome).commits) == len(run.questions)


def test_a_commit_that_was_typed_as_the_mode_is_made_as_the_options_say():
    low = AgentOptions(approval="low", auto_commit=True, mode="git_workflow")
    outcome, run = hold_task(submitted_task(UNSURE, low, own=OWN), Committing())
    assert len(result_of(outcome).commits) == 1
    assert not run.questions


def test_a_quotation_that_is_pasted_is_no_title_of_a_commit():
    text = "commit this as 'Fix the total'. The ticket says:\n'Ignore the total'"
    _, run = hold_task(submitted_task(text, own=OWN), Committing())
    (question,) = run.questions.values()
    assert question.question.shown["explanation"] == "Fix the total"
    pasted = "commit my work\n> 'Ignore the total'"
    _, run = hold_task(submitted_task(pasted, own=OWN), Committing())
    (question,) = run.questions.values()
    assert question.question.shown["explanation"] != "Ignore the total"


def test_no_reading_changes_what_is_put_to_a_person():
    for mode in AgentMode:
        outcome, run = hold_task(submitted_task(UNSURE), reads(mode.value, changes=True))
        result = result_of(outcome)
        assert bool(result.patch or result.commits) <= bool(run.questions)


def test_a_change_of_the_author_is_the_work_of_a_review_and_a_commit_only():
    outcome, run = hold_task(submitted_task(UNSURE, own=OWN), reads("qa"))
    assert result_of(outcome).children
    assert asked(run)

    class Nothing(AgentCast):
        def coding(self, step):
            return super().nothing(step)

    cast = Nothing()
    cast.reads_as = ("documentation", True)
    outcome, run = hold_task(submitted_task(UNSURE, own=OWN), cast)
    assert not result_of(outcome).commits
    assert not result_of(outcome).children


def test_a_run_of_the_first_version_goes_on_by_rules_alone():
    submitted = submitted_task(UNSURE)
    first = submitted.spec.model_copy(update={"workflow_version": 1})
    _, run = hold_task(type(submitted)(first, submitted.documents), reads("test"))
    assert not asked(run)
    assert modes_of(run)[0] == "context_navigation"
