"""The catalogues: PO files, read as they are. Nothing heavy is imported here, for `quorate --help` reads them, too."""

from __future__ import annotations

import gettext
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.presentation.locale.templates import Template
from orchestrator.settings.languages import LANGUAGES

HELP = "help"
"""The catalogue whose `msgid` are the English texts: what the command line says of itself.

A workflow has its own as `ko.help.po`."""
ERRORS = "errors"
"""The catalogue whose `msgid` are the templates of sentences that are written where they are raised."""
COMMANDS = "commands"
"""The same for the sentences that a command alone says."""
STORED = "stored"
"""The catalogue whose `msgid` are templates of sentences that are stored in English."""

BY_TEXT = (HELP, ERRORS, COMMANDS, STORED)
"""The catalogues without codes."""
_HERE = Path(__file__).parent
_WORKFLOWS = _HERE.parents[1] / "workflows"
_CONCEPT = "concept_"
_CODE = '\nmsgid "'


class LazyEntries(Mapping[str, tuple[str, ...]]):
    """The entries of PO files by their codes, each read when it is first asked for: a command tells a few of 2,500."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Find them in the texts of the files; of two with one code the later one counts."""
        self._sources: dict[str, str] = {}
        self._read: dict[str, tuple[str, ...]] = {}
        for text in texts:
            for source in f"\n{text}".split(_CODE)[1:]:
                self._sources[source.partition('"')[0]] = source

    def __getitem__(self, code: str) -> tuple[str, ...]:
        """The forms of a code. Raises KeyError for one that has no words."""
        if code not in self._read:
            self._read |= read_entries(_CODE + self._sources[code])
        return self._read[code]

    def __iter__(self) -> Iterator[str]:
        """The codes; the header's is none."""
        return filter(None, self._sources)

    def __len__(self) -> int:
        """How many codes there are."""
        return sum(1 for _ in self)


@dataclass(frozen=True)
class MessageCatalogue:
    """The entries of a language's files, each with its forms, and which form a number takes."""

    language: str
    entries: Mapping[str, tuple[str, ...]]
    form_of: Callable[[int], int]

    def forms(self, code: str) -> tuple[str, ...] | None:
        """The forms of a code. Clinical tables have words, too; they are read when a concept is first asked for."""
        forms = self.entries.get(code)
        if forms is None and code.startswith(_CONCEPT):
            word = _concept_words(self.language).get(code.removeprefix(_CONCEPT))
            forms = None if word is None else (word,)
        return forms

    def words(self, code: str, params: Mapping[str, object]) -> str | None:
        """The entry of a code, in the form that the parameters ask for."""
        forms = self.forms(code)
        if forms is None or len(forms) == 1:
            return forms[0] if forms else None
        number = params.get("n")
        return forms[self.form_of(number) if isinstance(number, int) else -1]


@cache
def catalogue(language: str) -> MessageCatalogue:
    """All that people are told in a language: the files beside this one, and those of the workflows' folders."""
    files = [path for path in (_HERE / language).glob("*.po") if path.stem not in BY_TEXT]
    files += _WORKFLOWS.glob(f"*/locale/{language}.po")
    entries = LazyEntries(path.read_text(encoding="utf-8") for path in sorted(files))
    return MessageCatalogue(language, entries, _plural_rule(entries.get("", ("",))[0]))


def _concept_words(language: str) -> Mapping[str, str]:
    """What clinical concepts are called, beside the files. In English they bear their own names."""
    from shared.clinical.concept_names import korean_words  # noqa: PLC0415 - most commands need no clinical tables

    korean = korean_words()
    return korean if language == "ko" else {name: name for name in korean}


@cache
def help_texts(language: str) -> Mapping[str, str]:
    """What the command line says of itself, by the English text; empty for English."""
    if language not in LANGUAGES:
        return {}
    files = [
        *_HERE.glob(f"{language}/{HELP}.po"),
        *_WORKFLOWS.glob(f"*/locale/{language}.{HELP}.po"),
    ]
    return _by_english(files)


@cache
def error_texts(language: str) -> Mapping[str, str]:
    """The words of errors and of commands, by the English template; empty for English."""
    files = (_HERE / language / f"{name}.po" for name in (ERRORS, COMMANDS))
    return _by_english(file for file in files if language in LANGUAGES and file.is_file())


def _by_english(files: Iterable[Path]) -> Mapping[str, str]:
    texts = [read_entries(path.read_text(encoding="utf-8")) for path in files]
    return {text: forms[0] for entries in texts for text, forms in entries.items() if text}


@cache
def stored_texts(language: str) -> Mapping[Template, str]:
    """The words for what is stored as an English sentence, by its template; empty for English."""
    file = _HERE / language / f"{STORED}.po"
    if language not in LANGUAGES or not file.is_file():
        return {}
    entries = read_entries(file.read_text(encoding="utf-8"))
    return {Template(text): forms[0] for text, forms in entries.items() if text}


def read_entries(text: str) -> dict[str, tuple[str, ...]]:
    """The entries of a PO file by `msgid`; the header's is the empty one. Empty ones are passed over."""
    entries: dict[str, tuple[str, ...]] = {}
    for fields in _fields(text):
        forms = tuple(words for keyword, words in fields.items() if keyword.startswith("msgstr"))
        if "msgid" in fields and any(forms):
            entries[fields["msgid"]] = forms
    return entries


def _fields(text: str) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    keyword = ""
    for line in text.splitlines():
        name, quote, rest = line.partition('"')
        if not quote or name.startswith("#"):
            continue
        if name.strip() == "msgid":
            yield fields
            fields = {}
        keyword = name.strip() or keyword
        fields[keyword] = fields.get(keyword, "") + _unescaped(rest.rstrip())
    yield fields


def _unescaped(rest: str) -> str:
    plain = "\\" not in rest and rest.find('"') == len(rest) - 1
    return rest[:-1] if plain else str(json.loads(f'"{rest}'))


def _plural_rule(header: str) -> Callable[[int], int]:
    _, _, rule = header.partition("plural=")
    return gettext.c2py(rule.partition(";")[0] or "n != 1")
