"""One finding for one defect: what several participants raised, merged without losing who said it.

Merging is conservative: a false merge hides a defect, a missed one only repeats it. Two raised findings are the
same when they stand at the same place and read alike (or carry the same analyser rule), or, without a place,
when their texts match. Thresholds and examples: docs/design/findings.md. What it leaves apart, `ranking` still
counts together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.neighbours import candidates
from orchestrator.core.findings.sameness import (
    ComparableClaim,
    Spellings,
    comparable,
    in_the_same_words,
    plain_path,
    same_defect,
)
from orchestrator.core.findings.stances import raising_stance
from shared.models.findings import (
    SEVERITY_ORDER,
    Finding,
    Place,
    Position,
    RaisedFinding,
    Severity,
    Stance,
)
from shared.models.notices import Notice, notice, sentences
from shared.models.subject import FileChange, Subject

INFORMATIVE = 20  # characters of detail that make a claim a reasoned one
# Pairs of claims whose texts are compared in one merge, which takes seconds at most. With more only those
# join that read the same: a missed merge repeats a defect, and hides none.
MAX_COMPARED_PAIRS = 60_000
LONGEST_USEFUL = 1200  # characters of detail beyond which longer is not better

NOT_IN_CHANGE = notice("file_not_in_change")
NOT_ON_CHANGED_LINE = notice("not_on_changed_line")


@dataclass(frozen=True)
class Raised:
    """A finding as one participant raised it in one round.

    Our own code says it, and what to do, in `message` and `advice`. No reply has those: a model's words are its own.
    """

    participant: str
    round: int
    finding: RaisedFinding
    role: str = "critique"
    message: Notice | None = None
    advice: Notice | None = None


@dataclass(frozen=True)
class Merged:
    """All findings known after a merge, how many are new, and the `agree` that raising implies.

    `homes` are the findings that the raised claims became or joined, in the claims' order.
    """

    findings: tuple[Finding, ...]
    new: int
    stances: tuple[Stance, ...]
    homes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Item:
    claim: ComparableClaim
    source: Raised | Finding


_Group = list[int]  # indexes of items that say the same


def spellings_of(raised: Iterable[Raised], known: Iterable[Finding]) -> Spellings:
    """For several merges of the same claims one after another."""
    return Spellings([*map(_claim_of, known), *map(_claim_of, raised)])


def absorb(
    raised: Sequence[Raised], known: Sequence[Finding] = (), spellings: Spellings | None = None
) -> Merged:
    """All findings known after a merge, how many are new, and the ledger lines of those who raised something.

    What is merged with what does not depend on the order of `raised`; the numbers of new findings do.
    """
    items = [*map(_item, known), *map(_item, raised)]
    number = max((_number(finding.id) for finding in known), default=0)
    joined: dict[str, list[Raised]] = {}
    fresh: dict[str, list[Raised]] = {}
    homes = [""] * len(items)
    for group in _group(items, spellings):
        sources = [items[index].source for index in group]
        claims = [source for source in sources if isinstance(source, Raised)]
        home = sources[0]  # known findings come first among the items
        if isinstance(home, Finding):
            identity = home.id
            joined[identity] = claims
        else:
            identity = f"F{number + len(fresh) + 1}"
            fresh[identity] = claims
        for index in group:
            homes[index] = identity
    findings = [_join(finding, joined[finding.id]) for finding in known]
    findings += [_new(identity, claims) for identity, claims in fresh.items()]
    lines = _raising_lines(joined | fresh)
    return Merged(tuple(findings), len(fresh), lines, tuple(homes[len(known) :]))


def _number(identity: str) -> int:
    digits = identity.removeprefix("F")
    return int(digits) if digits.isdecimal() else 0


def _raising_lines(members: Mapping[str, Sequence[Raised]]) -> tuple[Stance, ...]:
    lines = {
        (claim.round, claim.participant, claim.role, identity): raising_stance(
            identity, claim.participant, claim.round, claim.role
        )
        for identity, claims in members.items()
        for claim in claims
    }
    return tuple(lines.values())


# ---- grouping -----------------------------------------------------------------------------------


def _item(source: Raised | Finding) -> _Item:
    return _Item(_claim_of(source), source)


def _claim_of(source: Raised | Finding) -> ComparableClaim:
    claim = source.finding if isinstance(source, Raised) else source
    turn = (source.participant, source.round, source.role) if isinstance(source, Raised) else None
    return ComparableClaim(
        title=claim.title,
        detail=claim.detail,
        rule=claim.rule,
        place=claim.place,
        turn=turn,
        quote=claim.quote or "",
    )


def _group(items: Sequence[_Item], spellings: Spellings | None) -> list[_Group]:
    """Best pairs first, complete linkage: everything in a group is the same as everything else in it."""
    scores = _scores(items, spellings)
    group_of: dict[int, _Group] = {index: [index] for index in range(len(items))}
    for a, b in _surest_first(scores, items):
        first, second = group_of[a], group_of[b]
        if first is second or not all(
            (min(x, y), max(x, y)) in scores for x in first for y in second
        ):
            continue
        together = sorted(first + second)
        group_of.update(dict.fromkeys(together, together))
    unique = {id(group): group for group in group_of.values()}
    return sorted(unique.values(), key=lambda group: group[0])


def _surest_first(
    scores: Mapping[tuple[int, int], float], items: Sequence[_Item]
) -> list[tuple[int, int]]:
    """Ties are broken by the claims themselves, never by their position, so permuting the input permutes the result."""
    paired = {index for pair in scores for index in pair}
    order = sorted(paired, key=lambda index: _canonical(items[index]))
    rank = {index: place for place, index in enumerate(order)}
    return sorted(scores, key=lambda pair: (-scores[pair], *sorted(rank[each] for each in pair)))


def _scores(items: Sequence[_Item], spellings: Spellings | None) -> dict[tuple[int, int], float]:
    """How surely each pair says the same, those left out that do not."""
    pairs = _compared_pairs(items)
    compared = {index for pair in pairs for index in pair}
    known = spellings or Spellings(items[index].claim for index in compared)
    scores = {(a, b): same_defect(items[a].claim, items[b].claim, known) for a, b in pairs}
    return {pair: score for pair, score in scores.items() if score > 0}


def _compared_pairs(items: Sequence[_Item]) -> list[tuple[int, int]]:
    known = sum(isinstance(item.source, Finding) for item in items)  # they come first
    claims = [item.claim for item in items]
    pairs = [(a, b) for a, b in candidates(claims, known) if comparable(claims[a], claims[b])]
    if len(pairs) <= MAX_COMPARED_PAIRS:
        return pairs
    return [(a, b) for a, b in pairs if in_the_same_words(items[a].claim, items[b].claim)]


def _canonical(item: _Item) -> tuple[int, int, str, str]:
    match item.source:
        case Finding() as known:
            return (0, _number(known.id), known.id, "")
        case Raised() as claim:
            return (1, claim.round, claim.finding.model_dump_json(), claim.participant)


# ---- what a group says --------------------------------------------------------------------------


def _worst(severities: Iterable[Severity]) -> Severity:
    return min(severities, key=lambda severity: severity.rank)


def _justified(claim: RaisedFinding) -> bool:
    reason = claim.quote or claim.patch or claim.rule
    return bool(reason) or len(claim.detail.strip()) >= INFORMATIVE


def _counted(claim: RaisedFinding) -> Severity:
    """What a claim's severity weighs beside reasoned ones: at most MINOR without a reason, and nobody makes it less."""
    if _justified(claim):
        return claim.severity
    return max(claim.severity, Severity.MINOR, key=lambda severity: severity.rank)


def _severity(claims: Sequence[Raised]) -> tuple[Severity, Notice | None]:
    """The worst severity that comes with a reason, or that most of them state; else a worse one is in the caveat.

    Someone who states a worse one supports the milder ones, too: another claim without a reason never makes a finding
    less grave.
    """
    worst = _worst(claim.finding.severity for claim in claims)
    counted = _worst(_counted(claim.finding) for claim in claims)
    graver = SEVERITY_ORDER[worst.rank : counted.rank]
    severity = next((each for each in graver if _most(claims, each)), counted)
    if severity is worst:
        return severity, None
    callers = {claim.participant for claim in claims if claim.finding.severity is worst}
    return severity, notice("called_without_reason", severity=worst, who=sorted(callers))


def _most(claims: Sequence[Raised], severity: Severity) -> bool:
    """Whether more state that severity, or a worse one, than have a reason and do not."""
    supporters = {
        claim.participant for claim in claims if claim.finding.severity.rank <= severity.rank
    }
    others = {claim.participant for claim in claims if _justified(claim.finding)} - supporters
    return not others or len(supporters) > len(others)


def _stated(claims: Sequence[Raised], carried: Severity) -> Severity | None:
    """The worst severity that somebody states, where it is worse than the one that is carried."""
    worst = _worst(claim.finding.severity for claim in claims)
    return worst if worst.rank < carried.rank else None


def _best_first(claims: Sequence[Raised]) -> list[Raised]:
    # The gravest first: a milder claim with a quotation does not put its words over a graver one.
    # A patch is not a reason to take somebody's words: it is kept next to them, under its own author's name.
    worst = min((_counted(claim.finding).rank for claim in claims), default=0)

    def worth(claim: Raised) -> tuple[bool, bool, int, int, str, str]:
        finding = claim.finding
        return (
            _counted(finding).rank == worst,
            bool(finding.quote),
            min(len(finding.detail.strip()), LONGEST_USEFUL),
            len(finding.title),
            finding.model_dump_json(),
            claim.participant,
        )

    return sorted(claims, key=worth, reverse=True)


def _new(identity: str, claims: Sequence[Raised]) -> Finding:
    ordered = _best_first(claims)
    best = ordered[0].finding
    severity, caveat = _severity(claims)
    raisers = tuple(dict.fromkeys(claim.participant for claim in claims))
    finding = Finding(
        id=identity,
        title=best.title,
        detail=best.detail,
        severity=severity,
        stated_severity=_stated(claims, severity),
        category=best.category,
        titles=_titles(best.title, {}, claims),
        raised_by=raisers,
        raised_in_round=min(claim.round for claim in claims),
        stances=dict.fromkeys(raisers, Position.AGREE),
        caveat=caveat,
    )
    return _filled(finding, ordered)


def _join(finding: Finding, claims: Sequence[Raised]) -> Finding:
    """A known finding keeps its id and its wording; joiners add names, missing fields and reasoned severity."""
    if not claims:
        return finding
    raisers = tuple(dict.fromkeys((*finding.raised_by, *(claim.participant for claim in claims))))
    severity = _worst((finding.severity, *(_counted(claim.finding) for claim in claims)))
    stated = list(filter(None, (finding.stated_severity, _stated(claims, severity))))
    worst = _worst(stated) if stated else None
    update = {
        "raised_by": raisers,
        "severity": severity,
        "stated_severity": worst if worst and worst.rank < severity.rank else None,
        "titles": _titles(finding.title, finding.titles, claims),
        "stances": dict.fromkeys(raisers, Position.AGREE) | finding.stances,
    }
    return _filled(finding.model_copy(update=update), _best_first(claims))


def _titles(title: str, known: Mapping[str, str], claims: Sequence[Raised]) -> dict[str, str]:
    """What each raiser first called it; nothing while all call it the same."""
    titles = dict(known)
    for claim in sorted(claims, key=lambda claim: (claim.round, claim.finding.title)):
        titles.setdefault(claim.participant, claim.finding.title)
    apart = any(other != title for other in titles.values())
    return dict(sorted(titles.items())) if apart else {}


def _worded(finding: Finding, claims: Sequence[Raised]) -> dict[str, object]:
    """Our own words for a finding that has none."""
    worded = next((claim for claim in claims if claim.message is not None), None)
    if worded is None or finding.message is not None:
        return {}
    return {"message": worded.message, "advice": worded.advice}


def _ruled(finding: Finding, claims: Sequence[Raised]) -> dict[str, object]:
    """The rule that says it, and all of them where they are several."""
    worst_first = sorted(claims, key=lambda claim: claim.finding.severity.rank)
    named = (claim.finding.rule for claim in worst_first)
    rules = tuple(dict.fromkeys((*finding.every_rule, *filter(None, named))))
    several = {"rules": rules} if len(rules) > 1 else {}
    return {"rule": rules[0], **several} if rules else {}


def _filled(finding: Finding, claims: Sequence[Raised]) -> Finding:
    """Fields that the finding lacks, each from the best claim that has it; patch and test keep their author's name."""
    update = {**_worded(finding, claims), **_ruled(finding, claims)}
    for name in ("place", "quote", "suggestion", "patch", "test"):
        if getattr(finding, name):
            continue
        source = next((claim for claim in claims if getattr(claim.finding, name)), None)
        if source is not None:
            update[name] = getattr(source.finding, name)
            if name in ("patch", "test"):
                update[f"{name}_by"] = source.participant
    return finding.model_copy(update=update) if update else finding


# ---- checked against the subject ----------------------------------------------------------------


def check_place(finding: Finding, subject: Subject) -> Finding:
    """The finding, with a caveat when its place is outside the change. Nothing else changes, nothing is dropped."""
    if finding.place is None:
        return finding
    path = plain_path(finding.place.path)
    touched = [file for file in subject.files if plain_path(file.path) == path]
    if not touched:
        return with_caveat(finding, NOT_IN_CHANGE)
    if subject.counts_unread and any(file.skipped is not None for file in touched):
        return finding  # nobody was shown its lines
    on_change = any(_touches(file, finding.place) for file in touched)
    return finding if on_change else with_caveat(finding, NOT_ON_CHANGED_LINE)


def _touches(file: FileChange, place: Place) -> bool:
    return any(
        lines.first <= place.last_line and place.line <= lines.last for lines in file.changed
    )


def check_places(findings: Sequence[Finding], subject: Subject) -> tuple[Finding, ...]:
    """`check_place` on every finding."""
    return tuple(check_place(finding, subject) for finding in findings)


def with_caveat(finding: Finding, caveat: Notice) -> Finding:
    """The finding with one more caveat; the same one is not said twice."""
    return finding.model_copy(update={"caveat": sentences(finding.caveat, caveat)})
