"""The panel of a review: who criticises, who speaks for the author, who merges.

With models: the first one speaks for the author and does not criticise, so that nobody answers their own
finding; the others criticise together with the analysers. A single model has to do both, and the report says
so. The chair is `panel.chair`, else `orchestrator.ai`, else the last model, which is not the author when there
are two. Without models the rules speak for the author and merge. `casting.py` has the panels of the other workflows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator.participants.catalogue import BASE_URL, MODEL, RULES, Catalogue
from orchestrator.participants.members import (
    REVIEWERS,
    Wanted,
    check_doubles,
    joining,
    joining_entries,
    role_of,
    wanted_members,
)
from orchestrator.participants.panel_report import (
    PanelReport,
    Part,
    described,
    how_to_add_models,
    impatience,
    left_out,
    one_family,
    open_keys,
)
from orchestrator.participants.phrases import phrase
from orchestrator.settings.loading import Configuration
from shared.errors import ConfigurationError
from shared.models.panel import Panel, Participant
from shared.tools.catalogue import find_card

__all__ = ["PanelReport", "build_panel", "split_roles"]


def build_panel(
    names: Sequence[str] | None,
    configuration: Configuration,
    environ: Mapping[str, str],
    directory: Path,
    paths: Sequence[str] | None = None,
) -> tuple[Panel, PanelReport]:
    """The panel of `names` (the command line's), else of the configuration, else of all that is found.

    `author=NAME` and `chair=NAME` among the names give a role. Files in names are relative to `directory`.
    `paths`, where they are known, are the files of the change: analysers that can read none of them take no part
    unless the command line names them; what has nothing to look at would be missing from every round.
    Raises ConfigurationError for an unknown or doubled participant, CredentialsRejected for a missing key.
    """
    settings = configuration.settings
    catalogue = Catalogue(settings, environ, directory)
    wanted = wanted_members(names, settings, REVIEWERS)
    everybody = [found for entry in wanted.entries for found in catalogue.resolve(entry)]
    check_doubles(everybody)
    idle = _idle(everybody, wanted, paths)
    members = [member for member in everybody if member not in idle]
    # A person speaks for the author, or merges, only when named for it.
    models = [m for m in members if m.is_model]
    part = "speak for the author or chair"
    if _is_typed(wanted, configuration) and all(member.rule_based for member in everybody):
        wanted = wanted.of_typed_rules
    author = role_of(wanted.author, catalogue, members, part, with_rules=True)
    chair = role_of(wanted.chair, catalogue, members, part, with_rules=True)
    author, critics = split_roles(members, models, author, named=wanted.author is not None)
    if not critics:
        raise ConfigurationError(
            "The panel has no critic: name a model or an analyser besides the author and the chair."
        )
    idle_names = [member.name for member in idle]
    new = (m for entry in joining_entries(wanted, configuration) for m in catalogue.resolve(entry))
    present = [one for one in (*members, author, chair) if one is not None]
    names_here = [*idle_names, *(one.name for one in present)]
    added = joining(new, present, names_here)
    critics = (*critics, *added)
    rules = Participant(name=RULES, provider="rules", family="rules")
    last = models[-1] if models else None
    panel = Panel(critics=critics, author=author or rules, chair=chair or last or rules)
    report = _report(panel, wanted, catalogue, idle)
    return panel, replace(report, joined=tuple(member.name for member in added))


def _is_typed(wanted: Wanted, configuration: Configuration) -> bool:
    return wanted.typed or "participants" in configuration.typed


def _idle(
    members: Sequence[Participant], wanted: Wanted, paths: Sequence[str] | None
) -> tuple[Participant, ...]:
    """The analysers that can read none of the change's files. Nobody, when nobody else would criticise."""
    if paths is None:
        return ()
    typed = {entry.name.strip() for entry in wanted.entries} if wanted.typed else frozenset()
    idle = tuple(
        m
        for m in members
        if m.tool and m.name not in typed and not find_card(m.tool).scope.reads_any(paths)
    )
    others = [m for m in members if m not in idle and m.provider != "rules"]
    return idle if others else ()


def split_roles(
    members: Sequence[Participant],
    models: Sequence[Participant],
    author: Participant | None,
    *,
    named: bool,
) -> tuple[Participant | None, tuple[Participant, ...]]:
    """The author's voice (the first model unless one was `named`), and the critics."""
    author = author or (models[0] if models else None)
    critics = [member for member in members if member.provider != "rules"]
    others = [member for member in models if member != author]
    # Somebody else than the author's voice must judge; a lone model has to do both.
    if author is not None and (others or named) and len(critics) > 1:
        critics = [member for member in critics if member != author]
    return author, tuple(critics)


def _report(
    panel: Panel, wanted: Wanted, catalogue: Catalogue, idle: Sequence[Participant]
) -> PanelReport:
    language = catalogue.language
    parts = (
        Part("critic", panel.critics),
        Part("author", (panel.author,)),
        Part("chair", (panel.chair,)),
    )
    everybody = {member.name: member for part in parts for member in part.holders}
    with_models = any(not critic.rule_based for critic in panel.critics)
    told = () if wanted.chosen or with_models else (how_to_add_models(catalogue, language),)
    # Half a setting is a mistake, and said every time.
    begun = any(catalogue.environ.get(name) for name in (MODEL, BASE_URL))
    hints, advice = (told, ()) if begun else ((), told)
    if idle:
        hints = (phrase("idle", language, names=", ".join(m.name for m in idle)), *hints)
    warnings = (
        *_warnings(panel, language),
        *impatience(everybody.values(), catalogue.settings, language),
        *open_keys(everybody.values(), language),
        *left_out(wanted, catalogue),
    )
    return PanelReport(described(parts, language), hints, warnings, language, advice)


def _warnings(panel: Panel, language: str) -> tuple[str, ...]:
    voices = (*panel.critics, panel.author)
    if all(member.rule_based for member in voices):
        if not panel.chair.rule_based:
            return (phrase("rules_merged", language, name=panel.chair.name),)
        return (phrase("rules_only", language),)
    if panel.author in panel.critics:
        both = phrase("both_sides", language, name=panel.author.name)
        return (*one_family(voices, language), both)
    return one_family(voices, language)
