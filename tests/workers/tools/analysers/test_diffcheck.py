"""The diffcheck participant looks at text of any language."""

from __future__ import annotations

import pytest

from shared.errors import ToolError
from shared.models.coverage import UnreadReason
from shared.models.findings import Severity
from shared.models.review_replies import ReviewCritique
from shared.models.subject import FileChange, SecretLine, Subject
from tests.workers.tools.changes import check, review, rules, stored, subject_of
from workers.tools.registry import MemoryDocuments

AWS = "AKIA" + "ABCDEFGHIJKLMNOP"
KEY = "-----BEGIN RSA PRIVATE " + "KEY-----"
FOUND = [
    ("a.txt", f"key = {AWS}\n", "token"),
    ("a.txt", f"{KEY}\n", "private-key"),
    ("a.c", "if (x) \u202e{ return }\n", "bidi-control"),
    ("a.md", "hello \U000e0061\U000e0062\n", "hidden-text"),
    ("a.md", "zero\u200bwidth\n", "invisible"),
    ("a.sh", "echo \x1b[31m\n", "control-character"),
    ("a.go", "<<<<<<< HEAD\n=======\n>>>>>>> b\n", "merge-conflict"),
    ("a.ts", "  debugger;\n", "debugger"),
    ("a.rb", "  binding.pry\n", "debugger"),
    ("a.php", "var_dump($x);\n", "debugger"),
    ("a.test.js", "describe.only('x', () => {})\n", "focused-test"),
    ("a.go", "// TODO later\n", "todo"),
    ("a.json", '{"a": 1,}\n', "json-syntax"),
    ("a.toml", "a = \n", "toml-syntax"),
    ("a.yaml", "a: [1\nb: 2\n", "yaml-syntax"),
    (".env", "A=1\n", "secret-file"),
    ("a.py.orig", "x\n", "leftover-file"),
]
NOT_FOUND = [
    ("a.md", "Title\n=======\ntext\n"),
    (
        "a.md",
        "flag 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 가족 👨\u200d👩\n",
    ),
    ("a.go", "// TODO(#12) later\n// TODO see PROJ-7\n"),
    ("a.py", "debugger\n"),
    ("tsconfig.json", "{ // comment\n}\n"),
    ("chart.yaml", "a: {{ .Values.x }}\n"),
    ("many.yaml", "a: 1\n---\nb: !tag {x: *y}\n"),
    ("a.js", "const only = describe.onlyIf\n"),
    ("한글.md", "안녕하세요. 정상적인 문서입니다.\r\n"),
]


def one(path: str, text: str, before: str | None = None) -> tuple[MemoryDocuments, str]:
    documents = MemoryDocuments()
    return documents, stored(documents, subject_of(documents, {path: (before, text)}))


@pytest.mark.parametrize(("path", "text", "rule"), FOUND)
def test_a_known_mistake_is_found(path: str, text: str, rule: str) -> None:
    reply = review("diffcheck", *one(path, text))
    assert f"diffcheck/{rule}" in rules(reply)


def test_a_merge_conflict_is_one_finding_with_or_without_its_base() -> None:
    plain = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
    with_base = plain.replace("=======", "||||||| base\nc\n=======")
    findings = review("diffcheck", *one("a.go", f"x\n{plain}y\n{with_base}")).findings
    assert [f.place.line for f in findings if f.place] == [2, 8]

    # The first side was there before: what the change adds of the conflict is told.
    before = "<<<<<<< HEAD\na\n"
    (finding,) = review("diffcheck", *one("a.go", plain, before)).findings
    assert finding.place is not None
    assert finding.place.line == 3


@pytest.mark.parametrize(("path", "text"), NOT_FOUND)
def test_ordinary_text_is_left_alone(path: str, text: str) -> None:
    assert rules(review("diffcheck", *one(path, text))) == []


@pytest.mark.parametrize(
    ("path", "text", "mended"),
    [
        ("a.ts", "a();\ndebugger;\nb();\n", "a();\nb();\n"),
        ("a.c", "x \u2066y\u2069 z\r\nw\r\n", "x y z\r\nw\r\n"),
        ("a.js", "it.only('가', f)", "it('가', f)"),
    ],
)
def test_a_trivial_mistake_comes_with_a_patch_that_mends_it(
    path: str, text: str, mended: str
) -> None:
    documents, subject = one(path, text)
    (finding,) = review("diffcheck", documents, subject).findings
    assert finding.patch is not None
    checked = check(documents, subject, finding.patch)
    assert checked.fixes[0].problem is None
    removed = [
        line[1:] for line in checked.patch.split("\n") if line.startswith("-") and line[1] != "-"
    ]
    assert removed
    assert all(line not in mended.split("\n") for line in removed)


def test_a_secret_is_not_repeated_in_the_finding() -> None:
    reply = review("diffcheck", *one("a.py", f"token = '{AWS}'\n"))
    assert AWS not in reply.model_dump_json()
    assert reply.findings[0].quote == "token = '"
    assert reply.findings[0].severity is Severity.CRITICAL


PASSWORD = "k3Jd8sLq0" + "PzX71vbN2"


@pytest.mark.parametrize(
    ("path", "text", "severity"),
    [
        ("conf.yaml", f"user: app\npassword: {PASSWORD}\n", Severity.CRITICAL),
        ("app.js", f'// x\nconst dbPassword = "{PASSWORD}";\n', Severity.CRITICAL),
        ("tests/test_login.py", f'# x\npassword = "{PASSWORD}"\n', Severity.MINOR),
        ("README.md", f"# x\npassword: {PASSWORD}\n", Severity.MINOR),
        ("db.py", f'# x\nURL = "postgres://app:{PASSWORD}@db/app"\n', Severity.MAJOR),
    ],
)
def test_an_assigned_secret_is_grave_unless_it_is_shown_in_tests_or_prose(
    path: str, text: str, severity: Severity
) -> None:
    reply = review("diffcheck", *one(path, text))
    (finding,) = (f for f in reply.findings if f.rule == "diffcheck/secret")
    assert (finding.severity, finding.place and finding.place.line) == (severity, 2)
    assert PASSWORD not in reply.model_dump_json()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"password: {PASSWORD}\nlevel: 1\n", f"password: {PASSWORD}\nlevel: 2\n"),
        (f"password: {PASSWORD}\n", f"db:\n  password: {PASSWORD}\n"),
        ("password: ${PASSWORD}\n", "password: ${DB_PASSWORD}\n"),
    ],
    ids=["another line", "moved", "a reference"],
)
def test_a_secret_that_was_there_or_is_none_is_no_finding(before: str, after: str) -> None:
    assert "diffcheck/secret" not in rules(review("diffcheck", *one("c.yaml", after, before)))


def never_sent(*lines: int, path: str = ".env", status: str = "modified") -> ReviewCritique:
    """What is said of a file of which only the lines with secrets are known."""
    documents = MemoryDocuments()
    secrets = tuple(SecretLine(line=line, kind="assigned-secret") for line in lines)
    file = FileChange(
        path=path,
        status=status,
        skipped="it may hold secrets",
        unread=UnreadReason.NEVER_SENT,
        secrets=secrets,
    )
    subject = Subject(title="t", diff=documents.put(b""), files=(file,))
    return review("diffcheck", documents, stored(documents, subject))


def test_secrets_in_a_file_that_nobody_may_read_are_critical_each_at_its_line() -> None:
    places = [(f.severity, f.place and f.place.line, f.rule) for f in never_sent(2, 7).findings]
    assert places == [
        (Severity.CRITICAL, 2, "diffcheck/secret"),
        (Severity.CRITICAL, 7, "diffcheck/secret"),
    ]


@pytest.mark.parametrize(
    ("path", "severity"), [(".env", Severity.MAJOR), ("release.p12", Severity.CRITICAL)]
)
def test_a_new_file_of_secrets_counts_where_none_can_be_seen_in_it(
    path: str, severity: Severity
) -> None:
    (finding,) = never_sent(path=path, status="added").findings
    assert (finding.rule, finding.severity) == ("diffcheck/secret-file", severity)


def test_only_changed_lines_count() -> None:
    before = f"key = {AWS}\nx = 1\n"
    reply = review("diffcheck", *one("a.txt", before.replace("1", "2"), before))
    assert reply.findings == ()


def test_a_file_that_did_not_parse_before_is_no_news() -> None:
    broken = '{"a": 1,}\n'
    assert rules(review("diffcheck", *one("a.json", broken.replace("1", "2"), broken))) == []
    assert rules(review("diffcheck", *one("a.json", broken, '{"a": 1}\n'))) == [
        "diffcheck/json-syntax"
    ]


def test_deeply_nested_data_harms_nobody() -> None:
    for path in ("a.json", "a.yaml", "a.toml"):
        review("diffcheck", *one(path, "a=" * (path == "a.toml") + "[" * 100_000 + "\n"))


def test_a_change_without_text_is_no_approval() -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"gone.py": ("x", None)})
    with pytest.raises(ToolError, match="no text file"):
        review("diffcheck", documents, stored(documents, subject))


def test_an_added_binary_file_is_mentioned() -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"a.bin": (None, b"x"), "b.txt": (None, "x\n")})
    first = subject.files[0].model_copy(update={"after": None, "skipped": "binary, 12 MB"})
    subject = subject.model_copy(update={"files": (first, subject.files[1])})
    reply = review("diffcheck", documents, stored(documents, subject))
    assert rules(reply) == ["diffcheck/unreviewable-file"]
    assert reply.verdict == "APPROVED"


def test_a_very_long_line_is_looked_at_in_bounded_time() -> None:
    review("diffcheck", *one("a.min.js", "a" * 1_500_000 + "\n"))
