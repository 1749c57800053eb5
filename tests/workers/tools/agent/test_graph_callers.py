"""Who calls what a change touches, as reviewers are shown it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.errors import ToolError
from shared.models.code_answers import CallersEvidence
from shared.models.subject import Origin
from tests.workers.tools.agent.shop import FILES, new_shop
from tests.workers.tools.agent.workspaces import Project
from tests.workers.tools.changes import stored, subject_of
from workers.tools.registry import run_tool

TOKENS = FILES["app/auth/tokens.py"]
CHANGED = TOKENS.replace("return sign(", "return sign(user.secret or ")
SECRET = "AKIAIOSFODNN7REALKEY"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return new_shop(tmp_path)


def evidence(project: Project, reviewed: str | None = None, tokens: int = 1500) -> CallersEvidence:
    head = project.repo.git("rev-parse", "HEAD")
    origin = Origin(repository=str(project.repo.root), reviewed=reviewed or head, head=head)
    subject = subject_of(project.documents, {"app/auth/tokens.py": (TOKENS, CHANGED)}, origin)
    inputs = {"subject": stored(project.documents, subject), "tokens": tokens}
    found = run_tool("graph.callers", inputs, project.context)
    assert isinstance(found, CallersEvidence)
    return found


def text_of(project: Project, found: CallersEvidence) -> str:
    assert found.document is not None
    return project.documents.get(found.document).decode()


def test_callers_are_shown_with_their_lines_and_the_tests_that_reach_them(shop: Project) -> None:
    shop.repo.commit({"app/auth/tokens.py": CHANGED})
    found = evidence(shop)
    assert (found.symbols, found.callers, found.tests) == (1, 1, 1)
    assert text_of(shop, found) == (
        "app.auth.tokens.make_token (app/auth/tokens.py:4)\n"
        "  reached by tests in tests/test_login.py\n"
        "  app/auth/login.py:9 app.auth.login.authenticate"
    )


def test_a_change_that_is_not_committed_is_looked_at_on_top_of_its_commit(shop: Project) -> None:
    found = evidence(shop, "worktree")
    assert "app/auth/login.py:9" in text_of(shop, found)


def test_lines_are_shown_of_files_of_the_change_alone_and_their_secrets_are_masked(
    shop: Project,
) -> None:
    inside = (
        CHANGED + f"\n\ndef key():\n    return make_token('{SECRET}')\n\n\ndef other():\n    pass\n"
    )
    shop.repo.commit({"app/auth/tokens.py": inside})
    head = shop.repo.git("rev-parse", "HEAD")
    origin = Origin(repository=str(shop.repo.root), reviewed=head, head=head)
    before = inside.replace("sign(user.secret or ", "sign(")
    files = {"app/auth/tokens.py": (before, inside)}
    subject = stored(shop.documents, subject_of(shop.documents, files, origin))
    found = run_tool("graph.callers", {"subject": subject}, shop.context)
    assert isinstance(found, CallersEvidence)
    text = text_of(shop, found)
    assert "app/auth/tokens.py:13 app.auth.tokens.key: return make_token(" in text
    assert "app/auth/login.py:9 app.auth.login.authenticate\n" in text + "\n"
    assert SECRET not in text


def test_no_more_is_said_than_there_is_room_for_and_the_rest_is_counted(shop: Project) -> None:
    calls = "".join(f"def f{n}(user):\n    return make_token(user)\n\n\n" for n in range(80))
    head = "from app.auth.tokens import make_token\n\n\n"
    shop.repo.commit({"app/auth/tokens.py": CHANGED, "app/many.py": head + calls})
    found = evidence(shop, tokens=200)
    text = text_of(shop, found)
    assert found.callers == 81
    assert len(text) < 1200
    assert " more" in text.splitlines()[-1]


def test_a_change_of_no_repository_has_no_callers(shop: Project) -> None:
    subject = subject_of(shop.documents, {"app/auth/tokens.py": (TOKENS, CHANGED)})
    inputs = {"subject": stored(shop.documents, subject)}
    with pytest.raises(ToolError, match="no repository"):
        run_tool("graph.callers", inputs, shop.context)
