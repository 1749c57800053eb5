"""What is said of a finding: why, what to do, who carries it, who does not and why."""

from dataclasses import replace

import pytest

from orchestrator.core.document import plain
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.formats.markdown import render as markdown
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, FindingStatus, Position, Severity, Stance
from shared.models.outcomes import RunStatus, Verdict
from shared.models.panel import Panel, Participant
from tests.support.reports import make_finding, make_report, make_spec, make_step


def reviewed(*findings: Finding, author: str = "author", **changes: object) -> RunReport:
    """A review by ruff, bandit and claude, three voices; somebody else answers for the author."""
    spec = make_spec()
    panel = Panel(
        critics=tuple(
            critic.model_copy(update={"family": critic.name}) for critic in spec.panel.critics
        ),
        author=Participant(name=author, provider="scripted"),
        chair=spec.panel.chair,
    )
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=findings)
    run = replace(report.run, spec=spec.model_copy(update={"panel": panel}).model_dump(mode="json"))
    return replace(report, run=run, **changes)


def by_rules(*findings: Finding) -> RunReport:
    """A review by analysers alone."""
    spec = make_spec()
    rules = Participant(name="rules", provider="rules")
    critics = tuple(
        Participant(name=name, provider="analyser", tool=name) for name in ("ruff", "bandit")
    )
    panel = Panel(critics=critics, author=rules, chair=rules)
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=findings)
    run = replace(report.run, spec=spec.model_copy(update={"panel": panel}).model_dump(mode="json"))
    return replace(report, run=run)


def text_of(report: RunReport, most: int | None = 5, width: int | None = None) -> str:
    return plain(result_lines(report, words=ENGLISH, max_findings=most, width=width))


def stance(who: str, position: Position, reason: str, number: int = 3, **more: object) -> Stance:
    return Stance(
        **{
            "round": number,
            "participant": who,
            "role": "critique",
            "finding": "F1",
            "position": position,
            "reason": reason,
            **more,
        }
    )


def test_a_finding_says_why_what_to_do_and_who_carries_it():
    text = text_of(reviewed(make_finding(suggestion="Pass a list.")))
    assert "    A name reaches a shell.\n    Suggestion: Pass a list.\n" in text
    assert "    For: bandit, claude (2 of 3)\n" in text


def test_whoever_does_not_share_a_finding_is_named_with_the_last_reason():
    finding = make_finding(
        raised_by=("bandit", "ruff"),
        stances={
            "bandit": Position.AGREE,
            "ruff": Position.WITHDRAW,
            "claude": Position.DISAGREE,
            "author": Position.DISAGREE,
        },
        status=FindingStatus.CONTESTED,
    )
    ledger = (
        stance("ruff", Position.AGREE, "raised it", 1),
        stance("claude", Position.DISAGREE, "Said first.", 1),
        stance("author", Position.DISAGREE, "It is quoted.", 2, role="rebuttal"),
        stance("claude", Position.DISAGREE, "The name is checked."),
        stance("ruff", Position.WITHDRAW, "Right."),
        stance("claude", Position.DISAGREE, "Of another finding.", finding="F2"),
    )
    text = text_of(reviewed(finding, ledger=ledger))
    assert "    For: bandit (1 of 3)\n" in text
    assert "    Against: ruff (took it back): Right.\n" in text
    assert "    Against: claude: The name is checked.\n" in text
    assert "    Against: author (author): It is quoted.\n" in text
    assert "Said first" not in text


def test_who_agrees_in_part_and_what_the_author_concedes_is_said():
    positions = {"claude": Position.PARTIAL, "author": Position.AGREE}
    text = text_of(reviewed(make_finding(stances=positions)))
    assert "    For: bandit, claude (in part) (2 of 3); author (author) agrees\n" in text


def test_copies_of_one_model_are_one_voice_of_which_no_ratio_is_told():
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),)))
    assert "For: bandit, claude (2 of 3)" in text
    report = reviewed(make_finding())
    panel = report.spec.panel
    copies = tuple(critic.model_copy(update={"family": "one"}) for critic in panel.critics)
    spec = report.spec.model_copy(update={"panel": panel.model_copy(update={"critics": copies})})
    alike = replace(report, run=replace(report.run, spec=spec.model_dump(mode="json")))
    assert "    For: bandit, claude\n" in text_of(alike)
    assert "(1/1" not in text_of(alike)
    assert "| for | against |" in markdown(alike, ENGLISH)  # a debate still, no list of rules


@pytest.mark.parametrize("raiser", [None, *Position])
@pytest.mark.parametrize("other", [None, *Position])
@pytest.mark.parametrize("author", [None, *Position])
def test_support_counts_exactly_the_supporters_and_nobody_who_is_against(raiser, other, author):
    said = {"bandit": raiser, "claude": other, "author": author}
    stances = {name: position for name, position in said.items() if position is not None}
    (finding,) = as_json(reviewed(make_finding(stances=stances)))["findings"]
    assert finding["support"] == len(finding["supporters"])
    against = {
        row["participant"]
        for row in finding["positions"]
        if row["position"] in ("disagree", "withdraw")
    }
    assert not against & set(finding["supporters"])
    assert set(finding["opponents"]) == against - {"author"}
    assert "author" not in finding["supporters"]


def test_positions_come_with_the_reason_that_was_given():
    finding = make_finding(stances={"bandit": Position.AGREE, "claude": Position.DISAGREE})
    ledger = (stance("claude", Position.DISAGREE, "The name is checked."),)
    (shown,) = as_json(reviewed(finding, ledger=ledger))["findings"]
    assert shown["positions"] == [
        {"participant": "bandit", "is_critic": True, "position": "agree", "reason": ""},
        {
            "participant": "claude",
            "is_critic": True,
            "position": "disagree",
            "reason": "The name is checked.",
        },
    ]


def test_on_a_terminal_nothing_is_broken_within_a_word():
    finding = make_finding(
        title="An inconvenient deserialisation of untrustworthy configuration values",
        detail="Somebody deserialises untrustworthy configuration values " * 5,
        suggestion="Validate the configuration before it is deserialised.",
    )
    for width in (40, 60, 80, 120):
        lines = text_of(reviewed(finding), width=width).splitlines()
        assert max(map(len, lines)) <= width
        words = " ".join(lines).split()
        assert set(" ".join((finding.title, finding.detail)).split()) <= set(words)


def test_rules_alone_make_one_list_of_one_line_each_and_no_debate():
    findings = [
        make_finding(f"F{n}", severity=Severity.MINOR, place={"path": "a.py", "line": n})
        for n in (1, 2)
    ]
    text = text_of(by_rules(*findings))
    assert text.splitlines()[:3] == [
        "NEEDS_FIX · 2 findings: 2 MINOR · 12.3 s",
        "a.py:1: MINOR bandit/B602 Shell injection F1",
        "a.py:2: MINOR bandit/B602 Shell injection F2",
    ]
    for theatre in ("Convergence", "Synthesis", "round", "debate", "agreed", "For:", "1/1"):
        assert theatre not in text


def again(number: int, **changes: object) -> Finding:
    return make_finding(f"R{number}F1", raised_in_round=1, **changes)


def test_what_a_later_review_raises_again_is_one_entry_and_counted_once():
    first, moved = make_finding("F1"), again(2, place={"path": "app.py", "line": 40})
    steps = (make_step("critique/1/ruff"),)
    text = text_of(reviewed(first, moved, steps=steps))
    assert text.startswith("NEEDS_FIX · 1 finding: 1 CRITICAL · ")
    assert text.count("Shell injection") == 1
    assert "(2/3, raised again as R2F1) F1" in text
    assert "rejected" not in text


def test_another_defect_of_a_later_review_and_one_that_was_mended_stay_entries_of_their_own():
    other = again(2, title="Division by zero", detail="n may be 0", rule=None)
    assert text_of(reviewed(make_finding(), other)).startswith("NEEDS_FIX · 2 findings")
    elsewhere = again(2, place={"path": "b.py", "line": 9})
    assert text_of(reviewed(make_finding(), elsewhere)).startswith("NEEDS_FIX · 2 findings")
    report = reviewed(make_finding(), again(2))
    outcome = {**report.run.outcome, "detail": {"standing": ["R2F1"]}}
    mended = replace(report, run=replace(report.run, outcome=outcome))
    assert text_of(mended).startswith("NEEDS_FIX · 1 finding: 1 CRITICAL; 1 fixed · ")


def test_a_run_that_goes_on_counts_nothing_before_the_first_round_is_judged():
    text = text_of(make_report(RunStatus.RUNNING, ending=None))
    assert "no findings" not in text.splitlines()[0]
