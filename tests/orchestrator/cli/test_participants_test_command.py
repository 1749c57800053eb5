"""What `quorate participants test` says of those who did not answer."""

from orchestrator.cli.commands.participants.trial import failures
from tests.support.reports import make_step

SLOWER = "busy asks for slower calls (HTTP 429): always 429; it is asked again in 8 s."


def test_who_did_not_answer_is_told_in_full_and_who_still_waits_with_its_reason() -> None:
    steps = [
        make_step("answer/late", "failed", failure_message=f"the time is over; {SLOWER}"),
        make_step("answer/open", "pending", note=SLOWER),
        make_step("answer/good"),
    ]
    assert failures(steps) == [("late", f"the time is over; {SLOWER}"), ("open", SLOWER)]
