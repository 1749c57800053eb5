"""Reports that a person hands in: which are recognised, and which a change could have brought."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from orchestrator.application.participants import list_participants
from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.subject_input import ChangeInput, GivenChange
from orchestrator.subjects.linter_reports import MOST_BYTES, given_reports, read_reports
from shared.errors import ConfigurationError, SubjectError
from shared.models.subject import Subject
from tests.fixtures.instance import git

RECORDED = Path(__file__).parents[2] / "workers" / "tools" / "analysers" / "reports"
ENVIRON = {"HOME": "/none", "QUORATE_DISCOVER": "off"}
CLEAN = '{"reason":"build-finished","success":true}\n'


@pytest.mark.parametrize(
    ("file", "form", "name"),
    [
        ("clippy", "cargo", "clippy"),
        ("clippy-broken", "cargo", "clippy"),
        ("govet", "govet", "govet"),
        ("govet-broken", "govet", "govet"),
        ("golangci", "golangci", "golangci-lint"),
        ("eslint", "eslint", "eslint"),
        ("pyright", "pyright", "pyright"),
        ("shellcheck", "checkstyle", "shellcheck"),
        ("semgrep", "sarif", "semgrep-oss"),
        ("ruff", "rdjson", "ruff"),
    ],
)
def test_a_report_is_recognised_by_its_content(file: str, form: str, name: str) -> None:
    (report,) = read_reports([str(RECORDED / f"{file}.txt")], Path("/"), None)
    assert (report.format, report.name) == (form, name)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("# example.org/shop\n{}\n", "govet"),
        ('{"example.org/shop": {}}', "govet"),
        ("vet: ./a.go:1:2: undefined: x\n", "govet"),
        ("    Checking shop v0.1.0\n" + CLEAN, "cargo"),
        ('\ufeff{"runs": []}', "sarif"),
        ("[]", "eslint"),
        ('{"Issues":null,"Report":{}}', "golangci"),
    ],
)
def test_reports_that_find_nothing_are_recognised(text: str, form: str) -> None:
    assert [each.format for each in given_reports({"a": text.encode()})] == [form]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"all is well\n", "in a form that is not known"),
        (b'{"runs": [', "is cut, or"),
        (b"\x7fELF\0\0", "in a form that is not known"),
        (b"[" * 200_000, "nested too deep"),
        (b"[" * 400_000, "is too much"),
        (b" " * (MOST_BYTES + 1), "more than 16 MB"),
    ],
)
def test_what_is_no_report_is_refused_before_anything_starts(
    tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "lint.json").write_bytes(content)
    with pytest.raises(SubjectError, match=why):
        read_reports(["lint.json"], tmp_path, None)


def test_two_reports_of_a_linter_have_two_names(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(CLEAN)
    reports = read_reports(["a", "b", "core=c"], tmp_path, None)
    assert [report.name for report in reports] == ["clippy", "clippy-2", "core"]


def prepared(repository: Path, *reports: str):
    subject = ChangeInput(linter_reports=reports)
    run = prepare_run(SubmissionRequest(directory=repository, subject=subject), ENVIRON)
    spec = run.make_spec(workflow_version=1)
    return run, spec, Subject.model_validate_json(run.documents[spec.subject])


def test_a_report_takes_part_and_is_no_part_of_the_change(changed_repository: Path) -> None:
    (changed_repository / "clippy.json").write_text(CLEAN)
    run, spec, subject = prepared(changed_repository, "clippy.json")
    (clippy,) = [critic for critic in spec.panel.critics if critic.name == "clippy"]
    assert [file.path for file in subject.files] == ["app.py"]
    assert run.documents[str(clippy.options["report"])] == CLEAN.encode()
    assert clippy.options["root"] == str(changed_repository)


def test_a_report_that_the_change_could_have_brought_is_refused(changed_repository: Path) -> None:
    (changed_repository / "clippy.json").write_text(CLEAN)
    git(changed_repository, "add", "clippy.json")
    with pytest.raises(SubjectError, match="is tracked by git"):
        prepared(changed_repository, "clippy.json")
    with pytest.raises(SubjectError, match="is tracked by git"):
        prepared(changed_repository, str(changed_repository / "clippy.json"))


def test_a_report_that_a_link_leads_to_is_refused(
    changed_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "clippy.json").write_text(CLEAN)
    os.symlink(outside, changed_repository / "out")
    git(changed_repository, "add", "out")
    with pytest.raises(SubjectError, match="reached by a link"):
        prepared(changed_repository, "out/clippy.json")
    _, spec, _ = prepared(changed_repository, str(outside / "clippy.json"))
    assert "clippy" in [critic.name for critic in spec.panel.critics]


def test_a_report_stands_beside_participants_that_were_typed(changed_repository: Path) -> None:
    (changed_repository / "clippy.json").write_text(CLEAN)
    request = SubmissionRequest(
        directory=changed_repository,
        panel=("ruff",),
        subject=ChangeInput(linter_reports=("clippy.json",)),
    )
    spec = prepare_run(request, ENVIRON).make_spec(workflow_version=1)
    assert [critic.name for critic in spec.panel.critics] == ["ruff", "clippy"]


def test_the_hint_about_linters_of_whole_projects_names_report_and_ends_with_one(
    changed_repository: Path,
) -> None:
    (changed_repository / "a.rs").write_text("fn main() {}\n")
    (changed_repository / "clippy.json").write_text(CLEAN)
    without, _, _ = prepared(changed_repository)
    hints = [hint for hint in without.cast_report.hints if hint.code == "cast_whole_project"]
    assert [hint.params["file"] for hint in hints] == ["clippy.json"]
    with_report, _, _ = prepared(changed_repository, "clippy.json")
    assert "cast_whole_project" not in [hint.code for hint in with_report.cast_report.hints]


def test_a_caller_gives_the_text_of_reports() -> None:
    diff = b"--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 1\n"
    sarif = json.dumps({"runs": [{"tool": {"driver": {"name": "Lint"}}, "results": []}]})
    subject = GivenChange(diff, {}, {"mine": sarif.encode()})
    request = SubmissionRequest(directory=Path("/"), subject=subject)
    spec = prepare_run(request, ENVIRON).make_spec(workflow_version=1)
    assert "mine" in [critic.name for critic in spec.panel.critics]


def test_a_linter_of_whole_projects_is_named_with_the_way_to_hand_its_report_in(
    changed_repository: Path,
) -> None:
    (changed_repository / "Cargo.toml").write_text("[package]\n")
    listing = list_participants([], None, ENVIRON, changed_repository)
    assert "--report clippy.json" in dict(listing.missing)["clippy"]
    assert "go vet" not in dict(listing.missing)
    for name in ("clippy", "golangci-lint", "govet"):
        request = SubmissionRequest(directory=changed_repository, panel=(name,))
        with pytest.raises(ConfigurationError, match="takes part by its report"):
            prepare_run(request, ENVIRON)
