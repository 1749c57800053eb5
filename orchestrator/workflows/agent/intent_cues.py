"""What words of a request say about the mode that it asks for, in English and in Korean.

A cue is a weight and patterns that must all occur. An *act* is what somebody wants done; it counts more where the
sentence has its verb: at the start of a clause in English, at the end of a sentence in Korean. A *subject* is what the
request is about, wherever it stands. Alternatives of a pattern are parted by ` | `; those in Latin letters are words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.workflows.agent.intent_acts import ACTS
from orchestrator.workflows.agent.intent_subjects import SUBJECTS
from orchestrator.workflows.agent.modes import AgentMode

_BETWEEN = re.compile(r"\s+\|\s+")
_HANGUL = re.compile("[\uac00-\ud7a3]")


class CueKind(StrEnum):
    """Where a cue counts more."""

    ACT = "act"
    SUBJECT = "subject"


@dataclass(frozen=True)
class Cue:
    """The last pattern must occur, too; of an act with conditions, the first one's place counts."""

    mode: AgentMode
    kind: CueKind
    weight: float
    patterns: tuple[re.Pattern[str], ...]


def word_pattern(alternatives: str) -> re.Pattern[str]:
    """Alternatives as one expression; those without Hangul begin and end with a word, unless they name their place."""
    parts = _BETWEEN.split(alternatives.strip())
    return re.compile("|".join(map(_alternative, parts)))


def _alternative(pattern: str) -> str:
    if _HANGUL.search(pattern) or pattern.startswith("^"):
        return f"(?:{pattern})"
    return rf"\b(?:{pattern})\b"


CUES = tuple(
    Cue(AgentMode(mode), kind, weight, tuple(map(word_pattern, patterns)))
    for kind, table in ((CueKind.ACT, ACTS), (CueKind.SUBJECT, SUBJECTS))
    for mode, rows in table.items()
    for weight, *patterns in rows
)
GREETINGS = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks?(?: you)?|thx|cheers|never ?mind|stop|bye"
    r"|ok(?:ay)?|done|that'?s (?:all|it)|안녕\w*|고마워\w*|고맙\w*|감사\w*|수고\w*|그만\w*|됐어\w*|끝|ㅎㅇ)\b"
)
"""How people begin and end a conversation; all of it where nothing else is asked for."""
