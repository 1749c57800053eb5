"""Units of measurement as notes write them, and their conversion.

A unit converts into another of the same dimension by a factor; amounts of substance convert into masses by the molar
mass of what was measured, and equivalents by its charge. Temperatures and the two ways of stating HbA1c are shifted as
well as scaled. Nothing else converts: `convert` answers None, and nobody guesses.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.patterns import regex


@dataclass(frozen=True)
class Unit:
    """A unit: how notes spell it (a regular expression), its dimension, and its size in that dimension's base."""

    name: str
    spelling: str
    dimension: str
    size: float


@dataclass(frozen=True)
class Substance:
    """What converts amounts into masses: the molar mass in g/mol, and the charge of its ion, 0 of what is none."""

    molar_mass: float | None = None
    charge: int = 0


_END = "(?![A-Za-z0-9_])"
"""The end of a unit; Korean particles follow it without a space."""
_MICRO = r"(?:[uµμ]|mc|Î¼|Âµ)"
_PER_L = rf"\s?/\s?(?:L|l|liter|litre|리터){_END}"
_PER_DL = rf"\s?/\s?(?:100\s?mL|d[Ll]){_END}"
_PER_ML = rf"\s?/\s?m[Ll]{_END}"
_MM3 = rf"(?:mm\^?[3³]|cu\.?\s?mm|cumm|{_MICRO}[Ll]){_END}"
_TIMES = r"(?:[x×*]\s?)?10\s?\^?\s?"
_MINUTE = rf"(?:\s?/\s?min(?:ute)?|\s?per\sminute){_END}\.?"

UNITS = (
    # concentrations: base g/L
    Unit("g/dL", rf"g{_PER_DL}|gm{_PER_DL}|g%", "mass", 10.0),
    Unit("mg/dL", rf"mg{_PER_DL}|mg%", "mass", 1e-2),
    Unit("ug/dL", rf"{_MICRO}g{_PER_DL}", "mass", 1e-5),
    Unit("ng/dL", rf"ng{_PER_DL}", "mass", 1e-8),
    Unit("g/L", rf"g{_PER_L}", "mass", 1.0),
    Unit("mg/L", rf"mg{_PER_L}", "mass", 1e-3),
    Unit("ug/L", rf"{_MICRO}g{_PER_L}", "mass", 1e-6),
    Unit("ng/L", rf"ng{_PER_L}", "mass", 1e-9),
    Unit("mg/mL", rf"mg{_PER_ML}", "mass", 1.0),
    Unit("ug/mL", rf"{_MICRO}g{_PER_ML}", "mass", 1e-3),
    Unit("ng/mL", rf"ng{_PER_ML}", "mass", 1e-6),
    Unit("pg/mL", rf"pg{_PER_ML}", "mass", 1e-9),
    # amounts of substance: base mol/L; an equivalent is a mole by the charge
    Unit("mmol/L", rf"mmol{_PER_L}|mM{_END}", "amount", 1e-3),
    Unit("umol/L", rf"{_MICRO}mol{_PER_L}", "amount", 1e-6),
    Unit("nmol/L", rf"nmol{_PER_L}", "amount", 1e-9),
    Unit("pmol/L", rf"pmol{_PER_L}", "amount", 1e-12),
    Unit("mEq/L", rf"m[Ee][Qq]{_PER_L}", "charge", 1e-3),
    # enzymes and hormones: base U/L
    Unit("U/L", rf"(?:I?U|units?){_PER_L}|mI?U{_PER_ML}", "activity", 1.0),
    Unit("mU/L", rf"mI?U{_PER_L}|{_MICRO}I?U{_PER_ML}", "activity", 1e-3),
    Unit("U/mL", rf"I?U{_PER_ML}", "activity", 1e3),
    Unit("ukat/L", rf"{_MICRO}kat{_PER_L}", "activity", 60.0),
    # cells: base /L
    Unit("10^3/uL", rf"{_TIMES}[3³]\s?/\s?{_MM3}|(?:K|k|thou(?:sand)?)\s?/\s?{_MM3}", "cells", 1e9),
    Unit("10^9/L", rf"{_TIMES}[9⁹]{_PER_L}|G{_PER_L}", "cells", 1e9),
    Unit("10^6/uL", rf"{_TIMES}[6⁶]\s?/\s?{_MM3}|M\s?/\s?{_MM3}", "cells", 1e12),
    Unit("10^12/L", rf"{_TIMES}12{_PER_L}|T{_PER_L}", "cells", 1e12),
    Unit("10^4/uL", rf"만\s?/\s?{_MM3}|만", "cells", 1e10),
    Unit("/uL", rf"(?:cells?|개)?\s?(?:/|per)\s?{_MM3}", "cells", 1e6),
    Unit("K", r"[Kk](?![\w+])", "cells", 1e9),
    Unit("/hpf", rf"(?:/|per)\s?(?:hpf|HPF){_END}", "field", 1.0),
    # the rest
    Unit("mmol/mol", rf"mmol\s?/\s?mol{_END}", "glycation", 1.0),
    Unit("kg/m2", rf"kg\s?/\s?m\^?[2²]{_END}", "body mass index", 1.0),
    Unit("mL/min", rf"m[Ll]\s?/\s?min(?:ute)?(?:\s?/\s?1\.73\s?m\^?[2²])?{_END}", "clearance", 1.0),
    Unit("mmHg", rf"mm\s?[Hh][Gg]{_END}\.?|torr{_END}", "pressure", 1.0),
    Unit("kPa", rf"[kK][Pp]a{_END}", "pressure", 7.50062),
    Unit(
        "C",
        rf"(?:°|º|˚|Â°|Ëš|degrees?|deg\.?)?\s?(?:[Cc]elsius|C{_END})|℃|도(?!움)",
        "temperature",
        1.0,
    ),
    Unit(
        "F", rf"(?:°|º|˚|Â°|Ëš|degrees?|deg\.?)?\s?(?:[Ff]ahrenheit|F{_END})|℉", "temperature", 1.0
    ),
    Unit("mm/h", rf"mm\s?/\s?h(?:r|our)?{_END}", "sedimentation", 1.0),
    Unit(
        "/min",
        rf"(?:beats?|breaths?|bpm|회)?{_MINUTE}|bpm{_END}|BPM{_END}|beats{_END}|breaths{_END}|회\s?/\s?분|회",
        "rate",
        1.0,
    ),
    Unit("mOsm/kg", rf"mOsm(?:ol)?\s?/\s?(?:kg|L)(?:\sH2O)?{_END}", "osmolality", 1.0),
    Unit("%", rf"%|percent{_END}|프로", "share", 1e-2),
    Unit("fL", rf"fL{_END}|fl{_END}|{_MICRO}m\^?[3³]{_END}", "volume of a cell", 1.0),
    Unit("pg", rf"pg{_END}", "mass of a cell", 1.0),
    Unit("kg", rf"kg{_END}|kilograms?{_END}|킬로그램|킬로", "weight", 1.0),
    Unit("lb", rf"lbs?{_END}\.?|pounds?{_END}|파운드", "weight", 0.45359237),
    Unit("g", rf"g{_END}|grams?{_END}|그램", "weight", 1e-3),
    Unit("cm", rf"cm{_END}|centimeters?{_END}|센티미터", "length", 1.0),
    Unit("m", rf"m{_END}|meters?{_END}|미터", "length", 100.0),
    Unit("in", rf"inch(?:es)?{_END}|in{_END}\.?|\"", "length", 2.54),
    Unit("s", rf"s{_END}|secs?{_END}\.?|seconds?{_END}|초", "time", 1.0),
    Unit("mm", rf"mm{_END}|millimeters?{_END}", "length", 0.1),
    # doses: what is given, never what was measured
    Unit("ft", rf"ft{_END}|feet{_END}|foot{_END}|['’′](?=\d)", "dose", 1.0),
    Unit("mg", rf"mg{_END}|milligrams?{_END}|밀리그램", "dose", 1.0),
    Unit("ug", rf"{_MICRO}g{_END}", "dose", 1.0),
    Unit("mEq", rf"m[Ee][Qq]{_END}", "dose", 1.0),
    Unit("U", rf"I?U{_END}|units?{_END}", "dose", 1.0),
    Unit("mL", rf"m[Ll]{_END}|cc{_END}", "dose", 1.0),
    Unit("L", rf"L{_END}|liters?{_END}", "dose", 1.0),
    Unit("tablet", rf"tab(?:let)?s?{_END}|caps?(?:ule)?s?{_END}|정{_END}", "dose", 1.0),
)
_BY_NAME = {unit.name: unit for unit in UNITS}
_ANY = regex("|".join(f"(?P<u{i}>{unit.spelling})" for i, unit in enumerate(UNITS)))
_SPACES = regex(r"[ \t]{0,2}")

MOLECULE = Substance()


def read_unit(text: str, start: int) -> tuple[Unit, int] | None:
    """The unit that is written at `start`, white space before it allowed, and where it ends."""
    spaces = _SPACES.match(text, start)
    match = _ANY.match(text, spaces.end() if spaces else start)
    if match is None or match.lastgroup is None:
        return None
    return UNITS[int(match.lastgroup[1:])], match.end()


def unit_named(name: str) -> Unit:
    """The unit of that name in the table."""
    return _BY_NAME[name]


def convert(value: float, from_: str, into: str, substance: Substance = MOLECULE) -> float | None:
    """`value` in the other unit; None where nothing known converts one into the other.

    HbA1c: NGSP % = 0.09148 x IFCC mmol/mol + 2.152 (Hoelzel et al., Clin Chem 2004;50:166-174).
    """
    if from_ == into:
        return value
    first, second = _BY_NAME[from_], _BY_NAME[into]
    if {first.dimension, second.dimension} == {"glycation", "share"}:
        return 0.09148 * value + 2.152 if into == "%" else (value - 2.152) / 0.09148
    if first.dimension == second.dimension == "temperature":
        return (value - 32) / 1.8 if into == "C" else value * 1.8 + 32
    if first.dimension == second.dimension:
        return value * first.size / second.size
    base = _moles(value * first.size, first.dimension, substance)
    whole = _moles(second.size, second.dimension, substance)
    return None if base is None or whole is None else base / whole


def _moles(amount: float, dimension: str, substance: Substance) -> float | None:
    """An amount in mol/L, whatever the base that it is stated in."""
    match dimension:
        case "amount":
            return amount
        case "charge" if substance.charge:
            return amount / substance.charge
        case "mass" if substance.molar_mass:
            return amount / substance.molar_mass
        case _:
            return None
