"""What the checks of values look at: the chart with its measurements, and how far one of them is from its range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shared.models.case import ChartSpan, Division, Measurement, PatientFacts
from shared.models.notices import Notice, notice
from shared.patterns import regex
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.measurements import sign_of
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.quantity_names import NAMES, quantity_of
from workers.tools.clinical.reference_ranges import reference_range

_ATTENTION = {
    "heart_rate": r"arrhythm|fibrillation|svt|rate control|beta[- ]?block|brady|tachy|pacemaker|sepsis|shock|dehydrat"
    r"|fluid|saline|bolus|bleed|hemorrh|빈맥|서맥|부정맥|패혈증|쇼크|탈수|수액|출혈",
    "systolic_pressure": r"pressure|hypertens|hypotens|shock|sepsis|fluid|saline|vasopress|norepinephrine|bolus"
    r"|혈압|쇼크|수액|승압",
    "diastolic_pressure": r"pressure|hypertens|hypotens|혈압",
    "temperature": r"fever|febrile|infect|sepsis|antibiotic|pneumonia"
    r"|antipyretic|acetaminophen|발열|열|감염|항생제|해열",
    "oxygen_saturation": r"oxygen|hypox|respirat|ventilat|intubat|pneumonia|pulmonary|copd|asthma|heart failure"
    r"|산소|저산소|호흡|폐렴|천식",
    "respiratory_rate": r"oxygen|respirat|ventilat|intubat|pneumonia|pulmonary|copd|asthma|acidosis"
    r"|산소|호흡|폐렴|천식",
    "coma_scale": r"conscious|mental status|intubat|stroke|head|brain|seizure|coma|의식|뇌|경련|기관",
    "potassium": r"kal[ai]|kayexalate|polystyrene|patiromer|lokelma|gluconate|dialysis|칼륨혈|칼슘|칼리메이트|투석",
    "sodium": r"natr|sodium|saline|fluid|siadh|나트륨|식염수|수액",
    "glucose": r"glyc|gluco|diabet|insulin|ketoacid|\bdka\b|dextrose|sugar|당뇨|인슐린|혈당|포도당",
    "calcium": r"calc|bisphosph|parathyroid|칼슘|부갑상",
    "hemoglobin": r"an(?:a)?emia|transfus|bleed|hemorrh|iron|hgb|hemoglobin|빈혈|수혈|출혈|철분",
    "hematocrit": r"an(?:a)?emia|transfus|bleed|hemorrh|iron|빈혈|수혈|출혈|철분",
    "platelets": r"platelet|thrombo|transfus|\bitp\b|\bttp\b|혈소판|수혈",
    "leukocytes": r"leuk|infect|antibiotic|sepsis|neutrop|lymphoma|백혈|감염|항생제|호중구",
    "creatinine": r"renal|kidney|nephr|\baki\b|\bckd\b|dialysis|creatinine|신장|신부전|콩팥|투석|크레아티닌",
    "urea_nitrogen": r"renal|kidney|nephr|\baki\b|\bckd\b|dialysis|bleed|dehydrat|신장|신부전|콩팥|투석|탈수|출혈",
    "inr": r"vitamin k|plasma|\bffp\b|\bpcc\b|coagulop|overanticoag|비타민 ?k|혈장|응고 ?장애",
    "ph": r"acidosis|alkalosis|acidemia|bicarb|ventilat|sepsis|shock|\bdka\b|산증|알칼리증|환기",
    "pco2": r"acidosis|alkalosis|ventilat|respirat|copd|산증|환기|호흡",
    "po2": r"oxygen|hypox|respirat|ventilat|산소|호흡",
    "bicarbonate": r"acidosis|alkalosis|bicarb|\bdka\b|산증|알칼리증|중탄산",
    "lactate": r"lact|sepsis|shock|fluid|젖산|패혈증|쇼크|수액",
}
"""Words in an assessment or plan by which a value of that quantity is taken up, besides the quantity's own names."""
_DRUGS = {
    "inr": "warfarin|coumadin|anticoag|와파린|쿠마딘|항응고",
    "lithium": "lithium|리튬",
    "digoxin": "digoxin|디곡신|digi(?:bind|fab)",
    "vancomycin": "vanc|[반밴]코마이신",
    "phenytoin": "phenytoin|dilantin|페니토인",
    "theophylline": "theophylline|테오필린",
}
_LESS = (
    r"hold|held|stop|discontinu|reduc|decreas|lower|skip|omit|withh|d/c|toxic|overdos|dialys|antidote"
    r"|중단|보류|감량|중독|투석"
)
_REPEATED = regex(r"(?i)\b(?:repeat(?:ed)?|follow-up) \Z")
"""A repeated measurement that has a value is no order of one."""
_REACH = 12
_DECIMALS = ((1000, 0), (10, 1), (1, 2), (0.1, 3))
"""From a size on, the decimals that a value is told with."""
_LOWERED = {
    name: rf"(?:{_LESS})[^\n]{{0,60}}(?:{words})|(?:{words})[^\n]{{0,60}}(?:{_LESS})"
    for name, words in _DRUGS.items()
}
_ATTENTIONS = {
    name: regex("(?i)" + "|".join(words[name] for words in (_ATTENTION, _LOWERED) if name in words))
    for name in {**_ATTENTION, **_LOWERED}
}
_ACTED = regex(
    r"(?i)\b(?:re-?check|repeat|replet|replac|correct|giv(?:e|en|ing)\b|treat|monitor|bolus|transfus|start|hold|held"
    r"|increas|decreas|stat\b|iv\b)|교정|보충|투여|재검|추적|주입|중단|보류|증량|감량"
)
"""Words of something that is done, in the line of an assessment that states a value itself."""


@dataclass(frozen=True)
class ValueView:
    """A chart and what was measured in it. Values of relatives, goals and plans are left out."""

    chart: Chart
    inputs: LensInput

    @property
    def patient(self) -> PatientFacts:
        """Who the values are of."""
        return self.inputs.chart.patient

    @cached_property
    def values(self) -> tuple[Measurement, ...]:
        """Those that were measured in the patient, in the order of the text."""
        return tuple(
            value for value in self.inputs.chart.measurements if self._of_patient(value.span)
        )

    @cached_property
    def plan(self) -> str:
        """The text of the assessment and plan where the chart has a heading for it, else empty."""
        lines = self.chart.text.split("\n")
        return "\n".join(
            line
            for section in self.inputs.chart.sections
            if section.division is Division.PLAN and section.heading
            for line in lines[section.first_line - 1 : section.last_line]
        )

    @cached_property
    def words(self) -> str:
        """The chart's text without its values and their names."""
        text, pieces, at = self.chart.text, [], 0
        for span in sorted((value.span for value in self.values), key=lambda span: span.start):
            pieces.append(text[at : span.start])
            at = max(at, span.end)
        return "\n".join((*pieces, text[at:]))

    @cached_property
    def planned_quantities(self) -> frozenset[str]:
        """Those that the assessment and plan name."""
        return frozenset(
            quantity_of(match.lastgroup).name
            for match in NAMES.finditer(self.plan)
            if match.lastgroup
        )

    def addressed(self, name: str) -> bool:
        """Whether the assessment and plan take a quantity up, by its name or by what is done about it.

        A drug that is continued is named, and its toxic level is not taken up thereby.
        """
        named = name in self.planned_quantities and (name not in _DRUGS or name in _ATTENTION)
        return named or _is_attended(name, self.plan)

    def is_taken_up(self, value: Measurement) -> bool:
        """Whether the plan takes a value up; of a chart without one, whether anything in it tells of its cause or cure.

        What the assessment itself states is not taken up by being stated.
        """
        if value.division is Division.PLAN:
            line = self.chart.text.split("\n")[value.span.line - 1]
            return _is_attended(value.name, self.plan or line) or bool(_ACTED.search(line))
        return self.addressed(value.name) if self.plan else _is_attended(value.name, self.words)

    def is_current(self, value: Measurement) -> bool:
        """Whether it is of this visit: what a history with a heading tells, or tells as past, is not."""
        if value.division is not Division.SUBJECTIVE:
            return True
        headed = any(
            section.heading and section.first_line <= value.span.line <= section.last_line
            for section in self.inputs.chart.sections
        )
        return not headed and not context_at(self.chart, value.span.start, value.span.end).past

    def _of_patient(self, span: ChartSpan) -> bool:
        context = context_at(self.chart, span.start, span.end)
        before = self.chart.text[max(0, span.start - _REACH) : span.start]
        return not (context.family or (context.planned and not _REPEATED.search(before)))


def _is_attended(name: str, text: str) -> bool:
    words = _ATTENTIONS.get(name)
    return bool(words and words.search(text))


def quantity_notice(name: str) -> Notice:
    """A quantity by its name in the reader's language."""
    return notice(f"quantity_{name}")


def value_notice(value: Measurement) -> Notice:
    """A value with its quantity and unit: "potassium 6.8 mmol/L"."""
    return notice(
        "lens_value" if value.unit else "lens_value_without_unit",
        quantity=quantity_notice(value.name),
        value=_plain(value.value),
        sign=sign_of(value),
        unit=value.unit or "",
    )


def _plain(value: float | None) -> str:
    """With as many decimals as notes have: 0.012, 5.9, 38.3, 12300."""
    if value is None:
        return ""
    size = abs(value)
    decimals = next((digits for limit, digits in _DECIMALS if size >= limit), 4)
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".") if decimals else f"{value:.0f}"


def side_of_range(value: Measurement) -> int:
    """-1 below its range, 1 above it, 0 within or unknown; of a bound ("<0.01") only what it proves."""
    if value.value is None:
        return 0
    sign = sign_of(value)
    if value.low is not None and value.value < value.low and sign != ">":
        return -1
    if value.high is not None and value.value > value.high and sign != "<":
        return 1
    return 0


def distance(value: Measurement) -> float:
    """How far it is outside its range, in widths of the range; a range of one limit is as wide as that."""
    if value.value is None or not side_of_range(value):
        return 0.0
    low, high = value.low, value.high
    limit = low if side_of_range(value) < 0 else high
    width = high - low if low is not None and high is not None else abs(limit or 0.0)
    return abs(value.value - (limit or 0.0)) / (width or 1.0)


def is_critical(value: Measurement, patient: PatientFacts) -> str:
    """The source of the critical limit that it reaches, else nothing. A bound proves it only on its side."""
    row = reference_range(value.name, patient)
    if row is None or value.value is None:
        return ""
    sign = sign_of(value)
    low = row.critical_low is not None and value.value <= row.critical_low and sign != ">"
    high = row.critical_high is not None and value.value >= row.critical_high and sign != "<"
    return row.critical_source if low or high else ""
