"""`quorate prompts`: what there is, whose it is, and one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.commands.prompts import PromptSelection, run_list, run_show
from orchestrator.settings import builtin_prompts as prompts
from shared.errors import UserError


class Shelf:
    """A home with prompts of its own, and what a command prints."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.environ = {"HOME": str(home), "CI": "true"}
        self.folder = home / ".config/quorate/prompts"
        self.capsys = capsys

    def own(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def listed(self, **selection: Any) -> tuple[int, dict[str, Any]]:
        code = run_list(PromptSelection(**selection), self.environ, as_json=True)
        found: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        return code, found

    def shown(self, name: str, **selection: Any) -> str:
        assert run_show(name, PromptSelection(**selection), self.environ, as_json=False) == 0
        return self.capsys.readouterr().out


@pytest.fixture
def shelf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shelf:
    return Shelf(tmp_path, capsys)


def test_every_prompt_of_every_workflow_and_language_is_listed(shelf: Shelf) -> None:
    code, found = shelf.listed()
    assert code == 0
    listed = {(one["workflow"], one["language"], one["name"]) for one in found["prompts"]}
    assert listed == {
        (workflow, language, name)
        for workflow in prompts.workflows()
        for language in prompts.LANGUAGES
        for name in prompts.load(workflow, language)
    }
    assert found["folder"] == str(shelf.folder)


def test_a_prompt_of_ones_own_is_marked_and_shown(shelf: Shelf) -> None:
    shelf.own("ask/ko/chair.md", "시로 답하세요.\n")
    _, found = shelf.listed(workflow="ask", language="ko")
    files = {one["name"]: one["file"] for one in found["prompts"]}
    assert files.pop("chair") == str(shelf.folder / "ask/ko/chair.md")
    assert set(files.values()) == {None}
    assert shelf.shown("ask/chair", language="ko") == "시로 답하세요.\n"
    ours = prompts.load("ask", "ko")["chair"]
    assert shelf.shown("chair", workflow="ask", language="ko", built_in=True) == ours
    assert run_list(PromptSelection("ask", "ko"), shelf.environ, as_json=False) == 0
    rows = shelf.capsys.readouterr().out.splitlines()
    assert [row.split() for row in rows if "yours" in row] == [["ask/chair", "ko", "yours"]]


def test_a_file_that_cannot_be_used_ends_with_code_2_and_ours_are_listed(shelf: Shelf) -> None:
    shelf.own("ask/en/ranking.md", "Rank them.\n")
    code, found = shelf.listed(workflow="ask", language="en")
    assert code == 2
    assert "$labels is missing" in found["problems"][0]
    assert {one["file"] for one in found["prompts"]} == {None}


def test_the_language_is_the_configurations_unless_it_is_named(shelf: Shelf) -> None:
    shelf.environ["QUORATE_LANG"] = "ko"
    assert shelf.shown("ask/chair") == prompts.load("ask", "ko")["chair"]
    assert shelf.shown("ask/chair", language="en") == prompts.load("ask", "en")["chair"]


def test_a_file_cannot_steer_the_terminal_that_shows_it(shelf: Shelf) -> None:
    shelf.own("ask/en/chair.md", "Be brief.\x1b]0;owned\x07\x1b[2J \u202eevil\n")
    assert shelf.shown("ask/chair", language="en") == "Be brief. evil\n"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("forum/bdi", r"no prompt 'bdi'; did you mean 'bid'"),
        ("persona", r"Several workflows have a prompt 'persona': agent/persona, .* Say which"),
        ("asks/chair", r"no workflow 'asks'; did you mean 'ask'"),
    ],
)
def test_a_name_that_means_none_or_several_is_answered_with_what_there_is(
    shelf: Shelf, name: str, problem: str
) -> None:
    with pytest.raises(UserError, match=problem):
        shelf.shown(name)
