"""A submission of cases: a request for each case of a file or a folder, with the similar cases that are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import PurePath

from orchestrator.application.backend import Backend
from orchestrator.application.capture import GivenCase, read_given_cases
from orchestrator.application.prepare import SubmissionRequest, configuration_of
from orchestrator.application.similar_cases import stored_neighbours
from orchestrator.application.subject_input import STDIN, CaseSource, StandardInput
from orchestrator.subjects.case_texts import StatedCase
from shared.models.notices import Notice, notice

MOST_STORED = 20
"""How many of the stored cases a case is compared with."""


@dataclass(frozen=True)
class CaseRequests:
    """A request for each case; `left_out` says what of an input with several could not be used.

    Several belong to one `batch`, and nobody is asked about them at a terminal.
    """

    requests: tuple[SubmissionRequest, ...]
    left_out: tuple[Notice, ...] = ()
    batch: str | None = None

    @property
    def are_several(self) -> bool:
        """Whether there is more than one run."""
        return len(self.requests) > 1


def case_requests(
    request: SubmissionRequest,
    subject: CaseSource,
    environ: Mapping[str, str],
    stdin: StandardInput,
    connected: Callable[[], AbstractContextManager[Backend]],
) -> CaseRequests:
    """Read what was named, once; `connected` is called only where stored cases are wanted.

    Raises UserError or EnvironmentFault with what is wrong; nothing is stored.
    """
    settings = configuration_of(request, environ).settings
    cases, left_out = read_given_cases(subject, request.directory, settings, stdin)
    if subject.wants_stored:
        with connected() as backend:
            cases = tuple(_with_stored(case, backend) for case in cases)
    if len(cases) == 1:
        return CaseRequests((replace(request, subject=cases[0]),), left_out)
    batch = request.batch or _batch(subject.case)
    several = tuple(replace(request, subject=case, batch=batch, unattended=True) for case in cases)
    return CaseRequests(several, left_out, batch)


def _batch(name: str) -> str:
    return "cases" if name == STDIN else PurePath(name).stem or "cases"


def _with_stored(given: GivenCase, backend: Backend) -> GivenCase:
    neighbours = stored_neighbours(backend, given.case.text, MOST_STORED)
    stored = tuple(
        StatedCase(row.text, f"run {row.run}", similarity=row.similarity) for row in neighbours
    )
    remarks = () if stored else (notice("case_none_stored"),)
    return replace(given, similar=(*given.similar, *stored), remarks=(*given.remarks, *remarks))
