"""Who read which file, and what nobody read: subject and replies joined by code."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.findings.coverage import FilesRead, cover, excuse_of, merged, shown_files
from orchestrator.core.findings.verdict import GateOutcome, coverage_of, derive, gate
from orchestrator.core.results import ChangeResult
from orchestrator.presentation.coverage import no_text
from shared.models.coverage import Coverage, CoverageReport, UnreadFile, UnreadReason
from shared.models.findings import Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import Failure
from shared.models.subject import FileChange, LineRange, Subject
from tests.support.notices import words

HASH, OTHER = "a" * 64, "b" * 64
ALL = (LineRange(first=1, last=3),)


def file(path: str = "a.py", **fields: Any) -> FileChange:
    values: dict[str, Any] = {"status": "added", "after": HASH, "changed": ALL, **fields}
    return FileChange(path=path, **values)


def subject(*files: FileChange, counts: bool = True) -> Subject:
    return Subject(title="A change", diff=OTHER, files=files, counts_unread=counts)


def report(*readings: FilesRead, files: tuple[FileChange, ...], **more: Any) -> CoverageReport:
    made = cover(subject(*files), readings, **more)
    assert made is not None
    return made


def analysed(name: str, *read: str, unread: dict[str, UnreadReason] | None = None) -> FilesRead:
    left = tuple(UnreadFile(path=path, reason=why) for path, why in (unread or {}).items())
    return FilesRead(name, computes=True, coverage=Coverage(read=read, unread=left))


def failed(name: str, kind: FailureKind = FailureKind.TIMEOUT) -> FilesRead:
    return FilesRead(name, computes=True, failure=Failure(kind=kind, message="it was stopped"))


# ---- which files have to be read -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "excuse"),
    [
        (file(), None),
        (file(status="modified", before=OTHER), None),
        (file(status="deleted", after=None, changed=()), "deleted"),
        (file(status="deleted", after=None, changed=(), skipped="it is binary"), "deleted"),
        (file(status="renamed", old_path="b.py", before=HASH, changed=()), "renamed"),
        (file(status="modified", before=HASH, changed=()), "unchanged"),
        (file(status="modified", before=HASH, changed=(), as_new=True), None),
        (file(status="modified", before=OTHER, changed=()), None),
        (file(status="modified", before=None, after=None, changed=()), None),
        (file(changed=()), "empty"),
        (file("a.png", changed=(), after=None, skipped="it is binary", harmless="image"), "image"),
        (file("a.png", changed=(), after=None, skipped="it is binary"), None),
        (file(changed=(), after=None, skipped="left out", unread=UnreadReason.EXCLUDED), "excluded"),
    ],
)  # fmt: skip
def test_a_file_has_to_be_read_unless_nothing_of_it_can_do_harm(
    change: FileChange, excuse: str | None
) -> None:
    assert excuse_of(change) == excuse


# ---- who read them -------------------------------------------------------------------------------


def test_a_file_is_read_when_one_critic_took_it_in() -> None:
    one = report(analysed("ruff", "a.py"), files=(file(),))
    assert one.files[0].read_by == ("ruff",)
    assert one.complete


def test_what_the_capture_left_out_is_read_by_nobody_whoever_says_so() -> None:
    left_out = file("x", after=None, changed=(), skipped="too large", unread=UnreadReason.TOO_LARGE)
    one = report(FilesRead("ada"), analysed("ruff", "x"), files=(left_out,))
    assert [(f.path, f.reason, f.detail) for f in one.unread] == [
        ("x", UnreadReason.TOO_LARGE, "too large")
    ]


def test_a_file_that_a_prompt_did_not_hold_is_not_read_by_whom_it_was_sent_to() -> None:
    cut = Coverage(read=("a.py",), unread=(UnreadFile(path="b.py", reason=UnreadReason.CUT),))
    one = report(FilesRead("ada", coverage=cut), files=(file(), file("b.py")))
    assert [(f.path, f.reason) for f in one.unread] == [("b.py", UnreadReason.CUT)]
    assert one.absent == ()


def test_what_a_critic_read_stays_read_when_a_later_turn_shows_less() -> None:
    change = subject(file("a.py"), file("b.py"))
    first = FilesRead("ada", coverage=shown_files(change))
    later = FilesRead("ada", coverage=shown_files(change, ("a.py",)))
    made = cover(change, (first, later))
    assert made is not None
    assert [one.read_by for one in made.files] == [("ada",), ("ada",)]


def test_who_did_not_answer_has_read_nothing() -> None:
    silent = FilesRead("ada", failure=Failure(kind=FailureKind.REFUSAL, message="no"))
    one = report(silent, files=(file(),))
    assert one.unread[0].reason is UnreadReason.FAILED


def test_an_analyser_that_does_not_say_what_it_read_has_read_everything() -> None:
    assert report(FilesRead("ruff", computes=True), files=(file(),)).complete


def test_a_whole_diff_shows_every_file_that_was_captured() -> None:
    change = subject(file(), file("b", skipped="it is binary"))
    assert shown_files(change).read == ("a.py",)


def test_names_with_blanks_at_their_ends_are_names_of_their_own() -> None:
    one = report(analysed("diffcheck", " a.py "), files=(file(" a.py "),))
    assert one.complete


# ---- who was missing -----------------------------------------------------------------------------


def test_an_analyser_that_cannot_parse_a_file_is_missing_for_it_though_others_read_it() -> None:
    bandit = analysed("bandit", "b.py", unread={"a.py": UnreadReason.NOT_PARSED})
    one = report(analysed("ruff", "a.py", "b.py"), bandit, files=(file(), file("b.py")))
    assert one.unread == ()
    assert [(m.participant, m.path) for m in one.missing] == [("bandit", "a.py")]
    assert not one.complete


def test_an_analyser_that_was_stopped_is_missing_for_the_whole_change() -> None:
    one = report(FilesRead("ada"), failed("bandit"), files=(file(),))
    (missing,) = one.missing
    assert (missing.participant, missing.path, missing.reason) == ("bandit", None, "stopped")


def test_an_analyser_that_succeeds_later_is_present() -> None:
    assert report(failed("ruff"), analysed("ruff", "a.py"), files=(file(),)).complete


def test_a_quorum_set_by_hand_excuses_the_missing_but_not_the_unread() -> None:
    one = report(FilesRead("ada"), failed("ruff"), files=(file(),), absence_allowed=True)
    assert one.complete
    assert one.absent[0].excused
    assert not report(failed("ruff"), files=(file(),), absence_allowed=True).complete


def test_a_suppression_is_excused_only_by_somebody_who_reads_and_does_not_compute() -> None:
    bandit = analysed("bandit", unread={"a.py": UnreadReason.SUPPRESSED})
    assert not report(bandit, analysed("ruff", "a.py"), files=(file(),)).complete
    assert report(bandit, FilesRead("ada"), files=(file(),)).complete


def test_what_was_unread_in_one_review_stays_unread_after_the_next() -> None:
    first = cover(subject(file()), [failed("ruff")])
    second = cover(subject(file()), [analysed("ruff", "a.py")], review=2)
    both = merged([first, second])
    assert both is not None
    assert [(f.path, f.review) for f in both.unread] == [("a.py", 1)]
    assert merged([None]) is None


# ---- what follows --------------------------------------------------------------------------------


def test_a_subject_from_before_coverage_counted_is_judged_as_then() -> None:
    assert cover(subject(file(), counts=False), []) is None
    assert derive([], Ending.CONVERGED, None, None) is Verdict.APPROVED


def test_what_nobody_read_keeps_approval_and_gate_away() -> None:
    gap = report(failed("ruff"), files=tuple(file(f"{n}.py") for n in range(7)))
    assert derive([], Ending.CONVERGED, None, gap) is Verdict.INCONCLUSIVE
    result = gate([], Ending.CONVERGED, Severity.MAJOR, gap)
    assert result.outcome is GateOutcome.INCONCLUSIVE
    assert words(result.reason) == "nobody read 0.py, 1.py, 2.py, 3.py, 4.py and 2 more"


def test_the_gate_names_the_missing_analyser() -> None:
    bandit = analysed("bandit", unread={"a.py": UnreadReason.NOT_PARSED})
    gap = report(FilesRead("ada"), bandit, files=(file(),))
    result = gate([], Ending.CONVERGED, Severity.MAJOR, gap)
    assert words(result.reason) == "analysis is missing: bandit on a.py"


def test_a_report_survives_its_storage() -> None:
    one = report(FilesRead("ada"), failed("ruff"), files=(file(), file("b", skipped="gone")))
    stored = ChangeResult(coverage=one).model_dump(mode="json")
    assert coverage_of(ChangeResult.model_validate(stored)) == one
    assert coverage_of(ChangeResult.model_validate({})) is None


BLOB = file("blob.bin", after=None, changed=(), skipped="it is binary", inert=True).model_copy(
    update={"unread": UnreadReason.BINARY}
)


def test_rules_alone_wait_for_no_data_that_is_no_text_and_name_it() -> None:
    covered = report(analysed("ruff", "a.py"), files=(file(), BLOB))
    assert covered.unread == ()
    assert covered.complete
    assert covered.files[1].excuse == "binary"
    assert derive((), Ending.CONVERGED, coverage=covered) is Verdict.CHECKS_PASSED
    assert [words(each) for each in no_text(covered)] == [
        "blob.bin was not looked at: it is binary. No rule reads such data, so the gate does not wait for it "
        "(`review.exclude` leaves it out)"
    ]


def test_a_source_file_that_nobody_can_read_still_keeps_a_gate_of_rules_shut() -> None:
    large = file("big.py", after=None, changed=(), skipped="it is too large", language="python")
    covered = report(analysed("ruff", "a.py"), files=(file(), large))
    assert [each.path for each in covered.unread] == ["big.py"]


def test_where_a_model_takes_part_unread_data_keeps_approval_away() -> None:
    ada = FilesRead("ada", coverage=Coverage(read=("a.py",)))
    covered = report(analysed("ruff", "a.py"), ada, files=(file(), BLOB))
    assert [each.path for each in covered.unread] == ["blob.bin"]
    assert derive((), Ending.CONVERGED, coverage=covered) is Verdict.INCONCLUSIVE
