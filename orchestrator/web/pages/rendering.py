"""Pages: templates that escape everything, told in the reader's language, in the presentation's own words for figures.

A template has `say` (the words of a code), `path` (where it is), and the filters below; what a model wrote reaches a
page as markup through `prose` and `code` only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse

from orchestrator.core.lines import drop_unseen
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import cost_of
from orchestrator.settings.languages import DEFAULT, LANGUAGES
from orchestrator.web.pages.highlighting import coloured, is_file_of_code
from orchestrator.web.pages.markdown import prose
from orchestrator.web.pages.navigation import NAVIGATION
from orchestrator.web.pages.static_files import address_of
from shared.models.rows import UsageRow
from shared.text.amounts import dollars

LANGUAGE_COOKIE, THEME_COOKIE = "quorate_language", "quorate_theme"
THEMES = ("auto", "light", "dark")
FORM_FIELD = "form_token"
"""The field by which a form shows that a page of ours sent it."""
LANGUAGE_NAMES = {"en": "English", "ko": "한국어"}


@dataclass(frozen=True)
class Preferences:
    """How a reader wants pages: the language, and light or dark (`auto`: as the system has it)."""

    language: str
    theme: str

    @classmethod
    def of(cls, request: HTTPConnection) -> Preferences:
        """What was chosen on a page, else what the browser asks for."""
        chosen = request.cookies.get(LANGUAGE_COOKIE, "")
        accepted = request.headers.get("accept-language", "")
        theme = request.cookies.get(THEME_COOKIE, "")
        return cls(
            language=chosen if chosen in LANGUAGES else accepted_language(accepted),
            theme=theme if theme in THEMES else THEMES[0],
        )

    @property
    def words(self) -> Translator:
        """The catalogue of the language."""
        return _translator(self.language)


@cache
def _translator(language: str) -> Translator:
    return Translator(language)


def accepted_language(header: str) -> str:
    """The language of ours that an Accept-Language header wants most (RFC 9110, 12.5.4)."""
    wanted: dict[str, float] = {}
    for entry in header.lower().split(",")[:20]:
        tag, _, weight = entry.strip().partition(";q=")
        language = tag.partition("-")[0]
        if language in LANGUAGES:
            wanted[language] = max(wanted.get(language, 0.0), _weight(weight))
    best = max(wanted, key=wanted.__getitem__, default=DEFAULT)
    return best if wanted.get(best) else DEFAULT


def _weight(text: str) -> float:
    try:
        return min(max(float(text or 1), 0.0), 1.0)
    except ValueError:
        return 0.0


def words_of(request: HTTPConnection) -> Translator:
    """The catalogue in the language of whoever asks."""
    return Preferences.of(request).words


def page(
    request: HTTPConnection,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **shown: Any,
) -> HTMLResponse:
    """The page that `template` makes of `shown`; what all pages need is there besides (see `templates/base.html`)."""
    preferences = Preferences.of(request)
    session = getattr(request.state, "session", None)
    around = {
        "say": preferences.words.message,
        "words": preferences.words,
        "preferences": preferences,
        "path": request.url.path,
        "now": datetime.now(UTC),
        "session": session,
        "form_token": lambda: "" if session is None else _hidden(FORM_FIELD, session.form_token),
    }
    markup = environment().get_template(template).render({**around, **shown})
    return HTMLResponse(markup, status_code=status, headers=dict(headers or {}))


def _hidden(name: str, value: str) -> Markup:
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, value)


@cache
def environment() -> Environment:
    """The templates: everything is escaped, and a name that is not there is an error."""
    made = Environment(
        loader=PackageLoader(__package__ or "", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {
        "navigation": NAVIGATION,
        "languages": LANGUAGE_NAMES,
        "themes": THEMES,
        "static": address_of,
    }
    made.filters |= {
        "prose": lambda text: Markup(prose(text)),  # noqa: S704 - sanitised there
        "code_of": lambda text, path: Markup(coloured(drop_unseen(text), file_name=path)),  # noqa: S704 - escaped there
        "moment": moment,
        "stamp": stamp,
        "dollars": dollars,
        "duration": duration,
        "cost": usage_cost,
    }
    made.tests["file_of_code"] = is_file_of_code
    return made


def _seen(value: object) -> object:
    """Whatever a template shows, without escape sequences and characters that nobody sees; markup is ours."""
    return drop_unseen(value) if type(value) is str else value


def usage_cost(usage: UsageRow | None, words: Translator) -> str:
    """What a run has cost so far, or a dash."""
    return cost_of(usage, words) or "–"


def moment(when: datetime) -> str:
    """A time as people read it; the page shows it in UTC, as the command line does."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M}"


def stamp(when: datetime) -> str:
    """A time as programs read it, for `<time datetime>`."""
    return when.astimezone(UTC).isoformat(timespec="seconds")
