"""English names of people in clinical text: by what stands beside them, and by common given names.

There is no list of all names. One is found by a label (`Name:`), a title, a degree, an age beside it or a common given
name; what was found once is found everywhere in the text, also its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from shared.patterns import regex

NAME = "NAME"
Place = tuple[int, int, str]

_W = (
    r"(?<![A-Za-zÀ-ÿ])(?:[A-ZÀ-Þ][A-Za-zÀ-ÿ]{1,20}+(?:['’-][A-Za-zÀ-ÿ]{1,20}+)?+"
    r"|[A-Z]['’-](?=[A-Z])[A-Za-zÀ-ÿ]{1,20}+|[A-Z]\.)"
)
_FULL = rf"{_W}(?:[ \t]+{_W}){{0,3}}"
_REVERSED = rf"{_W}(?:[ \t]+{_W})?,[ \t]*{_W}(?:[ \t]+{_W}|[ \t]+[A-Z]\b)?"
_LABELLED = regex(
    r"\b(?:(?:patient|pt|full|last|first|family|given|"
    r"maiden)?[ \t]{0,2}(?:'s[ \t])?name(?:[ ]?[/,&][ ]?\w{2,12}){0,2}|"
    r"next of kin|nok|emergency contact|guardian|spouse|re|regarding|hcp|(?:health care )?proxy|poa)"
    r"[ \t]{0,3}[:=][ \t]{0,3}"
    rf"(?-i:({_REVERSED}|{_FULL}))",
    re.IGNORECASE,
)
_ROLES = (
    r"(?:patient|pt|attending|physician|provider|surgeon|referring|pcp|author|resident|fellow|intern|nurse|doctor|"
    r"consultant|consulting|pharmacist|interpreter|scribe|hospitalist|(?:case|care) manager|social worker|therapist|"
    r"dietitian|midwife|caregiver|chaplain|[a-z]{4,14}ologist|next of kin|emergency contact|health care proxy)"
)
_ROLE = regex(
    rf"\b(?:{_ROLES}|(?:electronically )?(?:signed|dictated|transcribed|referred|reviewed|approved|verified|attested|"
    r"seen|authored)(?: by| but not read)?|cc|from|to)"
    r"(?: (?:MD|DO|physician|provider|doctor|name|of record))?[ \t]{0,3}[:–-][ \t]{1,3}"
    rf"(?-i:({_REVERSED}|{_FULL}))",
    re.IGNORECASE,
)
_ROLE_BARE = regex(rf"\b(?i:{_ROLES}|PCP)[ \t]({_FULL})")
_BARE = regex(
    r"\b(?:[Pp]atient|[Pp]t\.?|[Rr]eferring|[Rr]egarding|[Rr]eferred by|[Dd]ictated by|[Ss]igned by|[Ss]een by|"
    r"[Rr]eviewed by|[Tt]ranscribed by|[Dd]iscussed with|[Ss]poke (?:with|to)|[Ss]eeing|[Ee]valuating|[Cc]aring for|"
    r"[Cc]are of|[Oo]n behalf of|[Pp]er|[Mm]et with|[Cc]alled by|[Nn]otified)[ \t]"
    rf"({_FULL})"
)
_GREETED = regex(
    rf"(?:^|[ \t])(?:Dear|Hello|Attn:?|ATTN:?|/es?/|[Bb]aby (?:boy|girl))[ \t]({_FULL})",
    re.MULTILINE,
)
_ACTS = (
    r"(?:denies|denied|returns|returned|presents|presented|complains|complained|comes|came|arrives|arrived|lives|works|"
    r"states|phoned|called|calls|asks|asked|tolerated|refuse[sd]|declines|declined|consents|consented|agrees|agreed|"
    r"requests|slept|ambulated|walked|ate|drank|wants|wishes|prefers|verbali[sz]ed|understands|underwent|received|"
    r"stayed|feels|felt|says|said|tells|told|needs|takes|took|sleeps|voided|vomited|fell|"
    r"(?:is|was) (?:here|seen|being seen|admitted|discharged|brought|referred|evaluated|transferred|moved|intubated|"
    r"extubated|married|retired|born|afebrile|alert|comfortable|sleeping|resting|agitated|tearful|NPO)|"
    r"has been|will (?:call|return|bring|be (?:seen|discharged|admitted))|"
    r"is an? (?:[a-z-]{1,20}+[ ]){0,2}(?:man|woman|male|female|boy|girl|gentleman|lady))\b"
)
"""What people do, or is done with them, in a note."""
_SUBJECT = regex(
    rf"(?:^|[.!?][ \t]{{1,2}}|\n|[;,][ \t])({_W}(?:[ \t]+{_W}){{1,2}})[ \t]{_ACTS}",
)
_LONE_SUBJECT = regex(
    rf"(?:^|[.!?;][ \t]{{1,2}}|\n)({_W})[ \t](?:phoned|asked|refused|refuses|declined|declines|"
    r"tolerated|consents|consented|agreed|slept|ambulated|walked|ate|denies|denied|says|said|told|wants|wishes|vomited|voided|lives|works|"
    r"(?:is|was|has been) (?:afebrile|alert|comfortable|sleeping|resting|agitated|tearful|discharged|admitted))\b"
)
_OWNING = regex(
    r"(?:^|[.!?;][ \t]{1,2}|\n)([A-Z][a-zà-ÿ]{1,20}+)['’]s[ \t](?:labs?|results?|blood|BP|INR|potassium|sodium|glucose|"
    r"creatinine|hemoglobin|temp(?:erature)?|wound|pain|chart|family|mother|father|son|daughter|wife|husband|"
    r"sister|brother|neighbou?r|aunt|uncle|room|med(?:ication)?s|diet|surgery|discharge|appointment|fever|cough|weight)\b"
)
_BY_PERSON = regex(
    r"\b(?:by|with|w/|of|for|to|from)[ \t]"
    rf"(?:({_W},[ \t]{_W}(?:[ \t]+{_W})?)(?=[.;\n]|[ \t]*$)|({_W}[ \t]+{_W}(?:[ \t]+{_W})?))",
    re.MULTILINE,
)
_MET = regex(
    r"\b(?:(?:[Dd]iscussed|[Ss]poke|[Ss]poken|[Rr]ounded|[Rr]eviewed|[Mm]et|[Cc]onferred|[Hh]anded off)"
    rf"(?:[ \t]again)?[ \t](?:with|w/|to)|[Dd]/[Ww])[ \t]({_W})(?=[ \t]?[(.,;]|[ \t](?:and|from|of|at|about|on|re)\b)"
    rf"|^[ \t]*Per[ \t]({_W}),|\bby[ \t]({_W}),[ \t](?:MD|DO|RN|NP|PA|PA-C|FNP|LPN)\b",
    re.MULTILINE,
)
_NOTED = regex(
    rf"^[ \t]*({_REVERSED}|{_W}(?:[ \t]+{_W}){{1,2}})(?:[ \t]\d{{1,3}}[ ]?[MF]\b|"
    r":[ \t](?=[a-z]{3,}[ ,](?:overnight|today|since|on|x)))",
    re.MULTILINE,
)
_SMALL_LABELLED = regex(
    r"^[ \t]*(?:patient name|name|scribe|author|attending|nurse|provider|physician|next of kin|emergency contact)"
    r"[ \t]?:[ \t]{0,3}([a-z]{2,20}(?:[ \t][a-z]{2,20}){1,2})[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNING = regex(
    rf"\bI,[ \t]({_FULL}),|\b(?:[Ss]igned|[Ss]incerely|[Rr]egards),[ \t]?\n?({_W}(?:[ \t]+(?:{_W}|[A-Z]\b)){{1,2}})"
)
_LISTED = regex(
    rf"^[ \t]*({_REVERSED}|{_W}(?:[ \t]+{_W}){{1,2}})[ \t]*[|,;(/][ \t|]*(?:MRN|DOB|[Aa]ge|[MF]\b|\d"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d)",
    re.MULTILINE,
)
_RELATED = regex(
    rf"({_W}(?:[ \t]+{_W}){{1,2}})[ \t]?(?:\(|,[ \t])(?:his|her|the|patient's)?[ ]?(?:wife|husband|son|"
    rf"daughter|mother|father|"
    r"sister|brother|spouse|partner|caregiver|guardian)\b"
)
_NUMBERED = regex(
    rf"({_W}(?:[ \t]+{_W}){{1,3}})(?:[ \t]?\((?:MRN|DOB|ID|age)\b|,?[ \t](?:DOB|[Bb]orn|date of birth)\b)"
)
_TITLED = regex(
    rf"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Doctor|MR|MRS|MISS|PROF)\b\.?[ \t]{{1,2}}({_FULL})"
)
_RELATIVE = regex(
    r"\b(?i:daughter|son|wife|husband|mother|father|sister|brother|friend|partner|caregiver|neighbou?r|aunt|uncle|"
    r"niece|nephew|grandmother|grandfather|grandson|granddaughter|roommate|boyfriend|girlfriend)(?:-in-law)?,?[ \t]"
    rf"({_FULL})"
)
_DEGREE = regex(
    rf"({_W}(?:[ \t]+{_W}){{1,3}}),?[ \t]{{1,2}}(?:M\.?D|D\.?O|R\.?N|N\.?P|P\.?A|PA-C|Ph\.?D|FNP|DNP|DPM|LPN|MBBS)\b"
)
_AGED = regex(
    rf"({_W}(?:[ \t]+{_W}){{0,2}})(?:,| is| was)[ \t](?:an?|the|now)[ \t](?:[a-z-]{{1,20}}+[ \t]){{0,3}}"
    r"\d{1,3}[- ]?(?:year|yr|y/?o|month|week)"
)
_TOKEN = regex(r"(?<![A-Za-zÀ-ÿ'’-])[A-ZÀ-Þ][A-Za-zÀ-ÿ]*(?:['’-][A-Z][A-Za-zÀ-ÿ]*)*")
_SMALL = regex(r"(?<![\w@.-])[a-zß-ÿ]{3,}(?![\w@])")
"""Words in small letters, as no name is written; not within mail addresses."""
_AFTER_GIVEN = regex(rf"(?:[ \t]+[A-Z]\.?(?![A-Za-z]))?[ \t]+({_W})")
_EPONYM = regex(
    r"(?:['’]s)?[ \t-](?:disease|syndrome|sign|test|maneuver|manoeuvre|palsy|lymphoma|sarcoma|tumou?r|catheter|"
    r"drain|clamp|score|scale|criteria|classification|procedure|fracture|contracture|thyroiditis|esophagus|"
    r"oesophagus|cyst|node|nodes|reflex|point|triad|murmur|tube|bodies|cells|phenomenon|ulcer|hernia)\b",
    re.IGNORECASE,
)

GIVEN = frozenset(
    """
    Aaron Abigail Adam Alan Albert Alexander Alexandra Alice Alicia Allison Amanda Amy Andrea Andrew Angela
    Anita Ann Anna Anne Annette Anthony Antonio Arthur Ashley Audrey Barbara Benjamin Bernard Beth Betty Beverly
    Bonnie Bradley Brandon Brenda Brent Brian Brittany Bruce Bryan Caleb Cameron Carl Carla Carlos Carol Caroline
    Carolyn Carrie Catherine Cathy Charles Charlotte Cheryl Chloe Chris Christian Christina Christine Christopher
    Cindy Claire Connie Courtney Craig Curtis Cynthia Daniel Danielle Danny David Deborah Debra Denise
    Dennis Derek Diana Diane Donald Donna Doris Dorothy Douglas Duane Dustin Dylan Edward Edwin Eileen Elaine
    Eleanor Elizabeth Ellen Emily Emma Eric Erica Erin Ethan Eugene Evelyn Felicia Fernando Florence Frances Francis
    Francisco Gabriel Gary George Gerald Geraldine Gina Glenn Gloria Gregory Hannah Harold Harriet Harry
    Heidi Helen Henry Holly Howard Isabella Jacob Jacqueline James Jamie Jane Janet Janice Jared Jason Jean Jeffrey
    Jennifer Jeremy Jerry Jessica Jill Joan Joanne Joel John Johnny Jonathan Jose Joseph Joshua Joyce Juan Judith
    Judy Julia Julie Justin Karen Katherine Kathleen Kathryn Katie Kayla Keith Kelly Kenneth Kevin Kimberly Kristen
    Kyle Larry Laura Lauren Lawrence Leah Leonard Leslie Linda Lindsay Lisa Logan Lois Lori Louis Louise Lucas Lucy
    Luis Lynn Madison Manuel Marcus Margaret Maria Marie Marilyn Mario Marjorie Martha Martin Marvin Mary Matthew
    Megan Melanie Melissa Melvin Michael Michele Michelle Miguel Mildred Monica Nancy Natalie Nathan Nicholas Nicole
    Noah Norma Norman Olivia Oscar Pamela Patricia Patrick Paul Paula Peggy Peter Philip Phillip Phyllis Rachel
    Ralph Ramon Randy Raymond Rebecca Regina Ricardo Richard Rita Robert Roberta Rodney Roger Ronald Rosemary Roy
    Russell Ruth Ryan Sabrina Samantha Samuel Sandra Sara Sarah Scott Sean Shannon Sharon Shawn Sheila Shirley
    Sophia Stacy Stanley Stephanie Stephen Steven Stuart Susan Suzanne Sylvia Tamara Tammy Tanya Teresa Theodore
    Theresa Thomas Tiffany Timothy Tina Todd Tony Tracy Travis Tyler Valerie Vanessa Veronica Vicki Victor Victoria
    Vincent Vivian Walter Wanda Wayne Wendy William Yolanda Yvonne Zachary
    """.split()
)
"""Common given names (United States Social Security Administration, births 1940 to 2000) that are no other word."""
_NO_NAMES = frozenset(
    """
    the this that these there she he they his her him it its is was are were has had have no not none yes and or of in
    on at for with without by to from as an a patient patients pt name date age sex dob mrn male female man woman boy
    girl unknown stable reports denies states presents admitted seen history exam examination physical assessment plan
    chief complaint impression diagnosis medications medication allergies allergy vital vitals signs labs laboratory
    results review systems social family past medical surgical hospital clinic emergency department room service unit
    cardiology neurology oncology surgery medicine radiology pathology pediatrics psychiatry orthopedics urology
    nephrology gastroenterology dermatology ophthalmology endocrinology rheumatology pulmonology hematology
    primary care provider physician doctor nurse attending resident phone address email contact records record number
    today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december since after before during when while if then also however
    subjective objective continue follow right left bilateral alert oriented normal abnormal signed electronically
    english spanish korean american asian white black hispanic caucasian african
    dr mr mrs ms miss prof
    syndrome disease disorder failure effort therapy home south north new pain test score class level day
    md do rn np pa phd colleague sir madam team all whom protocol policy guideline guidelines recommendations report
    nursing pharmacy imaging ct mri xray x-ray ultrasound ecg ekg chest abdominal heart lung renal liver brain cardiac
    acute chronic severe mild moderate type grade stage icu er ed or him intensive unit center centre health
    """.split()
)
_NOBODY = frozenset(
    """
    Mother Father Mom Dad Wife Husband Son Daughter Brother Sister Aunt Uncle Family Parent Parents Spouse Partner Baby
    Infant Child Newborn Neonate Toddler Caregiver Guardian Grandmother Grandfather Everyone Someone Nobody Anyone Team
    Staff Police Caller Client Resident Fellow Intern Consultant Specialist Surgeon Pharmacist Dietitian Transport
    Hospice Ortho Orthopedics Neuro Neurosurgery Renal Urology Gynecology Obstetrics Anesthesia Infectious Palliative
    Rehab Physio Transfusion Dispatch Wound Abdomen Incision Gait Affect Mood Symptoms Pain Sleep Appetite Otherwise
    Parkinson Alzheimer Crohn Hodgkin Cushing Addison Graves Hartmann Ringer Bell Wilson Huntington Foley Today
    """.split()
)
_EPONYMS = frozenset(
    """
    Addison Alzheimer Baker Barrett Bell Crohn Cushing Down Foley Graves Hashimoto Hodgkin Huntington Kawasaki Marfan
    McBurney Meniere Murphy Paget Parkinson Raynaud Romberg Sjogren Tourette Turner Wilson Glasgow Apgar Babinski
    """.split()
)


_OF_TWO_WORDS = (
    *(
        _ROLE,
        _ROLE_BARE,
        _DEGREE,
        _BARE,
        _NUMBERED,
        _SUBJECT,
        _LISTED,
        _RELATED,
        _BY_PERSON,
        _NOTED,
    ),
)
"""What stands beside other words as well: a single word there is a name only where it is a common one."""
_LONE = (_LONE_SUBJECT, _OWNING, _MET)
"""Where one word is enough, unless the text has it in small letters or it stands for a person or a department."""
_PATTERNS = (_LABELLED, _TITLED, _RELATIVE, _AGED, _GREETED, _SIGNING, *_OF_TWO_WORDS)


def find_english_names(text: str) -> Iterator[Place]:
    """Names beside a label, a title, a degree or an age, and common given names with what follows them."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            least = 2 if pattern in _OF_TWO_WORDS else 1
            place = _name_at(text, *match.span(match.lastindex or 1), least)
            yield from () if place is None else (place,)
    yield from _lone_names(text)
    yield from ((*match.span(1), NAME) for match in _SMALL_LABELLED.finditer(text))
    for match in _TOKEN.finditer(text):
        if match[0] in GIVEN and not _EPONYM.match(text, match.end()):
            yield match.start(), _end_of_name(text, match.end()), NAME


def _lone_names(text: str) -> Iterator[Place]:
    """Names of one word, by what is done."""
    matches = [match for pattern in _LONE for match in pattern.finditer(text)]
    small = {*_SMALL.findall(text)} if matches else set()
    for match in matches:
        name = match[match.lastindex or 1]
        if not name.isupper() and name not in _NOBODY and _is_telling(name, small):
            yield *match.span(match.lastindex or 1), NAME


def _end_of_name(text: str, end: int) -> int:
    """Where a name ends whose given name ends there."""
    after = _AFTER_GIVEN.match(text, end)
    if after is None or _is_word(after[1]) or _EPONYM.match(text, after.end()):
        return end
    return after.end()


def _name_at(text: str, start: int, end: int, least: int) -> Place | None:
    """The name within these words: up to the first that is none. One of fewer words than `least` has to be common."""
    words = takewhile(
        lambda word: len(word[0]) == 1 or not _is_word(word[0]), _TOKEN.finditer(text, start, end)
    )
    kept = [*words]
    if not any(len(word[0]) > 1 for word in kept):
        return None
    if len(kept) < least and kept[0][0] not in GIVEN:
        return None
    if len(kept) == 1 and _is_eponym(text, kept[0]):
        return None
    return kept[0].start(), kept[-1].end(), NAME


def _is_eponym(text: str, word: re.Match[str]) -> bool:
    """Whether a disease or a test is called so here."""
    return word[0] in _EPONYMS and _EPONYM.match(text, word.end()) is not None


def _is_word(token: str) -> bool:
    return token.lower() in _NO_NAMES


def repeated_names(text: str, names: set[str], rest: str) -> Iterator[Place]:
    """Where else names or their parts stand. A part that is an ordinary word in the rest of the text is left alone."""
    small = {*_SMALL.findall(rest)} if names else set()
    parts = {part for part in _TOKEN.findall("\n".join(names)) if _is_telling(part, small)}
    spoken = parts | {part.upper() for part in parts}
    before: re.Match[str] | None = None
    for match in _TOKEN.finditer(text) if spoken else ():
        if match[0] in spoken and not _is_eponym(text, match):
            yield _start_of_name(text, before, match, small), match.end(), NAME
        before = match


def _start_of_name(
    text: str, before: re.Match[str] | None, name: re.Match[str], small: set[str]
) -> int:
    """Where a name begins whose known part is `name`: at a word right before it that can only be another part."""
    if before is None or text[before.end() : name.start()] != " ":
        return name.start()
    return before.start() if _is_telling(before[0], small) else name.start()


def _is_telling(part: str, small: set[str]) -> bool:
    return len(part) > 2 and not _is_word(part) and part.lower() not in small
