"""What a turn of any length says of itself in so many words: I accept, I take it back, I shall think about it."""

from __future__ import annotations

from enum import StrEnum

from orchestrator.core.consensus.detectors.claims import read_claim
from shared.patterns import regex


class Commitment(StrEnum):
    """How far a turn commits its speaker to what is on the floor."""

    ACCEPTS = "accepts"
    ON_CONDITION = "on condition"
    NOTHING_YET = "nothing yet"
    UNSAID = "unsaid"


_ADVERB = (
    r"(?:now |then |fully |also |do |can |therefore |happily |gladly |completely |totally |too )*"
)
_ACCEPTS = regex(
    rf"(?i)\bi {_ADVERB}(?:agree|accept|concede|concur|support|approve|endorse|yield|consent|go along"
    r"|am (?:fine|happy|ok|okay|content)"
    r"|will go with|can live with)\b(?! (?:if|only|once|when|provided|on condition|partly"
    r"|in part|to disagree))"
    r"|\bconvinced me\b|\bi(?:'m| am) (?:now )?(?:convinced|persuaded|satisfied)\b|\bi (?:was"
    r"|stand) (?:wrong|mistaken|corrected)\b"
    r"|\b(?:withdraw|drop|retract|take back|give up|waive) (?:my|the|that"
    r"|this) (?:\w+ )?(?:objection|concern|reservation|veto|opposition|proposal|point|answer|view|opinion|position"
    r"|suggestion|claim|diagnosis|vote|idea)s?\b"
    r"|\b(?:objection|concern|reservation|doubt|worr)(?:s|y|ies)? (?:is|are|has been|have been"
    r"|was|were)"
    r" (?:now )?(?:resolved|gone|settled|addressed|answered|lifted|dealt with|withdrawn|moot)"
    r"|\b(?:i (?:have )?changed?|i'?ve changed|changing) my (?:mind|vote|view|opinion)\b"
    r"|\bno (?:further |more )?objections?\b"
    r"|\b(?:that |this |it )?works for me\b|\b(?:fair enough|you win|count me in"
    r"|it'?s a deal)\b|\bhappy with that\b"
    r"|\b(?:agreed|deal)\b(?! (?:to|on|upon|that we should not))"
)
_ACCEPTS_KO = regex(
    r"(?:반대|이의|우려|걱정|의견|거부|제안|유보)[가-힣]* ?(?:를|을|는|은)? ?(?:모두 "
    r"|이제 )?(?:철회|거두|거둡|접겠|접습|물리겠|내려놓)"
    r"|설득(?:되었|됐|당했)|제가 (?:틀렸|잘못|오해)|(?:생각|마음|표|의견|입장)을? ?(?:바꾸겠"
    r"|바꿨|바꿉|바꾸었|바뀌었|바뀌)"
    r"|(?:우려|걱정|의문|문제)[가는이은도]? ?(?:모두 )?(?:해소|사라|없어졌|풀렸|해결)"
    r"|이[의견][가는도]? ?없습|(?:동의|찬성|수용|승인|지지)(?:에 )?(?:합니다|하겠습니다|해요"
    r"|할게요|하죠|드립니다|했습니다)"
    r"|동의한다|받아들이겠|받아들입|따르겠|인정하겠|인정합니다|그렇게 (?:하시죠|합시다|하죠"
    r"|해요|하겠)|(?:이면|라면|이라면|도) 괜찮습니다"
)
_HOLDS_OUT = regex(
    r"(?i)\b(?:still|but|however|except|yet|although|though)\b[^.!?]{0,80}\b(?:disagree|prefer"
    r"|believe|think|maintain|insist|object|cannot|can't|not)\b"
    r"|\b(?:cannot|can't|do not|don't|won't|not) (?:\w+ )?(?:agree|accept|support|approve"
    r"|withdraw)\b|\bstill (?:believe|think|maintain|prefer|object|disagree)"
    r"|\bi disagree\b"
)
_HOLDS_OUT_KO = regex(
    r"여전히|그래도 저는|동의하지 않|동의할 수 없|찬성하지 않|찬성할 수 없|받아들일 수 없"
    r"|반대합|반대입|다만|하지만|그러나|지만"
)
_INSISTS_KO = regex(r"여전히|그래도 저는|동의하지 않|동의할 수 없|받아들일 수 없")
_CONCESSIVE = regex(r"(?:처음|아까|전|이제까지|지금까지)[^.!?]{0,30}지만")
_NOT_YET = regex(
    r"(?i)\b(?:will|let me|we'll|i'll|shall|need to|have to|want to|would like to|going to"
    r"|must|should)"
    r" (?:\w+ )?(?:look (?:into|at)|think (?:about|over|on|it)|consider|get back|reflect"
    r"|study it|sleep on|take (?:it|that|this) (?:away|under|on board)"
    r"|discuss (?:it|this|that)|talk to|check with|revisit|weigh|mull|ask my|run (?:it|this"
    r"|that) by)"
    r"|\b(?:under (?:review|consideration)|no (?:promise|commitment)|keep (?:it|that"
    r"|this) in mind|worth considering|remains to be seen|we'll see|too early to)\b"
    r"|\bnot (?:yet )?(?:sure|decided|certain|ready)\b|\bundecided\b|\bappreciate\b"
)
_NOT_YET_KO = regex(
    r"(?:검토|생각|고민|논의|고려|상의|의논|협의|연구|확인|참고|조율|숙고|파악|타진|보고)(?:를"
    r"|을|도|은)? ?(?:더 )?(?:해|하여|드려)? ?(?:보겠|보도록|보고|보죠|봅시다|봅니다|봐야|볼게"
    r"|볼 |보려|보는 (?:것|게))"
    r"|(?:검토|고려|참고|논의|상의|고민|노력|숙고|확인)(?:를|을)? ?(?:하겠|할게|드리겠|해야겠"
    r"|이 필요|중입)|살펴 ?(?:보겠|볼게|보죠|봐야)|두고 ?(?:보겠|봅시다|보죠|봐야)"
    r"|알아보겠|연락 ?드리|답(?:을|변을)? ?드리겠|기회가 (?:되|닿)|다음에 (?:다시|또)"
    r"|마음에 새기|새겨 ?듣|유념하겠|모르겠|글쎄|긍정적으로|생각해 ?볼|나중에 (?:말씀|정하|결정)"
)
_SENTENCE = regex(r"(?<=[.!?\n])\s+|\n+")


LONG = 40  # words
_MOVES = regex(
    r"(?i)convinced me|\bi(?:'m| am) (?:now )?(?:convinced|persuaded)|\bi (?:was"
    r"|stand) (?:wrong|mistaken|corrected)|\bconcede\b"
    r"|\b(?:withdraw|drop|retract|take back|give up) (?:my|the|that|this)\b|chang(?:e|ed"
    r"|ing) my (?:mind|vote|view|opinion)"
    r"|\b(?:resolved|addressed|settled|lifted)\b|\bagree (?:that we should|to)\b|[가-힣]"
)


def holds_out(text: str) -> bool:
    """Whether a turn insists on a view of its own."""
    return bool(_HOLDS_OUT.search(text.replace("’", "'")) or _INSISTS_KO.search(text))


def commitment_of(text: str) -> Commitment:
    """Read from the end of a turn: the last sentence that commits, or withholds, counts.

    In a long turn "I agree that ..." is how one debates politely: there only a change of mind commits.
    """
    if len(text.split()) > LONG and not _MOVES.search(text):
        return Commitment.UNSAID
    for sentence in reversed(_SENTENCE.split(text.replace("’", "'"))):
        if (commitment := _of_sentence(sentence.strip())) is not None:
            return commitment
    return Commitment.UNSAID


def _of_sentence(sentence: str) -> Commitment | None:
    """What a sentence commits to; None for one that says nothing about it."""
    if _NOT_YET.search(sentence) or _NOT_YET_KO.search(sentence):
        return Commitment.NOTHING_YET
    objects = _HOLDS_OUT.search(sentence) or _HOLDS_OUT_KO.search(_CONCESSIVE.sub(" ", sentence))
    if objects or sentence.endswith("?"):
        return Commitment.UNSAID
    if not (_ACCEPTS.search(sentence) or _ACCEPTS_KO.search(sentence)):
        return None
    return Commitment.ON_CONDITION if read_claim(sentence).conditions else Commitment.ACCEPTS


# What only tells of a change of mind, before what it changed to.
_OPENS = regex(
    r"(?i)^\W*(?:(?:so|then|and|therefore),? )?i (?:\w+ )?(?:"
    r"(?:withdraw|drop|retract|take back|give up|waive|abandon) (?:my|the|that|this) (?:\w+ )?\w+"
    r"(?: and (?:concur|agree|accept))?\s*[,;:.]\s*(?:and )?"
    r"|(?:maintain|stand by|stay with|stick (?:to|with)|reiterate|repeat|insist)(?: that)? "
    r"|(?:change|switch|move|revise|update|amend)(?: my (?:\w+ )?(?:answer|vote|choice|mind|view|position"
    r"|proposal|opinion))? (?:over )?to "
    r"|(?:accept|support|endorse|agree (?:to|with|on)) (?:this|that|the|your) (?:\w+ ){0,2}\w+:\s*"
    r")(?=\w)"
    r"|^(?:저는 )?(?:제|저의|이전|앞의)? ?(?:의견|제안|반대|입장|이의|주장|진단|판단)"
    r"(?: 의견)?[을를은는]? ?(?:철회|거두|거둡|접)[가-힣]*[,.]?\s+"
    r"|^(?:저는 )?(?:제|저의) (?:답|답변|의견|입장|표|선택)[을를] (?=\S+로 (?:바꾸|바꿉|변경|정정))"
)
_SAME_REASON_KO = regex(r"^(?:위와 |앞과 )?같은 이유로,? ")
_CLOSES = regex(
    r"(?:이?라는|다는) ?(?:데|것에|점에|의견에|판단에|입장)[을를도]? ?(?:모두 )?(?:동의|찬성|공감|유지)[가-힣]*[.!]?$"
    r"|(?<=[가-힣])(?:이)?라고 (?:판단|생각|봅|보겠|믿)[가-힣]*[.!]?$"
)
_MOVES_ONLY_KO = regex(r"^[^을를]*로 (?:바꾸|변경하|정정하|옮기)겠[가-힣]*[.!]?$")
_CLOSES_MOVED = regex(r"(?<=로) (?:바꾸|바꿉|변경|정정|옮기)[가-힣]*[.!]?$")


def without_commitment(text: str) -> str:
    """What somebody commits to, without the words that say that they do."""
    own = _OPENS.sub("", text)
    if (own != text or _MOVES_ONLY_KO.match(own)) and (moved := _CLOSES_MOVED.sub("", own)):
        own = moved
    return _CLOSES.sub("", _SAME_REASON_KO.sub("", own)) or text
