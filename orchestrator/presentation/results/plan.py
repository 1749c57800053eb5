"""What a plan run came to: the plan, who decided what about it, and the objections that still stand."""

from __future__ import annotations

from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.formats.text import SEVERITY_STYLES, caveat, decided_by, status_of
from orchestrator.presentation.locale.words import role_word
from orchestrator.presentation.results.document import Block, Heading, Item, Items, Remark, Words
from orchestrator.presentation.results.feedback import feedback
from orchestrator.presentation.results.reading import (
    Reading,
    closing,
    figures,
    opening,
    synthesis,
    titled,
)
from orchestrator.presentation.results.receipt import receipt
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.findings import Finding
from shared.models.outcomes import Ending, StepStatus
from shared.models.panel import Role

# After these the silence about a plan says nothing about it.
UNHEARD = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})


def document(reading: Reading) -> list[Block]:
    """The plan is the result; what was said against it follows."""
    blocks = [*opening(reading), *_accepted(reading), *_plan(reading)]
    if reading.brief:
        return [*blocks, *_standing(reading), *closing(reading)]
    return [
        *blocks,
        *_standing(reading),
        *_merged(reading),
        *_versions(reading),
        *receipt(reading),
        Remark(line("")),
        *closing(reading),
    ]


def question(reading: Reading) -> list[Block]:
    """What is decided on: the version that was debated, the objections to it, and what the panel makes of them."""
    return [*_plan(reading), *_standing(reading), *_merged(reading)]


def _plan(reading: Reading) -> list[Block]:
    found = _latest(reading)
    if found is None:
        final = reading.report.run.status.final
        return [Remark(line(reading.say("plan_none" if final else "plan_pending")))]
    text, number, by, assumptions = found
    written = reading.say("plan_by", who=by) if by else reading.say("plan_given")
    note = figures(reading.say("plan_version", n=number), written)
    head: list[Block] = [] if reading.brief else [Heading(reading.say("plan"), note)]
    return [*head, Words(text), *titled(reading.say("assumptions"), assumptions)]


def _latest(reading: Reading) -> tuple[str, int, str | None, tuple[str, ...]] | None:
    """The last version: its text, number, author (None: it was given) and assumptions; None without one."""
    detail, shown = reading.detail, reading.report.shown
    if detail.get("plan"):
        last = detail["revisions"][-1]
        return detail["plan"], last["number"], detail["plan_by"], tuple(last["assumptions"])
    written = [
        step
        for step in reading.report.steps
        if step.role == Role.PLAN and step.status == StepStatus.DONE and step.reply
    ]
    reply = (written[-1].reply or {}) if written else {}
    if shown.get("plan"):
        same = reply.get("plan") == shown["plan"]
        return shown["plan"], shown["version"], written[-1].participant if same else None, ()
    if not written:
        return None
    # A plan that was given is version 1 without a step.
    given = PlanOptions.model_validate(reading.report.spec.options).given
    number = len(written) + (1 if given else 0)
    return str(reply["plan"]), number, written[-1].participant, ()


def _standing(reading: Reading) -> list[Block]:
    report = reading.report
    standing = [one for one in report.ranked if one in report.standing]
    if not reading.detail:
        standing = [one for one in standing if _is_of(one, _version_number(reading))]
    if not standing:
        over = bool(report.assessments) and not reading.brief
        absent = over and report.assessments[-1].figures.ending in UNHEARD
        word, style = ("too_few_objected", Style.WARNING) if absent else ("no_standing", Style.DIM)
        said = Span(reading.say(word), style)
        return [Remark(line("")), Remark(line(said))] if over else []
    entries = tuple(_objection(reading, one) for one in standing)
    return [Heading(reading.say("standing")), Items(entries)]


def _version_number(reading: Reading) -> int:
    found = _latest(reading)
    return 1 if found is None else found[1]


def _is_of(finding: Finding, version: int) -> bool:
    """Findings of later versions carry their version's number: `R2F1`."""
    return finding.id.startswith(f"R{version}F" if version > 1 else "F")


def _objection(reading: Reading, finding: Finding) -> Item:
    report = reading.report
    status = status_of(finding, reading.language)
    status = f", {status}" if status else ""
    note = f"{report.supporters(finding)}/{len(report.critics)}{status}, {finding.id}"
    detail = "" if reading.brief or not finding.detail else f" — {finding.detail}"
    return Item(
        f"{finding.title}{detail}{caveat(finding, reading.language)}",
        finding.severity.value,
        note,
        SEVERITY_STYLES[finding.severity],
    )


def _merged(reading: Reading) -> list[Block]:
    body = reading.detail.get("synthesis") or reading.report.shown.get("synthesis")
    by = reading.detail.get("synthesised_by") or reading.report.shown.get("synthesised_by")
    if body is None or (by == "fallback" and not reading.everything):
        return []  # the contributions one after another: no synthesis, and a reader has seen what they came to
    return synthesis(reading, body, None if by == "fallback" else by)


def _versions(reading: Reading) -> list[Block]:
    revisions = reading.detail.get("revisions") or ()
    if not revisions:
        return []
    entries = tuple(_version(reading, one) for one in revisions)
    blocks: list[Block] = [Heading(reading.say("revisions")), Items(entries)]
    if not reading.everything:
        return blocks
    earlier = [
        block
        for one in revisions[:-1]
        for block in (Heading(reading.say("plan_version", n=one["number"])), Words(one["text"]))
    ]
    said = [
        Heading(
            f"{one['participant']}, {role_word(one['role'], reading.language)}",
            figures(
                reading.say("plan_version", n=version["number"]),
                reading.say("round_n", n=one["round"]),
            ),
        )
        if part == 0
        else Words(one["content"])
        for version in revisions
        for one in version["rounds"]
        for part in (0, 1)
    ]
    return [*blocks, *feedback(reading), *earlier, *said]


def _version(reading: Reading, one: dict[str, Any]) -> Item:
    answer = one["decision"] or {}
    rounds = len({said["round"] for said in one["rounds"]})
    decided = decided_by(answer, reading.language) if answer else None
    told = figures(
        reading.say("plan_by", who=one["by"]) if one["by"] else reading.say("plan_given"),
        reading.count("rounds", rounds),
        reading.say(f"how_{one['ending']}") if one["ending"] else "-",
        reading.count("objections", len(one["findings"])),
        decided,
    )
    message = f" — {answer['message']}" if answer.get("message") else ""
    return Item(f"{told}{message}", reading.say("plan_version", n=one["number"]))


def _accepted(reading: Reading) -> list[Block]:
    accepted = reading.detail.get("accepted")
    if accepted is None or reading.brief:
        return []
    style = Style.GOOD if accepted else Style.WARNING
    said = reading.say("accepted" if accepted else "not_accepted")
    return [Remark(line(Span(said, style)))]
