"""The repository's own file is read from before the change, and never from what is under review."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.capture import locate_change
from orchestrator.application.subject_input import ChangeInput
from orchestrator.participants.casting import build_cast
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.settings.loading import Configuration, load_configuration
from orchestrator.settings.projects import Reviewed
from shared.errors import ConfigurationError
from shared.tools.card import ToolKind
from shared.tools.catalogue import cards

ALONE = "participants: [complexity]\nlanguage: ko\n"
ALL = [card.name for card in cards(kind=ToolKind.ANALYSER)]


class Project:
    """A repository and somebody who works in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.path = root, root / "repo"
        self.path.mkdir()
        self.environ = {"HOME": str(root), "CI": "true", "PATH": os.environ["PATH"]}
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Tester")
        self.git("config", "user.email", "tester@example.invalid")

    def git(self, *arguments: str) -> str:
        ran = subprocess.run(
            ["git", *arguments], cwd=self.path, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()

    def write(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def load(self, inside: str = ".", trust: bool = False, **typed: Any) -> Configuration:
        """As `quorate review` does; without a change as the other workflows do."""
        reviewed = None
        directory = self.path / inside
        if typed:
            located = locate_change(ChangeInput(**typed), directory, self.environ)
            assert located is not None
            comparison = located.comparison
            reviewed = Reviewed(located.repository, comparison.base, comparison.reviewed)
        return load_configuration(
            directory, self.environ, workflow="review", reviewed=reviewed, trust_project=trust
        )

    def critics(self, found: Configuration) -> list[str]:
        panel = build_cast(
            "review", None, found, self.environ, self.path, paths=("a.py",), tell=ENGLISH.translate
        ).panel
        return [critic.name for critic in panel.critics]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def codes(found: Configuration) -> list[str]:
    assert all(Translator().knows(notice.code) for notice in found.notices)
    return [notice.code for notice in found.notices]


def change(project: Project, how: str) -> dict[str, Any]:
    """Put a configuration and a defect into the repository in one of the ways; how the change is named."""
    first = project.commit(a__py="x = 1\n")
    project.write("a.py", "eval(x)\n")
    project.write(".quorate.yaml", ALONE)
    if how == "worktree":
        project.git("add", "-N", ".quorate.yaml")
        return {"targets": (".",)}
    project.git("add", "-A")
    if how == "staged":
        return {"staged": True}
    project.git("commit", "-qm", "evil")
    if how == "branch":
        project.git("checkout", "-q", "-b", "topic")
        project.git("branch", "-qf", "main", first)
        return {"base": "main"}
    return {
        "targets": ({"commit": "HEAD", "range": f"{first}..HEAD", "since": f"{first}...HEAD"}[how],)
    }


@pytest.mark.parametrize("trust", [False, True], ids=["", "trusted"])
@pytest.mark.parametrize("how", ["worktree", "staged", "branch", "commit", "range", "since"])
def test_a_change_does_not_bring_its_own_rules(project: Project, how: str, trust: bool) -> None:
    found = project.load(trust=trust, **change(project, how))
    assert found.settings.participants is None
    assert found.settings.language is None
    assert project.critics(found) == ALL
    assert codes(found) == ["project_uncommitted" if how == "worktree" else "project_edited"]
    assert found.notices[0].params["files"] == (".quorate.yaml",)


@pytest.mark.parametrize("mended", ["language: en\n", None], ids=["mended", "removed"])
@pytest.mark.parametrize("how", ["worktree", "staged", "commit"])
@pytest.mark.parametrize("broken", ["languag: ko\n", "language: [\n"], ids=["key", "syntax"])
def test_a_file_that_cannot_be_used_holds_up_everybody_but_who_mends_it(
    project: Project, broken: str, how: str, mended: str | None
) -> None:
    project.commit(__quorate__yaml=broken, a__py="x = 1\n")
    project.commit(a__py="x = 2\n")
    with pytest.raises(ConfigurationError, match="quorate"):
        project.load(targets=("HEAD",))
    if mended is None:
        (project.path / ".quorate.yaml").unlink()
    else:
        project.write(".quorate.yaml", mended)
    if how != "worktree":
        project.git("add", "-A")
    if how == "commit":
        project.commit()
    found = project.load(
        **{"commit": {"targets": ("HEAD",)}, "staged": {"staged": True}}.get(how, {"staged": False})
    )
    assert (found.settings.language, codes(found)) == (None, ["project_mended"])
    assert ".quorate.yaml:" in str(found.notices[0].params["problem"])


def test_a_change_that_breaks_the_file_is_told_before_it_holds_up_others(project: Project) -> None:
    project.commit(__quorate__yaml="language: ko\n")
    project.write(".quorate.yaml", "languag: ko\n")
    project.git("add", "-A")
    with pytest.raises(
        ConfigurationError, match=r"^index:\.quorate\.yaml:1: unknown key 'languag'"
    ):
        project.load(staged=True)


def test_an_untracked_file_is_not_used_and_said(project: Project) -> None:
    project.commit(a__py="x = 1\n")
    project.write("a.py", "eval(x)\n")
    project.write(".quorate.yaml", ALONE)
    project.git("add", "a.py")
    assert codes(project.load(staged=True)) == ["project_uncommitted"]
    assert codes(project.load()) == ["project_uncommitted"]


def test_what_was_committed_before_adds_to_the_panel_and_does_not_replace_it(
    project: Project,
) -> None:
    project.commit(a__py="x = 1\n", __quorate__yaml=ALONE)
    project.commit(a__py="eval(x)\n")
    found = project.load(targets=("HEAD",))
    assert (codes(found), found.settings.language) == ([], "ko")
    assert [entry.name for entry in found.joining] == ["complexity"]
    assert project.critics(found) == ALL
    assert found.source("language").endswith(":.quorate.yaml:2")


@pytest.mark.parametrize("how", ["delete", "rename", "edit", "link", "folder"])
def test_a_change_does_not_take_its_rules_away_either(project: Project, how: str) -> None:
    project.commit(a__py="x = 1\n", __quorate__yaml="gate: {fail_on: major}\n")
    match how:
        case "delete":
            project.git("rm", "-q", ".quorate.yaml")
        case "rename":
            project.git("mv", ".quorate.yaml", "old.yaml")
        case "edit":
            project.write(".quorate.yaml", "gate: {fail_on: critical}\n")
        case "link":
            project.git("rm", "-q", ".quorate.yaml")
            (project.path / ".quorate.yaml").symlink_to("/etc/hostname")
        case "folder":
            project.git("rm", "-q", ".quorate.yaml")
            project.write(".quorate.yaml/x", "gate: {fail_on: critical}\n")
    project.write("b.py", "eval(x)\n")
    project.git("add", "-A")
    found = project.load(staged=True)
    assert found.settings.gate.fail_on == "MAJOR"
    assert codes(found) == ["project_edited"]


def test_a_committed_link_is_not_followed_and_nothing_of_its_target_is_told(
    project: Project, tmp_path: Path
) -> None:
    secret = tmp_path / "shadow"
    secret.write_text("root:*:20228:0:99999\n")
    (project.path / ".quorate.yaml").symlink_to(secret)
    project.commit(a__py="x = 1\n")
    found = project.load()
    assert found.settings.language is None
    assert codes(found) == ["project_unread"]
    assert "root" not in " ".join(Translator().translate(notice) for notice in found.notices)


def test_outside_of_a_repository_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "shadow").write_text("root:*:20228:0:99999\n")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/.quorate.yaml").symlink_to(tmp_path / "shadow")
    os.mkfifo(tmp_path / "plain/pyproject.toml")
    (tmp_path / "plain/.quorate").symlink_to(tmp_path)
    (tmp_path / "config.yaml").write_text("language: ko\n")
    found = load_configuration(tmp_path / "plain", {"HOME": str(tmp_path), "PATH": ""})
    assert found.documents == ()


def test_without_a_commit_nothing_is_used(project: Project) -> None:
    project.write(".quorate.yaml", ALONE)
    project.write("a.py", "eval(x)\n")
    project.git("add", "-A")
    for found in (project.load(), project.load(staged=True)):
        assert found.settings.language is None
        assert codes(found) == ["project_unread"]
        assert "no commit" in Translator().translate(found.notices[0])
    project.git("commit", "-qm", "root")
    assert project.load(targets=("HEAD",)).settings.language is None


def test_where_git_cannot_answer_nothing_is_used(project: Project) -> None:
    project.commit(__quorate__yaml=ALONE)
    project.environ["PATH"] = ""
    found = project.load()
    assert found.settings.language is None
    assert codes(found) == ["project_unread"]


def test_a_subdirectory_uses_the_nearest_committed_file_up_to_the_top(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / ".quorate.yaml").write_text("language: en\n")
    project.write("src/deep/a.py", "x = 1\n")
    project.commit(__quorate__yaml="language: ko\n")
    assert project.load("src/deep").settings.language == "ko"
    project.write("src/.quorate.yaml", "language: en\n")
    found = project.load("src/deep")
    assert (found.settings.language, codes(found)) == ("ko", ["project_uncommitted"])
    project.commit()
    assert project.load("src/deep").settings.language == "en"
    assert project.load().settings.language == "ko"


def test_a_pyproject_counts_by_its_table_only(project: Project) -> None:
    project.commit(pyproject__toml='[tool.quorate]\nlanguage = "ko"\n[tool.ruff]\nx = 1\n')
    project.write("pyproject.toml", '[tool.quorate]\nlanguage = "en"\n')
    project.git("add", "-A")
    found = project.load(staged=True)
    assert (found.settings.language, codes(found)) == ("ko", ["project_edited"])
    project.commit(pyproject__toml='[project]\ndescription = "quorate"\n')
    project.write("pyproject.toml", '[project]\ndescription = "about quorate"\n')
    project.git("add", "-A")
    found = project.load(staged=True)
    assert (found.settings.language, codes(found)) == (None, [])


def test_a_worktree_and_a_bare_repository_have_a_base_too(project: Project) -> None:
    project.commit(__quorate__yaml="language: ko\n", a__py="x = 1\n")
    project.commit(a__py="eval(x)\n")
    project.git("worktree", "add", "-q", "../beside", "-b", "beside")
    project.git("clone", "-q", "--bare", ".", "../bare.git")
    for place in ("../beside", "../bare.git"):
        assert project.load(place, targets=("HEAD~0",)).settings.language == "ko"


def test_filters_and_attributes_of_the_repository_do_not_touch_what_is_read(
    project: Project,
) -> None:
    project.commit(
        __quorate__yaml="language: ko\n", __gitattributes="", a__py="x = 1\n",
    )  # fmt: skip
    project.write(
        ".gitattributes", "*.yaml filter=evil diff=evil text working-tree-encoding=UTF-16\n"
    )
    project.git("config", "filter.evil.smudge", "echo 'language: en' #")
    project.git("config", "diff.evil.textconv", "echo 'language: en' #")
    assert project.load().settings.language == "ko"


def test_a_file_for_trusted_work_is_read_from_before_the_change_as_well(project: Project) -> None:
    project.commit(__quorate__yaml="review: {exclude: ['a/*']}\n", a__py="x = 1\n")
    project.write(".quorate.yaml", "review: {exclude: ['*']}\n")
    project.write("a.py", "eval(x)\n")
    project.git("add", "-A")
    found = project.load(trust=True, staged=True)
    assert found.settings.review.exclude == ("a/*",)
    assert codes(found) == ["project_edited"]


def test_another_repositorys_change_is_judged_by_that_repositorys_file(
    project: Project, tmp_path: Path
) -> None:
    other = Project.__new__(Project)
    (tmp_path / "other").mkdir()
    Project.__init__(other, tmp_path / "other")
    other.commit(__quorate__yaml="language: ko\n", a__py="x = 1\n")
    other.write("a.py", "eval(x)\n")
    project.commit(__quorate__yaml="language: en\n")
    assert project.load(targets=(str(other.path),)).settings.language == "ko"
