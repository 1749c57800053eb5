"""What a line without a heading tells, by its words, and by the lines around it.

Each line gets a score for each division (how many of its cues stand in the line); the divisions of neighbours are found
together, as the sequence with the highest sum when every change costs something, and going back costs more (the
Viterbi algorithm). So one odd line does not tear a paragraph apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shared.models.case import Division
from shared.patterns import regex

_READ = 1500
_MOST = 3
_FORWARD = 1.0
_BACK = 2.5
_CUES = {
    Division.SUBJECTIVE: regex(
        r"\b(?:reports?|reported|denies|denied|complain\w{0,4}|states|stated|endorses?|presents?"
        r"|presented|presenting"
        r"|history of|has been|year[- ]old|allerg\w{1,4}|smok\w{1,4}|mother|father|lives with"
        r"|works as|describes|comes to"
        r"|brought|noticed|feels|felt|years? ago|months? ago|weeks? ago|days? ago|tried"
        r"|currently takes|medications include)\b"
        r"|호소|내원|부인함|부인하|과거력|가족력|복용 ?중|흡연|음주|알레르기|전부터|어머니|아버지",
        re.I,
    ),
    Division.EXAM: regex(
        r"\b(?:bp|blood pressure|pulse|heart rate|hr|temp(?:erature)?|respirations?"
        r"|respiratory rate|spo2|o2 sat\w{0,8}|afebrile|auscultation"
        r"|palpation|tender(?:ness)?|murmurs?|distended|oriented|range of motion|clear|supple"
        r"|reflexes|edema|gait|pupils"
        r"|rales|rhonchi|wheez\w{1,4}|bowel sounds|no acute distress|well[- ](?:nourished|developed"
        r"|appearing)|examination|exam|erythema|"
        r"strength|sensation|rebound|guarding|lymphadenopathy|normocephalic|perrla?|bruits?"
        r"|gallops?|rubs?)\b"
        r"|청진|촉진|타진|시진|압통|반사|활력|혈압|맥박|체온|호흡수|심음|호흡음|신체검진|부종|결막"
        r"|의식 ?명료",
        re.I,
    ),
    Division.RESULTS: regex(
        r"\b(?:x-?rays?|ct|mri|ultrasound|echocardiogra\w{1,3}|ekg|ecg|electrocardiogram|labs?"
        r"|laborator\w{1,3}|hemoglobin|leukocyte|wbc|platelets?"
        r"|creatinine|sodium|potassium|glucose|a1c|cholesterol|troponin|biopsy|cultures?|urinalysis"
        r"|radiographs?|imaging|serum|colonoscopy showed"
        r"|(?:mg|g|ng|mcg)/d?l|m?eq/l|u/l|/mm3|bun|tsh|lipid|pathology|ejection fraction|findings"
        r"|hematocrit|bilirubin|alt|ast)\b"
        r"|검사상|혈액검사|촬영|판독|혈색소|백혈구|혈소판|크레아티닌|심전도|초음파|내시경|조직검사"
        r"|수치|양성|음성",
        re.I,
    ),
    Division.PLAN: regex(
        r"\b(?:will|plan|recommend\w{0,7}|follow[- ]?up|return (?:to|in|if)|continue"
        r"|start(?:ed)? on|prescri\w{2,7}|order(?:ed)?|refer(?:ral|red)?"
        r"|advised|counsel\w{0,4}|discussed|schedule\w?|initiate|increase|decrease|discharged?"
        r"|differential|assessment|impression|diagnosis"
        r"|consistent with|likely|encouraged?|treatment|therapy|admit|consult|monitor|agree\w{0,5}"
        r"|understands?|is (?:started|treated|given|recommended))\b"
        r"|예정|계획|처방|권유|추적|투여|의뢰|시행하기로|진단|의심|교육|퇴원|고려|협진|경과 ?관찰|추정",
        re.I,
    ),
}
_ORDER = {division: number for number, division in enumerate(Division)}


def divisions_of_lines(
    lines: Sequence[str], allowed: Sequence[Division], default: Division
) -> tuple[Division, ...]:
    """The division of each line out of `allowed`; `default` is that of a first line that says "
    "nothing."""
    best = {division: 0.5 * (division == default) for division in allowed}
    sources: list[dict[Division, Division]] = []
    for line in lines:
        scores = _scores(line, allowed)
        source = {
            division: max(allowed, key=lambda other: best[other] - _cost(other, division))
            for division in allowed
        }
        best = {
            division: best[source[division]] - _cost(source[division], division) + scores[division]
            for division in allowed
        }
        sources.append(source)
    return _traced(sources, best)


def _traced(
    sources: Sequence[dict[Division, Division]], best: dict[Division, float]
) -> tuple[Division, ...]:
    division = max(best, key=lambda name: best[name])
    divisions: list[Division] = []
    for source in reversed(sources):
        divisions.append(division)
        division = source[division]
    return tuple(reversed(divisions))


def _cost(before: Division, division: Division) -> float:
    if before == division:
        return 0.0
    return _FORWARD if _ORDER[before] < _ORDER[division] else _BACK


def _scores(line: str, allowed: Sequence[Division]) -> dict[Division, float]:
    part = line[:_READ]
    if not part.strip():
        return dict.fromkeys(allowed, 0.0)
    return {division: float(min(_MOST, len(_CUES[division].findall(part)))) for division in allowed}
