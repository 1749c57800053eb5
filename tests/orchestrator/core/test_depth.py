"""Which changes are for the whole panel, who reads first, and what the first replies leave in doubt."""

from __future__ import annotations

import pytest

from orchestrator.core.discussion.depth import (
    MOST_FILES,
    MOST_LINES,
    asked_first,
    first_reviewer,
    risk_of,
    risks,
)
from shared.models.panel import Panel, Participant
from shared.models.subject import FileChange, Subject

RULES = Participant(name="rules", provider="rules")
RUFF = Participant(name="ruff", provider="analyser", tool="ruff")
PERSON = Participant(name="me", provider="person")


def model(name: str) -> Participant:
    return Participant(name=name, provider="openai", model=name)


def panel(*critics: Participant) -> Panel:
    return Panel(critics=critics, author=RULES, chair=RULES)


def price(**costs: float | None):  # type: ignore[no-untyped-def]
    return lambda participant, _read, _written: costs.get(participant.name)


@pytest.mark.parametrize(
    ("critics", "costs", "expected"),
    [
        (("a", "b", "c"), {"a": 3.0, "b": 1.0, "c": 2.0}, "b"),
        (("a", "b"), {"a": 1.0, "b": 1.0}, "a"),
        (("a", "b"), {"b": 0.1}, "a"),
        (("a", "b"), {}, "a"),
        (("a", "b"), {"a": 0.2, "b": 0.0}, "b"),
        (("a",), {"a": 1.0}, None),
    ],
)
def test_the_cheapest_reads_first_and_the_first_one_where_a_price_is_not_known(
    critics: tuple[str, ...], costs: dict[str, float], expected: str | None
) -> None:
    assert first_reviewer(panel(RUFF, *map(model, critics)), price(**costs)) == expected


def test_a_person_is_never_asked_first_and_still_makes_two_readers() -> None:
    assert first_reviewer(panel(PERSON, model("a")), price(a=5.0)) == "a"
    assert first_reviewer(panel(PERSON, RUFF), price()) is None
    first = asked_first(panel(PERSON, RUFF, model("a")), "a")
    assert [participant.name for participant in first] == ["ruff", "a"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/auth/views.py", "security"),
        ("app/LoginForm.tsx", "security"),
        ("lib/userPermissions.rb", "security"),
        ("core/oauth_client.go", "security"),
        ("lib/oauth2.py", "security"),
        ("lib/OAuth2Client.java", "security"),
        ("k8s/web.yaml", "delivery"),
        ("billing/invoices.py", "money"),
        ("db/migrations/0004_names.py", "data"),
        ("tables.sql", "data"),
        ("a/query.sql", "data"),
        (".github/workflows/test.yml", "delivery"),
        ("images/web.Dockerfile", "delivery"),
        ("infra/main.tf", "delivery"),
        ("src/authors.py", None),
        ("docs/tokenizer.md", None),
        ("lib/paging.py", None),
        ("main.go", None),
    ],
)
def test_what_a_path_says_of_the_risk(path: str, kind: str | None) -> None:
    assert risk_of(FileChange(path=path, status="modified")) == kind


def test_a_former_name_and_a_glob_of_the_configuration_count_too() -> None:
    moved = FileChange(path="util.py", old_path="crypto/keys.py", status="renamed")
    assert risk_of(moved) == "security"
    assert risk_of(FileChange(path="core/engine.py", status="modified"), ("core/*",)) == "named"


def change(files: int = 1, lines: int = 1) -> Subject:
    changes = (FileChange(path=f"f{number}.py", status="modified") for number in range(files))
    return Subject(title="x", diff="0" * 64, files=tuple(changes), added_lines=lines)


@pytest.mark.parametrize(
    ("subject", "mends", "codes"),
    [
        (change(), False, []),
        (change(lines=MOST_LINES), False, []),
        (change(lines=MOST_LINES + 1), False, ["deeper_lines"]),
        (change(files=MOST_FILES), False, []),
        (change(files=MOST_FILES + 1), False, ["deeper_files"]),
        (change(), True, ["deeper_fix"]),
    ],
)
def test_size_and_history_make_a_change_one_for_the_panel(
    subject: Subject, mends: bool, codes: list[str]
) -> None:
    assert [reason.code for reason in risks(subject, (), mends=mends)] == codes
