"""A case is stored as documents: the chart alone, what it is compared with, and who is meant by its placeholders."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from orchestrator.subjects.case import (
    MOST_REMARKS,
    StatedDocument,
    read_documents,
    read_named_cases,
    read_similar,
    shortened,
    store_case,
)
from orchestrator.subjects.case_texts import StatedCase
from orchestrator.subjects.request import Screen
from shared.errors import SubjectError
from shared.models.notices import notice
from shared.text.masking.identifiers import unmask


class Store(dict[str, bytes]):
    def put(self, content: bytes) -> str:
        name = sha256(content).hexdigest()
        self[name] = content
        return name

    def text(self, name: str | None) -> str:
        assert name is not None
        return self[name].decode()


CASE = StatedCase("Name: Martha Collins\nchest pain", "chart.txt", patient="17")


def stated(text: str, number: int = 1) -> StatedCase:
    return StatedCase(text, f"cohort.csv line {number}")


def test_the_chart_is_a_document_of_its_own():
    store = Store()
    case = store_case(CASE, (), (), store.put)
    assert (store.text(case.chart), case.title, case.patient) == (CASE.text, "chart.txt", "17")
    assert (case.masked, case.identifiers, case.similar, case.remarks) == (None, None, (), ())


def test_lists_show_the_files_name_and_not_the_folders_that_it_is_in():
    stated_case = StatedCase("chest pain", "patients/collins/cases.jsonl line 3")
    assert store_case(stated_case, (), (), Store().put).title == "cases.jsonl line 3"


def test_similar_cases_are_numbered_and_neither_the_case_nor_one_twice_is_among_them():
    store = Store()
    similar = (stated("a  b"), stated(CASE.text.upper() + "\n"), stated("A b"), stated("c", 4))
    case = store_case(CASE, similar, (), store.put)
    assert [(other.name, store.text(other.text), other.origin) for other in case.similar] == [
        ("similar/1", "a  b", "cohort.csv line 1"),
        ("similar/2", "c", "cohort.csv line 4"),
    ]
    assert case.remarks == (notice("case_similar_twice", n=2),)


def test_documents_of_one_name_are_told_apart():
    store = Store()
    documents = (StatedDocument("a.md", "x", "one/a.md"), StatedDocument("a.md", "y", "two/a.md"))
    case = store_case(CASE, (), documents, store.put)
    assert [(each.name, each.origin) for each in case.documents] == [
        ("documents/a.md", "one/a.md"),
        ("documents/2-a.md", "two/a.md"),
    ]


def test_a_masked_case_holds_its_text_twice_and_the_way_back_apart():
    store = Store()
    case = store_case(
        CASE, (stated("Name: Brian Wexler, aunt of Martha Collins"),), (), store.put, masks=True
    )
    identifiers = json.loads(store.text(case.identifiers))
    assert store.text(case.chart) == CASE.text
    assert store.text(case.masked) == "Name: [NAME-1]\nchest pain"
    assert unmask(store.text(case.masked), identifiers) == CASE.text
    other = store.text(case.similar[0].text)
    assert "Wexler" not in other
    assert "Collins" not in other
    assert identifiers == {"[NAME-1]": "Martha Collins"}  # nobody needs the way back to others


def test_whatever_goes_along_with_a_masked_case_is_masked_as_well():
    store = Store()
    case = store_case(
        replace(CASE, origin="folder/Martha_Collins.txt"),
        (stated("Collins, quiet; sees martha collins"),),
        (StatedDocument("Collins letter.md", "Collins came. Dr. Wexler, 217-555-0142", "a/b.md"),),
        store.put,
        masks=True,
    )
    assert case.title == "[NAME-1].txt"
    assert store.text(case.similar[0].text) == "[NAME-2], quiet; sees [NAME-3]"
    (document,) = case.documents
    assert (document.name, document.origin) == ("documents/1", "a/b.md")
    assert store.text(document.text) == "[NAME-2] came. Dr. [NAME-4], [PHONE-1]"


def test_what_the_input_states_of_who_it_is_is_masked_with_nothing_beside_it():
    store = Store()
    named = replace(
        CASE,
        text="seen: Zora Quill, 1970-03-04 and 03/04/1970, 7700-X, 홍길동은 호전",
        patient="7700-X",
        birth_date="1970-03-04",
        identifiers=("Zora Quill", "홍길동"),
    )
    masked = store.text(store_case(named, (), (), store.put, masks=True).masked)
    assert masked == "seen: [NAME-1], [BIRTHDATE-1] and [BIRTHDATE-2], [RECORD-1], [NAME-2]은 호전"


def test_what_is_told_has_an_end():
    remarks = tuple(notice("case_skipped", where=f"{n}", why="x") for n in range(500))
    assert len(shortened(remarks)) == MOST_REMARKS + 1
    assert shortened(remarks)[-1] == notice("case_more_remarks", n=500 - MOST_REMARKS)


def test_a_cohort_that_cannot_be_used_is_told_and_the_others_are_read(tmp_path: Path):
    (tmp_path / "good.jsonl").write_text('{"text": "a"}\n{"text"\n')
    (tmp_path / "bad.csv").write_text("id\n1\n")
    read = read_similar(tmp_path, ("good.jsonl", "bad.csv"), Screen())
    assert [case.text for case in read.cases] == ["a"]
    assert [remark.params["where"] for remark in read.remarks] == ["good.jsonl line 2", "bad.csv"]


def test_documents_are_read_from_folders_and_files(tmp_path: Path):
    folder = tmp_path / "guides"
    folder.mkdir()
    (folder / "a.md").write_text("first")
    (folder / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "c.md").write_text("third")
    documents, remarks = read_documents(tmp_path, ("guides", "c.md"), Screen())
    assert [(each.name, each.text, each.origin) for each in documents] == [
        ("a.md", "first", "guides/a.md"),
        ("c.md", "third", "c.md"),
    ]
    assert [remark.params["where"] for remark in remarks] == ["guides/b.bin"]


@pytest.mark.parametrize("name", ["missing.txt", ".env", "id_rsa"])
def test_a_file_that_is_not_there_or_may_hold_secrets_is_refused(tmp_path: Path, name: str):
    if name != "missing.txt":
        (tmp_path / name).write_text("x")
    with pytest.raises(SubjectError):
        read_named_cases(tmp_path, name, Screen())


def test_a_link_to_a_file_that_may_hold_secrets_is_refused(tmp_path: Path):
    (tmp_path / "id_rsa").write_text("x")
    (tmp_path / "chart.txt").symlink_to("id_rsa")
    with pytest.raises(SubjectError):
        read_named_cases(tmp_path, "chart.txt", Screen())
