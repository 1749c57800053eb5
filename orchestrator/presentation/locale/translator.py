"""The words of Quorate in the reader's language: gettext catalogues (`en/*.po`, `ko/*.po`), read as they are.

An entry's `msgid` is the code of a sentence, its `msgstr` the words in that language, with the parameters as
`str.format` writes them. Besides the usual formats there are

* `{who:은/는}`: the word with the Korean particle that follows it, ``{command:`을/를}`` and `{name:'은/는}` in quotes,
* `{parts:;}`: a list, with semicolons instead of commas between,
* `{how:@ending}`: the words of the entry `ending_<how>`, or the value itself where there is none,
* `{drug:@concept}`: the word for a clinical concept by the table of its names, `{drug:@concept 은/는}` with a particle,
* a plural entry (`msgid_plural`), whose form the parameter `n` chooses.

docs/design/notices.md says why gettext. What a language lacks is told in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any, Self

from orchestrator.core.lines import clean
from orchestrator.presentation.locale.catalogue import (
    MessageCatalogue,
    catalogue,
    error_texts,
    stored_texts,
)
from orchestrator.presentation.locale.particles import with_particle
from orchestrator.presentation.locale.templates import first_fitting
from orchestrator.settings.languages import DEFAULT, LANGUAGES
from orchestrator.workflows import ROWS
from shared.errors import QuorateError
from shared.models.findings import Finding
from shared.models.notices import SENTENCE, TEXT, Notice, is_notice, of_column, read_notice
from shared.sentences import Sentence

TOLD_RULES = ("diffcheck/", "complexity/", "ruff/", "bandit/")
"""How the rules begin whose findings have words in `stored.po`: those of our analysers, and the commonest of others."""
TITLED_BY_US = frozenset(row.name for row in ROWS if row.titles)
"""The workflows whose runs have titles of ours, not a question or a name that somebody typed."""


@dataclass(frozen=True)
class Translator:
    """Tells codes and notices in one language."""

    language: str = DEFAULT

    @cached_property
    def _catalogues(self) -> tuple[MessageCatalogue, ...]:
        languages = dict.fromkeys((self.language, DEFAULT))
        return tuple(catalogue(language) for language in languages if language in LANGUAGES)

    def knows(self, code: str) -> bool:
        """True when there are words for a code."""
        return any(catalogue.forms(code) is not None for catalogue in self._catalogues)

    def named(self, prefix: str) -> tuple[str, ...]:
        """What has words under codes that begin with `prefix`, in the catalogue's order, without the prefix."""
        entries = catalogue(DEFAULT).entries
        return tuple(code.removeprefix(prefix) for code in entries if code.startswith(prefix))

    def message(self, code: str, /, **params: object) -> str:
        """The words of a code of ours."""
        params = {
            name: self.translate(value) if isinstance(value, Notice) else value
            for name, value in params.items()
        }
        words = self._words(code, params)
        if words is None:
            raise LookupError(f"no catalogue has words for {code}")
        return _Format(self).vformat(words, (), params)

    def translate(self, stored: object) -> str:
        """A notice, or what was stored as one, as a sentence; an unknown code is told as it is."""
        message = read_notice(stored)
        params = {name: self._plain(value) for name, value in message.params.items()}
        if message.code == TEXT:
            return str(params.get("text", ""))
        if message.code == SENTENCE:
            return self._of_error(message)
        words = self._words(message.code, params)
        if words is None:
            words = f"{clean(message.code)}: {', '.join(f'{name}={{{name}}}' for name in params)}"
        return _Format(self).vformat(words, (), params)

    def error(self, error: QuorateError) -> str:
        """What an expected error says."""
        return self.sentence(error.sentence)

    def sentence(self, text: str) -> str:
        """A sentence of ours that was written in English where it arose; as it is where there are no words for it."""
        template = text.template if isinstance(text, Sentence) else text
        words = error_texts(self.language).get(template, template)
        values = text.values if isinstance(text, Sentence) else {}
        if not values:
            return words
        return _Format(self).vformat(words, (), {k: self._told(v) for k, v in values.items()})

    def column(self, stored: str | None) -> str:
        """What a column of text holds, as a sentence; nothing for an empty one."""
        noted = of_column(stored)
        return "" if noted is None else self.translate(noted)

    def word(self, code: str, otherwise: str) -> str:
        """The word for a value, or the value itself where nobody has given it one."""
        return self.message(code) if self.knows(code) else otherwise

    def role(self, role: str) -> str:
        """What somebody does in a role; the role's own name where there is no word for it."""
        return self.word(f"role_{role}", role)

    def field(self, name: str) -> str:
        """What a reply's field is called; one that nobody named keeps its name."""
        return self.word(f"field_{name}", name.replace("_", " ").capitalize())

    def finding(self, finding: Finding) -> Finding:
        """A finding that our own code raised in words: its title, detail and advice; any other one as it is."""
        worded = self._by_rule(finding)
        if finding.message is not None:
            worded["title"] = self.translate(finding.message)
        if finding.advice is not None:
            worded["suggestion"] = self.translate(finding.advice)
        return finding.model_copy(update=worded) if worded else finding

    def run_title(self, title: str, workflow: str) -> str:
        """A run's title. Those of changes are ours and stored in English; any other one is somebody's own words."""
        return self.stored(title) if workflow in TITLED_BY_US else title

    def stored(self, sentence: str) -> str:
        """A sentence of ours that is stored in English; any other one as it is."""
        texts = stored_texts(self.language)
        fitting = first_fitting(sentence, texts)
        if fitting is None:
            return sentence
        template, parts = fitting
        params = {
            name: self.stored(part) if name in ("title", "why") else part
            for name, part in parts.items()
        }
        return _Format(self).vformat(texts[template], (), params)

    def in_words(self, stored: Any) -> Any:
        """A JSON value with the words of each notice in its place, and the notice beside it."""
        if isinstance(stored, list | tuple):
            return list(map(self.in_words, stored))
        if not isinstance(stored, Mapping):
            return stored
        content: dict[str, Any] = {}
        for name, value in stored.items():
            if is_notice(value):
                content |= {name: self.translate(value), f"{name}_notice": value}
            elif _are_notices(value) or (name == "warnings" and value == []):
                beside = "notices" if name == "warnings" else f"{name}_notices"
                content |= {name: list(map(self.translate, value)), beside: value}
            else:
                content[name] = self.in_words(value)
        return content

    def _by_rule(self, finding: Finding) -> dict[str, object]:
        """What `stored.po` has words for, of a finding of an analyser."""
        if not stored_texts(self.language) or not (finding.rule or "").startswith(TOLD_RULES):
            return {}
        texts = {name: getattr(finding, name) for name in ("title", "detail", "suggestion")}
        worded: dict[str, object] = {
            name: self.stored(text) for name, text in texts.items() if text
        }
        titles = {name: self.stored(title) for name, title in finding.titles.items()}
        return {**worded, "titles": titles}

    def _words(self, code: str, params: Mapping[str, object]) -> str | None:
        entries = (catalogue.words(code, params) for catalogue in self._catalogues)
        return next((words for words in entries if words is not None), None)

    def _of_error(self, stored: Notice) -> str:
        template = str(stored.params.get("template", ""))
        values = {
            name: self._plain(value) for name, value in stored.params.items() if name != "template"
        }
        try:
            return self.sentence(Sentence(template, **values))
        except (LookupError, ValueError, AttributeError):  # of another version
            return template

    def _told(self, value: object) -> object:
        if isinstance(value, QuorateError):
            return self.error(value)
        if isinstance(value, ToldNotice):
            return self.translate(value.notice)
        return self.sentence(value) if isinstance(value, str) else value

    def _plain(self, value: object) -> object:
        if isinstance(value, Notice):
            return self.translate(value)
        if isinstance(value, tuple):
            return tuple(map(self._plain, value))
        return clean(value) if isinstance(value, str) else value


_QUOTES = "`'"
ENGLISH = Translator()


class ToldNotice(str):
    """The English words of a notice within an error; whoever tells the error tells the notice in its language."""

    notice: Notice

    def __new__(cls, notice: Notice) -> Self:
        """In English."""
        words = super().__new__(cls, ENGLISH.translate(notice))
        words.notice = notice
        return words

    def __reduce__(self) -> tuple[type[Self], tuple[Notice]]:
        """For copies and pickles."""
        return type(self), (self.notice,)


def _are_notices(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(is_notice, value))


class _Format(Formatter):
    """`str.format` with particles and with words for the values of an enumeration."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple):
            separator = f"{format_spec} " if format_spec == ";" else ", "
            return separator.join(self.format_field(part, format_spec.strip(";")) for part in value)
        if format_spec.startswith("@"):
            enumeration, _, particles = format_spec[1:].partition(" ")
            word = self.translator.word(f"{enumeration}_{value}", str(value))
            return with_particle(word, particles) if particles else word
        if "/" in format_spec:
            quote = format_spec[0] if format_spec[0] in _QUOTES else ""
            return with_particle(f"{quote}{value}{quote}", format_spec.removeprefix(quote))
        return str(format(value, format_spec))
