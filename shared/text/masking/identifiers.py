"""What identifies a patient in a clinical text, replaced by placeholders, and put back.

Names, telephone numbers, record and resident registration numbers, mail addresses, addresses and birth dates, English
and Korean (of the identifiers of the HIPAA safe harbour method, 45 CFR 164.514(b)(2), those that a note usually holds).
The rules go by form and by the words beside; what they miss is in docs/design/privacy.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from shared.patterns import regex
from shared.text.masking.korean_names import find_korean_names, repeated_korean_names
from shared.text.masking.people import RESIDENT as CHECKED_RESIDENT
from shared.text.masking.people import find_emails, find_numbers
from shared.text.masking.person_names import (
    NAME,
    Place,
    find_english_names,
    repeated_names,
)

RESIDENT, EMAIL, ADDRESS, BIRTH, PHONE, RECORD = (
    "RESIDENT",
    "EMAIL",
    "ADDRESS",
    "BIRTHDATE",
    "PHONE",
    "RECORD",
)
KINDS = (RESIDENT, EMAIL, ADDRESS, BIRTH, PHONE, RECORD, NAME)
_PLACEHOLDER = regex(rf"\[(?:{'|'.join(KINDS)})-\d{{1,9}}\]")

# ---- numbers ------------------------------------------------------------------------------------

_RESIDENT = regex(
    r"(?<![\d-])(?:\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ ]?-[ ]?[1-8](?:\d{6}|[*xX●]{6})|\d{3}-\d{2}-\d{4})"
    r"(?![\d-])"
)
_PHONE = regex(
    r"(?<![\d.,/-])(?:(?:\+?1[ .-]?)?(?:\([2-9]\d\d\)[ ]?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}"
    r"|(?:\+82[- ]?)?0?1[016789][- .]?\d{3,4}[- .]?\d{4}"
    r"|(?:\+82[- ]?|0)(?:2|[3-6]\d|70|50\d?)[-). ][ ]?\d{3,4}[- .]\d{4}"
    r"|(?:\+44[ ]?|0)(?:7\d{3}[ ]?\d{6}|7\d{3}[ ]\d{3}[ ]\d{3}|[12]\d{2,3}[ ]\d{3}[ ]?\d{3,4})"
    r"|\+(?!1[ .-]?[(2-9]|82|44)[1-9]\d{0,2}(?:[ .-]\d{2,5}){2,5})(?![\d-])"
)
_SHORT_PHONE = regex(
    r"\b(?:next of kin|nok|emergency contact|proxy|contact|tel|phone|cell|home|work)\b[^\n\d]{0,60}?"
    r"(?<![\d.-])([2-9]\d\d-\d{4})(?![\d-])",
    re.IGNORECASE,
)
_CALLED_PHONE = regex(
    r"(?:\b(?:tel|phone|ph|cell|mobile|fax|telephone|pager|contact|beeper|voicemail|call(?:[ ]?back)?|"
    r"reached (?:at|on)|"
    r"h\.?p)(?:[ ]?(?:no|num|number|#))?\b|전화(?:[ ]?번호)?|연락(?:처|[ ]가능[ ]번호|망)|휴대폰|"
    r"휴대전화|핸드폰|팩스)"
    r"[ \t.:：#)–-]{0,4}([+(]?\d[\d ()+.-]{5,18}\d)(?![\d/:])",
    re.IGNORECASE,
)
_NUMBERED = (
    "medical record|chart|record|patient|hospital|unit|account|acct|case|encounter|visit|accession|insurance|policy|"
    "member|subscriber|medicare|medicaid|passport|licen[cs]e|DEA|NPI|SSN|social security"
)
_K_NUMBERED = (
    "환자|병원|등록|차트|병록|원무|진료|내원|입원|수진자|(?:건강)?보험증?|여권|면허|"
    "접수|검체|주민(?:등록)?|외국인등록"
)
_NUMBER = r"[A-Z]{0,4}[- ]?\d[A-Z0-9-]{2,24}"
_RECORD = regex(
    rf"(?:\b(?:MRN|medical record|(?:{_NUMBERED}|med(?:ical)?\.?[ ]rec(?:ord)?s?|MR|UR|hosp|NHS|CHI|"
    rf"health card)\.?[ ]{{0,2}}"
    r"(?:number|num\b\.?|no\b\.?|#|ID\b))|"
    rf"(?:{_K_NUMBERED})[ ]?(?:번호|ID|No\b\.?|#))"
    rf"[ \t]{{0,3}}(?:is|was|은|는)?[ \t:：#=.–-]{{0,4}}(\d{{3}}[ ]\d{{3}}[ ]\d{{4}}(?!\d)|{_NUMBER})",
    re.IGNORECASE,
)
_SHORT_RECORD = regex(
    r"(?<![\w-])(?:ID|HN|FIN|CSN|HAR|URN|UHID|PID|EMPI|PTID|MRN|HRN|[Cc]hart|CHART|[Rr]ecord|[Aa]ccount|[Ee]ncounter|"
    r"[Aa]cct|[Aa]ccession|ACC|"
    r"[Pp]atient|환자[ ]?ID|(?<!\w)(?=#))[ \t]?[#:：]?[ \t]{0,2}"
    r"([A-Z]{0,3}-?\d{5,12}|[A-Z]{1,3}\d{2}-\d{3,8})(?![\w.,%/-]*\d)"
    r"(?![ ]?(?:m[gL]|mcg|units?|IU|cells|copies|/))"
)
"""What stands for other words as well: before a long number only."""
_LEAST_RECORD, _LEAST_NAME = 5, 2
"""Shorter ones stand for other things, too."""
_TOKEN = regex(r"(?<![A-Za-z0-9])[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9])){3,30}")

# ---- dates of birth -----------------------------------------------------------------------------

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = (
    r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}\.[ ]\d{1,2}\.[ ]\d{1,2}|"
    r"\d{2,4}년[ ]?\d{1,2}월[ ]?\d{1,2}일|"
    rf"(?:the[ ])?\d{{1,2}}(?:st|nd|rd|th)?[ ](?:of[ ])?{_MONTH},?[ ]\d{{4}}|"
    rf"{_MONTH}[ ]\d{{1,2}}(?:st|nd|rd|th)?,?[ ]\d{{4}}|\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}}|\d{{8}}|\d{{6}})"
)
_BIRTH = regex(
    rf"(?:\bDOB|\bD\.O\.B\.?|\bdate of birth|\bbirth[ ]?date|\bbirthday|\bborn(?: on| in)?|생년월일|생일|출생일|출생|"
    rf"주민(?:등록)?번호(?:[ ]?앞[ ]?자리)?)"
    rf"(?:/(?:age|sex))?[ \t]{{0,3}}(?:[:：=(–-]|은|는|is|was)?[ \t]{{0,3}}\n?[ \t]{{0,3}}({_DATE})(?![\d-])"
    rf"|(?<![\w.])[Bb]\.[ ]({_DATE})(?!\d)"
    rf"|(?<!\d)({_DATE})\.?[ ]?(?:출?생|출생[가-힣]{{1,3}})(?![가-힣])",
    re.IGNORECASE,
)
_ANY_DATE = regex(rf"(?<!\d){_DATE}(?!\d)", re.IGNORECASE)

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NUMBER_OR_MONTH = regex(r"\d+|[a-z]{3,}", re.IGNORECASE)


def day_of(date: str) -> tuple[int, int, int] | None:
    """Year of its century, month and day of a written date; slashes as in the United States, the month first."""
    parts = _parts(date)
    numbers = [int(part) for part in parts if part.isdigit()]
    months = [part[:3].lower() for part in parts if not part.isdigit()]
    match numbers, months:
        case (day, year), (name, *_) if name in _MONTHS:
            return _valid(year, _MONTHS.index(name) + 1, day)
        case (year, month, day), _ if year > 31 or len(parts[0]) > len(parts[2]):
            return _valid(year, month, day)
        case (day, month, year), _ if day > 12:
            return _valid(year, month, day)
        case (month, day, year), _:
            return _valid(year, month, day)
    return None


def _parts(date: str) -> list[str]:
    """Its numbers and words; `19700304` and `700304` have three numbers."""
    parts = _NUMBER_OR_MONTH.findall(date)
    is_whole = len(parts) == 1 and len(parts[0]) in (6, 8)
    return [date[:-4], date[-4:-2], date[-2:]] if is_whole else parts


def _valid(year: int, month: int, day: int) -> tuple[int, int, int] | None:
    return (year % 100, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


# ---- addresses ----------------------------------------------------------------------------------

_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr(?=\.?,|\.?[ \t]*$)|Court|Ct|Way|"
    r"Place|Pl|Terrace|"
    r"Circle|Parkway|Pkwy|Highway|Hwy|Square|Close|Crescent|Cres|Grove|Gardens|Mews|Row|Walk|Trail|Loop|Green)\b\.?"
)
_ADDRESS = regex(
    rf"(?<![\d.])\d{{1,6}}[ ](?:[NSEW]\.?[ ])?(?:[A-Z0-9][A-Za-z'.]{{1,20}}[ ]){{1,3}}{_STREET}"
    r"(?:,?[ ](?:Apt|Apartment|Suite|Ste|Unit|#)\.?[ ]?[\w-]{1,6})?"
    r"(?:,[ ](?:(?:St|Ft|Mt)\.[ ])?[A-Z][A-Za-z]{1,20}(?:[ ][A-Z][A-Za-z]{1,20}){0,2})?(?:,?[ ][A-Z]{2}\b)?"
    r"(?:[ ]\d{5}(?:-\d{4})?)?"
    r"|\bP\.?O\.?[ ]?Box[ ]\d{1,7}(?:,[ ][A-Z][a-z]{2,20}(?:[ ][A-Z][a-z]{2,20})?,?[ ][A-Z]{2}\b(?:[ ]\d{5})?)?"
    r"|\b(?<=[Zz]ip )\d{5}\b|\b(?<=ZIP )\d{5}\b|\b(?<=[Zz]ip code )\d{5}\b"
    r"|\b[A-Z][a-z]{2,20}(?:[ ][A-Z][a-z]{2,20}){0,2},[ ][A-Z]{2}[ ]\d{5}(?:-\d{4})?\b"
    r"|\b(?:Flat|Apartment|"
    r"Apt\.?)[ ]\d{1,4}[A-Za-z]?,[ ]\d{1,4}[A-Za-z]?[ ](?:[A-Z][a-z']{1,20}[ ]){1,2}[A-Z][a-z]{2,12}\b",
    re.MULTILINE,
)
_CALLED_ADDRESS = regex(
    r"(?:\b(?:home |mailing |street )?address|\bresidence|주[ ]?소|거주지|자택)[ \t]{0,3}[:：][ \t]{0,3}"
    r"(\S(?:(?![ \t](?:Phone|Tel|DOB|MRN|전화|연락처)|[ \t]{2,}|[;|])[^\n]){3,118})",
    re.IGNORECASE,
)
_PROVINCE = (
    "(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|충청북|충청남|전북|전남|"
    "전라북|전라남|경북|경남|경상북|경상남|제주)"
    "(?:특별자치시|특별자치도|특별시|광역시|시|도)?"
)
_REST = (
    r"(?:[ ][가-힣0-9·]{1,10}(?:읍|면|동|가|리|로|길)(?![가-힣])){0,3}"
    r"(?:[ ]?\d{1,5}(?:-\d{1,4})?(?:번지|번길|호)?(?!\d)){0,2}"
    r"(?:[ ,]{1,2}[가-힣A-Za-z0-9]{0,12}(?:아파트|빌라|오피스텔|빌딩))?(?:[ ,]{1,2}\d{1,4}동)?(?:[ ,]{0,2}\d{1,5}호)?"
)
_K_ADDRESS = regex(
    rf"(?<![가-힣]){_PROVINCE}[ ][가-힣0-9]{{1,8}}(?:로|길)[ ]\d{{1,4}}(?:-\d{{1,4}})?(?!\d)"
    rf"|(?<![가-힣]){_PROVINCE}(?:[ ][가-힣]{{1,5}}[시군구](?![가-힣])){{1,2}}{_REST}"
    r"|(?<![가-힣])[가-힣]{1,4}[시구군](?:[ ][가-힣]{1,4}구)?[ ][가-힣0-9]{1,8}(?:로|길|동|읍|면)[ ]\d{1,4}"
    r"(?:-\d{1,4})?(?:번지|번길|호)?"
    r"|(?<![가-힣])(?:[가-힣A-Za-z0-9]{1,12}[ ]?(?:아파트|빌라|오피스텔|맨션|APT)[ ]?)?\d{1,4}동[ ]\d{1,5}호"
    r"|(?<![가-힣])[가-힣A-Za-z0-9]{1,12}(?:아파트|빌라|오피스텔|맨션)[ ]\d{1,5}호"
)


def mask_identifiers(
    text: str, mapping: Mapping[str, str] | None = None, stated: Collection[str] = ()
) -> tuple[str, dict[str, str]]:
    """The text with a placeholder for each identifier, and what each stands for.

    Equal identifiers have one placeholder; `mapping` is that of texts before, which is gone on with. A placeholder that
    the text itself holds is never given out. `stated` are identifiers that are known from elsewhere (names, numbers,
    birth dates): they are found without anything beside them.
    """
    known = dict(mapping or {})
    names = {(_kind_of(name), value): name for name, value in known.items()}
    taken = {*_PLACEHOLDER.findall(text), *known}
    counts = dict.fromkeys(KINDS, 0)
    pieces: list[str] = []
    at = 0
    for start, end, kind in _places(text, stated):
        value = text[start:end]
        if (name := names.get((kind, value))) is None:
            name = _next(kind, counts, taken)
            names[kind, value] = name
            known[name] = value
        pieces += (text[at:start], name)
        at = end
    return "".join((*pieces, text[at:])), known


def unmask(text: str, mapping: Mapping[str, str]) -> str:
    """The text with what the placeholders stand for; a placeholder that nobody gave out stays."""
    return _PLACEHOLDER.sub(lambda match: mapping.get(match[0], match[0]), text)


def original_places(masked: str, mapping: Mapping[str, str]) -> Iterator[Place]:
    """Where in the text that was masked each placeholder's words stood, and the placeholder, in order."""
    longer = 0
    for match in _PLACEHOLDER.finditer(masked):
        if (words := mapping.get(match[0])) is not None:
            start = match.start() + longer
            yield start, start + len(words), match[0]
            longer += len(words) - len(match[0])


def _kind_of(placeholder: str) -> str:
    return placeholder[1:].rpartition("-")[0]


def _next(kind: str, counts: dict[str, int], taken: set[str]) -> str:
    while True:
        counts[kind] += 1
        if (name := f"[{kind}-{counts[kind]}]") not in taken:
            taken.add(name)
            return name


# ---- where identifiers stand --------------------------------------------------------------------


def _places(text: str, stated: Collection[str]) -> list[Place]:
    """Places that do not overlap, in order; of two that do, the one whose rule stands first."""
    chosen = _Chosen()
    for find in _FINDERS:
        chosen.add(find(text))
    known: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for value in stated:
        known[_stated_kind(value)].add(value)
    chosen.add(_stated_places(text, stated))
    for start, end, kind in chosen.places:
        known[kind].add(text[start:end])
    chosen.add(repeated_names(text, known[NAME], _outside(text, chosen.places)))
    chosen.add(repeated_korean_names(text, known[NAME]))
    chosen.add(_again(text, _TOKEN, known[RECORD], RECORD))
    chosen.add(_same_days(text, known[BIRTH]))
    return chosen.places


def _outside(text: str, places: Sequence[Place]) -> str:
    """What stands outside these places."""
    ends = [0, *(end for _, end, _ in places)]
    starts = [*(start for start, _, _ in places), len(text)]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


class _Chosen:
    """Places in order, none of which overlaps another."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def add(self, places: Iterable[Place]) -> None:
        """Those that overlap none that is there."""
        offered = sorted(places, key=lambda place: (place[0], -place[1]))
        kept: list[Place] = []
        at, last = 0, 0
        for place in offered:
            while at < len(self.places) and self.places[at][1] <= place[0]:
                at += 1
            free = at == len(self.places) or place[1] <= self.places[at][0]
            if free and place[0] >= last:
                kept.append(place)
                last = place[1]
        self.places = sorted([*self.places, *kept])


def _again(text: str, pattern: re.Pattern[str], known: set[str], kind: str) -> Iterator[Place]:
    for match in pattern.finditer(text) if known else ():
        if match[0] in known:
            yield *match.span(), kind


def _same_days(text: str, dates: set[str]) -> Iterator[Place]:
    """Dates of the same days, however they are written."""
    days = {day for date in dates if (day := day_of(date)) is not None}
    for match in _ANY_DATE.finditer(text) if days else ():
        if day_of(match[0]) in days:
            yield *match.span(), BIRTH


def _stated_kind(value: str) -> str:
    if _ANY_DATE.fullmatch(value):
        return BIRTH
    return RECORD if any(letter.isdigit() for letter in value) else NAME


def _stated_places(text: str, stated: Collection[str]) -> Iterator[Place]:
    """Where they stand as whole words; one of several words also in other letters."""
    lowered = text.lower()
    as_long = len(lowered) == len(text)  # some letters become two
    for value in stated:
        kind = _stated_kind(value)
        if len(value) < (_LEAST_RECORD if kind == RECORD else _LEAST_NAME):
            continue
        if as_long and " " in value.strip():
            yield from _wholes(lowered, value.lower(), kind)
        else:
            yield from _wholes(text, value, kind)


def _wholes(text: str, value: str, kind: str) -> Iterator[Place]:
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (_joins(text, at) or _joins(text, end)):
            yield at, end, kind
        at = text.find(value, end)


def _joins(text: str, at: int) -> bool:
    """Whether letters of one script, or digits, stand on both sides; a Korean particle may follow anything."""
    before, after = text[max(0, at - 1) : at], text[at : at + 1]
    if not (before.isalnum() and after.isalnum()):
        return False
    return before.isascii() == after.isascii() and before.isascii()


def _by_form(pattern: re.Pattern[str], kind: str) -> Callable[[str], Iterator[Place]]:
    """A finder of what matches: its group that took part, or all of it."""

    def find(text: str) -> Iterator[Place]:
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            start, end = match.span(group)
            end -= len(match[group]) - len(match[group].rstrip(" \t.,-"))
            if kind != RECORD or sum(letter.isdigit() for letter in match[group]) >= 3:
                yield start, end, kind

    return find


def _checked_residents(text: str) -> Iterator[Place]:
    return (
        (start, end, RESIDENT)
        for start, end, kind in find_numbers(text)
        if kind == CHECKED_RESIDENT
    )


def _emails(text: str) -> Iterator[Place]:
    return ((start, end, EMAIL) for start, end, _ in find_emails(text))


_FINDERS: tuple[Callable[[str], Iterator[Place]], ...] = (
    _by_form(_RESIDENT, RESIDENT),
    _checked_residents,
    _emails,
    _by_form(_CALLED_ADDRESS, ADDRESS),
    _by_form(_ADDRESS, ADDRESS),
    _by_form(_K_ADDRESS, ADDRESS),
    _by_form(_BIRTH, BIRTH),
    _by_form(_CALLED_PHONE, PHONE),
    _by_form(_PHONE, PHONE),
    _by_form(_SHORT_PHONE, PHONE),
    _by_form(_RECORD, RECORD),
    _by_form(_SHORT_RECORD, RECORD),
    find_english_names,
    find_korean_names,
)
