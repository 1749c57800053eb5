"""The text that a person reads."""

from dataclasses import replace

from orchestrator.core.document import Patch
from orchestrator.core.lines import plain
from orchestrator.presentation.formats.text import as_lines, question_lines, result_lines
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.warning_lines import gathered
from shared.models.assessment import Recommendation
from shared.models.findings import FindingStatus, Severity
from shared.models.notices import notice, sentences, verbatim
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.notices import words
from tests.support.reports import (
    PATCH,
    make_assessment,
    make_decision,
    make_finding,
    make_report,
    make_step,
)


def text_of(report, language: str = "en", max_findings: int | None = 5) -> str:
    return plain(result_lines(report, words=Translator(language), max_findings=max_findings))


def test_the_first_line_holds_verdict_counts_and_time_and_the_next_the_convergence():
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),)))
    first, second = text.splitlines()[:2]
    assert first == "NEEDS_FIX · 1 finding: 1 CRITICAL · 12.3 s"
    assert second == "  Convergence: 0.82 · converged · 1 round"


def test_a_finding_is_one_line_with_place_severity_rule_title_and_support():
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),)))
    assert "app.py:9: CRITICAL bandit/B602 Shell injection (2/3) F1\n" in text


def test_a_title_of_many_lines_with_escapes_stays_one_harmless_line():
    hostile = make_finding(title="a\x1b[2J\nb\r\u202ec")
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(hostile,)))
    assert "CRITICAL bandit/B602 a bc (2/3) F1\n" in text
    assert "\x1b" not in text


def test_the_worst_findings_come_first_and_the_rest_is_counted():
    minor = [make_finding(f"F{n}", severity=Severity.MINOR) for n in range(1, 8)]
    worst = make_finding("F8", severity=Severity.CRITICAL)
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(*minor, worst)))
    findings = [one for one in text.splitlines() if one.startswith("app.py")]
    assert len(findings) == 5
    assert findings[0].endswith("F8")
    assert "and 3 more findings: --all shows them" in text
    everything = text_of(
        make_report(verdict=Verdict.NEEDS_FIX, findings=(*minor, worst)), max_findings=None
    )
    assert everything.count("app.py:9") == 8


def test_a_claim_of_one_that_shows_nothing_is_marked_and_makes_room_for_the_others():
    words = {"title": "Doubtful", "detail": "", "rule": None, "place": {"path": "b.py", "line": 3}}
    alone = make_finding("F1", raised_by=("ruff",), stances={}, **words)
    shared = [make_finding(f"F{n}", severity=Severity.MINOR) for n in range(2, 7)]
    lines = text_of(
        make_report(verdict=Verdict.NEEDS_FIX, findings=(alone, *shared)), max_findings=6
    ).splitlines()
    findings = [one for one in lines if ".py:" in one]
    assert findings[-1] == "b.py:3: CRITICAL Doubtful (1/3, weak) F1"
    assert not any("weak" in one for one in findings[:-1])


def test_another_wording_of_a_finding_further_up_names_it():
    words = {"rule": None, "place": None}
    first = make_finding("F1", **words)
    again = make_finding("F2", raised_by=("ruff",), stances={}, **words)
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(first, again)))
    assert "Shell injection (2/3) F1\n" in text
    assert "Shell injection (1/3, like F1) F2\n" in text


def test_what_the_panel_rejected_is_counted_and_not_listed():
    rejected = make_finding("F2", status=FindingStatus.REJECTED, title="Nonsense")
    text = text_of(make_report(verdict=Verdict.APPROVED, findings=(rejected,)))
    assert "Nonsense" not in text
    assert "1 raised and rejected by the panel" in text


def test_a_mended_finding_says_so_and_comes_last():
    detail = {"standing": ["F2"]}
    findings = (make_finding("F1"), make_finding("F2", severity=Severity.MINOR))
    lines = text_of(
        make_report(verdict=Verdict.NEEDS_FIX, findings=findings, detail=detail)
    ).splitlines()
    assert lines[0].startswith("NEEDS_FIX · 1 finding: 1 MINOR; 1 fixed · ")
    first, last = [line for line in lines if line.startswith("app.py")]
    assert first.endswith("F2")
    assert "(2/3, fixed) F1" in last


def test_an_absence_is_loud():
    steps = (make_step("critique/1/ruff"), make_step("critique/1/bandit", "failed"))
    text = text_of(make_report(RunStatus.RUNNING, ending=None, steps=steps))
    assert "⚠ bandit abstained in round 1 (1/2 answered): timeout: no answer within 300 s" in text


def test_a_run_that_goes_on_is_not_called_approved():
    text = text_of(make_report(RunStatus.RUNNING, ending=None))
    assert text.startswith("still running · 12.3 s\n  Convergence: not assessed yet")
    assert "APPROVED" not in text


def test_a_run_whose_turn_has_not_come_is_not_called_running():
    text = text_of(make_report(RunStatus.QUEUED, ending=None))
    assert text.startswith("queued: it starts when its turn comes · ")


def test_an_open_decision_says_how_to_answer_and_until_when():
    report = make_report(
        RunStatus.WAITING, findings=(make_finding(),), decisions=(make_decision(),)
    )
    text = text_of(report)
    assert "answer with: quorate decide rabc apply_fix|skip" in text
    assert "until 2026-11-21 10:00 UTC, then: skip" in text
    assert "Mends F1: all that was found." in text


def test_the_question_shows_the_exact_patch_and_what_cannot_be_fixed():
    good = {"findings": ["F1"], "patch": PATCH, "source": "claude"}
    problem = {"findings": ["F2"], "patch": "", "source": "x", "problem": "it does not apply"}
    fixes = {"fixes": [good, problem], "patch": PATCH}
    other = make_finding("F2", rule=None, place=None, title="Other", detail="A lock stays.")
    report = make_report(
        RunStatus.WAITING,
        findings=(make_finding(), other),
        decisions=(make_decision(fixes=fixes),),
    )
    text = plain(question_lines(report, ENGLISH))
    assert text.startswith("NEEDS_FIX · 2 findings: 2 CRITICAL · ")
    assert PATCH in text
    assert "Mends F1; leaves F2.\n  - Fixes F1, written by claude\n" in text
    assert "⚠ the patch by x for F2 cannot be used: it does not apply" in text


def test_korean_messages_are_korean():
    report = make_report(verdict=Verdict.NEEDS_FIX, ending=Ending.STALLED, findings=())
    text = text_of(report, language="ko")
    assert text.startswith("NEEDS_FIX · 지적 사항 없음 · 12.3초\n  수렴도: 0.82 · 교착 · 1라운드")
    assert "지적 사항 없음" in text


def test_the_state_of_a_finding_is_told_in_the_readers_language():
    caveat = sentences(notice("quote_not_in_subject"), notice("placed_at_quote", place="a.py:3"))
    findings = (
        make_finding("F1", status=FindingStatus.CONTESTED, caveat=caveat),
        make_finding("F2", status=FindingStatus.UNDECIDED, rule=None, place=None, title="Other"),
    )
    detail = {"standing": ["F1"]}
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=findings, detail=detail)
    korean = text_of(report, language="ko")
    assert (
        "(2/3, 이견 있음) F1 [인용한 문구가 대상에 없음; a.py:3 대신 인용이 있는 곳에 둠]" in korean
    )
    assert "(2/3, 수정됨) F2" in korean
    assert f"(2/3, contested) F1 [{words(caveat)}]" in text_of(report)


def test_every_status_of_a_finding_has_a_word_in_both_languages():
    for status in FindingStatus:
        assert ENGLISH.message(f"finding_{status.value}") == status.value
        assert Translator("ko").message(f"finding_{status.value}") != status.value


def test_the_gate_is_explained():
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), fail_on=Severity.MAJOR
    )
    assert "Gate tripped: F1 at MAJOR or worse\n" in text_of(report)


def test_every_ending_and_every_recommendation_has_a_word_in_both_languages():
    for how in (*Ending, *Recommendation):
        assert ENGLISH.message(f"how_{how.value}") == how.value
        assert Translator("ko").message(f"how_{how.value}") != how.value


def test_what_happened_in_several_rounds_is_one_warning():
    late = [
        notice(
            "absent_in",
            who="ada",
            where=notice("in_round", round=number),
            answered=1,
            asked=2,
            why=verbatim("no answer"),
        )
        for number in (1, 2, 4)
    ]
    told = [late[0], verbatim("bob is new"), *late[1:]]
    assert gathered(told, ENGLISH) == [f"{words(late[0])} (also in rounds 2, 4)", "bob is new"]
    assert gathered(late[:2], Translator("ko"))[0].endswith("no answer (2라운드에도)")


def test_a_review_that_was_debated_says_whether_it_helped():
    spent = {"turns": 2, "failed": 0, "tokens": 10, "cost_usd": 0.25}
    receipt = {
        "helped": "confirmed",
        "first_votes_blind": True,
        "first_round": spent,
        "debate": spent,
    }
    rounds = (make_assessment(number=1), make_assessment(Ending.CONVERGED, 2))
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),))
    assert report.run.outcome is not None
    detail = {**report.detail, "receipt": receipt}
    run = replace(report.run, outcome={**report.run.outcome, "detail": detail})
    said = "Did the debate help? It confirmed the first vote; nobody changed their mind."
    shown = plain(
        result_lines(replace(report, run=run, assessments=rounds), words=ENGLISH, max_findings=5)
    )
    assert f"{said} (cost of the debate: $0.25" in shown
    undebated = replace(report, run=run, assessments=rounds[1:])
    assert "debate" not in plain(result_lines(undebated, words=ENGLISH, max_findings=5))


def test_a_debate_in_which_a_vote_changed_does_not_say_that_nobody_changed_their_mind():
    spent = {"turns": 2, "failed": 0, "tokens": 10, "cost_usd": 0.25}
    vote = {"participant": "claude", "from": "APPROVED", "to": "NEEDS_FIX", "round": 2}
    receipt = {
        "helped": "confirmed",
        "first_votes_blind": True,
        "first_votes": {"bandit": "NEEDS_FIX", "claude": "APPROVED"},
        "last_votes": {"bandit": "NEEDS_FIX", "claude": "NEEDS_FIX"},
        "changed_votes": [{**vote, "evidence": "none"}],
        "first_round": spent,
        "debate": spent,
    }
    rounds = (make_assessment(number=1), make_assessment(Ending.CONVERGED, 2))
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail={"receipt": receipt}
    )
    whole = replace(report, assessments=rounds)
    for shown in (
        plain(result_lines(whole, words=ENGLISH, max_findings=5)),
        plain(result_lines(whole, words=ENGLISH, max_findings=None)),
    ):
        assert "nobody changed" not in shown
        assert "It confirmed the first vote, after some had changed their mind." in shown


def test_a_patch_that_nobody_applied_would_mend_and_has_no_heading_where_it_is_not_shown():
    good = {"findings": ["F1"], "patch": PATCH, "source": "claude"}
    fixes = {"fixes": [good], "patch": PATCH}
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail={"fixes": fixes}
    )
    short = plain(result_lines(report, words=ENGLISH, max_findings=5))
    assert "── Patch" not in short
    assert "\nThe patch would mend F1: all that was found.\n" in short
    whole = plain(result_lines(report, words=ENGLISH, max_findings=None))
    assert "── Patch\nThe patch would mend F1: all that was found.\n" in whole
    assert PATCH in whole


def test_a_patch_at_a_terminal_names_each_file_once_and_shortens_its_hashes():
    rows = f"diff --git a/app.py b/app.py\nindex {'a' * 40}..{'b' * 40} 100644\n"
    patch = Patch(f"{rows}--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-bad\n+good\n")

    shown = plain(as_lines([patch], 80)).splitlines()

    assert shown[:2] == ["diff --git a/app.py", "index aaaaaaa..bbbbbbb 100644"]
    assert plain(as_lines([patch])) == patch.text
