"""What code checks of a claim: that its quotation and its place exist, and that a denial has grounds.

Theory of operation. A model that was misled, or that errs, still has to point at the subject; pointing
can be checked. A finding whose quotation does not exist, or whose place does not and that quotes
nothing, keeps its words and loses its severity (and its patch): it is shown, and neither stops nor
passes anything. Denying somebody else's grave finding takes a quotation from the subject, too; without
one the denial is not a position. Nothing here raises a severity. docs/design/hostile-text.md says why.

Of a plan or a question words are quoted and no places, and what is missing from it cannot be quoted: there only a
quotation that does not exist costs a claim its weight, and a denial its effect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.core.findings.merging import Merged, Raised, absorb, spellings_of, with_caveat
from orchestrator.core.findings.quotations import SubjectTexts, too_short
from orchestrator.core.findings.sameness import plain_path
from shared.models.findings import Finding, Place, Position, RaisedFinding, Severity, Stance
from shared.models.notices import Notice, earlier_text, holds, notice

NOT_COUNTED = "claim_not_counted"
MAY_BE_MISSING = "quote_may_be_missing"
# Of a denial without grounds: they stand in the ledger's reason, which other participants are shown.
PERHAPS_MISSING = (
    "its quotation does not occur in what is known, and may be from a turn that is missing"
)
UNPROVEN_DENIAL = "a denial of a grave finding needs a quotation from the subject"
INVENTED_DENIAL = "a denial of a grave finding whose quotation does not exist"
DENIALS = frozenset({Position.DISAGREE, Position.WITHDRAW})

Search = Callable[[str, str], bool | None]
"""Whether a quotation occurs in what the participant of that name may quote; None where nobody can tell."""


@dataclass(frozen=True)
class Checked:
    """A claim after the check; `problem` says why its severity does not count, None when it does."""

    claim: Raised
    problem: Notice | None = None
    remark: Notice | None = None


def check_quotes(
    raised: Iterable[Raised], texts: SubjectTexts, analysers: Collection[str] = ()
) -> tuple[Checked, ...]:
    """Every claim with what its evidence is worth. A place that its quotation contradicts is corrected.

    `analysers` also judge by name and size: a file that was left out is a place when they name it.
    """
    return tuple(_checked(claim, texts, claim.participant in analysers) for claim in raised)


def _checked(raised: Raised, texts: SubjectTexts, computes: bool) -> Checked:
    claim = raised.finding
    placed = claim.place is not None and (
        texts.has_place(claim.place) or (computes and texts.leaves_out(claim.place))
    )
    if claim.quote and texts.near(claim.quote, claim.place):
        return Checked(raised)
    if claim.quote and not too_short(claim.quote):
        return _by_quotation(raised, claim.quote, texts, placed=placed)
    bare = _with(raised, quote=None) if claim.quote else raised
    return Checked(bare) if placed else _by_place(bare)


def _by_quotation(raised: Raised, quote: str, texts: SubjectTexts, *, placed: bool) -> Checked:
    """A claim with a quotation that is not at its place."""
    place = raised.finding.place
    if not texts.holds(quote):
        untrue: dict[str, None] = {} if placed else {"place": None}
        return _lowered(raised, notice("quote_not_in_subject"), quote=None, **untrue)
    if placed or place is None:
        return Checked(raised)
    return _moved(raised, place, texts.locate(quote, place))


def _by_place(raised: Raised) -> Checked:
    """A claim that quotes nothing, without a place or with one outside the change."""
    claim = raised.finding
    if claim.place is not None:
        why = notice("place_not_in_change", place=_spelled(claim.place))
        return _lowered(raised, why, place=None)
    grave = claim.severity.rank <= Severity.MAJOR.rank
    return _lowered(raised, notice("nothing_shown")) if grave else Checked(raised)


def _moved(claim: Raised, stated: Place, place: Place | None) -> Checked:
    if place is None:
        return Checked(claim)
    remark = notice("placed_at_quote", place=_spelled(stated))
    return Checked(_with(claim, place=place), remark=remark)


def _spelled(place: Place) -> str:
    return place.shown


def _lowered(claim: Raised, problem: Notice, **fields: None) -> Checked:
    """The claim without weight, without a patch, and without the `fields` that are not true."""
    lowered = _with(claim, severity=Severity.INFO, patch=None, **fields)
    return Checked(lowered, not_counted(claim.finding.severity, [claim.participant], problem))


def not_counted(severity: Severity, raisers: Sequence[str], why: Notice) -> Notice:
    """Why a severity that somebody stated has no weight."""
    return notice(NOT_COUNTED, severity=severity, who=raisers, why=why)


def _with(claim: Raised, **fields: object) -> Raised:
    finding: RaisedFinding = claim.finding.model_copy(update=fields)
    return replace(claim, finding=finding)


def check_words(raised: Iterable[Raised], search: Search) -> tuple[Checked, ...]:
    """The same for claims about words: an invented quotation costs the weight, a missing one nothing."""
    return tuple(_checked_words(claim, search) for claim in raised)


def _checked_words(claim: Raised, search: Search) -> Checked:
    quote = claim.finding.quote
    if not quote:
        return Checked(claim)
    there = search(quote, claim.participant)
    if there:
        return Checked(claim)
    if too_short(quote):
        return Checked(_with(claim, quote=None))
    return _lowered(claim, not_found(there), quote=None)


def not_found(there: bool | None) -> Notice:
    """Why a quotation that does not occur costs a claim its weight, from what the search said of it."""
    return notice(MAY_BE_MISSING if there is None else "quote_not_in_words")


def unchecked(findings: Iterable[Finding], ledger: Iterable[Stance]) -> bool:
    """True when a claim or a denial does not count only because its quotation may be from a missing turn.

    Had that turn come it might count: so nothing converges on its absence.
    """
    return any(_says(finding, MAY_BE_MISSING, PERHAPS_MISSING) for finding in findings) or any(
        PERHAPS_MISSING in line.reason for line in ledger if line.position is Position.ABSTAIN
    )


def absorb_checked(
    raised: Sequence[Raised],
    known: Sequence[Finding],
    texts: SubjectTexts,
    objected: Sequence[Raised] = (),
    analysers: Collection[str] = (),
) -> Merged:
    """`absorb_proven` of claims about a change, then of what is `objected` outside of findings.

    So claims have the numbers that they have without these, and recorded positions name what they named.
    """
    merged = absorb_proven(check_quotes(raised, texts, analysers), known)
    if not objected:
        return merged
    then = absorb_proven(check_quotes(objected, texts), merged.findings)
    return Merged(then.findings, merged.new + then.new, (*merged.stances, *then.stances))


def absorb_proven(checked: Sequence[Checked], known: Sequence[Finding]) -> Merged:
    """`absorb` of what is shown by evidence, then one by one of what is not, with a caveat each.

    An unproven claim joins the finding that it repeats, or becomes one without weight; `new` counts
    proven findings only, those that a later claim proved among them.
    """
    proven = [claim for claim in checked if claim.problem is None]
    unproven_before = {finding.id for finding in known if is_unproven(finding)}
    merged = absorb([claim.claim for claim in proven], known)
    remarks = _remarks(proven, merged.findings)
    findings = tuple(_with_all(finding, remarks.get(finding.id, ())) for finding in merged.findings)
    now_proven = sum(
        finding.id in unproven_before and not is_unproven(finding) for finding in findings
    )
    doubted = _absorb_doubted(checked, findings)
    stances = (*merged.stances, *doubted.stances)
    homes = _in_order(checked, merged.homes, doubted.homes)
    return Merged(doubted.findings, merged.new + now_proven, stances, homes)


def _in_order(
    checked: Sequence[Checked], proven: Sequence[str], doubted: Sequence[str]
) -> tuple[str, ...]:
    """Where the claims went, in the order in which they were raised."""
    shown, unshown = iter(proven), iter(doubted)
    return tuple(next(shown if claim.problem is None else unshown) for claim in checked)


def _absorb_doubted(checked: Sequence[Checked], findings: tuple[Finding, ...]) -> Merged:
    """Claims without evidence, one by one, each with its caveat where it joined."""
    doubted = [(claim.claim, claim.problem) for claim in checked if claim.problem is not None]
    spellings = spellings_of([claim for claim, _ in doubted], findings) if doubted else None
    stances: tuple[Stance, ...] = ()
    homes: list[str] = []
    for claim, problem in doubted:
        joined = absorb([claim], findings, spellings)
        (home,) = joined.homes
        homes.append(home)
        findings = tuple(
            with_caveat(finding, problem) if finding.id == home else finding
            for finding in joined.findings
        )
        stances = (*stances, *joined.stances)
    return Merged(findings, 0, stances, tuple(homes))


def _remarks(proven: Sequence[Checked], findings: Sequence[Finding]) -> Mapping[str, list[Notice]]:
    """Remarks on corrected places, by the finding that is there now."""
    remarks: dict[str, list[Notice]] = {}
    for checked in proven:
        place = checked.claim.finding.place
        if checked.remark is None or place is None:
            continue
        for finding in findings:
            if finding.place == place and checked.claim.participant in finding.raised_by:
                remarks.setdefault(finding.id, []).append(checked.remark)
    return remarks


def _with_all(finding: Finding, caveats: Iterable[Notice]) -> Finding:
    for caveat in caveats:
        finding = with_caveat(finding, caveat)
    return finding


def is_unproven(finding: Finding) -> bool:
    """True for a finding that nobody has shown: it is reported, and it decides nothing."""
    return finding.severity is Severity.INFO and _says(finding, NOT_COUNTED, "not counted: ")


def _says(finding: Finding, code: str, earlier: str) -> bool:
    """Whether a finding's caveat has a code; what version 0.1.0 stored has those words instead."""
    caveat = finding.caveat
    return caveat is not None and (holds(caveat, code) or earlier in earlier_text(caveat))


def weighty(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that a discussion is about: all but the unproven ones."""
    return tuple(finding for finding in findings if not is_unproven(finding))


# ---- denials ------------------------------------------------------------------------------------


def check_stances(
    lines: Iterable[Stance],
    findings: Sequence[Finding],
    texts: SubjectTexts,
    rule_based: Collection[str],
) -> tuple[Stance, ...]:
    """The ledger's lines, denials without grounds turned into abstentions that say so.

    Checked are denials (disagree, or withdraw by somebody else) of another's CRITICAL or MAJOR finding:
    they need a reason and a quotation that exists. `rule_based` participants may give a rule instead,
    `[suppressed]` and its like, which is then checked against the source.
    """
    by_id = {finding.id: finding for finding in findings}
    return tuple(_judged(line, by_id.get(line.finding), texts, rule_based) for line in lines)


def _judged(
    line: Stance, finding: Finding | None, texts: SubjectTexts, rule_based: Collection[str]
) -> Stance:
    if finding is None or line.position not in DENIALS or line.participant in finding.raised_by:
        return line
    if finding.severity.rank > Severity.MAJOR.rank or _has_grounds(
        line, finding, texts, rule_based
    ):
        # Taking back is for those who raised it; from anybody else it is a denial.
        return line.model_copy(update={"position": Position.DISAGREE})
    return _not_counted(line, UNPROVEN_DENIAL)


def check_denials(
    lines: Iterable[Stance], findings: Sequence[Finding], search: Search
) -> tuple[Stance, ...]:
    """The same for stances on words: denying another's grave finding with an invented quotation is not a position."""
    by_id = {finding.id: finding for finding in findings}

    def judged(line: Stance) -> Stance:
        finding = by_id.get(line.finding)
        if finding is None or line.position not in DENIALS or line.participant in finding.raised_by:
            return line
        grave = finding.severity.rank <= Severity.MAJOR.rank
        if not line.quote or too_short(line.quote):
            return line
        there = search(line.quote, line.participant)
        # The turn that is missing might have called a lesser finding grave.
        if there or (there is False and not grave):
            return line
        return _not_counted(line, PERHAPS_MISSING if there is None else INVENTED_DENIAL)

    return tuple(judged(line) for line in lines)


def _not_counted(line: Stance, why: str) -> Stance:
    note = f"[{line.position} not counted: {why}] {line.reason}".strip()
    return line.model_copy(update={"position": Position.ABSTAIN, "reason": note})


def _has_grounds(
    line: Stance, finding: Finding, texts: SubjectTexts, rule_based: Collection[str]
) -> bool:
    if not line.reason.strip():
        return False
    if line.participant in rule_based:
        return _rule_holds(line.reason, finding, texts)
    return line.quote is not None and texts.holds(line.quote)


def _rule_holds(reason: str, finding: Finding, texts: SubjectTexts) -> bool:
    """Whether the rule in brackets at the reason's start applies at the finding's place."""
    place = finding.place
    if place is None:
        return False
    match reason.partition("]")[0].lstrip("["):
        case "suppressed":
            line = texts.line(place) or ""
            return "noqa" in line.lower() or "nosec" in line.lower()
        case "test-code":
            *folders, name = plain_path(place.path).lower().split("/")
            return "test" in name or not {"test", "tests", "testing"}.isdisjoint(folders)
        case "unchanged-line":
            return not texts.is_changed(place.path, place.line, place.last_line)
    return False
