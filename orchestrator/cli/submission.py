"""From what was typed to a stored run: configuration, panel, captured change, specification."""

from __future__ import annotations

import hashlib
import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from orchestrator.configuration.loading import Configuration, load_configuration
from orchestrator.configuration.options import (
    budget,
    decision_policy,
    review_options,
    screen,
)
from orchestrator.configuration.panels import PanelReport, build_panel
from orchestrator.prompts import load as load_prompts
from orchestrator.subjects.capture import capture
from orchestrator.subjects.request import ChangeRequest
from shared.errors import EnvironmentFault, SubjectError
from shared.masking.mask import count_secrets
from shared.models.panel import Panel
from shared.models.run import RunSpec
from shared.models.subject import Subject

WORKFLOW = "review"
MAX_DIFF_BYTES = 64_000_000


@dataclass(frozen=True)
class Wanted:
    """The options of `quorate review` that say what to review and how. None: the configuration says it."""

    directory: Path
    target: str | None = None
    staged: bool = False
    base: str | None = None
    diff: str | None = None
    panel: tuple[str, ...] = ()
    config: Path | None = None
    trust_project: bool = False
    reuse: bool = False
    batch: str | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Prepared:
    """A run that is ready to be stored, with every document that it needs.

    `make_spec` wants the workflow's version: workflows are loaded later, while servers start.
    """

    make_spec: Callable[..., RunSpec]
    panel: Panel
    title: str
    documents: Mapping[str, bytes]
    panel_report: PanelReport
    language: str


class Documents:
    """Gathers documents by content until they are stored together with their run."""

    def __init__(self) -> None:
        """Empty."""
        self.gathered: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Keep a document; its address."""
        name = hashlib.sha256(content).hexdigest()  # the store's address, without loading the store
        self.gathered[name] = content
        return name


def prepare(wanted: Wanted, environ: Mapping[str, str]) -> Prepared:
    """Everything that a run captures. Raises UserError, CredentialsRejected or EnvironmentFault; nothing is stored."""
    configuration = load_configuration(
        wanted.directory,
        environ,
        explicit=wanted.config,
        overrides=wanted.settings,
        trust_project=wanted.trust_project,
    )
    panel, report = build_panel(wanted.panel or None, configuration, environ, wanted.directory)
    documents = Documents()
    subject = _capture(wanted, configuration, documents, environ)
    settings = configuration.settings
    templates = load_prompts(WORKFLOW, settings.language)
    make_spec = partial(
        RunSpec,
        workflow=WORKFLOW,
        language=settings.language,
        subject=documents.put(subject.model_dump_json().encode()),
        prompts=documents.put(json.dumps(templates, ensure_ascii=False, sort_keys=True).encode()),
        panel=panel,
        review=review_options(settings),
        budget=budget(settings),
        decision=decision_policy(settings),
        allow_external=settings.privacy.allow_external,
        reuse=wanted.reuse,
        seed=secrets.token_hex(16),
        labels={
            "files": len(subject.files),
            "added_lines": subject.added_lines,
            **({} if wanted.batch is None else {"batch": wanted.batch}),
        },
    )
    return Prepared(make_spec, panel, subject.title, documents.gathered, report, settings.language)


def _capture(
    wanted: Wanted, configuration: Configuration, documents: Documents, environ: Mapping[str, str]
) -> Subject:
    request = ChangeRequest(
        path=wanted.directory,
        target=wanted.target,
        staged=wanted.staged,
        base=wanted.base,
        diff=None if wanted.diff is None else _read_diff(wanted.directory, wanted.diff),
        screen=screen(configuration.settings),
        environ=dict(environ),
    )
    return capture(request, documents.put, count_secrets)


def _read_diff(directory: Path, name: str) -> bytes:
    """The bytes of `--diff FILE`, or of standard input for `-`."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_DIFF_BYTES + 1)
    try:
        with (directory / name).open("rb") as stream:
            return stream.read(MAX_DIFF_BYTES + 1)
    except PermissionError as error:
        raise EnvironmentFault(f"no permission to read the diff {name}") from error
    except OSError as error:
        raise SubjectError(f"the diff {name} cannot be read: {error.strerror}") from error
