"""`quorate trust`: one version of a repository's own file, until it sets something else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.commands.trust.entries import run_add, run_list, run_remove
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.trusted import TrustedFiles
from shared.errors import ConfigurationError, UserError
from shared.instance import Instance
from tests.orchestrator.settings.test_projects import Project, codes, project

__all__ = ["project"]

OWN = """# who reviews here
gate: {fail_on: minor}
providers:
  bot: {type: openai, model: m, base_url: "http://127.0.0.1:1/v1"}
participants: [bot]
"""


def trusts(project: Project, directory: Path | None = None) -> bool:
    """Whether what only a trusted file may set is set."""
    found = load_configuration(directory or project.path, project.environ, workflow="review")
    return "bot" in found.settings.providers


def add(project: Project, directory: Path | None = None) -> None:
    assert run_add(directory or project.path, project.environ) == 0


def test_a_file_is_restricted_until_it_is_trusted(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    assert not trusts(project)
    assert codes(project.load()) == ["project_kept_out"]
    add(project)
    assert trusts(project)
    assert 'base_url": "http://127.0.0.1:1/v1' in capsys.readouterr().out


def test_a_change_of_what_it_sets_is_asked_about_again(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    hostile = OWN.replace("127.0.0.1:1", "evil.example")
    project.commit(**{"__quorate.yaml": hostile})
    assert not trusts(project)
    assert "project_kept_out" in codes(project.load())
    project.commit(**{"__quorate.yaml": "language: ko\n"})
    found = project.load()
    assert codes(found) == ["project_trust_ended"]
    project.commit(**{"__quorate.yaml": OWN})
    assert trusts(project)


def test_an_uncommitted_or_staged_edit_is_never_trusted(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    project.write(".quorate.yaml", OWN.replace("127.0.0.1:1", "evil.example"))
    project.git("add", "-A")
    found = project.load(staged=True)
    assert "127.0.0.1:1" in str(found.settings.providers["bot"])
    assert "project_edited" in codes(found)


def test_a_new_comment_changes_nothing(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    project.commit(**{"__quorate.yaml": f"# hello\n{OWN}"})
    assert trusts(project)


def test_another_repository_with_the_same_file_is_not_trusted(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    copy = project.root / "copy"
    shutil.copytree(project.path, copy)
    assert not trusts(project, copy)


def test_a_file_further_down_that_says_the_same_is_not_trusted(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    project.write("sub/.quorate.yaml", OWN)
    project.commit()
    assert not trusts(project, project.path / "sub")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("prompts: words\n", "prompts"),
        ("preset: ./mine.yaml\n", "preset"),
        ("rules: {baseline: known.json}\n", "rules.baseline"),
        ("rules: {baseline: HERE/sub/../known.json}\n", "rules.baseline"),
        ("participants: ['scripted:replies.yaml']\n", "participants.0"),
        ("panel: {chair: 'scripted:replies.yaml'}\n", "panel.chair"),
        ("providers: {x: {type: scripted, script: replies.yaml}}\n", "providers.x.script"),
        ("providers: {x: {type: openai, model: m, api_key_file: key}}\n", "providers.x.api_key_file"),
        ("providers: {x: {type: command, command: [sh, -c, 'cd HERE && ./agent']}}\n", "providers.x.command.2"),
        ("providers: {x: {type: command, command: [HERE/agent]}}\n", "providers.x.command.0"),
        (
            "providers: {x: {type: analyser, command: [l], files: [a], format: sarif, reads: [/]}}\n",
            "providers.x.reads.0",
        ),
    ],
)  # fmt: skip
def test_a_file_that_leads_to_others_of_its_repository_is_not_trusted_for_good(
    project: Project, text: str, key: str
) -> None:
    project.commit(**{"__quorate.yaml": text.replace("HERE", str(project.path))})
    with pytest.raises(ConfigurationError, match=rf"a change could alter unseen: {key} \("):
        run_add(project.path, project.environ)
    assert TrustedFiles.of(project.environ).all() == []


def test_the_table_of_a_pyproject_is_what_counts_there(project: Project) -> None:
    table = '[tool.quorate.providers.bot]\ntype = "openai"\nmodel = "m"\n'
    project.commit(pyproject__toml=f'[project]\nname = "x"\n{table}')
    add(project)
    project.commit(pyproject__toml=f'[project]\nname = "y"\n{table}')
    assert trusts(project)
    project.commit(pyproject__toml=table.replace('"m"', '"n"'))
    assert not trusts(project)


def test_it_is_listed_and_taken_back(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    capsys.readouterr()
    run_list(project.environ, as_json=False)
    assert "trusted" in capsys.readouterr().out
    project.commit(**{"__quorate.yaml": "gate: {fail_on: none}\n"})
    run_list(project.environ, as_json=False)
    assert "changed" in capsys.readouterr().out
    assert run_remove(project.path, project.environ) == 0
    assert TrustedFiles.of(project.environ).all() == []
    with pytest.raises(UserError, match="Nothing is trusted"):
        run_remove(project.path, project.environ)


def test_entries_that_others_could_write_do_not_count(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    add(project)
    folder = Instance.from_environment(project.environ).state_dir / "trusted"
    assert folder.stat().st_mode & 0o777 == 0o700
    (entry,) = folder.iterdir()
    assert entry.stat().st_mode & 0o777 == 0o600
    entry.chmod(0o666)
    assert not trusts(project)


def test_the_switch_that_allows_workers_anything_trusts_nobody(project: Project) -> None:
    project.commit(**{"__quorate.yaml": OWN})
    project.environ["QUORATE_ALLOWED"] = "anything"
    assert not trusts(project)


def test_without_a_file_there_is_nothing_to_trust(project: Project) -> None:
    project.commit(a__py="x = 1\n")
    project.write(".quorate.yaml", OWN)
    with pytest.raises(UserError, match="committed"):
        run_add(project.path, project.environ)
    assert os.listdir(project.root) == ["repo"]
