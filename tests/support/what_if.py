"""Panels for runs that are replayed, forked and compared: priced models, and scripts that disagree for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.support.model_process import ModelServer

PRICE = {"input": 3.0, "output": 15.0}


def config_of(folder: Path, server: ModelServer, test: str) -> tuple[str, str]:
    """A file with the participant `priced`, and its model."""
    model = f"stub--whatif={test}"
    entry: dict[str, Any] = {
        "type": "openai",
        "model": model,
        "base_url": server.base_url,
        "price": PRICE,
    }
    file = folder / "quorate.yaml"
    file.write_text(yaml.safe_dump({"providers": {"priced": entry}}), encoding="utf-8")
    return str(file), model


def panel(*names: str) -> tuple[str, str]:
    """These critics, with rules for the author's side and the chair."""
    return "--panel", ",".join((*names, "author=rules", "chair=rules"))


def script(file: Path) -> Path:
    """Critics raise one finding and hold on to it in new words; the author denies it in every round."""
    raised = {
        "title": "a name reaches a shell",
        "detail": "anybody who chooses the name runs commands here",
        "severity": "MAJOR",
        "place": {"path": "app.py", "line": 10},
        "quote": 'subprocess.call("ls " + name, shell=True)',
    }
    entries: list[dict[str, Any]] = [
        {
            "when": {"role": "critique", "round": 1},
            "reply": {"verdict": "NEEDS_FIX", "findings": [raised]},
        }
    ]
    for number in range(2, 6):
        role, position = ("rebuttal", "disagree") if number % 2 == 0 else ("critique", "agree")
        said = [
            {
                "finding": "F1",
                "position": position,
                "reason": f"reason number {number}",
                "quote": 'subprocess.call("ls " + name, shell=True)',
            }
        ]
        fields: dict[str, Any] = {"stances": said}
        if role == "critique":
            fields |= {"verdict": "NEEDS_FIX", "findings": []}
        entries.append({"when": {"role": role, "round": number}, "reply": fields})
    entries.append({"when": {"role": "synthesis"}, "reply": {"summary": "one thing is disputed"}})
    file.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return file
