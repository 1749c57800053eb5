"""Contradictions that code plants into real notes, one a note. Each plant changes few words, as a slip would.

A plant is given the text and a source of chance, and returns the changed text, or None where the note has no place
for it. No plant looks at the product's tables of words, except for the other names of drugs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from benchmarks.case_value_plants import value_restated, word_against_value, wrong_unit
from shared.clinical.drug_tables import Drug, latin_names
from workers.tools.clinical.drug_tables_classes import MONITORING, MONITORING_WORDS

Plant = Callable[[str, Random], str | None]
_SENTENCE = re.compile(r"[^.\n]+(?:\.\d+[^.\n]*)*[.\n]?")
_STATED = re.compile(
    r"(\d+)[- ]year[- ]old (?:[A-Za-z-]+ ){0,3}?(woman|female|girl|man|male|boy)\b"
)
_OPPOSITE = {
    "woman": "man",
    "man": "woman",
    "female": "male",
    "male": "female",
    "girl": "boy",
    "boy": "girl",
}


def sex_stated(text: str, _chance: Random) -> str | None:
    """The first statement of the sex is turned round."""
    match = _STATED.search(text)
    if match is None:
        return None
    return text[: match.start(2)] + _OPPOSITE[match[2]] + text[match.end(2) :]


def sex_pronoun(text: str, chance: Random) -> str | None:
    """One sentence in the middle of a note speaks of the other sex."""
    stated = _STATED.search(text)
    starts = list(re.finditer(r"(?<=[.\n] )(He|She)(?= \w)|(?<=\n)(He|She)(?= \w)", text))
    if stated is None or len(starts) < 3:
        return None
    match = starts[chance.randrange(1, len(starts))]
    other = "He" if match[0] == "She" else "She"
    return text[: match.start()] + other + text[match.end() :]


def organ(text: str, chance: Random) -> str | None:
    """A finding of an organ that the patient does not have."""
    match = _STATED.search(text)
    if match is None or int(match[1]) < 12:
        return None
    female = match[2] in ("woman", "female", "girl")
    finding = (
        chance.choice(
            ("The prostate is enlarged and smooth.", "There is a mass in the left testicle.")
        )
        if female
        else chance.choice(("The uterus is enlarged.", "A mass is palpated in the right ovary."))
    )
    return _insert(text, finding, chance)


def age(text: str, chance: Random) -> str | None:
    """Where an age is told twice, the last one is another; else the patient is far too young for the word."""
    ages = list(_STATED.finditer(text))
    if not ages:
        return None
    last = ages[-1]
    years = int(last[1])
    if len(ages) > 1 and last[1] == ages[0][1]:
        changed = years + chance.choice((-13, 9, 17)) if years > 20 else years + 11
    elif last[2] in ("woman", "man", "female", "male") and years > 20:
        changed = chance.choice((4, 6, 7, 9))
    else:
        changed = years + 200
    return text[: last.start(1)] + str(changed) + text[last.end(1) :]


def side(text: str, chance: Random) -> str | None:
    """The side of one mention is changed, of a part that is named at least twice more, always on that side."""
    pattern = re.compile(
        r"\b(left|right) (knee|shoulder|hip|ankle|wrist|elbow|foot|hand|leg|arm|eye|ear|breast|lower extremity"
        r"|upper extremity|flank|kidney|thumb|toe|calf|thigh|groin)\b",
        re.I,
    )
    by_part: dict[str, list[re.Match[str]]] = {}
    for match in pattern.finditer(text):
        by_part.setdefault(match[2].lower(), []).append(match)
    whole = [
        matches
        for matches in by_part.values()
        if len(matches) >= 3 and len({match[1].lower() for match in matches}) == 1
    ]
    if not whole:
        return None
    match = chance.choice(chance.choice(whole)[1:])
    other = "right" if match[1].lower() == "left" else "left"
    other = other.capitalize() if match[1][0].isupper() else other
    return text[: match.start(1)] + other + text[match.end(1) :]


def dates(text: str, chance: Random) -> str | None:
    """Admission and discharge in the wrong order."""
    day, length = chance.randrange(12, 28), chance.randrange(2, 9)
    month, year = chance.randrange(1, 13), chance.randrange(2015, 2024)
    forms = (
        f"Admission date: {year}-{month:02}-{day:02}\nDischarge date: {year}-{month:02}-{day - length:02}\n\n",
        f"Admitted on {month:02}/{day:02}/{year} and discharged on {month:02}/{day - length:02}/{year}.\n\n",
    )
    return chance.choice(forms) + text


def duration(text: str, chance: Random) -> str | None:
    """Something that lasts longer than the patient has lived."""
    stated = _STATED.search(text)
    match = re.search(r"\b(\d+)([- ]years?[- ]history|[- ]years? ago)\b", text)
    if stated is None or match is None:
        return None
    return (
        text[: match.start(1)]
        + str(int(stated[1]) + chance.randrange(5, 25))
        + text[match.end(1) :]
    )


def impossible_value(text: str, chance: Random) -> str | None:
    """A vital sign that nobody has."""
    changes = (
        (r"(?:pulse|heart rate)(?: is|:)? (\d{2,3})", lambda value: value + "0"),
        (r"temperature(?: is|:)? (\d{2}(?:\.\d)?)(?: ?°? ?C)", lambda value: "1" + value),
        (
            r"blood pressure(?: is|:)? (\d{2,3}/\d{2,3})",
            lambda value: "/".join(reversed(value.split("/"))),
        ),
        (r"(?:oxygen saturation|SpO2)(?: is|:)?(?: of)? (\d{2})%", lambda value: "1" + value + ""),
        (r"respirations?(?: are| is|:)? (\d{2})", lambda value: value + "0"),
        (
            r"[Hh]emoglobin:?(?: of| is)? (\d{1,2}(?:\.\d)?) g/dL",
            lambda value: value.replace(".", "") + "0",
        ),
        (r"[Pp]otassium:?(?: of| is)? (\d\.\d)", lambda value: value.replace(".", "")),
    )
    places = [
        (match, change(match[1]))
        for pattern, change in changes
        if (match := re.search(pattern, text))
    ]
    if not places:
        return None
    match, changed = chance.choice(places)
    return text[: match.start(1)] + changed + text[match.end(1) :]


def allergy(text: str, chance: Random) -> str | None:
    """The patient is allergic to a drug that the note gives, or to its class."""
    groups = {"penicillin": "penicillin", "cephalosporin": "cephalosporins", "sulfonamide antibiotic": "sulfa drugs",
              "nsaid": "NSAIDs", "ace inhibitor": "lisinopril", "macrolide": "erythromycin"}  # fmt: skip
    given = _given_drugs(text)
    if not given:
        return None
    drug, _ = chance.choice(given)
    names = [groups[name] for name in sorted(drug.classes) if name in groups] or [drug.name]
    told = chance.choice(
        (
            f"The patient is allergic to {names[0]}.",
            f"Allergies: {names[0]} (rash).",
            f"Known {names[0].rstrip('s')} allergy.",
        )
    )
    stripped = re.sub(r"No known (?:drug )?allergies\.?|NKDA\.?", told, text)
    return stripped if stripped != text else _insert(text, told, chance, first=True)


def doubled(text: str, chance: Random) -> str | None:
    """A drug is listed again under its other name, with its dose if it has one."""
    given = [(drug, match) for drug, match in _given_drugs(text) if drug.names]
    if not given:
        return None
    drug, match = chance.choice(given)
    other = drug.name if match["name"].lower() != drug.name else drug.names[0]
    dose = re.compile(r"(?: \d+(?:\.\d+)? ?(?:mg|mcg)\b)?").match(text, match.end())
    assert dose is not None
    return f"{text[: dose.end()]} and {other}{dose[0]}{text[dose.end() :]}"


def monitoring_dropped(text: str, chance: Random) -> str | None:
    """Every sentence is left out that tells what a drug of the note has to be watched by."""
    named = [drug for drug, _ in _named_drugs(text)]
    rows = [
        row for row in MONITORING if any(row.taken & (drug.classes | {drug.name}) for drug in named)
    ]
    chance.shuffle(rows)
    for row in rows:
        words = re.compile(
            "|".join(MONITORING_WORDS[item] for item in row.items) + r"|metabolic panel|\blabs?\b",
            re.I,
        )
        taken = {drug.name for drug in named if row.taken & (drug.classes | {drug.name})}
        kept = [part for part in _SENTENCE.findall(text) if not words.search(part)]
        rest = "".join(kept)
        if len(rest) < len(text) - 10 and any(name in rest.lower() for name in taken):
            return rest
    return None


def overdose(text: str, chance: Random) -> str | None:
    """A dose is ten times what it was."""
    dosed = [(drug, match) for drug, match in _dosed_drugs(text) if drug.highest_mg]
    if not dosed:
        return None
    _, match = chance.choice(dosed)
    return text[: match.start("number")] + _tenfold(match["number"]) + text[match.end("number") :]


def other_dose(text: str, chance: Random) -> str | None:
    """The end of the note continues a drug with three times its dose, without a word."""
    dosed = _dosed_drugs(text)
    if not dosed:
        return None
    _, match = chance.choice(dosed)
    other = f"{float(match['number']) * 3:g}"
    return f"{text.rstrip()}\nContinue {match['name']} {other} {match['unit']}.\n"


def denied(text: str, _chance: Random) -> str | None:
    """The patient denies what the first sentences tell."""
    match = re.search(
        r"because of (?:a |an )?(?:[\w-]+ )?(?:history of |episode of )?(?:[a-z]+ ){0,2}?(headache|fever|cough|nausea"
        r"|vomiting|diarrhea|chest pain|shortness of breath|abdominal pain|back pain|fatigue"
        r"|dizziness|palpitations|dysuria|rash)",
        text,
    )
    if match is None:
        return None
    end = text.find(". ", match.end())
    return None if end < 0 else f"{text[:end]}. The patient denies {match[1]}.{text[end + 1 :]}"


PLANTS: Mapping[str, tuple[Plant, frozenset[str]]] = {
    "sex stated": (sex_stated, frozenset({"sex_contradicts", "organ_of_other_sex"})),
    "sex of a pronoun": (sex_pronoun, frozenset({"sex_contradicts"})),
    "organ of the other sex": (organ, frozenset({"organ_of_other_sex"})),
    "age": (
        age,
        frozenset(
            {
                "two_ages",
                "age_contradicts_word",
                "age_impossible",
                "longer_than_life",
                "not_at_that_age",
            }
        ),
    ),
    "side": (side, frozenset({"side_contradicts"})),
    "dates swapped": (dates, frozenset({"dates_contradict"})),
    "longer than life": (duration, frozenset({"longer_than_life"})),
    "impossible value": (
        impossible_value,
        frozenset({"impossible_value", "crossed_pressures", "restated_differently"}),
    ),
    "word against value": (word_against_value, frozenset({"word_against_value"})),
    "value restated": (value_restated, frozenset({"restated_differently"})),
    "wrong unit": (wrong_unit, frozenset({"wrong_unit"})),
    "allergy against drug": (allergy, frozenset({"drug_against_allergy"})),
    "drug doubled": (doubled, frozenset({"drug_twice"})),
    "monitoring dropped": (monitoring_dropped, frozenset({"monitoring_missing"})),
    "dose tenfold": (overdose, frozenset({"dose_over_maximum", "dose_changed_silently"})),
    "dose changed silently": (other_dose, frozenset({"dose_changed_silently"})),
    "asserted and denied": (denied, frozenset({"asserted_and_denied"})),
}
"""Each plant with the kinds of points that find it."""


def _insert(text: str, sentence: str, chance: Random, *, first: bool = False) -> str:
    """Between two sentences of a paragraph: the first two that the note has, or any."""
    places = [match.end() for match in re.finditer(r"[a-z]{3}\. (?=[A-Z])", text)]
    if not places:
        return f"{text.rstrip()}\n{sentence}\n"
    place = places[0] if first else chance.choice(places)
    return f"{text[:place]}{sentence} {text[place:]}"


def _named_drugs(text: str) -> list[tuple[Drug, re.Match[str]]]:
    return [
        (drug, match)
        for name, drug in latin_names().items()
        if (match := re.search(rf"\b(?P<name>{re.escape(name)})\b", text, re.I))
    ]


def _given_drugs(text: str) -> list[tuple[Drug, re.Match[str]]]:
    """Drugs in a sentence that says that the patient takes, gets or is to get something."""
    given = []
    for drug, match in _named_drugs(text):
        start = max(text.rfind(". ", 0, match.start()), text.rfind("\n", 0, match.start())) + 1
        before = text[start : match.start()]
        takes = r"medications? (?:are|include|is)|takes|taking|prescribed|treated with|started|continue|given"
        ended = r"stop|discontinu|hold|switch|previous|allerg|refus|declin|not |never|no longer|level|mother|father"
        if re.search(takes, before, re.I) and not re.search(ended, before, re.I):
            given.append((drug, match))
    return given


def _dosed_drugs(text: str) -> list[tuple[Drug, re.Match[str]]]:
    """Drugs with a dose right after them, where nothing says that they are stopped or changed."""
    found = []
    for drug, named in _named_drugs(text):
        match = re.compile(
            r"(?P<name>[\w-]+) (?P<dose>(?P<number>\d+(?:\.\d+)?) ?(?P<unit>mg|mcg))\b(?!/)"
        ).match(text, named.start())
        start = max(text.rfind(".", 0, named.start()), text.rfind("\n", 0, named.start()))
        before = text[start + 1 : named.start()]
        if match and not re.search(
            r"stop|discontinu|hold|switch|increas|decreas|reduc|chang|from", before, re.I
        ):
            found.append((drug, match))
    return found


def _tenfold(number: str) -> str:
    return f"{float(number) * 10:g}"
