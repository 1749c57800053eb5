"""Does a reason say what its position says, and is it a reason at all?

A reason contradicts a position when something decisive in it says the opposite and nothing at all speaks for the
position. So doubt leaves the position as it was stated. `partial` and `abstain` are contradicted by nothing.
docs/design/convergence.md, section 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from orchestrator.core.findings.cues import clauses, prose
from orchestrator.core.findings.likeness import similarity
from orchestrator.core.findings.polarity import opposed
from orchestrator.core.findings.reason_cues import ReasonCues
from orchestrator.core.findings.reason_english import read_english
from orchestrator.core.findings.reason_korean import read_korean
from shared.models.findings import Finding, Position, Stance
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts

LONGEST_READ = 4000  # characters; more than any reason, and what a hostile one costs
RESTATES = 0.9
CONTRADICTED = "not counted: its reason says the opposite"
_DENIALS = frozenset({Position.DISAGREE, Position.WITHDRAW})
_RULE = regex(r"^\[[a-z-]+\]")
_SENTENCE = regex(r"[^.!?;\n]+[.!?;\n]?")
# What follows one of these counts.
_CONTRAST = regex(
    r"\b(?:but|however|nevertheless|nonetheless)\b|(?<![가-힣])(?:그러나|하지만|다만|그렇지만)(?![가-힣])"
    r"|(?<=[가-힣]지만)(?![가-힣])|(?<=[가-힣]으나)(?![가-힣])",
    re.IGNORECASE,
)
# What ought to be is no statement of what is.
_PRESCRIBES = regex(r"\b(?:should|must|ought|needs?|has to|have to|would|could)\b|[어아해]야", re.I)


def contradicts(position: Position, reason: str, title: str = "") -> bool:
    """True when the reason says the opposite of the position on a claim called `title`.

    What begins with a rule in brackets was computed, and is checked against its source elsewhere.
    """
    if position not in (Position.AGREE, *_DENIALS) or _RULE.match(reason):
        return False
    text = reason[:LONGEST_READ]
    denied, repeated = _beside(text, title) if title else (False, False)
    cues = what_it_says(text)
    if position is Position.AGREE:
        return _speaks_against(cues, denied)
    return _speaks_for(cues, repeated)


def _speaks_against(cues: ReasonCues, denied: bool) -> bool:
    if cues.affirms or cues.weakly:
        return False
    return denied or bool(cues.denies and not cues.points_for)


def _speaks_for(cues: ReasonCues, repeated: bool) -> bool:
    if cues.denies or cues.points_against:
        return False
    return repeated or bool(cues.affirms or (cues.weakly and not cues.negations))


@kept_by_texts(8_000_000)  # the same reasons are read again after every round
def what_it_says(text: str) -> ReasonCues:
    """What a reason says of the claim; what follows its last "but", if that says anything."""
    own = prose(text)
    parts = _CONTRAST.split(own)
    after = _read(parts[-1]) if len(parts) > 1 else ReasonCues()
    return after if after.anything else _read(own)


def _read(text: str) -> ReasonCues:
    cues = ReasonCues()
    for words in clauses(text):
        cues += read_english(words)
    for sentence in _SENTENCE.findall(text):
        cues += read_korean(sentence)
    return cues


def _beside(reason: str, title: str) -> tuple[bool, bool]:
    """Whether a sentence of the reason denies the claim in its own words, and whether all of it repeats the claim."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(reason)]
    opposite = any(
        opposed(sentence, title)
        for sentence in sentences
        if not sentence.endswith("?") and not _PRESCRIBES.search(sentence)
    )
    return opposite, not opposite and (similarity(reason, title) or 0.0) >= RESTATES


def believed(lines: Iterable[Stance], findings: Sequence[Finding]) -> tuple[Stance, ...]:
    """The ledger's lines; a position that its own reason contradicts becomes an abstention that says so."""
    titles = {finding.id: finding.title for finding in findings}
    return tuple(
        _not_counted(line)
        if contradicts(line.position, line.reason, titles.get(line.finding, ""))
        else line
        for line in lines
    )


def _not_counted(line: Stance) -> Stance:
    note = f"[{line.position} {CONTRADICTED}] {line.reason}"
    return line.model_copy(update={"position": Position.ABSTAIN, "reason": note})


def not_believed(line: Stance) -> bool:
    """True for a position that did not count because of its own reason."""
    return line.position is Position.ABSTAIN and CONTRADICTED in line.reason


# ---- nods ---------------------------------------------------------------------------------------

# Saying yes or no, praise, thanks, and talk about the finding instead of about what it claims: "good catch, I looked
# at it and share the assessment" gives no reason.
_ASSENT = frozenset(
    "yes yeah yep ok okay right correct true sure fine agree agreed agrees agreeing same ditto indeed concur concurs"
    " lgtm accept accepted confirmed confirm acknowledged noted approve approved support supported disagree disagreed"
    " no nope withdraw withdrawn withdrawing reject rejected partly partially partial conceded concede second seconded"
    " share shares shared stands stand hold holds keep maintain likewise none nothing na n"
    # praise and thanks
    " good great nice excellent well solid valid reasonable fair sound convincing sense makes make made makes important"
    " interesting helpful useful catch spotted spot find thanks thank appreciate raising raised pointing pointed"
    " flagging flagged bringing noticing noticed up out"
    # what is talked about
    " finding findings claim objection point points issue concern comment comments assessment analysis evaluation"
    " conclusion observation remark argument reasoning explanation reviewer reviewers author colleague colleagues panel"
    " others everyone everybody all position view opinion mind reason side end part way"
    # looking at it
    " read reviewed review looked look looking see saw seen considered think thought believe feel find found say said"
    " stated add come came reach reached"
    # small words
    " i we me us my our mine you your he she they their his her it its this that these those which what who is s are am"
    " was were be been being has have had do does did so too also here there a an the and or as at by for from in of on"
    " to with about above below before after again still just very really quite entirely fully completely absolutely"
    " definitely totally wholly strongly exactly very m ve d re ll course looks seems appears any more further both"
    " much can could would will".split()
)
_ASSENT_KOREAN = regex(
    r"(?:네|예|동의|찬성|인정|수긍|공감|반대|철회|부분|맞|옳|그렇|같은|같습|같이|저도|저는|저희|나도|제가|위와|앞서|앞의"
    r"|의견|생각|지적|이하|동문|이상|없음|없습니다|전적|완전|역시|입장|유지|합니다|하며|해당|좋[은습아네]|타당|합리|훌륭|적절|중요|유익"
    r"|감사|고맙|잘|매우|정말|아주|충분|이견|이의|결론|분석|평가|우려|내용|말씀|대로|짚|검토|살펴|읽어?|읽었|보았|봤|봅니다|보입|판단|리뷰|발견"
    r"|발언|본인|마찬가지|다른|추가|덧붙|드립|드리)[가-힣]{0,6}|[이그위저제본것점데바수더한]"
)
_WORD = regex(r"[^\W\d_]+|\d+")
_HANGUL = regex(r"[가-힣]")


def gives_no_reason(reason: str) -> bool:
    """True for an empty reason, and for one that only says yes or no once more."""
    words = _WORD.findall(reason.lower().replace("+1", " "))
    return all(
        _ASSENT_KOREAN.fullmatch(word) if _HANGUL.search(word) else word in _ASSENT
        for word in words
    )
