"""Rules for approvals: by the path of a changed file and by command, above the level, the strictest first."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.settings.options import workflow_options
from orchestrator.settings.schema import Settings
from orchestrator.workflows.agent.approval_rules import (
    ApprovalRule,
    rule_for_command,
    rule_for_patch,
    strictest,
)
from orchestrator.workflows.agent.mode_context import ApprovalLevel
from orchestrator.workflows.agent.options import AgentOptions
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Verdict
from shared.models.run import DecisionPolicy
from tests.support.agent_cast import (
    AgentCast,
    hold_task,
    modes_of,
    result_of,
    submitted_task,
    turns_of,
)

ADD = "Add a method validate_email to the class User"
ASK, APPROVE, REFUSE = ApprovalRule.ASK, ApprovalRule.APPROVE, ApprovalRule.REFUSE
RULES = {"docs/*": APPROVE, "docs/legal/*": ASK, "deploy/*": REFUSE, "*.sql": ASK}


@pytest.mark.parametrize(
    ("paths", "level", "expected"),
    [
        (["docs/a.md"], "medium", APPROVE),
        (["docs/sub/a.md"], "high", APPROVE),
        (["docs/legal/terms.md"], "low", ASK),
        (["docs/a.md", "src/a.py"], "medium", ASK),
        (["docs/a.md", "src/a.py"], "low", APPROVE),
        (["src/a.py", "src/deep/b.sql"], "low", ASK),
        (["docs/a.md", "deploy/prod/app.yaml"], "low", REFUSE),
        (["deployment.md"], "low", APPROVE),
        (["deployment.md"], "medium", ASK),
    ],
)
def test_the_strictest_rule_of_all_files_counts_and_the_level_where_there_is_none(
    paths, level, expected
):
    assert rule_for_patch(RULES, paths, ApprovalLevel(level)) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", APPROVE),
        ("make test", ASK),
        ("make   deploy", REFUSE),
        ("sh -c 'pytest --live'", REFUSE),
    ],
)
def test_a_command_is_judged_by_its_words(command, expected):
    rules = {"make *": ASK, "make deploy*": REFUSE, "*--live*": REFUSE}
    assert rule_for_command(rules, command) is expected


def test_the_example_of_the_page_is_the_file_and_does_what_the_page_says():
    folder = Path(__file__).parents[4] / "docs"
    example = (folder / "examples/agent-rules.yaml").read_text(encoding="utf-8")
    _, _, rules = example.partition("\n")
    assert f"```yaml\n{rules}```" in (folder / "agent.md").read_text(encoding="utf-8")
    settings = Settings.model_validate(yaml.safe_load(example))
    options = workflow_options("agent", settings)
    answers = {
        path: rule_for_patch(options.paths, [path], ApprovalLevel.MEDIUM)
        for path in ("docs/a/b.md", "docs/legal/terms.md", "db/1.sql", "deploy/app.yaml", "a.py")
    }
    assert list(answers.values()) == [APPROVE, ASK, ASK, REFUSE, ASK]
    commands = ("make test", "pytest --live", "pytest")
    assert [rule_for_command(options.commands, each) for each in commands] == [ASK, REFUSE, APPROVE]


@given(st.lists(st.sampled_from(ApprovalRule), min_size=1))
def test_the_order_of_rules_does_not_matter_and_a_refusal_is_never_outvoted(answers):
    assert strictest(answers) is strictest(reversed(answers))
    assert (strictest(answers) is REFUSE) == (REFUSE in answers)


def test_what_a_rule_approves_is_not_asked_also_without_a_terminal():
    options = AgentOptions(paths={"shop/*": APPROVE}, tests="pytest -q", auto_commit=True)
    run = submitted_task(ADD, options, decision=DecisionPolicy(mode="halt"))
    outcome, simulated = hold_task(run)
    assert outcome.verdict is Verdict.DONE
    assert not simulated.questions
    assert len(result_of(outcome).commits) == 1


def test_what_a_rule_wants_asked_is_asked_at_the_lowest_level():
    options = AgentOptions(paths={"*.py": ASK}, approval="low")
    _, simulated = hold_task(submitted_task(ADD, options))
    assert [question.question.kind for question in simulated.questions.values()] == ["agent_work"]


def test_a_patch_that_a_rule_refuses_goes_back_to_the_coder_with_the_reason():
    class Learning(AgentCast):
        def paths(self):
            return ["deploy/app.yaml"] if self.patches == 1 else ["shop/user.py"]

    options = AgentOptions(paths={"deploy/*": REFUSE}, tests="pytest -q")
    outcome, simulated = hold_task(submitted_task(ADD, options), Learning())
    assert outcome.verdict is Verdict.DONE
    assert result_of(outcome).files == ("shop/user.py",)
    assert "deploy/app.yaml: a rule" in str(turns_of(simulated)[-1].prompt().user)


def test_a_coder_that_insists_on_a_refused_file_ends_in_order_and_nothing_is_taken():
    class Stubborn(AgentCast):
        def paths(self):
            return ["deploy/app.yaml"]

    options = AgentOptions(paths={"deploy/*": REFUSE}, approval="low", auto_commit=True)
    outcome, _ = hold_task(submitted_task(ADD, options), Stubborn())
    assert outcome.verdict is Verdict.INCONCLUSIVE
    result = result_of(outcome)
    assert (result.patch, result.commits) == ("", ())


def test_a_refused_command_is_not_run_and_the_run_says_so():
    options = AgentOptions(commands={"pytest*": REFUSE}, tests="pytest -q")
    outcome, simulated = hold_task(submitted_task(ADD, options))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert [need.code for need in result_of(outcome).needs] == ["agent_command_refused"]
    assert not [key for key in simulated.commands if key.endswith("/tests")]
    assert modes_of(simulated)[-1] == "idle"


@pytest.mark.parametrize(("choice", "times"), [("approve", 5), ("reject", 0), ("halt", 0)])
def test_a_command_that_is_asked_for_is_asked_once_and_run_only_when_approved(choice, times):
    def answer(decision):
        assert decision.question.kind == "agent_command"
        assert decision.question.shown["explanation"] == "python bench.py"
        return DecisionAnswer(choice=choice, actor="kim", channel="cli")

    options = AgentOptions(
        mode="benchmark", command="python bench.py", commands={"python *": ASK}, repeats=5
    )
    run = submitted_task("is it slower?", options, coder=False)
    outcome, simulated = hold_task(run, person=answer)
    assert len(simulated.questions) == 1
    runs = [step for key, step in simulated.commands.items() if key.startswith("benchmark/1/")]
    assert sum(step.inputs().times for step in runs) == 2 * times
    assert (outcome.verdict is Verdict.DONE) == bool(times)
