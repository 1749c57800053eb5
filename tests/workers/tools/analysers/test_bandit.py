"""The bandit participant finds weaknesses on changed lines, also those that a comment hides."""

from __future__ import annotations

import pytest

from shared.models.findings import Severity
from tests.workers.tools.changes import added, red_team, review, rules, stored, subject_of
from workers.tools.analysers.bandit import SEVERITIES, is_test
from workers.tools.registry import MemoryDocuments

SHELL = "import subprocess\n\n\ndef f(a):\n    subprocess.call('ls ' + a, shell=True)\n"


def test_a_shell_call_is_a_critical_security_risk() -> None:
    documents = MemoryDocuments()
    reply = red_team("bandit", documents, added(documents, **{"폴더__가 나_py": SHELL}))
    (finding,) = reply.findings
    assert (finding.rule, finding.severity, finding.category) == (
        "bandit/B602",
        Severity.CRITICAL,
        "security",
    )
    assert finding.place is not None
    assert (finding.place.path, finding.place.line) == ("폴더/가 나.py", 5)
    assert finding.quote == "subprocess.call('ls ' + a, shell=True)"
    assert reply.security_risks[0].severity is Severity.CRITICAL
    assert reply.verdict == "NEEDS_FIX"


def test_a_weakness_that_was_there_before_is_left_alone() -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"a.py": (SHELL, SHELL + "\n\nx = 1\n")})
    reply = review("bandit", documents, stored(documents, subject))
    assert (reply.verdict, reply.findings) == ("APPROVED", ())


def test_a_call_over_several_lines_counts_where_it_was_changed() -> None:
    documents = MemoryDocuments()
    old = "import subprocess\n\nsubprocess.call(\n    'ls',\n    shell=False,\n)\n"
    subject = subject_of(documents, {"a.py": (old, old.replace("False", "True"))})
    (finding,) = review("bandit", documents, stored(documents, subject)).findings
    assert finding.place is not None
    assert finding.place.line == 5


def test_a_suppressed_weakness_is_said_but_asks_for_nothing() -> None:
    documents = MemoryDocuments()
    text = SHELL.replace("=True)", "=True)  # nosec")
    reply = review("bandit", documents, added(documents, a_py=text))
    (finding,) = reply.findings
    assert finding.severity is Severity.INFO
    assert "suppressed" in finding.detail
    assert reply.verdict == "APPROVED"


def test_asserts_are_ordinary_in_tests_only() -> None:
    documents = MemoryDocuments()
    text = "def test_x():\n    assert 1 == 1\n"
    subject = added(documents, tests__test_a_py=text, src_py=text)
    reply = review("bandit", documents, subject)
    assert [finding.place.path for finding in reply.findings if finding.place] == ["src.py"]
    assert rules(reply) == ["bandit/B101"]
    assert is_test("a/tests/x.py")
    assert not is_test("attests.py")


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("etag = hashlib.sha1(body).hexdigest()", Severity.MINOR),
        ("key = hashlib.md5(repr(arguments).encode())", Severity.MINOR),
        ("stored = hashlib.sha1(password.encode()).hexdigest()", Severity.CRITICAL),
        ("signature = hashlib.new('md5', body + SECRET)", Severity.CRITICAL),
    ],
)
def test_a_weak_hash_is_as_grave_as_what_it_guards(line: str, severity: Severity) -> None:
    documents = MemoryDocuments()
    text = f"import hashlib\n\n\ndef f(body, arguments, password, SECRET):\n    {line}\n"
    (finding,) = review("bandit", documents, added(documents, a_py=text)).findings
    assert (finding.rule, finding.severity) == ("bandit/B324", severity)


def test_a_request_without_a_time_limit_is_ordinary_in_tests_only() -> None:
    documents = MemoryDocuments()
    text = "import requests\n\n\ndef f():\n    return requests.get('https://example.org')\n"
    subject = added(documents, tests__test_a_py=text, src_py=text)
    reply = review("bandit", documents, subject)
    assert [(f.rule, f.place and f.place.path) for f in reply.findings] == [
        ("bandit/B113", "src.py")
    ]


def test_a_file_that_cannot_be_parsed_is_named_and_the_others_are_checked() -> None:
    documents = MemoryDocuments()
    subject = added(documents, bad_py="def (:\n", good_py=SHELL, odd_py=b"\xff = 1\n")
    reply = review("bandit", documents, subject)
    assert rules(reply) == ["bandit/B602"]
    assert reply.unexamined_assumptions == (
        "odd.py was not looked at: it is not valid UTF-8.",
        "bad.py was not looked at: it cannot be parsed.",
    )


def test_a_change_that_cannot_be_parsed_at_all_is_named_as_unread() -> None:
    documents = MemoryDocuments()
    for tool in ("bandit", "complexity"):
        reply = review(tool, documents, added(documents, bad_py="def (:\n"))
        assert reply.coverage is not None
        assert reply.coverage.read == ()
        assert [file.reason.value for file in reply.coverage.unread] == ["not_parsed"]


def test_every_pair_of_severity_and_confidence_has_a_severity() -> None:
    levels = ("HIGH", "MEDIUM", "LOW")
    assert set(SEVERITIES) == {(severity, sure) for severity in levels for sure in levels}


def test_the_password_that_was_found_is_not_repeated() -> None:
    documents = MemoryDocuments()
    reply = review("bandit", documents, added(documents, app_py='password = "hunter2-xyz"\n'))
    (finding,) = reply.findings
    assert finding.rule == "bandit/B105"
    assert "\u00abmasked:assigned-secret:1\u00bb" in (finding.quote or "")
    assert "hunter2" not in reply.model_dump_json()
