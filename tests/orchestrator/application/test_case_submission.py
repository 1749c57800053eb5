"""A clinical case is captured with what goes along, and stays on this machine until the run says otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.cases import CaseRequests, case_requests
from orchestrator.application.prepare import NO_INPUT, PreparedRun, SubmissionRequest, prepare_run
from orchestrator.application.subject_input import CaseSource, Piped
from orchestrator.cli.case_submission import result_files, several_exit_code
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.locale.translator import ENGLISH
from shared.errors import ConfigurationError, SubjectError
from shared.models.case import Case
from shared.models.notices import notice
from tests.fixtures.instance import git

CHART = "Name: Martha Collins\nA 54-year-old woman with chest pain. Potassium 6.1 mmol/L.\n"
NEAR = "providers: {ada: {type: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}}\n"
CASE = CaseSource("chart.txt")
FAR = NEAR.replace("http://127.0.0.1:9", "https://llm.example")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chart.txt").write_text(CHART)
    return tmp_path


def environ_of(folder: Path, text: str = "") -> dict[str, str]:
    file = folder / "home/.config/quorate/config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return {"HOME": str(folder / "home"), "CI": "1", "QUORATE_DISCOVER": "off"}


def prepared(
    folder: Path,
    source: CaseSource = CASE,
    configuration: str = NEAR,
    **wanted: Any,
) -> PreparedRun:
    nobody = {"analyst": "none", "verifier": "none"}
    request = SubmissionRequest(
        directory=folder, workflow="case", subject=source, holders=nobody, **wanted
    )
    return prepare_run(request, environ_of(folder, configuration))


def captured(run: PreparedRun) -> Case:
    spec = run.make_spec(workflow_version=1)
    return Case.model_validate_json(run.documents[spec.subject])


def refused(folder: Path, source: CaseSource) -> str:
    with pytest.raises(SubjectError) as error:
        prepared(folder, source)
    return str(error.value)


# ---- what is captured ---------------------------------------------------------------------------


def test_a_chart_is_captured_with_its_cohort_and_its_documents(folder: Path):
    (folder / "cohort.jsonl").write_text('{"text": "a cough"}\n{"text": 7}\n')
    (folder / "guides").mkdir()
    (folder / "guides" / "potassium.md").write_text("Treat it.")
    run = prepared(folder, CaseSource("chart.txt", ("cohort.jsonl",), ("guides",)))
    case = captured(run)
    assert run.documents[case.chart].decode() == CHART.strip()
    assert [(each.name, run.documents[each.text]) for each in (*case.similar, *case.documents)] == [
        ("similar/1", b"a cough"),
        ("documents/potassium.md", b"Treat it."),
    ]
    told = [ENGLISH.translate(remark) for remark in case.remarks]
    assert any("cohort.jsonl line 2 is left out" in text for text in told), told
    assert all(remark in run.remarks for remark in case.remarks)


def test_a_korean_chart_is_worked_on_in_korean(folder: Path):
    (folder / "ko.txt").write_text("54세 여자 환자가 흉통으로 내원하였다. 칼륨 6.1 mmol/L.")
    assert prepared(folder, CaseSource("ko.txt")).language == "ko"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.txt", b"", "there is no text in it"),
        ("large.txt", b"a" * 10_000_000, "too long (10.0 MB; a chart may have 1.0 MB)"),
        ("old.txt", "흉통으로 내원".encode("cp949"), "iconv -f CP949 -t UTF-8"),
        ("scan.pdf", b"%PDF\x00\xff", "it is binary"),
        ("bomb.json", b"[" * 200_000, "nested too deep"),
        ("other.json", b'{"a": 1}', "patient_case.clinical_text"),
        ("missing.txt", None, "there is no such file"),
    ],
)
def test_what_cannot_be_a_case_is_refused_with_what_to_do(folder: Path, name, content, words):
    if content is not None:
        (folder / name).write_bytes(content)
    assert words in refused(folder, CaseSource(name))


def test_a_folder_without_cases_and_an_empty_pipe_are_refused(folder: Path):
    (folder / "none").mkdir()
    assert "there is no file in the folder" in refused(folder, CaseSource("none"))
    assert "no standard input here" in str(refused_by_user(folder))


def refused_by_user(folder: Path) -> Exception:
    with pytest.raises(Exception, match="standard input") as error:
        prepared(folder, CaseSource("-"))
    return error.value


# ---- what leaves --------------------------------------------------------------------------------


def names(run: PreparedRun) -> list[str]:
    return [critic.name for critic in run.panel.critics]


def test_a_participant_elsewhere_takes_no_part_in_a_case_unless_it_is_said(folder: Path):
    run = prepared(folder, configuration=FAR)
    assert "ada" not in names(run)
    assert not run.make_spec(workflow_version=1).allow_external


def test_a_participant_on_this_machine_takes_part(folder: Path):
    assert "ada" in names(prepared(folder, configuration=NEAR))


@pytest.mark.parametrize("general", ["true", "false"])
def test_a_participant_elsewhere_that_is_named_is_refused_with_what_to_type(folder: Path, general):
    far = f"{FAR}privacy: {{allow_external: {general}}}\n"
    with pytest.raises(ConfigurationError, match=r"ada is .*external.*--allow-external"):
        prepared(folder, configuration=far, panel=("ada",))


@pytest.mark.parametrize(
    ("configuration", "settings"),
    [("", {"case.allow_external": True}), ("case: {allow_external: true}\n", {})],
)
def test_a_case_leaves_where_the_run_or_its_owner_says_so(folder: Path, configuration, settings):
    run = prepared(folder, configuration=FAR + configuration, settings=settings)
    assert "ada" in names(run)
    assert run.make_spec(workflow_version=1).allow_external


def test_what_forbids_everything_forbids_a_case_too(folder: Path):
    far = f"{FAR}privacy: {{allow_external: false}}\ncase: {{allow_external: true}}\n"
    assert not prepared(folder, configuration=far).make_spec(workflow_version=1).allow_external


def test_a_repositorys_own_file_cannot_let_a_case_leave(folder: Path):
    git(folder, "init", "-q")
    (folder / ".quorate.yaml").write_text(
        "case: {allow_external: true}\nprivacy: {allow_external: true}\n"
    )
    git(folder, "add", ".quorate.yaml")
    git(folder, "commit", "-qm", "x")
    run = prepared(folder, configuration=FAR)
    assert "ada" not in names(run)
    assert not run.make_spec(workflow_version=1).allow_external
    assert [each.params["key"] for each in run.notices] == ["case.allow_external"]


def test_other_workflows_are_as_free_as_before(folder: Path):
    from orchestrator.application.subject_input import QuestionInput

    request = SubmissionRequest(
        directory=folder, workflow="ask", subject=QuestionInput(words=("why?",))
    )
    run = prepare_run(request, environ_of(folder, FAR))
    assert run.make_spec(workflow_version=1).allow_external


def test_identifiers_are_masked_where_it_is_asked_for(folder: Path):
    run = prepared(folder, settings={"case.mask_identifiers": True})
    case = captured(run)
    assert case.masked is not None
    assert case.identifiers is not None
    assert b"Collins" not in run.documents[case.masked]
    assert json.loads(run.documents[case.identifiers]) == {"[NAME-1]": "Martha Collins"}
    assert notice("case_masked", n=1) in run.remarks


# ---- several cases ------------------------------------------------------------------------------


class Pipe:
    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def diff(self, limit: int) -> bytes:
        raise AssertionError

    def text(self, limit: int, *, named: bool, has_words: bool) -> Piped:
        assert named
        return Piped(self.content)


@contextmanager
def no_store() -> Iterator[Backend]:
    raise AssertionError("the store is not needed")
    yield


def requests_of(folder: Path, source: CaseSource, stdin=NO_INPUT, **wanted: Any) -> CaseRequests:
    request = SubmissionRequest(directory=folder, workflow="case", subject=source, **wanted)
    connected: Any = no_store
    assert isinstance(connected(), AbstractContextManager)
    return case_requests(request, source, environ_of(folder, NEAR), stdin, connected)


def test_each_case_of_a_file_is_a_request_in_one_batch(folder: Path):
    (folder / "cases.jsonl").write_text('{"text": "a"}\n{"text"\n{"text": "b"}\n')
    read = requests_of(folder, CaseSource("cases.jsonl"))
    assert [prepare_run(each, environ_of(folder, NEAR)).title for each in read.requests] == [
        "cases.jsonl line 1",
        "cases.jsonl line 3",
    ]
    assert {(each.batch, each.unattended) for each in read.requests} == {("cases", True)}
    assert [remark.params["where"] for remark in read.left_out] == ["cases.jsonl line 2"]


def test_a_single_case_is_asked_about_at_the_terminal_and_belongs_to_no_batch(folder: Path):
    (request,) = requests_of(folder, CaseSource("chart.txt")).requests
    assert (request.batch, request.unattended) == (None, False)


def test_what_is_left_out_beside_a_single_case_is_told_with_it(folder: Path):
    (folder / "cases.jsonl").write_text('{"text": "a"}\n{"text"\n')
    read = requests_of(folder, CaseSource("cases.jsonl"))
    run = prepare_run(read.requests[0], environ_of(folder, NEAR))
    assert any(remark.code == "case_skipped" for remark in run.remarks)


def test_standard_input_is_a_case(folder: Path):
    read = requests_of(folder, CaseSource("-"), Pipe(CHART.encode()))
    assert prepare_run(read.requests[0], environ_of(folder, NEAR)).title == "stdin"
    with pytest.raises(SubjectError, match="nothing came on standard input"):
        requests_of(folder, CaseSource("-"), Pipe(None))


def test_several_end_with_the_gravest_code():
    ok, gate, unsure, open_ = (
        ExitCode.OK,
        ExitCode.GATE_TRIPPED,
        ExitCode.INCONCLUSIVE,
        ExitCode.PENDING,
    )
    assert several_exit_code([ok, ok]) is ok
    assert several_exit_code([ok, gate]) is gate
    assert several_exit_code([gate, unsure]) is unsure
    assert several_exit_code([unsure, open_]) is open_
    assert several_exit_code([ok], refused=True) is unsure


def test_each_case_has_a_file_named_after_it():
    titles = ["a.txt", "cases.jsonl line 3", "a.txt", "../..", "환자 1"]
    assert [str(file) for file in result_files(Path("to/out.html"), titles)] == [
        "to/out-a.txt.html",
        "to/out-cases.jsonl-line-3.html",
        "to/out-a.txt-2.html",
        "to/out.html",
        "to/out-환자-1.html",
    ]


def test_a_sex_that_nobody_understands_is_told(folder: Path):
    (folder / "case.json").write_text('{"patient": {"text": "a cough", "sex": "banana"}}')
    assert (
        notice("case_sex_unread", stated="banana")
        in prepared(folder, CaseSource("case.json")).remarks
    )
