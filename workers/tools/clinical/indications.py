"""What classes of drugs are given for, as words of a chart that would explain them.

Only indications that are nearly always told: FDA labels (DailyMed), "Indications and usage". A drug whose uses are many
(corticosteroids, beta blockers, antidepressants, gabapentin) has no row.
"""

from __future__ import annotations

import re
from functools import cache

INDICATIONS = {
    "biguanide": r"diabet|prediabet|blood sugar|glucose|a1c|glyc(?:a)?em|polycystic|pcos|insulin resistance"
    r"|당뇨|혈당",
    "sulfonylurea": r"diabet|blood sugar|glucose|a1c|glyc(?:a)?em|당뇨|혈당",
    "dpp-4 inhibitor": r"diabet|blood sugar|glucose|a1c|glyc(?:a)?em|당뇨|혈당",
    "basal insulin": r"diabet|blood sugar|glucose|a1c|glyc(?:a)?em|ketoacidosis|당뇨|혈당",
    "thyroid hormone": r"thyroid|tsh|hashimoto|myx(?:o)?edema|goiter|갑상선",
    "antithyroid": r"thyroid|graves|tsh|갑상선",
    "statin": r"lipid|cholesterol|\bldl\b|coronary|heart|cardi|stroke|vascular|carotid|atheroscl|infarct|stent"
    r"|diabet|\btia\b|kidney|stenosis|지질|콜레스테롤|고지혈|심|뇌경색|뇌졸중|동맥|당뇨",
    "vitamin k antagonist": r"fibrillat|thromb|embol|valve|\bdvt\b|\bpe\b|\bpt\b|stroke|clot|flutter|세동|혈전"
    r"|색전|판막",
    "direct oral anticoagulant": r"fibrillat|thromb|embol|\bdvt\b|\bpe\b|stroke|clot|flutter|세동|혈전|색전|뇌",
    "xanthine oxidase inhibitor": r"gout|uric|urate|kidney stone|tumou?r lysis|nephrolith|통풍|요산|결석",
    "cholinesterase inhibitor": r"dementia|alzheimer|cognit|memory|parkinson|myasthenia|치매|알츠|인지|기억",
    "levodopa": r"parkinson|restless|tremor|dystonia|파킨슨|떨림|진전",
    "bisphosphonate": r"osteopor|osteopen|bone|fracture|paget|hypercalc|metasta|dexa|골다공|골감소|골절",
    "uroselective alpha blocker": r"prostat|bph|urin|void|stone|nocturia|retention|전립선|배뇨|소변|결석",
    "5-alpha-reductase inhibitor": r"prostat|bph|urin|hair|alopecia|전립선|탈모|배뇨",
    "neuraminidase inhibitor": r"influenza|\bflu\b|인플루엔자|독감",
    "triptan": r"migraine|headache|편두통|두통",
}


@cache
def indication_words(name: str) -> re.Pattern[str]:
    """The words that explain a class of `INDICATIONS`."""
    return re.compile(INDICATIONS[name], re.I)
