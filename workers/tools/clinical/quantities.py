"""What is measured in patients: how notes call it, in which units it is stated, and which values can exist at all.

`possible` are the limits, in the quantity's unit, outside which no living patient is: they are wider than the most
extreme survivors in the literature (core temperature 11.8 C, Wanscher et al., Resuscitation 2012; 46.5 C, Slovis et
al., Ann Emerg Med 1982; sodium 255 mmol/L, Sung et al., 2015; arterial pH 6.33, Di Rollo et al., 2010), because a value
out there is a slip of the pen and not a finding. `plausible` are the values of nearly all patients in hospital; they
serve for one thing only, the unit of a number that is written without one.
"""

from __future__ import annotations

from dataclasses import dataclass

from workers.tools.clinical.units import MOLECULE, Substance

Limits = tuple[float, float]


@dataclass(frozen=True)
class Quantity:
    """A row of the table. `units` are the others that it is stated in besides its own, which may be empty.

    A number without a unit is in one of `assumed`; None stands for its own unit alone.
    """

    name: str
    unit: str
    possible: Limits
    plausible: Limits
    units: tuple[str, ...] = ()
    assumed: tuple[str, ...] | None = None
    substance: Substance = MOLECULE
    vital: bool = False
    drug: bool = False

    @property
    def all_units(self) -> tuple[str, ...]:
        """Its own unit and the others."""
        return (self.unit, *self.units)

    @property
    def usual_units(self) -> tuple[str, ...]:
        """Those of a number without one."""
        return (self.unit,) if self.assumed is None else self.assumed


_SALT = ("mmol/L", "mg/dL", "umol/L")
_ION = (*_SALT, "mEq/L")
_ENZYME = ("ukat/L", "mU/L")
_CELLS = ("10^9/L", "K", "/uL", "10^4/uL")

QUANTITIES = (
    Quantity("blood_pressure", "mmHg", (0, 370), (20, 300), units=("kPa",), vital=True),
    Quantity("systolic_pressure", "mmHg", (0, 370), (20, 300), units=("kPa",), vital=True),
    Quantity("diastolic_pressure", "mmHg", (0, 360), (10, 200), units=("kPa",), vital=True),
    Quantity("heart_rate", "/min", (0, 400), (20, 260), vital=True),
    Quantity("respiratory_rate", "/min", (0, 150), (5, 80), vital=True),
    Quantity(
        "temperature", "C", (10, 47), (30, 43.5), units=("F",), vital=True, assumed=("C", "F")
    ),
    Quantity("oxygen_saturation", "%", (0, 100), (40, 100), vital=True),
    Quantity("weight", "kg", (0.2, 700), (1, 300), units=("lb", "g"), vital=True, assumed=()),
    Quantity("height", "cm", (20, 275), (40, 215), units=("m", "in"), vital=True),
    Quantity("body_mass_index", "kg/m2", (5, 250), (10, 90), vital=True),
    Quantity("coma_scale", "", (3, 15), (3, 15), vital=True),
    Quantity("pain", "", (0, 10), (0, 10), vital=True),
    Quantity("sodium", "mmol/L", (60, 260), (90, 200), units=_ION, substance=Substance(22.99, 1)),
    Quantity("potassium", "mmol/L", (0.5, 20), (1, 11), units=_ION, substance=Substance(39.1, 1)),
    Quantity("chloride", "mmol/L", (40, 200), (50, 160), units=_ION, substance=Substance(35.45, 1)),
    Quantity("bicarbonate", "mmol/L", (0, 90), (1, 60), units=_ION, substance=Substance(61.02, 1)),
    Quantity("urea_nitrogen", "mg/dL", (0, 500), (2, 250), units=_SALT, substance=Substance(28.02)),
    Quantity(
        "creatinine",
        "mg/dL",
        (0, 90),
        (0.2, 20),
        units=_SALT,
        substance=Substance(113.12),
        assumed=("mg/dL", "umol/L"),
    ),
    Quantity(
        "glucose",
        "mg/dL",
        (0, 3000),
        (30, 900),
        units=_SALT,
        substance=Substance(180.16),
        assumed=("mg/dL", "mmol/L"),
    ),
    Quantity(
        "calcium",
        "mg/dL",
        (0.5, 30),
        (4.5, 20),
        units=_ION,
        substance=Substance(40.08, 2),
        assumed=("mg/dL", "mmol/L"),
    ),
    Quantity(
        "ionized_calcium",
        "mmol/L",
        (0.1, 8),
        (0.5, 2.5),
        units=_ION,
        substance=Substance(40.08, 2),
    ),
    Quantity("magnesium", "mg/dL", (0, 30), (0.5, 10), units=_ION, substance=Substance(24.305, 2)),
    Quantity("phosphate", "mg/dL", (0, 40), (0.5, 15), units=_SALT, substance=Substance(30.97)),
    Quantity("bilirubin", "mg/dL", (0, 100), (0.1, 40), units=_SALT, substance=Substance(584.66)),
    Quantity(
        "direct_bilirubin", "mg/dL", (0, 100), (0, 40), units=_SALT, substance=Substance(584.66)
    ),
    Quantity(
        "indirect_bilirubin", "mg/dL", (0, 100), (0, 40), units=_SALT, substance=Substance(584.66)
    ),
    Quantity("uric_acid", "mg/dL", (0, 100), (1, 25), units=_SALT, substance=Substance(168.11)),
    Quantity("lactate", "mmol/L", (0, 60), (0.2, 30), units=_ION, substance=Substance(90.08, 1)),
    Quantity("albumin", "g/dL", (0, 12), (0.8, 6.5), units=("g/L",), assumed=("g/dL", "g/L")),
    Quantity("total_protein", "g/dL", (0, 25), (2, 14), units=("g/L",), assumed=("g/dL", "g/L")),
    Quantity("ast", "U/L", (0, 100000), (1, 30000), units=_ENZYME),
    Quantity("alt", "U/L", (0, 100000), (1, 30000), units=_ENZYME),
    Quantity("alkaline_phosphatase", "U/L", (0, 30000), (1, 5000), units=_ENZYME),
    Quantity("ggt", "U/L", (0, 30000), (1, 5000), units=_ENZYME),
    Quantity("ldh", "U/L", (0, 300000), (1, 50000), units=_ENZYME),
    Quantity("amylase", "U/L", (0, 100000), (1, 20000), units=_ENZYME),
    Quantity("lipase", "U/L", (0, 300000), (1, 50000), units=_ENZYME),
    Quantity("creatine_kinase", "U/L", (0, 3000000), (1, 500000), units=_ENZYME),
    Quantity(
        "hemoglobin",
        "g/dL",
        (0.3, 30),
        (1.5, 24),
        units=("g/L", "mmol/L"),
        substance=Substance(16114.0),
        assumed=("g/dL", "g/L"),
    ),
    Quantity("hematocrit", "%", (1, 90), (5, 75)),
    Quantity(
        "leukocytes", "10^3/uL", (0, 3000), (0.05, 400), units=_CELLS, assumed=("10^3/uL", "/uL")
    ),
    Quantity(
        "platelets", "10^3/uL", (0, 10000), (1, 2500), units=_CELLS, assumed=("10^3/uL", "/uL")
    ),
    Quantity("erythrocytes", "10^6/uL", (0.1, 15), (0.5, 10), units=("10^12/L", "/uL")),
    Quantity("mcv", "fL", (30, 220), (45, 160)),
    Quantity("inr", "", (0.3, 50), (0.5, 20)),
    Quantity("prothrombin_time", "s", (4, 400), (7, 150)),
    Quantity("aptt", "s", (8, 500), (15, 250)),
    Quantity("ph", "", (6.2, 8.2), (6.5, 7.9)),
    Quantity("pco2", "mmHg", (3, 300), (8, 160), units=("kPa",)),
    Quantity("po2", "mmHg", (5, 760), (15, 600), units=("kPa",)),
    Quantity("crp", "mg/L", (0, 1500), (0, 700), units=("mg/dL", "ug/mL"), assumed=()),
    Quantity("esr", "mm/h", (0, 250), (0, 200), units=("mm",)),
    Quantity("hba1c", "%", (2, 30), (3.6, 20), units=("mmol/mol",), assumed=("%", "mmol/mol")),
    Quantity("tsh", "mU/L", (0, 3000), (0, 500)),
    Quantity("osmolality", "mOsm/kg", (150, 600), (200, 450)),
    Quantity(
        "troponin", "ng/mL", (0, 10000), (0, 500), units=("ng/L", "ug/L", "pg/mL"), assumed=()
    ),
    Quantity("bnp", "pg/mL", (0, 200000), (0, 100000), units=("ng/L",)),
    Quantity("ejection_fraction", "%", (1, 95), (5, 90)),
    Quantity("inspired_oxygen", "%", (0, 100), (21, 100)),
    # levels of drugs in blood
    Quantity(
        "lithium",
        "mmol/L",
        (0, 20),
        (0.1, 10),
        units=("mEq/L",),
        substance=Substance(6.94, 1),
        drug=True,
    ),
    Quantity(
        "digoxin",
        "ng/mL",
        (0, 100),
        (0.1, 20),
        units=("ug/L", "nmol/L"),
        substance=Substance(780.94),
        drug=True,
    ),
    Quantity("vancomycin", "mg/L", (0, 400), (1, 150), units=("ug/mL",), drug=True),
    Quantity(
        "phenytoin",
        "mg/L",
        (0, 200),
        (1, 100),
        units=("ug/mL", "umol/L"),
        substance=Substance(252.27),
        drug=True,
    ),
    Quantity(
        "theophylline",
        "mg/L",
        (0, 400),
        (1, 200),
        units=("ug/mL", "umol/L"),
        substance=Substance(180.16),
        drug=True,
    ),
)
BY_NAME = {quantity.name: quantity for quantity in QUANTITIES}
