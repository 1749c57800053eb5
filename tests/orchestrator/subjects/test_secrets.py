"""Secrets in files that are never sent: their lines are known, and their text is nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.findings.unasked import unasked
from shared.models.panel import Participant
from shared.models.subject import Subject

PASSWORD = "k3Jd8sLq0" + "PzX71vbN2"
OTHER = "Zq81mxTr4" + "LwYc93hDs"
ENV = f"DEBUG=1\nDB_PASSWORD={PASSWORD}\n"
RULES = Participant(name="diffcheck", provider="analyser", tool="diffcheck")
MODEL = Participant(name="claude", provider="anthropic", model="m")


def lines(subject: Subject, path: str = ".env") -> list[tuple[int, str]]:
    (file,) = (file for file in subject.files if file.path == path)
    return [(secret.line, secret.kind) for secret in file.secrets]


def assert_nowhere(repo: Any, subject: Subject, *secrets: str) -> None:
    stored = [*repo.shelf.documents.values(), subject.model_dump_json().encode()]
    assert not any(secret.encode() in text for secret in secrets for text in stored)


@pytest.mark.parametrize("staged", [True, False], ids=["staged", "untracked"])
def test_a_new_file_with_a_secret_says_where_and_what_kind(repo: Any, staged: bool) -> None:
    repo.write(".env", ENV)
    if staged:
        repo.git("add", "-A", "-f")
    subject = repo.capture()
    assert lines(subject) == [(2, "assigned-secret")]
    assert_nowhere(repo, subject, PASSWORD)


def test_only_secrets_that_the_change_brings_count(repo: Any) -> None:
    repo.commit("settings", __env=ENV)
    repo.write(".env", f"# moved\n{ENV}API_TOKEN={OTHER}\n")
    for subject in (repo.capture(), (repo.git("add", "-A"), repo.capture())[1]):
        assert lines(subject) == [(4, "assigned-secret")]
        assert_nowhere(repo, subject, PASSWORD, OTHER)


def test_what_was_taken_out_or_holds_none_is_nothing(repo: Any) -> None:
    repo.commit("settings", __env=ENV, deploy__pem="-----BEGIN CERTIFICATE-----\n")
    repo.git("rm", "-q", ".env")
    repo.write("deploy.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n")
    repo.git("add", "-A")
    subject = repo.capture()
    assert (lines(subject), lines(subject, "deploy.pem")) == ([], [])


def test_a_bare_diff_shows_them_too(repo: Any) -> None:
    diff = (
        "--- a/.env\n+++ b/.env\n@@ -7,2 +7,3 @@\n DEBUG=1\n"
        f"-OLD_PASSWORD={OTHER}\n+# kept\n+DB_PASSWORD={OTHER}\n"
        f"--- /dev/null\n+++ b/prod.env\n@@ -0,0 +1,2 @@\n+A=1\n+DB_PASSWORD={PASSWORD}\n"
    )
    subject = repo.capture(diff=diff.encode())
    assert (lines(subject), lines(subject, "prod.env")) == ([], [(2, "assigned-secret")])
    assert_nowhere(repo, subject, PASSWORD, OTHER)


def test_rules_are_asked_about_a_file_that_nobody_may_read_and_models_are_not(repo: Any) -> None:
    repo.write(".env", ENV)
    repo.git("add", "-A", "-f")
    subject = repo.capture()
    assert unasked(subject, [MODEL], None) is not None
    assert unasked(subject, [RULES], None) is None
    assert unasked(subject, [MODEL, RULES], None) is None
    repo.git("commit", "-qm", "settings")
    repo.write(".env", ENV.replace("DEBUG=1", "DEBUG=0"))
    assert unasked(repo.capture(), [RULES], None) is not None
