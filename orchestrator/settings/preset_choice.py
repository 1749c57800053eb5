"""Which preset lies below the files: the one that the highest of them names for the workflow at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.settings.documents import Document
from orchestrator.settings.places import absolute, presets_folder
from orchestrator.settings.preset_files import Preset, is_file, load_preset, preset_names
from shared.errors import ConfigurationError


@dataclass(frozen=True)
class PresetChoice:
    """The preset that was chosen, and the layer that names it."""

    preset: Preset
    named_by: Document


@dataclass(frozen=True)
class Chooser:
    """What a choice depends on besides the files: `workflow` None accepts a preset for any of them."""

    directory: Path
    environ: Mapping[str, str]
    workflow: str | None
    trust_project: bool

    def choose(self, layers: Sequence[Document]) -> PresetChoice | None:
        """The preset of the highest layer that names one for the workflow.

        A file serves all workflows, so one that names another workflow's preset is ignored, and
        whoever typed it is told so.
        Raises ConfigurationError, with the place that names the preset.
        """
        for layer in reversed(layers):
            if not layer.tree.get("preset"):
                continue
            preset = self._load(layer)
            if preset.serves(self.workflow):
                return PresetChoice(preset, layer)
            if layer.typed:
                raise ConfigurationError(f"{layer.where(('preset',))}: {self._misfit(preset)}")
        return None

    def _load(self, layer: Document) -> Preset:
        name = str(layer.tree["preset"])
        if is_file(name):
            folder = self.directory if layer.typed else layer.folder
            name = str(absolute(name, folder, self.environ))
        # A repository's own file chooses among ours: a preset of yours may say more than it may.
        theirs = layer.project and not self.trust_project
        try:
            return load_preset(name, None if theirs else presets_folder(self.environ))
        except ConfigurationError as error:
            raise ConfigurationError(f"{layer.where(('preset',))}: {error}") from None

    def _misfit(self, preset: Preset) -> str:
        fitting = ", ".join(name for name in preset_names(self._own) if self._fits(name))
        return (
            f"The preset '{preset.name}' is for the workflow {preset.workflow}, not for {self.workflow}, "
            f"which has {fitting or 'none'}."
        )

    @property
    def _own(self) -> Path | None:
        return presets_folder(self.environ)

    def _fits(self, name: str) -> bool:
        try:
            return load_preset(name, self._own).serves(self.workflow)
        except ConfigurationError:
            return False
