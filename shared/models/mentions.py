"""What a chart mentions: a module of its own, for the tables of names are read by every command."""

from __future__ import annotations

from enum import StrEnum


class MentionKind(StrEnum):
    """What is mentioned."""

    PROBLEM = "problem"
    SYMPTOM = "symptom"
    DRUG = "drug"
    ALLERGY = "allergy"
    TEST = "test"
    PROCEDURE = "procedure"
    MONITORING = "monitoring"
