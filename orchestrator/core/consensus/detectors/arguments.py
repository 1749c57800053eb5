"""Which side a reply to an argument takes: along with it, against it, or neither.

In an argument few say "I agree". A reply goes along by carrying on about the same people, by adding a case or a worse
one; it goes against by turning to the speaker ("you", "your"), by asking back, by correcting, by "but". So the
features are groups of function words and set phrases, none of which belongs to a subject; a linear model weighs them
(`arguments.weights`). A side is no assent: whoever goes along has not taken an answer over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from orchestrator.core.consensus.detectors.argument_cues import (
    GROUPS,
    OPENINGS,
    PHRASES,
    WORKS,
)
from orchestrator.core.consensus.detectors.linear import LinearModel, load_model
from shared.patterns import regex

ALONG, AGAINST, NEITHER = "agree", "disagree", "other"
SIDES = (ALONG, AGAINST, NEITHER)
LONGEST_READ = 4_000  # characters of either text

# An exchange (a turn and the one before it) is an argument from so many words on; a turn written in sentences needs
# fewer than a line of chat. Whoever names options works at a choice, unless the turn is long.
ARGUES_FROM = 25
ARGUES_IN_SENTENCES_FROM = 10
ALWAYS_ARGUES_FROM = 40  # words of the turn itself

_SENTENCE_END = regex(r"[.!?…](?=[\s\"”)]|$)")
_GOES_ON = (
    r"is|are|was|has|have|does|do|did|doesn'?t|isn'?t|can|can'?t|could|would|will|should|must|may|might|needs?"
    r"|and|or|if|then|because|as|with|too|only|but|since|that|which|it|we|you|i|so|not|to|for|on|in|also|out"
    r"|over|first"
    r"|instead|together"
)
_NAMES_OPTION = regex(
    r"(?<![\w'.,:$/€-])(?:\d{1,2}(?![\w'%:/.-])(?=\s*(?:$|[,;!?)&+]|\.(?:\s|$)|(?:"
    + _GOES_ON
    + r")\b))|[B-HJ-Z](?![\w'&/-]|\.\w)|A(?=\s*(?:$|[,;!?)&+.]|(?:is|has|and|or|to|as)\b)))"
)

_WORD = regex(r"[a-z]+(?:'[a-z]+)?|\d+|[?!]")


SHORT = 3  # letters
_SIZES = (5, 9, 15, 25, 40, 60, 100)


@lru_cache(maxsize=1)
def shipped_model() -> LinearModel:
    """The model that ships with the product."""
    return load_model("arguments.weights")


def is_argument(text: str, before: str) -> bool:
    """Whether a turn argues about what was said before, rather than working with others at a choice."""
    own, theirs = len(text.split()), len(before.split())
    if own > ALWAYS_ARGUES_FROM:
        return True
    if names_option(text) or names_option(before):
        return False
    return own + theirs >= (ARGUES_IN_SENTENCES_FROM if in_sentences(text) else ARGUES_FROM)


def names_option(text: str) -> bool:
    """Whether a letter or a number stands by itself: "take B and 4"; "3 miles", "99%" and "A man" name none."""
    return _NAMES_OPTION.search(text[:LONGEST_READ]) is not None


def in_sentences(text: str) -> bool:
    """Whether it ends like a sentence or has several; a line of chat does neither."""
    ends = _SENTENCE_END.findall(text[:LONGEST_READ])
    return len(ends) > 1 or text.rstrip(' "”)').endswith((".", "!", "?", "…"))


# What a turn says of itself outranks every other sign, however polite it is.
_HOLDS_OUT = regex(
    r"(?i)\bstill (?:believe|think|maintain|stand|hold|prefer|feel|disagree|consider|argue|see)\b|\bstand by\b"
    r"|\b(?:i|we) (?:must |have to |respectfully |strongly |would |also )*(?:maintain|disagree|object)\b"
    r"|\bremain (?:un)?(?:convinced|persuaded|skeptical|sceptical|opposed)\b"
    r"|\b(?:do not|don't|cannot|can't) (?:fully |entirely |completely )?(?:agree|accept|support)\b"
    r"|\bmy (?:original|initial|own) (?:\w+ )?(?:position|proposal|answer|view|version|choice)\b"
)
_GIVES_WAY = regex(
    r"(?i)\bi (?:\w+ )?(?:concede|withdraw|retract|endorse|stand corrected)\b|\bchanged my mind\b|\bconvinced me\b"
    r"|\bi (?:now |fully |completely |also |strongly |totally )*(?:agree|support|accept)\b"
)
_TURNS = regex(r"(?i)\b(?:but|however|nevertheless|nonetheless|yet|although|though|while)\b")
DECLARED = 0.8


def side_of(text: str, before: str, model: LinearModel | None = None) -> dict[str, float]:
    """How likely a reply goes along, goes against, or takes no side."""
    declared = _declared(text[:LONGEST_READ].replace("’", "'"))
    if declared:
        rest = (1 - DECLARED) / 2
        return {side: DECLARED if side == declared else rest for side in SIDES}
    return (model or shipped_model()).probabilities(argument_features(text, before))


def _declared(text: str) -> str:
    """The side that a turn says it takes; agreement with a "but" anywhere is none."""
    if _HOLDS_OUT.search(text):
        return AGAINST
    return ALONG if _GIVES_WAY.search(text) and not _TURNS.search(text) else ""


def argument_features(text: str, before: str) -> list[str]:
    """What the linear model sees of a reply and of what it replies to."""
    text, before = text.strip(), before.strip()
    own, theirs = _plain(text), _plain(before)
    words, earlier = _WORD.findall(own), _WORD.findall(theirs)
    present = set(_counted(words, earlier))
    present.update(_phrase_features(own))
    present.update(_questions(own, theirs))
    present.update(_meeting(words, earlier))
    present.update(_works(own, theirs))
    for whose, each in (("own", text), ("before", before)):
        present.update(_style(whose, each))
    return sorted(present)


def _plain(text: str) -> str:
    return text[:LONGEST_READ].replace("’", "'").replace("‘", "'").lower().strip()


_HEARD_BEFORE = ("you", "they", "third", "me", "us", "negation", "insult", "assent", "thanks")
_WITH_YOU = {"insult", "negation"}
_WITHOUT_YOU = {"they", "insult"}


def _counted(words: list[str], earlier: list[str]) -> Iterator[str]:
    counts = {name: sum(word in group for word in words) for name, group in GROUPS.items()}
    for name, count in counts.items():
        yield from (f"{name}>{at}" for at in range(min(count, 3)))
    yield from _taken_up({name for name, count in counts.items() if count}, earlier)


def _taken_up(own: set[str], earlier: list[str]) -> Iterator[str]:
    """Groups of words that both texts have, or only one of them, and some that meet in the reply."""
    before = {name for name in _HEARD_BEFORE if not GROUPS[name].isdisjoint(earlier)}
    own = own & set(_HEARD_BEFORE)
    yield from (f"before_{name}" for name in before)
    yield from (f"{'both' if name in before else 'new'}_{name}" for name in own)
    if "you" in own:
        yield from (f"you,{name}" for name in own & _WITH_YOU)
    else:
        yield from (f"{name},not_you" for name in own & _WITHOUT_YOU)
    yield f"odd{('negation' in own) != ('negation' in before):d}"


def _phrase_features(own: str) -> Iterator[str]:
    yield from (f"says_{name}" for name, cue in PHRASES.items() if cue.search(own))
    opening = next((name for name, cue in OPENINGS.items() if cue.match(own)), "none")
    yield f"opens_{opening}"
    if "!" in own:
        yield "exclaims"
    if re.search(r'["“”]', own):
        yield "quotes"
    if "http" in own or "www." in own:
        yield "links"


def _questions(own: str, theirs: str) -> Iterator[str]:
    asks, ends = "?" in own, own.endswith("?")
    asked, asked_last = "?" in theirs, theirs.rstrip('"” ').endswith("?")
    yield f"asks{asks:d},you{'you' in own:d}"
    if ends:
        yield "ends_asking"
    if asked:
        yield "was_asked"
    if asked_last:
        yield f"asked_last,you{'you' in theirs:d}"
    if asks and asked:
        yield "asks_back"


def _style(whose: str, text: str) -> Iterator[str]:
    """Whether it is written like an argument or like chat."""
    if names_option(text):
        yield f"{whose}_option"
    if in_sentences(text):
        yield f"{whose}_sentences"
    if text[:1].islower():
        yield f"{whose}_small"


def _works(own: str, theirs: str) -> Iterator[str]:
    for name, cue in WORKS.items():
        if cue.search(own):
            yield f"own_{name}"
        if cue.search(theirs):
            yield f"before_{name}"


def _meeting(words: list[str], earlier: list[str]) -> Iterator[str]:
    known, own = _longer(earlier), _longer(words)
    share = len(own & known) / len(own) if own else 0.0
    yield f"shared{sum(share >= edge for edge in (0.01, 0.12, 0.25, 0.5))}"
    yield from (f"words>{size}" for size in _SIZES if len(words) > size)
    yield from (f"earlier>{size}" for size in _SIZES if len(earlier) > size)


def _longer(words: list[str]) -> set[str]:
    return {word for word in words if len(word) > SHORT}
