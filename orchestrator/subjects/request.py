"""What is asked of a capture."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

NEVER_SENT = tuple(
    (
        ".env .env.* .env-* .env_* *.env .envrc .flaskenv *.pem *.key *.ppk *.p12 *.pfx *.p8 "
        "*.jks *.keystore *.kdbx *.keytab *.ovpn id_rsa* id_dsa* id_ecdsa* id_ed25519* .netrc "
        "_netrc .pgpass .my.cnf .s3cfg .boto .vault-token .terraformrc .dockercfg .npmrc .pypirc "
        ".htpasswd .git-credentials credentials.json client_secret*.json service-account*.json "
        "service_account*.json application_default_credentials.json .aws/credentials .ssh/* "
        ".gnupg/* .docker/config.json .kube/config *.tfstate *.tfstate.backup terraform.tfvars "
        "*.auto.tfvars"
    ).split()
)
"""Files that usually hold secrets: their text never becomes a document, whatever the change is."""

MAY_BE_SENT = (
    *(f".env{sign}{word}" for sign in ".-_" for word in ("example", "sample", "template", "dist")),
    "*.pub",
)
"""The exceptions from NEVER_SENT."""


@dataclass(frozen=True)
class CaptureLimits:
    """What a subject may hold, in bytes and files. `contents` bounds both states of all files together."""

    diff_bytes: int = 10_000_000
    file_bytes: int = 1_000_000
    contents_bytes: int = 64_000_000
    files: int = 2_000


@dataclass(frozen=True)
class Screen:
    """Which files stay here, as globs on the name, or on the end of the path when they hold a slash."""

    never_sent: tuple[str, ...] = NEVER_SENT
    may_be_sent: tuple[str, ...] = MAY_BE_SENT
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangeRequest:
    """Which change to capture, as it was typed.

    `path` is the current directory; `target` a path, a revision, `A..B` or `A...B`; `paths` are those named after
    it; `diff` is a bare unified diff, which excludes the others; `pathspecs` narrow it in git's own syntax, relative
    to `path`. `files` are the states from which a diff leads, given with it: no repository is looked for then (empty:
    nobody knows them). Files `without` which the change is looked at were named for something else.
    """

    path: Path
    target: str | None = None
    paths: tuple[str, ...] = ()
    staged: bool = False
    base: str | None = None
    diff: bytes | None = None
    files: Mapping[str, bytes] | None = None
    pathspecs: tuple[str, ...] = ()
    without: tuple[Path, ...] = ()
    limits: CaptureLimits = CaptureLimits()
    screen: Screen = Screen()
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
