"""Who a sentence is about: the patient, or somebody else that it names."""

from __future__ import annotations

from shared.patterns import regex
from workers.tools.clinical.chart import Chart

OTHERS = regex(
    r"\b(?:husband|wife|spouse|partners?|boyfriend|girlfriend|fianc[eé]e?|mother|father|mom|dad|parents?|sons?"
    r"|daughters?"
    r"|brothers?|sisters?|siblings?|aunts?|uncles?|cousins?|niece|nephew|grand\w{3,9}|grand(?:ma|pa)|friends?"
    r"|neighbou?r"
    r"|roommate|coworkers?|colleagues?|co-?workers?|family(?! history)|relatives?|caregivers?|guardian|mentor"
    r"|(?<!old )teacher"
    r"|wom[ae]n's"
    r"|m[ae]n's|baby"
    r"|babies|newborn|infant|fetus|child(?:ren)?|kids?|donor|driver|attacker|assailant|dog|cat|puppy|people|men"
    r"|women"
    r"|boss|pastor|coach|PCP)\b"
    r"|남편|아내|부인(?=[이가은는과와])|배우자|어머니|아버지|모친|부친|부모|형제|자매|아들|딸|오빠|언니|누나"
    r"|남동생|여동생"
    r"|동생|할머니|할아버지|가족|친구|보호자|태아|신생아|며느리|사위",
    2,
)
"""People (and animals) other than the patient: a sentence with one of them may speak of them. Doctors are left out:
nearly every chart names one, and few tell anything of them."""
GENDER_TOLD = regex(
    r"transgender|\btrans[- ](?:man|woman|male|female)|non-?binary|assigned (?:fe)?male at birth"
    r"|gender[- ]affirming"
    r"|gender (?:dysphoria|identity|reassignment)|intersex|ambiguous genitalia|androgen insensitivity|\b4[5-9],? ?X"
    r"|karyotyp|turner syndrome|klinefelter|genetically|성전환|트랜스젠더|간성",
    2,
)
"""Words of a chart that tells more of sex and gender than a rule could judge."""

_REACH = 400


def about_patient(chart: Chart, start: int, *, sentences: int = 2) -> bool:
    """Whether the sentence at `start` names nobody else, and with two `sentences` the one before it does not."""
    first, last = chart.sentence_at(start)
    before = chart.sentence_at(first - 2)[0] if first > 1 and sentences > 1 else first
    return OTHERS.search(chart.text, max(before, start - _REACH), min(last, start + _REACH)) is None
