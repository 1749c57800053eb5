"""Flower's settings are shipped inside the package."""

from pathlib import Path

from orchestrator.cli.dashboard import CONFIGURATION

ROOT = Path(__file__).resolve().parents[3]


def test_the_shipped_settings_are_those_of_the_deployment():
    assert CONFIGURATION.read_text() == (ROOT / "deploy" / "flowerconfig.py").read_text()
