"""What a participant's options may say to a provider that is reached over HTTP."""

from __future__ import annotations

from typing import Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, ValidationError, field_validator

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.wire import Wire
from workers.providers.credentials import KeySource, Secret, key_from
from workers.providers.registry import ProviderCall

SECRET_HEADERS = ("authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie")


class HttpOptions(Wire):
    """Common options. `base_url` overrides the provider's own address.

    The key is named, never given: `api_key_env` (a variable of the worker's environment), `api_key_file` or
    `api_key_keyring`. `headers` and `query` are added to every request,
    `extra_body` to its JSON. `price` (dollars per million tokens) overrides the price table.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    api_key_keyring: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    price: dict[Literal["in", "out", "cached"], float] | None = None

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
                    f"'{name}' is set from api_key_env, api_key_file or api_key_keyring"
                )
            if not name.isascii() or not name.isprintable():
                raise ValueError("a header's name is plain ASCII")
        return value

    def key(self, who: str, default_env: str | None) -> Secret | None:
        """The key to send. The default variable counts only at the provider's own address.

        A key never goes to another host unless the participant names it. Raises ProviderError.
        """
        env_name = self.api_key_env
        if env_name is None and self.base_url is None:
            env_name = default_env
        return key_from(who, KeySource(env_name, self.api_key_file, self.api_key_keyring))


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
