"""What a run captures."""

import json
from pathlib import Path

import pytest

from orchestrator.application.documents import DocumentCollector
from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.subject_input import ChangeInput
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.models.run import NEWEST_RULES
from shared.models.subject import Subject
from shared.store.documents import address
from tests.fixtures.instance import git, make_repository


def test_documents_lie_under_the_address_that_the_store_uses():
    documents = DocumentCollector()
    assert documents.put("한글".encode()) == address("한글".encode())


def test_a_prepared_run_holds_every_document_that_it_names(changed_repository: Path):
    prepared = prepare_run(
        SubmissionRequest(directory=changed_repository), {"HOME": "/nonexistent"}
    )
    spec = prepared.make_spec(workflow_version=1)
    subject = Subject.model_validate_json(prepared.documents[spec.subject])
    assert subject.diff in prepared.documents
    assert [file.path for file in subject.files] == ["app.py"]
    assert json.loads(prepared.documents[spec.prompts])
    assert len(spec.seed) == 32
    assert spec.rules_version is NEWEST_RULES


def test_typed_options_win_over_the_configuration(changed_repository: Path):
    (changed_repository / ".quorate.yaml").write_text(
        "review: {strategy: red-team, max_rounds: 5}\n"
    )
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-q", "-m", "settings")
    settings = {"review.strategy": "review", "gate.fail_on": "major", "language": "ko"}
    prepared = prepare_run(
        SubmissionRequest(directory=changed_repository, settings=settings), {"HOME": "/none"}
    )
    review = ReviewOptions.model_validate(prepared.make_spec(workflow_version=1).options)
    assert review is not None
    assert (review.strategy, review.rounds, review.fail_on) == ("review", 5, Severity.MAJOR)
    assert prepared.language == "ko"


def test_paths_in_korean_are_captured(tmp_path: Path):
    repository = make_repository(tmp_path / "저장소", "모듈.py")
    prepared = prepare_run(SubmissionRequest(directory=repository), {"HOME": "/none"})
    spec = prepared.make_spec(workflow_version=1)
    subject = Subject.model_validate_json(prepared.documents[spec.subject])
    assert [file.path for file in subject.files] == ["모듈.py"]


def test_an_unknown_strategy_is_refused_before_anything_is_captured(changed_repository: Path):
    with pytest.raises(ConfigurationError, match="red-team"):
        prepare_run(
            SubmissionRequest(
                directory=changed_repository, settings={"review.strategy": "blue-team"}
            ),
            {"HOME": "/none"},
        )


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_change_that_brings_an_unknown_name_is_told_so_and_reviewed_as_before(
    changed_repository: Path, is_committed: bool
):
    file = changed_repository / ".quorate.yaml"
    file.write_text("participants: [ruff]\n")
    git(changed_repository, "add", "-A")
    git(changed_repository, "commit", "-q", "-m", "settings")
    file.write_text("participants: [claudee]\nprivacy: {allow_models: true}\n")
    (changed_repository / "app.py").write_text("VALUE = 9\n")
    targets = ()
    if is_committed:
        git(changed_repository, "commit", "-q", "-a", "-m", "a slip")
        targets = ("HEAD",)
    request = SubmissionRequest(
        directory=changed_repository, subject=ChangeInput(targets=targets), panel=()
    )
    prepared = prepare_run(request, {"HOME": "/none"})
    (notice,) = [each for each in prepared.notices if each.code == "project_breaks"]
    assert "claudee" in str(notice.params["problem"])
    assert "ruff" in [critic.name for critic in prepared.panel.critics]
    file.write_text("participants: [bandit]\n")
    git(changed_repository, "commit", "-q", "-a", "--amend", "-m", "no slip")
    request = SubmissionRequest(directory=changed_repository, subject=ChangeInput(("HEAD",)))
    codes = {each.code for each in prepare_run(request, {"HOME": "/none"}).notices}
    assert "project_breaks" not in codes


@pytest.mark.parametrize("mended", ["participants: [ruff]\n", None])
def test_a_commit_that_mends_an_unknown_name_is_reviewed_without_the_file(
    changed_repository: Path, mended: str | None
):
    file = changed_repository / ".quorate.yaml"
    file.write_text("participants: [claudee]\n")
    git(changed_repository, "add", "-A")
    git(changed_repository, "commit", "-q", "-m", "a slip")
    request = SubmissionRequest(
        directory=changed_repository, subject=ChangeInput(targets=("HEAD",)), panel=()
    )
    (changed_repository / "app.py").write_text("VALUE = 9\n")
    git(changed_repository, "commit", "-q", "-a", "-m", "something else")
    with pytest.raises(ConfigurationError, match="claudee"):
        prepare_run(request, {"HOME": "/none"})
    file.write_text("participants: [rufff]\n")
    git(changed_repository, "commit", "-q", "-a", "-m", "another slip")
    with pytest.raises(ConfigurationError, match="claudee"):
        prepare_run(request, {"HOME": "/none"})
    git(changed_repository, "reset", "-q", "--hard", "HEAD~1")
    if mended is None:
        file.unlink()
    else:
        file.write_text(mended)
    git(changed_repository, "commit", "-q", "-a", "-m", "mended")
    prepared = prepare_run(request, {"HOME": "/none"})
    (told,) = [each for each in prepared.notices if each.code == "project_mended"]
    assert "claudee" in str(told.params["problem"])
