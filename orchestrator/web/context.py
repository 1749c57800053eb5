"""What every request is answered with: one value, made by `quorate serve`, passed to handlers by one dependency."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from orchestrator.application.backend import Backend
from orchestrator.application.code_graph import GraphShelf
from orchestrator.application.remote_requests import RemoteReach
from orchestrator.application.remote_schedules import ReadCommand, TypedCommand
from orchestrator.web.rates import RateLimit
from orchestrator.web.sessions import SessionStore
from orchestrator.web.sites import ServedSite
from shared.errors import UserError

SIGN_INS_A_MINUTE = 20


def nobody_reads(command: Sequence[str], directory: Path) -> TypedCommand:  # noqa: ARG001 - as its type has it
    """Where no command line is: every command is refused."""
    raise UserError("this service reads no commands: schedules are added at the terminal")


@dataclass(frozen=True)
class WebContext:
    """The installation that is served.

    `directory` is where configuration is looked for; `start_token` lets the person in who started the service, as an
    operator called `actor`, and is empty where only stored tokens count. `report_bug` hears of our own faults.
    `reach` is what a submission may name; `read_command` reads the command of a schedule as the command line does;
    `clock` is what rates are measured by, in seconds.
    """

    backend: Backend
    environ: Mapping[str, str]
    directory: Path
    site: ServedSite
    actor: str
    start_token: str
    now: Callable[[], datetime]
    report_bug: Callable[[Exception], None]
    reach: RemoteReach = field(default_factory=RemoteReach)
    read_command: ReadCommand = nobody_reads
    clock: Callable[[], float] = time.monotonic

    def within(self, projects: Sequence[str]) -> WebContext:
        """The same for somebody who sees these projects only; the sessions are everybody's."""
        _ = self.sessions, self.sign_ins, self.graphs
        narrowed = copy(self)
        object.__setattr__(narrowed, "backend", self.backend.within(tuple(projects)))
        return narrowed

    @cached_property
    def sessions(self) -> SessionStore:
        """The browsers that are signed in at this installation."""
        return SessionStore(self.backend, self.now)

    @cached_property
    def graphs(self) -> GraphShelf:
        """The graphs of code that pages looked at last; which run may be asked about is decided before."""
        return GraphShelf()

    @cached_property
    def sign_ins(self) -> RateLimit:
        """How often somebody at one address may try to sign in."""
        return RateLimit(SIGN_INS_A_MINUTE, self.clock)


def context_of(request: Request) -> WebContext:
    """The context of the application; whoever sees some projects only gets a way to the store that does."""
    context: WebContext = request.app.state.context
    identity = getattr(request.state, "identity", None)
    projects = None if identity is None else identity.projects
    return context if projects is None else context.within(projects)


Context = Annotated[WebContext, Depends(context_of)]
