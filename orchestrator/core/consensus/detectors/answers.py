"""Which answer a turn states, and whether two answers are the same.

An answer is what is chosen (letters, numbers, names in quotes or code) together with what is said about it, or,
where nothing is chosen, what is said alone. "Accept B" and "reject B" name the same option and are no agreement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from orchestrator.core.consensus.detectors.acts import Act
from orchestrator.core.consensus.detectors.claims import Clause, WordedClaim, read_claim
from orchestrator.core.consensus.detectors.commitments import (
    Commitment,
    commitment_of,
    holds_out,
    without_commitment,
)
from orchestrator.core.consensus.detectors.options import MOST_OPTIONS, options_named, with_marks
from orchestrator.core.consensus.detectors.wordings import (
    CHOOSES,
    at_odds,
    other_order,
    same_claim,
    says_the_same,
)
from shared.patterns import regex

STATES_WITHIN = 40  # words: of a longer turn only its conclusion is read
BRIEF = 20  # words
PROPOSES_FROM = 0.5
OBJECTS_FROM = 0.3
SEVERAL = 2
EVERYTHING = "*"


@dataclass(frozen=True)
class FollowedAnswer:
    """What is chosen, and the words it was said in; `among_several`: chosen from several options in passing.

    `proposed`: said as a proposal, not as an argument. `opening`: the first claim of a turn of several, which may be
    the answer just as the last (`words`) may: people say what they want and then why, or the other way round.

    Anyone who picks one of several options in conversation gives all kinds of reasons. Elsewhere what is said about
    the option is part of the answer.
    """

    options: frozenset[str]
    words: str = ""
    among_several: bool = False
    proposed: bool = False
    opening: str = ""

    @property
    def claim(self) -> WordedClaim:
        """What was said, taken apart."""
        return read_claim(self.words)

    @property
    def is_a_word(self) -> bool:
        """Whether it is a single word without a choice: an answer only where it repeats one."""
        return not self.options and len(self.claim.terms) < SEVERAL

    @property
    def said_about(self) -> frozenset[tuple[str, bool, float | None]]:
        """What is said besides that this is chosen."""
        return frozenset(
            term.meaning
            for clause in self.claim.clauses
            for term in clause.terms
            if not (_is_name(term.concept) or (term.concept in CHOOSES and not term.denied))
        )


# Words that only take a side: alone they say nothing of what it is about.
_STANCE = frozenset(
    "accept agree good true object possible 채택 좋 반대 가능 sorry hello hi bye understand understood note interest"
    " welcome congratulation 이해 감사 고맙 알겠 흥미".split()
)


def likeness_of(answer: FollowedAnswer, other: FollowedAnswer) -> float:
    """1 for the same answer, the share of options in common for a choice, 0 for what cannot both be meant."""
    if not (answer.options or other.options):
        return float(_says_the_same(answer, other))
    if _says_otherwise(answer, other):
        return 0.0
    return len(answer.options & other.options) / len(answer.options | other.options)


def _says_the_same(answer: FollowedAnswer, other: FollowedAnswer) -> bool:
    """Of two turns of several claims each, one alone may be what both concede, or the reason that both give."""
    if answer.opening and other.opening and not says_the_same(answer.opening, other.opening):
        return False
    return says_the_same(answer.words, other.words)


def opening_of(answer: FollowedAnswer, text: str) -> FollowedAnswer | None:
    """The first claim of a turn as an answer of its own, unless what follows turns away from it."""
    if not answer.opening or _TURNS_AWAY.search(text):
        return None
    return replace(answer, words=answer.opening, opening="")


def opens_with(answer: FollowedAnswer, other: FollowedAnswer) -> bool:
    """Whether the first claim of a turn of several is another answer, which has nothing beside it."""
    return bool(answer.opening) and not other.opening and says_the_same(answer.opening, other.words)


def _says_otherwise(answer: FollowedAnswer, other: FollowedAnswer) -> bool:
    if answer.among_several and other.among_several:
        return other_order(answer.claim, other.claim)
    if at_odds(answer.claim, other.claim):
        return True
    ours, theirs = answer.said_about, other.said_about
    if not (ours and theirs):
        return False
    return ours != theirs and not same_claim(answer.claim, other.claim)


def _plain(name: str) -> str:
    return name[1:-1].replace("_", " ")


def _is_name(concept: str) -> bool:
    return concept.startswith("‹")


# ---- what one turn states -----------------------------------------------------------------------

_ANSWER_NOUN = (
    r"(?:(?:my |the |our )?(?:final |revised |overall )?(?:answer|vote|choice|decision|verdict|position"
    r"|recommendation|conclusion|proposal|result|resolution)"
    r"|(?:제 |최종 |나의 )?(?:답|답변|결론|선택|투표|입장|권고|결정|제안|판단|결과))"
)
_ANSWER_LINE = regex(
    rf"(?im)^[ \t*_#>-]*{_ANSWER_NOUN}[*_ \t]*[:：][*_ \t]*(\S.{{0,200}})$"
    # A heading of its own, and what stands under it.
    rf"|^[ \t]*(?:#+[ \t]*|[*_]{{2}}){_ANSWER_NOUN}[*_ \t]*\n+[*_ \t]*([^\s#>-].{{0,200}})$"
)
_NO_ANSWER = regex(
    r"(?i)\W*(?:undecided|unsure|not sure|unclear|unknown|none|n/?a|no (?:answer|opinion"
    r"|preference|position)"
    r"|(?:it )?depends|abstain|모르|미정|기권|없음|없습니다|판단 ?(?:불가|유보)|유보)\b"
)
_TAKES_OUT = regex(
    r"(?i)\b(?:not|don'?t|doesn'?t|isn'?t|no|without|irrelevant|unnecessary|never|nothing"
    r"|except|leave|ignore"
    r"|rule out)\b|말고|빼고|제외|아니"
)
_PASSED_OVER = regex(
    r"(?i)\b(?:over|instead of|rather than|not|without|except|against|anything but|all but"
    r"|other than)\s+"
    r"(?:option\s+|plan\s+)?[a-z0-9]{1,3}\b"
    r"|(?<![a-z0-9])[a-z0-9]{1,3}(?:번|안)?[을를만은는]?\s?(?:말고|대신|보다|빼고|제외)"
    r"|(?<![a-z0-9])[a-z0-9]{1,3}(?:번|안)?이?었"
)
_ALL = regex(
    r"(?i)\ball (?:of (?:them|the \w+|these)|four|three|five|\d)\b|\b(?:them|pick|choose"
    r"|select) all\b"
    r"|(?:전부|모두) ?(?:다|선택|고르)"
)
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_CLAIM = regex(r"(?<=[.!?])\s+|:\s+")
_TURNS_AWAY = regex(
    r"(?i)\b(?:but|however|still|yet|though|although|nevertheless|nonetheless|even so|instead)\b"
    r"|하지만|그러나|그래도|다만|그렇지만|[가-힣]지만|반면|오히려"
)
_ITEM = regex(r"\s*(?:[-*•]|\d{1,2}[.)])\s|\s*#")
_PROPOSES = regex(
    r"(?i)\b(?:let us|let's|we (?:should|must|ought to|could|will)|i (?:now |would |also "
    r"|therefore |strongly )*"
    r"(?:propose|suggest|recommend|vote|prefer|choose|pick|support|accept|agree (?:that|to"
    r"|with)|rather)|i'd (?:rather|prefer|pick|choose|keep)"
    r"|my (?:proposal|suggestion|recommendation) is|how about|what about|shall we)\b"
)
# In a long turn "I agree that ..." is how one debates politely; a decision is said in other words.
_DECIDES = regex(
    r"(?i)\b(?:let us|let's|we (?:should|must)|i (?:now |would |also |therefore |strongly )*"
    r"(?:propose|suggest|recommend|vote|choose|pick|support|accept|agree (?:that we should"
    r"|to))|i'd (?:pick|choose))\b"
)
_PROPOSES_KO = regex(
    r"(?:[하갑둡둔두줍립칩꿉웁합킵깁봅맙읍풉웁집씁끕켭쓰][시하]다|합시다|읍시다|[가-힣]시다"
    r"|하자|[가-힣]자|하죠|죠|제안합니다|제안드립니다|[어아여해]야 (?:합니다|한다|해요)"
    r"|어떨까요|어때요|겠습니다|찬성합니다|동의합니다)[.!?~]*$"
)
_QUOTED = regex(r"[\"“][^\"”]*(?:[\"”]|$)")
_ASKS = regex(r"(?i)^\W*(?:how about|what about|shall we|why not)\b|어떨까|어때")
_LEADS = regex(
    r"(?i)^(?:\W*(?:yes|yeah|ok|okay|good|great|fine|agreed|sure|thanks|thank you|wonderful"
    r"|excellent|lovely|brilliant|nice|cool|awesome|super|splendid|alright|certainly"
    r"|absolutely|definitely|correct|right|then|so|well|true|perfect|exactly|indeed"
    r"|no problem|fair enough|good point|makes sense|(?:that|it"
    r"|this)(?: also)? works(?: for me)?|sounds (?:good|great|fine|reasonable)(?: to me)?"
    r"|i (?:fully |completely |also )?agree(?: with (?:that|you|this|\w+))?(?: completely"
    r"| fully)?|you(?:'re| are) right|i can live with (?=\w)"
    r"|네|예|넵|좋습니다|좋아요|좋네요|그럼|그러면|그렇네요|그렇군요|맞습니다|맞네요|저도"
    r"|동의합니다|찬성합니다|알겠습니다|감사합니다|확인했습니다)"
    r"(?=[\s,.:;!~-]|$)[\s,.:;!~-]*)+"
)


def stated_answer(text: str, act: Act, known: frozenset[str]) -> FollowedAnswer | None:
    """The answer that a turn states for its speaker, None when it states none.

    A line `Answer: ...` states it in a turn of any length, otherwise a short turn, or the conclusion of a long one.
    """
    if lines := _ANSWER_LINE.findall(text):
        return _declared_answer("".join(lines[-1]).strip(" .*_"), known)
    if len(text.split()) > STATES_WITHIN:
        concluded = "" if holds_out(text) else conclusion_of(text, _DECIDES)
        return _as_proposal(_worded(concluded, known))
    among_several = len(known) >= SEVERAL
    choosing = _choosing(text, known)
    chosen = _chosen(choosing, known, among_several=among_several)
    if chosen is None and _named(text, known):
        return None if among_several else _worded(text, known)
    if chosen is not None and act.disagree < OBJECTS_FROM:
        return None if _TAKES_OUT.search(choosing) else chosen
    return _proposal(text, act, known)


def refuses(text: str, known: frozenset[str]) -> bool:
    """Whether a turn names options and chooses none of them."""
    return bool(_named(text, known)) and _chosen(text, known, among_several=False) is None


def _choosing(text: str, known: frozenset[str]) -> str:
    """Of a turn of some length the sentence that proposes, where it names an option."""
    if len(text.split()) <= BRIEF:
        return text
    concluded = conclusion_of(text)
    return concluded if _named(concluded, known) else text


def declares(text: str) -> bool:
    """Whether a turn states its answer in a line of its own."""
    return bool(_ANSWER_LINE.search(text))


def conclusion_of(text: str, cue: re.Pattern[str] = _PROPOSES) -> str:
    """The last proposal of a turn, from the words that propose it on; empty when nothing is proposed."""
    for sentence in reversed(_SENTENCE.split(text)):
        unquoted = _QUOTED.sub(lambda match: " " * len(match[0]), sentence)
        proposals = list(cue.finditer(unquoted))
        if proposals:
            return sentence[proposals[-1].start() :]
        if _PROPOSES_KO.search(sentence.strip()):
            return sentence
    return ""


def _proposal(text: str, act: Act, known: frozenset[str]) -> FollowedAnswer | None:
    """What a short turn proposes, or claims where the discussion has no options to choose from."""
    proposes = act.propose >= PROPOSES_FROM
    if proposes and _ALL.search(text):
        return FollowedAnswer(frozenset({EVERYTHING}))
    concluded = "" if known and not proposes else conclusion_of(text)
    if proposes or concluded:
        return _as_proposal(_worded(concluded or text, known))
    argued = bool(known) or act.disagree >= PROPOSES_FROM
    return None if argued else _claimed(text, known)


def _claimed(text: str, known: frozenset[str]) -> FollowedAnswer | None:
    """The last claim of a turn, with its first: either may be its answer."""
    claims = _claims(text)
    answer = _worded(claims[-1], known) if claims else None
    if answer is None or len(claims) < SEVERAL or answer.options:
        return answer
    opening = _worded(claims[0], known)
    return replace(answer, opening=opening.words if opening else "")


def _claims(text: str) -> list[str]:
    """The sentences that claim something; items of a list only support what stands before them."""
    lines = list(filter(str.strip, text.splitlines()))
    prose = [line for line in lines if not _ITEM.match(line)] or lines
    return [part for line in prose for part in _CLAIM.split(line) if _claims_something(part)]


def _claims_something(part: str) -> bool:
    return bool(part.strip()) and not part.rstrip().endswith("?")


def _as_proposal(answer: FollowedAnswer | None) -> FollowedAnswer | None:
    return replace(answer, proposed=True) if answer else None


def _worded(text: str, known: frozenset[str]) -> FollowedAnswer | None:
    """The words of a claim without what opens it politely; None when nothing is left, or it asks."""
    if not text or (text.rstrip().endswith("?") and not _ASKS.search(text)):
        return None
    chosen = _chosen(text, known, among_several=False)
    if chosen is not None:
        return chosen
    words = with_marks(without_commitment(_LEADS.sub("", text.strip())), known)
    answer = FollowedAnswer(frozenset(), words)
    speaks_of = {term.concept for term in answer.claim.terms} - _STANCE
    return answer if speaks_of else None


def _declared_answer(line: str, known: frozenset[str]) -> FollowedAnswer | None:
    if _NO_ANSWER.match(line) or commitment_of(line) is Commitment.NOTHING_YET:
        return None
    return _chosen(line, known, among_several=False) or FollowedAnswer(
        frozenset(), with_marks(line, known)
    )


def _named(text: str, known: frozenset[str]) -> frozenset[str]:
    return frozenset(match[1].upper() for match in options_named(text, known))


def _chosen(text: str, known: frozenset[str], *, among_several: bool) -> FollowedAnswer | None:
    """The options or names that a text chooses: those that it neither passes over, denies nor makes a condition."""
    about = text if among_several else _naming(text, known)
    marked = with_marks(_PASSED_OVER.sub(" ", about), known)
    answer = FollowedAnswer(frozenset(), marked, among_several)
    taken = _taken(answer)
    options = frozenset(name.upper() for name in taken if name.upper() in known)
    if _says_something_of(answer):
        return None
    if not options and not answer.said_about:
        options = taken
    return replace(answer, options=options) if 0 < len(options) <= MOST_OPTIONS else None


def _naming(text: str, known: frozenset[str]) -> str:
    """The sentences that name an option, else all, without what opens them politely."""
    naming = [part for part in _SENTENCE.split(text) if _named(part, known)]
    return _LEADS.sub("", " ".join(naming) or text)


def _taken(answer: FollowedAnswer) -> frozenset[str]:
    """What stands in the clauses of an answer and in none that refuses."""
    refuse = _refuses_among_several if answer.among_several else _refuses
    named: set[str] = set()
    refused: set[str] = set()
    for clause in answer.claim.clauses:
        names = {_plain(term.concept) for term in clause.terms if _is_name(term.concept)}
        (refused if refuse(clause) else named).update(names)
    return frozenset(named - refused)


def _says_something_of(answer: FollowedAnswer) -> bool:
    """Whether an option is what a sentence is about, and not chosen by it."""
    subject = not answer.among_several and _IS_SUBJECT.search(answer.words)
    return bool(subject) and not answer.said_about <= _PRAISE


# "B is a risk", "B안은 실수입니다" say something of an option, which chooses it only where it is praise.
_IS_SUBJECT = regex(
    r"`[^`\n]+` (?:is|was|would|will|could|can|may|might|has|does|seems|looks|needs|makes|causes|breaks|loses)\b"
    r"|`[^`\n]+`(?:번|안)?(?:은|는|이|가)(?= )"
)
_PRAISE = frozenset(
    (concept, False, None)
    for concept in "good safe cheap fast accept necessary win possible first 좋 안전 저렴 빠르 필요 가능".split()
)
_REFUSABLE = frozenset(("accept", "keep", "necessary", "채택", "유지", "필요"))


def _refuses_among_several(clause: Clause) -> bool:
    return any(term.denied and term.concept in _REFUSABLE for term in clause.terms)


def _refuses(clause: Clause) -> bool:
    return clause.conditional or any(term.denied for term in clause.terms)
