"""Drugs that are not taken together, and the severity of each pair by what the label says.

The rule: MAJOR where the section "Contraindications" or a boxed warning of either label names the other drug, or where
both are anticoagulants at full dose. MINOR where the label's warnings or interactions ask to avoid the pair, or to
watch a level or the bleeding closely. What a label only mentions is not here. Source: FDA labels (DailyMed).
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.models.findings import Severity


@dataclass(frozen=True)
class DrugPair:
    """One of `first` with one of `second`: names of drugs or of classes."""

    first: frozenset[str]
    second: frozenset[str]
    severity: Severity
    source: str


_NSAIDS = (
    "ibuprofen, naproxen, diclofenac, meloxicam, celecoxib, ketorolac, indomethacin, piroxicam, etodolac, nabumetone,"
    "ketoprofen, dexibuprofen, loxoprofen, aceclofenac"
)
"""Without aspirin, which many take in a low dose on purpose."""
_STRONG_CYP3A4 = "clarithromycin, itraconazole, ketoconazole, nirmatrelvir"
_CONTRAINDICATED = """
pde5 inhibitor | nitrate | hypotension
maoi | ssri, snri, tricyclic, bupropion, meperidine, tramadol, dextromethorphan, buspirone | serotonin syndrome
sacubitril/valsartan | ace inhibitor | angioedema
simvastatin, lovastatin | STRONG, erythromycin, cyclosporine | rhabdomyolysis
simvastatin | gemfibrozil | rhabdomyolysis
tizanidine | ciprofloxacin, fluvoxamine | hypotension
ivabradine | STRONG | bradycardia
eplerenone | STRONG | hyperkalemia
ranolazine | STRONG | QT prolongation
dofetilide | hydrochlorothiazide, trimethoprim, sulfamethoxazole/trimethoprim, verapamil, cimetidine | QT prolongation
febuxostat | azathioprine | bone marrow suppression
direct oral anticoagulant | vitamin k antagonist | bleeding, two anticoagulants
ketorolac | NSAIDS | boxed warning and contraindication, bleeding
"""
_AVOIDED = """
ace inhibitor | arb | dual blockade of the renin-angiotensin system
lithium | NSAIDS, ace inhibitor, arb, thiazide | lithium toxicity
vitamin k antagonist, direct oral anticoagulant | NSAIDS | bleeding
vitamin k antagonist, direct oral anticoagulant | low molecular weight heparin, fondaparinux | bleeding
methotrexate | trimethoprim, sulfamethoxazole/trimethoprim | bone marrow suppression
allopurinol | azathioprine | bone marrow suppression, reduce the dose
clopidogrel | omeprazole, esomeprazole | less effect of clopidogrel
valproate | carbapenem | loss of seizure control
potassium-sparing diuretic | potassium supplement | hyperkalemia
linezolid | ssri, snri, maoi | serotonin syndrome
colchicine | STRONG | colchicine toxicity
dpp-4 inhibitor | glp-1 agonist | ADA Standards of Care: no added benefit
"""
_GROUPS = {"NSAIDS": _NSAIDS, "STRONG": _STRONG_CYP3A4}


def _pairs(table: str, severity: Severity, effect: str) -> tuple[DrugPair, ...]:
    rows = (row.split("|") for row in table.strip().splitlines())
    return tuple(
        DrugPair(_names(first), _names(second), severity, f"{effect}: {reason.strip()}")
        for first, second, reason in rows
    )


def _names(cell: str) -> frozenset[str]:
    for group, names in _GROUPS.items():
        cell = cell.replace(group, names)
    return frozenset(name.strip() for name in cell.split(","))


PAIRS = (
    *_pairs(_CONTRAINDICATED, Severity.MAJOR, "FDA labels, contraindications"),
    *_pairs(_AVOIDED, Severity.MINOR, "FDA labels, warnings and interactions"),
)
"""The graver first: a pair of drugs that is in several rows is raised by the first."""
