"""Every prompt of `plan` and `panel` in both languages, as it is sent."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.core.replay.commands import Prompt, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.steps import StepResult
from tests.support.debates import Script, decides, give, hold, member, submitted
from tests.support.panel_cast import PanelCast, one_of_two_is_settled, persuaded, sides
from tests.support.plan_cast import NO_WAY_BACK, PlanCast, stance
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation
from tests.support.snapshots import check_snapshot, rendered

SNAPSHOTS = Path(__file__).parent / "snapshots"
LANGUAGES = pytest.mark.parametrize("language", prompts.LANGUAGES)
WORKFLOWS = pytest.mark.parametrize("workflow", ["plan", "panel"])
FILES = (("notes.md", b"The old server is from 2012."),)
HOSTILE = "Should we? It costs $5 and ${label}."


class Doubtful(PlanCast):
    """One of two objections is settled, the other is not."""

    def challenge(self, step: Turn) -> StepResult:
        said = stance("agree", "F1", "F2") if step.round > 1 else []
        found = [NO_WAY_BACK, {"title": "Too slow"}] if step.round == 1 else []
        return give(step, verdict="REVISE", findings=found, stances=said)

    def defense(self, step: Turn) -> StepResult:
        own = [*stance("agree", "F1"), *stance("disagree", "F2")]
        return give(step, stances=own, revised_plan="# Plan with a way back")


class Contradictory(PlanCast):
    """They agree to an objection, and say that it does not hold."""

    def challenge(self, step: Turn) -> StepResult:
        if step.round == 1:
            return super().challenge(step)
        against = stance("agree", "F1", reason="The objection is wrong, the plan is sound.")
        return give(step, verdict="ACCEPT", stances=against)

    def clarification(self, step: Turn) -> StepResult:
        return give(step)


def run_of(run: Submission, script: Script) -> Simulation:
    person = decides("revise", "accept", message="keep it short")
    return hold(run, script, person)[1]


def prompts_of(simulation: Simulation, prefix: str, *keys: str) -> dict[str, Prompt]:
    found = {}
    for key in keys:
        step = simulation.commands[key]
        assert isinstance(step, Turn)
        found[f"{prefix}: {key}"] = step.prompt()
    return found


def plan_prompts(language: str) -> Mapping[str, Prompt]:
    members = (member("ada", persona="operations"), member("bob"), member("cyd"))

    def submission(**options: object) -> Submission:
        made = PlanOptions.model_validate(options)
        return submitted(made, members=members, contexts=FILES, text=HOSTILE, language=language)

    debate = run_of(submission(max_revisions=1), Doubtful())
    given = run_of(submission(given=True), PlanCast())
    lenses = run_of(submission(strategy="perspectives"), PlanCast())
    again = run_of(submission(max_revisions=1), Contradictory())
    turns = ("challenge/1/ada", "defense/2/author", "challenge/3/ada", "synthesis/chair")
    reviews = ("risk-analysis/1/ada", "innovation-analysis/1/bob", "cross-review/2/ada")
    return {
        **prompts_of(debate, "debate", "plan/1/author", *turns, "plan/2/author"),
        **prompts_of(again, "contradicting", "clarification/3/challenge/ada"),
        **prompts_of(given, "a plan that was given", "challenge/1/bob"),
        **prompts_of(lenses, "perspectives", *reviews, "cross-review/2/bob"),
    }


def panel_prompts(language: str) -> Mapping[str, Prompt]:
    members = (member("ada", persona="operations"), member("bob"), member("cyd"))

    def submission(strategy: str, moderated: bool = True) -> Submission:
        moderator = member("mod") if moderated else None
        made = PanelOptions(strategy=strategy, max_rounds=3, moderator=moderator)
        return submitted(made, members=members, contexts=FILES, text=HOSTILE, language=language)

    sequential = run_of(submission("sequential"), sides())
    parallel = run_of(submission("parallel", False), PanelCast(argument=persuaded))
    delphi = run_of(submission("delphi"), sides())
    settled = run_of(submission("parallel", False), PanelCast(argument=one_of_two_is_settled))
    alone = run_of(submission("delphi", False), sides())
    first = ("opening/ada", "argument/1/ada", "argument/1/bob", "moderation/1/mod")
    return {
        **prompts_of(sequential, "sequential", *first, "ballot/ada", "judgement/chair"),
        **prompts_of(parallel, "parallel", "argument/1/ada", "argument/2/bob", "argument/3/cyd"),
        **prompts_of(settled, "parallel, one of two is settled", "argument/2/ada"),
        **prompts_of(delphi, "delphi", "argument/2/ada"),
        **prompts_of(alone, "delphi without a moderator", "argument/2/ada"),
    }


EVERY = {"plan": plan_prompts, "panel": panel_prompts}


@WORKFLOWS
@LANGUAGES
def test_the_prompts_are_as_written_down(workflow: str, language: str) -> None:
    check_snapshot(SNAPSHOTS / f"{workflow}.{language}.md", EVERY[workflow](language))


@WORKFLOWS
@LANGUAGES
def test_every_blank_is_filled_and_only_the_users_own_signs_stay(
    workflow: str, language: str
) -> None:
    everything = "\n".join(map(rendered, EVERY[workflow](language).values()))
    assert set(re.findall(r"\$\{?[a-z]+", everything)) <= {"${label"}


@WORKFLOWS
def test_both_languages_have_the_same_templates_with_the_same_blanks(workflow: str) -> None:
    english, korean = (prompts.load(workflow, language) for language in ("en", "ko"))
    blanks = {
        name: (
            set(re.findall(r"\$[a-z_]+", english[name])),
            set(re.findall(r"\$[a-z_]+", korean[name])),
        )
        for name in english
    }
    assert english.keys() == korean.keys()
    assert all(one == other for one, other in blanks.values()), blanks


@WORKFLOWS
def test_every_template_is_sent_to_somebody(workflow: str) -> None:
    everything = "\n".join(map(rendered, EVERY[workflow]("en").values()))
    texts = prompts.load(workflow, "en")
    unused = {
        name
        for name, text in texts.items()
        if not re.search(re.sub(r"\\\$[a-z]+", ".*", re.escape(text.strip())), everything)
    }
    assert unused == set()
