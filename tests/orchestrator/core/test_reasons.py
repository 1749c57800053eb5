"""Whether a reason says what its position says, in English and Korean."""

from __future__ import annotations

import time

import pytest

from orchestrator.core.findings.reasons import believed, contradicts, gives_no_reason, not_believed
from shared.models.findings import Finding, Position, Severity, Stance

AGREE, PARTIAL, DISAGREE = Position.AGREE, Position.PARTIAL, Position.DISAGREE
WITHDRAW, ABSTAIN = Position.WITHDRAW, Position.ABSTAIN

# What an "agree" cannot mean: there is a defect.
DENIALS = """
this is wrong, the code is fine
The finding is incorrect: the size is bounded two lines above.
This is a false positive.
Not a bug: the list is never empty here.
There is no problem here.
I disagree, the loop ends where it should.
I do not agree with this.
The claim does not hold.
This objection is unfounded; the plan is sound.
The code works as intended.
Nothing is wrong with this function.
No change is needed.
It should not be changed.
The reviewer is mistaken: the lock is taken by the caller.
It is not true that the file stays open.
That is not a defect but a matter of taste.
The handling is correct, both branches return.
The point sounds good in theory, but the code is correct as it is.
The check isn't missing, the implementation is complete.
The reported problem does not exist.
There is no need to fix anything.
이 지적은 틀렸습니다. 코드는 정상입니다.
결함으로 보기 어렵습니다.
This concern is unjustified.
타당하지 않은 지적입니다.
결함이 존재하지 않습니다.
결함이 아닙니다.
오탐입니다.
문제가 없습니다.
이 부분은 문제없습니다.
동의하지 않습니다. 구현이 올바릅니다.
동의할 수 없습니다.
의도된 동작입니다.
수정할 필요가 없습니다.
지적이 사실과 다릅니다.
주장이 타당하지 않습니다.
버그라고 볼 수 없습니다.
지적은 그럴듯하지만 코드는 정상적으로 동작합니다.
반대합니다. 이 코드는 안전합니다.
""".strip().splitlines()

# What a "disagree" or a "withdraw" cannot mean: there is none.
ASSERTIONS = """
You are right, this must be fixed.
The finding is correct.
I agree, this is a real bug.
Agreed.
Yes, this is a defect.
This is a serious vulnerability and has to be addressed.
The claim holds: the index runs past the end.
The reviewer is right, the file stays open.
Good catch, the result is lost.
I can confirm it.
I concede the point.
It needs to be fixed.
The objection is valid, nobody releases the lock.
There is a bug in the second branch.
This is not a false alarm; the finding is right.
The reviewer has a point; we need to fix the loop.
여전히 결함이라고 생각합니다.
옳은 지적이므로 수정하겠습니다.
지적이 맞습니다.
버그입니다. 고쳐야 합니다.
동의합니다. 결함이 맞습니다.
타당한 지적입니다. 수정이 필요합니다.
맞습니다, 값이 사라집니다.
이 지적에 동의합니다.
인정합니다. 수정해야 합니다.
결함이 있습니다.
""".strip().splitlines()

# What supports a claim and sounds like a denial: reasons full of negations.
TRUE_SUPPORT = """
this is wrong
This is wrong: the last element is left out.
The input is not validated.
There is no null check before the access.
No error is raised when the file does not exist.
The code is not safe for two threads.
The call never returns when the queue is empty.
It does not work as intended.
The author says the code is fine, but it crashes on an empty list.
The author claims that this is not a bug.
I disagree with the author: the lock is never released.
Although the code is fine on Linux, it fails on Windows.
The check is missing.
The value is not correct for negative sizes.
Not only the code, the test is wrong, too.
It looks like a false positive, but the finding is correct.
If the list is never empty there is no problem, and it can be empty.
Is this not a bug? It reads past the end.
The finding is valid.
The test is fine, the production code is not.
The function is correct for n > 0 and overflows for n = 0.
This should be fixed.
Without a limit anyone can exhaust the memory.
The plan has no rollback.
The finding's line is wrong, the defect is at line 90.
null 검사가 없습니다.
입력을 검증하지 않습니다.
이 코드는 안전하지 않습니다.
오류 처리가 없습니다.
파일을 닫지 않아 누수가 생깁니다.
작성자는 문제가 없다고 주장하지만 빈 목록에서 실패합니다.
문제가 없다고 볼 수 없습니다.
틀린 값이 반환됩니다.
정상적으로 동작하지 않습니다.
코드가 올바르지 않습니다.
결함이 아니라면 왜 예외가 납니까?
지적이 맞습니다.
이것은 잘못되었습니다.
""".strip().splitlines()

TRUE_DENIAL = """
The code is fine.
This is a false positive.
It is a problem of the caller, not of this change.
The value is already checked two lines above.
This should be fixed in another change; here it is out of scope.
The concern is right in theory, but the branch is unreachable.
I agree that it looks odd, but the result is correct.
The critic says this must be fixed, but the loop is bounded.
No: the list cannot be empty.
It is not wrong.
This is correct.
It is only a matter of taste.
I withdraw it, the lock is taken by the caller.
The reviewer believes this is a bug.
It would be a bug if the list were empty.
Is it a bug?
결함이 아닙니다.
이미 위에서 확인했습니다.
다른 변경에서 수정해야 합니다.
작성자 말이 맞다고 하지만 지적은 틀렸습니다.
지적은 일리가 있지만 코드는 정상입니다.
호출자가 보장하므로 문제가 되지 않습니다.
철회합니다. 잠금은 호출자가 잡습니다.
버그라면 테스트가 실패했을 것입니다.
""".strip().splitlines()


@pytest.mark.parametrize("reason", DENIALS)
def test_a_denial_contradicts_agreement_and_nothing_else(reason: str) -> None:
    assert contradicts(AGREE, reason)
    assert not contradicts(DISAGREE, reason)
    assert not contradicts(WITHDRAW, reason)


@pytest.mark.parametrize("reason", ASSERTIONS)
def test_an_assertion_contradicts_denials_and_nothing_else(reason: str) -> None:
    assert contradicts(DISAGREE, reason)
    assert contradicts(WITHDRAW, reason)
    assert not contradicts(AGREE, reason)


@pytest.mark.parametrize("reason", TRUE_SUPPORT)
def test_a_reason_for_a_defect_supports_agreement_whatever_it_negates(reason: str) -> None:
    assert not contradicts(AGREE, reason)


@pytest.mark.parametrize("reason", TRUE_DENIAL)
def test_a_reason_against_a_defect_supports_a_denial(reason: str) -> None:
    assert not contradicts(DISAGREE, reason)


@pytest.mark.parametrize("reason", [*DENIALS, *ASSERTIONS])
def test_who_agrees_in_part_or_abstains_contradicts_nothing(reason: str) -> None:
    assert not contradicts(PARTIAL, reason)
    assert not contradicts(ABSTAIN, reason)


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("The input is not validated", "The input is validated."),
        ("The lock is released", "The lock is not released."),
        ("입력이 검증되지 않음", "입력이 검증됨."),
    ],
)
def test_the_opposite_of_the_claim_in_its_own_words_contradicts_agreement(
    title: str, reason: str
) -> None:
    assert contradicts(AGREE, reason, title)
    assert not contradicts(DISAGREE, reason, title)


def test_repeating_the_claim_contradicts_a_denial() -> None:
    title = "The input is not validated"
    assert contradicts(DISAGREE, "The input is not validated.", title)
    assert not contradicts(AGREE, "The input is not validated.", title)
    assert not contradicts(AGREE, "The input should be validated.", title)


@pytest.mark.parametrize(
    "reason",
    ["[conceded] No rule defends this place.", "[suppressed] The line says that it is no problem."],
)
def test_what_was_computed_is_checked_elsewhere(reason: str) -> None:
    assert not contradicts(AGREE, reason)
    assert not contradicts(DISAGREE, reason)


@pytest.mark.parametrize(
    "reason",
    ["", "  ", "Agreed.", "I agree with this finding.", "Yes, correct.", "+1", "LGTM", "Same as above.",
     "동의합니다.", "네, 맞습니다.", "위와 같은 의견입니다.", "저도 동의합니다", "...", "I disagree."],
)  # fmt: skip
def test_saying_yes_once_more_is_no_reason(reason: str) -> None:
    assert gives_no_reason(reason)


@pytest.mark.parametrize(
    "reason",
    ["x y z", "the loop", "The index runs past the end.", "위험합니다", "이메일이 노출됩니다.", "line 88",
     "동의합니다. 파일이 닫히지 않습니다.", "I agree: nobody closes it.", "[conceded] No rule defends this place."],
)  # fmt: skip
def test_anything_of_substance_is_one(reason: str) -> None:
    assert not gives_no_reason(reason)


def line(position: Position, reason: str) -> Stance:
    return Stance(
        round=3, participant="a", role="critique", finding="F1", position=position, reason=reason
    )


def test_a_position_against_its_own_reason_is_an_abstention_that_says_so() -> None:
    finding = Finding(
        id="F1",
        title="The input is not validated",
        detail="",
        severity=Severity.MAJOR,
        category="general",
        raised_by=("b",),
        raised_in_round=1,
    )
    lines = (line(AGREE, "this is wrong, the code is fine"), line(AGREE, "nobody validates it"))

    doubted, kept = believed(lines, [finding])

    assert (doubted.position, not_believed(doubted)) == (ABSTAIN, True)
    assert "agree not counted: its reason says the opposite" in doubted.reason
    assert doubted.reason.endswith("this is wrong, the code is fine")
    assert (kept, not_believed(kept)) == (lines[1], False)
    assert believed((doubted,), [finding]) == (doubted,)


def test_a_hostile_reason_costs_little() -> None:
    hostile = "the finding is not " * 50_000 + "지적은 " * 50_000
    began = time.process_time()
    contradicts(AGREE, hostile, "The finding " * 30)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "reason",
    [
        "Agreed, good catch.",
        "I have reviewed this finding and I share the reviewer's assessment.",
        "Well spotted, that makes sense to me.",
        "Thanks for raising this; a valid concern.",
        "I looked at it and came to the same conclusion.",
        "Nothing to add from my side.",
        "네, 좋은 지적입니다. 동의합니다.",
        "잘 짚으셨습니다. 저도 같은 생각입니다.",
        "검토했고 이견 없습니다.",
        "말씀하신 대로입니다.",
        "타당한 우려라고 판단합니다.",
    ],
)
def test_praise_and_talk_about_the_finding_give_no_reason(reason: str) -> None:
    assert gives_no_reason(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Good catch: len is never clamped.",
        "I looked at line 40 and agree.",
        "Agreed, the lock is released too early.",
        "Reproduced.",
        "It leaks the handle.",
        "좋은 지적입니다. 길이를 검사하지 않습니다.",
        "검토해 보니 40행에서 락이 풀립니다.",
        "동의합니다. 재현됩니다.",
    ],
)
def test_what_is_said_of_the_code_is_a_reason(reason: str) -> None:
    assert not gives_no_reason(reason)
