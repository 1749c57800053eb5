"""What classes of drugs ask for: monitoring, allergies that extend to them, classes of which one is enough, pregnancy.

Sources: FDA labels (DailyMed); for allergies the labels' contraindications and "Drug allergy: a 2022 practice parameter
update" (Khan et al., J Allergy Clin Immunol 2022;150:1333). Only what these say plainly is here.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.models.findings import Severity

ALLERGY_SOURCE = (
    "FDA labels, contraindications; Khan DA et al., J Allergy Clin Immunol 2022;150:1333"
)
DUPLICATION_SOURCE = "FDA labels: one drug of the class at a time"
PREGNANCY_SOURCE = "FDA labels, contraindications and boxed warnings: pregnancy"
WEEKLY_SOURCE = "FDA label of methotrexate, boxed warning: mistaken daily use has been fatal"


@dataclass(frozen=True)
class Monitoring:
    """What a chart should tell of somebody who takes drugs of `taken` (classes or drugs): each of `items`, by the
    names of `MONITORING_WORDS`. `severity` applies where none of them is told.
    """

    taken: frozenset[str]
    items: tuple[str, ...]
    severity: Severity
    source: str = "FDA label, warnings and precautions: monitoring"


def _monitoring(taken: str, items: str, severity: Severity = Severity.INFO) -> Monitoring:
    return Monitoring(
        frozenset(name.strip() for name in taken.split(",")),
        tuple(item.strip() for item in items.split(",")),
        severity,
    )


MONITORING = (
    _monitoring("vitamin k antagonist", "inr", Severity.MAJOR),
    _monitoring("clozapine", "neutrophils", Severity.MAJOR),
    _monitoring("lithium", "lithium level, renal function, thyroid function", Severity.MAJOR),
    _monitoring("methotrexate", "blood count, liver function, renal function", Severity.MINOR),
    _monitoring("amiodarone", "thyroid function, liver function, ecg", Severity.MINOR),
    _monitoring("digoxin", "digoxin level, potassium, renal function", Severity.MINOR),
    _monitoring("calcineurin inhibitor", "drug level, renal function", Severity.MINOR),
    _monitoring("aminoglycoside", "drug level, renal function", Severity.MINOR),
    _monitoring("vancomycin", "drug level, renal function"),
    _monitoring("phenytoin", "drug level", Severity.MINOR),
    _monitoring("carbamazepine", "drug level, blood count, sodium, liver function", Severity.MINOR),
    _monitoring("valproate", "drug level, liver function, blood count", Severity.MINOR),
    _monitoring("theophylline", "drug level", Severity.MINOR),
    _monitoring("qt antiarrhythmic", "ecg, renal function, potassium", Severity.MINOR),
    _monitoring("azathioprine", "blood count, liver function", Severity.MINOR),
    _monitoring("leflunomide", "liver function, blood count", Severity.MINOR),
    _monitoring("hydroxyurea", "blood count", Severity.MINOR),
    _monitoring("isoniazid", "liver function", Severity.MINOR),
    _monitoring("heparin", "aptt, blood count", Severity.MINOR),
    _monitoring("thyroid hormone", "thyroid function", Severity.MINOR),
    _monitoring("antithyroid", "thyroid function", Severity.MINOR),
    _monitoring("isotretinoin", "liver function, lipids, pregnancy test"),
    _monitoring("hydroxychloroquine", "eye examination"),
    _monitoring("ace inhibitor, arb", "potassium, renal function"),
    _monitoring("potassium-sparing diuretic", "potassium, renal function", Severity.MINOR),
    _monitoring("thiazide, loop diuretic", "potassium, renal function, sodium"),
    _monitoring("statin, fibrate", "lipids, liver function"),
    _monitoring("biguanide", "renal function, glucose"),
    _monitoring("insulin, basal insulin, rapid insulin, sulfonylurea", "glucose"),
    _monitoring("direct oral anticoagulant", "renal function, blood count"),
    _monitoring("xanthine oxidase inhibitor", "uric acid, renal function"),
)
"""Rows are of three weights: a narrow therapeutic range or a boxed warning (MAJOR), a label that asks for blood tests
at fixed times (MINOR), and what is done anyway at intervals that a single note need not show (INFO)."""

MONITORING_WORDS = {
    "inr": r"\bINR\b|prothrombin time|프로트롬빈|anticoagulation clinic|coumadin clinic",
    "neutrophils": r"\bANC\b|neutrophil|\bCBC\b|blood count|호중구|혈구|\bWBC\b|leukocyte|백혈구",
    "lithium level": r"\blithium[ :=]{1,3}\d\.\d{1,2}(?! ?m?c?g)|리튬[ :]{1,3}\d\.\d"
    r"|\blithium (?:serum )?(?:level|concentration)|serum lithium|리튬 ?(?:혈중 ?)?농도",
    "digoxin level": r"\bdigoxin (?:serum )?(?:level|concentration)|serum digoxin|디곡신 ?(?:혈중 ?)?농도",
    "drug level": r"\b(?:level|trough|peak)s?\b|serum concentration|혈중 ?농도|최저 ?농도",
    "renal function": r"creatinine|\bGFR\b|\beGFR\b|\bBUN\b|urea nitrogen|renal (?:function|panel)|kidney function"
    r"|\bCr\b|크레아티닌|신기능|신장 ?기능|사구체",
    "thyroid function": r"\bTSH\b|\bT4\b|\bT3\b|thyroid[- ](?:stimulating|function|panel|labs?|levels?|tests?)"
    r"|thyroxine|갑상선 ?(?:기능|자극|호르몬|검사)",
    "liver function": r"\bLFTs?\b|\bALT\b|\bAST\b|liver (?:function|enzymes?|panel)|hepatic (?:function|panel)"
    r"|transaminase|aminotransferase|bilirubin|간 ?기능|간수치|간효소|빌리루빈",
    "blood count": r"\bCBC\b|blood count|h(?:a)?emoglobin|\bHgb\b|\bHb\b|platelet|leukocyte|\bWBC\b|h(?:a)?ematocrit"
    r"|혈구|혈색소|헤모글로빈|혈소판|백혈구",
    "potassium": r"potassium(?! chloride)|\bK\+|electrolyte|칼륨|포타슘|전해질",
    "sodium": r"\bsodium\b|\bNa\+|electrolyte|나트륨|전해질",
    "ecg": r"\bECG\b|\bEKG\b|electrocardiogra|\bQTc?\b|심전도",
    "aptt": r"\baPTT\b|\bPTT\b|thromboplastin|anti-?Xa|활성화 ?부분",
    "lipids": r"\blipid|\bcholesterol|\bLDL\b|\bHDL\b|\btriglyceride|(?<!이상)지질|(?<!고)콜레스테롤|중성지방",
    "pregnancy test": r"pregnancy test|\bhCG\b|임신 ?(?:반응 ?)?검사",
    "eye examination": r"ophthalm|eye exam|retinal exam|fundus|fundoscop|optometr|안과|안저",
    "glucose": r"glucose|\bA1c\b|hemoglobin a1c|blood sugars?|\bHbA1c\b|fingerstick|혈당|당화",
    "uric acid": r"uric acid|urate|요산",
}
GENERAL_LABS = (
    r"\b[CB]MP\b|metabolic panel|chem(?:istry)?[- ]?(?:7|panel)"
    r"|\b(?:blood ?work|labs|lab work|blood tests?)\b"
    r"|\blaboratory [^.\n]{0,40}\b(?:normal|unremarkable|pending|ordered|no abnormalit)"
    r"|혈액 ?검사|피 ?검사|검사실|생화학"
)
"""Words that tell of blood tests without naming them: what is part of the usual panels may be among them."""
SPECIFIC = frozenset(
    {"inr", "lithium level", "digoxin level", "drug level", "ecg", "eye examination"}
)
"""What no usual panel holds: it is told by its own name only."""

SINGLE_CLASSES = frozenset(
    {
        *("ace inhibitor", "arb", "statin", "ssri", "snri", "beta blocker", "ppi", "h2 blocker"),
        *("dihydropyridine", "sulfonylurea", "dpp-4 inhibitor", "sglt2 inhibitor", "glp-1 agonist"),
        *("direct oral anticoagulant", "p2y12 inhibitor", "bisphosphonate", "thiazide", "maoi"),
        *("z-drug", "loop diuretic", "gabapentinoid", "lama", "laba", "triptan", "nsaid"),
        *("uroselective alpha blocker", "bladder antimuscarinic", "xanthine oxidase inhibitor"),
        *("5-alpha-reductase inhibitor", "pde5 inhibitor", "leukotriene antagonist", "fibrate"),
        *("basal insulin", "cholinesterase inhibitor", "systemic corticosteroid", "penicillin"),
    }
)
"""Classes of which a patient takes one drug at a time."""
BLEEDING_CLASSES = frozenset({"direct oral anticoagulant"})
"""Two of these are two anticoagulants at full dose: as grave as a contraindicated pair."""
ALLERGY_CLASSES = frozenset(
    {
        *(
            "penicillin",
            "cephalosporin",
            "carbapenem",
            "sulfonamide antibiotic",
            "nsaid",
            "macrolide",
        ),
        *("fluoroquinolone", "tetracycline", "aminoglycoside", "ace inhibitor"),
    }
)
"""Classes that an allergy to one of their drugs extends to, by the labels' contraindications."""
CROSS_REACTIONS = {
    "penicillin": frozenset({"cephalosporin", "carbapenem"}),
    "cephalosporin": frozenset({"penicillin"}),
    "sulfonamide antibiotic": frozenset({"sulfasalazine"}),
}
"""Classes that may react too, in a few per cent or less: worth a word, no contraindication."""

CONTRAINDICATED_IN_PREGNANCY = frozenset(
    {
        *("ace inhibitor", "arb", "vitamin k antagonist", "isotretinoin", "methotrexate"),
        *("leflunomide", "mycophenolate", "valproate", "ribavirin", "5-alpha-reductase inhibitor"),
        *("endothelin antagonist", "raloxifene", "dronedarone"),
    }
)
WEEKLY = {"methotrexate": 0.0, "alendronate": 10.0, "risedronate": 5.0}
"""Drugs that are taken once a week; a daily dose above that many milligrams is a mistake."""
