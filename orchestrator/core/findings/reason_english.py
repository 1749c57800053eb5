"""What an English reason says of a claim that there is a defect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.core.findings.cues import NEGATORS, negated_at
from orchestrator.core.findings.reason_cues import (
    AFFIRMS,
    DENIES,
    POINTS_AGAINST,
    POINTS_FOR,
    WEAKLY,
    ReasonCues,
)
from shared.patterns import regex

_CLAIM = (
    r"(?:findings?|claims?|objections?|reports?|points?|concerns?|critiques?|criticisms?|comments?"
    r"|remarks?|arguments?|assessments?|reviewers?|critics?|diagnosis|premise)"
)
_THING = (
    r"(?:code|implementation|checks?|functions?|methods?|logic|lines?|change|patch|behaviou?r"
    r"|quer(?:y|ies)|loops?|handling|plan|design|approach|guards?|calls?|conditions?|usage|version|results?|outputs?|tests?|branch(?:es)?)"
)
_BE = r"(?:is|are|was|were|looks?|seems?|remains?|appears?)(?: to be)?"
_HOW = (
    r"(?: (?:\w+ly|not|quite|very|just|already|indeed|all|also|still|in fact|a|an|the|perfectly))*"
)
_RIGHT = (
    r"(?:correct|right|valid|true|accurate|justified|sound|legitimate|legit|real|warranted"
    r"|well founded|fair|reasonable|confirmed|genuine|serious)"
)
_MISTAKEN = (
    r"(?:wrong|incorrect|invalid|false|mistaken|unfounded|baseless|inaccurate|unjustified"
    r"|unwarranted|moot|bogus|untrue|misguided|erroneous|obsolete|void)"
)
_FINE = (
    r"(?:fine|correct|right|ok|okay|safe|sound|good|valid|intended|intentional|harmless|secure"
    r"|sufficient|adequate|proper|deliberate|complete)"
)
_FAULTY = (
    r"(?:wrong|incorrect|broken|buggy|unsafe|vulnerable|missing|insecure|insufficient|inadequate"
    r"|dangerous|bad|faulty|flawed|incomplete|racy|defective)"
)
_DEFECT = r"(?:defects?|bugs?|problems?|issues?|flaws?|vulnerabilit(?:y|ies)|threats?)"
_MENDED = r"(?:fix(?:ed)?|corrected|changed|addressed|removed|replaced|repaired|mended|resolved)"


@dataclass(frozen=True)
class _Cue:
    """Words, and what they say; `otherwise` is what they say when the word called `key` is negated."""

    words: re.Pattern[str]
    says: str
    otherwise: str = ""

    def read(self, clause: str, words: list[str]) -> Iterator[str]:
        for match in self.words.finditer(clause):
            index = clause.count(" ", 0, match.start("key"))
            says = self.otherwise if negated_at(words, index) else self.says
            if says:
                yield says


def _cue(pattern: str, says: str, otherwise: str = "") -> _Cue:
    return _Cue(regex(rf"\b{pattern}\b"), says, otherwise)


_CUES = (
    # Of the claim and the speaker.
    _cue(rf"{_CLAIM}(?: \w+){{0,4}}? {_BE}{_HOW} (?P<key>{_RIGHT}|fine)", AFFIRMS, DENIES),
    _cue(rf"{_CLAIM}(?: \w+){{0,4}}? {_BE}{_HOW} (?P<key>{_MISTAKEN})", DENIES, AFFIRMS),
    _cue(rf"{_CLAIM}(?: \w+){{0,3}} (?P<key>holds?|stands?|applies|apply)", AFFIRMS, DENIES),
    _cue(
        rf"{_CLAIM} (?:\w+ly )?(?P<key>misreads?|misunderstands?|overlooks?|confuses?)",
        DENIES,
        AFFIRMS,
    ),
    _cue(rf"(?P<key>(?:valid|good|fair) (?:{_CLAIM}|catch)|well spotted)", AFFIRMS, DENIES),
    _cue(r"(?P<key>validpoint)", AFFIRMS, DENIES),
    _cue(r"(?P<key>has|have|makes?) (?:a|got a)(?: good| valid)? point", AFFIRMS),
    _cue(r"^(?:absolutely|entirely|quite|yes) (?P<key>correct|right|true)$", AFFIRMS),
    _cue(rf"(?P<key>(?:{_MISTAKEN}) {_CLAIM}|invalidpoint)", DENIES, AFFIRMS),
    _cue(
        rf"(?:{_CLAIM}|this|it) (?:should|must|can) be (?P<key>rejected|dismissed|withdrawn|dropped)",
        DENIES,
        AFFIRMS,
    ),
    _cue(
        r"(?:you|they|critics?|reviewers?) (?:are|is|was|were)(?: \w+)? (?P<key>right)",
        AFFIRMS,
        DENIES,
    ),
    _cue(
        r"(?:you|they|critics?|reviewers?) (?:are|is|was|were)(?: \w+)? (?P<key>wrong|mistaken)",
        DENIES,
    ),
    _cue(
        r"(?:i|we)(?: \w+){0,2}? (?P<key>agree|concur|concede|accept|acknowledge|admit|confirm|support)(?! that)",
        AFFIRMS,
        DENIES,
    ),
    _cue(
        r"(?:i|we)(?: \w+){0,2}? (?P<key>disagree|dispute|object|withdraw|retract|oppose|reject)",
        DENIES,
        AFFIRMS,
    ),
    _cue(r"^(?:yes )?(?P<key>agreed|conceded|confirmed|reproduced|exactly)$", AFFIRMS),
    _cue(r"^(?P<key>withdrawn|disagreed|rejected|nonsense)$", DENIES),
    # Of the thing and the defect.
    _cue(rf"{_THING}(?: \w+){{0,3}}? {_BE}{_HOW} (?P<key>{_FINE})", DENIES, POINTS_FOR),
    _cue(rf"{_THING}(?: \w+){{0,3}}? {_BE}{_HOW} (?P<key>{_FAULTY})", POINTS_FOR, DENIES),
    _cue(
        rf"{_THING} (?:\w+ ){{0,3}}?(?P<key>works?|behaves?)"
        r"(?: (?:fine|correctly|properly|well|as \w+)|$)",
        DENIES,
        POINTS_FOR,
    ),
    _cue(
        rf"(?:{_BE}|poses?|presents?|there s|see|sees|find|found|has|have|contains?|it s|that s)"
        rf"(?: \w+){{0,3}}? (?P<key>{_DEFECT})",
        WEAKLY,
        DENIES,
    ),
    _cue(rf"(?:no|not an?|not any|hardly an?)(?: \w+){{0,2}}? (?P<key>{_DEFECT})", "", DENIES),
    _cue(rf"(?:real|actual|genuine|serious|true) (?P<key>{_DEFECT})", AFFIRMS, DENIES),
    _cue(rf"{_DEFECT}(?: \w+){{0,2}}? (?P<key>exists?|occurs?|arises?)", WEAKLY, DENIES),
    _cue(rf"no need to (?P<key>{_MENDED}|change|do)", DENIES, DENIES),
    _cue(r"(?:i|we) (?:need|have|ought) to (?P<key>fix|change|address|correct|repair)", AFFIRMS),
    _cue(rf"{_THING}(?: \w+){{0,3}}? (?:is|are|does|do) (?P<key>not)$", POINTS_FOR),
    _cue(rf"the (?P<key>{_DEFECT}) (?:is|lies|exists?|occurs?|remains?)", POINTS_FOR),
    _cue(
        r"(?P<key>false positive|false alarm|non ?issue|red herring|by design"
        r"|as (?:intended|designed|expected|documented))",
        DENIES,
        POINTS_FOR,
    ),
    _cue(rf"nothing (?:\w+ )?(?P<key>wrong|amiss|to (?:{_MENDED}|change|do))", DENIES, DENIES),
    _cue(
        rf"(?:no|any) (?:{_MENDED}|change|action) (?:\w+ )?(?P<key>needed|required|necessary)",
        DENIES,
        DENIES,
    ),
    _cue(
        rf"(?:must|should|has to|have to|ought to|needs? to)(?: \w+){{0,2}}? be (?P<key>{_MENDED})",
        AFFIRMS,
        DENIES,
    ),
    _cue(r"needs? (?:an? |to be )?(?P<key>fix(?:ed|ing)?)", AFFIRMS, DENIES),
    _cue(
        r"(?:this|that|it) (?:is|s)(?: \w+ly)?(?: not)? (?P<key>true|the case|so)",
        WEAKLY,
        DENIES,
    ),
    _cue(
        r"(?:this|that|it) (?:is|s)(?: \w+ly)?(?: not)? (?P<key>safe|harmless|intended|intentional)",
        DENIES,
        POINTS_FOR,
    ),
    # What only points somewhere.
    _cue(
        r"(?P<key>fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|breaks?|broken|leak(?:s|ed)?|overflow(?:s|ed)?"
        r"|overruns?|raises?|throws?|missing|lack(?:s|ing)?|absent|forg[oe]t(?:s|ten)?|unsafe|insecure"
        r"|vulnerable|exploit(?:s|able|ed)?|inject(?:s|ed|ion)?|races?|deadlocks?|hangs?|corrupt(?:s|ed)?"
        r"|los[et]s?|stale|unbounded|unchecked|unvalidated|unsaniti[sz]ed|unescaped|undefined|incomplete"
        r"|insufficient|exposes?|exposed|bypass(?:es|ed)?|skips?|skipped|ignore[sd]?|violates?|dangerous|buggy"
        r"|attackers?|anybody|anyone|too (?:early|late|many|few|often|long|short|large|much)|off by one)",
        POINTS_FOR,
    ),
    _cue(
        r"(?:no|without(?: any)?) (?:\w+ )?(?P<key>checks?|validation|tests?|locks?|limits?|timeouts?"
        r"|handling|guards?|escap\w+|bounds?|cleanup|retry|verification)",
        "",
        POINTS_FOR,
    ),
    _cue(
        r"(?<!should )(?<!must )(?<!need )(?:not|never)(?: \w+ly| been| be)? (?P<key>\w+(?:ed|en))",
        "",
        POINTS_FOR,
    ),
    _cue(
        r"(?:not|never) (?P<key>check|validate|verif|clos|handle|releas|escap|update|return|wait|lock"
        r"|test|cover|free|account|consider|work)\w*",
        "",
        POINTS_FOR,
    ),
    _cue(
        r"(?P<key>already|unreachable|out of scope|another|separate|elsewhere|unrelated|pre ?existing"
        r"|later|cannot|instead|only|merely|outside|handled|covered|intended|harmless|unchanged"
        r"|duplicates?|cosmetic|documented|bounded|guarded|validated|checked|trusted|constant|caller)",
        POINTS_AGAINST,
    ),
)
_HYPOTHETICAL = frozenset({"if", "whether", "unless", "until"})
_REPORTED = regex(
    r"\b(?:author|critics?|reviewers?|they|he|she|others?|someone|documentation|docs|readme|comment|[abc])"
    r" (?:\w+ ){0,2}?(?:sa(?:ys?|id)|claim(?:s|ed)?|argue[sd]?|state[sd]?|believe[sd]?|thinks?|thought"
    r"|insist(?:s|ed)?|maintain(?:s|ed)?|suggest(?:s|ed)?|assert(?:s|ed)?|call(?:s|ed)?|wrote|writes?)\b"
    r"|\baccording to\b"
)


def read_english(words: list[str]) -> ReasonCues:
    """What a clause says; what follows an "if", and what others are reported to say, is nothing."""
    cut = next((at for at, word in enumerate(words) if word in _HYPOTHETICAL), len(words))
    words = words[:cut]
    clause = " ".join(words)
    if _REPORTED.search(clause):
        return ReasonCues()
    counts = Counter(says for cue in _CUES for says in cue.read(clause, words))
    counts["negations"] = sum(word in NEGATORS for word in words)
    return ReasonCues.of(counts)
