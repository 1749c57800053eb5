"""What the coder of an agent is asked, as written down beside this test."""

from pathlib import Path

import pytest

from orchestrator.core.discussion.templates import Templates
from orchestrator.settings import builtin_prompts
from orchestrator.workflows.agent.mode_context import AgentMessage, ModeContext
from orchestrator.workflows.agent.prompts import AgentPrompts
from shared.models.agent import CodeImpact, LocatedError, ReadFile, ReadFiles
from shared.models.workspace import CodingTask
from tests.support.agent_cast import ADDED, WORKSPACE
from tests.support.debates import member
from tests.support.snapshots import check_snapshot

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
TASK = CodingTask(text="User 클래스에 validate_email 메서드 추가해줘", workspace=WORKSPACE)
FILES = ReadFiles(files=(ReadFile(path="shop/user.py", document="0" * 64, lines=12),))
FIRST = ModeContext(task=TASK.text, workspace=WORKSPACE)
LATER = FIRST.updated(
    whole_patch=ADDED,
    error_text="E   assert None == 'a@b.c'",
    last_error=LocatedError(kind="AssertionError", message="None == 'a@b.c'"),
    impact=CodeImpact.model_validate(
        {"callers": [{"place": {"path": "shop/form.py", "line": 9}, "symbol": "shop.form.save"}]}
    ),
    memory=(
        AgentMessage(source="person", text="keep the old name"),
        AgentMessage(source="review", text="MAJOR: an empty address passes (shop/user.py:3)"),
        AgentMessage(source="patch", text="it does not apply"),
    ),
)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_prompt_is_as_it_was_written_down(language):
    templates = Templates(builtin_prompts.load("agent", language))
    asked = AgentPrompts(templates, TASK)
    found = f"{templates.line('places')}\n- shop/user.py:3 shop.user.User"
    searched = FIRST.remembering(AgentMessage(source="examination", text=found))
    texts = ("implement", "refactor", "many_files", "document", "migrate", "design", "answer")
    coder = member("ada", persona="a careful maintainer")
    prompts = {
        **{text: asked.turn(coder, text, FIRST, FILES) for text in texts},
        "implement, later": asked.turn(coder, "implement", LATER, FILES),
        "intent": asked.intent(),
        "implement, after a plan": asked.turn(coder, "implement", searched, FILES),
    }
    check_snapshot(SNAPSHOTS / f"agent.{language}.md", prompts)


def test_a_person_s_words_are_instructions_and_everything_else_is_data():
    asked = AgentPrompts(Templates(builtin_prompts.load("agent", "en")), TASK)
    parts = asked.turn(member("ada"), "implement", LATER, FILES).user
    fenced = [part.fence for part in parts if part.fence]
    assert fenced == [
        "file shop/user.py",
        "changes so far",
        "callers",
        "error",
        "output",
        "review",
        "patch",
    ]
    assert any("keep the old name" in (part.text or "") and not part.fence for part in parts)
