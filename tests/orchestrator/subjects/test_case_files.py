"""Cases are read from every shape that people write them in; what cannot be used is told, and the rest is used."""

import json
from pathlib import Path

import pytest

from orchestrator.subjects.case_files import read_cases, read_folder
from orchestrator.subjects.case_texts import CHART_BYTES, UnusableCaseError, iso_date, sex_of
from orchestrator.subjects.request import Screen
from shared.models.case import Sex
from shared.models.notices import Notice


def only_case(content: str | bytes, origin: str = "case.json"):
    read = read_cases(content.encode() if isinstance(content, str) else content, origin)
    (case,) = read.cases
    return case


def refused(content: str | bytes, origin: str = "case.json") -> Notice:
    with pytest.raises(UnusableCaseError) as error:
        read_cases(content.encode() if isinstance(content, str) else content, origin)
    return error.value.notice


def skipped(remarks: tuple[Notice, ...]) -> dict[str, str]:
    """Why what was left out, by place."""
    return {
        str(remark.params["where"]): why.code
        for remark in remarks
        if remark.code == "case_skipped" and isinstance(why := remark.params["why"], Notice)
    }


@pytest.mark.parametrize(
    "value",
    [
        {"patient": {"text": "chest pain"}},
        {"patient_case": {"clinical_text": "chest pain"}},
        {"patient": {"text": "chest pain"}, "patient_case": {"clinical_text": "chest pain"}},
    ],
)
def test_both_shapes_hold_the_chart_and_nothing_is_remarked(value):
    case = only_case(json.dumps(value))
    assert (case.text, case.remarks) == ("chest pain", ())


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"patient": {"note": "chest pain"}}, "patient.note"),
        ({"clinical_text": "chest pain"}, "clinical_text"),
        ({"patient_case": "chest pain"}, "patient_case"),
    ],
)
def test_another_field_with_the_text_is_read_and_told(value, field):
    case = only_case(json.dumps(value))
    assert case.text == "chest pain"
    assert [(remark.code, remark.params["field"]) for remark in case.remarks] == [
        ("case_variant", field)
    ]


def test_similar_cases_are_read_in_both_places_and_broken_ones_are_told():
    value = {
        "patient": {"text": "chest pain"},
        "similar_cases": ["one", {"clinical_text": "two"}, 7],
        "cohort_data": {"similar_cases": [{"patient": {"text": "three"}}, {"age": 4}]},
    }
    case = only_case(json.dumps(value))
    assert [similar.text for similar in case.similar] == ["one", "two", "three"]
    assert skipped(case.remarks) == {
        "case.json similar_cases[3]": "case_no_object",
        "case.json cohort_data.similar_cases[2]": "case_no_text",
    }


def test_what_stands_in_fields_of_its_own_is_taken_and_the_rest_is_told():
    value = {
        "patient": {"text": "t", "id": 17, "gender": "여", "dob": "1970/03/04", "labs": [1]},
        "structured_chart": {"x": 1},
        "memory": [],
    }
    case = only_case(json.dumps(value))
    assert (case.patient, case.sex, case.birth_date) == ("17", Sex.FEMALE, "1970-03-04")
    (unread,) = case.remarks
    assert unread.params["fields"] == ("structured_chart", "patient.labs")


def test_two_different_texts_are_refused_with_both_fields():
    why = refused(json.dumps({"patient": {"text": "a"}, "note": "b"}))
    assert (why.code, why.params["fields"]) == ("case_two_texts", ("patient.text", "note"))


def test_a_birth_date_that_cannot_be_read_is_told():
    case = only_case(json.dumps({"patient": {"text": "t", "dob": "4 March"}}))
    assert (case.birth_date, [remark.code for remark in case.remarks]) == (
        None,
        ["case_birth_date_unread"],
    )


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "case_empty"),
        (" \n\t", "case_empty"),
        ('{"patient": {"text": "  "}}', "case_empty"),
        ('{"patient": {"age": 54}}', "case_no_text"),
        ('{"patient": {"text": "a"', "case_no_json"),
        ("[" * 100_000, "case_no_json"),
        ("[" + "{}," * 400_000 + "{}]", "case_no_json"),
        ("[]", "case_empty"),
        ("[1]", "case_skipped"),
        ("[1, 2]", "sentences"),
        (f'"{"a" * (CHART_BYTES + 1)}"', "case_too_long"),
        ("a note in a file called .json", "case_no_json"),
        ("42", "case_no_object"),
        ("null", "case_no_object"),
        ('{"patient": {"text": "a"}, "patient": {"text": "b"}}', "case_field_twice"),
        ('{"patient": {"id": 1, "id": 1, "text": "a"}}', "case_field_twice"),
        (b"%PDF-1.7\x00\xff\xfe\x00", "case_binary"),
        ("환자는 흉통으로 내원".encode("cp949"), "case_encoding"),
    ],
)
def test_what_cannot_be_a_case_says_why(content, code):
    assert refused(content).code == code


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("환자는 흉통으로 내원하였다".encode("cp949"), "CP949"),
        ("Sjögren's, 38.5 °C, naïve".encode("cp1252"), "WINDOWS-1252"),
        ("A follow-up. 38.5°C, 5 µg, ±2, 10 µg, 37°C".encode("cp1252"), "WINDOWS-1252"),
        ("Fatigué, fièvre, café".encode("latin-1"), "WINDOWS-1252"),
        ("chest pain".encode("utf-16"), "UTF-16"),
    ],
)
def test_another_encoding_is_named(content, encoding):
    assert refused(content, "chart.txt").params["encoding"] == encoding


def test_a_single_json_text_is_a_case():
    assert only_case('"chest pain\\nfor 3 days"').text == "chest pain\nfor 3 days"


def test_where_nothing_can_be_used_the_first_reasons_are_told_and_how_many_more_there_are():
    told = refused("not JSON\n" + "{}\n" * 30, "cohort.jsonl")
    parts = told.params["parts"]
    assert isinstance(parts, tuple)
    assert [part.params["where"] for part in parts[:2] if isinstance(part, Notice)] == [
        "cohort.jsonl line 1",
        "cohort.jsonl line 2",
    ]
    assert isinstance(parts[-1], Notice)
    assert (parts[-1].code, parts[-1].params["n"]) == ("case_more_remarks", 31 - len(parts[:-1]))


def test_a_quotation_mark_that_is_never_closed_names_all_lines_that_it_takes():
    read = read_cases(b'id,text\n1,a man\n2,"a woman\n3,a boy\n', "t.csv")
    assert [case.text for case in read.cases] == ["a man"]
    (remark,) = read.remarks
    assert remark.params["where"] == "t.csv line 3"
    assert isinstance(why := remark.params["why"], Notice)
    assert "lines 3 to 4" in str(why.params["why"])


def test_plain_text_keeps_its_characters_and_gets_one_kind_of_line_end():
    assert only_case("\ufeffBP 150/95\r\n환자\rK 5.9\n", "c.txt").text == "BP 150/95\n환자\nK 5.9"


def test_a_transcript_that_begins_with_a_bracket_is_a_text():
    assert only_case("[doctor] hi\n[patient] hello", "c.txt").text.startswith("[doctor]")


def test_json_lines_tell_a_broken_line_by_its_number_and_use_the_rest():
    lines = '{"text": "a"}\n\n{"text": \n"b"\n{"patient": {}}\n{"patient": {"text": "c"}}\n'
    read = read_cases(lines.encode(), "cases.jsonl")
    assert [(case.text, case.origin) for case in read.cases] == [
        ("a", "cases.jsonl line 1"),
        ("b", "cases.jsonl line 4"),
        ("c", "cases.jsonl line 6"),
    ]
    assert skipped(read.remarks) == {
        "cases.jsonl line 3": "case_no_json",
        "cases.jsonl line 5": "case_no_text",
    }


def test_json_lines_are_known_without_their_suffix():
    assert len(read_cases(b'{"text": "a"}\n{"text": "b"}\n', "stdin").cases) == 2


def test_a_list_of_cases_is_several():
    read = read_cases(b'{"cases": [{"text": "a"}, "b", null]}', "c.json")
    assert [case.text for case in read.cases] == ["a", "b"]
    assert skipped(read.remarks) == {"c.json[3]": "case_no_object"}


def test_a_table_tells_a_broken_row_by_its_line_and_uses_the_rest():
    table = 'ID,Text,Sex\n1,"two\nlines",F\n2\n3,"",M\n4,"a "quoted" word",M\n5,last,m\n'
    read = read_cases(table.encode(), "cohort.csv")
    assert [(case.text, case.patient, case.sex) for case in read.cases] == [
        ("two\nlines", "1", Sex.FEMALE),
        ("last", "5", Sex.MALE),
    ]
    assert skipped(read.remarks) == {
        "cohort.csv line 4": "case_row_columns",
        "cohort.csv line 5": "case_empty",
        "cohort.csv line 6": "case_row_broken",
    }


def test_a_table_with_other_separators_is_read():
    assert [case.text for case in read_cases(b"id;note\n1;a, b\n", "c.csv").cases] == ["a, b"]
    assert [case.text for case in read_cases(b"id\tnote\n1\ta, b\n", "c.tsv").cases] == ["a, b"]


def test_a_table_without_a_column_of_texts_names_its_columns():
    why = refused("id,age\n1,54\n", "cohort.csv")
    assert (why.code, why.params["columns"]) == ("case_no_column", ("id", "age"))


def test_a_folder_is_a_case_a_file_and_what_is_left_out_is_told(tmp_path: Path):
    (tmp_path / "b.txt").write_text("second")
    (tmp_path / "a.json").write_text('{"patient": {"text": "first"}}')
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "deploy.pem").write_text("key")
    (tmp_path / "inner").mkdir()
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "scan.pdf").write_bytes(b"%PDF\x00\x01")
    read = read_folder(tmp_path, "cases", Screen())
    assert [(case.text, case.origin) for case in read.cases] == [
        ("first", "cases/a.json"),
        ("second", "cases/b.txt"),
    ]
    assert skipped(read.remarks) == {
        "cases/deploy.pem": "unread_never_sent",
        "cases/inner": "case_inner_folder",
        "cases/link.txt": "unread_symlink",
        "cases/scan.pdf": "case_binary",
    }


def test_a_folder_without_a_case_is_refused(tmp_path: Path):
    with pytest.raises(UnusableCaseError) as error:
        read_folder(tmp_path, "cases", Screen())
    assert error.value.notice.code == "case_folder_empty"


@pytest.mark.parametrize(
    ("stated", "date"),
    [
        ("1970-03-04", "1970-03-04"),
        ("1970.03", "1970-03"),
        ("19700304", "1970-03-04"),
        ("1970-03-04T00:00:00Z", "1970-03-04"),
        ("1970-13-04", None),
        ("born", None),
        (1970, None),
    ],
)
def test_a_birth_date_is_iso_or_nothing(stated, date):
    assert iso_date(stated) == date


def test_a_sex_is_known_in_the_usual_words():
    assert [sex_of(word) for word in ("F", "남자", "other", None)] == [
        Sex.FEMALE,
        Sex.MALE,
        None,
        None,
    ]
