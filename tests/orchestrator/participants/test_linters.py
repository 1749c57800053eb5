"""Linters that are installed or configured take part in reviews; those that would help are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.participants.casting import Cast, build_cast
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from shared.allowed import identity_of
from shared.errors import ConfigurationError
from shared.tools.commands import AnalyserCommand, is_known
from tests.support.cast_reports import in_words


class ReviewDesk:
    """Builds casts of reviews in a directory with an own configuration and some programs."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def user(self, text: str) -> None:
        file = self.root / "home/.config/quorate/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def install(self, *names: str) -> None:
        for name in names:
            file = self.root / "bin" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("#!/bin/sh\n", encoding="utf-8")
            file.chmod(0o755)

    def cast(self, *names: str, paths: tuple[str, ...] | None = None, **environ: str) -> Cast:
        home, path = str(self.root / "home"), str(self.root / "bin")
        known = {"HOME": home, "CI": "true", "PATH": path, **environ}
        return build_cast(
            "review",
            names or None,
            load_configuration(self.root, known),
            known,
            self.root,
            paths=paths,
            tell=ENGLISH.translate,
        )


@pytest.fixture
def desk(tmp_path: Path) -> ReviewDesk:
    return ReviewDesk(tmp_path)


def who(cast: Cast) -> list[str]:
    return [critic.name for critic in cast.panel.critics]


def test_a_known_linter_joins_where_it_is_installed_and_has_something_to_read(
    desk: ReviewDesk,
) -> None:
    desk.install("shellcheck", "mypy")
    assert "shellcheck" in who(desk.cast(paths=("a.sh", "b.py")))
    assert "mypy" not in who(desk.cast(paths=("a.sh", "b.py")))
    (shellcheck,) = desk.cast("shellcheck").panel.critics
    row = AnalyserCommand.model_validate(shellcheck.options)
    assert (row.program, is_known(row)) == (str(desk.root / "bin/shellcheck"), True)
    assert identity_of(shellcheck) is not None
    quiet = desk.cast(paths=("b.py",))
    assert "shellcheck" not in who(quiet)
    assert not any("shellcheck" in hint for hint in in_words(quiet).hints)
    assert "mypy" in who(desk.cast("analysers", "mypy", paths=("b.py",)))
    assert "shellcheck" not in who(desk.cast(paths=("a.sh",), QUORATE_DISCOVER="off"))


def test_an_analyser_that_was_named_and_has_nothing_to_read_is_missed_where_rules_alone_look(
    desk: ReviewDesk,
) -> None:
    model = {"QUORATE_OPENAI_MODEL": "m", "QUORATE_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    go = ("a.go",)

    beside = desk.cast("ruff", "diffcheck", "m", paths=go, **model)
    alone = desk.cast("ruff", "diffcheck", paths=go)

    assert who(beside) == ["diffcheck", "m"]
    assert any(hint.startswith("Left out: ruff") for hint in in_words(beside).hints)
    assert who(alone) == ["ruff", "diffcheck"]
    assert who(desk.cast("ruff", "m", paths=go, **model)) == ["m"]
    assert who(desk.cast("ruff", "m", paths=("a.py",), **model)) == ["ruff", "m"]


def test_a_linter_that_would_help_is_named_once(desk: ReviewDesk) -> None:
    hints = in_words(desk.cast(paths=("a.sh", "b.bash", "c.js"))).hints
    assert [hint for hint in hints if "would" in hint] == [
        "1 JavaScript file is read by no analyser of its language: eslint would, once it is installed.",
        "2 shell files are read by no analyser of their language: shellcheck would, once it is installed.",
    ]
    named = in_words(desk.cast("analysers", paths=("a.sh",))).hints
    assert len([hint for hint in named if "would" in hint]) == 1
    assert not [
        hint for hint in in_words(desk.cast("ruff", paths=("a.sh",))).hints if "would" in hint
    ]
    with pytest.raises(ConfigurationError, match="'shellcheck' is not installed here"):
        desk.cast("shellcheck")


def test_what_reads_whole_projects_is_named_with_the_way_to_run_it(desk: ReviewDesk) -> None:
    (hint,) = [
        hint
        for hint in in_words(desk.cast(paths=("a.go", "b.go"))).hints
        if "whole project" in hint
    ]
    assert hint.startswith("2 Go files")
    assert hint.endswith("--tests 'go vet ./...'.")
    desk.user("providers: {own: {type: analyser, command: [own-lint], files: ['*.go']}}")
    assert not [h for h in in_words(desk.cast(paths=("a.go",))).hints if "whole project" in h]


def test_a_command_of_the_configuration_joins_the_analysers(desk: ReviewDesk) -> None:
    desk.user("providers: {own: {type: analyser, command: [own-lint], files: ['*.sql']}}")
    cast = desk.cast(paths=("a.sql",))
    (own,) = [critic for critic in cast.panel.critics if critic.name == "own"]
    assert (own.tool, own.options["command"]) == ("command", ["own-lint"])
    assert "own" not in who(desk.cast(paths=("a.py",)))


@pytest.mark.parametrize(
    "entry",
    [
        "{type: analyser}",
        "{type: analyser, tool: ruff, command: [x], files: [a]}",
        "{type: analyser, command: [./x], files: [a]}",
        "{type: analyser, command: [x]}",
        "{type: analyser, command: [x], files: [a], format: regex, pattern: '('}",
        "{type: analyser, command: [x], files: [a], severity: {error: dreadful}}",
    ],
)
def test_a_command_that_cannot_work_is_refused(desk: ReviewDesk, entry: str) -> None:
    desk.user(f"providers: {{own: {entry}}}")
    with pytest.raises(ConfigurationError, match=r"config.yaml:1: providers.own"):
        desk.cast()
