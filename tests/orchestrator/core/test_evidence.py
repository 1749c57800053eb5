"""Evidence: quotations and places that exist, denials with grounds, and what becomes of claims without."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.evidence import (
    UNPROVEN_DENIAL,
    absorb_checked,
    check_quotes,
    check_stances,
    is_unproven,
    weighty,
)
from orchestrator.core.findings.merging import Raised
from orchestrator.core.findings.quotations import SubjectTexts, too_short
from shared.models.findings import Finding, Place, Position, RaisedFinding, Severity, Stance
from shared.models.subject import FileChange, LineRange, Subject
from shared.text.masking.mask import mask
from tests.support.notices import words

AFTER = (
    "import os\n\n\ndef load(path):\n    with open(path) as file:\n        text = file.read()\n"
    "    return eval(text)  # nosec B307\n\n\ndef total(values):\n    return sum(values) / len(values)\n"
    'NAME = "\u201c특수문자\u201d"\npassword = "hunter2-abc"\nhidden = "a\u200bb\u202ec"\n'
    'r\u043ele = "\u0430dmin\u3164\ufe01"  # look-alikes and fillers\n'
)
REMOVED = "    return json.loads(text)"
DIFF = (
    "--- a/app.py\n+++ b/app.py\n@@ -4,4 +4,4 @@ def load(path):\n     with open(path) as file:\n"
    f"         text = file.read()\n-{REMOVED}\n+    return eval(text)  # nosec B307\n"
    "--- a/tests/workers/test_app.py\n+++ b/tests/workers/test_app.py\n@@ -0,0 +1 @@\n+assert load('x') == 1\n"
)
DOCUMENTS = {
    hashlib.sha256(text.encode()).hexdigest(): text.encode()
    for text in (AFTER, DIFF, "assert load('x') == 1\n", "gone = 1\n")
}
NAMES = {content.decode(): name for name, content in DOCUMENTS.items()}
SUBJECT = Subject(
    title="Commit 12ab: faster loading of everything",
    diff=NAMES[DIFF],
    files=(
        FileChange(path="app.py", status="modified", after=NAMES[AFTER], changed=(LineRange(first=7, last=7),)),
        FileChange(path="tests/workers/test_app.py", status="added", after=NAMES["assert load('x') == 1\n"],
                   changed=(LineRange(first=1, last=1),)),
        FileChange(path="old.py", status="deleted", before=NAMES["gone = 1\n"]),
        FileChange(path="image.png", status="added", skipped="it is binary"),
        FileChange(path="elsewhere.py", status="modified", changed=(LineRange(first=50, last=52),)),
    ),
)  # fmt: skip
TEXTS = SubjectTexts(SUBJECT, DOCUMENTS.__getitem__)
REAL = "return eval(text)"


def said(title: str = "eval of text", **fields: Any) -> RaisedFinding:
    return RaisedFinding.model_validate({"title": title, "severity": "CRITICAL", **fields})


def raised(who: str = "bob", round_number: int = 1, **fields: Any) -> Raised:
    return Raised(who, round_number, said(**fields))


def at(path: str = "app.py", line: int = 7) -> Place:
    return Place(path=path, line=line)


def only(**fields: Any) -> tuple[Severity, str | None]:
    (checked,) = check_quotes([raised(**fields)], TEXTS)
    return checked.claim.finding.severity, checked.problem


# ---- quotations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "quote",
    [
        "return eval(text)",
        "return   eval( text )",
        "+    return eval(text)  # nosec B307",
        "-    return json.loads(text)\n+    return eval(text)",
        "return json.loads(text)",
        "with open(path) as file:\n    text = file.read()",
        "with open(path) ... return eval(text)",
        "with open(path)\n[…]\nreturn eval(text)",
        "`return eval(text)`",
        '"return eval(text)"',
        'NAME = "“특수문자”"',
        "NAME = \"'특수문자'\"".replace("'", '"'),
        "ｒｅｔｕｒｎ eval(text)",
        "sum(values) / len(values)",
        'hidden = "a<U+200B>b<U+202E>c"',
        'hidden = "abc"',
        'role = "admin"',
        'r\u043ele = "\u0430dmin<U+3164><U+FE01>"',
        "faster loading of everything",
        "assert load(’x’) == 1",
    ],
)
def test_a_quotation_is_found_whatever_its_form(quote: str) -> None:
    assert TEXTS.holds(quote), quote
    assert only(quote=quote) == (Severity.CRITICAL, None)


@pytest.mark.parametrize(
    "quote",
    [
        "return exec(text)",
        "return eval(text) ... with open(path)",
        "os.system(user_input)",
        "eval",
        "...",
        "",
        "file = open(path)",
        "def load(path): ... subprocess.run",
        "re...tu...rn",
        "de\u00abmasked:jwt:1\u00bbop\u00abmasked:jwt:2\u00bbas",
    ],
)
def test_what_is_not_there_or_says_nothing_is_not_found(quote: str) -> None:
    assert not TEXTS.holds(quote), quote
    assert only(quote=quote)[0] is Severity.INFO


def test_a_quotation_with_a_masked_secret_is_the_text_around_it() -> None:
    shown = mask(AFTER).text
    line = next(line for line in shown.split("\n") if "masked" in line)
    assert "hunter2" not in line
    assert TEXTS.holds(line)
    assert not TEXTS.holds(line.replace("password", "passphrase"))


@given(
    st.integers(0, len(AFTER) - 13), st.integers(12, 200), st.sampled_from(["", " ", "\n", "\t"])
)
def test_every_piece_of_the_subject_is_found_with_any_white_space(
    start: int, size: int, space: str
) -> None:
    piece = AFTER[start : start + size]
    spaced = space.join(piece.split(" ")) if space else piece
    if not too_short(piece):
        assert TEXTS.holds(spaced)


def test_a_slip_is_forgiven_only_at_the_place_that_is_named() -> None:
    slip = "return evall(text)  # nosec B307"
    assert only(quote=slip, place=at())[0] is Severity.CRITICAL
    assert only(quote=slip)[0] is Severity.INFO
    assert only(quote=slip, place=at(line=1))[0] is Severity.INFO


def test_a_short_quotation_counts_at_its_place_and_is_else_no_quotation() -> None:
    assert only(quote="eval", place=at())[1] is None
    (checked,) = check_quotes([raised(quote="exec", place=at())], TEXTS)
    assert checked.problem is None
    assert checked.claim.finding.quote is None
    assert only(quote="exec", severity="MINOR") == (Severity.MINOR, None)


# ---- claims -------------------------------------------------------------------------------------


def test_a_claim_with_an_invented_quotation_loses_severity_quotation_and_patch() -> None:
    (checked,) = check_quotes([raised(quote="os.system(cmd)", place=at(), patch="--- a\n")], TEXTS)
    finding = checked.claim.finding
    assert (finding.severity, finding.quote, finding.patch) == (Severity.INFO, None, None)
    assert finding.place == at()
    assert words(checked.problem) == (
        "CRITICAL by bob not counted: its quotation does not occur in the subject"
    )


@pytest.mark.parametrize(
    "place",
    [
        at("nowhere.py", 1),
        at(line=900),
        at("image.png", 1),
        at("old.py", 9),
        at("elsewhere.py", 900),
    ],
)
@pytest.mark.parametrize("severity", ["CRITICAL", "MINOR"])
def test_a_claim_that_quotes_nothing_and_names_no_place_of_the_change_loses_its_severity(
    place: Place, severity: str
) -> None:
    (checked,) = check_quotes([raised(place=place, severity=severity)], TEXTS)
    assert checked.claim.finding.severity is Severity.INFO
    assert checked.claim.finding.place is None
    assert f"{place.path}:{place.line}" in words(checked.problem)


@pytest.mark.parametrize(
    "place", [at(), at(line=1), at("./app.py"), at("old.py", 1), at("elsewhere.py", 45)]
)
def test_a_place_that_exists_is_evidence(place: Place) -> None:
    assert only(place=place) == (Severity.CRITICAL, None)


def test_without_any_evidence_grave_claims_fall_and_light_ones_stay() -> None:
    assert only()[0] is Severity.INFO
    assert only(severity="MAJOR")[0] is Severity.INFO
    assert only(severity="MINOR") == (Severity.MINOR, None)


def test_a_true_quotation_mends_a_wrong_place() -> None:
    (checked,) = check_quotes([raised(quote=REAL, place=at("app.py", 900))], TEXTS)
    assert checked.claim.finding.place == at("app.py", 7)
    assert checked.claim.finding.severity is Severity.CRITICAL
    (other,) = check_quotes([raised(quote=REAL, place=at("src/app.py", 3))], TEXTS)
    assert other.claim.finding.place == at("app.py", 7)
    merged = absorb_checked([raised(quote=REAL, place=at("app.py", 900))], (), TEXTS)
    assert words(merged.findings[0].caveat) == "placed where its quotation is, not at app.py:900"


def test_a_quotation_of_removed_lines_keeps_its_severity_wherever_it_is_placed() -> None:
    assert only(quote="return json.loads(text)", place=at("app.py", 900))[0] is Severity.CRITICAL


# ---- merging ------------------------------------------------------------------------------------


def test_an_unproven_claim_becomes_a_finding_without_weight_that_says_why() -> None:
    merged = absorb_checked([raised(quote="os.system(cmd)")], (), TEXTS)
    (finding,) = merged.findings
    assert is_unproven(finding)
    assert weighty(merged.findings) == ()
    assert merged.new == 0
    assert [line.participant for line in merged.stances] == ["bob"]


def test_an_unproven_claim_joins_what_others_prove_and_takes_nothing_from_it() -> None:
    proven = raised("alice", quote=REAL, place=at(), severity="MAJOR")
    unproven = raised("bob", quote="os.system(text)", place=at(), patch="--- a\n+++ b\n")
    for order in ([proven, unproven], [unproven, proven]):
        (finding,) = absorb_checked(order, (), TEXTS).findings
        assert finding.severity is Severity.MAJOR
        assert finding.quote == REAL
        assert finding.patch is None
        assert set(finding.raised_by) == {"alice", "bob"}
        assert "CRITICAL by bob not counted" in words(finding.caveat)
        assert not is_unproven(finding)


def test_a_claim_that_is_proved_later_regains_its_weight_and_counts_as_new_then() -> None:
    first = absorb_checked([raised(quote="os.system(cmd)", place=at())], (), TEXTS)
    again = absorb_checked(
        [raised("alice", 3, quote=REAL, place=at(), severity="MAJOR")], first.findings, TEXTS
    )
    (finding,) = again.findings
    assert finding.id == "F1"
    assert finding.severity is Severity.MAJOR
    assert finding.quote == REAL
    assert again.new == 1
    assert weighty(again.findings) == again.findings


def test_proven_claims_are_merged_as_ever() -> None:
    merged = absorb_checked(
        [raised("alice", quote=REAL, place=at()), raised("bob", quote=REAL, place=at())], (), TEXTS
    )
    assert len(merged.findings) == merged.new == 1
    assert merged.findings[0].caveat is None


# ---- denials ------------------------------------------------------------------------------------


def finding(severity: str = "CRITICAL", place: Place | None = None) -> Finding:
    return Finding(
        id="F1", title="eval", detail="", severity=Severity(severity), category="general",
        place=place or at(), raised_by=("alice",), raised_in_round=1,
    )  # fmt: skip


def judged(
    position: Position,
    who: str = "bob",
    severity: str = "CRITICAL",
    place: Place | None = None,
    **fields: Any,
) -> Stance:
    line = Stance(
        round=2, participant=who, role="rebuttal", finding="F1", position=position, **fields
    )
    (kept,) = check_stances([line], [finding(severity, place)], TEXTS, {"rules"})
    return kept


def test_a_denial_without_a_true_quotation_is_an_abstention_that_says_so() -> None:
    attempts: tuple[dict[str, Any], ...] = (
        {"reason": "it is fine"},
        {"reason": "see", "quote": "os.system(x)"},
        {"quote": REAL},
    )
    for fields in attempts:
        kept = judged(Position.DISAGREE, **fields)
        assert kept.position is Position.ABSTAIN
        assert kept.reason.startswith(f"[disagree not counted: {UNPROVEN_DENIAL}]")
        assert kept.reason.endswith(fields.get("reason", ""))


def test_a_denial_with_reason_and_true_quotation_counts() -> None:
    kept = judged(Position.DISAGREE, reason="it is checked before", quote="with open(path) as file")
    assert kept.position is Position.DISAGREE


def test_nobody_withdraws_for_another() -> None:
    assert judged(Position.WITHDRAW, reason="no").position is Position.ABSTAIN
    assert judged(Position.WITHDRAW, reason="no", quote=REAL).position is Position.DISAGREE
    assert judged(Position.WITHDRAW, severity="MINOR").position is Position.DISAGREE


def test_a_raiser_may_give_up_its_own_finding_and_light_findings_need_no_proof() -> None:
    assert judged(Position.WITHDRAW, "alice").position is Position.WITHDRAW
    assert judged(Position.DISAGREE, "alice").position is Position.DISAGREE
    assert judged(Position.DISAGREE, severity="MINOR").position is Position.DISAGREE


@pytest.mark.parametrize("position", [Position.AGREE, Position.PARTIAL, Position.ABSTAIN])
def test_other_positions_are_never_touched(position: Position) -> None:
    assert judged(position).position is position


@pytest.mark.parametrize(
    ("reason", "place", "position"),
    [
        ("[suppressed] The line says so.", at(line=7), Position.DISAGREE),
        ("[suppressed] The line says so.", at(line=5), Position.ABSTAIN),
        ("[test-code] An assert.", at("tests/workers/test_app.py", 1), Position.DISAGREE),
        ("[test-code] An assert.", at(line=7), Position.ABSTAIN),
        ("[unchanged-line] Not touched.", at(line=1), Position.DISAGREE),
        ("[unchanged-line] Not touched.", at(line=7), Position.ABSTAIN),
        ("[because] I say so.", at(line=7), Position.ABSTAIN),
        ("no rule at all", at(line=7), Position.ABSTAIN),
    ],
)
def test_a_rule_is_a_ground_when_code_finds_that_it_holds(
    reason: str, place: Place, position: Position
) -> None:
    assert judged(Position.DISAGREE, "rules", place=place, reason=reason).position is position


def test_a_model_that_cites_a_rule_has_no_ground() -> None:
    assert judged(Position.DISAGREE, "bob", reason="[suppressed] x").position is Position.ABSTAIN


def test_a_subject_without_its_documents_is_read_only_where_something_is_claimed() -> None:
    def missing(name: str) -> bytes:
        raise AssertionError(f"{name} was read for nothing")

    texts = SubjectTexts(SUBJECT, missing)
    assert absorb_checked([], (), texts).findings == ()
    assert check_quotes([raised(severity="MINOR")], texts)[0].problem is None
