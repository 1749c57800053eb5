"""The pages that the navigation leads to, in its order. A page that wants to be found stands here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NavigationEntry:
    """A page: its path, the code of its name, and the name of its picture in `templates/icons.html`."""

    path: str
    code: str
    icon: str


NAVIGATION = (
    NavigationEntry("/inbox", "web_inbox", "inbox"),
    NavigationEntry("/runs", "runs_title", "runs"),
    NavigationEntry("/batches", "batches_title", "batches"),
    NavigationEntry("/participants", "people_title", "participants"),
    NavigationEntry("/costs", "costs_title", "costs"),
    NavigationEntry("/schedules", "schedules_title", "schedules"),
)
