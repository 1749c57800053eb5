"""A hostile repository runs nothing, and git's own troubles are told in one sentence."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shared.errors import EnvironmentFault, SubjectError
from shared.git.process import Git, LocalRunner


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A folder in which every program of the hostile configuration would leave a file."""
    folder = tmp_path / "canary"
    folder.mkdir()
    return folder


def poison(repo: Any, canary: Path) -> None:
    def touch(name: str) -> str:
        return f"touch {canary / name}; cat"

    repo.write(".gitattributes", "* filter=evil diff=evil\n*.odd filter=a=b.c\n")
    repo.commit("attributes", code__py="one\n", x__odd="one\n")
    settings = {
        "core.fsmonitor": touch("fsmonitor"),
        "core.hooksPath": str(canary.parent / "hooks"),
        "core.pager": touch("pager"),
        "core.editor": touch("editor"),
        "core.sshCommand": touch("ssh"),
        "core.askPass": touch("askpass"),
        "core.alternateRefsCommand": touch("refs"),
        "diff.external": touch("external"),
        "diff.evil.command": touch("driver"),
        "diff.evil.textconv": touch("textconv"),
        "filter.evil.clean": touch("clean"),
        "filter.evil.smudge": touch("smudge"),
        "filter.evil.process": touch("process"),
        "filter.evil.required": "true",
        "filter.a=b.c.clean": touch("odd-clean"),
        "gpg.program": touch("gpg"),
        "log.showSignature": "true",
        "credential.helper": f"!{touch('credential')}",
        "alias.diff": f"!{touch('alias')}",
        "submodule.recurse": "true",
    }
    for key, value in settings.items():
        repo.git("config", key, value)
    hooks = canary.parent / "hooks"
    for folder in (hooks, repo.path / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
            script = folder / hook
            script.write_text(f"#!/bin/sh\ntouch {canary / hook}\n")
            script.chmod(0o755)


@pytest.mark.parametrize(
    "request_", [{}, {"target": "HEAD~1..HEAD"}, {"base": "HEAD~1"}, {"target": "code.py"}]
)
def test_no_program_of_the_repositorys_configuration_runs(
    repo: Any, canary: Path, request_: dict[str, Any]
) -> None:
    poison(repo, canary)
    # A changed time makes git read the files again, which is when it would filter them.
    for name in ("code.py", "x.odd"):
        file = repo.write(name, "two\n")
        os.utime(file, (1, 1))
    repo.write("untracked.py", "three\n")

    subject = repo.capture(**request_)

    assert subject.files
    assert [*canary.iterdir()] == []


def test_the_poison_is_real(repo: Any, canary: Path) -> None:
    poison(repo, canary)
    file = repo.write("code.py", "two\n")
    os.utime(file, (1, 1))
    subprocess.run(["git", "diff"], cwd=repo.path, capture_output=True, check=False)
    repo.git("config", "--unset", "filter.evil.process")
    subprocess.run(["git", "diff"], cwd=repo.path, capture_output=True, check=False)
    left = {file.name for file in canary.iterdir()}
    assert {"fsmonitor", "process", "clean", "driver"} <= left


def test_a_missing_object_of_a_partial_clone_fetches_nothing(
    repo: Any, canary: Path, tmp_path: Path
) -> None:
    repo.commit("second", b__py="1\n" * 50)
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    repo.git(
        "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(partial)
    )
    config = (partial / ".git" / "config").read_text()
    (partial / ".git" / "config").write_text(
        f'{config}\tuploadpack = "touch {canary / "uploadpack"}; git-upload-pack"\n'
    )
    with pytest.raises(EnvironmentFault, match="partial clone"):
        repo.capture(path=partial, target="HEAD")
    assert [*canary.iterdir()] == []


def test_a_submodules_configuration_runs_nothing(
    repo: Any, canary: Path, tmp_path: Path, make_repo: Any
) -> None:
    inner = make_repo(tmp_path / "inner")
    inner.commit("x", x__py="1\n")
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib"
    )
    repo.commit("submodule")
    repo.git("-C", "lib", "config", "core.fsmonitor", f"touch {canary / 'inner'}; false")
    repo.write("lib/x.py", "2\n")
    repo.write("app.py", "2\n")
    assert [f.path for f in repo.capture().files] == ["app.py"]
    assert [*canary.iterdir()] == []


def test_a_working_tree_that_is_moved_elsewhere_is_not_read(repo: Any, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "app.py").write_text("private\n")
    repo.git("config", "core.worktree", str(elsewhere))
    with pytest.raises(SubjectError, match="moves its working tree"):
        repo.capture()
    assert repo.shelf.documents == {}


def test_a_replaced_commit_is_reviewed_as_it_is(repo: Any) -> None:
    repo.commit("evil", app__py="evil()\n")
    harmless = repo.git("commit-tree", "HEAD~1^{tree}", "-p", "HEAD~1", "-m", "harmless")
    repo.git("replace", "HEAD", harmless.strip())
    subject = repo.capture(target="HEAD")
    assert b"evil()" in repo.shelf.documents[subject.diff]


def test_symbolic_links_on_the_way_are_not_followed(repo: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.py").write_text("private\n")
    repo.commit("folder", **{"d/f__py": "public\n"})
    (repo.path / "d" / "f.py").unlink()
    (repo.path / "d").rmdir()
    (repo.path / "d").symlink_to(outside)
    repo.capture()
    assert not any(b"private" in text for text in repo.shelf.documents.values())


def test_the_callers_own_git_variables_do_not_lead_elsewhere(
    repo: Any, tmp_path: Path, make_repo: Any
) -> None:
    other = make_repo(tmp_path / "other")
    other.commit("x", x__py="1\n")
    environ = {
        **os.environ,
        "GIT_DIR": str(other.path / ".git"),
        "GIT_INDEX_FILE": str(other.path / ".git" / "index"),
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {tmp_path / 'canary'}",
    }
    repo.write("app.py", "two\n")
    assert repo.capture(environ=environ).origin.repository == str(repo.path)
    assert not (tmp_path / "canary").exists()


def test_a_repository_that_only_the_environment_names_is_found(
    make_repo: Any, tmp_path: Path
) -> None:
    repo = make_repo(tmp_path / "home")
    repo.commit("x", app__py="1\n")
    apart = tmp_path / "dotfiles.git"
    (repo.path / ".git").rename(apart)
    environ = {**os.environ, "GIT_DIR": str(apart), "GIT_WORK_TREE": str(repo.path)}
    repo.write("app.py", "two\n")
    subject = repo.capture(environ=environ)
    assert [file.path for file in subject.files] == ["app.py"]
    assert subject.origin.repository == str(apart)
    with pytest.raises(SubjectError, match="not inside a git repository"):
        repo.capture(environ={**environ, "GIT_WORK_TREE": str(tmp_path / "elsewhere")})


def test_somebody_elses_repository_says_how_to_trust_it(repo: Any, fake_git: Any) -> None:
    environ = fake_git("export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
    with pytest.raises(EnvironmentFault, match=r"belongs to somebody else.*safe\.directory .*repo"):
        repo.capture(environ=environ)


def test_a_missing_git_is_said(repo: Any, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="git is not installed"):
        repo.capture(environ={"PATH": str(tmp_path)})


def test_a_git_that_cannot_be_silenced_is_refused(repo: Any, fake_git: Any) -> None:
    environ = fake_git('[ "$1" = --version ] && { echo "git version 2.25.1"; exit 0; }')
    with pytest.raises(EnvironmentFault, match=r"git 2\.31 or newer is needed.*2\.25\.1"):
        repo.capture(environ=environ)


@pytest.mark.parametrize(
    ("complaint", "sentence"),
    [
        ('error: open("app.py"): Permission denied', "No permission to read the repository"),
        ("fatal: write error: No space left on device", "The disk is full"),
        ("fatal: bad config line 3", r"`git diff` failed in .*repo: fatal: bad config line 3"),
    ],
)
def test_gits_failures_become_sentences(
    repo: Any, fake_git: Any, complaint: str, sentence: str
) -> None:
    environ = fake_git(f"[ \"$1\" = diff ] && {{ echo '{complaint}' >&2; exit 128; }}")
    with pytest.raises(EnvironmentFault, match=sentence):
        repo.capture(environ=environ)


def test_a_git_that_hangs_is_stopped(repo: Any, fake_git: Any) -> None:
    environ = fake_git("exec sleep 60")
    runner = LocalRunner(environ["PATH"].split(":")[0] + "/git", repo.path, timeout_s=0.3)
    git = Git(runner, environ)
    with pytest.raises(EnvironmentFault, match=r"did not answer within 0\.3 s"):
        git.run("status")


def test_a_damaged_repository_is_said(repo: Any) -> None:
    blob = repo.git("rev-parse", "HEAD:app.py")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    repo.write("app.py", "two\n")
    with pytest.raises(EnvironmentFault, match=r"lacks the object|failed in"):
        repo.capture()
