"""What decisions record about findings, on real Postgres: offered, accepted, by whom raised."""

from collections import Counter

import pytest

from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.store.database import Database
from shared.store.decisions import answer_decision, expire_decisions
from shared.store.migrate import upgrade
from shared.store.offered import DecidedOffer, decided_offers
from shared.store.runs import NewDecision
from tests.support.migrations import to_revision
from tests.support.reports import make_finding
from tests.support.runs import execute, new_run, submission

pytestmark = pytest.mark.component

SHOWN = "a" * 64
NAMES = [critic.name for critic in submission().spec.panel.critics]


def asked(database: Database, *selectable: str) -> str:
    """A decision on F1 (raised by the first), F2 (by both) and F3 (by somebody of no panel)."""
    first, second = NAMES[0], NAMES[-1]
    raised = {"F1": (first,), "F2": (first, second), "F3": ("nobody",)}
    findings = [
        make_finding(name, raised_by=who).model_dump(mode="json") for name, who in raised.items()
    ]
    question = DecisionQuestion(
        kind="review",
        prompt="?",
        options=("apply_fix", "skip"),
        shown={"findings": findings},
        selectable=selectable,
    )
    decision = NewDecision(
        key="decision",
        kind="review",
        question=question.model_dump_json(),
        shown_sha256=SHOWN,
        timeout_s=60,
        on_timeout="skip",
    )
    return new_run(database, decisions=[decision])


def answer(database: Database, run: str, choice: str, *only: str, channel: str = "cli") -> None:
    given = DecisionAnswer(choice=choice, actor="me", channel=channel, only=only or None)
    database.run(lambda c: answer_decision(c, run, "decision", given, SHOWN), atomic=True)


def counted(database: Database) -> dict[tuple[str, bool], int]:
    """Findings by participant, accepted or not."""
    counts: Counter[tuple[str, bool]] = Counter()
    for decision in read(database):
        for row in decision.rows:
            accepted = row.picked if decision.choice == "apply_fix" else 0
            counts += Counter(
                {(row.name, True): accepted, (row.name, False): row.offered - accepted}
            )
    return dict(counts)


def read(database: Database) -> list[DecidedOffer]:
    return database.run(decided_offers)


@pytest.fixture(autouse=True)
def undecided(database: Database) -> None:
    execute(database, "DELETE FROM decisions")


def test_what_was_applied_is_accepted_and_the_rest_of_the_offer_is_not(database: Database) -> None:
    first, second = NAMES[0], NAMES[-1]
    assert first != second
    answer(database, asked(database, "F1", "F2", "F3"), "apply_fix", "F2")
    assert counted(database) == {(first, True): 1, (first, False): 1, (second, True): 1}
    answer(database, asked(database, "F1", "F2", "F3"), "apply_fix")
    assert counted(database) == {(first, True): 3, (first, False): 1, (second, True): 2}
    answer(database, asked(database, "F1", "F2"), "skip", channel="web")
    assert counted(database) == {
        (first, True): 3,
        (first, False): 3,
        (second, True): 2,
        (second, False): 1,
    }
    rows = [row for decision in read(database) for row in decision.rows]
    sums = {
        name: (sum(row.offered for row in mine), len(mine))
        for name in (first, second)
        for mine in [[row for row in rows if row.name == name]]
    }
    assert sums == {first: (6, 3), second: (3, 3)}


def test_what_was_not_offered_or_not_decided_by_a_person_is_not_counted(database: Database) -> None:
    answer(database, asked(database), "skip")  # no fix was offered
    asked(database, "F1")  # nobody has answered
    expired = asked(database, "F1")
    execute(
        database,
        "UPDATE decisions SET deadline_at = now() - interval '1 s' WHERE run_id = %s",
        expired,
    )
    database.run(expire_decisions, atomic=True)
    assert counted(database) == {}


def test_a_decision_that_shows_something_else_is_passed_over(database: Database) -> None:
    run = asked(database, "F1")
    execute(
        database,
        "UPDATE decisions SET question = jsonb_set(question, '{shown}', '{\"plan\": \"x\"}') WHERE run_id = %s",
        run,
    )
    answer(database, run, "skip")
    assert counted(database) == {}


def test_decisions_of_the_version_before_count_as_they_did(empty_url: str) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database)
    answer(database, asked(database, "F1", "F2"), "apply_fix", "F2")
    answer(database, asked(database, "F1"), "skip", channel="policy")
    before = read(database)
    assert counted(database) == {(NAMES[0], True): 1, (NAMES[0], False): 1, (NAMES[-1], True): 1}

    to_revision(database, "0008")
    upgrade(database)
    assert read(database) == before
    database.close()
