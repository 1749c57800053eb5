"""What a turn does to what was said before it: agree, disagree, propose an answer, or something else.

English chat is read by a linear model (`acts.weights`), Korean by cues chosen by hand (`korean`). Where a turn argues,
a second model (`arguments`) says which side it takes. A side commits to no answer: what a turn agrees to is what it
says in so many words. See docs/design/convergence.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from orchestrator.core.consensus.detectors.arguments import AGAINST, ALONG, is_argument, side_of
from orchestrator.core.consensus.detectors.korean import (
    read_essay_originally,
    read_korean,
    read_korean_essay,
    read_korean_originally,
)
from orchestrator.core.consensus.detectors.linear import LinearModel, load_model
from orchestrator.core.findings.cues import prose
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts

AGREE, DISAGREE, PROPOSE, OTHER = "agree", "disagree", "propose", "other"
CLASSES = (AGREE, DISAGREE, PROPOSE, OTHER)
LONG_TURN = 60  # words; beyond them a turn is an essay
# Disagreement is rare in what the model learned from, so it speaks up at half of the odds.
RARITY = 2.0


@dataclass(frozen=True)
class Act:
    """How likely a turn agrees, disagrees and proposes; the rest is something else.

    `side`: which side an argued turn takes, one of `arguments.SIDES`; empty for any other turn.
    """

    agree: float = 0.0
    disagree: float = 0.0
    propose: float = 0.0
    side: str = ""

    @property
    def stance(self) -> str:
        """`agree`, `disagree` or `other`: an argument's side, else the likeliest, proposals counted with the rest."""
        if self.side:
            return self.side
        rest = max(0.0, 1.0 - self.agree - self.disagree)
        ranked = {AGREE: self.agree, DISAGREE: self.disagree * RARITY, OTHER: rest}
        return max(ranked, key=lambda name: ranked[name])


_HANGUL = regex(r"[가-힣]")
_LATIN = regex(r"[A-Za-z]")
_TOKEN = regex(r"[a-z]+(?:'[a-z]+)?|\d+|[?!@]")
_DRAWN_OUT = regex(r"(.)\1{2,}")
_MENTION = regex(r"@\s*\w+")
# A number or a single letter; Korean particles follow it directly.
OPTION = regex(r"(?<![A-Za-z0-9_'])(\d{1,3}|[A-Za-z])(?![A-Za-z0-9_'])")
_NEGATIONS = frozenset(
    "not no never don't doesn't didn't isn't wasn't can't cannot won't nope wrong incorrect disagree dont doesnt"
    " didnt isnt wouldn't wouldnt shouldn't neither nor aren't".split()
)
_STOP_WORDS = frozenset("a i the to of it is and or so that we you ? ! @".split())
_DISSENT = tuple(
    regex(pattern)
    for pattern in (
        r"^\W*(?:@ )?(?:well,? |um,? |but,? |wait,? )?(?:no|nope|nah|not)\b"
        r"(?! (?:worries|problem|idea|doubt|sure|one))",
        r"\bdisagree|\b(?:do not|don'?t|can'?t|cannot) agree"
        r"|\bnot (?:necessarily|really|quite|exactly|true|right|correct|needed|convinced|so sure|at all)\b",
        r"\b(?:that'?s|that is|it'?s|you'?re|you are|is|are|seems?) (?:wrong|incorrect|not\b|false|off)",
        r"\b(?:don'?t|do not|doesn'?t|does not|wouldn'?t|won'?t|shouldn'?t|isn'?t|aren'?t|didn'?t|can'?t|no need to)"
        r" (?:think|need|have|want|see|test|prove|matter|say|verify|work|help|make|fit|tell|be|mean|apply)",
        r"^\W*(?:but|well|actually|wait|hold on|however)\b",
    )
)
_ASSENT = tuple(
    regex(pattern)
    for pattern in (
        r"^\W*(?:@ )?(?:oh|ah|hm+|well|and|ok|okay|haha|lol)?,? ?(?:yes|yeah|yea|yep|yup|yah|ya|sure|agreed|agree"
        r"|exactly|right|correct|true|ok|okay|k|alright|definitely|absolutely|indeed|fine|cool|same|ditto|totally"
        r"|me too|me either)\b",
        r"\b(?:i|we|all|also|completely|totally|can|would) agree\b|\bin agreement\b|\bagreed\b|\bagree with\b",
        r"\b(?:makes? (?:perfect |total |more |a lot of )?sense|good (?:point|idea|call|thinking|catch|plan)"
        r"|great (?:idea|point)|fair (?:enough|point)|sounds? (?:good|great|right|fine|like a plan|reasonable|fair)"
        r"|works for me|fine (?:with|by) me|on board|i'?m (?:good|ok|okay|fine|happy|down) with)\b",
        r"\b(?:you'?re|you are|that'?s|that is|thats|is)"
        r" (?:probably |totally |absolutely |completely |so |exactly )?(?:right|correct|true|fair|it|what i)\b",
        r"\b(?:same (?:here|as|thing|answer)|me too|so do i|i did too"
        r"|what i (?:thought|picked|chose|was thinking|said|had|got|think)"
        r"|let'?s (?:do|go with|submit)|go(?:ing)? with (?:that|it|you))\b",
    )
)

# "It does not." - "Yes it does.", "It does." - "No, it does not.": the verb alone, turned round.
_CONTRADICTS_NO = regex(
    r"^\W*(?:@ )?(?:yes|yeah|but|sure|well|no)?,? ?(?:it|you|they|we|that|he|she|i|this|\w+) "
    r"(?:does|do|can|is|are|would|will|has|have|should|could|did|was)\b(?! not|n't)"
)
_CONTRADICTS_YES = regex(
    r"^\W*(?:@ )?(?:no|nope|but|well)?,? ?(?:it|you|they|we|that|he|she|i|this|\w+)?,? ?"
    r"(?:(?:do|does|is|are|can|would|wo|should|could|did|was|has|have)n'?t|can'?t|cannot"
    r"|(?:do|does|is|are|would) not|not)\b"
)
_REFUSES = regex(
    r"\b(?:not needed|no need|don'?t need|doesn'?t need|not necessary|unnecessary|irrelevant|incorrect|wrong|disagree"
    r"|not agree|don'?t agree|don'?t think|wouldn'?t|would not|shouldn'?t|don'?t see)\b"
)


def features(text: str, before: str = "", names: Iterable[str] = ()) -> list[str]:
    """What the linear model sees of a turn: its words, how it begins and ends, and how it meets the one before.

    Numbers and option letters are one word, participants' names another, so that nothing hangs on a subject.
    """
    named = frozenset(name.lower() for name in names)
    words, earlier = _words(text, named), _words(before, named)
    present = {f"w={word}" for word in words}
    size = f"len{_size(len(words))}"
    asked, asks = "?" in earlier, "?" in words
    present |= {size, f"q{asks:d}", f"pq{asked:d}", f"{size},plen{_size(len(earlier)) // 2}"}
    if words:
        present |= {f"l={words[-1]}", f"{size},f={words[0]}", f"pq{asked:d},f={words[0]}"}
        present |= {f"f={'_'.join(words[:count])}" for count in range(1, min(3, len(words)) + 1)}
    present |= _denials(words, earlier)
    present |= _contradictions(text, words, earlier)
    options = _options_against(text, before)
    present.add(f"opt={options}")
    present |= _cues(text, asks=asks, short=len(words) <= 8, options=options)
    return sorted(present)


def _words(text: str, names: frozenset[str]) -> list[str]:
    lowered = _MENTION.sub(" @ ", text.replace("’", "'")).lower()
    words = []
    for word in _TOKEN.findall(lowered):
        if word.isdigit() or (len(word) == 1 and word not in "ai?!@"):
            words.append("#")
        else:
            words.append("@" if word in names else _DRAWN_OUT.sub(r"\1", word))
    return words


def _size(words: int) -> int:
    return sum(words > edge for edge in (0, 1, 2, 4, 7, 12, 25))


def _denials(words: list[str], earlier: list[str]) -> set[str]:
    own = sum(word in _NEGATIONS for word in words)
    theirs = any(word in _NEGATIONS for word in earlier)
    meaning = set(words) - _STOP_WORDS
    shared = len(meaning & set(earlier)) / len(meaning) if meaning else 0.0
    return {
        f"neg{min(own, 2)}",
        f"neg{own > 0:d},pneg{theirs:d}",
        f"ov{int(shared * 4)}",
        f"ov{shared >= 0.34:d},neg{own > 0:d},pneg{theirs:d}",
    }


def _contradictions(text: str, words: list[str], earlier: list[str]) -> set[str]:
    """Short turns that reverse what was said before, and refusals that take up its words."""
    lowered = _MENTION.sub("@", text.replace("’", "'")).lower()
    if "?" in lowered:
        return set()
    denied = any(word in _NEGATIONS for word in earlier)
    present = set()
    if len(words) <= 6:
        if denied and _CONTRADICTS_NO.search(lowered):
            present.add("turns_no_round")
        if _CONTRADICTS_YES.search(lowered):
            present.add(f"turns_yes_round,pneg{denied:d}")
    if _REFUSES.search(lowered):
        shared = len((set(words) - _STOP_WORDS) & set(earlier))
        present |= {f"refuses,ov{min(shared, 2)}", f"refuses,{_size(len(words))}"}
    return present


def _options_against(text: str, before: str) -> str:
    own, theirs = options_in(text), options_in(before)
    if not own:
        return "none"
    if own == theirs:
        return "same"
    if own < theirs:
        return "part"
    return "some" if own & theirs else "new"


def options_in(text: str) -> set[str]:
    return {
        option
        for option in OPTION.findall(text)
        if option.isdigit() or (option.isupper() and option != "I")
    }


def _cues(text: str, *, asks: bool, short: bool, options: str) -> set[str]:
    lowered = "" if asks else _MENTION.sub("@", text.replace("’", "'")).lower()
    against = [at for at, cue in enumerate(_DISSENT) if cue.search(lowered)]
    along = [at for at, cue in enumerate(_ASSENT) if cue.search(lowered)]
    no, yes = min(len(against), 2), min(len(along), 2)
    return {
        *(f"no{at}" for at in against),
        *(f"yes{at}" for at in along),
        f"no{no},yes{yes}",
        f"no{min(no, 1)},opt={options}",
        f"no{no},short{short:d}",
        f"yes{yes},short{short:d}",
    }


# ---- what a turn does ---------------------------------------------------------------------------


@lru_cache(maxsize=1)
def shipped_model() -> LinearModel:
    """The model that ships with the product."""
    return load_model("acts.weights")


@kept_by_texts(16_000_000)  # the same turns are read again after every round
def act_of(
    text: str,
    before: str = "",
    names: tuple[str, ...] = (),
    model: LinearModel | None = None,
    arguments: LinearModel | None = None,
) -> Act:
    """What a turn does, given the last turn of somebody else. An empty turn does nothing."""
    own = prose(text).strip()
    if not own:
        return Act()
    long = _is_long(own)
    if _is_korean(own):
        return Act(*(read_korean_essay(own) if long else read_korean(own)))
    if long:
        return _of_essay(side_of(own, before, arguments))
    side = _likeliest(side_of(own, before, arguments)) if is_argument(own, before) else ""
    return replace(_of_chat(own, before, names, model), side=side)


@kept_by_texts(4_000_000)
def original_act_of(
    text: str, before: str = "", names: tuple[str, ...] = (), model: LinearModel | None = None
) -> Act:
    """The same by the first rules (`RulesVersion.ORIGINAL`), which knew no arguments and fewer Korean conditions."""
    own = prose(text).strip()
    if not own:
        return Act()
    if _is_long(own):
        return Act(*read_essay_originally(own))
    if _is_korean(own):
        return Act(*read_korean_originally(own))
    return _of_chat(own, before, names, model)


def _is_long(text: str) -> bool:
    return len(text.split()) > LONG_TURN


def _is_korean(text: str) -> bool:
    return len(_HANGUL.findall(text)) > len(_LATIN.findall(text))


def _of_chat(text: str, before: str, names: tuple[str, ...], model: LinearModel | None) -> Act:
    likely = (model or shipped_model()).probabilities(features(text, before, names))
    return Act(likely[AGREE], likely[DISAGREE], likely[PROPOSE])


# Never enough to take an answer over: measured, essays that agree settle nothing.
ESSAY_AGREES = 0.25


def _of_essay(sides: dict[str, float]) -> Act:
    """An essay is too long for the model of chat; all that is known of it is its side."""
    return Act(ESSAY_AGREES * sides[ALONG], sides[AGAINST], side=_likeliest(sides))


def _likeliest(sides: dict[str, float]) -> str:
    return max(sides, key=lambda side: sides[side])
