"""Checks of sides: left in one part of the chart and right in another, of the same part of the body."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from shared.models.case import ChartSpan, Division, LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import point

CATEGORY = "side"
LEFT, RIGHT = "left", "right"
_PARTS = {
    "knee": r"knees?|patella|menisc(?:us|al)|무릎|슬관절|슬개골",
    "shoulder": r"shoulders?|rotator cuff|clavicle|어깨|견관절|쇄골",
    "hip": r"hips?|femoral neck|고관절|엉덩|대퇴 ?경부",
    "ankle": r"ankles?|malleol(?:us|ar)|발목|족관절|복사뼈",
    "wrist": r"wrists?|손목|수근관|carpal tunnel|distal radius",
    "elbow": r"elbows?|팔꿈치",
    "foot": r"foot|feet|heels?|발(?![목가])",
    "hand": r"hands?|손(?!목)",
    "toe": r"toes?|발가락",
    "finger": r"fingers?|thumbs?|손가락|엄지",
    "leg": r"legs?|thighs?|cal(?:f|ves)|lower (?:extremity|extremities|limb|leg)|다리|하지|종아리|허벅지",
    "arm": r"arms?|forearms?|upper (?:extremity|extremities|limb|arm)|팔(?!꿈)|상지",
    "eye": r"eyes?|눈|안구",
    "ear": r"ears?|귀",
    "breast": r"breasts?|유방",
    "flank": r"flank|kidneys?|CVA|ureter\w{0,3}|신장|콩팥|옆구리|요관",
    "lung": r"lungs?|(?:upper|lower|middle) lobe|pleural effusions?|pneumothorax|hemothorax"
    r"|폐?[상중하]엽|폐(?!경)|흉수|기흉",
    "chest": r"chest|hemithorax|chest wall|흉부|가슴",
    "upper quadrant": r"upper quadrant|상복부",
    "lower quadrant": r"lower quadrant|하복부",
    "groin": r"groin|inguinal|서혜부",
    "testicle": r"testic\w{2,4}|testis|고환",
    "ovary": r"ovar(?:y|ian)|adnexa\w{0,2}|난소",
    "neck": r"neck|목(?=[의이을 ])",
    "face": r"face|facial|cheek|얼굴|안면",
    "parotid": r"parotid",
    "carotid": r"carotid",
}
_PART = "|".join(f"(?P<p{number}>{words})" for number, words in enumerate(_PARTS.values()))
_LEFT = regex(
    r"\bleft\b|\blt\b|\b(?-i:L)\b(?=\)?\.? [A-Za-z])|(?-i:\bL[ULM]L\b)|좌측|왼쪽|(?<![가-힣])좌[상중하폐]",
    2,
)
_RIGHT = regex(
    r"\bright\b|\brt\b|\b(?-i:R)\b(?=\)?\.? [A-Za-z])|(?-i:\bR[ULM]L\b)|우측|오른쪽|(?<![가-힣])우[상중하폐]",
    2,
)
_SIDED = regex(
    rf"(?:\b(?P<side>left|right|[lr]t\b\.?|(?<!\d )(?<!/)(?-i:[LR])\b(?!/)\)?\.?)(?:-sided)?,?"
    rf" (?:[A-Za-z'-]{{2,16}} ){{0,2}}?"
    rf"|(?P<korean>좌측|왼쪽|우측|오른쪽|(?<![가-힣])[좌우]) ?)(?:{_PART})(?![A-Za-z])"
    rf"|\b(?P<lobe>(?-i:[LR](?=[ULM]L\b)))(?-i:[ULM]L)",
    re.I,
)
"""A side in words or abbreviated (`L ankle`, `Rt. knee`), and lobes of the lung in three letters (`RLL`)."""
_COMPARED = regex(
    r"\b(?:contralateral|other|opposite|compar\w{1,5}|unaffected|uninvolved|asymptomatic|bilateral\w{0,2}|both|than"
    r"|respectively|versus|vs|side to side|prior|previous|previously|past|years? ago|also|well[- ]healed"
    r"|radiat\w{1,5}"
    r"|migrat\w{1,5}|spread\w{0,3}|dominant|handed(?:ness)?|consensual|shifted|deviat\w{1,4})\b"
    r"|반대|양측|양쪽|비교|과거",
    re.I,
)
"""Words of a sentence in which the other side is named with a reason."""
_WELL = regex(
    r"\b(?:normal|no abnormalit\w{1,3}|unremarkable|intact|full (?:strength|range)|5/5|2\+|within normal"
    r"|well)\b|정상",
    re.I,
)
_DENIED_BEFORE = regex(r"\b(?:no|not|without|denies|negative|history)\b[^.\n]{0,40}\Z", re.I)
"""What the examination of the well side says, and what denies or places in the past."""
_DENIED_AFTER = regex(
    r"[ :,]{1,2}(?:is |was |has |had |there (?:is|was) |with )?(?:no|not|non-?\w{1,12}|without|negative|denies)\b"
    r"|[ :,]{1,2}(?:is |was )?(?:good|fine|ok|okay|clear|nl|WNL|NT|FROM|full ROM|neg)\b"
    r"|[은는이가도]? ?(?:[가-힣]{1,6} ?){0,2}(?:없|이상 ?무|\(-\)|정상|부인|아님|양호)",
    re.I,
)
_INTENDED = regex(
    r"\b(?:will|is (?:scheduled|planned|ordered)|are (?:scheduled|planned)|we (?:plan|recommend|order))\b"
    r"|예정|시행하기로",
    re.I,
)
"""What is to be done is plan wherever it stands."""
_NEAR = 45
_MANY = 5
_BOTH = regex(r"\bbilateral|\bboth\b|양측|양쪽", re.I)
_MOST = 3000


@dataclass(frozen=True)
class SidedPart:
    """A part of the body with its side; `plain`: its sentence compares nothing, denies nothing and tells no past."""

    part: str
    side: str
    plain: bool
    division: Division
    span: ChartSpan


def side_contradicts(view: LensView) -> list[LensPoint]:
    """The side of one mention is not that of all others of the same part of the body, by whatever words.

    Both sides are told of many patients: the odd mention must be plain, the only one of its side, and have two others
    against it, or one as plain where the one stands in the plan and the other before it. One that compares, denies or
    tells the past is none.
    """
    parts: dict[str, list[SidedPart]] = defaultdict(list)
    for item in _sided(view):
        parts[item.part].append(item)
    return [
        raised
        for part, items in parts.items()
        for raised in _odd_one(items)
        if len(items) > _MANY or not _both_sides(view, part)
    ]


def _odd_one(items: list[SidedPart]) -> Iterator[LensPoint]:
    """The only mention of its side, against plain ones of the other: what compares, denies or shows the well side may
    name either."""
    for side in (LEFT, RIGHT):
        same = [item for item in items if item.side == side]
        usual = [item for item in items if item.side != side and item.plain]
        if len(same) == 1 and same[0].plain and _outweigh(usual, same[0]):
            yield _raised(usual[0], same[0])
            return


def _outweigh(usual: list[SidedPart], odd: SidedPart) -> bool:
    """Whether two mentions or more are against one; or one, of which either is what is concluded or done."""
    divisions = {odd.division, *(item.division for item in usual)}
    return len(usual) > 1 or (len(usual) == 1 and len(divisions) > 1 and Division.PLAN in divisions)


def _raised(usual: SidedPart, odd: SidedPart) -> LensPoint:
    return point(
        "side_contradicts",
        Severity.MAJOR,
        notice("lens_side_contradicts", first=usual.span.text, second=odd.span.text),
        (usual.span, odd.span),
        category=CATEGORY,
    )


def _sided(view: LensView) -> Iterator[SidedPart]:
    names = tuple(_PARTS)
    for match in islice(_SIDED.finditer(view.chart.text), _MOST):
        word = (match["side"] or match["korean"] or match["lobe"]).lower()
        side = LEFT if word[0] in "l좌왼" else RIGHT
        span = view.chart.span(match.start(), match.end())
        sentence = view.sentence(span)
        other = _RIGHT if side == LEFT else _LEFT
        before = view.chart.text[max(0, match.start() - _NEAR) : match.start()]
        after = view.chart.text[match.end() : match.end() + _NEAR]
        plain = not other.search(sentence) and _is_plain(sentence, before, after)
        part = "lung" if match["lobe"] else names[int((match.lastgroup or "p0")[1:])]
        intended = _INTENDED.search(sentence) is not None
        division = Division.PLAN if intended else view.chart.division_at(match.start())
        yield SidedPart(part, side, plain, division, span)


def _is_plain(sentence: str, before: str, after: str) -> bool:
    """Whether the sentence compares nothing, denies nothing, and tells neither the past nor a well side."""
    if _COMPARED.search(sentence) or _WELL.search(sentence):
        return False
    return _DENIED_BEFORE.search(before) is None and _DENIED_AFTER.match(after) is None


def _both_sides(view: LensView, part: str) -> bool:
    words = _PARTS[part]
    return any(
        re.match(
            rf"[^.\n]{{0,30}}?(?:{words})", view.chart.text[match.end() : match.end() + 60], re.I
        )
        for match in islice(_BOTH.finditer(view.chart.text), _MOST)
    )
