"""A clinical case as somebody stated it, before it is stored: its text, and what stands in fields of its own.

Everything that is wrong with an input is a notice: of a file with many cases it is told with its line and the rest is
used, of a single case it is the reason why nothing is started.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from orchestrator.subjects.screening import megabytes
from shared.models.case import Sex
from shared.models.notices import Notice, notice
from shared.patterns import regex
from shared.text.bounded_json import storable

CHART_BYTES = 1_000_000
"""The longest chart, and the longest similar case."""
VARIANT = "case_variant"
"""Says that the text stands in another field than the documented ones; of similar cases nobody needs to hear it."""
_WIDE = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_HANGUL = regex("[가-힣]")
_OTHER_LETTER = regex(r"[^\W\d_a-zA-Z가-힣]")


class UnusableCaseError(ValueError):
    """What cannot be a case; `notice` says why."""

    def __init__(self, why: Notice) -> None:
        super().__init__(why.code)
        self.notice = why


@dataclass(frozen=True)
class StatedCase:
    """`origin` is the file it was read from, with its line or its place where there are several in it.

    `patient` is what the input calls the patient, `birth_date` ISO, `identifiers` whatever else it states of who it is
    (names, numbers, addresses): nothing of them is shown, they are masked in the text. `similarity` to another case is
    0 to 1, where it was looked for. `remarks` are what is to be told of it.
    """

    text: str
    origin: str
    patient: str = ""
    sex: Sex | None = None
    birth_date: str | None = None
    identifiers: tuple[str, ...] = ()
    similar: tuple[StatedCase, ...] = ()
    similarity: float | None = None
    remarks: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class CasesRead:
    """The cases of a file or of a folder; `remarks` say what of it was left out, and why."""

    cases: tuple[StatedCase, ...] = ()
    remarks: tuple[Notice, ...] = ()


def chart_text(text: str) -> str:
    """The text as it is stored: lines end with a line feed, characters are those that a store can hold.

    Raises UnusableCaseError for one that is empty or too long.
    """
    text = storable(text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n\ufeff")
    if not text.strip():
        raise UnusableCaseError(notice("case_empty"))
    if (size := len(text.encode())) > CHART_BYTES:
        raise UnusableCaseError(
            notice("case_too_long", size=megabytes(size), limit=megabytes(CHART_BYTES))
        )
    return text


def decoded(content: bytes) -> str:
    """UTF-8 text. Raises UnusableCaseError that names the encoding which the bytes look like."""
    for mark, encoding in _WIDE.items():
        if content.startswith(mark):
            raise UnusableCaseError(notice("case_encoding", encoding=encoding, at=0))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableCaseError(
            notice("case_encoding", encoding=_likely(content, error.start), at=error.start)
        ) from None
    if "\0" in text:
        raise UnusableCaseError(notice("case_binary"))
    return text


def _likely(content: bytes, at: int) -> str:
    """What text is probably encoded in that is no UTF-8: Korean where most of its letters become Hangul.

    The 2,350 common syllables count (EUC-KR, which CP949 extends): in the extension `°C` and `µg` would be two more.
    """
    if b"\0" in content[:8000]:
        raise UnusableCaseError(notice("case_binary"))
    start = max(0, at - 2000)
    sample = content[start : at + 20_000]
    korean = sample.decode("euc_kr", "replace")
    hangul = len(_HANGUL.findall(korean))
    strange = korean.count("\ufffd") + len(_OTHER_LETTER.findall(korean))
    return "CP949" if hangul >= 2 and hangul > 4 * strange else "WINDOWS-1252"


# ---- what stands in fields of its own -----------------------------------------------------------

_SEXES = {
    Sex.FEMALE: frozenset("f female woman girl w 여 여성 여자".split()),
    Sex.MALE: frozenset("m male man boy 남 남성 남자".split()),
}
_DATE = regex(r"(\d{4})(?:[-/.]?(\d{2})(?:[-/.]?(\d{2}))?)?(?:[T ].*)?", re.DOTALL)


def sex_of(stated: object) -> Sex | None:
    """The sex in any of the usual words; None for everything else."""
    word = stated.strip().lower() if isinstance(stated, str) else ""
    return next((sex for sex, words in _SEXES.items() if word in words), None)


def iso_date(stated: object) -> str | None:
    """A birth date as `1970-03-04`, `1970-03` or `1970`; None for what is none."""
    match = _DATE.fullmatch(stated.strip()) if isinstance(stated, str) else None
    if match is None:
        return None
    parts = [part for part in match.groups() if part]
    limits = ("2200", "12", "31")
    if any(part > most or not int(part) for part, most in zip(parts, limits, strict=False)):
        return None
    return "-".join(parts)
