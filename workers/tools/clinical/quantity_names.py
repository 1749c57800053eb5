"""How English and Korean notes call what is measured."""

from __future__ import annotations

from typing import NamedTuple

from shared.patterns import regex
from workers.tools.clinical.quantities import QUANTITIES, Quantity


class Names(NamedTuple):
    """Regular expressions: of English names, of symbols, whose case counts, and of Korean names."""

    english: str
    symbols: str = ""
    korean: str = ""


def _level(drug: str) -> str:
    """A drug, and its level in blood."""
    return rf"(?:serum |plasma |total )?(?:{drug})(?: (?:serum )?(?:trough |drug )?(?:levels?|concentration))?"


NAMES_OF = {
    "blood_pressure": Names(
        r"(?:arterial |office |home |resting |sitting )?blood[ -]pressures?|hypotensi(?:on|ve)|hypertensive",
        r"N?I?BP|B/P|bp",
        r"(?<!기 )(?<!기)혈압",
    ),
    "systolic_pressure": Names(r"systolic(?: blood)?(?: pressure)?", r"SBP", r"수축기 ?혈압"),
    "diastolic_pressure": Names(r"diastolic(?: blood)?(?: pressure)?", r"DBP", r"이완기 ?혈압"),
    "heart_rate": Names(
        r"(?:fetal )?(?:heart|pulse|ventricular) rates?|(?:regular |resting )?pulses?(?! (?:ox|pressure))|heartbeat"
        r"|(?:sinus )?(?:tachy|brady)cardi(?:a|c)",
        r"HR|PR|P",
        r"맥박(?:수|률)?|심박(?:동)?수|심박",
    ),
    "respiratory_rate": Names(
        r"respiratory rates?|respirations?(?: rate)?|breathing rate|(?:tachy|brady)pn(?:o?e)(?:a|ic)",
        r"RR|R|Resp",
        r"호흡(?:수|률)?",
    ),
    "temperature": Names(
        r"(?:body |core |oral |rectal |tympanic |axillary )?temp(?:erature)?s?|fevers?(?= (?:of|up to|to"
        r"|at) )|febrile(?= (?:to|at) )|afebrile(?= at )",
        r"BT|T(?:max|emp)?(?! ?[Bb]ili)",
        r"체온|고열|열(?=이? ?[34]\d)|발열(?=이? ?[34]\d)",
    ),
    "oxygen_saturation": Names(
        r"(?:pulse |arterial )?(?:oxygen|o2) sat(?:uration|s|\.)?s?|pulse ox(?:imetry)?"
        r"|saturations?(?! index)|satting|sats|sat(?= {1,2}\d\d{1,2} ?%)",
        r"S[pa]O2|SPO2|Sp02|SPO₂|SpO₂|spo2|SaO₂|O2 ?[Ss]at",
        r"(?:말초 ?)?산소 ?포화도",
    ),
    "weight": Names(r"(?:body |current )?weight|weighs|weighing", r"[Ww]t|BW|BWt", r"체중|몸무게"),
    "height": Names(
        r"(?:body )?height|stature",
        r"Ht",
        r"(?:키|신장)(?=[은는이가:]? ?1?\d\d(?:\.\d)? ?cm)|키(?=[은는가:]? ?1\d\d)",
    ),
    "body_mass_index": Names(r"body mass index", r"BMI", r"체질량 ?지수"),
    "coma_scale": Names(
        r"glasgow coma (?:scale|score)(?: score)?",
        r"GCS",
        r"글라스고 ?(?:혼수|코마) ?(?:척도|스케일)",
    ),
    "pain": Names(
        r"pain (?:score|scale|level|intensity)|pain(?=(?: is| of| at| was)? \d{1,2}(?:/| out of )10)",
        r"NRS|VAS",
        r"통증 ?(?:점수|척도|강도)",
    ),
    "sodium": Names(r"sodium|hyp(?:er|o)natra?emi[ac]", r"Na\+?", r"나트륨|소듐"),
    "potassium": Names(r"potassium|hyp(?:er|o)kala?emi[ac]", r"K\+?", r"칼륨|포타슘"),
    "chloride": Names(r"chloride", r"Cl[-–−]?", r"염소|클로라이드"),
    "bicarbonate": Names(
        r"bicarbonate|total co2|carbon dioxide content",
        r"HCO3[-–−]?|CO2(?![:= ]{1,3}\d{1,3}(?:\.\d)? ?(?:mm|kPa|%))|TCO2|tCO2|HCO₃[-–−]?",
        r"중탄산(?:염|이온)?",
    ),
    "urea_nitrogen": Names(
        r"(?:blood )?urea nitrogen|urea",
        r"BUN|S?UN",
        r"(?:혈중|혈액) ?요소 ?질소|요소 ?질소",
    ),
    "creatinine": Names(
        r"creatinine(?! (?:clearance|kinase|ratio))", r"S?Cr|Crea?t?", r"크레아티닌"
    ),
    "glucose": Names(
        r"(?:(?:fasting|random|fingerstick|capillary|blood|plasma|postprandial) ){0,3}(?:glucose"
        r"|blood sugars?)|hyp(?:er|o)glyca?emi[ac]",
        r"Glu|FBS|FBG|RBS|BST|BS(?=[: ]{1,2}\d{2,3})|FPG",
        r"(?:공복 ?|식후 ?|무작위 ?)?혈당|포도당",
    ),
    "calcium": Names(
        r"(?:total )?calcium|hyp(?:er|o)calca?emi[ac]",
        r"Ca(?:2\+|\+\+|\+2|²⁺)?(?! ?-?(?:125|19|15)\b)",
        r"칼슘",
    ),
    "ionized_calcium": Names(
        r"ioni[sz]ed calcium|free calcium", r"iCa(?:2\+|\+\+)?", r"이온화 ?칼슘"
    ),
    "magnesium": Names(r"magnesium", r"Mg(?:2\+|\+\+|\+2|²⁺)?", r"마그네슘"),
    "phosphate": Names(r"(?:inorganic )?phosph(?:ate|orus)", r"Phos", r"무기인|인산염?"),
    "bilirubin": Names(
        r"(?:total |serum )?bilirubin(?: total)?|t\.? ?bili(?:rubin)?",
        r"[Tt]\.?[Bb]il|TB|T-Bil(?:irubin)?|[Bb]ili",
        r"(?:총 ?)?빌리루빈",
    ),
    "direct_bilirubin": Names(
        r"(?:direct|conjugated) bilirubin|d\. ?bili(?:rubin)?|bilirubin direct",
        "",
        r"직접 ?빌리루빈",
    ),
    "indirect_bilirubin": Names(
        r"(?:indirect|unconjugated) bilirubin|bilirubin indirect",
        "",
        r"간접 ?빌리루빈",
    ),
    "uric_acid": Names(r"uric acid|urate", "", r"요산"),
    "lactate": Names(r"lact(?:ate|ic acid)(?! dehydrogenase)", "", r"젖산(?! ?탈수소)|락테이트"),
    "albumin": Names(r"albumin", r"Alb", r"알부민"),
    "total_protein": Names(r"total protein", r"TP", r"총 ?단백(?:질)?"),
    "ast": Names(r"aspartate (?:amino)?transaminase|aspartate aminotransferase", r"AST|S?GOT"),
    "alt": Names(r"alanine (?:amino)?transaminase|alanine aminotransferase", r"ALT|S?GPT"),
    "alkaline_phosphatase": Names(
        r"alkaline phosphatase|alk\.? phos",
        r"ALP",
        r"알칼리 ?(?:성 ?)?인산 ?(?:분해)?효소",
    ),
    "ggt": Names(r"gamma[- ]glutamyl ?(?:transferase|transpeptidase)", r"G?GGT|GGTP|γ-GTP|r-GTP"),
    "ldh": Names(r"lactate dehydrogenase", r"LDH?(?=[: ])", r"젖산 ?탈수소 ?효소"),
    "amylase": Names(r"amylase", r"Amy", r"아밀라(?:아)?제|아밀레이스"),
    "lipase": Names(r"lipase", r"Lip(?=[: ])", r"리파(?:아)?제|라이페이스"),
    "creatine_kinase": Names(
        r"creatine (?:phospho)?kinase",
        r"CP?K(?!-?MB)",
        r"크레아틴 ?(?:인산화 ?효소|키나(?:아)?제)",
    ),
    "hemoglobin": Names(
        r"ha?emoglobin(?! a1c| electrophoresis)|ana?emi[ac]",
        r"Hgb|HGB|Hb(?!A)|HB",
        r"(?<!당화)혈색소|(?<!당화)헤모글로빈",
    ),
    "hematocrit": Names(r"ha?ematocrit", r"Hct|HCT", r"헤마토크리트|적혈구 ?용적률?"),
    "leukocytes": Names(
        r"leu[ck]ocyte(?: count)?s?|white (?:blood )?cell(?: count)?s?|white count|leu[ck]ocytosis|leu[ck]openia",
        r"WBCs?|wbc",
        r"백혈구(?: ?수)?",
    ),
    "platelets": Names(
        r"(?:platelet|thrombocyte)(?: count)?s?|thrombocyto(?:penia|sis)",
        r"PLTs?|Plts?|plt",
        r"혈소판(?: ?수)?",
    ),
    "erythrocytes": Names(
        r"(?:erythrocyte|red (?:blood )?cell) count",
        r"RBCs?",
        r"적혈구(?: ?수)?(?! ?(?:용적|침강|원주))",
    ),
    "mcv": Names(r"mean corpuscular volume", r"MCV", r"평균 ?적혈구 ?용적"),
    "inr": Names(r"international normali[sz]ed ratio", r"(?:PT[- /]?)?INR"),
    "prothrombin_time": Names(r"prothrombin time", r"PT(?=[: ]{1,2}\d)", r"프로트롬빈 ?시간"),
    "aptt": Names(
        r"(?:activated )?partial thromboplastin time",
        r"a?PTT",
        r"(?:활성화 ?)?부분 ?트롬보플라스틴 ?시간",
    ),
    "ph": Names("", r"pH"),
    "pco2": Names("", r"[Pp]a?CO2|P[Cc]O2|pCO₂|PaCO₂"),
    "po2": Names("", r"P[Aa]?O2|pO2|pO₂|PaO₂"),
    "crp": Names(
        r"c[- ]reactive protein", r"(?:hs-?)?CRP", r"(?:C|씨)[- ]?반응 ?(?:성 ?)?단백(?:질)?"
    ),
    "esr": Names(r"(?:erythrocyte )?sed(?:imentation)? rate", r"ESR", r"적혈구 ?침강 ?속도"),
    "hba1c": Names(
        r"(?:glycated |glycosylated )?ha?emoglobin a1c|glycated ha?emoglobin",
        r"Hb ?A1[cC]|HgbA1[cC]|[Aa]1[cC]",
        r"당화 ?(?:혈색소|헤모글로빈)",
    ),
    "tsh": Names(r"thyroid[- ]stimulating hormone|thyrotropin", r"TSH", r"갑상선 ?자극 ?호르몬"),
    "osmolality": Names(r"osmola[lr]ity", "", r"삼투(?:질)?(?:압|농도)"),
    "troponin": Names(
        r"(?:high-sensitivity )?troponin(?:[ -][it])?|trops?",
        r"(?:hs-?)?[Tt]n[IT]",
        r"트로포닌",
    ),
    "bnp": Names(r"(?:b-type|brain) natriuretic peptide", r"BNP"),
    "ejection_fraction": Names(
        r"(?:left ventricular )?ejection fraction",
        r"LV ?EF|EF",
        r"(?:좌심실 ?)?박출률|구혈률",
    ),
    "inspired_oxygen": Names(
        r"fraction of inspired oxygen", r"Fi ?O2|FIO2|FiO₂", r"흡입 ?산소 ?농도"
    ),
    "lithium": Names(_level("lithium|li(?= level)"), "", r"(?:혈중 ?)?리튬(?: ?농도)?"),
    "digoxin": Names(_level("digoxin|dig(?= level)"), "", r"(?:혈중 ?)?디곡신(?: ?농도)?"),
    # Troughs alone: what a random level means depends on the hour of the dose.
    "vancomycin": Names(
        r"(?:vancomycin|vanc?o?) troughs?(?: level)?|trough (?:vancomycin|vanc?o?)(?: level)?",
        "",
        r"[반밴]코마이신 ?(?:최저|trough)(?: ?농도)?",
    ),
    "phenytoin": Names(_level("phenytoin|dilantin"), "", r"(?:혈중 ?)?페니토인(?: ?농도)?"),
    "theophylline": Names(_level("theophylline"), "", r"(?:혈중 ?)?테오필린(?: ?농도)?"),
}
_LATIN = "A-Za-z0-9_"


def _alternatives() -> str:
    """A group for every quantity, `q` with its number by its English names, `k` by its Korean ones.

    A name that stands within another's ("calcium" in "ionized calcium") is asked for after it. Both alternations begin
    with what a position must be for any of their names, so that most of a text is passed over at once.
    """
    numbers = sorted(range(len(QUANTITIES)), key=lambda i: QUANTITIES[i].name in _SHORTER)
    latin = []
    korean = []
    for i in numbers:
        names = NAMES_OF[QUANTITIES[i].name]
        english = [f"(?i:{names.english})"] if names.english else []
        symbols = [names.symbols] if names.symbols else []
        latin.append(f"(?P<q{i}>(?:{'|'.join(english + symbols)})(?![{_LATIN}]))")
        if names.korean:
            korean.append(f"(?P<k{i}>{names.korean})")
    return (
        rf"(?<![{_LATIN}/-])(?=[{_LATIN}γ])(?:{'|'.join(latin)})"
        rf"|(?<![가-힣])(?=[가-힣])(?:{'|'.join(korean)})"
    )


_SHORTER = {"calcium", "hemoglobin", "bilirubin", "urea_nitrogen", "albumin", "lactate", "ph"}
NAMES = regex(_alternatives())
WEAK = frozenset({"T", "P", "R", "TB", "UN", "SUN", "TP", "Lip", "Amy", "PT", "VAS"})
"""Symbols that mean other things as well: they count beside another value only."""
CONDITIONS = regex(r"(?i)emi[ac]|cardi|tensi|pno?e|fever|febrile|cyto|penia")
"""Names of conditions that a value is told with ("tachycardia of 130/min"): their number must have a unit."""


def quantity_of(group: str) -> Quantity:
    """The quantity whose group of `NAMES` matched."""
    return QUANTITIES[int(group[1:])]
