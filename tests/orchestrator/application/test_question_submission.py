"""What a question's run captures: its workflow's options, its cast, its language, its documents."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.prepare import PreparedRun, prepare_run
from orchestrator.application.subject_input import (
    CaseSource,
    ChangeInput,
    QuestionInput,
    TaskInput,
)
from orchestrator.cli.submission import SubmissionOptions, typed_request
from orchestrator.core.setting import settings_of
from orchestrator.workflows import ROWS
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.deliberation import Question
from shared.models.notices import notice
from shared.models.run import RunSpec

KINDS: dict[SubjectKind, type] = {
    SubjectKind.CHANGE: ChangeInput,
    SubjectKind.QUESTION: QuestionInput,
    SubjectKind.CASE: CaseSource,
    SubjectKind.TASK: TaskInput,
}
ENVIRON = {"HOME": "/nonexistent", "QUORATE_DISCOVER": "off"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.yaml").write_text("- reply: {answer: so}\n")
    return tmp_path


def prepared(
    folder: Path,
    workflow: str = "ask",
    *words: str,
    names: tuple[str, ...] = ("ada", "bob"),
    question: dict[str, Any] | None = None,
    casting: dict[str, Any] | None = None,
    course: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    language: str | None = None,
) -> PreparedRun:
    cast = tuple(f"scripted:s.yaml#{name}" for name in names)
    typed = {"participants": cast, **(casting or {}), **(course or {})}
    subject = QuestionInput(words=words or ("why", "so?"), no_stdin=True, **(question or {}))
    request = typed_request(
        workflow, subject, SubmissionOptions(**(options or {})), folder, typed, language
    )
    return prepare_run(request, ENVIRON)


def spec_of(*arguments: Any, **more: Any) -> RunSpec:
    return prepared(*arguments, **more).make_spec(workflow_version=1)


@pytest.mark.parametrize("workflow", ["ask", "forum", "plan", "panel"])
def test_a_run_holds_the_question_its_prompts_and_its_own_workflows_options(
    folder: Path, workflow: str
):
    run = prepared(folder, workflow, names=("ada", "bob", "cyd"))
    spec = run.make_spec(workflow_version=WORKFLOWS[workflow].version)
    assert Question.model_validate_json(run.documents[spec.subject]).text == "why so?"
    assert json.loads(run.documents[spec.prompts])
    model = WORKFLOWS[workflow].options
    assert spec.options.keys() == model.model_fields.keys()
    assert (run.workflow, run.title) == (workflow, "why so?")


def test_typed_options_win_over_the_file(folder: Path):
    (folder / ".quorate.yaml").write_text(
        "settings: {max_rounds: 12, timeout: 400}\nplan: {max_rounds: 6}\ndebate: {max_rounds: 9}\n"
    )
    course = {"rounds": 4, "strategy": "debate", "max_revisions": 1}
    plan = PlanOptions.model_validate(spec_of(folder, "plan", course=course).options)
    assert (plan.strategy, plan.rounds, plan.max_revisions) == ("debate", 4, 1)
    panel = PanelOptions.model_validate(
        spec_of(folder, "panel", course={"consensus_threshold": 0.6}).options
    )
    assert (panel.strategy, panel.max_rounds, panel.consensus_threshold) == ("sequential", 9, 0.6)
    forum = ForumOptions.model_validate(
        spec_of(folder, "forum", course={"timeout_s": 60.0}).options
    )
    assert (forum.max_rounds, forum.timeout_s) == (12, 60.0)


def test_a_typed_time_for_an_answer_bounds_what_is_configured(folder: Path):
    (folder / "c.yaml").write_text(
        'providers: {slow: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1", timeout: 900},'
        ' quick: {type: openai, model: n, base_url: "http://127.0.0.1:9/v1", timeout: 5}}\n'
    )
    question = QuestionInput(words=("why?",), no_stdin=True)
    typed = {"participants": ("slow,quick",), "turn_s": 30.0, "config": folder / "c.yaml"}
    request = typed_request("ask", question, SubmissionOptions(), folder, typed)
    spec = prepare_run(request, ENVIRON).make_spec(workflow_version=1)
    assert [one.timeout_s for one in spec.panel.critics] == [30.0, 5.0]
    assert spec.panel.chair.timeout_s == 5.0


@pytest.mark.parametrize(
    ("words", "typed", "language"),
    [
        (("이 구조가 맞나요?",), None, "ko"),
        (("Is this right?",), None, "en"),
        (("이 구조가 맞나요?",), "en", "en"),
    ],
)
def test_a_run_speaks_the_language_of_its_question(
    folder: Path, words: tuple[str, ...], typed: str | None, language: str
):
    run = prepared(folder, "ask", *words, language=typed)
    assert (run.language, run.make_spec(workflow_version=1).language) == (language, language)


def test_limits_and_decisions_are_captured(folder: Path):
    limits = {
        "budget__per_run_usd": 0.5,
        "budget__per_run_calls": 9,
        "privacy__allow_external": False,
    }
    course = {"given": True, "reuse": True, "batch": "nightly", **limits}
    spec = spec_of(folder, "plan", course=course, options={"decide": "revise"})
    assert (spec.budget.max_usd, spec.budget.max_calls) == (0.5, 9)
    assert (spec.reuse, spec.labels["batch"], spec.allow_external) == (True, "nightly", False)
    assert spec.decision.mode == "revise"
    assert spec.options["given"]
    later = spec_of(folder, "plan", options={"decide": "later"})
    assert (later.decision.mode, later.decision.on_timeout) == ("ask", "accept")


def test_judge_and_orchestrator_are_who_was_named(folder: Path):
    judge = spec_of(folder, "panel", casting={"judge": "scripted:s.yaml#eve"})
    assert judge.panel.chair.name == "eve"
    leader = spec_of(folder, "forum", casting={"orchestrator": "ada"})
    assert leader.panel.chair.name == "ada"


def test_in_an_ask_the_orchestrator_is_who_merges(folder: Path):
    (folder / ".quorate.yaml").write_text("panel: {chair: bob}\n")
    spec = spec_of(
        folder,
        names=("ada", "bob", "cyd"),
        casting={"orchestrator": "ada"},
        course={"synthesis": True, "ranking": True},
    )
    assert spec.panel.chair.name == "ada"
    assert (spec.options["synthesis"], spec.options["ranking"]) == (True, True)


def test_a_forum_may_be_anonymous(folder: Path):
    assert spec_of(folder, "forum", course={"anonymous": True}).options["anonymous"]


def test_a_debaters_name_does_not_make_it_the_judge_of_its_own_debate(folder: Path):
    spec = spec_of(folder, "panel", names=("ada", "bob"), casting={"judge": "ada"})
    assert spec.panel.chair.name not in {one.name for one in spec.panel.critics}


def test_secrets_that_were_seen_are_noted(folder: Path):
    (folder / "log.txt").write_text("ghp_" + "a1B2" * 9)
    run = prepared(folder, question={"contexts": ("log.txt",)})
    assert run.remarks == (notice("secrets_seen", n=1),)


@pytest.mark.parametrize("workflow", [row.name for row in ROWS if row.summary])
def test_no_option_of_a_workflow_has_the_name_of_a_part_of_its_subject(workflow: str) -> None:
    """Both are taken out of what was typed by their names."""
    kind = KINDS[WORKFLOWS[workflow].subject]
    options = {name for name, _ in settings_of(WORKFLOWS[workflow].options)}
    assert not options & {field.name for field in fields(kind)}
