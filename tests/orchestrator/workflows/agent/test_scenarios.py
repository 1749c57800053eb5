"""The agent with tools and a coder that do as a test says: the design's scenarios, and every way back."""

import pytest

from orchestrator.core.replay.commands import ChildRun
from orchestrator.workflows.agent.handlers.table import HANDLERS
from orchestrator.workflows.agent.modes import INTENTS, AgentMode
from orchestrator.workflows.agent.options import AgentOptions
from orchestrator.workflows.agent.records import TransitionRecord
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import Ending, Verdict
from shared.models.run import DecisionPolicy
from shared.models.workspace import OwnChange, WorkspaceFile
from tests.support.agent_cast import (
    ADDED,
    AgentCast,
    ended,
    failing,
    hold_task,
    modes_of,
    rejects,
    replied,
    result_of,
    submitted_task,
    turns_of,
)
from tests.support.debates import fail, member
from tests.support.review_panel import sha

FIND, ADD = "로그인 기능 어디 있어?", "User 클래스에 validate_email 메서드 추가해줘"
NAV, CODE, TEST, QA, GIT, IDLE = (
    *("context_navigation", "implementation", "test"),
    *("qa", "git_workflow", "idle"),
)


def test_a_question_is_answered_with_places_and_ends():
    outcome, run = hold_task(submitted_task(FIND, coder=False))
    assert modes_of(run) == [NAV, IDLE]
    assert outcome.verdict is Verdict.DONE
    assert [hit.place.path for hit in result_of(outcome).hits] == ["shop/user.py"]
    assert not turns_of(run)


def test_code_is_found_written_approved_tested_reviewed_and_committed():
    outcome, run = hold_task(submitted_task(ADD))
    assert modes_of(run) == [NAV, CODE, TEST, QA, GIT, IDLE]
    assert outcome.verdict is Verdict.DONE
    result = result_of(outcome)
    assert result.commits[0].branch == "quorate/agent-r1"
    assert not result.came_from_folder
    assert [answer.choice for answer in result.answers] == ["approve", "approve"]
    assert result.patch.endswith("1")


def test_a_rejection_leads_back_to_the_search_and_its_words_reach_the_next_attempt():
    outcome, run = hold_task(submitted_task(ADD), person=rejects(1, "keep the old name"))
    assert modes_of(run) == [NAV, CODE, NAV, CODE, TEST, QA, GIT, IDLE]
    second = turns_of(run)[-1].prompt()
    assert any("keep the old name" in (part.text or "") for part in second.user)
    assert outcome.verdict is Verdict.DONE


def test_a_search_that_is_rejected_is_repeated_with_the_person_s_words():
    options = AgentOptions(approval="high")
    run = submitted_task(ADD, options)
    outcome, simulated = hold_task(run, person=rejects(1, "in the folder accounts"))
    assert modes_of(simulated)[:3] == [NAV, NAV, CODE]
    second = simulated.commands[f"{NAV}/2/search"].inputs()
    assert second.query.endswith("in the folder accounts")
    assert outcome.verdict is Verdict.DONE


def test_a_plan_that_is_rejected_is_planned_again_and_nothing_is_written():
    class Planner(AgentCast):
        def child(self, step):
            return ended(step, verdict="APPROVED", outcome={"detail": {"plan": "first this"}})

    options = AgentOptions(mode=AgentMode.PLANNING, approval="high")
    run = submitted_task("how would you split billing?", options, critics=(member("bob"),))
    outcome, simulated = hold_task(run, Planner(), rejects(1, "smaller steps"))
    assert modes_of(simulated) == ["agent_planning", NAV, "agent_planning", IDLE]
    assert not turns_of(simulated)
    assert outcome.verdict is Verdict.DONE


def test_a_failing_test_leads_back_to_implementation_and_is_told_there():
    class Failing(AgentCast):
        def agent_command(self, step):
            return failing(step, "test_email") if self.patches == 1 else super().agent_command(step)

    outcome, run = hold_task(submitted_task(ADD), Failing())
    assert modes_of(run) == [NAV, CODE, TEST, CODE, TEST, QA, GIT, IDLE]
    assert "test_email" in str(turns_of(run)[-1].prompt().user)
    assert outcome.verdict is Verdict.DONE


def test_a_review_that_finds_something_leads_back_to_implementation():
    class Strict(AgentCast):
        def child(self, step):
            if self.patches > 1:
                return super().child(step)
            finding = {
                "id": "F1",
                "title": "An empty address passes",
                "detail": "",
                "severity": "MAJOR",
                "category": "correctness",
                "raised_by": ["ruff"],
                "raised_in_round": 1,
                "status": "accepted",
            }
            return ended(step, verdict="NEEDS_FIX", outcome={"findings": [finding]})

    outcome, run = hold_task(submitted_task(ADD), Strict())
    assert modes_of(run) == [NAV, CODE, TEST, QA, CODE, TEST, QA, GIT, IDLE]
    assert "An empty address passes" in str(turns_of(run)[-1].prompt().user)
    assert outcome.verdict is Verdict.DONE


def test_nothing_is_asked_at_the_lowest_level_and_nothing_is_committed_unbidden():
    options = AgentOptions(tests="pytest -q", approval="low")
    outcome, run = hold_task(submitted_task(ADD, options))
    assert not run.questions
    assert result_of(outcome).commits == ()
    bidden = AgentOptions(tests="pytest -q", approval="low", auto_commit=True)
    outcome, run = hold_task(submitted_task(ADD, bidden))
    assert not run.questions
    assert len(result_of(outcome).commits) == 1


def test_everything_is_asked_at_the_highest_level():
    options = AgentOptions(tests="pytest -q", approval="high")
    _, run = hold_task(submitted_task(ADD, options))
    assert [key.split("/")[0] for key in run.questions] == [NAV, CODE, GIT]


def test_without_a_terminal_the_agent_stops_before_anything_is_taken():
    run = submitted_task(ADD, decision=DecisionPolicy(mode="skip"))
    outcome, simulated = hold_task(run)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    result = result_of(outcome)
    assert result.patch == ""
    assert result.stopped is not None
    assert result.stopped.code == "agent_nobody_asked"
    assert not simulated.questions


def test_without_a_coder_what_is_missing_is_named():
    outcome, _ = hold_task(submitted_task(ADD, coder=False))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert [need.code for need in result_of(outcome).needs] == ["agent_needs_coder"]


def test_patches_that_never_apply_end_in_order():
    class Wrong(AgentCast):
        def agent_patch(self, step):
            return replied(step, problem="it does not apply")

    outcome, run = hold_task(submitted_task(ADD), Wrong())
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.LOOPING)
    assert len(turns_of(run)) <= 12


def test_a_coder_that_says_nothing_of_use_ends_in_order():
    class Silent(AgentCast):
        def coding(self, step):
            return fail()

    outcome, run = hold_task(submitted_task(ADD), Silent())
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert len(turns_of(run)) == 1


def test_tests_that_always_fail_end_at_the_limit_of_modes():
    class Broken(AgentCast):
        def agent_command(self, step):
            return failing(step, f"test_{self.patches}")

    options = AgentOptions(tests="pytest -q", max_modes=9)
    outcome, run = hold_task(submitted_task(ADD, options), Broken())
    assert outcome.ending is Ending.EXHAUSTED
    assert len(modes_of(run)) == 10


def test_a_large_change_goes_through_impact_and_tests_to_the_commit():
    class Many(AgentCast):
        def paths(self):
            return [f"shop/part{n}.py" for n in range(7)]

    _, run = hold_task(submitted_task(ADD), Many())
    path = modes_of(run)
    assert path[:4] == [NAV, CODE, "multi_file_editing", "impact_analysis"]
    assert path[-3:] == [QA, GIT, IDLE]


@pytest.mark.parametrize("mode", [mode for mode in AgentMode if mode is not AgentMode.IDLE])
@pytest.mark.parametrize("coder", [True, False])
def test_every_mode_can_be_the_first_and_the_run_ends_at_rest(mode, coder):
    options = AgentOptions(mode=mode, tests="pytest -q", command="pytest -q")
    run = submitted_task("do it", options, coder=coder, critics=(member("bob"), member("cyd")))
    outcome, simulated = hold_task(run)
    assert modes_of(simulated)[0] == mode.value
    assert modes_of(simulated)[-1] == IDLE
    assert {type(record) for record in simulated.records.values()} <= {*WORKFLOWS["agent"].records}
    assert not any(row.refused for row in result_of(outcome).path)


def test_every_mode_has_a_handler_and_a_way_in():
    assert set(HANDLERS) == set(AgentMode)
    assert set(INTENTS) == set(AgentMode) - {AgentMode.IDLE}


OWN = OwnChange(
    subject=sha(b"subject"),
    title="uncommitted changes",
    paths=("shop/user.py", ".env"),
    files=(WorkspaceFile(path="shop/user.py", document=sha(b"x")),),
    left_out=(".env",),
)


class Committing(AgentCast):
    """Says what the person's own change is as one patch."""

    def agent_change(self, step):
        paths = [file.path for file in step.inputs().workspace.files]
        return replied(step, subject="5" * 64, title="a change", files=paths, whole=ADDED)


def test_a_commit_that_is_asked_for_is_of_what_the_person_has_changed():
    run = submitted_task("commit this as 'Add a user'", coder=False, own=OWN)
    outcome, simulated = hold_task(run, Committing())
    assert modes_of(simulated) == [GIT, IDLE]
    assert outcome.verdict is Verdict.DONE
    assert result_of(outcome).patch == ADDED
    commit = simulated.commands["git_workflow/1/commit"].inputs()
    assert (commit.title, [file.path for file in commit.workspace.files]) == (
        "Add a user",
        ["shop/user.py"],
    )
    assert "agent_own_left_out" in [warning.code for warning in outcome.warnings]
    assert result_of(outcome).came_from_folder


def test_a_commit_without_a_message_is_called_after_its_files():
    run = submitted_task("commit my work", coder=False, own=OWN)
    _, simulated = hold_task(run, Committing())
    assert simulated.commands["git_workflow/1/commit"].inputs().title == "Change user.py"


def test_a_review_that_is_asked_for_is_of_what_the_person_has_changed_and_mends_nothing():
    class Strict(AgentCast):
        def child(self, step):
            finding = {
                "id": "F1",
                "title": "An empty address passes",
                "detail": "",
                "severity": "MAJOR",
                "category": "correctness",
                "raised_by": ["ruff"],
                "raised_in_round": 1,
                "status": "accepted",
            }
            return ended(step, verdict="NEEDS_FIX", outcome={"findings": [finding]})

    outcome, run = hold_task(submitted_task("review my changes", own=OWN), Strict())
    assert modes_of(run) == [QA, IDLE]
    assert outcome.verdict is Verdict.DONE
    assert "An empty address passes" in result_of(outcome).texts[0].text
    assert not turns_of(run)


@pytest.mark.parametrize(
    ("words", "options", "own"),
    [
        ("commit my work", {}, "needed"),
        ("방금 내가 고친 거 리뷰해줘", {}, "needed"),
        ("where is the login?", {}, "no"),
        ("where is the login?", {"mode": "qa"}, "needed"),
        ("commit my work", {"mode": "test"}, "no"),
        ("the thing with the invoices from Tuesday", {}, "possible"),
        ("the thing with the invoices from Tuesday", {"intent": "rules"}, "no"),
        ("where is the login?", {"intent": "always"}, "possible"),
    ],
)
def test_the_change_of_a_person_is_captured_for_a_review_and_a_commit_only(words, options, own):
    assert WORKFLOWS["agent"].run.takes_own_change(words, options) == own


def test_of_a_command_that_is_not_there_its_program_is_missing_and_no_coder():
    class Bare(AgentCast):
        def agent_command(self, step):
            return replied(step, command="pytst", code=127, seconds=[0.1], output="not found")

    outcome, _ = hold_task(submitted_task("run the tests", coder=False), Bare())
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert [need.code for need in result_of(outcome).needs] == ["agent_command_not_found"]


@pytest.mark.parametrize("mode", ["implementation", "refactor", "multi_file_editing"])
def test_without_a_coder_the_places_and_who_depends_on_them_are_the_result(mode):
    options = AgentOptions(mode=AgentMode(mode))
    outcome, _ = hold_task(submitted_task("rename User to Person", options, coder=False))
    result = result_of(outcome)
    assert [hit.place.path for hit in result.hits] == ["shop/user.py"]
    assert "agent_reach" in [fact.code for fact in result.facts]
    assert [need.code for need in result.needs] == ["agent_needs_coder"]


def test_a_coder_is_shown_the_code_whatever_mode_the_run_begins_in():
    options = AgentOptions(mode=AgentMode.REFACTOR, tests="pytest -q")
    _, run = hold_task(submitted_task("tidy User up", options))
    assert "file shop/user.py" in str(turns_of(run)[0].prompt().user)


def test_a_panel_is_told_what_the_repository_has_on_a_question():
    options = AgentOptions(mode=AgentMode.RESEARCH)
    run = submitted_task("is a User class enough?", options, critics=(member("bob"),))
    _, simulated = hold_task(run)
    child = next(each for each in simulated.commands.values() if isinstance(each, ChildRun))
    question = child.request().documents[-1].decode()
    assert "shop/user.py:3" in question


def test_where_no_command_was_entered_the_project_s_own_is_proposed():
    class Configured(AgentCast):
        def examine_verification(self, step):
            params = {"name": "pytest", "command": "pytest", "folder": "."}
            return replied(step, facts=[{"code": "exam_verification_tests", "params": params}])

    options = AgentOptions(mode=AgentMode.TEST)
    outcome, run = hold_task(submitted_task("run the tests", options, coder=False), Configured())
    (fact,) = result_of(outcome).facts
    assert (fact.code, fact.params["command"]) == ("agent_command_meant", "pytest")
    assert not [key for key in run.commands if key.endswith("/tests")]


def test_the_context_names_the_graph_that_was_asked():
    _, run = hold_task(submitted_task(ADD))
    contexts = [r.context for r in run.records.values() if isinstance(r, TransitionRecord)]
    assert [context.graph_document for context in contexts] == ["", *["7" * 64] * 5]


def test_tests_that_are_to_be_written_are_code():
    _, run = hold_task(submitted_task("add unit tests for User"))
    assert modes_of(run)[:3] == [NAV, CODE, TEST]


def test_the_reach_of_what_nobody_calls_so_is_that_of_what_the_words_mean():
    class Unknown(AgentCast):
        def agent_impact(self, step):
            if step.inputs().symbols == ("nowhere_at_all",):
                return replied(step)
            return super().agent_impact(step)

    outcome, run = hold_task(
        submitted_task("what breaks if I change nowhere_at_all?", coder=False), Unknown()
    )
    assert outcome.verdict is Verdict.DONE
    assert "agent_no_such_name" in [warning.code for warning in outcome.warnings]
    assert run.commands["impact_analysis/1/1/impact"].inputs().symbols == ("shop.user.User",)
