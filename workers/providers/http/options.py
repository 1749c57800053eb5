"""What a participant's options may say to a provider that is reached over HTTP."""

from __future__ import annotations

import re
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, ValidationError, field_validator

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.wire import Wire
from workers.providers.calls import ProviderCall
from workers.providers.credentials import KeySource, Secret, key_from

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
"""RFC 9110, 5.6.2: a token."""
OUR_HEADERS = frozenset({"host", "content-length", "content-type", "transfer-encoding"})
SECRET_HEADERS = ("authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie")


class HttpOptions(Wire):
    """Common options. `base_url` overrides the provider's own address.

    The key is named, never given: `api_key_env` (a variable of the worker's environment), `api_key_file` or
    `api_key_keyring`. `header_env`, `header_file` and `header_keyring` name, header by header, where the value of a
    secret one is held; they win over the provider's own key header. `headers` and `query` are added to every request,
    `extra_body` to its JSON. `price` (dollars per million tokens) overrides the price table. `external` is for
    shared/providers/locality.py.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    api_key_keyring: str | None = None
    header_env: dict[str, str] = Field(default_factory=dict)
    header_file: dict[str, str] = Field(default_factory=dict)
    header_keyring: dict[str, str] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    price: dict[Literal["in", "out", "cached"], float] | None = None
    external: bool | None = None

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http:// or https:// address")
        if parts.username or parts.password:
            raise ValueError("must not carry a user name or a password")
        if parts.query or parts.fragment:
            raise ValueError("must end with its path; parameters go into `query`")
        return value.rstrip("/")

    @field_validator("headers")
    @classmethod
    def _holds_no_key(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if name.lower() in SECRET_HEADERS:
                raise ValueError(
                    f"'{name}' is set from api_key_env, api_key_file or api_key_keyring, or header_env"
                )
        return value

    @field_validator("headers", "header_env", "header_file", "header_keyring")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if not HEADER_NAME.fullmatch(name):
                raise ValueError("a header's name is plain ASCII")
            if name.lower() in OUR_HEADERS:
                raise ValueError(f"'{name}' is set by the call itself")
        return value

    def address(self, default: str, *endings: str) -> str:
        """Where the provider's paths begin: `base_url` without what people copy along with it."""
        address = self.base_url or default
        for ending in endings:
            address = address.removesuffix(ending)
        return address

    def key(self, who: str, default_env: str | None) -> Secret | None:
        """The key to send. The default variable counts only at the provider's own address.

        A key never goes to another host unless the participant names it. Raises ProviderError.
        """
        env_name = self.api_key_env
        brings_key = any(name.lower() in SECRET_HEADERS for name, _ in self._held_headers(who))
        if env_name is None and self.base_url is None and not brings_key:
            env_name = default_env
        return key_from(who, KeySource(env_name, self.api_key_file, self.api_key_keyring))

    def secret_headers(self, who: str) -> dict[str, Secret]:
        """The headers whose values are held elsewhere, in lower case, asked for now. Raises ProviderError."""
        held = ((name, key_from(who, source)) for name, source in self._held_headers(who))
        return {name.lower(): value for name, value in held if value is not None}

    def _held_headers(self, who: str) -> list[tuple[str, KeySource]]:
        found = [
            *((name, KeySource(env=where, header=name)) for name, where in self.header_env.items()),
            *(
                (name, KeySource(file=where, header=name))
                for name, where in self.header_file.items()
            ),
            *((n, KeySource(keyring=where, header=n)) for n, where in self.header_keyring.items()),
        ]
        names = [name.lower() for name, _ in found]
        if len(set(names)) < len(names):
            raise ProviderError(
                FailureKind.BAD_REQUEST, f"{who}: a header has two places for its value."
            )
        return found


class SchemaOptions(HttpOptions):
    """`json_schema`: the reply's schema is sent as the provider's own structured output."""

    json_schema: bool = True


_Options = TypeVar("_Options", bound=Wire)


def options_of(participant: Participant, model: type[_Options]) -> _Options:
    """The participant's options as that model. ProviderError (bad_request) names a bad one."""
    try:
        return model.model_validate(participant.options)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "options"
        raise ProviderError(
            FailureKind.BAD_REQUEST,
            f"The option '{name}' of {participant.name} ({participant.provider}): {first['msg']}.",
        ) from None


def model_of(call: ProviderCall) -> str:
    """The model's name. Raises ProviderError (bad_request) when the participant has none."""
    if call.participant.model:
        return call.participant.model
    raise ProviderError(
        FailureKind.BAD_REQUEST,
        f"{call.participant.name} names no model: set `model` for it.",
    )
