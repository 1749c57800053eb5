"""What several tests of the configuration begin with: the first design's file, and keys that bring models."""

from __future__ import annotations

SEED_001 = """\
orchestrator:
  ai: claude
participants:
  - claude
  - gemini
  - codex
settings:
  max_rounds: 10
  timeout: 300
"""

CLAUDE, GEMINI = {"ANTHROPIC_API_KEY": "k"}, {"GEMINI_API_KEY": "k"}
GPT, GROK = {"OPENAI_API_KEY": "k"}, {"XAI_API_KEY": "k"}
TWO, THREE = CLAUDE | GEMINI, CLAUDE | GEMINI | GPT
FOUR = THREE | GROK
