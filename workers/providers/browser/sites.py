"""A web chat's parts by name, from the data file."""

from __future__ import annotations

import functools
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from shared.errors import ConfigurationError
from shared.models.wire import Wire


class Site(Wire):
    """The selectors of one web chat; sites.yaml says what each is for."""

    ready: str = Field(min_length=1)
    send: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    busy: str = Field(min_length=1)
    login: str = Field(min_length=1)
    limit: str = Field(min_length=1)
    unfinished: str = ""
    settle_s: float = Field(default=1.5, gt=0, le=30)
    patience_s: float = Field(default=20.0, gt=0, le=120)


_SITES = TypeAdapter(dict[str, Site])


def site_named(name: str, own_file: str | None = None) -> Site:
    """The parts of a site; a file of the user's own overrides ours. Raises ConfigurationError."""
    if own_file is not None:
        own = _read(Path(own_file).expanduser())
        if name in own:
            return own[name]
    known = shipped()
    if name not in known:
        raise ConfigurationError(
            "There is no web chat '{name}': known are {known}.", name=name, known=", ".join(known)
        )
    return known[name]


@functools.cache
def shipped() -> dict[str, Site]:
    """The rows of our data file."""
    return _parsed(
        (files("workers.providers.browser") / "sites.yaml").read_text(encoding="utf-8"),
        "sites.yaml",
    )


def _read(file: Path) -> dict[str, Site]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            "The selectors in {file} cannot be read: {error}.", file=file, error=error
        ) from None
    return _parsed(text, str(file))


def _parsed(text: str, name: str) -> dict[str, Site]:
    try:
        return _SITES.validate_python(yaml.safe_load(text))
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(
            "{name} is not YAML: {reason}.", name=name, reason=reason
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            "{name}: {place}: {why}.", name=name, place=place, why=first["msg"]
        ) from None
