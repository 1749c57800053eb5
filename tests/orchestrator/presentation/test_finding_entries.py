"""What is said of a finding: why, what to do, who carries it, who does not and why."""

from dataclasses import replace

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.formats.html import render as html_page
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.formats.markdown import render as markdown
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, FindingStatus, Place, Position, Severity, Stance
from shared.models.outcomes import RunStatus, Verdict
from shared.models.panel import Panel, Participant
from shared.models.rows import StepRow
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


def test_a_family_whose_members_disagree_is_nobodys_voice():
    report = reviewed(
        make_finding(stances={"bandit": Position.AGREE, "claude": Position.DISAGREE}),
    )
    panel = report.spec.panel
    families = {"ruff": "one", "bandit": "two", "claude": "two"}
    critics = tuple(c.model_copy(update={"family": families[c.name]}) for c in panel.critics)
    spec = report.spec.model_copy(update={"panel": panel.model_copy(update={"critics": critics})})
    divided = replace(report, run=replace(report.run, spec=spec.model_dump(mode="json")))
    told = "For: bandit (0 of 2 independent voices); bandit, claude are one voice, and divided\n"
    assert told in text_of(divided)
    assert "(0/2" in text_of(divided)
    (finding,) = as_json(divided)["findings"]
    assert (finding["supporters"], finding["voices"]) == (["bandit"], 0)


def with_analysers(*findings: Finding, steps: tuple[StepRow, ...] = ()) -> RunReport:
    """A review by two models and two analysers."""
    report = reviewed(*findings, steps=steps)
    models = tuple(
        Participant(name=name, provider="scripted", family=name) for name in ("ada", "bert")
    )
    tools = tuple(
        Participant(name=name, provider="analyser", tool=name) for name in ("ruff", "bandit")
    )
    panel = report.spec.panel.model_copy(update={"critics": (*models, *tools)})
    spec = report.spec.model_copy(update={"panel": panel})
    return replace(report, run=replace(report.run, spec=spec.model_dump(mode="json")))


def test_an_analyser_is_asked_about_nothing_that_others_raised():
    stances = {"ada": Position.AGREE, "bert": Position.AGREE, "ruff": Position.ABSTAIN}
    finding = make_finding(raised_by=("ada",), stances=stances, rule=None)
    assert "For: ada, bert (2 of 2)\n" in text_of(with_analysers(finding))


PAGES = {
    "bandit/B110": "https://bandit.example.org/b110.html#b110",
    "ruff/E722": "https://docs.example.org/bare-except",
}


def raised_step(who: str, rule: str) -> StepRow:
    detail = f"Rule some-name: {PAGES[rule]}"
    raised = {"title": "Bare except", "rule": rule, "detail": detail}
    return make_step(f"critique/1/{who}", reply={"verdict": "NEEDS_FIX", "findings": [raised]})


def test_every_rule_that_says_it_is_named_with_its_page_also_where_a_model_says_it_in_its_words():
    finding = make_finding(
        title="Errors vanish",
        detail="See https://evil.example.com/x for more.",
        rule="ruff/E722",
        rules=("ruff/E722", "bandit/B110"),
        raised_by=("ada", "ruff", "bandit"),
        stances={"ada": Position.AGREE},
    )
    steps = (raised_step("ruff", "ruff/E722"), raised_step("bandit", "bandit/B110"))
    report = with_analysers(finding, steps=steps)
    assert "MAJOR ruff/E722, bandit/B110 Errors vanish" in text_of(report).replace(
        "CRITICAL", "MAJOR"
    )
    shown = markdown(report, ENGLISH)
    for code, page in PAGES.items():
        assert shown.count(f"[<code>{code}</code>]({page})") == 2  # in the table and below it
    assert shown.count("](") == 4
    assert "https\\://evil.example.com" in shown
    assert all(f'<a href="{page}">' in html_page(report, ENGLISH) for page in PAGES.values())


def test_a_model_cannot_make_a_link_of_a_rule():
    finding = make_finding(
        raised_by=("ada",), detail=f"Rule x: {PAGES['ruff/E722']}", rule="ruff/E722"
    )
    step = raised_step("ada", "ruff/E722")
    assert "](" not in markdown(with_analysers(finding, steps=(step,)), ENGLISH)


def test_one_dissent_on_many_findings_is_told_once():
    reason = "None of this is in the change."
    findings = tuple(
        make_finding(f"F{n}", stances={"bandit": Position.AGREE, "claude": Position.DISAGREE})
        for n in range(1, 6)
    )
    ledger = tuple(
        stance("claude", Position.DISAGREE, reason, finding=each.id) for each in findings
    )
    report = reviewed(*findings, ledger=ledger)
    assert text_of(report, most=None).count(reason) == 1
    assert text_of(report, most=None).count("Against: claude: as on F1\n") == 4
    assert markdown(report, ENGLISH).count(reason) == 1
    assert all(row["positions"][1]["reason"] == reason for row in as_json(report)["findings"])


def test_markdown_lists_as_many_findings_as_are_wanted():
    report = reviewed(*(make_finding(f"F{n}", title=f"Defect {n}") for n in range(1, 6)))
    shown = markdown(replace(report, listed=2), ENGLISH)
    assert "Defect 2" in shown
    assert "Defect 3" not in shown
    assert "and 3 more findings" in shown
    assert "5 findings" in shown


def test_what_is_grave_is_never_only_counted() -> None:
    grave = [make_finding(f"F{n}", title=f"Defect {n}") for n in range(1, 4)]
    fourth = make_finding("F4", title="The loop never ends", severity=Severity.MAJOR)
    fifth = make_finding("F5", title="A long name", severity=Severity.MINOR)
    shown = text_of(reviewed(*grave, fourth, fifth), most=3)
    assert "MAJOR" in next(row for row in shown.splitlines() if "The loop never ends" in row)
    assert "A long name" not in shown
    assert "and 1 more finding: --all shows it" in shown


def alike(number: int, **changes: object) -> Finding:
    place = Place(path="src/app.py", line=number)
    words = {"title": "A blocking call (ASYNC210)", "rule": "ruff/ASYNC210", "quote": "get(url)"}
    return make_finding(f"F{number}", place=place, **(words | changes))


def test_what_one_rule_says_in_many_places_is_one_entry_that_names_them() -> None:
    report = by_rules(*(alike(number) for number in range(1, 11)))
    shown = text_of(report)
    assert shown.count("ASYNC210") == 1
    assert "src/app.py:1: " in shown
    assert "The same at 9 more places: src/app.py:2, " in shown
    assert "src/app.py:7 and 3 more. --all lists them." in shown
    assert "more findings" not in shown  # all ten are spoken for
    assert text_of(report, most=None).count("src/app.py:") == 10
    assert markdown(report, words=ENGLISH).count("| F") == 10  # what is posted or kept is whole


def test_few_findings_alike_and_those_of_other_words_are_shown_each() -> None:
    few = by_rules(*(alike(number) for number in range(1, 4)))
    assert text_of(few).count("ASYNC210") == 3
    others = by_rules(*(alike(n, title=f"Unused import {n} (F401)") for n in range(1, 5)))
    assert text_of(others).count("Unused import") == 4
