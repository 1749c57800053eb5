"""What was typed as a promise, and what a run has to tell about its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from orchestrator.participants.members import AUTHOR, CHAIR
from orchestrator.participants.panel_report import PanelReport
from orchestrator.settings.loading import Configuration
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_preset, preset_names
from shared.models.notices import Notice, notice

_PANEL = "QUORATE_PANEL"


def promised(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, JsonValue]:
    """The keys that a preset promises which was typed among the participants (`--participants keyless`).

    Naming its members without its promise would leave the author's side and the chair to whatever a file says. The
    variable counts where nobody was named on the command line; who is named for a part only is no panel.
    """
    folder = presets_folder(environ)
    typed = {name.strip() for given in names for name in given.split(",")}
    if not any(name and not name.startswith((AUTHOR, CHAIR)) for name in typed):
        typed |= {name.strip() for name in environ.get(_PANEL, "").split(",")}
    found: dict[str, JsonValue] = {}
    for name in sorted(typed & {*preset_names(folder)}):
        tree = load_preset(name, folder).document.tree
        privacy = tree.get("privacy")
        if isinstance(privacy, dict) and privacy.get("allow_models") is False:
            found |= {f"privacy.{key}": value for key, value in privacy.items() if value is False}
            found |= {"orchestrator.ai": None, "panel.author": "rules", "panel.chair": "rules"}
    return {key: value for key, value in found.items() if value is not None}


def notices_of(
    configuration: Configuration, report: PanelReport, *, typed: bool, led: str | None = None
) -> tuple[Notice, ...]:
    """What nobody may overlook about the configuration of a run; `led` is who leads it, where somebody does."""
    notices = [*configuration.notices]
    if configuration.leads is not None:
        notices.append(_leading(*configuration.leads, led))
    where = configuration.joining_from
    if configuration.joining and (typed or "participants" in configuration.typed):
        notices.append(notice("project_passed_over", where=where))
    elif report.joined:
        notices.append(notice("project_joins", where=where, names=report.joined))
    return tuple(notices)


def _leading(name: str, where: str, led: str | None) -> Notice:
    if name == led:
        return notice("project_leads", where=where, name=name)
    return notice("project_kept_out", where=where, key="orchestrator.ai", why="roles")
