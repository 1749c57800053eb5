"""Where a participant's keys are held: names of variables, files and entries of the keyring, never a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, ProviderType, ProviderTypes, secret_headers
from shared.providers.options import CommandOptions, HttpOptions, ProviderOptions


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where a participant's key is: a variable of the worker's environment, a file, or the keyring.

    With `header` it is the value of that header, which may begin with a word of its own (`Bearer KEY`).
    """

    env: str | None = None
    file: str | None = None
    keyring: str | None = None
    header: str | None = None

    @property
    def option(self) -> str:
        """What the option that names a place begins with."""
        return "api_key" if self.header is None else "header"

    @property
    def wanted(self) -> str:
        """What is looked for, for people."""
        return "a key" if self.header is None else f"a value for the header '{self.header}'"


def header_sources(options: HttpOptions) -> tuple[KeySource, ...]:
    """The headers whose values are held elsewhere."""
    return (
        *(KeySource(env=where, header=name) for name, where in options.header_env.items()),
        *(KeySource(file=where, header=name) for name, where in options.header_file.items()),
        *(KeySource(keyring=where, header=name) for name, where in options.header_keyring.items()),
    )


def own_key_source(
    row: ProviderType, options: HttpOptions, catalogue: ProviderTypes = CATALOGUE
) -> KeySource | None:
    """Where the participant's own key is; None when it has none.

    The provider's usual variable counts only at its own address, and where no header brings the key: a key never goes
    to another host unless the participant names it.
    """
    named = KeySource(options.api_key_env, options.api_key_file, options.api_key_keyring)
    if named != KeySource():
        return named
    headers = {str(source.header).lower() for source in header_sources(options)}
    if options.base_url is not None or not row.key_variables:
        return None
    if headers and headers & secret_headers(catalogue):
        return None
    return KeySource(env=row.key_variables[0])


def key_sources(
    row: ProviderType, options: HttpOptions, catalogue: ProviderTypes = CATALOGUE
) -> tuple[KeySource, ...]:
    """All that a call needs to have filled in."""
    own = own_key_source(row, options, catalogue)
    return (*header_sources(options), *([own] if own is not None else []))


def key_variables(
    participant: Participant, catalogue: ProviderTypes = CATALOGUE
) -> tuple[str, ...]:
    """The variables of the workers' environment that calls to a participant, or to its stand-in, read.

    A file and a keyring are read at every call, so no worker can have an old key from them.
    """
    everybody = (participant, *participant.fallback)
    return tuple(
        dict.fromkeys(
            name for participant in everybody for name in _variables(participant, catalogue)
        )
    )


def stored_sources(
    participant: Participant, catalogue: ProviderTypes = CATALOGUE
) -> tuple[KeySource, ...]:
    """The files and entries of the keyring that calls to a participant read."""
    options = _options(participant, catalogue)
    if not isinstance(options, HttpOptions):
        return ()
    sources = key_sources(catalogue[participant.provider], options, catalogue)
    return tuple(source for source in sources if source.file or source.keyring)


def _options(participant: Participant, catalogue: ProviderTypes) -> ProviderOptions | None:
    row = catalogue.get(participant.provider)
    try:
        return None if row is None else row.options.model_validate(participant.options)
    except ValidationError:  # of an older version: its turn says what is wrong
        return None


def _variables(participant: Participant, catalogue: ProviderTypes) -> Iterator[str]:
    options, row = _options(participant, catalogue), catalogue.get(participant.provider)
    if options is None or row is None:
        return
    if isinstance(options, HttpOptions):
        yield from (source.env for source in key_sources(row, options, catalogue) if source.env)
    elif isinstance(options, CommandOptions):
        yield from (
            name
            for cli in row.coding_clis
            if cli.name == options.agent
            for name in cli.key_variables
        )
        yield from options.env
